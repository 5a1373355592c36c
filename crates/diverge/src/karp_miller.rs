//! Karp–Miller coverability [KM69]: depth-first search for self-covering executions, with an antichain of terminating states.
//!
//! Statement. A state that covers one on the way to it (same control, at least the same bag) begins a
//! cycle. When the search ends without one, every execution terminates.
//!
//! Why complete, for finitely many controls and kinds. On an infinite way some state covers an earlier one
//! (Dickson's lemma: bags of finitely many kinds are a well-quasi-order, as in vector addition systems), and from each state there are finitely many moves, so the search ends (König). A state is
//! *black* when all its moves lead to black states; in the order in which they turned black, each has only
//! finite executions, and so has every state below one of them, because what it can do the greater one
//! can do too. Only the greatest black bags are kept for each control.
//!
//! The way can be cut at some depth. Then a state turns black only if nothing was cut behind it, and without a
//! cycle there is an answer only if nothing was cut at all.
//!
//! With an order that the song declares ([`order`](crate::order)) "covers" means more, and the argument is the same:
//! what a state can do, one that covers it can do too. Then controls differ, and all are looked through.
//!
//! With infinitely many controls or kinds the search may run until its budget is spent; what it finds is
//! sound all the same, and when it ends, it has seen everything.
//!
//! Source. [Alive12] for the order; Finkel and Schnoebelen's well-structured systems for the argument.

use crate::budget::{Budget, Spent};
use crate::lasso::Lasso;
use crate::task_net::{Control, Kind, Move, Net, State};
use rustc_hash::FxHashMap;

/// So many bags are compared in the time of a step.
const COMPARED: usize = 64;

/// What came of the search.
pub(crate) enum Covering {
    /// A cycle; nobody asked whether it is fair.
    Found(Lasso),
    /// Every execution terminates; so many states were looked at.
    Rests(u64),
    /// There are ways longer than allowed.
    Cut,
}

/// Searches every way of at most so many steps.
pub(crate) fn covering(
    net: &mut Net<'_>,
    depth: usize,
    budget: &mut Budget<'_>,
) -> Result<Covering, Spent> {
    let mut search = CoverabilitySearch {
        depth,
        ..CoverabilitySearch::default()
    };
    for start in net.starts() {
        if let Some(lasso) = search.from(net, start, budget)? {
            return Ok(Covering::Found(lasso));
        }
    }
    Ok(match search.is_cut {
        true => Covering::Cut,
        false => Covering::Rests(search.looked_at),
    })
}

#[derive(Default)]
struct CoverabilitySearch {
    /// The longest way.
    depth: usize,
    /// Was something cut?
    is_cut: bool,
    /// The way to the state at hand.
    way: Vec<Frame>,
    /// For each control and the last kind of the bag, the frames of the way with them, by depth: a bag that holds another
    /// holds its last kind too, so that few have to be looked at.
    grey: FxHashMap<(Control, Option<Kind>), Vec<usize>>,
    /// For each control, the greatest states that terminate.
    black: FxHashMap<Control, Vec<State>>,
    looked_at: u64,
}

struct Frame {
    state: State,
    /// The moves still to try, the next one last.
    moves: Vec<(Move, State)>,
    /// The move that is being tried.
    tried: Option<Move>,
    /// Was something cut behind it?
    is_cut: bool,
}

impl CoverabilitySearch {
    fn from(
        &mut self,
        net: &mut Net<'_>,
        start: State,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Lasso>, Spent> {
        self.enter(net, start, budget);
        while let Some(frame) = self.way.last_mut() {
            let Some((one, after)) = frame.moves.pop() else {
                self.leave(net);
                continue;
            };
            frame.tried = Some(one);
            budget.spend(self.way.len())?;
            if let Some(depth) = self.covered(net, &after, budget) {
                return Ok(Some(self.lasso(depth, after)));
            }
            if self.is_black(net, &after, budget) {
                continue;
            }
            if self.way.len() < self.depth {
                self.enter(net, after, budget);
            } else if let Some(frame) = self.way.last_mut() {
                frame.is_cut = true;
            }
        }
        Ok(None)
    }

    /// The deepest state of the way that `state` covers.
    fn covered(&self, net: &mut Net<'_>, state: &State, budget: &mut Budget<'_>) -> Option<usize> {
        if net.has_order() {
            budget.charge(self.way.len() / COMPARED);
            let mut depths = (0..self.way.len()).rev();
            return depths.find(|depth| net.covers(&self.way[*depth].state, state));
        }
        let below = |depth: &&usize| self.way[**depth].state.bag.is_within(&state.bag);
        let lasts = state.bag.kinds().map(Some).chain([None]);
        let mut deepest = None;
        for last in lasts {
            let Some(depths) = self.grey.get(&(state.control, last)) else {
                continue;
            };
            budget.charge(depths.len() / COMPARED);
            deepest = deepest.max(depths.iter().rev().find(below).copied());
        }
        deepest
    }

    fn is_black(&self, net: &mut Net<'_>, state: &State, budget: &mut Budget<'_>) -> bool {
        let Some(greater) = self.black.get(&home(net, state)) else {
            return false;
        };
        budget.charge(greater.len() / COMPARED);
        greater.iter().any(|greater| net.covers(state, greater))
    }

    fn enter(&mut self, net: &mut Net<'_>, state: State, budget: &mut Budget<'_>) {
        self.looked_at += 1;
        // Every kind is asked about, which is nothing new while few wait.
        budget.charge(state.bag.entries().len() / 8);
        let mut moves = Vec::new();
        for (kind, known) in net.all_moves(&state) {
            for (edge, number) in known.edges.iter().zip(0..) {
                let one = Move { kind, edge: number };
                moves.push((one, net.after(&state, kind, edge), edge.posts.total()));
            }
        }
        budget.charge(net.copied());
        // What leaves most is tried first.
        moves.sort_by_key(|(_, _, posts)| *posts);
        let depths = self.grey.entry(key(&state)).or_default();
        depths.push(self.way.len());
        self.way.push(Frame {
            state,
            moves: moves
                .into_iter()
                .map(|(one, after, _)| (one, after))
                .collect(),
            tried: None,
            is_cut: false,
        });
    }

    fn leave(&mut self, net: &mut Net<'_>) {
        let frame = self.way.pop().expect("what is left was entered");
        self.grey.entry(key(&frame.state)).or_default().pop();
        if frame.is_cut {
            self.is_cut = true;
            self.way
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|before| before.is_cut = true);
            return;
        }
        let black = self.black.entry(home(net, &frame.state)).or_default();
        black.retain(|smaller| !net.covers(smaller, &frame.state));
        black.push(frame.state);
    }

    fn lasso(&self, depth: usize, end: State) -> Lasso {
        let states = self.way.iter().map(|frame| frame.state.clone());
        let moves = self.way.iter().filter_map(|frame| frame.tried);
        Lasso {
            states: states.chain([end]).collect(),
            moves: moves.collect(),
            period: self.way.len() - depth,
        }
    }
}

/// Where those are kept that may cover a state.
fn home(net: &Net<'_>, state: &State) -> Control {
    match net.has_order() {
        true => 0,
        false => state.control,
    }
}

/// Where a state is found again by those that may cover it.
fn key(state: &State) -> (Control, Option<Kind>) {
    (state.control, state.bag.kinds().last())
}
