//! Runs by one rule for what is served next: the newest first, or the oldest first, with choices made in a few ways.

use crate::Fairness;
use crate::bag::Bag;
use crate::budget::{Budget, Spent};
use crate::lasso::Lasso;
use crate::task_net::{Kind, Move, Net, State};
use std::rc::Rc;

/// Which runs are followed.
#[derive(Clone, Copy)]
pub(crate) struct Runs {
    /// Choices are made in so many ways.
    pub(crate) ways: usize,
    /// So many starts are tried.
    pub(crate) starts: usize,
    /// Which rule is tried first, where both are.
    pub(crate) first: First,
}

/// Who is served first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum First {
    /// Who came last.
    Newest,
    /// Who came first: fair, if choices are.
    Oldest,
}

/// What is found along the first run along which something is; nothing when the budget is spent.
pub(crate) fn along_runs<'m, T>(
    net: &mut Net<'m>,
    runs: Runs,
    fairness: Fairness,
    mut follow: impl FnMut(&mut Net<'m>, Run) -> Result<Option<T>, Spent>,
) -> Option<T> {
    let rules = match (fairness, runs.first) {
        (Fairness::Any, First::Newest) => &[First::Newest, First::Oldest][..],
        (Fairness::Any, First::Oldest) => &[First::Oldest, First::Newest][..],
        _ => &[First::Oldest][..],
    };
    for way in 0..runs.ways {
        for rule in rules {
            let starts: Vec<State> = net.starts().into_iter().take(runs.starts).collect();
            for start in starts {
                let run = Run::new(start, *rule, way);
                match follow(net, run) {
                    Ok(None) => {}
                    Ok(found) => return found,
                    Err(Spent) => return None,
                }
            }
        }
    }
    None
}

/// A run by one rule for what is served next.
pub(crate) struct Run {
    rule: First,
    /// How choices are made.
    way: usize,
    states: Vec<State>,
    pub(crate) moves: Vec<Move>,
    /// What waits, the oldest first.
    pub(crate) queue: Vec<Kind>,
    /// Of each state, the number of its outline, and its integers.
    outlines: Vec<(u32, Rc<[i64]>)>,
    /// Of each move, the outlines of what it leaves.
    left: Vec<Vec<u32>>,
}

impl Run {
    fn new(start: State, rule: First, way: usize) -> Run {
        let entries = start.bag.entries().iter();
        let queue = entries.flat_map(|(kind, count)| (0..*count).map(|_| *kind));
        Run {
            rule,
            way,
            queue: queue.collect(),
            states: vec![start],
            moves: Vec::new(),
            outlines: Vec::new(),
            left: Vec::new(),
        }
    }

    /// One step on; false when there is none.
    pub(crate) fn step(
        &mut self,
        net: &mut Net<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<bool, Spent> {
        budget.spend(self.states.len())?;
        let state = self.states[self.moves.len()].clone();
        if self.outlines.is_empty() {
            self.outlines.push(net.outline(state.control));
        }
        let all = 0..self.queue.len();
        let order: Vec<usize> = match self.rule {
            First::Newest => all.rev().collect(),
            First::Oldest => all.collect(),
        };
        let turns = [None].into_iter().chain(order.into_iter().map(Some));
        for turn in turns {
            let kind = turn.map(|at| self.queue[at]);
            let moves = net.moves(state.control, kind);
            budget.charge(net.copied());
            let Some(edge) = self.choice(moves.edges.len()) else {
                continue;
            };
            let chosen = &moves.edges[edge];
            if let Some(at) = turn {
                self.queue.remove(at);
            }
            for (kind, count) in chosen.posts.entries() {
                self.queue.extend((0..*count).map(|_| *kind));
            }
            let after = net.after(&state, kind, chosen);
            self.outlines.push(net.outline(after.control));
            self.states.push(after);
            self.left.push(outlines(net, &chosen.posts));
            self.moves.push(Move { kind, edge });
            return Ok(true);
        }
        Ok(false)
    }

    fn choice(&self, edges: usize) -> Option<usize> {
        let last = edges.checked_sub(1)?;
        Some(match self.way {
            0 => last,
            1 => 0,
            way => (self.moves.len() * 31 + way * 17 + self.moves.len() / 3) % edges,
        })
    }

    /// The run up to a position, of which the last moves are the cycle.
    pub(crate) fn lasso(&self, end: usize, period: usize) -> Lasso {
        Lasso {
            states: self.states[..=end].to_vec(),
            moves: self.moves[..end].to_vec(),
            period,
        }
    }

    /// Are the last two rounds of this length before a position alike?
    pub(crate) fn is_candidate(&self, net: &mut Net<'_>, end: usize, period: usize) -> bool {
        let (middle, begin) = (end - period, end - 2 * period);
        let [first, second, third] = [begin, middle, end].map(|at| &self.outlines[at]);
        if first.0 != second.0 || second.0 != third.0 || first.1.len() != third.1.len() {
            return false;
        }
        let steady = (0..third.1.len()).all(|at| {
            let before = second.1[at].wrapping_sub(first.1[at]);
            third.1[at].wrapping_sub(second.1[at]) == before
        });
        steady
            && (middle..end).all(|at| {
                let (one, other) = (self.moves[at], self.moves[at - period]);
                let taken = |net: &mut Net<'_>, one: Move| one.kind.map(|k| net.kind_outline(k));
                taken(net, one) == taken(net, other) && self.left[at] == self.left[at - period]
            })
    }
}

fn outlines(net: &mut Net<'_>, bag: &Bag) -> Vec<u32> {
    let entries = bag.entries().iter();
    let mut all: Vec<u32> = entries
        .flat_map(|(kind, count)| (0..*count).map(|_| *kind))
        .map(|kind| net.kind_outline(kind))
        .collect();
    all.sort_unstable();
    all
}
