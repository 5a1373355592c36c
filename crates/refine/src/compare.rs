//! Two layers compared by brute force: everything that the lower one does, the upper one does.
//!
//! Statement. From each start that both know: if the upper program cannot fail, the lower one cannot, and
//! every end of the lower one, as far as both see it, is an end of the upper one.
//!
//! All states of a small instance are visited through the interpreter of threads, so this refutes and never
//! proves. Of the lower program some states are enough to refute; of the upper one all are needed.

use crate::answer::Refutation;
use crate::cut::is_program_cut;
use crate::layer_program::extract;
use crate::retrace::{Goal, run};
use plainsong_diagnostics::Span;
use plainsong_ir::Song;
use plainsong_semantics::changes::{How, differences};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::show::show;
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_semantics::threads::{Next, State, Threads};
use plainsong_semantics::trace::FailureKind;
use plainsong_semantics::value::Value;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// The most states of a program in which threads are started without end: they get larger and larger.
const FEW: usize = 500;

/// How much is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    /// So many states of a program.
    pub states: usize,
    /// So many of one in which threads are started without end.
    pub endless: usize,
    /// So many calls that wait for each other, or that follow without a step; else as many as the interpreter allows, and of
    /// the upper program all. A call of the lower program is one of the upper one, or an action there, or gone.
    pub calls: Option<usize>,
}

impl Most {
    fn of(states: usize) -> Most {
        Most {
            states,
            endless: FEW.min(states),
            calls: None,
        }
    }
}

/// What a program does from one start, as far as two programs see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Behaviour {
    /// Why it may fail, if it may.
    pub failure: Option<String>,
    /// Where it may fail, in the text.
    pub failing: BTreeSet<Span>,
    /// The globals in which everything may come to its end.
    pub ends: BTreeSet<Vec<Value>>,
}

/// From each start, what may happen.
pub type Behaviours = BTreeMap<Vec<Value>, Behaviour>;

/// What was found when two layers were compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compared {
    /// The upper one does all that the lower one does.
    Included,
    /// It does not.
    Differs(Refutation),
    /// Too much to look at.
    GaveUp,
}

/// How far two layers were compared at some sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All runs of the lower one.
    Whole,
    /// All runs of the lower one in which no more calls wait for each other, or follow without a step, than was asked for, and
    /// no more threads are started between two calls than the interpreter allows.
    Shallow,
    /// Of these, or of all, those of up to so many steps.
    Steps(usize),
    /// One of them is not one of the upper one.
    Differs(Refutation),
    /// None: the upper one is too much to look at.
    Nothing,
}

/// Compares layer `lower` with the one above it, at sizes up to `largest`.
pub fn compare(song: &Arc<Song>, lower: u32, largest: i64, most: usize) -> Compared {
    compare_with(song, lower, lower + 1, largest, most)
}

/// Compares layer `lower` with any one above it.
pub fn compare_with(
    song: &Arc<Song>,
    lower: u32,
    upper: u32,
    largest: i64,
    most: usize,
) -> Compared {
    let (below, above) = (extract(song, lower), extract(song, upper));
    let (below, above) = (Arc::new(below), Arc::new(above));
    if is_program_cut(&above) {
        return Compared::GaveUp;
    }
    let shared = shared(&below, &above);
    let mut gave_up = false;
    for size in 1..=largest {
        let pairs = [instances(&below, size), instances(&above, size)];
        gave_up |= pairs[0].is_empty();
        let [lower_ones, upper_ones] = pairs;
        for (low, high) in lower_ones.iter().zip(&upper_ones) {
            match pair([low, high], &shared, [lower, upper], Most::of(most)) {
                Extent::Whole => {}
                Extent::Shallow | Extent::Steps(_) | Extent::Nothing => gave_up = true,
                Extent::Differs(refutation) => return Compared::Differs(refutation),
            }
        }
        if song.sorts.is_empty() {
            break;
        }
    }
    match gave_up {
        true => Compared::GaveUp,
        false => Compared::Included,
    }
}

/// Compares layer `lower` with any one above it at given sizes, as far as is asked for. Where numbers are chosen from all
/// there are, the bounds of the upper one should allow for all that the lower one makes of its own.
pub fn compare_at(
    song: &Arc<Song>,
    [lower, upper]: [u32; 2],
    sizes: &Sizes,
    bounds: [&Bounds; 2],
    most: Most,
) -> Extent {
    let (below, above) = (extract(song, lower), extract(song, upper));
    let (below, above) = (Arc::new(below), Arc::new(above));
    let shared = shared(&below, &above);
    let all =
        |song: &Arc<Song>, bounds| Instance::all(song.clone(), sizes, bounds).unwrap_or_default();
    let (lower_ones, upper_ones) = (all(&below, bounds[0]), all(&above, bounds[1]));
    let mut extent = match lower_ones.is_empty() {
        true => Extent::Nothing,
        false => Extent::Whole,
    };
    for (low, high) in lower_ones.iter().zip(&upper_ones) {
        extent = match (extent, pair([low, high], &shared, [lower, upper], most)) {
            (_, Extent::Differs(refutation)) => return Extent::Differs(refutation),
            (Extent::Nothing, _) | (_, Extent::Nothing) => Extent::Nothing,
            (Extent::Steps(one), Extent::Steps(other)) => Extent::Steps(one.min(other)),
            (Extent::Steps(one), _) | (_, Extent::Steps(one)) => Extent::Steps(one),
            (Extent::Shallow, _) | (_, Extent::Shallow) => Extent::Shallow,
            (Extent::Whole, other) => other,
            (one @ Extent::Differs(_), _) => one,
        };
    }
    extent
}

/// Compares an instance of a layer with one of a layer above.
fn pair(
    [low, high]: [&Instance; 2],
    shared: &[(usize, usize)],
    layers: [u32; 2],
    most: Most,
) -> Extent {
    let pick = |at: fn(&(usize, usize)) -> usize| shared.iter().map(at).collect::<Vec<_>>();
    let upper = begun_within(high, &pick(|one| one.1), most);
    let Some(upper) = upper.filter(|one| one.is_enough(most)) else {
        return Extent::Nothing;
    };
    let Some(lower) = begun_within(low, &pick(|one| one.0), most) else {
        return Extent::Nothing;
    };
    match difference(low, shared, layers, &lower.behaviours, &upper.behaviours) {
        Some(refutation) => Extent::Differs(refutation),
        None => match lower.steps {
            Some(steps) => Extent::Steps(steps),
            None if lower.is_shallow => Extent::Shallow,
            None => Extent::Whole,
        },
    }
}

/// The globals of both, by position in each.
fn shared(below: &Song, above: &Song) -> Vec<(usize, usize)> {
    let globals = |song: &Song| -> Vec<String> {
        let all = song.actions().map_or(&[][..], |actions| &actions.globals);
        all.iter().map(|one| one.name.clone()).collect()
    };
    let above = globals(above);
    let below = globals(below).into_iter().enumerate();
    below
        .filter_map(|(at, name)| Some((at, above.iter().position(|other| *other == name)?)))
        .collect()
}

pub(crate) fn instances(song: &Arc<Song>, size: i64) -> Vec<Instance> {
    let mut sizes = Sizes::new();
    for sort in song.sorts.iter().filter(|sort| sort.is_sized()) {
        sizes = sizes.with(sort.name.clone(), size);
    }
    let bounds = Bounds {
        int: (-1, 2),
        nat: 2,
        length: 2,
        ..Bounds::default()
    };
    Instance::all(song.clone(), &sizes, &bounds).unwrap_or_default()
}

/// What a program does from each start; `None` when that is too much to look at.
pub fn behaviours(instance: &Instance, seen: &[usize], most: usize) -> Option<Behaviours> {
    let (all, is_whole) = begun(instance, seen, most)?;
    is_whole.then_some(all)
}

/// What a program does in its first states from each start, and whether these are all; `None` when it cannot be run.
pub(crate) fn begun(
    instance: &Instance,
    seen: &[usize],
    most: usize,
) -> Option<(Behaviours, bool)> {
    let begun = begun_within(instance, seen, Most::of(most))?;
    let is_whole = !begun.is_shallow && begun.steps.is_none();
    Some((begun.behaviours, is_whole))
}

/// What a program does as far as it was looked at.
struct Begun {
    behaviours: Behaviours,
    /// Were there more calls than was asked for?
    is_shallow: bool,
    /// The number of steps up to which all other runs are there, if there were too many states.
    steps: Option<usize>,
}

impl Begun {
    /// Is it all that the upper one of two programs is asked for?
    fn is_enough(&self, most: Most) -> bool {
        self.steps.is_none() && (!self.is_shallow || most.calls.is_some())
    }
}

fn begun_within(instance: &Instance, seen: &[usize], most: Most) -> Option<Begun> {
    let threads = Threads::new(instance);
    let threads = match most.calls {
        Some(calls) => threads.no_deeper_than(calls),
        None => threads,
    };
    let view =
        |globals: &[Value]| -> Vec<Value> { seen.iter().map(|at| globals[*at].clone()).collect() };
    let (mut all, mut is_shallow, mut within) = (Behaviours::new(), false, None::<usize>);
    for store in threads.stores().ok()? {
        let behaviour = all.entry(view(&store)).or_default();
        let mut known: FxHashSet<State> = FxHashSet::default();
        let mut open: VecDeque<(usize, State)> = VecDeque::new();
        let mut next = threads.begin(&store);
        // States are visited by the number of steps that lead there: what two steps less lead to was looked at.
        let (mut at_most, mut steps, mut reached) = (most.states, 0_usize, None);
        loop {
            for one in next {
                match one {
                    Next::Failed(failure) if failure.kind == FailureKind::Resource => {
                        is_shallow = true;
                        at_most = at_most.min(most.endless);
                    }
                    Next::Failed(failure) => {
                        behaviour.failing.insert(failure.span);
                        behaviour.failure.get_or_insert(failure.message);
                    }
                    Next::State(state) if known.contains(&state) => {}
                    Next::State(_) if known.len() >= at_most => {
                        reached.get_or_insert(steps.saturating_sub(2));
                    }
                    Next::State(state) => {
                        known.insert(state.clone());
                        open.push_back((steps, state));
                    }
                }
            }
            let Some((at, state)) = open.pop_front() else {
                break;
            };
            if known.len() >= at_most && (is_shallow || reached.is_some()) {
                reached.get_or_insert(steps.saturating_sub(2));
                break;
            }
            if state.is_final() {
                behaviour.ends.insert(view(&state.globals));
            }
            next = threads.steps(&state);
            steps = at + 1;
        }
        within = match (within, reached) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }
    Some(Begun {
        behaviours: all,
        is_shallow,
        steps: within,
    })
}

fn difference(
    instance: &Instance,
    shared: &[(usize, usize)],
    [layer, above]: [u32; 2],
    lower: &Behaviours,
    upper: &Behaviours,
) -> Option<Refutation> {
    let song = instance.song();
    let globals = song.actions().map_or(&[][..], |actions| &actions.globals);
    let rows = |values: &[Value]| -> Vec<(String, String)> {
        let rows = shared.iter().zip(values);
        let rows = rows.map(|((at, _), value)| {
            let row = &globals[*at];
            (row.name.clone(), show(instance, value, &row.ty))
        });
        rows.collect()
    };
    for (start, low) in lower {
        let Some(high) = upper.get(start) else {
            continue;
        };
        if high.failure.is_some() {
            continue;
        }
        let is_seen = |globals: &[Value], as_values: &[Value]| {
            let mut rows = shared.iter().zip(as_values);
            rows.all(|((at, _), value)| globals[*at] == *value)
        };
        let starts = |globals: &[Value]| is_seen(globals, start);
        if let Some(failure) = &low.failure {
            let rows = rows(start);
            let told: Vec<String> = rows
                .iter()
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            let from = from(&told);
            return Some(Refutation {
                reason: format!(
                    "layer {layer} may fail{from} ({failure}), and layer {above} may not"
                ),
                picture: run(instance, &starts, &Goal::Failure),
            });
        }
        if let Some(end) = low.ends.difference(&high.ends).next() {
            let (from, with) = ends_told(&rows(start), &rows(end));
            let ends = high.ends.iter().take(4);
            let ends = ends.map(|end| ends_told(&rows(start), &rows(end)).1);
            let ends: Vec<String> = ends.collect();
            let is_end = |globals: &[Value]| is_seen(globals, end);
            let mut picture = run(instance, &starts, &Goal::End(&is_end));
            picture.push(format!("layer {above} ends with: {}", ends.join("; ")));
            return Some(Refutation {
                reason: format!(
                    "layer {layer} may end with {with}{from}, and layer {above} may not"
                ),
                picture,
            });
        }
    }
    None
}

/// Where an execution began, as the end of a sentence, and how it ended: variables with parts tell what of them changed.
fn ends_told(start: &[(String, String)], end: &[(String, String)]) -> (String, String) {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (at, (name, now)) in end.iter().enumerate() {
        let told = format!("{name} = {now}");
        let Some((_, then)) = start.get(at) else {
            after.push(told);
            continue;
        };
        let changes = differences(name, then, now);
        if changes.iter().all(|one| one.is_whole(name)) {
            // What did not change is told where that is short.
            if !changes.is_empty() || !now.contains(['{', '[']) {
                before.push(format!("{name} = {then}"));
                after.push(told);
            }
            continue;
        }
        for change in changes {
            if let How::Values(then, _) | How::Removed(then) = &change.how {
                before.push(format!("{} = {then}", change.place));
            }
            after.push(change.now());
        }
    }
    if after.is_empty() {
        after.push("nothing changed".to_owned());
    }
    (from(&before), after.join(", "))
}

fn from(told: &[String]) -> String {
    match told {
        [] => String::new(),
        told => format!(" from {}", told.join(", ")),
    }
}
