//! All reachable states of an action system.

use super::eval::{Store, Undefined, all};
use super::instance::Instance;
use super::run::{Pause, Thread};
use super::start::start_values;
use super::value::{Value, held, text};
use super::{Outcome, States};
use plainsong_ir::{ActionId, Actions, Code, Stmt, StmtKind};
use std::collections::{BTreeMap, BTreeSet};

/// How many asyncs one step may leave behind.
const MOST_ASYNCS: usize = 10_000;

/// A pending async.
type Pending = (ActionId, Vec<Value>);

/// Globals, and how often each async is pending; never zero times.
type State = (Vec<Value>, BTreeMap<Pending, usize>);

/// All reachable states; `None` when there are more than `limit`.
pub(super) fn explore(instance: &Instance<'_>, actions: &Actions, limit: usize) -> Option<States> {
    let mut search = Search {
        instance,
        actions,
        found: States::default(),
    };
    let mut seen: BTreeSet<State> = BTreeSet::new();
    let mut open = search.start();
    while let Some(state) = open.pop() {
        if seen.insert(state.clone()) {
            if seen.len() > limit || instance.exceeded() {
                return None;
            }
            open.extend(search.visit(&state));
        }
    }
    search.found.states = seen.len();
    Some(search.found)
}

struct Search<'a> {
    instance: &'a Instance<'a>,
    actions: &'a Actions,
    found: States,
}

/// What one run of a piece of code led to: the states, and the reasons why it could fail.
struct Ran {
    states: Vec<State>,
    failures: Vec<String>,
}

impl Search<'_> {
    fn start(&mut self) -> Vec<State> {
        match self.instance.parameters_allowed() {
            Ok(true) => {}
            Ok(false) => return Vec::new(),
            Err(Undefined(reason)) => {
                self.found.failures.insert(reason);
                return Vec::new();
            }
        }
        let globals = self.globals();
        let Some(init) = &self.actions.init else {
            return globals
                .into_iter()
                .map(|globals| (globals, BTreeMap::new()))
                .collect();
        };
        let mut states = Vec::new();
        for globals in globals {
            let ran = self.run(init, &[], (globals, BTreeMap::new()));
            self.found.failures.extend(ran.failures);
            states.extend(ran.states);
        }
        states
    }

    /// The ways in which the globals can start.
    fn globals(&mut self) -> Vec<Vec<Value>> {
        let mut open: Vec<Vec<Value>> = vec![Vec::new()];
        for global in &self.actions.globals {
            let mut longer = Vec::new();
            for globals in open {
                let mut store = Store::new(&[], global.locals.len(), globals.clone(), Value::Init);
                match start_values(self.instance, &global.start, &mut store) {
                    Ok((values, _)) => {
                        let more = |value| [globals.clone(), vec![value]].concat();
                        longer.extend(values.into_iter().map(more));
                    }
                    Err(Undefined(reason)) => {
                        self.found.failures.insert(reason);
                    }
                }
            }
            open = longer;
        }
        open
    }

    /// The states that are one step away; classifies those that end here.
    fn visit(&mut self, (globals, pending): &State) -> Vec<State> {
        let mut next = Vec::new();
        let mut moved = false;
        let on_offer = match self.on_offer() {
            Ok(on_offer) => on_offer,
            Err(Undefined(reason)) => {
                self.found.failures.insert(reason);
                return next;
            }
        };
        for (action, arguments) in on_offer {
            let code = &self.actions.actions[action].code;
            let ran = self.run(code, &arguments, (globals.clone(), pending.clone()));
            moved |= !(ran.failures.is_empty() && ran.states.is_empty());
            self.found.failures.extend(ran.failures);
            next.extend(ran.states);
        }
        for taken in pending.keys() {
            let (action, arguments) = taken;
            let others = without(pending, taken);
            let code = &self.actions.actions[action.index()].code;
            let ran = self.run(code, arguments, (globals.clone(), others));
            moved |= !(ran.failures.is_empty() && ran.states.is_empty());
            self.found.failures.extend(ran.failures);
            next.extend(ran.states);
        }
        if !moved {
            self.rest(globals, pending);
        }
        next
    }

    /// The actions that are always on offer, with each combination of arguments.
    fn on_offer(&self) -> Result<Vec<(usize, Vec<Value>)>, Undefined> {
        let mut all = Vec::new();
        for (at, action) in self.actions.actions.iter().enumerate() {
            if !action.role.repeat {
                continue;
            }
            let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
            for parameter in &action.code.locals[..action.code.arity] {
                let values = self.instance.values(&parameter.ty)?;
                let more = |row: &Vec<Value>| -> Vec<Vec<Value>> {
                    let each = values.iter().cloned();
                    each.map(|value| [&row[..], &[value]].concat()).collect()
                };
                rows = rows.iter().flat_map(more).collect();
            }
            all.extend(rows.into_iter().map(|row| (at, row)));
        }
        Ok(all)
    }

    /// Runs code as a whole. A run that is cut off did not happen.
    fn run(&self, code: &Code, arguments: &[Value], (globals, pending): State) -> Ran {
        let store = Store::new(arguments, code.locals.len(), globals, Value::Init);
        let mut ran = Ran {
            states: Vec::new(),
            failures: Vec::new(),
        };
        let mut open = vec![(Thread::new(&code.body, store), pending, MOST_ASYNCS)];
        while let Some((thread, pending, patience)) = open.pop() {
            for (mut thread, pause) in thread.advance(self.instance) {
                let mut pending = pending.clone();
                match pause {
                    Pause::Cut => {}
                    Pause::Failed(reason) => ran.failures.push(reason),
                    Pause::End => ran.states.push((thread.store.vars, pending)),
                    Pause::Before(Stmt {
                        kind: StmtKind::Async(action, arguments),
                        ..
                    }) => match all(self.instance, arguments, &mut thread.store) {
                        Ok(arguments) if patience > 0 => {
                            *pending.entry((*action, arguments)).or_insert(0) += 1;
                            thread.pass(&[]);
                            open.push((thread, pending, patience - 1));
                        }
                        Ok(_) => ran.failures.push("leaves asyncs for ever".to_string()),
                        Err(Undefined(reason)) => ran.failures.push(reason),
                    },
                    Pause::Before(other) => unreachable!("{other:?} in an action"),
                }
            }
        }
        ran
    }

    /// Nothing can happen any more.
    fn rest(&mut self, globals: &[Value], pending: &BTreeMap<Pending, usize>) {
        let outcome = self.outcome(globals);
        if pending.is_empty() {
            self.found.finals.insert(outcome);
        } else {
            let pending = pending.iter().flat_map(|(pending, count)| {
                std::iter::repeat_n(self.pending_text(pending), *count)
            });
            let pending = pending.collect();
            self.found.deadlocks.insert((outcome, pending));
        }
    }

    fn outcome(&self, globals: &[Value]) -> Outcome {
        let declared = self.actions.globals.iter();
        let named = declared.zip(globals).map(|(global, value)| {
            (
                global.name.clone(),
                held(self.instance.song, &global.ty, value),
            )
        });
        named.collect()
    }

    fn pending_text(&self, (action, arguments): &Pending) -> String {
        let action = &self.actions.actions[action.index()];
        let arguments = arguments.iter().zip(&action.code.locals);
        let arguments: Vec<String> = arguments
            .map(|(value, parameter)| text(self.instance.song, &parameter.ty, value))
            .collect();
        format!("{}({})", action.name, arguments.join(", "))
    }
}

/// One `taken` less.
fn without(pending: &BTreeMap<Pending, usize>, taken: &Pending) -> BTreeMap<Pending, usize> {
    let mut others = pending.clone();
    let left = others.remove(taken).map_or(0, |count| count - 1);
    if left > 0 {
        others.insert(taken.clone(), left);
    }
    others
}
