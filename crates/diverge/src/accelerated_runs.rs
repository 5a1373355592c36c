//! Runs that drift: the same again and again, with integers that move on each time.
//!
//! A few runs are followed ([`run`](crate::run)), each with one rule for what is served next. If
//! after a round everything but integers is as it was, and integers moved by the same distances as in the
//! round before, the round is a candidate. Whether it can be repeated for ever is for
//! [`drift`](plainsong_semantics::accelerated_loop) to say, which executes it again under guards.
//!
//! Sound for this reason; finds nothing where choices have to be made with care.

use crate::budget::Budget;
use crate::run::{First, Run, Runs, along_runs};
use crate::task_net::Net;
use crate::{Divergence, Fairness};

/// The longest run.
const LENGTH: usize = 60;
/// A run in which more waits is given up: to look at such states closely takes long.
const PENDING: usize = 40;
/// Which runs are followed.
const RUNS: Runs = Runs {
    ways: 5,
    starts: 6,
    first: First::Newest,
};
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
    along_runs(net, RUNS, fairness, |net, mut run| {
        while candidates > 0 && run.moves.len() < LENGTH && run.queue.len() < PENDING {
            if !run.step(net, budget)? {
                break;
            }
            let found = closes(&run, net, fairness, property, &mut candidates);
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    })
}

/// A cycle that ends here, if there is one.
fn closes(
    run: &Run,
    net: &mut Net<'_>,
    fairness: Fairness,
    property: usize,
    candidates: &mut usize,
) -> Option<Divergence> {
    let end = run.moves.len();
    for period in 1..=end / 2 {
        if !run.is_candidate(net, end, period) {
            continue;
        }
        *candidates = candidates.saturating_sub(1);
        let found = run.lasso(end, period).told(net, property);
        let found = found.filter(|found| fairness.is_meant(&found.repetition));
        if found.is_some() || *candidates == 0 {
            return found;
        }
    }
    None
}
