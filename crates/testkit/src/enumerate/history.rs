//! The complete history of a run, and which messages a receive may take after it.
//!
//! Nothing is kept up to date step by step: unread messages and causality are read off the logs
//! each time they are wanted, straight from their definitions.

use super::value::Value;
use plainsong_ir::{Delivery, MessageId};
use std::collections::BTreeSet;

/// A participant: 0 is `init`, the processes follow in the order of their declaration.
pub type Who = usize;

/// One thing that a participant did.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Event {
    /// A `choose` took this value; a `maybe` was done (`true`) or not.
    Chose(Value),
    /// Its next message was sent.
    Sent,
    /// A message was received.
    Received {
        /// Who sent it.
        from: Who,
        /// Which of the sender's messages it was, counted from 0.
        index: usize,
    },
    /// A receive gave up waiting.
    TimedOut,
    /// Its message with this number, counted from 0, was sent once more.
    Copied(usize),
    Crashed,
    /// It began anew.
    Restarted,
}

/// What each participant did, in its own order: the execution graph with program order (within a
/// log) and reads-from (from the `index`-th `Sent` of `from` to the `Received`).
pub type Logs = Vec<Vec<Event>>;

/// Names a message: its sender, and which of the sender's messages it is.
pub(super) type Sending = (Who, usize);

/// A message.
#[derive(Clone, Debug)]
pub(super) struct Letter {
    pub(super) message: MessageId,
    pub(super) payload: Vec<Value>,
    pub(super) to: Who,
    pub(super) model: Delivery,
}

/// Everything that has happened.
#[derive(Clone, Debug)]
pub(super) struct History {
    pub(super) logs: Logs,
    letters: Vec<Vec<Letter>>,
    /// All sendings in the order of this interleaving.
    order: Vec<Sending>,
    /// Messages that were lost.
    lost: BTreeSet<Sending>,
}

/// What the future depends on: the logs, what was lost and, per receiver, the order of unread mailbox
/// messages.
pub(super) type Key = (Logs, BTreeSet<Sending>, Vec<Vec<Sending>>);

impl History {
    pub(super) fn new(participants: usize) -> Self {
        History {
            logs: vec![Vec::new(); participants],
            letters: vec![Vec::new(); participants],
            order: Vec::new(),
            lost: BTreeSet::new(),
        }
    }

    pub(super) fn choose(&mut self, who: Who, chosen: &mut Vec<Value>) {
        self.logs[who].extend(chosen.drain(..).map(Event::Chose));
    }

    pub(super) fn send(&mut self, who: Who, letter: Letter) {
        self.order.push((who, self.letters[who].len()));
        self.letters[who].push(letter);
        self.logs[who].push(Event::Sent);
    }

    /// Sends a message once more, after everything that its sender has sent.
    pub(super) fn copy(&mut self, (who, index): Sending) {
        self.order.push((who, self.letters[who].len()));
        let letter = self.letters[who][index].clone();
        self.letters[who].push(letter);
        self.logs[who].push(Event::Copied(index));
    }

    /// A message in flight is gone.
    pub(super) fn lose(&mut self, sending: Sending) {
        self.lost.insert(sending);
    }

    pub(super) fn receive(&mut self, who: Who, (from, index): Sending) {
        self.logs[who].push(Event::Received { from, index });
    }

    pub(super) fn time_out(&mut self, who: Who) {
        self.logs[who].push(Event::TimedOut);
    }

    pub(super) fn letter(&self, (who, index): Sending) -> &Letter {
        &self.letters[who][index]
    }

    /// Messages to `who` that it has not received, oldest first.
    pub(super) fn unread(&self, who: Who) -> Vec<Sending> {
        let read: BTreeSet<Sending> = self.logs[who].iter().filter_map(read_by).collect();
        let unread = |sending: &&Sending| {
            self.letter(**sending).to == who
                && !read.contains(*sending)
                && !self.lost.contains(*sending)
        };
        self.order.iter().filter(unread).copied().collect()
    }

    /// May a receive take `wanted`, when the unread messages that it would accept are `matching`?
    pub(super) fn may_take(&self, wanted: Sending, matching: &[Sending]) -> bool {
        let model = self.letter(wanted).model;
        let same_model = |other: &&Sending| self.letter(**other).model == model;
        let mut rivals = matching.iter().filter(same_model).copied();
        match model {
            Delivery::Unordered => true,
            Delivery::Fifo => !rivals.any(|(who, index)| who == wanted.0 && index < wanted.1),
            Delivery::Causal => {
                let past = past(&self.logs, wanted.0, position_of(&self.logs, wanted));
                !rivals.any(|rival| past.contains(&(rival.0, position_of(&self.logs, rival))))
            }
            Delivery::Mailbox => {
                let age = |sending| self.order.iter().position(|other| *other == sending);
                !rivals.any(|rival| age(rival) < age(wanted))
            }
        }
    }

    pub(super) fn key(&self) -> Key {
        let mailbox = |sending: &Sending| self.letter(*sending).model == Delivery::Mailbox;
        let queue = |who| self.unread(who).into_iter().filter(mailbox).collect();
        let queues = (0..self.logs.len()).map(queue).collect();
        (self.logs.clone(), self.lost.clone(), queues)
    }
}

/// Events that happened before the `position`-th event of `who`: the transitive closure of program
/// order, reads-from, and `init` before everything else.
fn past(logs: &Logs, who: Who, position: usize) -> BTreeSet<(Who, usize)> {
    let mut past = BTreeSet::new();
    let mut open = causes(logs, who, position);
    while let Some((who, position)) = open.pop() {
        if past.insert((who, position)) {
            open.extend(causes(logs, who, position));
        }
    }
    past
}

/// Direct causes of an event; `position` may be one past the end of the log.
fn causes(logs: &Logs, who: Who, position: usize) -> Vec<(Who, usize)> {
    let mut causes = Vec::new();
    if position > 0 {
        causes.push((who, position - 1));
    }
    if who != 0 && !logs[0].is_empty() {
        causes.push((0, logs[0].len() - 1));
    }
    if let Some(sending) = logs[who].get(position).and_then(read_by) {
        causes.push((sending.0, position_of(logs, sending)));
    }
    causes
}

fn read_by(event: &Event) -> Option<Sending> {
    match event {
        Event::Received { from, index } => Some((*from, *index)),
        _ => None,
    }
}

/// Where a sending stands in its sender's log.
fn position_of(logs: &Logs, (who, index): Sending) -> usize {
    let sent = logs[who]
        .iter()
        .enumerate()
        .filter(|(_, event)| matches!(event, Event::Sent | Event::Copied(_)));
    sent.map(|(position, _)| position)
        .nth(index)
        .expect("a message was sent before it is read")
}
