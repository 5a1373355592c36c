//! Shortest lassos, breadth first: stem and cycle are short.
//!
//! Sound: what is found is a state that covers one of its ancestors. Incomplete: it looks at each state
//! once, on the way by which it was found first, and only at so many.

use crate::Fairness;
use crate::budget::Budget;
use crate::lasso::{Lasso, is_fair};
use crate::task_net::{Edge, Move, Net, State};
use rustc_hash::FxHashSet;

/// What came of looking nearby.
pub(crate) enum Nearby {
    /// A cycle.
    Found(Lasso),
    /// There are finitely many states, and none covers an ancestor on the way by which it was found.
    Everything,
    /// Not everything was seen.
    Spent,
}

struct Node {
    state: State,
    /// The node before it and the move from there; none at a start.
    before: Option<(usize, Move)>,
}

/// Looks for a cycle among the first states.
pub(crate) fn nearest(net: &mut Net<'_>, fairness: Fairness, budget: &mut Budget<'_>) -> Nearby {
    let mut seen: FxHashSet<State> = FxHashSet::default();
    let mut nodes: Vec<Node> = Vec::new();
    for state in net.starts() {
        if seen.insert(state.clone()) {
            let before = None;
            nodes.push(Node { state, before });
        }
    }
    let mut at = 0;
    while at < nodes.len() {
        let state = nodes[at].state.clone();
        for (kind, moves) in net.all_moves(&state) {
            // What leaves little comes first: such cycles are easier to read.
            let mut edges: Vec<(usize, &Edge)> = moves.edges.iter().enumerate().collect();
            edges.sort_by_key(|(_, edge)| edge.posts.total());
            for (number, edge) in edges {
                if budget.spend(nodes.len()).is_err() {
                    return Nearby::Spent;
                }
                let after = net.after(&state, kind, edge);
                let one = Move { kind, edge: number };
                if let Some(lasso) = closes(net, &nodes, at, one, &after, fairness, budget) {
                    return Nearby::Found(lasso);
                }
                if seen.insert(after.clone()) {
                    nodes.push(Node {
                        state: after,
                        before: Some((at, one)),
                    });
                }
            }
        }
        budget.charge(net.copied());
        at += 1;
    }
    Nearby::Everything
}

/// The lasso that ends with `last`, a move from the node at `at` to `after`, if there is one.
fn closes(
    net: &mut Net<'_>,
    nodes: &[Node],
    at: usize,
    last: Move,
    after: &State,
    fairness: Fairness,
    budget: &mut Budget<'_>,
) -> Option<Lasso> {
    let mut ancestor = at;
    let mut steps = 1;
    let mut whole: Option<Lasso> = None;
    loop {
        let node = &nodes[ancestor];
        if net.covers(&node.state, after) {
            // Where much is covered and nothing is fair, this is what takes the time.
            budget.charge(steps / 8);
            let lasso = whole.get_or_insert_with(|| lasso(nodes, at, last, after));
            let first = lasso.moves.len() - steps;
            if is_fair(net, &lasso.states[first..], &lasso.moves[first..], fairness) {
                lasso.period = steps;
                return whole;
            }
        }
        ancestor = node.before?.0;
        steps += 1;
    }
}

/// The whole way to `after`; what of it is the cycle is for the caller to say.
fn lasso(nodes: &[Node], at: usize, last: Move, after: &State) -> Lasso {
    let mut states = vec![after.clone(), nodes[at].state.clone()];
    let mut moves = vec![last];
    let mut here = at;
    while let Some((before, one)) = nodes[here].before {
        states.push(nodes[before].state.clone());
        moves.push(one);
        here = before;
    }
    states.reverse();
    moves.reverse();
    Lasso {
        states,
        period: moves.len(),
        moves,
    }
}
