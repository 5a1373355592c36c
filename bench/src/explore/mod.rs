//! Exploration of Rust code: executions per second, next to the best peer.
//!
//! | program | what |
//! |---|---|
//! | ns+nr(n) | n senders race for a receiver that receives n times: n! |
//! | nworkers(n) | the same, then the receiver races with main for main's mailbox: 2·n! |
//! | 2PC(n) | n voters with a free choice each, and a coordinator: 2^n·n! |
//! | streams(n) | two senders of n messages each, merged: C(2n, n) |
//! | trips(n) | two processes exchange n messages each way: one long execution |
//! | crossing(n) | n pairs that cross, under mailbox delivery: 3^n |

mod ours;
#[cfg(feature = "peers")]
mod peer;

use crate::measure::best_of;
use std::time::Duration;

/// A program, its size and its delivery model.
#[derive(Clone, Copy)]
pub struct Case {
    /// Which program.
    pub program: &'static str,
    /// Its size.
    pub n: u32,
    /// `fifo`, `causal` or `mailbox`.
    pub delivery: &'static str,
}

/// How many executions there should be, and how often to measure.
const CASES: &[(Case, u64, u32)] = &[
    (case("ns+nr", 8, "fifo"), 40_320, 3),
    (case("ns+nr", 9, "fifo"), 362_880, 2),
    (case("nworkers", 8, "fifo"), 80_640, 3),
    (case("nworkers", 9, "fifo"), 725_760, 1),
    (case("2PC", 6, "fifo"), 46_080, 3),
    (case("streams", 6, "fifo"), 924, 5),
    (case("trips", 1000, "fifo"), 1, 3),
    (case("nworkers", 8, "causal"), 80_640, 3),
    (case("nworkers", 8, "mailbox"), 80_640, 3),
    (case("crossing", 6, "mailbox"), 729, 3),
];

const fn case(program: &'static str, n: u32, delivery: &'static str) -> Case {
    Case {
        program,
        n,
        delivery,
    }
}

/// Prints the table.
pub fn table() {
    println!("exploring Rust code: executions, time, time of the peer, ratio");
    for &(case, expected, times) in CASES {
        let (time, executions) = best_of(times, || ours::explore(case, 1));
        assert_eq!(executions, expected, "{} {}", case.program, case.n);
        let name = format!("{}({}) {}", case.program, case.n, case.delivery);
        println!(
            "  {name:24} {executions:>8}  {:>9}  {}",
            shown(time),
            against(case, times, time)
        );
    }
    for program in ["ns+nr", "nworkers"] {
        let one = best_of(2, || ours::explore(case(program, 9, "fifo"), 1)).0;
        let two = best_of(2, || ours::explore(case(program, 9, "fifo"), 2)).0;
        let gain = one.as_secs_f64() / two.as_secs_f64();
        println!(
            "  {program}(9), two workers: {} instead of {}, {gain:.2} times",
            shown(two),
            shown(one)
        );
    }
}

#[cfg(feature = "peers")]
fn against(case: Case, times: u32, ours: Duration) -> String {
    let (theirs, _) = best_of(times.min(2), || peer::explore(case));
    format!(
        "{:>9}  {:.1} times",
        shown(theirs),
        theirs.as_secs_f64() / ours.as_secs_f64()
    )
}

#[cfg(not(feature = "peers"))]
fn against(_case: Case, _times: u32, _ours: Duration) -> String {
    "(peers not built: --features peers)".to_owned()
}

fn shown(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}
