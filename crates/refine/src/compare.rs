//! Two layers compared by brute force: everything that the lower one does, the upper one does.
//!
//! Statement. From each start that both know: if the upper program cannot fail, the lower one cannot, and
//! every end of the lower one, as far as both see it, is an end of the upper one.
//!
//! All states of a small instance are visited through the interpreter of threads, so this refutes and never
//! proves. Of the lower program some states are enough to refute; of the upper one all are needed.

use crate::answer::Refutation;
use crate::brute::is_sized;
use crate::cut::is_program_cut;
use crate::extract::extract;
use crate::retrace::{Goal, run};
use plainsong_diagnostics::Span;
use plainsong_ir::Song;
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
        for (low, high) in lower_ones.into_iter().zip(upper_ones) {
            let pick = |at: fn(&(usize, usize)) -> usize| shared.iter().map(at).collect::<Vec<_>>();
            let Some(upper_ones) = behaviours(&high, &pick(|one| one.1), most) else {
                gave_up = true;
                continue;
            };
            let Some((lower_ones, is_whole)) = begun(&low, &pick(|one| one.0), most) else {
                gave_up = true;
                continue;
            };
            gave_up |= !is_whole;
            if let Some(refutation) =
                difference(&low, &shared, [lower, upper], &lower_ones, &upper_ones)
            {
                return Compared::Differs(refutation);
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
    for sort in song.sorts.iter().filter(|sort| is_sized(sort)) {
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
    let threads = Threads::new(instance);
    let view =
        |globals: &[Value]| -> Vec<Value> { seen.iter().map(|at| globals[*at].clone()).collect() };
    let (mut all, mut is_whole) = (Behaviours::new(), true);
    for store in threads.stores().ok()? {
        let behaviour = all.entry(view(&store)).or_default();
        let mut known: FxHashSet<State> = FxHashSet::default();
        let mut open: VecDeque<State> = VecDeque::new();
        let mut next = threads.begin(&store);
        let mut most = most;
        loop {
            for one in next {
                match one {
                    Next::Failed(failure) if failure.kind == FailureKind::Resource => {
                        is_whole = false;
                        most = most.min(FEW);
                    }
                    Next::Failed(failure) => {
                        behaviour.failing.insert(failure.span);
                        behaviour.failure.get_or_insert(failure.message);
                    }
                    Next::State(state) if known.contains(&state) => {}
                    Next::State(_) if known.len() >= most => is_whole = false,
                    Next::State(state) => {
                        known.insert(state.clone());
                        open.push_back(state);
                    }
                }
            }
            let is_over = known.len() >= most && !is_whole;
            let Some(state) = open.pop_front().filter(|_| !is_over) else {
                break;
            };
            if state.is_final() {
                behaviour.ends.insert(view(&state.globals));
            }
            next = threads.steps(&state);
        }
    }
    Some((all, is_whole))
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
    let told = |values: &[Value]| {
        let rows = shared.iter().zip(values);
        let rows = rows.map(|((at, _), value)| {
            let row = &globals[*at];
            format!("{} = {}", row.name, show(instance, value, &row.ty))
        });
        rows.collect::<Vec<_>>().join(", ")
    };
    for (start, low) in lower {
        let Some(high) = upper.get(start) else {
            continue;
        };
        if high.failure.is_some() {
            continue;
        }
        let from = match start.is_empty() {
            true => String::new(),
            false => format!(" from {}", told(start)),
        };
        let is_seen = |globals: &[Value], as_values: &[Value]| {
            let mut rows = shared.iter().zip(as_values);
            rows.all(|((at, _), value)| globals[*at] == *value)
        };
        let starts = |globals: &[Value]| is_seen(globals, start);
        if let Some(failure) = &low.failure {
            return Some(Refutation {
                reason: format!(
                    "layer {layer} may fail{from} ({failure}), and layer {above} may not"
                ),
                picture: run(instance, &starts, &Goal::Failure),
            });
        }
        if let Some(end) = low.ends.difference(&high.ends).next() {
            let ends: Vec<String> = high.ends.iter().take(4).map(|end| told(end)).collect();
            let is_end = |globals: &[Value]| is_seen(globals, end);
            let mut picture = run(instance, &starts, &Goal::End(&is_end));
            picture.push(format!("layer {above} ends with: {}", ends.join("; ")));
            return Some(Refutation {
                reason: format!(
                    "layer {layer} may end with {}{from}, and layer {above} may not",
                    told(end)
                ),
                picture,
            });
        }
    }
    None
}
