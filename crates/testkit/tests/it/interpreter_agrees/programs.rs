//! The random programs that are compared, and what they were like.

use super::account::Account;
use super::annotations::without_annotations;
use super::relays::relays;
use super::seasoning::seasoned;
use plainsong_ir::{Delivery, Song};
use plainsong_testkit::random_song::{Form, small_voices, song_of};

/// How many seeds are skipped, and how many programs are compared: `usual` unless one says.
pub(crate) fn asked_for(usual: u64) -> (u64, u64) {
    let number = |name, otherwise| match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name} is a number, not `{text}`")),
        Err(_) => otherwise,
    };
    (
        number("PLAINSONG_SEED", 0),
        number("PLAINSONG_PROGRAMS", usual),
    )
}

/// Small programs of one model, or of mixed ones, with their seeds.
pub(crate) fn small(delivery: Option<Delivery>, usual: u64) -> impl Iterator<Item = (u64, Song)> {
    let first = delivery.map_or(0, |delivery| 1_000_000 * (1 + delivery as u64));
    seeds(first, usual).map(move |seed| {
        let song = sometimes_seasoned(seed, small_voices(seed, delivery));
        (seed, song)
    })
}

/// Programs with causes that pass through several messages, with their seeds.
pub(crate) fn passing_word_on(usual: u64) -> impl Iterator<Item = (u64, Song)> {
    seeds(0, usual).map(|seed| (seed, relays(seed, Delivery::Causal)))
}

/// Programs with many kinds of expressions and few messages, with their seeds.
pub(crate) fn of_the_whole_language(form: Form, usual: u64) -> impl Iterator<Item = (u64, Song)> {
    seeds(0, usual).map(move |seed| {
        let song = song_of(form, seed, (seed % 2) as usize);
        (seed, without_annotations(song))
    })
}

/// Every second song with statements more, after which fewer executions end well.
pub(crate) fn sometimes_seasoned(seed: u64, song: Song) -> Song {
    if seed.is_multiple_of(2) {
        song
    } else {
        seasoned(seed, song)
    }
}

fn seeds(first: u64, usual: u64) -> impl Iterator<Item = u64> {
    let (skipped, programs) = asked_for(usual);
    first + skipped..first + skipped + programs
}

/// What the compared programs were like: how many of them can do what.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) compared: usize,
    pub(crate) left_out: usize,
    pub(crate) several: usize,
    blocked: usize,
    failed: usize,
    discarded: usize,
}

impl Tally {
    /// One more was compared.
    pub(crate) fn add(&mut self, account: &Account) {
        self.compared += 1;
        self.several += usize::from(account.complete > 1);
        self.blocked += usize::from(account.blocked > 0);
        self.failed += usize::from(account.failed > 0);
        self.discarded += usize::from(account.discarded > 0);
    }

    /// The comparison means something only if the programs do.
    pub(crate) fn check(&self) {
        assert!(self.left_out * 20 < self.compared, "{self:?}");
        assert!(self.several * 4 > self.compared, "{self:?}");
        assert!(self.blocked * 4 > self.compared, "{self:?}");
        assert!(self.failed * 50 > self.compared, "{self:?}");
        assert!(self.discarded * 50 > self.compared, "{self:?}");
    }
}
