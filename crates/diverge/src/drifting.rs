//! Runs that drift: the same again and again, with integers that move on each time.
//!
//! A few runs are followed, each with one rule for what is served next: the newest first, or the oldest first. If
//! after a round everything but integers is as it was, and integers moved by the same distances as in the
//! round before, the round is a candidate. Whether it can be repeated for ever is for
//! [`drift`](plainsong_semantics::drift) to say, which executes it again under guards.
//!
//! Sound for this reason; finds nothing where choices have to be made with care.

use crate::bag::Bag;
use crate::budget::{Budget, Spent};
use crate::lasso::Lasso;
use crate::net::{Kind, Move, Net, State};
use crate::{Divergence, Fairness};
use std::rc::Rc;

/// The longest run.
const LENGTH: usize = 60;
/// A run in which more waits is given up: to look at such states closely takes long.
const PENDING: usize = 40;
/// Choices are made in so many ways.
const WAYS: usize = 5;
/// So many starts are tried.
const STARTS: usize = 6;
/// So many candidates are looked at closely.
const CANDIDATES: usize = 12;

/// Looks for a run that drifts.
pub(crate) fn drifting(
    net: &mut Net<'_>,
    fairness: Fairness,
    property: usize,
    budget: &mut Budget<'_>,
) -> Option<Divergence> {
    let mut candidates = CANDIDATES;
    let newest = [true, false];
    let orders = if fairness == Fairness::Any {
        &newest[..]
    } else {
        &newest[1..]
    };
    for way in 0..WAYS {
        for newest in orders {
            let starts: Vec<State> = net.starts().into_iter().take(STARTS).collect();
            for start in starts {
                let mut run = Run::new(start, *newest, way);
                while run.moves.len() < LENGTH && run.queue.len() < PENDING {
                    match run.step(net, budget) {
                        Ok(true) => {}
                        Ok(false) => break,
                        Err(Spent) => return None,
                    }
                    let found = run.closes(net, fairness, property, &mut candidates);
                    if found.is_some() || candidates == 0 {
                        return found;
                    }
                }
            }
        }
    }
    None
}

/// A run by one rule for what is served next.
pub(crate) struct Run {
    /// Is the newest served first, or the oldest?
    newest: bool,
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
    pub(crate) fn new(start: State, newest: bool, way: usize) -> Run {
        let entries = start.bag.entries().iter();
        let queue = entries.flat_map(|(kind, count)| (0..*count).map(|_| *kind));
        Run {
            newest,
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
        let order: Vec<usize> = match self.newest {
            true => all.rev().collect(),
            false => all.collect(),
        };
        let turns = [None].into_iter().chain(order.into_iter().map(Some));
        for turn in turns {
            let kind = turn.map(|at| self.queue[at]);
            let moves = net.moves(state.control, kind);
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

    /// A period that ends here, if there is one.
    fn closes(
        &self,
        net: &mut Net<'_>,
        fairness: Fairness,
        property: usize,
        candidates: &mut usize,
    ) -> Option<Divergence> {
        let end = self.moves.len();
        for period in 1..=end / 2 {
            if !self.is_candidate(net, end, period) {
                continue;
            }
            *candidates = candidates.saturating_sub(1);
            let found = self.lasso(end, period).told(net, property);
            let found = found.filter(|found| fairness.is_meant(&found.repetition));
            if found.is_some() || *candidates == 0 {
                return found;
            }
        }
        None
    }

    /// The run up to a position, of which the last moves are the period.
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
