//! Runs that drift only after a while: retries with a limit that does not limit, ballots that pass a number.
//!
//! As in [`accelerated_runs`](crate::accelerated_runs) a run is followed by one rule, but much further, and only while little waits. As
//! long as an integer has not passed what it is compared with, its guard fails, however often one looks; so one looks
//! at positions that lie further and further apart (as in Brent's cycle-finding algorithm), and compares only the last two
//! rounds there. What is found lies up to half as far again as it has to, so the first position from which the
//! same cycle repeats itself is looked for between the last two.
//!
//! Sound because every candidate is a cycle only after [`accelerated_loop`](plainsong_semantics::accelerated_loop) has executed it again
//! under guards; finds nothing where choices have to be made with care.
//!
//! Rejected: looking at every position, as for short runs. Each look compiles the song with its guards, so that a
//! threshold of a thousand would take a thousand of them.

use crate::budget::{Budget, Spent};
use crate::lasso::Lasso;
use crate::run::{First, Run, Runs, along_runs};
use crate::task_net::Net;
use crate::{Divergence, Fairness};
use plainsong_semantics::lasso::Repetition;

/// The longest run.
const LENGTH: usize = 4_000;
/// A run in which more waits is given up.
const PENDING: usize = 12;
/// Which runs are followed.
const RUNS: Runs = Runs {
    ways: 2,
    starts: 2,
    first: First::Oldest,
};
/// The first position at which one looks.
const FIRST: usize = 16;
/// The longest cycle.
const PERIOD: usize = 200;
/// So many cycles are looked at closely at one position.
const CLOSELY: usize = 2;

/// Looks for a run that drifts after a while.
pub(crate) fn late(
    net: &mut Net<'_>,
    fairness: Fairness,
    property: usize,
    budget: &mut Budget<'_>,
) -> Option<Divergence> {
    along_runs(net, RUNS, fairness, |net, run| {
        let lasso = along(net, run, fairness, budget)?;
        Ok(lasso.map(|lasso| lasso.told(net, property)))
    })
    .flatten()
}

/// Follows a run to its end.
fn along(
    net: &mut Net<'_>,
    mut run: Run,
    fairness: Fairness,
    budget: &mut Budget<'_>,
) -> Result<Option<Lasso>, Spent> {
    let (mut before, mut look) = (0, FIRST);
    while look <= LENGTH {
        while run.moves.len() < look {
            if run.queue.len() > PENDING || !run.step(net, budget)? {
                return Ok(None);
            }
        }
        if let Some(period) = period(net, &run, look, fairness) {
            return Ok(Some(first(net, &run, before, look, period, fairness)));
        }
        (before, look) = (look, look + look / 2);
    }
    Ok(None)
}

/// The shortest cycle that ends at a position, if there is one.
fn period(net: &mut Net<'_>, run: &Run, end: usize, fairness: Fairness) -> Option<usize> {
    let mut closely = 0;
    for period in 1..=PERIOD.min(end / 2) {
        if run.is_candidate(net, end, period) {
            if is_period(net, run, end, period, fairness) {
                return Some(period);
            }
            closely += 1;
            if closely == CLOSELY {
                break;
            }
        }
    }
    None
}

/// The lasso that ends first with this cycle, after `before` and at `end` at the latest: once everything is
/// passed that is compared with, it stays passed, so halves are enough.
fn first(
    net: &mut Net<'_>,
    run: &Run,
    before: usize,
    end: usize,
    period: usize,
    fairness: Fairness,
) -> Lasso {
    let (mut low, mut high) = (before.max(2 * period - 1), end);
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        let is_candidate = run.is_candidate(net, middle, period);
        match is_candidate && is_period(net, run, middle, period, fairness) {
            true => high = middle,
            false => low = middle,
        }
    }
    run.lasso(high, period)
}

/// Can the last moves up to a position be repeated for ever, by an execution that is meant?
fn is_period(net: &mut Net<'_>, run: &Run, end: usize, period: usize, fairness: Fairness) -> bool {
    let repeats = run.lasso(end, period).repeats(net);
    repeats.is_some_and(|repeats: Repetition| fairness.is_meant(&repeats))
}
