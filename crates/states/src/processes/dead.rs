//! Dead messages (the liveness analysis of variables, for messages): those that cannot matter any more are dropped.
//!
//! *Definition.* A message is *inert* in a local state of its receiver if taking it there changes nothing: every way leads back
//! to the same local state and sends nothing; or if it cannot be taken there. It is *dead* in a local state if it is inert there and in every local
//! state that can follow. A dead message is dropped from an inbox where the receiver could take it at once.
//!
//! *How it is found.* Which local states can follow is not analysed but observed: the local steps taken so far. Whenever a
//! new one is taken, messages that were dead in the local state before it are looked at again; if one is not, and
//! was dropped there or before, the search begins again with all local steps known.
//!
//! *Why sound.* When a search ends, every local step that it took is among those observed, and whatever it dropped is dead
//! with respect to these. By induction over the steps of a full execution, the reduced system has a state with the same
//! local states, the same messages but for dead ones, and no fault spent more often: a step of the full system either takes (or loses,
//! or duplicates) a dead message, which changes neither, or is a step of the reduced one. Conversely, whoever has dead messages
//! in front of one that it takes can take them first. So both reach the same rows of local states, and terminate in the same ones: what is
//! claimed about variables, assertions and deadlocks has the same truth. Claims that count messages are not asked this way.
//!
//! DIFFERS from slicing and dead-variable analysis: nothing is known beforehand, and the check comes after the fact.

use super::lane::{Taken, Way};
use super::net::Net;
use super::tables::{pack, unpack};
use crate::snapshot::{Pen, Reader};
use rustc_hash::{FxHashMap, FxHashSet};
use std::io;

/// The local steps of a process, and what is known of messages with respect to them.
#[derive(Debug, Default)]
pub(super) struct LocalSteps {
    known: FxHashSet<(u32, u32)>,
    after: Vec<Vec<u32>>,
    before: Vec<Vec<u32>>,
    /// Is a message dead in a local state?
    is_dead: FxHashMap<(u32, u32), bool>,
    /// The messages that are, for each local state.
    dead: Vec<Vec<u32>>,
    /// What was dropped.
    dropped: FxHashSet<(u32, u32)>,
}

impl LocalSteps {
    /// Forgets what was dropped.
    pub(super) fn begin_again(&mut self) {
        self.dropped.clear();
    }

    /// How many bytes it takes, about.
    pub(super) fn bytes(&self) -> u64 {
        let entries = 3 * self.known.len() + 2 * self.is_dead.len() + self.dropped.len();
        16 * entries as u64
    }

    /// Writes all of it: what is known of messages depends on when it was asked.
    pub(super) fn write(&self, pen: &mut Pen<'_>) -> io::Result<()> {
        for rows in [&self.after, &self.before, &self.dead] {
            pen.word(rows.len() as u64)?;
            rows.iter().try_for_each(|row| pen.halves(row))?;
        }
        let alive = |is_dead: bool| {
            let entries = self.is_dead.iter().filter(move |one| *one.1 == is_dead);
            entries.map(|(pair, _)| *pair)
        };
        write_pairs(pen, alive(true))?;
        write_pairs(pen, alive(false))?;
        write_pairs(pen, self.dropped.iter().copied())
    }

    /// Reads it again.
    pub(super) fn read(reader: &mut Reader<'_>) -> io::Result<Self> {
        let mut rows = || -> io::Result<Vec<Vec<u32>>> {
            (0..reader.word()?).map(|_| reader.halves()).collect()
        };
        let mut steps = LocalSteps {
            after: rows()?,
            before: rows()?,
            dead: rows()?,
            ..LocalSteps::default()
        };
        for (from, after) in steps.after.iter().enumerate() {
            let pairs = after.iter().map(|to| (from as u32, *to));
            steps.known.extend(pairs);
        }
        for is_dead in [true, false] {
            reader.words(|pair| {
                steps.is_dead.insert(unpack(pair), is_dead);
            })?;
        }
        reader.words(|pair| {
            steps.dropped.insert(unpack(pair));
        })?;
        Ok(steps)
    }

    fn successors(&self, local: u32) -> &[u32] {
        self.after.get(local as usize).map_or(&[], |all| all)
    }

    /// Whoever leads to a local state in which a message is alive: it is alive there. Was it dropped somewhere?
    fn revive(&mut self, local: u32, message: u32) -> bool {
        let mut was_dropped = false;
        let mut open = vec![local];
        while let Some(local) = open.pop() {
            if self.is_dead.insert((local, message), false) == Some(false) {
                continue;
            }
            was_dropped |= self.dropped.contains(&(local, message));
            if let Some(before) = self.before.get(local as usize) {
                open.extend_from_slice(before);
            }
        }
        was_dropped
    }
}

/// Pairs in an order of their own: the same search gives the same bytes.
fn write_pairs(pen: &mut Pen<'_>, pairs: impl Iterator<Item = (u32, u32)>) -> io::Result<()> {
    let mut pairs: Vec<u64> = pairs.map(|(first, second)| pack(first, second)).collect();
    pairs.sort_unstable();
    pen.words(pairs.len(), pairs)
}

/// What a process does with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inert {
    /// Nothing: it takes it and is as before.
    Taken,
    /// It does not take it.
    Left,
    /// Something.
    No,
}

impl Net<'_> {
    /// Is a message dropped from the inbox of a process in a local state?
    pub(super) fn is_dropped(&mut self, slot: usize, local: u32, message: u32) -> bool {
        let is_dropped =
            self.is_dead(slot, local, message) && self.inert(slot, local, message) == Inert::Taken;
        if is_dropped {
            self.reaction(slot, local, message, true);
            let steps = &mut self.lanes[slot].local_steps;
            steps.dropped.insert((local, message));
        }
        is_dropped
    }

    /// A process took a local step. Where names do not matter, it could have taken it in every naming.
    pub(super) fn note_local_step(&mut self, slot: usize, from: u32, to: u32) {
        let mut open = vec![(slot, from, to)];
        while let Some(step) = open.pop() {
            if self.note_step(step) {
                open.extend(self.renamed_steps(step));
            }
        }
    }

    /// Notes a local step; says whether it is new.
    fn note_step(&mut self, (slot, from, to): (usize, u32, u32)) -> bool {
        let steps = &mut self.lanes[slot].local_steps;
        if from == to || !steps.known.insert((from, to)) {
            return false;
        }
        let room = from.max(to) as usize + 1;
        if steps.after.len() < room {
            steps.after.resize(room, Vec::new());
            steps.before.resize(room, Vec::new());
        }
        steps.after[from as usize].push(to);
        steps.before[to as usize].push(from);
        let dead = steps.dead.get_mut(from as usize).map(std::mem::take);
        let mut still = Vec::new();
        for message in dead.into_iter().flatten() {
            let steps = &self.lanes[slot].local_steps;
            if steps.is_dead.get(&(from, message)) != Some(&true) {
                continue;
            }
            // If it is not dead there, it is revived here as well: the step is known by now.
            if self.is_dead(slot, to, message) {
                still.push(message);
            } else {
                let steps = &mut self.lanes[slot].local_steps;
                self.is_wrong |= steps.revive(from, message);
            }
        }
        let steps = &mut self.lanes[slot].local_steps;
        if let Some(dead) = steps.dead.get_mut(from as usize) {
            dead.extend(still);
        }
        true
    }

    /// Is a message inert in a local state and in all that can follow, as far as is known?
    fn is_dead(&mut self, slot: usize, local: u32, message: u32) -> bool {
        let steps = &self.lanes[slot].local_steps;
        if let Some(known) = steps.is_dead.get(&(local, message)) {
            return *known;
        }
        let mut seen = vec![local];
        let mut is_seen: FxHashSet<u32> = seen.iter().copied().collect();
        let mut at = 0;
        while at < seen.len() {
            let here = seen[at];
            at += 1;
            let known = self.lanes[slot].local_steps.is_dead.get(&(here, message));
            let is_alive = match known {
                Some(true) => continue,
                Some(false) => true,
                None => self.inert(slot, here, message) == Inert::No,
            };
            let steps = &mut self.lanes[slot].local_steps;
            if is_alive {
                steps.is_dead.remove(&(here, message));
                self.is_wrong |= steps.revive(here, message);
                return false;
            }
            let next = steps.successors(here).iter().copied();
            seen.extend(next.filter(|next| is_seen.insert(*next)));
        }
        let steps = &mut self.lanes[slot].local_steps;
        for here in seen {
            if steps.is_dead.insert((here, message), true) != Some(true) {
                if steps.dead.len() <= here as usize {
                    steps.dead.resize(here as usize + 1, Vec::new());
                }
                steps.dead[here as usize].push(message);
            }
        }
        true
    }

    fn inert(&mut self, slot: usize, local: u32, message: u32) -> Inert {
        let alone = self.alone(slot, local);
        if alone.broken.is_some() {
            return Inert::No;
        }
        if !alone.takes {
            return Inert::Left;
        }
        let reaction = self.reaction(slot, local, message, false);
        match &self.lanes[slot].taken[reaction].taken {
            Taken::Refused => Inert::Left,
            Taken::Fails(_) => Inert::No,
            Taken::Ways(ways) if ways.discarded > 0 || !ways.fails.is_empty() => Inert::No,
            Taken::Ways(ways) => {
                let is_same = |way: &Way| (way.local, way.own, way.sends) == (local, 0, 0);
                match ways.next.iter().all(is_same) {
                    true if ways.next.is_empty() => Inert::Left,
                    true => Inert::Taken,
                    false => Inert::No,
                }
            }
        }
    }
}
