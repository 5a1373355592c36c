//! Events: what happened, and what was read.

use crate::memory::MemoryEvent;
use crate::program::{Budget, Fate, Mailbox, Mailboxes, Model, Want};

/// A thread. Numbers are given at the first spawn and stay with the place of spawning (parent and
/// position among its children), however often it is spawned again.
pub type Tid = u32;

/// An event: the `index`-th operation of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId {
    /// Which thread.
    pub thread: Tid,
    /// Which of its operations.
    pub index: u32,
}

/// What an event did.
#[derive(Clone, Debug)]
pub enum Kind<M, R> {
    /// Sent a message.
    Send {
        /// To where.
        to: Mailbox,
        /// How it may be delivered.
        model: Model,
        /// What.
        message: M,
        /// What may happen to it on the way.
        fate: Fate,
    },
    /// Received, or gave up waiting.
    Receive {
        /// Which messages it wants, from where.
        pattern: R,
        /// How many, and whether it waits for them.
        want: Want,
    },
    /// Chose `value` out of `0..options`.
    Choose {
        /// How many options there are.
        options: u32,
        /// Which was taken.
        value: u32,
        /// What options other than the first take from.
        budget: Option<Budget>,
    },
    /// Started a thread.
    Spawn {
        /// Which.
        thread: Tid,
        /// Of which family.
        family: Option<u32>,
    },
    /// Waited for a thread to end.
    Join {
        /// Which.
        thread: Tid,
    },
    /// Accessed memory, or was a fence.
    Memory(Box<MemoryEvent>),
    /// Ended.
    End,
    /// Gave up.
    Block,
    /// Failed.
    Fail,
}

/// The reads-from edge of an event, from its own side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// A send nobody reads, a receive that got nothing, or neither of both.
    None,
    /// A receive: the send it reads. A load: the store it reads.
    From(EventId),
    /// A send: the receive that reads it, or that knows it to be lost.
    By(EventId),
    /// A receive that waits for ever, because what it could have read is lost.
    Lost,
}

/// An event of the graph.
#[derive(Clone, Debug)]
pub struct Event<M, R> {
    /// What it did.
    pub kind: Kind<M, R>,
    /// Reads-from.
    pub read: Read,
    /// What few events have.
    pub(crate) more: Option<Box<More>>,
    /// When it was inserted, relative to others.
    pub stamp: u32,
    /// To whom its thread may still send, before it: once that was asked for, and if the program knows.
    pub(crate) outlook: Option<Mailboxes>,
}

/// What few receives have.
#[derive(Clone, Debug, Default)]
pub(crate) struct More {
    /// The sends it reads besides the first.
    pub(crate) reads: Vec<EventId>,
    /// The sends that are lost because of what it reads.
    pub(crate) drops: Vec<EventId>,
}

impl<M, R> Event<M, R> {
    /// The sends that a receive reads.
    pub fn reads(&self) -> impl Iterator<Item = EventId> {
        let first = match self.read {
            Read::From(send) => Some(send),
            _ => None,
        };
        let more = self.more.iter().flat_map(|more| more.reads.iter().copied());
        first.into_iter().chain(more)
    }

    /// The sends that are lost because of what a receive reads.
    pub fn drops(&self) -> impl Iterator<Item = EventId> {
        self.more.iter().flat_map(|more| more.drops.iter().copied())
    }
}
