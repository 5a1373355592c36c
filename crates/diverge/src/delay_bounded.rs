//! Delay-bounded scheduling [Delay11]: fair executions by a queue, with few exceptions.
//!
//! Without an exception this is one fair run for each way that choices can go. An exception (a *delay*)
//! lets the oldest go to the end of the queue. Every execution has some number of delays, so allowing
//! more and more of them, and longer and longer ways, comes to every cycle in the end.
//!
//! Sound: what is found is a state that covers an ancestor, and the cycle between them was asked whether
//! it is fair. Says nothing when nothing is found.
//!
//! Source. Delay bounding: [Delay11]; as a search for fair cycles: [Alive12] with a queue in place of
//! the stack of calls.

use crate::Fairness;
use crate::budget::{Budget, Spent};
use crate::lasso::{Lasso, is_fair};
use crate::task_net::{Edge, Kind, Move, Net, State};
use rustc_hash::FxHashSet;

/// Delays and lengths that are tried, one after the other.
const ATTEMPTS: [(usize, usize); 6] = [(0, 64), (0, 400), (1, 64), (2, 64), (3, 100), (4, 200)];

/// Looks for a fair cycle along queues.
pub(crate) fn rounds(
    net: &mut Net<'_>,
    fairness: Fairness,
    budget: &mut Budget<'_>,
    steps: u64,
) -> Option<Lasso> {
    for (delays, length) in ATTEMPTS {
        budget.allow(steps);
        for start in net.starts() {
            let queue: Vec<Kind> = queue_of(&start);
            let mut search = Rounds {
                fairness,
                length,
                states: vec![start],
                moves: Vec::new(),
                seen: FxHashSet::default(),
            };
            match search.visit(net, queue, delays, budget) {
                Ok(true) => return search.lasso(net, budget),
                Ok(false) => {}
                Err(Spent) if budget.stopped => return None,
                Err(Spent) => break,
            }
        }
    }
    None
}

struct Rounds {
    fairness: Fairness,
    /// The longest way.
    length: usize,
    states: Vec<State>,
    moves: Vec<Move>,
    /// States with their queue and the delays left.
    seen: FxHashSet<(u32, Vec<Kind>, usize)>,
}

/// A choice: what is taken and by which edge, the queue after it, the delays left.
struct Turn {
    one: Move,
    after: State,
    queue: Vec<Kind>,
    delays: usize,
}

impl Rounds {
    /// Goes on from the last state; true when a cycle is found.
    fn visit(
        &mut self,
        net: &mut Net<'_>,
        queue: Vec<Kind>,
        delays: usize,
        budget: &mut Budget<'_>,
    ) -> Result<bool, Spent> {
        let mut open = vec![self.turns(net, &queue, delays)];
        while let Some(turns) = open.last_mut() {
            let Some(turn) = turns.pop() else {
                open.pop();
                if !open.is_empty() {
                    self.states.pop();
                    self.moves.pop();
                }
                continue;
            };
            budget.spend(self.seen.len())?;
            budget.charge(turn.queue.len() / 8 + net.copied());
            self.states.push(turn.after);
            self.moves.push(turn.one);
            if self.period(net, budget).is_some() {
                return Ok(true);
            }
            let control = self.last().control;
            let is_new = self.seen.insert((control, turn.queue.clone(), turn.delays));
            if is_new && self.moves.len() < self.length {
                open.push(self.turns(net, &turn.queue, turn.delays));
            } else {
                open.push(Vec::new());
            }
        }
        Ok(false)
    }

    fn last(&self) -> &State {
        self.states.last().expect("there is a start")
    }

    /// The turns from the last state, the one to try first last.
    fn turns(&mut self, net: &mut Net<'_>, queue: &[Kind], delays: usize) -> Vec<Turn> {
        let state = self.last().clone();
        let alone = net.moves(state.control, None);
        let mut turns = Vec::new();
        for (number, edge) in alone.edges.iter().enumerate() {
            let one = Move {
                kind: None,
                edge: number,
            };
            turns.push(turn(net, &state, one, edge, queue.to_vec(), delays));
        }
        // A queue is turned until its first can be served; that nobody can be served yet is no delay.
        let mut paid = 0;
        for first in 0..queue.len() {
            let kind = queue[first];
            let moves = net.moves(state.control, Some(kind));
            if moves.edges.is_empty() {
                continue;
            }
            if paid > delays {
                break;
            }
            for (number, edge) in moves.edges.iter().enumerate() {
                let one = Move {
                    kind: Some(kind),
                    edge: number,
                };
                let rest = [&queue[first + 1..], &queue[..first]].concat();
                turns.push(turn(net, &state, one, edge, rest, delays - paid));
            }
            paid += 1;
        }
        turns.sort_by_key(|turn| (turn.delays, turn.after.bag.total()));
        turns
    }

    /// The length of a fair cycle that ends at the last state.
    fn period(&self, net: &mut Net<'_>, budget: &mut Budget<'_>) -> Option<usize> {
        let end = self.last();
        for at in (0..self.moves.len()).rev() {
            if !net.covers(&self.states[at], end) {
                continue;
            }
            budget.charge((self.moves.len() - at) / 4);
            if is_fair(net, &self.states[at..], &self.moves[at..], self.fairness) {
                return Some(self.moves.len() - at);
            }
        }
        None
    }

    fn lasso(self, net: &mut Net<'_>, budget: &mut Budget<'_>) -> Option<Lasso> {
        let period = self.period(net, budget)?;
        Some(Lasso {
            period,
            states: self.states,
            moves: self.moves,
        })
    }
}

fn turn(
    net: &mut Net<'_>,
    state: &State,
    one: Move,
    edge: &Edge,
    mut queue: Vec<Kind>,
    delays: usize,
) -> Turn {
    if edge.shift != 0 {
        queue
            .iter_mut()
            .for_each(|kind| *kind = net.renamed(*kind, -edge.shift));
    }
    for (kind, count) in edge.posts.entries() {
        queue.extend((0..*count).map(|_| *kind));
    }
    Turn {
        after: net.after(state, one.kind, edge),
        one,
        queue,
        delays,
    }
}

fn queue_of(state: &State) -> Vec<Kind> {
    let entries = state.bag.entries().iter();
    entries
        .flat_map(|(kind, count)| (0..*count).map(|_| *kind))
        .collect()
}
