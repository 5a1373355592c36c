//! `always`: a property of every state, checked on executions.
//!
//! Statement. An execution graph stands for all interleavings of its steps. The states on the way are
//! its *cuts*: so many steps of each process that with a step all its causes are in. The property is
//! evaluated in every cut of every execution, as far as it can see a difference.
//!
//! Why sound, and complete. A cut of an execution is an execution of its own, up to there: delivery
//! models are closed under causal prefixes. (For `mailbox`: the receives of a mailbox are those of one
//! process, in its order, so what a cut leaves unread is read later, and every order that the cut forces on
//! sends is forced in the whole.) Conversely a state that can be reached lies on some
//! interleaving, which can be continued to its end; the graph of that is visited, and the state is
//! one of its cuts. A process that fails or is cut off by an `assume` stands still and hinders nobody,
//! and the state before its last step is a cut like any other. Each step is one of the interpreter's,
//! whole: a handler with all its sends, a receive with the statements behind it. Every refutation is
//! put into an order by [`witness`](plainsong_semantics::linearize::witness) and replayed.
//!
//! *What is looked at*. Only steps after which the property sees something else count ([`View`]); a
//! combination of such steps belongs to a cut exactly when none of them has a cause that is another
//! process's next. So pairs of counts are compared, and no other process is looked at.
//!
//! *What is new*. Executions share most of their steps with the one visited before. A cut without a step
//! that is new since then was looked at there.
//!
//! NOT COVERED: properties that count messages in flight (`pending(…)`),
//! and executions with more than [`MOST_CUTS`] cuts that are new: both are for the search through states.

use crate::process_automata::Node;
use crate::program::Song;
use crate::thread_states::{INIT, Stage};
use crate::view::{Look, View};
use plainsong_explore::{EventId, Graph, Tid};
use plainsong_semantics::claim::Verity;
use std::ops::ControlFlow;

/// The most cuts of one execution that are looked at.
const MOST_CUTS: usize = 2_000_000;

/// What was found in the states of one execution.
#[derive(Debug, PartialEq)]
pub(crate) enum Seen {
    /// The property holds in all.
    Good,
    /// It is violated after so many steps of each process.
    Violated(Vec<usize>),
    /// It could not be evaluated in some, for this reason.
    Unknown(String),
    /// There are too many.
    TooMany,
}

/// A property that is to hold always.
pub(crate) struct Always<'a> {
    view: View<'a>,
    lanes: Vec<Lane>,
}

/// What the property sees of one process in the current execution.
#[derive(Default)]
struct Lane {
    thread: Tid,
    /// Looks, each different from the one before.
    points: Vec<Point>,
    /// For each point and each process of the view: the least point at which that one can be.
    needs: Vec<u32>,
    /// Points before this one were there in the execution visited before.
    fresh: usize,
}

#[derive(Clone, Copy)]
struct Point {
    look: Look,
    /// In which state of the thread the step to it was decided.
    state: usize,
    /// After how many steps of the process.
    steps: usize,
}

impl<'a> Always<'a> {
    /// For a property that counts no messages.
    pub(crate) fn new(view: View<'a>) -> Self {
        let lane = |&lane: &usize| Lane {
            thread: lane as Tid + 1,
            ..Lane::default()
        };
        Always {
            lanes: view.lanes.iter().map(lane).collect(),
            view,
        }
    }

    pub(crate) fn property(&self) -> usize {
        self.view.property
    }

    /// Has some premise of the property not been true yet?
    pub(crate) fn has_open_premises(&self) -> bool {
        self.view.has_open_premises()
    }

    /// What the property sees.
    pub(crate) fn view(&self) -> &View<'a> {
        &self.view
    }

    /// Looks at the states of the execution in the graph that were not there in the one before.
    pub(crate) fn look(&mut self, stage: &mut Stage, graph: &Graph<Song>) -> Seen {
        let at_its_end = stage.node(graph, INIT, graph.live(INIT));
        if !matches!(at_its_end, Node::Over(..)) {
            // `init` fails or is cut off: there are no states after it.
            return Seen::Good;
        }
        self.view.follow(stage.generation());
        for at in 0..self.lanes.len() {
            self.follow(at, stage, graph);
        }
        for at in 0..self.lanes.len() {
            self.find_needs(at, stage, graph);
        }
        let start = stage.chosen_start(graph);
        let mut found = Seen::Good;
        let mut looked = 0;
        let Always { view, lanes } = self;
        let mut judge = |row: &[Look]| {
            looked += 1;
            if view.is_good(row) && looked <= MOST_CUTS {
                return ControlFlow::Continue(());
            }
            if looked > MOST_CUTS {
                found = Seen::TooMany;
                return ControlFlow::Break(());
            }
            match view.holds(&stage.roles, start, row) {
                Verity::Holds => return ControlFlow::Continue(()),
                Verity::Violated(_) => found = Seen::Violated(Vec::new()),
                Verity::Unknown(_) if matches!(found, Seen::Violated(_)) => {}
                Verity::Unknown(failure) => found = Seen::Unknown(failure.message),
            }
            match found {
                // Other states may be the first in which a premise is true.
                _ if view.has_open_premises() => ControlFlow::Continue(()),
                Seen::Violated(_) => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        };
        _ = new_cuts(lanes, &mut |row, _| judge(row));
        match found {
            Seen::Violated(_) => self.least(stage, graph, start),
            other => other,
        }
    }

    /// The violation after the fewest steps in this execution; there is one.
    fn least(&mut self, stage: &mut Stage, graph: &Graph<Song>, start: usize) -> Seen {
        self.lanes.iter_mut().for_each(|lane| lane.fresh = 0);
        let mut best: Option<Vec<usize>> = None;
        let mut looked = 0;
        let Always { view, lanes } = self;
        let mut judge = |row: &[Look], points: &[usize]| {
            looked += 1;
            if let Verity::Violated(_) = view.holds(&stage.roles, start, row) {
                let cut = cut(lanes, points, stage, graph);
                let shorter = |best: &Vec<usize>| {
                    (cut.iter().sum::<usize>(), &cut) < (best.iter().sum::<usize>(), best)
                };
                if best.as_ref().is_none_or(shorter) {
                    best = Some(cut);
                }
            }
            match looked > MOST_CUTS {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        _ = new_cuts(lanes, &mut judge);
        best.map_or(Seen::TooMany, Seen::Violated)
    }

    /// Brings the points of a process up to date.
    fn follow(&mut self, at: usize, stage: &mut Stage, graph: &Graph<Song>) {
        let lane = &mut self.lanes[at];
        let thread = lane.thread;
        let known = stage.unchanged(graph, thread);
        let old = lane.points.partition_point(|point| point.state < known);
        lane.points.truncate(old);
        lane.needs.truncate(old * self.view.lanes.len());
        lane.fresh = old;
        if lane.points.is_empty() {
            let first = stage.first_part(graph, thread);
            let look = self.view.look(at, &first);
            lane.points.push(Point {
                look,
                state: 0,
                steps: 0,
            });
        }
        for state in known..=graph.live(thread) {
            let before = match state.checked_sub(1) {
                Some(before) => stage.steps(graph, thread, before),
                None => 0,
            };
            let edge = stage.state(graph, thread, state);
            let looks = self.view.looks(at, edge, stage.roles.edge(edge)).iter();
            for (&look, steps) in looks.zip(before + 1..) {
                if lane.points.last().is_none_or(|last| last.look != look) {
                    lane.points.push(Point { look, state, steps });
                }
            }
        }
    }

    /// Finds out what the new points of a process need.
    fn find_needs(&mut self, at: usize, stage: &mut Stage, graph: &Graph<Song>) {
        let lanes = self.lanes.len();
        for number in self.lanes[at].needs.len() / lanes..self.lanes[at].points.len() {
            let state = self.lanes[at].points[number].state;
            for other in 0..lanes {
                let need = if other == at {
                    number
                } else {
                    let thread = self.lanes[other].thread;
                    let steps = causes(stage, graph, (self.lanes[at].thread, state), thread);
                    let points = &self.lanes[other].points;
                    points.partition_point(|point| point.steps <= steps) - 1
                };
                self.lanes[at].needs.push(need as u32);
            }
        }
    }
}

/// How many steps of a process are causes of the steps that a thread decides in a state.
fn causes(
    stage: &mut Stage,
    graph: &Graph<Song>,
    (thread, state): (Tid, usize),
    other: Tid,
) -> usize {
    let Some(before) = state.checked_sub(1) else {
        return 0;
    };
    let index = before as u32;
    let events = graph.clock(EventId { thread, index })[other as usize] as usize;
    match events.checked_sub(1) {
        // The last of them is a send, whose step was decided at the latest in the state before it.
        Some(last) => stage.steps(graph, other, last),
        None => 0,
    }
}

/// The least cut, as steps of each process, with these points.
fn cut(lanes: &[Lane], points: &[usize], stage: &mut Stage, graph: &Graph<Song>) -> Vec<usize> {
    let mut cut = vec![0; stage.lanes()];
    for (lane, &point) in lanes.iter().zip(points) {
        let Point { state, steps, .. } = lane.points[point];
        for (other, count) in cut.iter_mut().enumerate() {
            let thread = other as Tid + 1;
            let needed = if thread == lane.thread {
                steps
            } else if steps == 0 {
                0
            } else {
                causes(stage, graph, (lane.thread, state), thread)
            };
            *count = needed.max(*count);
        }
    }
    cut
}

type Judge<'a> = &'a mut dyn FnMut(&[Look], &[usize]) -> ControlFlow<()>;

/// Every combination of points that belongs to a cut and has a fresh point.
///
/// Those whose first fresh point is in the first process, then those where it is in the second...
fn new_cuts(lanes: &[Lane], judge: Judge<'_>) -> ControlFlow<()> {
    if lanes.is_empty() {
        return judge(&[], &[]);
    }
    let mut combination = Combination {
        lanes,
        points: vec![0; lanes.len()],
        row: vec![0; lanes.len()],
        judge,
    };
    for (first, lane) in lanes.iter().enumerate() {
        if lane.fresh < lane.points.len() {
            combination.choose(0, first)?;
        }
    }
    ControlFlow::Continue(())
}

struct Combination<'a> {
    lanes: &'a [Lane],
    points: Vec<usize>,
    row: Vec<Look>,
    judge: Judge<'a>,
}

impl Combination<'_> {
    /// Chooses the point of the `at`-th process and of those after it; the `first` is the first one with
    /// a fresh point.
    fn choose(&mut self, at: usize, first: usize) -> ControlFlow<()> {
        let lanes = self.lanes;
        let Some(lane) = lanes.get(at) else {
            return (self.judge)(&self.row, &self.points);
        };
        let range = match at.cmp(&first) {
            std::cmp::Ordering::Less => 0..lane.fresh,
            std::cmp::Ordering::Equal => lane.fresh..lane.points.len(),
            std::cmp::Ordering::Greater => 0..lane.points.len(),
        };
        for point in range {
            let needs = &lane.needs[point * lanes.len()..][..at];
            if needs
                .iter()
                .zip(&self.points)
                .any(|(need, at)| *need as usize > *at)
            {
                // Later points need no less.
                break;
            }
            let is_needed = |(before, &its): (&Lane, &usize)| {
                before.needs[its * lanes.len() + at] as usize > point
            };
            if lanes[..at].iter().zip(&self.points).any(is_needed) {
                continue;
            }
            self.points[at] = point;
            self.row[at] = lane.points[point].look;
            self.choose(at + 1, first)?;
        }
        ControlFlow::Continue(())
    }
}
