//! Small configurations in which something that is not proved is false.
//!
//! Like [`crate::doubt`] for procedures: the solver is asked for a model of the same obligation with sorts of a few members,
//! first for one that the program gets to ([`super::reached`]), then for any. It is an example for people and proves
//! nothing; but how the program gets there is a run.

use super::bag::Ledger;
use super::context::Known;
use super::reached::{Place, Reached, reached, told_run};
use crate::answer::Prover;
use crate::async_text::{told_async as in_words, told_global};
use crate::compare::instances;
use crate::cut::is_program_cut;
use plainsong_ir::{ActionId, ConstId, GlobalId, Ty};
use plainsong_prove::bounded::{Doubt, Shown, example, has_value};
use plainsong_prove::lower::Store;
use plainsong_prove::obligation::Obligation;
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::show::show;
use plainsong_semantics::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What one example may cost, in the solver's units.
const RESOURCES: u64 = 2_000_000;
/// The largest size of sorts.
const LARGEST: i64 = 2;
/// The most instances of a size: parameters have values, too.
const MOST_INSTANCES: usize = 6;

/// Obligations about one configuration.
pub(super) struct Asked {
    pub(super) all: Vec<Obligation>,
    pub(super) scene: Scene,
}

/// A configuration, and an async of it.
#[derive(Clone)]
pub(super) struct Scene {
    action: ActionId,
    store: Store,
    arguments: Vec<Term>,
    /// What is chosen, by name.
    pub(super) chosen: Vec<(String, Ty, Term)>,
    /// What should decrease, from the first on.
    pub(super) measured: Vec<Measured>,
    /// That there is a step, with its choices.
    pub(super) steps: Option<Term>,
}

/// A number that should decrease in a step.
#[derive(Clone)]
pub(super) struct Measured {
    pub(super) told: String,
    /// It before; of asyncs, whose number it is.
    pub(super) before: Before,
    /// It after; of asyncs, how many more there are.
    pub(super) after: Term,
}

#[derive(Clone)]
pub(super) enum Before {
    Number(Term),
    Asyncs(BTreeSet<ActionId>),
}

impl Scene {
    pub(super) fn new(action: ActionId, store: Store, arguments: Vec<Term>) -> Scene {
        Scene {
            action,
            store,
            arguments,
            chosen: Vec::new(),
            measured: Vec::new(),
            steps: None,
        }
    }
}

/// Makes obligations, in any theory of the staged song.
pub(super) type Asks<'a> = dyn Fn(&mut Theory) -> Result<Option<Asked>> + 'a;

/// `; for example where A(Node#0) is about to run, x = 0, pending: A(Node#0); …`, if a small configuration is found in
/// which obligation number `at` is false, with the word how the program gets there, or that it does not.
pub(super) fn told(known: &Known<'_>, asks: &Asks<'_>, at: usize, prover: &Prover<'_>) -> String {
    let song = &known.stage.staged.song;
    let looking = ExampleSearch {
        known,
        asks,
        at,
        prover,
    };
    let mut searched = Vec::new();
    for size in 1..=LARGEST {
        let mut search = Searched {
            states: 0,
            is_whole: song.consts.is_empty() && !is_program_cut(known.program),
        };
        for program in instances(known.program, size).iter().take(MOST_INSTANCES) {
            let instance = program.with_song(song.clone());
            let Some(reached) = looking.search(program) else {
                search.is_whole = false;
                continue;
            };
            if let Some((told, number)) = looking.there(&instance, &reached) {
                let (with, run) = (with(program), &reached.places[number].run);
                let run = told_run(program, run);
                return format!("; for example where {told}; the program{with} gets there {run}");
            }
            search.states += reached.states;
            search.is_whole &= reached.is_whole;
        }
        searched.push((size, search));
        if song.sorts.is_empty() {
            break;
        }
    }
    for (size, search) in searched {
        let Some(instance) = instances(song, size).into_iter().next() else {
            continue;
        };
        let Some((parts, _)) = looking.at_size(&instance, None) else {
            continue;
        };
        let with = match song.consts.is_empty() {
            true => with(&instance),
            false => String::new(),
        };
        let said = match search {
            Searched { is_whole: true, .. } => format!(
                "the program{with} gets to none in which it is false: an invariant may exclude this one"
            ),
            Searched { states: 0, .. } => "whether the program gets there is not known".to_owned(),
            Searched { states, .. } => format!(
                "the program{with} gets to none in which it is false, as far as {states} of its states tell"
            ),
        };
        return format!("; for example where {parts}; {said}");
    }
    String::new()
}

/// How much of a program was looked at.
struct Searched {
    states: usize,
    is_whole: bool,
}

/// ` with Node=2`.
fn with(instance: &Instance) -> String {
    let song = instance.song();
    let is_named = |name: &String| {
        song.sorts.iter().any(|sort| sort.name == *name)
            || song.consts.iter().any(|one| one.name == *name)
    };
    let sizes = instance.bound().into_iter();
    let sizes: Vec<String> = sizes
        .filter(|(name, _)| is_named(name))
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    match sizes.is_empty() {
        true => String::new(),
        false => format!(" with {}", sizes.join(", ")),
    }
}

/// One obligation that is not proved.
struct ExampleSearch<'a, 'k, 'p> {
    known: &'a Known<'k>,
    asks: &'a Asks<'a>,
    at: usize,
    prover: &'a Prover<'p>,
}

impl ExampleSearch<'_, '_, '_> {
    /// The configurations that the program gets to, with the action pending that the obligation is about.
    fn search(&self, program: &Instance) -> Option<Reached> {
        let mut theory = Theory::new(self.known.stage.staged.song.clone());
        let asked = (self.asks)(&mut theory).ok()??;
        Some(reached(
            program,
            self.known.stage.original(asked.scene.action),
        ))
    }

    /// One of these in which it is false, told, and its number.
    fn there(&self, instance: &Instance, search: &Reached) -> Option<(String, usize)> {
        let (told, number) = self.at_size(instance, Some(&search.places))?;
        Some((told, number?))
    }

    /// A configuration in which it is false, if wanted one of these, told, and its number among these. One in which there is
    /// a step rather than one in which there is none.
    fn at_size(
        &self,
        instance: &Instance,
        places: Option<&[Place]>,
    ) -> Option<(String, Option<usize>)> {
        let found = self.found(instance, places, true);
        found.or_else(|| self.found(instance, places, false))
    }

    fn found(
        &self,
        instance: &Instance,
        places: Option<&[Place]>,
        steps: bool,
    ) -> Option<(String, Option<usize>)> {
        let (known, stage) = (self.known, self.known.stage);
        let globals = &stage.actions().globals;
        let (mut action, mut chosen, mut measured) = (None, Vec::new(), Vec::new());
        let mut build = |theory: &mut Theory| {
            let Some(asked) = (self.asks)(theory)? else {
                return Ok(None);
            };
            let scene = asked.scene;
            action = Some(scene.action);
            let code = &stage.action(scene.action).code;
            let rows = code.locals.iter().zip(&scene.arguments);
            let mut shown: Vec<Shown> = rows.map(|(row, term)| seen(&row.ty, *term)).collect();
            for (number, row) in globals.iter().enumerate() {
                shown.push(seen(&row.ty, scene.store.globals[&GlobalId::from(number)]));
            }
            shown.extend(scene.chosen.iter().map(|(_, ty, term)| seen(ty, *term)));
            let Some(mut obligation) = asked.all.into_iter().nth(self.at) else {
                return Ok(None);
            };
            if steps {
                let Some(steps) = scene.steps else {
                    return Ok(None);
                };
                obligation.hypotheses.push(steps);
                for one in &scene.measured {
                    if let Before::Number(before) = one.before {
                        shown.push(seen(&Ty::Int, before));
                    }
                    shown.push(seen(&Ty::Int, one.after));
                }
                measured.clone_from(&scene.measured);
            }
            if let Some(places) = places {
                for at in 0..theory.song.consts.len() {
                    let id = ConstId::from(at);
                    let (ty, term) = (theory.song.consts[at].ty.clone(), theory.constant(id)?);
                    let is_it = has_value(theory, &ty, term, instance.constant(id))?;
                    obligation.hypotheses.push(is_it);
                }
                let mut number = theory.terms.int(-1);
                let mut ways = Vec::new();
                for (at, place) in places.iter().enumerate() {
                    if let Some(is_there) = self.is_there(theory, instance, &scene, place) {
                        let here = theory.terms.int(at as i64);
                        number = theory.terms.ite(is_there, here, number);
                        ways.push(is_there);
                    }
                }
                obligation.hypotheses.push(theory.terms.or(&ways));
                shown.push(seen(&Ty::Int, number));
            }
            chosen = scene.chosen;
            Ok(Some(Doubt { obligation, shown }))
        };
        let (solvers, cancel) = (self.prover.solvers, self.prover.cancel);
        let values = example(instance, &mut build, RESOURCES, solvers, cancel).ok()??;
        let action = action?;
        let (arguments, stores) = values.split_at(stage.action(action).code.arity);
        let (stores, rest) = stores.split_at(globals.len());
        let (choices, numbers) = rest.split_at(chosen.len());
        let mut parts = vec![format!(
            "{} is about to run",
            told_async(known, instance, action, arguments)?
        )];
        let (mut pending, mut counts) = (Vec::new(), BTreeMap::new());
        for (number, (row, value)) in globals.iter().zip(stores).enumerate() {
            let id = GlobalId::from(number);
            match (self.counted(id), value) {
                (Some(action), Some(value)) => {
                    counts.insert(action, total(value));
                    instances_of(
                        known,
                        instance,
                        action,
                        value,
                        &mut Vec::new(),
                        &mut pending,
                    );
                }
                (None, Some(value)) => {
                    parts.extend(told_global(instance, row, value));
                }
                _ => {}
            }
        }
        for ((name, ty, _), value) in chosen.iter().zip(choices) {
            if let Some(value) = value {
                parts.push(format!("{name} = {}", show(instance, value, ty)));
            }
        }
        parts.push(format!("pending: {}", pending.join(", ")));
        let number = match (places, values.last()) {
            (Some(_), Some(Some(Value::Int(number)))) => usize::try_from(*number).ok(),
            _ => None,
        };
        let measures = told_measures(&measured, numbers, &counts);
        Some((parts.join(", ") + &measures, number))
    }

    /// The action whose asyncs a variable counts.
    fn counted(&self, id: GlobalId) -> Option<ActionId> {
        let bags = &self.known.stage.bags;
        let mut all = bags.actions().into_iter();
        all.find(|one| bags.of(*one).is_some_and(|(of, _)| of == id))
    }

    /// That a scene is at a place; `None` if that cannot be said within bounds.
    fn is_there(
        &self,
        theory: &mut Theory,
        instance: &Instance,
        scene: &Scene,
        place: &Place,
    ) -> Option<Term> {
        let stage = self.known.stage;
        let code = &stage.action(scene.action).code;
        let mut same = Vec::new();
        let rows = code.locals.iter().zip(&scene.arguments);
        for ((row, term), value) in rows.zip(&place.arguments) {
            same.push(has_value(theory, &row.ty, *term, value).ok()?);
        }
        for (number, row) in stage.actions().globals.iter().enumerate() {
            let id = GlobalId::from(number);
            let value = match self.counted(id) {
                Some(action) => {
                    let all = place.pending.iter().filter(|(other, _)| *other == action);
                    let all: Vec<&[Value]> = all.map(|(_, values)| &values[..]).collect();
                    count_of(instance, &row.ty, &all, 0)?
                }
                None => place.globals.get(number)?.clone(),
            };
            same.push(has_value(theory, &row.ty, scene.store.globals[&id], &value).ok()?);
        }
        Some(theory.terms.and(&same))
    }
}

/// `; what should decrease: 2 * n is 4 before and 6 after`.
fn told_measures(
    measured: &[Measured],
    numbers: &[Option<Value>],
    counts: &BTreeMap<ActionId, i64>,
) -> String {
    let mut numbers = numbers.iter();
    let mut number = || match numbers.next() {
        Some(Some(Value::Int(number))) => Some(*number),
        _ => None,
    };
    let mut all = Vec::new();
    for one in measured {
        let (before, after) = match &one.before {
            Before::Number(_) => (number(), number()),
            Before::Asyncs(members) => {
                let known = members.iter().map(|member| counts.get(member).copied());
                let before = known.sum::<Option<i64>>();
                (
                    before,
                    before.zip(number()).map(|(count, more)| count + more),
                )
            }
        };
        if let (Some(before), Some(after)) = (before, after) {
            let told = &one.told;
            all.push(format!("{told}, {before} before and {after} after"));
        }
    }
    match all.is_empty() {
        true => String::new(),
        false => format!("; what should decrease: {}", all.join("; then ")),
    }
}

/// How many asyncs a variable counts.
fn total(counts: &Value) -> i64 {
    match counts {
        Value::Map(rows) => rows.iter().map(|(_, counts)| total(counts)).sum(),
        Value::Int(count) => *count,
        _ => 0,
    }
}

/// How many of these there are, by their arguments from `depth` on; `None` if one of them is beyond the bounds.
fn count_of(instance: &Instance, ty: &Ty, all: &[&[Value]], depth: usize) -> Option<Value> {
    let Ty::Map(key, held) = ty else {
        return Some(Value::Int(all.len() as i64));
    };
    let keys = instance.candidates(key).ok()?;
    if all.iter().any(|one| !keys.contains(&one[depth])) {
        return None;
    }
    let entries = keys.into_iter().map(|key| {
        let own: Vec<&[Value]> = all
            .iter()
            .copied()
            .filter(|one| one[depth] == key)
            .collect();
        let count = count_of(instance, held, &own, depth + 1)?;
        Some((key, count))
    });
    entries
        .collect::<Option<Vec<_>>>()
        .map(|rows| Value::Map(rows.into()))
}

fn seen(ty: &Ty, term: Term) -> Shown {
    Shown {
        ty: ty.clone(),
        term,
    }
}

fn told_async(
    known: &Known<'_>,
    instance: &Instance,
    action: ActionId,
    arguments: &[Option<Value>],
) -> Option<String> {
    let action = known.stage.action(action);
    let values = arguments.iter().cloned().collect::<Option<Vec<Value>>>()?;
    Some(in_words(instance, action, &values))
}

/// The asyncs that a variable counts, as the user knows them.
fn instances_of(
    known: &Known<'_>,
    instance: &Instance,
    action: ActionId,
    counts: &Value,
    keys: &mut Vec<Option<Value>>,
    found: &mut Vec<String>,
) {
    match counts {
        Value::Map(rows) => {
            for (key, counts) in rows.iter() {
                keys.push(Some(key.clone()));
                instances_of(known, instance, action, counts, keys, found);
                keys.pop();
            }
        }
        Value::Int(0) => {}
        Value::Int(count) => {
            let told = told_async(known, instance, action, keys).unwrap_or_default();
            found.push(match count {
                1 => told,
                _ => format!("{count} times {told}"),
            });
        }
        _ => {}
    }
}
