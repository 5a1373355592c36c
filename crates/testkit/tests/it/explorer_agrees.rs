//! The optimal exploration of songs agrees with the enumeration of all interleavings.
//!
//! On random programs, under every delivery model and with several models in one program, both find
//! equally many complete, blocked, failed and discarded executions, which end with the same values
//! of the state variables. Every refutation is a trace that the interpreter replays.
//!
//! `PLAINSONG_PROGRAMS` and `PLAINSONG_SEED` as in `interpreter_agrees`.

mod every_state;
mod verdicts;

use crate::interpreter_agrees::account::{Account, Variables, enumerated, instance, interpreted};
use crate::interpreter_agrees::annotations::without_annotations;
use crate::interpreter_agrees::relays::relays;
use crate::interpreter_agrees::shrink::shrink;
use crate::interpreter_agrees::values::translated;
use crate::interpreter_agrees::{
    LIMIT, LIMIT_OF_ANY, MOST_MEMBERS, PROGRAMS, asked_for, sometimes_seasoned,
};
use plainsong_explore_songs::{Explored, Finding, GaveUp, Manner, explore, explore_showing};
use plainsong_ir::{Delivery, Song};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Config, Machine, Subject};
use plainsong_semantics::replay::replay;
use plainsong_semantics::search::{Check, Completeness, Unwatched};
use plainsong_testkit::random_song::{Form, small_voices, song_of};
use std::collections::BTreeSet;

#[test]
fn on_unordered_programs() {
    let tally = agree_on_small_programs(Some(Delivery::Unordered));
    tally.check();
    assert_eq!(tally.not_covered, 0, "{tally:?}");
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
        tally.compare(seed, &relays(seed, Delivery::Causal), LIMIT);
    }
    assert!(tally.compared > 4 * tally.left_out, "{tally:?}");
    assert!(tally.several * 4 > tally.compared, "{tally:?}");
}

/// Many kinds of expressions, few messages.
#[test]
fn on_processes_that_use_the_whole_language() {
    let mut tally = Tally::default();
    let (skipped, programs) = asked_for(PROGRAMS);
    for seed in skipped..skipped + programs {
        let song = without_annotations(song_of(Form::Voices, seed, (seed % 2) as usize));
        tally.compare(seed, &song, LIMIT_OF_ANY);
    }
    assert!(tally.compared > tally.left_out, "{tally:?}");
}

fn agree_on_small_programs(delivery: Option<Delivery>) -> Tally {
    let mut tally = Tally::default();
    let first = delivery.map_or(0, |delivery| 1_000_000 * (1 + delivery as u64));
    let (skipped, programs) = asked_for(PROGRAMS);
    for seed in first + skipped..first + skipped + programs {
        let song = sometimes_seasoned(seed, small_voices(seed, delivery));
        tally.compare(seed, &song, LIMIT);
    }
    tally
}

/// What the compared programs were like.
#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    left_out: usize,
    not_covered: usize,
    several: usize,
    blocked: usize,
    failed: usize,
    discarded: usize,
    replayed: usize,
}

impl Tally {
    fn compare(&mut self, seed: u64, song: &Song, limit: usize) {
        match both(song, limit) {
            Compared::TooLarge => self.left_out += 1,
            Compared::NotCovered(why) => {
                assert_ne!(why, GaveUp::TooLong, "the reference comes to an end");
                self.not_covered += 1;
            }
            Compared::Both(reference, explored, replayed) => {
                if reference != explored {
                    disagree(seed, song, limit);
                }
                self.compared += 1;
                self.several += usize::from(explored.complete > 1);
                self.blocked += usize::from(explored.blocked > 0);
                self.failed += usize::from(explored.failed > 0);
                self.discarded += usize::from(explored.discarded > 0);
                self.replayed += replayed;
            }
        }
    }

    /// The comparison means something only if the programs do.
    fn check(&self) {
        assert!(self.left_out * 10 < self.compared, "{self:?}");
        assert!(self.not_covered * 20 < self.compared, "{self:?}");
        assert!(self.several * 4 > self.compared, "{self:?}");
        assert!(self.blocked * 4 > self.compared, "{self:?}");
        assert!(self.failed * 50 > self.compared, "{self:?}");
        assert!(self.discarded * 100 > self.compared, "{self:?}");
        assert!(self.replayed * 4 > self.compared, "{self:?}");
    }
}

/// What became of a comparison.
#[derive(Debug)]
enum Compared {
    /// The reference has too much to do, or meets a limit of the interpreter.
    TooLarge,
    /// The exploration says that it does not cover this.
    NotCovered(GaveUp),
    /// The reference, the exploration, and how many refutations were replayed.
    Both(Account, Account, usize),
}

fn both(song: &Song, limit: usize) -> Compared {
    let Some(instance) = instance(song) else {
        return Compared::TooLarge;
    };
    if instance.members().len() > MOST_MEMBERS {
        return Compared::TooLarge;
    }
    let Some(reference) = reference(&instance, limit) else {
        return Compared::TooLarge;
    };
    match explored(&instance) {
        Ok((account, replayed)) => Compared::Both(reference, account, replayed),
        Err(gave_up) => Compared::NotCovered(gave_up),
    }
}

/// What the interpreter finds, if the enumerator of all executions gets by with so many prefixes.
fn reference(instance: &Instance, limit: usize) -> Option<Account> {
    enumerated(instance, limit)?;
    interpreted(instance)
}

fn explored(instance: &Instance) -> Result<(Account, usize), GaveUp> {
    let machine = Machine::new(instance, Subject::System);
    let mut finals: BTreeSet<Variables> = BTreeSet::new();
    let mut deadlocks: BTreeSet<Variables> = BTreeSet::new();
    let mut look = |config: &Config, is_complete: bool| {
        let values = machine.values(config).into_iter();
        let variables = values
            .map(|(name, value, ty)| (name, translated(machine.instance(), value, ty)))
            .collect();
        _ = if is_complete {
            finals.insert(variables)
        } else {
            deadlocks.insert(variables)
        };
    };
    let checks = [Check::Assertions, Check::NoDeadlock];
    let manner = Manner::default();
    let found = explore_showing(&machine, &checks, &manner, &mut Unwatched, Some(&mut look))?;
    assert_eq!(found.count.completeness, Completeness::Complete);
    if found.count.complete + found.count.blocked + found.count.failed > 2 {
        shared_among_workers(&machine, &checks, &found);
        with_little_memory(&machine, &checks, &found);
    }
    let replayed = replayed(&machine, &found);
    let account = Account {
        complete: found.count.complete as usize,
        blocked: found.count.blocked as usize,
        failed: found.count.failed as usize,
        discarded: found.count.discarded as usize,
        finals,
        deadlocks,
    };
    Ok((account, replayed))
}

/// Several workers find the same, and show the same execution against each check.
fn shared_among_workers(machine: &Machine, checks: &[Check], found: &Explored) {
    let manner = Manner {
        jobs: 3,
        ..Manner::default()
    };
    let shared = explore(machine, checks, &manner, &mut Unwatched).expect("as one worker");
    assert_eq!(shared.count, found.count);
    assert_eq!(shared.findings, found.findings);
}

/// Local steps that are forgotten after nearly every execution are found again.
fn with_little_memory(machine: &Machine, checks: &[Check], found: &Explored) {
    let manner = Manner {
        kept: 5,
        ..Manner::default()
    };
    let forgetful = explore(machine, checks, &manner, &mut Unwatched).expect("as with more");
    assert_eq!(forgetful.count, found.count);
    assert_eq!(forgetful.findings, found.findings);
}

/// Replays the refutations, and there is one exactly where there should be.
fn replayed(machine: &Machine, found: &Explored) -> usize {
    let expected = [found.count.failed > 0, found.count.blocked > 0];
    let mut replayed = 0;
    for (finding, refuted) in found.findings.iter().zip(expected) {
        match finding {
            Finding::Refuted(trace) => {
                assert!(refuted, "{trace:#?}");
                assert_eq!(replay(machine, trace), Ok(()));
                replayed += 1;
            }
            other => assert!(!refuted, "{other:?}"),
        }
    }
    replayed
}

/// Shows the smallest program found on which the two differ.
fn disagree(seed: u64, song: &Song, limit: usize) -> ! {
    let differ =
        |song: &Song| matches!(both(song, limit), Compared::Both(one, two, _) if one != two);
    let small = shrink(song, &differ);
    let text = plainsong_ir::print::song(&small);
    panic!("seed {seed}\n{text}\n{:#?}", both(&small, limit));
}
