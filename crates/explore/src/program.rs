//! What the engine wants from a program.
//!
//! A thread is a function from the answers it got so far to its next operation; whether a receive waits
//! may depend on the causal past of the thread too. The engine asks for that operation with
//! [`Program::next`], and says with [`Program::forget`] when answers that it gave earlier no longer
//! hold, so that a program that keeps running threads (coroutines, saved states) knows which of them
//! are still good.

use crate::event::{EventId, Kind, Read, Tid};
use crate::graph::Graph;
use crate::memory::Access;

/// Where messages are sent: an address with one receiving thread at a time. Another thread may receive from it
/// when the last receive is in its causal past.
pub type Mailbox = u32;

/// Mailboxes below 64, as bits.
pub type Mailboxes = u64;

/// Which order of delivery a message gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// Any matching unread message may be taken.
    Unordered,
    /// Not before an older matching unread one of the same sender.
    Fifo,
    /// Not before a matching unread one that was sent causally earlier.
    Causal,
    /// Not before a matching unread one that was sent earlier in one order of all sends.
    Mailbox,
    /// Not before a matching unread one that was sent earlier, where [`Program::keeps_order`] says
    /// so. The other four are special cases of this one.
    ///
    /// Whatever it says, as long as it says the same each time, the model is sound for this search.
    /// A new send is before nothing, so it never forbids what was read already; what a read depends
    /// on lies in the causal past of the messages, or in the order that mailboxes force; and neither
    /// order has cycles, so something is first among the open messages. Those are the three
    /// requirements of [Must24] section 3.2.1.
    Custom(Earlier),
}

/// Which messages count as sent earlier than others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Earlier {
    /// Those in the causal past.
    Causally,
    /// Those that come first in one order of all sends, which extends causality.
    Globally,
}

/// How many messages a receive takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Want {
    /// One; it waits for it.
    One,
    /// One or none: it may go on without one at any time.
    Maybe,
    /// A set of so many, all at once and in no order; it waits for the least number.
    Set {
        /// At least so many.
        least: u32,
        /// At most so many.
        most: u32,
    },
    /// One from each of its mailboxes, all at once; it waits for them.
    Each,
}

impl Want {
    /// Does the receive wait for something?
    pub fn waits(self) -> bool {
        !matches!(self, Want::Maybe | Want::Set { least: 0, .. })
    }

    /// Is it about single messages?
    pub(crate) fn is_single(self) -> bool {
        matches!(self, Want::One | Want::Maybe)
    }
}

/// Which of the program's budgets for faults: see [`Program::budgets`].
pub type Budget = u32;

/// What may happen to a message on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fate {
    /// It is there until somebody takes it.
    Sure,
    /// It may be lost, at the cost of one from the budget. Not for [`Model::Mailbox`].
    Lossy(Budget),
    /// It is a second copy of the thread's previous operation, a send of the same message to the
    /// same mailbox. It may be taken after the first one has been, at the cost of one from the budget, in
    /// any order with other messages; it never has to be there. Not for [`Model::Mailbox`].
    Copy(Budget),
}

/// One operation of a thread.
#[derive(Clone, Debug)]
pub enum Op<M, R> {
    /// Sends a message; never blocks.
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
    /// Takes messages.
    Receive {
        /// Which messages: see [`Program::mailboxes`] and [`Program::accepts`].
        pattern: R,
        /// How many, and whether it waits for them.
        want: Want,
    },
    /// Chooses one of `0..options`, freely; there must be at least one.
    Choose {
        /// How many options.
        options: u32,
        /// Every option but the first takes one from this budget.
        budget: Option<Budget>,
    },
    /// Starts another thread: the parent's `spawn`-th, counted from 0.
    Spawn {
        /// Which of the parent's children.
        child: u32,
        /// May the child go on for ever? Then it is not waited for at the end.
        daemon: bool,
        /// Children of one family are alike: they run the same code and nobody cares which is which.
        /// See [`Engine::symmetry`](crate::Engine::symmetry).
        family: Option<u32>,
    },
    /// Waits until a thread has ended.
    Join {
        /// Which.
        thread: Tid,
    },
    /// Accesses memory, or is a fence. After a load that is the first half of an update, the next operation is the
    /// store that is the second.
    Memory(Access),
    /// Nothing more: the thread is done.
    End,
    /// The thread gives up: this execution is not of interest (`assume`).
    Block,
    /// Something is wrong; the program knows what.
    Fail,
}

/// What a thread learns from an operation.
#[derive(Clone, Copy, Debug)]
pub enum Answer<'g, M> {
    /// Nothing (a send, an end).
    Done,
    /// A message, with the thread it came from.
    Message(&'g M, Tid),
    /// Several messages, or none: see [`History::messages`].
    Messages,
    /// No message (a receive that does not block).
    Nothing,
    /// What was chosen.
    Chosen(u32),
    /// The thread that was started.
    Started(Tid),
    /// What was loaded.
    Loaded(u64),
}

/// The answers a thread got so far.
pub struct History<'g, P: Program> {
    pub(crate) graph: &'g Graph<P>,
    pub(crate) thread: Tid,
}

impl<'g, P: Program> History<'g, P> {
    /// How many answers there are.
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        self.graph.live(self.thread)
    }

    /// The whole execution so far: answers of other threads, the order of insertion.
    pub fn graph(&self) -> &'g Graph<P> {
        self.graph
    }

    /// The answer to the thread's `index`-th operation.
    pub fn answer(&self, index: usize) -> Answer<'g, P::Message> {
        let event = self.graph.event_at(self.thread, index);
        match &event.kind {
            Kind::Receive { want, .. } if !want.is_single() => Answer::Messages,
            Kind::Receive { .. } => match event.read {
                Read::From(send) => Answer::Message(self.graph.message(send), send.thread),
                _ => Answer::Nothing,
            },
            Kind::Memory(memory) if memory.access.is_load() => {
                Answer::Loaded(self.graph.value(EventId {
                    thread: self.thread,
                    index: index as u32,
                }))
            }
            Kind::Choose { value, .. } => Answer::Chosen(*value),
            Kind::Spawn { thread, .. } => Answer::Started(*thread),
            _ => Answer::Done,
        }
    }
}

impl<'g, P: Program> History<'g, P> {
    /// The messages that the thread's `index`-th operation, a receive, took, with where they came
    /// from; in the order of the senders' places in the tree of spawns.
    pub fn messages(&self, index: usize) -> impl Iterator<Item = (&'g P::Message, Tid)> {
        let graph = self.graph;
        graph
            .event_at(self.thread, index)
            .reads()
            .map(move |send| (graph.message(send), send.thread))
    }
}

/// A program: threads that exchange messages.
pub trait Program: Sized {
    /// What is sent.
    type Message: Clone;
    /// Which messages a receive wants.
    type Pattern: Clone;

    /// The next operation of `thread`, which got the answers in `history`. Thread 0 is the first;
    /// others exist once they are spawned.
    fn next(&mut self, thread: Tid, history: History<'_, Self>)
    -> Op<Self::Message, Self::Pattern>;

    /// Answers from the `kept`-th on no longer hold for `thread`. Threads that it spawned from
    /// there on are gone with them, until it spawns them again.
    fn forget(&mut self, thread: Tid, kept: usize);

    /// Where a receive looks for messages: mailboxes from which the last receive was in its causal past, or of
    /// its own thread.
    fn mailboxes(pattern: &Self::Pattern) -> &[Mailbox];

    /// [`Model::Custom`]: of two messages to one mailbox, `earlier` sent before `later`, may `later`
    /// not overtake? Has to be a function of the two messages.
    fn keeps_order(earlier: &Self::Message, later: &Self::Message) -> bool {
        let _ = (earlier, later);
        false
    }

    /// Does what its sender did before a message happen before what its receiver does after it? It comes before it
    /// in any case; this is about memory, and only about [`Op::Memory`].
    fn synchronizes(message: &Self::Message) -> bool {
        let _ = message;
        true
    }

    /// How often faults may happen: how much there is of each budget.
    fn budgets(&self) -> Vec<u32> {
        Vec::new()
    }

    /// The mailboxes to which a thread may still send, for programs that know: at least those, the
    /// same for the same answers. Such programs have no joins, no sets of messages and fewer than 64
    /// mailboxes.
    ///
    /// The search takes receives first that nobody else can send to any more, and counts what it
    /// [knows](Engine::remembers) instead of exploring it again.
    ///
    /// [`Engine::remembers`]: crate::Engine::remembers
    fn outlook(&mut self, thread: Tid, history: History<'_, Self>) -> Option<Mailboxes> {
        let _ = (thread, history);
        None
    }

    /// For programs that have an [outlook](Program::outlook): writes where a thread is, in as many
    /// words each time. Where it has written the same, the thread goes on alike, given the same
    /// answers.
    fn standing(&mut self, thread: Tid, history: History<'_, Self>, into: &mut Vec<u32>) {
        let _ = (thread, history, into);
    }

    /// Words and numbers of different epochs do not mean the same.
    fn epoch(&self) -> u64 {
        0
    }

    /// For such programs: a number below 2³⁰ that tells the message from others of its sender to its mailbox,
    /// as far as receives and threads can.
    fn number(message: &Self::Message) -> u32 {
        let _ = message;
        0
    }

    /// Does a receive want this message, sent by `from` to one of its mailboxes?
    fn accepts(pattern: &Self::Pattern, message: &Self::Message, from: Tid) -> bool;
}
