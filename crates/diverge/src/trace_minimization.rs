//! Trace minimization: the same execution with fewer messages.
//!
//! A search that tries first what sends most finds a cycle soon, but one in which much is sent that nobody takes. Here
//! each move is replaced, from the first on, by the one that leaves least among those that take the same and lead to
//! the same control, as long as every later move finds what it takes and the cycle still covers its beginning. So
//! what is left is a stem and a cycle as before, by the same argument, and a person has less to look at.
//!
//! NOT COVERED: moves that could be left out, and cycles that shift points (they stay as they are).

use crate::lasso::Lasso;
use crate::task_net::{Edge, Move, Net, State};

impl Lasso {
    /// The same with fewer messages. Whether it is fair may change.
    #[must_use]
    pub(crate) fn thinned(mut self, net: &mut Net<'_>) -> Lasso {
        for at in 0..self.moves.len() {
            let (control, one) = (self.states[at].control, self.moves[at]);
            let known = net.moves(control, one.kind);
            let now = &known.edges[one.edge];
            let mut less: Vec<usize> = (0..known.edges.len())
                .filter(|edge| sends_less(&known.edges[*edge], now))
                .collect();
            less.sort_by_key(|edge| known.edges[*edge].posts.total());
            for edge in less {
                self.moves[at] = Move { edge, ..one };
                if let Some(states) = self.played(net) {
                    self.states = states;
                    break;
                }
                self.moves[at] = one;
            }
        }
        self
    }

    /// The states that the moves lead to; none if they are no stem and cycle.
    fn played(&self, net: &mut Net<'_>) -> Option<Vec<State>> {
        let mut states = vec![self.states[0].clone()];
        for (at, one) in self.moves.iter().enumerate() {
            let state = &states[at];
            let known = net.moves(self.states[at].control, one.kind);
            let edge = &known.edges[one.edge];
            let is_there = one
                .kind
                .is_none_or(|kind| state.bag.kinds().any(|other| other == kind));
            if !is_there || edge.shift != 0 {
                return None;
            }
            let after = net.after(state, one.kind, edge);
            states.push(after);
        }
        let end = states.last()?;
        let begin = &states[self.moves.len() - self.period];
        (begin.control == end.control && begin.bag.is_within(&end.bag)).then_some(states)
    }
}

/// Does one edge lead where the other does, and leave less?
fn sends_less(one: &Edge, other: &Edge) -> bool {
    one.to == other.to
        && one.serves == other.serves
        && one.posts.total() < other.posts.total()
        && one.posts.is_within(&other.posts)
}
