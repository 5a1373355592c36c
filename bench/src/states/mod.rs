//! Searching an action system: states per CPU second and memory, next to the best peer.
//!
//! Two-phase commit with a transaction manager and n resource managers: the song in `songs/explore`, and the
//! same model written for Stateright twice: with the collections one would naturally use (`theirs`), and
//! packed into a few integers by hand (`by hand`). All search breadth first with one thread, and check
//! that nobody commits while somebody aborts; `deep` is the natural one depth first, which keeps hashes of
//! states only. The song has one state more: the one before `init`. The goal is against both natural ones, where
//! there is something to search: below a million states, starting a process is what takes memory.

mod measured;
mod ours;
#[cfg(feature = "peers")]
mod peer;

pub use measured::{MEASURE, measure};
use measured::{Measured, Who, in_its_own_process};

/// Sizes, and how often to measure each.
const SIZES: &[(u32, u32)] = &[(5, 3), (6, 3), (7, 3), (8, 2), (9, 1)];

/// From so many states on the goal counts.
const LARGE: u64 = 1_000_000;

/// How many times more states per second, and how many times less memory, are asked for.
const GOAL: (f64, f64) = (3.0, 1.0);

/// Prints the table, and whether the goal is met.
pub fn table() {
    println!("{HEADING}");
    let mut least: Option<(f64, f64)> = None;
    for &(n, times) in SIZES {
        let ours = best(Who::Ours, n, times);
        if !cfg!(feature = "peers") {
            println!("{}", row(n, &ours, &[]));
            continue;
        }
        let theirs = [Who::Peer, Who::PeerDeep, Who::PeerByHand].map(|who| best(who, n, times));
        for peer in &theirs {
            assert_eq!(ours.states, peer.states + 1, "2PC({n})");
        }
        println!("{}", row(n, &ours, &theirs));
        for peer in theirs[..2].iter().filter(|_| ours.states >= LARGE) {
            let (speed, memory) = ours.against(peer);
            least = Some(match least {
                Some((least, less)) => (least.min(speed), less.min(memory)),
                None => (speed, memory),
            });
        }
    }
    if let Some((speed, memory)) = least {
        let met = if speed >= GOAL.0 && memory >= GOAL.1 {
            "met"
        } else {
            "MISSED"
        };
        println!(
            "  goal {met}: at least {:.0} times the states per second ({speed:.1}), less memory ({memory:.1} times less)",
            GOAL.0
        );
    }
}

const HEADING: &str = "searching two-phase commit as actions, states per CPU second
  n       states       ours     theirs  ratio       deep  ratio    by hand  ratio     memory   theirs     deep  by hand";

fn row(n: u32, ours: &Measured, theirs: &[Measured]) -> String {
    let speed = |of: &Measured| format!("{:.2} M", of.per_second() / 1e6);
    let megabytes = |of: &Measured| format!("{:.1} MB", of.memory as f64 / 1e6);
    let mut speeds = String::new();
    let mut memories = String::new();
    for peer in theirs {
        let (ratio, _) = ours.against(peer);
        speeds += &format!(" {:>10} {ratio:>6.1}", speed(peer));
        memories += &format!(" {:>8}", megabytes(peer));
    }
    format!(
        "  {n:2} {:>11} {:>10}{speeds}   {:>8}{memories}",
        ours.states,
        speed(ours),
        megabytes(ours)
    )
}

fn best(who: Who, n: u32, times: u32) -> Measured {
    let mut best = in_its_own_process(who, n);
    for _ in 1..times {
        best.keep_better(in_its_own_process(who, n));
    }
    best
}
