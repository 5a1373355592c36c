//! With declared faults, exploration finds as many executions as the enumeration of all interleavings, ending
//! alike; and `always` is refuted exactly where the search through states refutes it.
//!
//! `PLAINSONG_PROGRAMS` and `PLAINSONG_SEED` as in `interpreter_agrees`.

use super::{Compared, both, disagree, every_state};
use crate::interpreter_agrees::account::instance;
use crate::interpreter_agrees::faults::with_faults;
use crate::interpreter_agrees::programs::small;
use plainsong_explore_songs::{GaveUp, Manner, explore};
use plainsong_ir::{Delivery, FaultKind, Song};
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::search::Unwatched;

/// How many programs are compared for each model.
const PROGRAMS: u64 = 50;

/// The most prefixes of executions; programs with more are left out.
const LIMIT: usize = 3_000;

#[test]
fn on_unordered_programs() {
    let found = agree(Some(Delivery::Unordered));
    assert_eq!(found.not_covered, 0, "{found:?}");
}

#[test]
fn on_fifo_programs() {
    agree(Some(Delivery::Fifo));
}

#[test]
fn on_causal_programs() {
    agree(Some(Delivery::Causal));
}

#[test]
fn on_mailbox_programs() {
    agree(Some(Delivery::Mailbox));
}

#[test]
fn on_programs_of_mixed_models() {
    agree(None);
}

/// Where exploration does not cover a fault it says so; with another model it does.
#[test]
fn what_is_not_covered_is_said() {
    let song = |fault: &str| {
        let text = format!(
            "message Note via fifo;
             process writer {{ send Note to reader; }}
             daemon process reader {{ loop {{ receive Note; }} }}
             fault {fault} Note <= 1;"
        );
        plainsong_syntax::compile(&text).song.expect("it compiles")
    };
    let explored = |fault: &str, model: Delivery| {
        let instance = instance(&song(fault)).expect("it has no sizes");
        let machine = Machine::new(&instance.with_delivery(Some(model)), Subject::System);
        let found = explore(&machine, &[], &Manner::default(), &mut Unwatched);
        found.map(|found| found.count.complete)
    };
    for model in Delivery::ALL {
        let lost = match model {
            Delivery::Mailbox => Err(GaveUp::LosesFromMailboxes),
            _ => Ok(2),
        };
        assert_eq!(explored("lose", model), lost, "{model:?}");
        let doubled = match model {
            Delivery::Unordered => Ok(2),
            _ => Err(GaveUp::CopiesInOrder),
        };
        assert_eq!(explored("duplicate", model), doubled, "{model:?}");
    }
}

#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    left_out: usize,
    not_covered: usize,
    /// Compared programs that have such faults.
    crashes: usize,
    losses: usize,
    copies: usize,
}

fn agree(delivery: Option<Delivery>) -> Tally {
    let mut tally = Tally::default();
    for (seed, song) in small(delivery, PROGRAMS) {
        let song = with_faults(seed, song);
        match both(&song, LIMIT) {
            Compared::TooLarge => tally.left_out += 1,
            Compared::NotCovered(why) => {
                assert!(is_to_be_expected(why), "{why:?}");
                tally.not_covered += 1;
            }
            Compared::Both(reference, explored, _) if reference != explored => {
                disagree(seed, &song, LIMIT);
            }
            Compared::Both(..) => {
                tally.compared += 1;
                tally.crashes +=
                    usize::from(has(&song, |kind| matches!(kind, FaultKind::Crash(_))));
                tally.losses += usize::from(has(&song, |kind| matches!(kind, FaultKind::Lose(_))));
                let copies = |kind| matches!(kind, FaultKind::Duplicate(_));
                tally.copies += usize::from(has(&song, copies));
                every_state::agree_on(seed, song);
            }
        }
    }
    assert!(tally.compared * 2 > tally.left_out, "{tally:?}");
    assert!(tally.crashes * 8 > tally.compared, "{tally:?}");
    if delivery == Some(Delivery::Unordered) {
        assert!(tally.losses * 8 > tally.compared, "{tally:?}");
        assert!(tally.copies * 12 > tally.compared, "{tally:?}");
    }
    tally
}

/// The gaps that the module `perils` names, and those that there are without faults.
fn is_to_be_expected(why: GaveUp) -> bool {
    matches!(
        why,
        GaveUp::CopiesInOrder
            | GaveUp::LosesFromMailboxes
            | GaveUp::HandlerRefuses
            | GaveUp::HandlerSendsToMailboxes
    )
}

fn has(song: &Song, wanted: impl Fn(FaultKind) -> bool) -> bool {
    let faults = &song.voices().expect("these are voices").faults;
    faults.iter().any(|fault| wanted(fault.kind))
}
