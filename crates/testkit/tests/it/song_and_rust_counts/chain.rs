//! Chain replication with faults, `songs/explore/chain-replication-with-faults.song`, and the same in
//! Rust.

use super::programs::chain::chain;
use super::{Counts, agreed, is_slow_wanted, song};
use plainsong_ir::Delivery;

/// How large a chain is, and what happens to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    pub(super) nodes: usize,
    pub(super) faults: usize,
    pub(super) requests: usize,
}

impl Chain {
    const fn of(nodes: usize, faults: usize, requests: usize) -> Chain {
        Chain {
            nodes,
            faults,
            requests,
        }
    }

    fn sizes(self) -> [(&'static str, i64); 3] {
        [
            ("N", self.nodes as i64),
            ("Faults", self.faults as i64),
            ("Requests", self.requests as i64),
        ]
    }

    /// The counts of the song under each model.
    pub(super) fn sung_counts(self) -> [Counts; 4] {
        Delivery::ALL.map(|model| song(SONG, &self.sizes()).counts(model))
    }

    /// The counts under each model, song and Rust alike.
    fn counts(self) -> [Counts; 4] {
        agreed(song(SONG, &self.sizes()), || {
            move || chain(self.nodes, self.faults, self.requests)
        })
    }

    fn logs_may_differ(self, model: Delivery) -> bool {
        song(SONG, &self.sizes()).is_refuted("same_log", model)
    }
}

const SONG: &str = "chain-replication-with-faults";

/// Stricter models have no more executions; what goes wrong, goes wrong without order.
#[test]
fn song_and_rust_agree() {
    for chain in chains() {
        let counts = chain.counts();
        assert!(
            counts.is_sorted_by(|weak, strict| weak.0 >= strict.0),
            "{chain:?}"
        );
        assert_eq!(
            counts[1..].iter().map(|count| count.1).sum::<u64>(),
            0,
            "{chain:?}"
        );
        let differ = Delivery::ALL.map(|model| chain.logs_may_differ(model));
        let several_are_up = chain.nodes - chain.faults > 1;
        assert_eq!(differ, [several_are_up, false, false, false], "{chain:?}");
    }
}

/// What the book's table has: first those that take a moment in Rust too.
pub(super) const CHAINS: [Chain; 6] = [
    Chain::of(3, 0, 3),
    Chain::of(4, 0, 3),
    Chain::of(3, 1, 2),
    Chain::of(4, 1, 2),
    Chain::of(3, 2, 2),
    Chain::of(4, 2, 2),
];

/// How many of them are compared each time.
const USUAL: usize = 5;

fn chains() -> Vec<Chain> {
    let slow = [Chain::of(3, 1, 3)];
    match is_slow_wanted() {
        true => [&CHAINS[..], &slow].concat(),
        false => CHAINS[..USUAL].to_vec(),
    }
}
