//! Exploration of Rust code: CPU time and memory per execution, next to the best peer.
//!
//! | program | what |
//! |---|---|
//! | ns+nr(n) | n senders race for a receiver that receives n times: n! |
//! | nworkers(n) | the same, then the receiver races with main for main's mailbox: 2·n! |
//! | 2PC(n) | n voters with a free choice each, and a coordinator: 2^n·n! |
//! | streams(n) | two senders of n messages each, merged: C(2n, n) |
//! | trips(n) | two processes exchange n messages each way: one execution of 4n + 4 events |
//! | crossing(n) | n pairs that cross: 4^n, under mailbox delivery 3^n |

mod goals;
mod measured;
mod ours;
#[cfg(feature = "peers")]
mod peer;
#[path = "../../../crates/testkit/tests/it/song_and_rust_counts/programs/mod.rs"]
#[allow(dead_code, reason = "what the tests break or watch is not measured")]
mod programs;
mod songs;

use goals::Goals;
pub use measured::{MEASURE, measure};
use measured::{Measured, Who, in_its_own_process};

/// A program, its size and its delivery model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Which program.
    pub program: &'static str,
    /// Its size.
    pub n: u32,
    /// `fifo`, `causal` or `mailbox`.
    pub delivery: &'static str,
}

/// How many executions there should be, and how often to measure, with a new process each time.
const CASES: &[(Case, u64, u32)] = &[
    (case("ns+nr", 8, "fifo"), 40_320, 3),
    (case("ns+nr", 9, "fifo"), 362_880, 2),
    (case("nworkers", 7, "fifo"), 10_080, 3),
    (case("nworkers", 8, "fifo"), 80_640, 3),
    (case("nworkers", 9, "fifo"), 725_760, 1),
    (case("2PC", 6, "fifo"), 46_080, 3),
    (case("streams", 6, "fifo"), 924, 3),
    (case("trips", 1000, "fifo"), 1, 3),
    (case("nworkers", 8, "causal"), 80_640, 3),
    (case("nworkers", 8, "mailbox"), 80_640, 2),
    (case("streams", 6, "causal"), 924, 3),
    (case("streams", 6, "mailbox"), 924, 3),
    (case("crossing", 6, "causal"), 4096, 3),
    (case("crossing", 6, "mailbox"), 729, 3),
];

const fn case(program: &'static str, n: u32, delivery: &'static str) -> Case {
    Case {
        program,
        n,
        delivery,
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!("{}({}) {}", self.program, self.n, self.delivery))
    }
}

/// Prints the wanted rows, and which goals are met.
pub fn table(wanted: &[String]) {
    let is_wanted = |name: &str| {
        let picks = |word: &String| "explore".contains(word.as_str()) || name.contains(&**word);
        wanted.is_empty() || wanted.iter().any(picks)
    };
    let mut goals = Goals::default();
    let rows = CASES.iter().filter(|row| is_wanted(row.0.program));
    for (at, &(case, expected, times)) in rows.enumerate() {
        if at == 0 {
            println!("{HEADING}");
        }
        let (ours, theirs) = side_by_side(case, times);
        assert_eq!((ours.executions, ours.blocked), (expected, 0), "{case}");
        println!("{}", row(case, &ours, theirs.as_ref()));
        goals.add(case, ours, theirs);
    }
    if is_wanted("workers") {
        for program in ["ns+nr", "nworkers"] {
            let case = case(program, 9, "fifo");
            let one = in_its_own_process(Who::Ours(1), case);
            let two = in_its_own_process(Who::Ours(2), case);
            goals.add_workers(case, &one, &two);
        }
    }
    goals.print();
    if is_wanted("songs") {
        songs::table();
    }
}

const HEADING: &str = "exploring Rust code, CPU time per execution
  program               executions       ours      peer    ratio   events/s  memory  peer's";

fn row(case: Case, ours: &Measured, theirs: Option<&Measured>) -> String {
    let megabytes = |of: &Measured| format!("{:.1} MB", of.memory as f64 / 1e6);
    let (peer, ratio, memory) = match theirs {
        Some(theirs) => (
            shown(theirs.each()),
            format!("{:.1}", theirs.each() / ours.each()),
            megabytes(theirs),
        ),
        None => Default::default(),
    };
    format!(
        "  {case:22} {:>9} {:>10} {peer:>9} {ratio:>8} {:>8.1} M {:>7} {memory:>7}",
        ours.executions,
        shown(ours.each()),
        ours.events as f64 / ours.seconds() / 1e6,
        megabytes(ours),
    )
}

/// Ours and the peer's best, measured by turns.
fn side_by_side(case: Case, times: u32) -> (Measured, Option<Measured>) {
    let mut ours = in_its_own_process(Who::Ours(1), case);
    let mut theirs = peer(case);
    for _ in 1..times {
        ours.keep_better(in_its_own_process(Who::Ours(1), case));
        if let (Some(theirs), Some(again)) = (&mut theirs, peer(case)) {
            theirs.keep_better(again);
        }
    }
    (ours, theirs)
}

fn peer(case: Case) -> Option<Measured> {
    cfg!(feature = "peers").then(|| in_its_own_process(Who::Peer, case))
}

/// Seconds, for a table.
fn shown(seconds: f64) -> String {
    match seconds {
        _ if seconds < 1e-3 => format!("{:.2} µs", seconds * 1e6),
        _ => format!("{:.2} ms", seconds * 1e3),
    }
}
