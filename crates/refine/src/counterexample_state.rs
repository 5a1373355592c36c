//! Counterexample states: an open obligation of a procedure with a small state in which it is false.
//!
//! The state is found by the solver in an instance in which all is written out ([`plainsong_prove::bounded`]): values of
//! parameters and locals, and of the globals after the last yield and now, those of the start if that is possible. It is an
//! example for people. Whether the globals ever have their values after the last yield is looked up by running the program
//! of the layer. That says nothing about the parameters and locals of the example, and the sentence says so.

use crate::answer::Prover;
use crate::brute::gets_to;
use crate::compare::instances;
use crate::procedures::{Scene, doubt};
use plainsong_ir::{ProcedureId, Song, StartValue};
use plainsong_prove::bounded::{Doubt, Shown, example};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::show::show;
use plainsong_semantics::value::Value;
use std::sync::Arc;

/// What one example may cost, in the solver's units.
const RESOURCES: u64 = 2_000_000;
/// The largest size of sorts.
const LARGEST: i64 = 2;

/// Which obligation: the procedure, its layer, the sentence and its number among those with this sentence.
pub(crate) struct Which<'a> {
    pub(crate) procedure: ProcedureId,
    pub(crate) layer: u32,
    pub(crate) sentence: &'a str,
    pub(crate) number: usize,
}

/// A sentence about a state in which an obligation is false, if a small one is found.
pub(crate) fn told(song: &Arc<Song>, which: &Which<'_>, prover: &Prover<'_>) -> Option<String> {
    // What is wrong at the start is not wrong because of a state that nobody gets to.
    for at_the_start in [true, false] {
        for size in 1..=LARGEST {
            let instance = instances(song, size).into_iter().next()?;
            if let Some((scene, values)) = found(&instance, which, at_the_start, prover) {
                return Some(tell(song, &instance, size, which, &scene, &values));
            }
            if song.sorts.is_empty() {
                break;
            }
        }
    }
    None
}

fn found(
    instance: &Instance,
    which: &Which<'_>,
    at_the_start: bool,
    prover: &Prover<'_>,
) -> Option<(Scene, Vec<Option<Value>>)> {
    let mut scene = Scene::default();
    let mut build = |theory: &mut plainsong_prove::theory::Theory| {
        let place = (which.sentence, which.number);
        let Some((mut obligation, seen)) = doubt(theory, which.procedure, which.layer, place)?
        else {
            return Ok(None);
        };
        let song = theory.song.clone();
        let globals = song.actions().map_or(&[][..], |actions| &actions.globals);
        let mut shown: Vec<Shown> = Vec::new();
        for (_, ty, term) in &seen.locals {
            let ty = ty.clone();
            shown.push(Shown { ty, term: *term });
        }
        for (id, terms) in &seen.globals {
            let row = &globals[id.index()];
            for term in terms {
                let ty = row.ty.clone();
                shown.push(Shown { ty, term: *term });
            }
            if let (StartValue::Value(value), true) = (&row.start, at_the_start) {
                let value = theory.closed(value)?;
                let same = theory.equal(&row.ty, terms[0], value);
                obligation.hypotheses.push(same);
            }
        }
        scene = seen;
        Ok(Some(Doubt { obligation, shown }))
    };
    let (solvers, cancel) = (prover.solvers, prover.cancel);
    let values = example(instance, &mut build, RESOURCES, solvers, cancel).ok()??;
    Some((scene, values))
}

/// `for example where t = Tid#0, x = 0, and then x = 1; in some run of the program of layer 1 the globals have these
/// values; …`.
fn tell(
    song: &Arc<Song>,
    instance: &Instance,
    size: i64,
    which: &Which<'_>,
    scene: &Scene,
    values: &[Option<Value>],
) -> String {
    let globals = song.actions().map_or(&[][..], |actions| &actions.globals);
    let (locals, stores) = values.split_at(scene.locals.len());
    let (mut before, mut after, mut wanted) = (Vec::new(), Vec::new(), Vec::new());
    for ((name, ty, _), value) in scene.locals.iter().zip(locals) {
        if let Some(value) = value {
            before.push(format!("{name} = {}", show(instance, value, ty)));
        }
    }
    for ((id, _), pair) in scene.globals.iter().zip(stores.chunks(2)) {
        let row = &globals[id.index()];
        if let [Some(old), Some(new)] = pair {
            before.push(format!("{} = {}", row.name, show(instance, old, &row.ty)));
            wanted.push((row.name.clone(), old.clone()));
            if old != new {
                after.push(format!("{} = {}", row.name, show(instance, new, &row.ty)));
            }
        }
    }
    let then = match after.is_empty() {
        true => String::new(),
        false => format!(", and then {}", after.join(", ")),
    };
    let procedures = song
        .actions()
        .map_or(&[][..], |actions| &actions.procedures);
    let name = &procedures[which.procedure.index()].name;
    let reached = match gets_to(song, which.layer, size, &wanted) {
        Some(true) => format!(
            "; in some run of the program of layer {} the globals have these values; whether `{name}` is ever here with \
             these parameters and locals was not looked at",
            which.layer
        ),
        Some(false) => format!(
            "; in no run of the program of layer {} do the globals have these values at this size: an invariant may \
             exclude them",
            which.layer
        ),
        None => String::new(),
    };
    format!("for example where {}{then}{reached}", before.join(", "))
}
