//! How much memory the process takes, and how much it may.
//!
//! Where the system does not say (everything but Linux), there is no limit on the process as a whole; engines that count
//! what they store keep to `--memory` themselves.

use std::fs::read_to_string;

/// Without `--memory`, work takes at most this part of the machine's memory.
const PART: u64 = 4;
/// And never more than this, so that several runs at once leave a large machine usable, too.
const MOST: u64 = 4_000_000_000;
/// What the process takes beside the work: its code, its stacks, what talks to solvers.
const BESIDE: u64 = 100_000_000;
/// What a page has where nobody says.
const PAGE: u64 = 4096;

/// How many bytes of memory the process takes now.
pub fn resident() -> Option<u64> {
    let text = read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages.saturating_mul(PAGE))
}

/// How many bytes the process takes at most when its work may take so many.
pub fn at_most(work: u64) -> u64 {
    work.saturating_add(BESIDE)
}

/// The limit where nobody sets one: a quarter of the memory of the machine, or of the container, and at most 4 GB.
pub fn default_limit() -> Option<u64> {
    let machine = machine();
    let container = read_to_string("/sys/fs/cgroup/memory.max").ok();
    let container: Option<u64> = container.and_then(|text| text.trim().parse().ok());
    let least = machine.into_iter().chain(container).min()?;
    Some((least / PART).min(MOST))
}

fn machine() -> Option<u64> {
    let text = read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes.saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_takes_some_memory_and_may_take_more() {
        let taken = resident().expect("Linux says");
        let most = default_limit().expect("Linux says");
        assert!(taken > 100_000 && taken < most, "{taken} of {most}");
    }
}
