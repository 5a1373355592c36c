//! States that are not searched further: a constraint is false in them, or too many messages are in flight.
//!
//! The same as [`Machine::cut`](plainsong_semantics::machine::Machine::cut), from numbers: constraints are looked at as claims are
//! (`claims`), and how many messages of a kind are in a channel is known of each inbox once.

use super::claims::About;
use super::net::Net;
use super::tables::FREE;
use plainsong_ir::{MessageId, Song};
use plainsong_semantics::capsules::Message;
use plainsong_semantics::instance::Instance;
use std::collections::{BTreeMap, BTreeSet};

/// No channel in an inbox has too many messages.
const NONE: u32 = FREE - 1;
/// Channels of several kinds have.
const SEVERAL: u32 = FREE - 2;

/// Which states are cut off, and by what.
pub(super) struct Cuts<'a> {
    song: &'a Song,
    /// The most messages in flight.
    most: Option<u64>,
    /// The most in a channel, for each kind.
    room: Vec<Option<u32>>,
    /// For each inbox of each process: the kind of which it has too many.
    full: Vec<Vec<u32>>,
    /// How many states were cut off.
    pub(super) count: u64,
    pub(super) by: BTreeSet<String>,
}

impl<'a> Cuts<'a> {
    pub(super) fn new(instance: &'a Instance, slots: usize) -> Self {
        let song = instance.song();
        let kinds = song.voices().map_or(&[][..], |all| &all.messages);
        Cuts {
            song,
            most: instance.bounds().pending,
            room: kinds.iter().map(|kind| kind.most).collect(),
            full: vec![Vec::new(); slots],
            count: 0,
            by: BTreeSet::new(),
        }
    }

    /// Is a state cut off, given what is news in it? Then it is noted by what.
    #[inline]
    pub(super) fn is_cut(&mut self, net: &Net<'_>, news: &[About], row: &[u32]) -> bool {
        let by = self.by_constraint(news);
        let Some(by) = by.or_else(|| self.by_messages(net, row)) else {
            return false;
        };
        self.count += 1;
        if !self.by.contains(&by) {
            self.by.insert(by);
        }
        true
    }

    /// The first constraint that is false.
    fn by_constraint(&self, news: &[About]) -> Option<String> {
        let violated = news.iter().filter_map(|about| match about {
            About::Constraint(at) => Some(*at),
            _ => None,
        });
        Some(self.song.constraints[violated.min()?].name.clone())
    }

    fn by_messages(&mut self, net: &Net<'_>, row: &[u32]) -> Option<String> {
        if self.most.is_none() && self.room.iter().all(Option::is_none) {
            return None;
        }
        let (mut full, mut messages) = (NONE, 0);
        for (slot, lane) in net.lanes.iter().enumerate() {
            let (_, inbox) = lane.capsules.get(row[slot]);
            messages += lane.inboxes.get(inbox).len() as u64;
            full = match (full, self.full(net, slot, inbox)) {
                (known, NONE) => known,
                (NONE, kind) => kind,
                (known, kind) if known == kind => known,
                _ => SEVERAL,
            };
        }
        match full {
            NONE => {
                let most = self.most.filter(|most| messages > *most)?;
                Some(format!("pending<={most}"))
            }
            // The interpreter says which it names first.
            SEVERAL => net.processes.machine().cut(&net.decode(row)),
            kind => {
                let kinds = &self.song.voices()?.messages;
                let most = self.room[kind as usize]?;
                Some(format!("{}<={most}", kinds[kind as usize].name))
            }
        }
    }

    /// The kind of message of which an inbox has too many from one sender.
    fn full(&mut self, net: &Net<'_>, slot: usize, inbox: u32) -> u32 {
        let at = inbox as usize;
        if self.full[slot].len() <= at {
            self.full[slot].resize(at + 1, FREE);
        }
        if self.full[slot][at] == FREE {
            let lane = &net.lanes[slot];
            let inbox = lane.inboxes.get(inbox).iter();
            let full = self.kinds(inbox.map(|one| &lane.messages[*one as usize]));
            let mut full = full.into_iter().map(|kind| kind.index() as u32);
            self.full[slot][at] = match (full.next(), full.next()) {
                (None, _) => NONE,
                (Some(kind), None) => kind,
                (Some(_), Some(_)) => SEVERAL,
            };
        }
        self.full[slot][at]
    }

    fn kinds<'m>(&self, inbox: impl Iterator<Item = &'m Message>) -> BTreeSet<MessageId> {
        let mut channels: BTreeMap<_, u32> = BTreeMap::new();
        for message in inbox {
            *channels
                .entry((message.kind(), message.from()))
                .or_default() += 1;
        }
        let is_full = |(kind, _): &(MessageId, _), count: u32| {
            self.room[kind.index()].is_some_and(|most| count > most)
        };
        let full = channels.iter().filter(|(of, count)| is_full(of, **count));
        full.map(|((kind, _), _)| *kind).collect()
    }
}
