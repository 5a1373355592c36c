//! Election by majority, `songs/explore/leader-by-majority.song`, with and without a monitor, and the
//! same in Rust.

use super::programs::election::{Won, election, forget, vote};
use super::{Counts, in_rust, is_slow_wanted, rust_counts_by, song};
use plainsong::{Explorer, Verdict};
use plainsong_ir::Delivery;
use std::collections::BTreeSet;

/// Two candidates, so many voters and terms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Election {
    pub(super) voters: usize,
    pub(super) terms: usize,
}

impl Election {
    const fn of(voters: usize, terms: usize) -> Election {
        Election { voters, terms }
    }

    fn sizes(self) -> [(&'static str, i64); 3] {
        [
            ("Candidate", CANDIDATES as i64),
            ("Voter", self.voters as i64),
            ("Terms", self.terms as i64),
        ]
    }

    /// The counts of the song under each model, and of the one with a monitor, which sees who wins in
    /// causal order.
    pub(super) fn sung_counts(self) -> [[Counts; 4]; 2] {
        let sizes = self.sizes();
        [
            Delivery::ALL.map(|model| song("leader-by-majority", &sizes).counts(model)),
            Delivery::ALL
                .map(|model| song("leader-by-majority-watched", &sizes).counts_where_fifo(model)),
        ]
    }

    /// The same of the Rust program.
    fn rust_counts(self) -> [[Counts; 4]; 2] {
        let watched = Explorer::new().monitor(OneWinner::default);
        [Explorer::new(), watched].map(|explorer| {
            Delivery::ALL.map(|model| {
                rust_counts_by(&explorer, model, move || {
                    election(CANDIDATES, self.voters, self.terms, vote);
                })
            })
        })
    }
}

const CANDIDATES: usize = 2;

/// What the book's table has.
pub(super) const ELECTIONS: [Election; 3] =
    [Election::of(2, 1), Election::of(3, 1), Election::of(2, 2)];

/// Stricter models have no more executions, and a monitor adds some.
#[test]
fn song_and_rust_agree() {
    for election in elections() {
        let [alone, watched] = election.sung_counts();
        assert_eq!([alone, watched], election.rust_counts(), "{election:?}");
        for counts in [alone, watched] {
            assert!(
                counts.is_sorted_by(|weak, strict| weak.0 >= strict.0),
                "{election:?}"
            );
        }
        for (alone, watched) in alone.into_iter().zip(watched) {
            assert!(alone.0 <= watched.0, "{election:?}");
            assert_eq!((alone.1, watched.1), (0, 0), "{election:?}");
        }
    }
}

/// The broken twin is refuted as a song, by its property, and in Rust, by the monitor.
#[test]
fn voters_that_forget_elect_two() {
    let small = Election::of(2, 1);
    let sizes = small.sizes();
    let song = song("leader-by-majority-voters-forget", &sizes);
    for model in Delivery::ALL {
        assert!(song.is_refuted("one_winner", model), "{model:?}");
        let watched = Explorer::new().monitor(OneWinner::default);
        let report = watched
            .delivery(in_rust(model))
            .run(move || election(CANDIDATES, small.voters, small.terms, forget));
        assert_eq!(report.verdict, Verdict::Refuted, "{model:?}");
        let message = &report.failures[0].message;
        assert!(message.contains("two winners in term 0"), "{message}");
    }
}

fn elections() -> Vec<Election> {
    let slow = is_slow_wanted().then_some(Election::of(4, 1));
    ELECTIONS.into_iter().chain(slow).collect()
}

#[derive(Default)]
struct OneWinner {
    won: BTreeSet<usize>,
}

#[plainsong::monitor(Won)]
impl OneWinner {
    fn won(&mut self, won: &Won) {
        assert!(
            self.won.insert(won.term),
            "two winners in term {}",
            won.term
        );
    }
}
