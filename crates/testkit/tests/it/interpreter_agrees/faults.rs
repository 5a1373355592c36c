//! Declared faults: the interpreter and the enumerator end in the same states, fail and block alike.
//!
//! Random programs get one to three faults, a crash nearly always with a restart, and durable variables.
//! The enumerator counts faults as experiences, which the interpreter does not: numbers are not compared.
//!
//! NOT COVERED. Copies of `causal` messages of `init`: the enumerator takes all of `init` to be before
//! everything else.

use super::MOST_MEMBERS;
use super::account::{enumerated, instance, searched};
use super::programs::small;
use super::shrink::shown;
use crate::interpreter_agrees::account::Account;
use plainsong_diagnostics::Span;
use plainsong_ir::{Delivery, FamilyId, Fault, FaultKind, MessageId, Song, System};
use plainsong_testkit::random_song::Dice;

/// How many programs are compared for each model.
const PROGRAMS: u64 = 60;

/// The most prefixes of executions; programs with more are left out.
const LIMIT: usize = 2_000;

#[test]
fn on_unordered_programs() {
    agree(Some(Delivery::Unordered));
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

#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    left_out: usize,
    /// Faults change how executions end.
    matter: usize,
}

fn agree(delivery: Option<Delivery>) {
    let mut tally = Tally::default();
    for (seed, song) in small(delivery, PROGRAMS) {
        let faulty = with_faults(seed, song.clone());
        let Some((ours, theirs)) = both(&faulty) else {
            tally.left_out += 1;
            continue;
        };
        if ours != theirs {
            disagree(seed, &faulty);
        }
        tally.compared += 1;
        let sound = both(&song).expect("less can happen without faults");
        tally.matter += usize::from(sound.0 != ours);
    }
    assert!(tally.compared > tally.left_out, "{tally:?}");
    assert!(tally.matter * 3 > tally.compared, "{tally:?}");
}

/// What the enumerator and the interpreter say.
fn both(song: &Song) -> Option<(Account, Account)> {
    let instance = instance(song)?;
    if instance.members().len() > MOST_MEMBERS {
        return None;
    }
    let ours = enumerated(&instance, LIMIT)?.without_numbers();
    Some((ours, searched(&instance)?))
}

fn disagree(seed: u64, song: &Song) -> ! {
    let differ = |song: &Song| both(song).is_some_and(|(ours, theirs)| ours != theirs);
    let (small, text) = shown(seed, song, &differ);
    let (ours, theirs) = both(&small).expect("it was compared before");
    panic!("{text}\nenumerator: {ours:#?}\ninterpreter: {theirs:#?}");
}

/// `song` with faults, each declared once, and some of its variables durable.
pub(crate) fn with_faults(seed: u64, mut song: Song) -> Song {
    let mut dice = Dice::new(seed ^ 0xfa17);
    let System::Voices(voices) = &mut song.system else {
        return song;
    };
    let families: Vec<FamilyId> = voices.processes.iter().map(|one| one.family).collect();
    for family in &families {
        for var in &mut song.families[family.index()].vars {
            var.durable = dice.once_in(2);
        }
    }
    let fault = |kind: FaultKind, most: Option<u32>| Fault {
        fairness: None,
        kind,
        most,
        span: Span::default(),
    };
    for _ in 0..dice.between(1, 2) {
        let most = Some(dice.between(1, 2) as u32);
        let kind = MessageId::from(dice.below(voices.messages.len().max(1)));
        let has_messages = !voices.messages.is_empty();
        match dice.below(3) {
            0 if has_messages => voices.faults.push(fault(FaultKind::Lose(kind), most)),
            1 if has_messages && voices.init.is_none() => {
                voices.faults.push(fault(FaultKind::Duplicate(kind), most));
            }
            _ => {
                let family = *dice.pick(&families);
                voices.faults.push(fault(FaultKind::Crash(family), Some(1)));
                if !dice.once_in(4) {
                    voices.faults.push(fault(FaultKind::Restart(family), None));
                }
            }
        }
    }
    let mut declared: Vec<FaultKind> = Vec::new();
    voices.faults.retain(|fault| {
        let is_new = !declared.contains(&fault.kind);
        declared.push(fault.kind);
        is_new
    });
    song
}
