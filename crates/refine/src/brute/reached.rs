//! Is a state in which a condition is false ever reached?
//!
//! A mover must move wherever its gate holds, so such a state refutes it either way. But what to do about it
//! depends: if the program gets there, its declaration is wrong; if it does not, a gate may say so. The program of the
//! actions' first common layer is run at the size of the state, up to a bound, and the values of what the two
//! actions touch are looked for. What the threads are about to do there is not compared.

use super::{Scene, action};
use crate::compare::instances;
use crate::extract::extract;
use crate::footprint::Footprint;
use crate::movers::Need;
use crate::permissions::common_layers;
use plainsong_ir::{Song, SortDecl};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::threads::{Next, State, Threads};
use plainsong_semantics::trace::FailureKind;
use plainsong_semantics::value::Value;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The most states that are looked at.
const MOST: usize = 3_000;

/// What is to be said about a scene, found with sorts of so many members; `None` if the program cannot be run.
pub(super) fn reached(song: &Arc<Song>, size: i64, need: &Need, scene: &Scene) -> Option<String> {
    let actions = song.actions()?;
    actions.init.as_ref()?;
    let pair = [need.first, need.second];
    let layer = *common_layers(actions, &pair).start();
    let (program, name) = match actions.is_layered() {
        true => (
            Arc::new(extract(song, layer)),
            format!("the program of layer {layer}"),
        ),
        false => (song.clone(), "the program".to_owned()),
    };
    let wanted = wanted(song, &program, need, scene)?;
    let sizes: Vec<String> = song
        .sorts
        .iter()
        .filter(|sort| super::is_sized(sort))
        .map(|sort: &SortDecl| format!("{}={size}", sort.name))
        .collect();
    let with = match sizes.is_empty() {
        true => String::new(),
        false => format!(" with {}", sizes.join(", ")),
    };
    let mut looked_at = 0;
    for instance in instances(&program, size) {
        match search(&instance, &wanted, MOST.checked_sub(looked_at)?)? {
            Search::Found => return Some(format!("reachable: {name} gets there{with}")),
            Search::GaveUp => {
                return Some(format!(
                    "reachable or not is not known: {name}{with} does not get there in {MOST} states"
                ));
            }
            Search::Nowhere(states) => looked_at += states,
        }
    }
    Some(format!(
        "not reachable: {name}{with} does not get there; a gate that excludes it would do"
    ))
}

/// Which variables of the program are to have which values; `None` if one is missing there.
fn wanted(song: &Song, program: &Song, need: &Need, scene: &Scene) -> Option<Vec<(usize, Value)>> {
    let (actions, globals) = (song.actions()?, &program.actions()?.globals);
    let touched = [need.first, need.second].map(|id| Footprint::of(action(actions, id)).all());
    let mut wanted = Vec::new();
    for id in touched.iter().flatten() {
        let row = &actions.globals[id.index()];
        let at = globals.iter().position(|other| other.name == row.name)?;
        wanted.push((at, scene.globals[id.index()].clone()));
    }
    Some(wanted)
}

/// Does the program of a layer get to these values of its globals, by name, in an instance of this size? `None` if
/// that is not known.
pub(crate) fn gets_to(
    song: &Arc<Song>,
    layer: u32,
    size: i64,
    values: &[(String, Value)],
) -> Option<bool> {
    song.actions()?.init.as_ref()?;
    let program = Arc::new(extract(song, layer));
    let globals = &program.actions()?.globals;
    let wanted = values.iter().filter_map(|(name, value)| {
        let at = globals.iter().position(|one| one.name == *name)?;
        Some((at, value.clone()))
    });
    let wanted: Vec<(usize, Value)> = wanted.collect();
    for instance in instances(&program, size) {
        match search(&instance, &wanted, MOST)? {
            Search::Found => return Some(true),
            Search::GaveUp => return None,
            Search::Nowhere(_) => {}
        }
    }
    Some(false)
}

enum Search {
    Found,
    Nowhere(usize),
    GaveUp,
}

/// Looks for values among the states of a program; `None` if it cannot be run.
fn search(instance: &Instance, wanted: &[(usize, Value)], most: usize) -> Option<Search> {
    let threads = Threads::new(instance);
    let mut known: FxHashSet<State> = FxHashSet::default();
    let mut open: Vec<State> = Vec::new();
    let mut cut = false;
    let mut take = |next: Vec<Next>, open: &mut Vec<State>| {
        for one in next {
            match one {
                Next::Failed(failure) => cut |= failure.kind == FailureKind::Resource,
                Next::State(state) => {
                    if known.insert(state.clone()) {
                        open.push(state);
                    }
                }
            }
        }
        (known.len(), cut)
    };
    let mut seen = (0, false);
    for store in threads.stores().ok()? {
        seen = take(threads.begin(&store), &mut open);
    }
    while let Some(state) = open.pop() {
        if wanted
            .iter()
            .all(|(at, value)| state.globals[*at] == *value)
        {
            return Some(Search::Found);
        }
        if seen.0 > most {
            return Some(Search::GaveUp);
        }
        seen = take(threads.steps(&state), &mut open);
    }
    Some(match seen.1 {
        true => Search::GaveUp,
        false => Search::Nowhere(seen.0),
    })
}
