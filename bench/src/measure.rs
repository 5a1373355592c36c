//! Timing: the best of several runs, in CPU time of the whole process where the system tells.

use std::time::{Duration, Instant};

/// The shortest of `times` runs.
pub fn best_of<T>(times: u32, mut run: impl FnMut() -> T) -> (Duration, T) {
    let mut best = None;
    for _ in 0..times.max(1) {
        let start = Instant::now();
        let result = run();
        let took = start.elapsed();
        if best.as_ref().is_none_or(|(shortest, _)| took < *shortest) {
            best = Some((took, result));
        }
    }
    best.expect("at least one run")
}

/// Milliseconds, for a table.
pub fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}
