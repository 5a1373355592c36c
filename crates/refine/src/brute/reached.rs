//! Is a state in which a condition is false ever reached?
//!
//! A mover must move wherever its gate holds, so such a state refutes it either way. But what to do about it
//! depends: if the program gets there, its declaration is wrong; if it does not, a gate may say so. The program of the
//! actions' first common layer is run at the size of the state, up to a bound, and the values of what the two
//! actions touch are looked for, in states where both actions are next, each with its arguments.

use super::{Scene, action};
use crate::compare::instances;
use crate::extract::extract;
use crate::footprint::Footprint;
use crate::movers::Need;
use crate::permissions::common_layers;
use plainsong_ir::{ActionId, Song, SortDecl};
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
    let both = both_next(song, &program, need, scene)?;
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
    let (mut looked_at, mut has_values) = (0, false);
    for instance in instances(&program, size) {
        let mut is_there = |state: &State| {
            let is_equal = has(state, &wanted);
            has_values |= is_equal;
            is_equal && both(state)
        };
        match search(&instance, &mut is_there, MOST.checked_sub(looked_at)?)? {
            Search::Found => return Some(format!("reachable: {name} gets there{with}")),
            Search::GaveUp => {
                return Some(format!(
                    "reachable or not is not known: {name}{with} does not get there in {MOST} states"
                ));
            }
            Search::Nowhere(states) => looked_at += states,
        }
    }
    if has_values {
        return Some(format!(
            "{name} has these values{with}, but never where both steps are next"
        ));
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

/// Are both actions next, each with its arguments? `None` if one is not in the program.
fn both_next<'a>(
    song: &Song,
    program: &Song,
    need: &Need,
    scene: &'a Scene,
) -> Option<impl Fn(&State) -> bool + use<'a>> {
    let (actions, others) = (song.actions()?, &program.actions()?.actions);
    let find = |id| {
        let name = &action(actions, id).name;
        others.iter().position(|other| other.name == *name)
    };
    let (first, second) = (find(need.first)?, find(need.second)?);
    Some(move |state: &State| {
        let next = state.next_actions();
        let is_first = |&(id, values): &(ActionId, &[Value])| {
            id.index() == first && *values == scene.first[..]
        };
        let is_second = |&(id, values): &(ActionId, &[Value])| {
            id.index() == second && *values == scene.second[..]
        };
        let firsts = next.iter().filter(|one| is_first(one)).count();
        let seconds = next.iter().filter(|one| is_second(one)).count();
        let is_same = first == second && scene.first == scene.second;
        firsts > usize::from(is_same) && seconds > 0
    })
}

/// Does a state have these values?
fn has(state: &State, wanted: &[(usize, Value)]) -> bool {
    let mut wanted = wanted.iter();
    wanted.all(|(at, value)| state.globals[*at] == *value)
}

/// Does the program of a layer ever have these values of its globals, by name, in an instance of this size? `None` if
/// that is not known: it may be wherever its threads are, and variables of proofs are not in it.
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
    let are_all = wanted.len() == values.len();
    for instance in instances(&program, size) {
        match search(&instance, &mut |state| has(state, &wanted), MOST)? {
            Search::Found => return are_all.then_some(true),
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

/// Looks for a state of a program; `None` if it cannot be run.
fn search(
    instance: &Instance,
    is_wanted: &mut dyn FnMut(&State) -> bool,
    most: usize,
) -> Option<Search> {
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
        if is_wanted(&state) {
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
