//! Numbers of executions that must not depend on how one explores.

use plainsong::{Delivery, Explorer, Restart, Verdict};

/// Complete and blocked executions; the same whatever runs again and in whatever order.
#[track_caller]
pub(crate) fn counts(
    explorer: &Explorer,
    program: impl Fn() + Copy + Send + Sync + 'static,
) -> (u64, u64) {
    let usual = explorer.clone().allow_deadlock(true);
    let count = |explorer: Explorer| {
        let report = explorer.run(program);
        assert_eq!(report.verdict, Verdict::Holds, "{report}");
        (report.executions, report.blocked)
    };
    let first = count(usual.clone());
    assert_eq!(count(usual.clone().restart(Restart::All)), first);
    assert_eq!(count(usual.clone().jobs(2)), first);
    for seed in 0..5 {
        assert_eq!(count(usual.clone().seed(seed)), first, "seed {seed}");
    }
    first
}

/// The same with this order of delivery.
#[track_caller]
pub(crate) fn counts_via(
    delivery: Delivery,
    program: impl Fn() + Copy + Send + Sync + 'static,
) -> (u64, u64) {
    counts(&Explorer::new().delivery(delivery), program)
}
