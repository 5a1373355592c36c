//! The journal: what the interpreter was asked, in order, so that a later run gives the same numbers to the same things.
//!
//! *Statement.* Local states and messages have numbers in the order in which they came, and they come as answers of the
//! interpreter. Answers depend on nothing but the question, so who asks the same questions in the same order has the same numbers. A
//! checkpoint has numbers only: no value is ever written down.
//!
//! *What it costs to go on.* One answer for each question: of a Raft with twelve million states those are fifteen thousand. Where nearly
//! every state needs a question of its own, going on takes about as long as those questions took.
//!
//! *Strangers.* What is numbered otherwise than by a question (states on the way to a finding, renamed ones) is in no journal, and a
//! net that has such numbers is not written down.

use super::dead::LocalSteps;
use super::lane::Lane;
use super::net::Net;
use super::tables::{Memo, Pairs, Rows};
use crate::snapshot::{Pen, Reader, damaged};
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::hash::BuildHasher as _;
use std::io;

/// What was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(super) enum Asked {
    /// What a process does in a local state without a message.
    Alone,
    /// What it does with a message.
    Take,
    /// What becomes of it when it crashes.
    Crash,
    /// And when it is restarted.
    Restart,
}

const KINDS: [Asked; 4] = [Asked::Alone, Asked::Take, Asked::Crash, Asked::Restart];

/// The questions so far.
#[derive(Debug, Default)]
pub(super) struct Journal {
    /// Kind and process, local state, message.
    asked: Vec<(u32, u32, u32)>,
    /// Faults may be asked about again.
    faults: FxHashSet<(Asked, usize, u32)>,
    /// Are there numbers of things that nobody asked for?
    pub(super) has_strangers: bool,
}

impl Journal {
    /// A question was asked.
    pub(super) fn note(&mut self, asked: Asked, slot: usize, local: u32, message: u32) {
        let is_fault = matches!(asked, Asked::Crash | Asked::Restart);
        if is_fault && !self.faults.insert((asked, slot, local)) {
            return;
        }
        let kind = (slot * KINDS.len() + asked as usize) as u32;
        self.asked.push((kind, local, message));
    }

    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        12 * self.asked.capacity() as u64
    }
}

impl Net<'_> {
    /// Can it be written down?
    pub(super) fn can_be_written(&self) -> bool {
        !self.journal.has_strangers && self.names.is_none()
    }

    /// Writes the journal, and everything whose numbers do not follow from it.
    pub(super) fn write(&self, pen: &mut Pen<'_>) -> io::Result<()> {
        let asked = &self.journal.asked;
        pen.word(asked.len() as u64)?;
        for (kind, local, message) in asked {
            pen.halves(&[*kind, *local, *message])?;
        }
        pen.word(self.spent.len() as u64)?;
        self.spent.iter().try_for_each(|spent| pen.halves(spent))?;
        pen.words(2, [u64::from(self.drops), u64::from(self.is_wrong)])?;
        for lane in &self.lanes {
            let real = lane.taken.iter().map(|one| u64::from(one.marks.is_none()));
            pen.words(lane.taken.len(), real)?;
            lane.inboxes.write(pen)?;
            lane.capsules.write(pen)?;
            lane.local_steps.write(pen)?;
        }
        self.order.write(pen)?;
        self.sizes().iter().try_for_each(|size| pen.word(*size))
    }

    /// How many things of each kind there are whose numbers follow from the journal, and hashes of them in their order.
    fn sizes(&self) -> Vec<u64> {
        let of = |lane: &Lane| {
            let hasher = FxBuildHasher;
            let locals = hasher.hash_one(lane.locals.iter().collect::<Vec<_>>());
            let messages = hasher.hash_one(lane.messages.iter().collect::<Vec<_>>());
            let all = [lane.locals.len(), lane.messages.len(), lane.batches.len()];
            let [first, second, third] = all.map(|size| size as u64);
            [first, second, third, locals, messages]
        };
        let lanes = self.lanes.iter().flat_map(of);
        lanes.chain([self.sends.len() as u64]).collect()
    }

    /// Reads it again, into a net that has just begun.
    pub(super) fn read(&mut self, reader: &mut Reader<'_>) -> io::Result<()> {
        for _ in 0..reader.word()? {
            let asked = reader.halves()?;
            let &[kind, local, message] = &asked[..] else {
                return Err(damaged());
            };
            self.ask_again(kind, local, message)?;
        }
        self.spent.clear();
        for _ in 0..reader.word()? {
            self.spent.insert(reader.halves()?);
        }
        let flags = reader.all_words()?;
        let &[drops, is_wrong] = &flags[..] else {
            return Err(damaged());
        };
        (self.drops, self.is_wrong) = (drops == 1, is_wrong == 1);
        self.spending = Memo::default();
        for slot in 0..self.lanes.len() {
            let real = reader.all_words()?;
            let lane = &mut self.lanes[slot];
            lane.forget_capsules();
            if real.len() != lane.taken.len() {
                return Err(damaged());
            }
            for (reaction, is_real) in lane.taken.iter_mut().zip(real) {
                if is_real == 1
                    && let Some(marks) = reaction.marks.take()
                {
                    self.marks.include(&marks);
                }
            }
            lane.inboxes = Rows::read(reader)?;
            lane.capsules = Pairs::read(reader)?;
            lane.local_steps = LocalSteps::read(reader)?;
        }
        self.order.read(reader)?;
        for size in self.sizes() {
            if reader.word()? != size {
                return Err(damaged());
            }
        }
        Ok(())
    }

    /// Asks a question once more.
    fn ask_again(&mut self, kind: u32, local: u32, message: u32) -> io::Result<()> {
        let (slot, asked) = (
            kind as usize / KINDS.len(),
            KINDS[kind as usize % KINDS.len()],
        );
        let lane = self.lanes.get(slot).ok_or_else(damaged)?;
        let is_known = lane.locals.len() > local as usize
            && (asked != Asked::Take || lane.messages.len() > message as usize);
        if !is_known || slot + 1 == self.lanes.len() {
            return Err(damaged());
        }
        match asked {
            Asked::Alone => {
                self.alone(slot, local);
            }
            Asked::Take => {
                self.reaction(slot, local, message, false);
            }
            Asked::Crash => {
                let state = self.local(slot, local).clone();
                if let Some(down) = self.processes.crash(slot, &state) {
                    self.number_local(slot, down);
                }
                self.journal.note(asked, slot, local, 0);
            }
            Asked::Restart => {
                let state = self.local(slot, local).clone();
                let ups = self.processes.restart(slot, &state, &mut self.marks);
                for up in ups.and_then(Result::ok).into_iter().flatten() {
                    self.number_local(slot, up);
                }
                self.journal.note(asked, slot, local, 0);
            }
        }
        Ok(())
    }
}
