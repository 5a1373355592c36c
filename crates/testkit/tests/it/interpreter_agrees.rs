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
mod annotations;
pub(crate) mod faults;
pub(crate) mod programs;
mod relays;
mod seasoning;
pub(crate) mod shrink;
pub(crate) mod values;

use account::{Account, enumerated, instance, interpreted};
use plainsong_ir::{Delivery, Song};
use plainsong_testkit::random_song::Form;
use programs::{Tally, of_the_whole_language, passing_word_on, small};

pub(crate) use programs::{asked_for, sometimes_seasoned};

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
    for (seed, song) in passing_word_on(PROGRAMS) {
        compare(&mut tally, seed, &song, &|song| both(song, None, LIMIT));
    }
    assert!(tally.left_out * 20 < tally.compared, "{tally:?}");
    assert!(tally.several * 4 > tally.compared, "{tally:?}");
}

/// The model that is chosen for a run counts more than what the messages say.
#[test]
fn on_programs_whose_models_are_overridden() {
    let mut tally = Tally::default();
    let (_, programs) = asked_for(PROGRAMS);
    for (seed, song) in small(None, PROGRAMS).take(programs.div_ceil(8) as usize) {
        for delivery in Delivery::ALL {
            let both = |song: &Song| both(song, Some(delivery), LIMIT);
            compare(&mut tally, seed, &song, &both);
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

fn agree_on_small_programs(delivery: Option<Delivery>) -> Tally {
    let mut tally = Tally::default();
    for (seed, song) in small(delivery, PROGRAMS) {
        compare(&mut tally, seed, &song, &|song| both(song, None, LIMIT));
    }
    tally
}

fn agree_on_any_songs(form: Form, programs: u64) -> Tally {
    let mut tally = Tally::default();
    for (seed, song) in of_the_whole_language(form, programs) {
        compare(&mut tally, seed, &song, &|song| {
            let (ours, theirs) = both(song, None, LIMIT_OF_ANY)?;
            Some((
                ours.without_numbers_of_failures(),
                theirs.without_numbers_of_failures(),
            ))
        });
    }
    tally
}

/// What the enumerator and the interpreter say about a song, if it can be compared.
type Both<'a> = &'a dyn Fn(&Song) -> Option<(Account, Account)>;

fn compare(tally: &mut Tally, seed: u64, song: &Song, both: Both<'_>) {
    match both(song) {
        None => tally.left_out += 1,
        Some((ours, theirs)) if ours != theirs => disagree(seed, song, both),
        Some((ours, _)) => tally.add(&ours),
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
    let (small, text) = shrink::shown(seed, song, &differ);
    let (ours, theirs) = both(&small).expect("it was compared before");
    panic!("{text}\nenumerator: {ours:#?}\ninterpreter: {theirs:#?}");
}
