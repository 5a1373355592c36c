//! One search, measured in a process of its own.

use crate::measure::{peak_memory, process_time};
use std::process::Command;

/// The word that makes this program measure one search and print the figures.
pub const MEASURE: &str = "--measure-states";

/// Whose search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Plainsong's, of the song.
    Ours,
    /// The peer's, with ordinary collections.
    Peer,
    /// The same, depth first.
    PeerDeep,
    /// The peer's, packed by hand.
    PeerByHand,
}

const NAMES: [(Who, &str); 4] = [
    (Who::Ours, "ours"),
    (Who::Peer, "peer"),
    (Who::PeerDeep, "deep"),
    (Who::PeerByHand, "by-hand"),
];

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Different states.
    pub states: u64,
    /// CPU time, in nanoseconds.
    pub time: u64,
    /// Peak of resident memory, in bytes.
    pub memory: u64,
}

impl Measured {
    /// States per CPU second.
    pub fn per_second(&self) -> f64 {
        self.states as f64 / (self.time as f64 / 1e9)
    }

    /// How many times faster than another, and how many times smaller.
    pub fn against(&self, other: &Measured) -> (f64, f64) {
        (
            self.per_second() / other.per_second(),
            other.memory as f64 / self.memory as f64,
        )
    }

    /// Keeps the shorter time and the larger memory.
    pub fn keep_better(&mut self, other: Measured) {
        self.memory = self.memory.max(other.memory);
        self.time = self.time.min(other.time);
    }
}

/// Starts this program again to measure one search.
pub fn in_its_own_process(who: Who, n: u32) -> Measured {
    let this = std::env::current_exe().expect("this program has a file");
    let name = NAMES.iter().find(|(known, _)| *known == who);
    let output = Command::new(this)
        .args([MEASURE, name.map_or("", |(_, name)| name), &n.to_string()])
        .output()
        .expect("this program can be started again");
    let text = String::from_utf8_lossy(&output.stdout);
    let figures: Vec<u64> = text
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    match figures[..] {
        [states, time, memory] if output.status.success() => Measured {
            states,
            time,
            memory,
        },
        _ => panic!("{n}: {text}{}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// In the process of its own: measures, and prints the figures in one line.
pub fn measure(words: &[String]) {
    let [who, n] = words else {
        panic!("{MEASURE} needs: who size");
    };
    let n = n.parse().expect("a size");
    let start = process_time();
    let states = search(who, n);
    let time = process_time() - start;
    println!("{states} {} {}", time.as_nanos(), peak_memory());
}

fn search(who: &str, n: u32) -> u64 {
    match who {
        "ours" => super::ours::search(n),
        #[cfg(feature = "peers")]
        "peer" => super::peer::search(n),
        #[cfg(feature = "peers")]
        "deep" => super::peer::search_deep(n),
        #[cfg(feature = "peers")]
        "by-hand" => super::peer::search_by_hand(n),
        _ => unreachable!("no peers without --features peers"),
    }
}
