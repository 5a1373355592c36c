//! The optimal exploration of songs agrees with the enumeration of all interleavings.
//!
//! On random programs, under every delivery model and with several models in one program, both find
//! equally many complete, blocked, failed and discarded executions, which end with the same values
//! of the state variables. Every refutation is a trace that the interpreter replays.
//!
//! `PLAINSONG_PROGRAMS` and `PLAINSONG_SEED` as in `interpreter_agrees`.

mod every_state;
pub(crate) mod families;
mod faults;
mod interleavings;
mod names;
mod verdicts;

use crate::interpreter_agrees::account::{Account, Variables, enumerated, instance, interpreted};
use crate::interpreter_agrees::programs::{Tally, of_the_whole_language, passing_word_on, small};
use crate::interpreter_agrees::shrink::shown;
use crate::interpreter_agrees::values::translated;
use crate::interpreter_agrees::{LIMIT, LIMIT_OF_ANY, MOST_MEMBERS, PROGRAMS};
use plainsong_explore_songs::{
    Explored, Finding, GaveUp, Keeper, Manner, explore, explore_keeping, explore_showing,
};
use plainsong_ir::{Delivery, Song};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Config, Machine, Subject};
use plainsong_semantics::replay::replay;
use plainsong_semantics::search::{Check, Completeness, Unwatched};
use plainsong_testkit::random_song::Form;
use std::collections::BTreeSet;

#[test]
fn on_unordered_programs() {
    let found = agree_on_small_programs(Some(Delivery::Unordered));
    found.check();
    assert_eq!(found.not_covered, 0, "{found:?}");
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
    let mut found = Found::default();
    for (seed, song) in passing_word_on(PROGRAMS) {
        found.compare(seed, &song, LIMIT);
    }
    let tally = &found.tally;
    assert!(tally.compared > 4 * tally.left_out, "{found:?}");
    assert!(tally.several * 4 > tally.compared, "{found:?}");
}

/// Many kinds of expressions, few messages.
#[test]
fn on_processes_that_use_the_whole_language() {
    let mut found = Found::default();
    for (seed, song) in of_the_whole_language(Form::Voices, PROGRAMS) {
        found.compare(seed, &song, LIMIT_OF_ANY);
    }
    assert!(found.tally.compared > found.tally.left_out, "{found:?}");
}

fn agree_on_small_programs(delivery: Option<Delivery>) -> Found {
    let mut found = Found::default();
    for (seed, song) in small(delivery, PROGRAMS) {
        found.compare(seed, &song, LIMIT);
    }
    found
}

/// What was found out about the compared programs.
#[derive(Debug, Default)]
struct Found {
    tally: Tally,
    not_covered: usize,
    replayed: usize,
}

impl Found {
    fn compare(&mut self, seed: u64, song: &Song, limit: usize) {
        match both(song, limit) {
            Compared::TooLarge => self.tally.left_out += 1,
            Compared::NotCovered(why) => {
                assert_ne!(why, GaveUp::TooLong, "the reference comes to an end");
                self.not_covered += 1;
            }
            Compared::Both(reference, explored, _) if reference != explored => {
                disagree(seed, song, limit);
            }
            Compared::Both(_, explored, replayed) => {
                self.tally.add(&explored);
                self.replayed += replayed;
            }
        }
    }

    /// The comparison means something only if the programs do.
    fn check(&self) {
        self.tally.check();
        assert!(self.not_covered * 20 < self.tally.compared, "{self:?}");
        assert!(self.replayed * 4 > self.tally.compared, "{self:?}");
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
        counting_what_is_known(&machine, &checks, &found);
        shared_among_workers(&machine, &checks, &found);
        with_little_memory(&machine, &checks, &found);
    }
    let all = found.count.complete + found.count.blocked + found.count.failed;
    if (3..100).contains(&all) {
        for remembers in [None, Some(0)] {
            in_slices(&machine, &checks, &found, remembers);
            kept_on_the_way(&machine, &checks, &found, remembers);
        }
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

/// Executions that are only counted, because they go on like others, are as many; nothing is missed by
/// not visiting them.
fn counting_what_is_known(machine: &Machine, checks: &[Check], found: &Explored) {
    let manner = Manner {
        remembers: Some(0),
        ..Manner::default()
    };
    let counted = explore(machine, checks, &manner, &mut Unwatched);
    let counted = counted.expect("as one by one");
    assert_eq!(counted.count, found.count);
    assert_eq!(counted.findings, found.findings);
    assert_eq!(counted.coverage, found.coverage);
}

/// Several workers find the same, and show the same execution against each check.
fn shared_among_workers(machine: &Machine, checks: &[Check], found: &Explored) {
    let manner = Manner {
        jobs: 3,
        remembers: Some(0),
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
        remembers: Some(0),
        ..Manner::default()
    };
    let forgetful = explore(machine, checks, &manner, &mut Unwatched).expect("as with more");
    assert_eq!(forgetful.count, found.count);
    assert_eq!(forgetful.findings, found.findings);
}

/// A search that stops again and again, and goes on from what it has left as text, finds the same.
fn in_slices(machine: &Machine, checks: &[Check], found: &Explored, remembers: Option<u64>) {
    let mut manner = Manner {
        remembers,
        ..Manner::default()
    };
    let count = &found.count;
    let all = count.complete + count.blocked + count.failed + count.discarded;
    manner.limits.states = all / 3 + 1;
    let mut known: Option<Explored> = None;
    loop {
        let slice = explore(machine, checks, &manner, &mut Unwatched).expect("as in one piece");
        let sums = match known.take() {
            None => slice,
            Some(known) => known.and(slice),
        };
        let left = sums.left.iter().map(|part| part.to_string().parse());
        manner.parts = left.collect::<Result<_, _>>().expect("parts");
        if manner.parts.is_empty() {
            let orders = match remembers {
                Some(_) => found.orders.clone(),
                None => sums.orders.clone(),
            };
            let looked_at = found.looked_at;
            let sums = Explored {
                orders,
                looked_at,
                ..sums
            };
            assert_eq!(sums, *found);
            return;
        }
        assert_eq!(sums.count.completeness, Completeness::StateLimit);
        known = Some(sums);
    }
}

/// What is kept on the way, and what is left then, are everything; and whoever keeps does not disturb.
fn kept_on_the_way(machine: &Machine, checks: &[Check], found: &Explored, remembers: Option<u64>) {
    let mut manner = Manner {
        remembers,
        ..Manner::default()
    };
    let mut album = Album {
        pace: found.executions() / 4 + 1,
        seen: 0,
        kept: Vec::new(),
    };
    let whole = explore_keeping(machine, checks, &manner, &mut Unwatched, &mut album);
    let whole = whole.expect("as with nobody who keeps");
    assert_eq!(whole.count, found.count);
    assert_eq!(whole.findings, found.findings);
    for kept in album.kept {
        manner.parts.clone_from(&kept.left);
        let later = explore(machine, checks, &manner, &mut Unwatched).expect("as in one piece");
        let sums = kept.and(later);
        assert_eq!(sums.count, found.count);
        assert_eq!(sums.findings, found.findings);
        assert_eq!(sums.coverage, found.coverage);
        if remembers.is_none() {
            assert_eq!(sums.orders, found.orders);
        }
    }
}

/// Keeps everything now and then.
struct Album {
    pace: u64,
    seen: u64,
    kept: Vec<Explored>,
}

impl Keeper for Album {
    fn is_due(&mut self) -> bool {
        self.seen += 1;
        self.seen.is_multiple_of(self.pace)
    }

    fn keep(&mut self, so_far: Explored) {
        self.kept.push(so_far);
    }
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
    let (small, text) = shown(seed, song, &differ);
    panic!("{text}\n{:#?}", both(&small, limit));
}
