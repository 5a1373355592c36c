//! Counterexamples to induction (CTI): a small state that all claims allow, and a step from it to one that violates a claim.
//!
//! The obligation is built once more for a small instance, where the solver has to give values
//! ([`plainsong_prove::bounded`]): sizes grow from one. Then as much of the state as possible is made as at the start, messages in flight
//! first, variable by variable and entry by entry, as long as there are values for the rest. So what is left matters.
//!
//! The interpreter evaluates the claims and takes the step: what it does not see is no example.
//! It is told to people, and never a verdict: mostly no run comes to such a state, and an invariant should say so.

use crate::claims::parts;
use crate::state::{any, parameters};
use crate::steps::kind;
use crate::system::System;
use plainsong_ir::{ActionId, Claim, ConstId, GlobalId, RangeEnd, SortKind, Ty};
use plainsong_prove::bounded::{Doubt, Shown, example, has_value};
use plainsong_prove::lower::Store;
use plainsong_prove::obligation::{Obligation, Rule};
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};
use plainsong_semantics::action_state::{ActionState, Deeds};
use plainsong_semantics::claim::{Verity, verity};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Config, Machine, Outcome, Subject};
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_semantics::value::Value;
use plainsong_smt::{Cancel, Solvers};
use std::sync::Arc;

/// The largest size of sorts that is tried.
const LARGEST: i64 = 3;
/// What one question may cost, in the solver's units.
const RESOURCES: u64 = 2_000_000;
/// How often the solver is asked to come closer to the start.
const ATTEMPTS: usize = 60;

/// A state, a step and the state after it.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The action system at this size.
    pub instance: Instance,
    /// The claim that is false afterwards, by position among the properties.
    pub claim: usize,
    /// The action.
    pub action: ActionId,
    /// Its arguments.
    pub arguments: Vec<Value>,
    /// The variables at the start: globals, then what is pending of the actions that claims count.
    pub start: Vec<Value>,
    /// Before the step.
    pub before: Vec<Value>,
    /// After it.
    pub after: Vec<Value>,
}

/// What a state consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Var {
    Global(GlobalId),
    Pending(ActionId),
}

/// The variables of a system, in the order of the values of a counterexample.
pub(crate) fn variables(system: &System) -> Vec<Var> {
    let globals = (0..system.actions().globals.len()).map(|at| Var::Global(GlobalId::from(at)));
    let pending = system.counted.iter().copied().map(Var::Pending);
    globals.chain(pending).collect()
}

impl Var {
    pub(crate) fn ty(self, system: &System) -> Ty {
        match self {
            Var::Global(at) => system.actions().globals[at.index()].ty.clone(),
            Var::Pending(at) => {
                let types = parameters(&system.actions().actions[at.index()].code);
                let map = |held, key| Ty::Map(Box::new(key), Box::new(held));
                types.into_iter().rev().fold(Ty::Nat, map)
            }
        }
    }

    pub(crate) fn term(self, store: &Store) -> Term {
        match self {
            Var::Global(at) => store.globals[&at],
            Var::Pending(at) => store.pending[&at],
        }
    }
}

/// A smallest state that the claims allow, from which `action` leads to one in which `claim` is false.
pub fn find(
    system: &System,
    claim: usize,
    action: ActionId,
    solvers: &Solvers,
    cancel: &Cancel,
) -> Option<Counterexample> {
    (1..=LARGEST).find_map(|size| {
        let hunt = Hunt {
            system,
            claim,
            action,
            instance: instance(system, size)?,
            solvers,
            cancel,
        };
        hunt.found()
    })
}

/// The first instance in which every sort whose size is open has so many members.
pub(crate) fn instance(system: &System, size: i64) -> Option<Instance> {
    let mut sizes = Sizes::new();
    for sort in &system.song.sorts {
        let is_sized = match &sort.kind {
            SortKind::Identities { .. } => true,
            SortKind::Range(range) => range.end == RangeEnd::Open,
        };
        if is_sized {
            sizes = sizes.with(&sort.name, size);
        }
    }
    let all = Instance::all(system.song.clone(), &sizes, &Bounds::default()).ok()?;
    all.into_iter().next()
}

struct Hunt<'a> {
    system: &'a System,
    claim: usize,
    action: ActionId,
    instance: Instance,
    solvers: &'a Solvers,
    cancel: &'a Cancel,
}

impl Hunt<'_> {
    fn found(&self) -> Option<Counterexample> {
        let start = self.start()?;
        let mut fixed: Vec<(usize, Value)> = Vec::new();
        let mut best = self.ask(&fixed)?;
        let mut left = ATTEMPTS;
        // What is pending first: it is the last of the variables.
        for at in (0..start.len()).rev() {
            for nearer in nearer(&start[at], &best.0[at]) {
                let value = nearer(&best.0[at]);
                let is_over = left == 0 || self.cancel.is_cancelled();
                if is_over || value == best.0[at] && value != start[at] {
                    continue;
                }
                left -= 1;
                let mut trial = fixed.clone();
                trial.retain(|(other, _)| *other != at);
                trial.push((at, value));
                if let Some(closer) = self.ask(&trial) {
                    (best, fixed) = (closer, trial);
                }
                if best.0[at] == start[at] {
                    break;
                }
            }
        }
        let (before, arguments) = best;
        let after = self.taken(&before, &arguments)?;
        Some(Counterexample {
            instance: self.instance.clone(),
            claim: self.claim,
            action: self.action,
            arguments,
            start,
            before,
            after,
        })
    }

    /// The variables at the start.
    fn start(&self) -> Option<Vec<Value>> {
        let machine = Machine::new(&self.instance, Subject::System);
        let first = machine.initial().into_iter().find_map(|one| match one {
            Outcome::Next(config) => Some(ActionState::of(&config)),
            _ => None,
        })?;
        let mut values = first.globals;
        for &action in &self.system.counted {
            values.push(self.bag(
                &Var::Pending(action).ty(self.system),
                &mut Vec::new(),
                &|_| 0,
            )?);
        }
        Some(values)
    }

    /// What is pending as nested maps.
    fn bag(&self, ty: &Ty, at: &mut Vec<Value>, count: &dyn Fn(&[Value]) -> i64) -> Option<Value> {
        let Ty::Map(key, held) = ty else {
            return Some(Value::Int(count(at)));
        };
        let mut entries = Vec::new();
        for one in self.instance.values(key).ok()? {
            at.push(one.clone());
            let value = self.bag(held, at, count)?;
            at.pop();
            entries.push((one, value));
        }
        Some(Value::Map(entries.into()))
    }

    /// Values of the variables and arguments, if there are some with these fixed.
    fn ask(&self, fixed: &[(usize, Value)]) -> Option<(Vec<Value>, Vec<Value>)> {
        let mut build = |theory: &mut Theory| self.doubt(theory, fixed).map(Some);
        let values = example(
            &self.instance,
            &mut build,
            RESOURCES,
            self.solvers,
            self.cancel,
        );
        let values: Option<Vec<Value>> = values.ok()??.into_iter().collect();
        let mut before = values?;
        let arguments = before.split_off(variables(self.system).len());
        Some((before, arguments))
    }

    fn doubt(&self, theory: &mut Theory, fixed: &[(usize, Value)]) -> Result<Doubt> {
        let system = self.system;
        let before = any(theory, system)?;
        let row = &system.actions().actions[self.action.index()];
        let step = kind(theory, system, &before, (self.action, row), None)?;
        let mut hypotheses = before.known.clone();
        hypotheses.extend(theory.background().to_vec());
        hypotheses.extend(step.offered.iter().copied());
        hypotheses.push(step.guard);
        hypotheses.extend(step.gate.iter().map(|part| part.holds));
        for &claim in &system.claims {
            if let Ok(parts) = parts(theory, system, claim, &before.store, true) {
                hypotheses.extend(parts.iter().map(|part| part.holds));
            }
        }
        for at in (0..system.song.consts.len()).map(ConstId::from) {
            let (constant, value) = (theory.constant(at)?, self.instance.constant(at));
            let same = has_value(theory, &system.song.consts[at.index()].ty, constant, value)?;
            hypotheses.push(same);
        }
        let rows = variables(system);
        for (at, value) in fixed {
            let ty = rows[*at].ty(system);
            let same = has_value(theory, &ty, rows[*at].term(&before.store), value)?;
            hypotheses.push(same);
        }
        let after = parts(theory, system, self.claim, &step.after, true)?;
        let after: Vec<Term> = after.iter().map(|part| part.holds).collect();
        let mut shown = Vec::new();
        for row in &rows {
            let (ty, term) = (row.ty(system), row.term(&before.store));
            shown.push(Shown { ty, term });
        }
        for (ty, term) in parameters(&row.code).into_iter().zip(step.arguments) {
            shown.push(Shown { ty, term });
        }
        let obligation = Obligation {
            rule: Rule::Refinement("induct/step"),
            span: row.span,
            text: String::new(),
            sentence: String::new(),
            participants: Vec::new(),
            hypotheses,
            goal: theory.terms.and(&after),
            induction: None,
        };
        Ok(Doubt { obligation, shown })
    }

    /// The variables after the interpreter took the step, if all claims hold before it and the one in doubt does not after it.
    fn taken(&self, before: &[Value], arguments: &[Value]) -> Option<Vec<Value>> {
        let (config, at) = self.configuration(before, arguments);
        let arguments: Arc<[Value]> = arguments.into();
        let row = &self.system.actions().actions[self.action.index()];
        let machine = Machine::new(&self.instance, Subject::System);
        let mut deeds = Deeds::new(&machine);
        let steps = match at {
            _ if row.role.repeat => deeds.steps_of_offer(&config, (self.action, &arguments)),
            Some(at) => deeds.steps_of(&config, at),
            None => return None,
        };
        let mut claims = self.system.claims.iter();
        if !claims.all(|at| self.holds(&machine, *at, &config)) {
            return None;
        }
        let mut after = steps.iter().filter_map(|step| match &step.outcome {
            Outcome::Next(config) => Some(config),
            _ => None,
        });
        let only = ActionState::of(after.find(|config| !self.holds(&machine, self.claim, config))?);
        let mut values = only.globals.clone();
        for &action in &self.system.counted {
            let count = |at: &[Value]| {
                let rows = only.pending.iter();
                rows.filter(|(id, with)| *id == action && **with == *at)
                    .count() as i64
            };
            let ty = Var::Pending(action).ty(self.system);
            values.push(self.bag(&ty, &mut Vec::new(), &count)?);
        }
        Some(values)
    }

    /// The state before, and at which position of what is pending the action is.
    fn configuration(&self, before: &[Value], arguments: &[Value]) -> (Config, Option<usize>) {
        let globals = self.system.actions().globals.len();
        let arguments: Arc<[Value]> = arguments.into();
        let mut pending = Vec::new();
        for (var, value) in variables(self.system).iter().zip(before).skip(globals) {
            if let Var::Pending(action) = var {
                spread(value, &mut Vec::new(), &mut |arguments, count| {
                    let one = (*action, Arc::from(arguments));
                    pending.extend(std::iter::repeat_n(one, count));
                });
            }
        }
        let row = &self.system.actions().actions[self.action.index()];
        if !row.role.repeat && !self.system.counted.contains(&self.action) {
            pending.push((self.action, arguments.clone()));
        }
        pending.sort();
        let at = pending
            .iter()
            .position(|one| *one == (self.action, arguments.clone()));
        let state = ActionState {
            begun: true,
            globals: before[..globals].to_vec(),
            pending,
        };
        (state.config(), at)
    }

    fn holds(&self, machine: &Machine, claim: usize, config: &Config) -> bool {
        let property = &self.system.song.properties[claim];
        let Claim::Always(condition) = &property.claim else {
            return true;
        };
        verity(machine, property, condition, config) == Verity::Holds
    }
}

/// Each combination of arguments with its count.
pub(crate) fn spread(value: &Value, at: &mut Vec<Value>, each: &mut dyn FnMut(&[Value], usize)) {
    match value {
        Value::Map(entries) => {
            for (key, held) in entries.iter() {
                at.push(key.clone());
                spread(held, at, each);
                at.pop();
            }
        }
        Value::Int(count) => each(at, (*count).max(0) as usize),
        _ => {}
    }
}

/// A way to come nearer to a value.
type Nearer<'a> = Box<dyn Fn(&Value) -> Value + 'a>;

/// First all of it, then entry by entry.
fn nearer<'a>(start: &'a Value, now: &Value) -> Vec<Nearer<'a>> {
    let mut ways: Vec<Nearer<'a>> = vec![Box::new(move |_| start.clone())];
    if let (Value::Map(entries), Value::Map(_)) = (start, now) {
        for (key, value) in entries.iter() {
            ways.push(Box::new(move |now| with_entry(now, key, value)));
        }
    }
    ways
}

fn with_entry(map: &Value, key: &Value, value: &Value) -> Value {
    let Value::Map(entries) = map else {
        return map.clone();
    };
    let changed = entries.iter().map(|(one, held)| match one == key {
        true => (one.clone(), value.clone()),
        false => (one.clone(), held.clone()),
    });
    Value::Map(changed.collect())
}
