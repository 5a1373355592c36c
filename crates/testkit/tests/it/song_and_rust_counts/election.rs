//! Election by majority, `songs/explore/leader-by-majority.song`, with and without a monitor, and the
//! same in Rust.

use super::{Counts, in_rust, is_slow_wanted, mailboxes, rust_counts_by, song};
use plainsong::{Builder, Explorer, Receiver, Sender, Verdict, channel, spawn_named};
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
            Delivery::ALL
                .map(|model| rust_counts_by(&explorer, model, move || election(self, vote)))
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
            .run(move || election(small, forget));
        assert_eq!(report.verdict, Verdict::Refuted, "{model:?}");
        let message = &report.failures[0].message;
        assert!(message.contains("two winners in term 0"), "{message}");
    }
}

fn elections() -> Vec<Election> {
    let slow = is_slow_wanted().then_some(Election::of(4, 1));
    ELECTIONS.into_iter().chain(slow).collect()
}

#[derive(Clone, Debug)]
struct Won {
    term: usize,
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

/// A term, and who asks.
type Ask = (usize, usize);
/// A term, and whether it is a yes.
type Answer = (usize, bool);

type Voter = fn(&Receiver<Ask>, &[Sender<Answer>]);

fn election(of: Election, voter: Voter) {
    let (to_candidate, at_candidate) = mailboxes::<Answer>("candidate", CANDIDATES);
    let (to_voter, at_voter) = mailboxes::<Ask>("voter", of.voters);
    let (to_office, at_office) = channel::<Won>("office");
    for (c, at) in at_candidate.into_iter().enumerate() {
        let (to_voter, to_office) = (to_voter.clone(), to_office.clone());
        spawn_named(format!("candidate {c}"), move || {
            (0..of.terms).for_each(|term| stand(term, c, &at, &to_voter, &to_office));
        });
    }
    for at in at_voter {
        let to_candidate = to_candidate.clone();
        Builder::new()
            .daemon()
            .spawn(move || voter(&at, &to_candidate));
    }
    Builder::new().daemon().spawn(move || {
        loop {
            at_office.receive();
        }
    });
}

fn stand(
    term: usize,
    candidate: usize,
    at: &Receiver<Answer>,
    to_voter: &[Sender<Ask>],
    to_office: &Sender<Won>,
) {
    to_voter.iter().for_each(|to| to.send((term, candidate)));
    let (mut yes, mut no) = (0, 0);
    while 2 * yes <= to_voter.len() && 2 * no < to_voter.len() {
        match at.receive() {
            (of, true) if of == term => yes += 1,
            (of, false) if of == term => no += 1,
            _ => {}
        }
    }
    if 2 * yes > to_voter.len() {
        to_office.send(Won { term });
    }
}

fn vote(at: &Receiver<Ask>, to_candidate: &[Sender<Answer>]) {
    let mut voted = BTreeSet::new();
    loop {
        let (term, candidate) = at.receive();
        to_candidate[candidate].send((term, voted.insert(term)));
    }
}

/// Says yes to everybody.
fn forget(at: &Receiver<Ask>, to_candidate: &[Sender<Answer>]) {
    loop {
        let (term, candidate) = at.receive();
        to_candidate[candidate].send((term, true));
    }
}
