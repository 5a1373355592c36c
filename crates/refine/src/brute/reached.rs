//! Is a state in which a condition is false ever reached?
//!
//! A mover must move wherever its gate holds, so such a state refutes it either way. But what to do about it
//! depends: if the program gets there, its declaration is wrong; if it does not, a gate may say so. The program of the
//! actions' first common layer is run at the size of the state, up to a bound, and the condition is looked at in each state where
//! both actions are next, each with its arguments: what goes wrong where the program gets to is shown rather than what does elsewhere.

use super::{Scene, Wrong, action, is_linear, wrong_in};
use crate::compare::instances;
use crate::layer_program::extract;
use crate::linear_permissions::common_layers;
use crate::movers::{Condition, Need};
use crate::read_write_sets::Footprint;
use plainsong_ir::{Song, SortDecl};
use plainsong_semantics::atomic::Atoms;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::threads::{Next, State, Threads};
use plainsong_semantics::trace::FailureKind;
use plainsong_semantics::value::Value;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The most states that are looked at.
const MOST: usize = 3_000;

/// A state that the program gets to, in which a condition is false, and what is to be said about it. Where there is none,
/// what is to be said about another; nothing if the program cannot be run.
pub(super) struct Reached {
    pub(super) there: Option<(Scene, Wrong)>,
    pub(super) said: Option<String>,
}

/// Looks for a state that the program gets to, with sorts of so many members, in which the condition is false as it is in
/// the scene.
pub(super) fn reached(atoms: &Atoms, size: i64, need: &Need, scene: &Scene) -> Reached {
    searched(atoms, size, need, scene).unwrap_or(Reached {
        there: None,
        said: None,
    })
}

fn searched(atoms: &Atoms, size: i64, need: &Need, scene: &Scene) -> Option<Reached> {
    let song = atoms.instance().song();
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
    let pairs = Pairs::new(song, &program, need, scene)?;
    let wanted = pairs.wanted();
    let sizes: Vec<String> = song
        .sorts
        .iter()
        .filter(|sort| sort.is_sized())
        .map(|sort: &SortDecl| format!("{}={size}", sort.name))
        .collect();
    let with = match sizes.is_empty() {
        true => String::new(),
        false => format!(" with {}", sizes.join(", ")),
    };
    let said = |text: String| {
        Some(Reached {
            there: None,
            said: Some(text),
        })
    };
    let (mut found, mut has_values) = (None, false);
    let mut is_there = |state: &State| {
        has_values |= has(state, &wanted);
        found = pairs.of(state).into_iter().find_map(|scene| {
            let wrong = is_linear(atoms.instance().song(), need, &scene)
                .then(|| wrong_in(atoms, need, &scene));
            Some((scene, wrong??))
        });
        found.is_some()
    };
    let instance = atoms.instance().with_song(program);
    let result = search(&instance, &mut is_there, MOST)?;
    if found.is_some() {
        let said = Some(format!("reachable: {name} gets there{with}"));
        return Some(Reached { there: found, said });
    }
    if matches!(result, SearchOutcome::GaveUp) {
        return said(format!(
            "reachable or not is not known: {name}{with} does not get there in {MOST} states"
        ));
    }
    if has_values {
        let next = match pairs.is_alone {
            true => "the step is",
            false => "both steps are",
        };
        return said(format!(
            "{name} has these values{with}, but never where {next} next"
        ));
    }
    said(format!(
        "not reachable: {name}{with} does not get there; a gate that excludes it would do"
    ))
}

/// Where two actions are next in a state of the program.
struct Pairs<'a> {
    scene: &'a Scene,
    /// The variables of both, by position in the song and in the program.
    globals: Vec<(usize, usize)>,
    /// By position in the program.
    first: usize,
    second: usize,
    /// Is the condition about one action by itself?
    is_alone: bool,
}

impl<'a> Pairs<'a> {
    /// `None` if an action or a variable that one touches is not in the program.
    fn new(song: &Song, program: &Song, need: &Need, scene: &'a Scene) -> Option<Pairs<'a>> {
        let (actions, there) = (song.actions()?, program.actions()?);
        let find = |id| {
            let name = &action(actions, id).name;
            let mut others = there.actions.iter();
            others.position(|other| other.name == *name)
        };
        let mut globals = Vec::new();
        for id in [need.first, need.second]
            .iter()
            .flat_map(|id| Footprint::of(action(actions, *id)).all())
        {
            let name = &actions.globals[id.index()].name;
            let at = there.globals.iter().position(|other| other.name == *name)?;
            globals.push((id.index(), at));
        }
        let alone = [Condition::Nonblocking, Condition::AsyncFree];
        Some(Pairs {
            scene,
            globals,
            first: find(need.first)?,
            second: find(need.second)?,
            is_alone: alone.contains(&need.condition),
        })
    }

    /// Which variables of the program have which values in the scene.
    fn wanted(&self) -> Vec<(usize, Value)> {
        let globals = self.globals.iter();
        globals
            .map(|(own, at)| (*at, self.scene.globals[*own].clone()))
            .collect()
    }

    /// The scenes of a state: both actions are next, in different threads.
    fn of(&self, state: &State) -> Vec<Scene> {
        let next = state.next_actions();
        let mut globals = self.scene.globals.clone();
        for (own, at) in &self.globals {
            globals[*own] = state.globals[*at].clone();
        }
        let mut all = Vec::new();
        for (one, (first, arguments)) in next.iter().enumerate() {
            for (two, (second, others)) in next.iter().enumerate() {
                let are_two = match self.is_alone {
                    true => one == two,
                    false => one != two,
                };
                if are_two && first.index() == self.first && second.index() == self.second {
                    all.push(Scene {
                        globals: globals.clone(),
                        first: arguments.to_vec(),
                        second: others.to_vec(),
                    });
                }
            }
        }
        all
    }
}

/// Does a state have these values?
fn has(state: &State, wanted: &[(usize, Value)]) -> bool {
    let mut wanted = wanted.iter();
    wanted.all(|(at, value)| state.globals[*at] == *value)
}

/// Does the program of a layer ever have these values of its globals, by name, in the first instance of this size? `None` if
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
    if wanted.is_empty() {
        return None;
    }
    // The values are those of the first instance: in another one the parameters are others.
    let instance = instances(&program, size).into_iter().next()?;
    match search(&instance, &mut |state| has(state, &wanted), MOST)? {
        SearchOutcome::Found => are_all.then_some(true),
        SearchOutcome::GaveUp => None,
        SearchOutcome::Nowhere => Some(false),
    }
}

enum SearchOutcome {
    Found,
    Nowhere,
    GaveUp,
}

/// Looks for a state of a program; `None` if it cannot be run.
fn search(
    instance: &Instance,
    is_wanted: &mut dyn FnMut(&State) -> bool,
    most: usize,
) -> Option<SearchOutcome> {
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
            return Some(SearchOutcome::Found);
        }
        if seen.0 > most {
            return Some(SearchOutcome::GaveUp);
        }
        seen = take(threads.steps(&state), &mut open);
    }
    Some(match seen.1 {
        true => SearchOutcome::GaveUp,
        false => SearchOutcome::Nowhere,
    })
}
