//! Timing in CPU time, which other people's programs disturb less than the time on the wall; memory.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The CPU time that this process has used, all its threads together.
pub fn process_time() -> Duration {
    time(ClockId::ProcessCPUTime)
}

/// The CPU time of processes that have ended, in steps of 10 ms; nothing where the system does not tell.
pub fn children_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = text.rsplit(')').next().unwrap_or_default();
    let mut fields = after_name.split_whitespace().skip(13);
    let mut ticks = || fields.next().and_then(|field| field.parse::<u64>().ok());
    let total = ticks().unwrap_or_default() + ticks().unwrap_or_default();
    Duration::from_millis(total * 10)
}

/// The CPU time that this thread has used.
pub fn thread_time() -> Duration {
    time(ClockId::ThreadCPUTime)
}

fn time(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// The shortest of `times` runs, in CPU time.
pub fn best_of<T>(times: u32, mut run: impl FnMut() -> T) -> (Duration, T) {
    let mut best = None;
    for _ in 0..times.max(1) {
        let start = process_time();
        let result = run();
        let took = process_time() - start;
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

/// The peak of this process's resident memory, in bytes.
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
    kilobytes.map_or(0, |kilobytes: u64| kilobytes * 1024)
}
