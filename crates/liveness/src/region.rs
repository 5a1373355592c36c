//! Reduction of temporal claims to regions of the state graph.
//!
//! | claim | the region | its starts |
//! |---|---|---|
//! | `eventually P` | ¬P | initial states in it |
//! | `P leads to Q` | ¬Q | every state in it with P |
//! | `infinitely often P` | ¬P | every state in it |
//! | `eventually always P` | everything, and ¬P must be visited infinitely often (a Büchi condition) | every state |
//!
//! A claim is violated if and only if a fair execution stays in its region for ever from one of its starts.

use crate::state_graph::Explored;
use plainsong_ir::{Expr, TemporalOperator};
use plainsong_semantics::claim::Verity;
use plainsong_semantics::temporal::Instantiated;

/// Where the conditions of a claim are true, state by state.
pub(crate) struct Truths {
    /// Of `P leads to Q`, where `P` is; otherwise nowhere.
    pub(crate) premise: Vec<bool>,
    goal: Vec<bool>,
}

impl Truths {
    /// Evaluates the conditions in every state after `init`. A state in which one has no value, or cannot be
    /// evaluated, is given back: the first one found.
    pub(crate) fn of(
        graph: &Explored<'_>,
        one: &Instantiated<'_>,
    ) -> Result<Truths, (usize, Verity)> {
        let truth = |condition: &Expr, at: usize| {
            let Some(config) = graph.state(at).filter(|_| graph.has_begun(at)) else {
                return Ok(false);
            };
            match one.verity(graph.machine(), condition, config) {
                Verity::Holds => Ok(true),
                Verity::Violated(why) if why.is_empty() => Ok(false),
                other => Err((at, other)),
            }
        };
        let (mut premise, mut goal) = (Vec::new(), Vec::new());
        for at in 0..graph.len() {
            goal.push(truth(&one.part.goal, at)?);
            premise.push(match &one.part.premise {
                Some(condition) => truth(condition, at)?,
                None => false,
            });
        }
        Ok(Truths { premise, goal })
    }
}

/// What of the graph an execution that violates a claim visits from some point on.
pub(crate) struct Region {
    /// The states that are reachable from its starts inside it.
    pub(crate) inside: Vec<bool>,
    /// The states where such an execution may enter it.
    pub(crate) starts: Vec<usize>,
    /// May it be entered from any state, not only at the start of an execution?
    anywhere: bool,
    /// One of these must be visited infinitely often.
    pub(crate) again: Option<Vec<bool>>,
}

/// The region of a claim.
pub(crate) fn region(graph: &Explored<'_>, one: &Instantiated<'_>, truths: &Truths) -> Region {
    let misses = |at: &usize| graph.has_begun(*at) && !truths.goal[*at];
    let all = || 0..graph.len();
    let (allowed, starts, again): (Vec<bool>, Vec<usize>, _) = match one.part.operator {
        TemporalOperator::Eventually => {
            let starts = all().filter(|at| misses(at) && graph.is_first(*at));
            (
                all().map(|at| misses(&at)).collect(),
                starts.collect(),
                None,
            )
        }
        TemporalOperator::LeadsTo => {
            let starts = all().filter(|at| misses(at) && truths.premise[*at]);
            (
                all().map(|at| misses(&at)).collect(),
                starts.collect(),
                None,
            )
        }
        TemporalOperator::InfinitelyOften => (
            all().map(|at| misses(&at)).collect(),
            all().filter(misses).collect(),
            None,
        ),
        TemporalOperator::EventuallyAlways => {
            let begun: Vec<bool> = all().map(|at| graph.has_begun(at)).collect();
            let again = all().map(|at| misses(&at)).collect();
            let starts = all().filter(|at| begun[*at]).collect();
            (begun, starts, Some(again))
        }
    };
    let mut inside = vec![false; graph.len()];
    let mut open = starts.clone();
    starts.iter().for_each(|at| inside[*at] = true);
    while let Some(at) = open.pop() {
        for edge in graph.edges(at) {
            let to = edge.to as usize;
            if allowed[to] && !inside[to] {
                inside[to] = true;
                open.push(to);
            }
        }
    }
    Region {
        inside,
        starts,
        anywhere: one.part.operator != TemporalOperator::Eventually,
        again,
    }
}

impl Region {
    /// Why it may go on beyond what was explored. Where executions may enter it anywhere, whatever was left out anywhere
    /// may be a start.
    pub(crate) fn first_open<'g>(&self, graph: &'g Explored<'_>) -> Option<&'g str> {
        let matters = |at: &usize| self.anywhere || self.inside[*at] || !graph.has_begun(*at);
        let open = (0..graph.len()).filter(matters);
        let mut why = open.filter_map(|at| graph.why_open(at));
        graph.why_start_open().or_else(|| why.next())
    }
}
