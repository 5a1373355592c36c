//! The interpreter agrees with the enumerator.
//!
//! On random programs, under every delivery model and with several models in one program, there are
//! equally many complete, blocked, failed and discarded executions, and they end with the same
//! values of the state variables. Action systems end in the same states.
//!
//! `PLAINSONG_PROGRAMS` says how many programs each test compares, and `PLAINSONG_SEED` how many
//! seeds it skips first, so that `PLAINSONG_SEED=500` goes on where the usual run ends.
//!
//! When the two disagree, the program is made smaller as long as they still do, and shown.

pub(crate) mod account;
pub(crate) mod annotations;
pub(crate) mod relays;
pub(crate) mod seasoning;
pub(crate) mod shrink;
pub(crate) mod values;

use account::{Account, enumerated, instance, interpreted};
use annotations::without_annotations;
use plainsong_ir::{Delivery, Song};
use plainsong_testkit::random_song::{Form, small_voices, song_of};
use relays::relays;
use seasoning::seasoned;

/// How many programs of processes are compared for each model, unless asked for another number.
pub(crate) const PROGRAMS: u64 = 500;

/// How many action systems are; they are quickly compared.
const ACTION_SYSTEMS: u64 = 2_000;

/// The most prefixes of executions of a small program; programs with more are left out.
pub(crate) const LIMIT: usize = 10_000;

/// The most prefixes of executions, or states, of any other program.
pub(crate) const LIMIT_OF_ANY: usize = 200;

/// The most processes; programs with more are left out.
pub(crate) const MOST_MEMBERS: usize = 12;

#[test]
fn on_unordered_programs() {
    agree_on_small_programs(Some(Delivery::Unordered)).check();
}

#[test]
fn on_fifo_programs() {
    agree_on_small_programs(Some(Delivery::Fifo)).check();
}

#[test]
fn on_causal_programs() {
    agree_on_small_programs(Some(Delivery::Causal)).check();
}

#[test]
fn on_mailbox_programs() {
    agree_on_small_programs(Some(Delivery::Mailbox)).check();
}

#[test]
fn on_programs_of_mixed_models() {
    agree_on_small_programs(None).check();
}

/// Causes that pass through several messages.
#[test]
fn on_programs_that_pass_word_on() {
    let mut tally = Tally::default();
    let (skipped, programs) = asked_for(PROGRAMS);
    for seed in skipped..skipped + programs {
        let song = relays(seed, Delivery::Causal);
        tally.compare(seed, &song, &|song| both(song, None, LIMIT));
    }
    assert!(tally.left_out * 20 < tally.compared, "{tally:?}");
    assert!(tally.several * 4 > tally.compared, "{tally:?}");
}

/// The model that is chosen for a run counts more than what the messages say.
#[test]
fn on_programs_whose_models_are_overridden() {
    let mut tally = Tally::default();
    let (skipped, programs) = asked_for(PROGRAMS);
    for seed in skipped..skipped + programs.div_ceil(8) {
        let song = sometimes_seasoned(seed, small_voices(seed, None));
        for delivery in Delivery::ALL {
            tally.compare(seed, &song, &|song| both(song, Some(delivery), LIMIT));
        }
    }
    tally.check();
}

/// Many kinds of expressions, few messages.
#[test]
fn on_processes_that_use_the_whole_language() {
    let tally = agree_on_any_songs(Form::Voices, PROGRAMS);
    assert!(tally.compared > tally.left_out, "{tally:?}");
}

#[test]
fn on_action_systems_that_use_the_whole_language() {
    let tally = agree_on_any_songs(Form::Actions, ACTION_SYSTEMS);
    assert!(tally.compared > tally.left_out, "{tally:?}");
}

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

fn agree_on_small_programs(delivery: Option<Delivery>) -> Tally {
    let mut tally = Tally::default();
    let first = delivery.map_or(0, |delivery| 1_000_000 * (1 + delivery as u64));
    let (skipped, programs) = asked_for(PROGRAMS);
    let first = first + skipped;
    for seed in first..first + programs {
        let song = sometimes_seasoned(seed, small_voices(seed, delivery));
        tally.compare(seed, &song, &|song| both(song, None, LIMIT));
    }
    tally
}

/// Every second song with statements more, after which fewer executions end well.
pub(crate) fn sometimes_seasoned(seed: u64, song: Song) -> Song {
    if seed.is_multiple_of(2) {
        song
    } else {
        seasoned(seed, song)
    }
}

fn agree_on_any_songs(form: Form, programs: u64) -> Tally {
    let mut tally = Tally::default();
    let (skipped, programs) = asked_for(programs);
    for seed in skipped..skipped + programs {
        let song = without_annotations(song_of(form, seed, (seed % 2) as usize));
        tally.compare(seed, &song, &|song| {
            let (ours, theirs) = both(song, None, LIMIT_OF_ANY)?;
            Some((
                ours.without_numbers_of_failures(),
                theirs.without_numbers_of_failures(),
            ))
        });
    }
    tally
}

/// What the compared programs were like: how many of them can do what.
#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    left_out: usize,
    several: usize,
    blocked: usize,
    failed: usize,
    discarded: usize,
}

/// What the enumerator and the interpreter say about a song, if it can be compared.
type Both<'a> = &'a dyn Fn(&Song) -> Option<(Account, Account)>;

impl Tally {
    fn compare(&mut self, seed: u64, song: &Song, both: Both<'_>) {
        let Some((ours, theirs)) = both(song) else {
            self.left_out += 1;
            return;
        };
        if ours != theirs {
            disagree(seed, song, both);
        }
        self.compared += 1;
        self.several += usize::from(ours.complete > 1);
        self.blocked += usize::from(ours.blocked > 0);
        self.failed += usize::from(ours.failed > 0);
        self.discarded += usize::from(ours.discarded > 0);
    }

    /// The comparison means something only if the programs do.
    fn check(&self) {
        assert!(self.left_out * 20 < self.compared, "{self:?}");
        assert!(self.several * 4 > self.compared, "{self:?}");
        assert!(self.blocked * 4 > self.compared, "{self:?}");
        assert!(self.failed * 50 > self.compared, "{self:?}");
        assert!(self.discarded * 50 > self.compared, "{self:?}");
    }
}

/// What both say; `None` when the song has no instance, or too many processes, or too much can
/// happen in it.
fn both(song: &Song, delivery: Option<Delivery>, limit: usize) -> Option<(Account, Account)> {
    let instance = instance(song)?.with_delivery(delivery);
    if instance.members().len() > MOST_MEMBERS {
        return None;
    }
    let ours = enumerated(&instance, limit)?;
    Some((ours, interpreted(&instance)?))
}

/// Shows the smallest program found on which the two differ.
fn disagree(seed: u64, song: &Song, both: Both<'_>) -> ! {
    let differ = |song: &Song| both(song).is_some_and(|(ours, theirs)| ours != theirs);
    let small = shrink::shrink(song, &differ);
    let text = plainsong_ir::print::song(&small);
    let (ours, theirs) = both(&small).expect("it was compared before");
    panic!("seed {seed}\n{text}\nenumerator: {ours:#?}\ninterpreter: {theirs:#?}");
}
