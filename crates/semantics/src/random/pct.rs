//! Probabilistic concurrency testing (PCT): the next step by random priorities.
//!
//! Statement. Everyone who can act ([`Edge::agent`]: a process, a channel with what is received from it, an async) has a
//! random priority, and the one with the highest goes on, step after step. At `depth - 1` random steps the one that
//! would go next gets a priority below all others. Where there are `n` who act and executions have at most `k` steps, a bug
//! that shows once `depth` events come in the right order shows with probability at least `1/(n k^(depth-1))`.
//!
//! Source. [Pct10]; with channels of messages as threads, in the manner of the chains of [Pctcp18].
//! DIFFERS. `k` is the longest of eight random walks. Who times out draws a new priority, for it may wait for others; so does
//! who has taken [`PATIENCE`] steps in a row while others could.
//! NOT COVERED. The bound does not speak of what is drawn with equal probability among the steps of one who acts: free choices,
//! and which of several messages that may overtake each other is received.

use super::known_states::Edge;
use crate::simulate::Dice;
use rustc_hash::FxHashMap;

/// Priorities at first are at least this; those that were lowered are below.
const ORDINARY: u64 = 1 << 63;

/// So many steps in a row, and others get a chance.
const PATIENCE: u32 = 100;

/// Tells the draws of priorities from those of steps.
const ANOTHER: u64 = 0xA24B_AED4_963E_E407;

/// The priorities of one execution.
pub(super) struct Priorities {
    dice: Dice,
    of: FxHashMap<u64, u64>,
    /// Before which steps a priority is lowered, the lowest first.
    changes: Vec<u64>,
    /// Who went last, and how often in a row.
    last: Option<(u64, u32)>,
}

impl Priorities {
    pub(super) fn new(seed: u64, depth: u32, longest: u64) -> Priorities {
        let mut dice = Dice(seed ^ ANOTHER);
        let longest = usize::try_from(longest).unwrap_or(usize::MAX);
        let changes = 1..depth;
        let changes = changes
            .filter_map(|_| dice.pick(longest))
            .collect::<Vec<_>>();
        Priorities {
            changes: changes.into_iter().map(|step| step as u64).collect(),
            dice,
            of: FxHashMap::default(),
            last: None,
        }
    }

    pub(super) fn pick(&mut self, step: u64, edges: &[Edge], dice: &mut Dice) -> Option<usize> {
        for edge in edges {
            if !self.of.contains_key(&edge.agent) {
                self.draw(edge.agent);
            }
        }
        for at in 0..self.changes.len() {
            if self.changes[at] == step {
                let next = self.highest(edges)?;
                self.of.insert(next, at as u64);
            }
        }
        let next = self.highest(edges)?;
        let own: Vec<usize> = (0..edges.len())
            .filter(|at| edges[*at].agent == next)
            .collect();
        let picked = own[dice.pick(own.len())?];
        let in_a_row = match self.last {
            Some((last, in_a_row)) if last == next => in_a_row + 1,
            _ => 1,
        };
        self.last = Some((next, in_a_row));
        let is_patient = in_a_row < PATIENCE || own.len() == edges.len();
        if edges[picked].is_timeout || !is_patient {
            self.draw(next);
            self.last = None;
        }
        Some(picked)
    }

    fn draw(&mut self, agent: u64) {
        let priority = self.dice.next() | ORDINARY;
        self.of.insert(agent, priority);
    }

    /// Who goes next: of equals, the first.
    fn highest(&self, edges: &[Edge]) -> Option<u64> {
        let priority = |edge: &&Edge| self.of.get(&edge.agent).copied().unwrap_or_default();
        let best = edges.iter().map(|edge| priority(&edge)).max()?;
        let mut edges = edges.iter();
        edges
            .find(|edge| priority(edge) == best)
            .map(|edge| edge.agent)
    }
}
