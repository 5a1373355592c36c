//! The execution graph: events in place, with undo.
//!
//! Each thread has a *script*: the operations it is known to perform. The first `live` of them are
//! events of the graph; the rest is what it did in an execution explored before and will do again,
//! because nothing it learned has changed. Cutting the graph back therefore only lowers `live`;
//! the script is shortened when an answer changes. So a thread that only sends is asked for its
//! operations once in a whole exploration.

use crate::candidates::is_global;
use crate::event::{Event, EventId, Kind, More, Read, Tid};
use crate::faults::Faults;
use crate::live_threads::LiveThreads;
use crate::mailbox_index::Postbox;
use crate::memory::{Memory, MemoryEvent};
use crate::program::{Fate, Mailbox, Model, Program};
use crate::receive_sets::ReceivableSet;
use std::cell::Cell;

pub(crate) type EventOf<P> = Event<<P as Program>::Message, <P as Program>::Pattern>;

pub(crate) struct Thread<P: Program> {
    /// Parent and position, from the first thread down: comparing keys orders threads in a way that
    /// does not depend on the order of exploration.
    key: Box<[u32]>,
    /// Its place in the order of keys.
    pub(crate) rank: usize,
    pub(crate) spawned_by: Option<EventId>,
    /// The sibling before it of the same family, when symmetry counts.
    pub(crate) twin: Option<Tid>,
    daemon: bool,
    pub(crate) script: Vec<EventOf<P>>,
    pub(crate) live: usize,
    pub(crate) clocks: Vec<u32>,
    /// How many of its events have their clock.
    pub(crate) clocked: usize,
    /// What happens before each event, where memory is used.
    pub(crate) views: Vec<u32>,
}

/// An execution graph.
pub struct Graph<P: Program> {
    pub(crate) threads: Vec<Thread<P>>,
    /// Events in insertion order.
    pub(crate) order: Vec<EventId>,
    pub(crate) boxes: Vec<Postbox>,
    /// Columns per clock row.
    pub(crate) stride: usize,
    /// How many of the events in insertion order have their clock.
    pub(crate) clocked: usize,
    /// Later than all events; they are in this order when they are in the order of insertion.
    pub(crate) next_stamp: u32,
    /// Does every event need its clock at once?
    pub(crate) needs_clocks: bool,
    /// Is there a model by which one order of all sends decides?
    pub(crate) some_global: bool,
    /// Did somebody ask what happened before an event that had no clock?
    pub(crate) lacked_clock: Cell<bool>,
    by_key: Vec<Tid>,
    pub(crate) running: LiveThreads,
    /// Joins in the graph.
    joins: usize,
    pub(crate) faults: Faults,
    /// Do families count?
    pub(crate) symmetry: bool,
    pub(crate) memory: Memory,
}

impl<P: Program> Graph<P> {
    pub(crate) fn new(budgets: Vec<u32>) -> Self {
        let first = Thread {
            key: Box::new([]),
            rank: 0,
            spawned_by: None,
            twin: None,
            daemon: false,
            script: Vec::new(),
            live: 0,
            clocks: Vec::new(),
            clocked: 0,
            views: Vec::new(),
        };
        let mut graph = Graph {
            threads: vec![first],
            order: Vec::new(),
            boxes: Vec::new(),
            stride: 8,
            clocked: 0,
            next_stamp: 0,
            needs_clocks: false,
            some_global: false,
            lacked_clock: Cell::new(false),
            by_key: vec![0],
            running: LiveThreads::default(),
            joins: 0,
            faults: Faults::new(budgets),
            symmetry: false,
            memory: Memory::default(),
        };
        graph.recount_running();
        graph
    }

    /// Threads ever seen, spawned now or not.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Is the thread part of this execution?
    #[inline]
    pub fn exists(&self, thread: Tid) -> bool {
        thread == 0 || self.threads[thread as usize].spawned_by.is_some()
    }

    /// The event that spawned a thread of this execution; none for the first.
    pub(crate) fn spawned_by(&self, thread: Tid) -> Option<EventId> {
        self.threads[thread as usize].spawned_by
    }

    /// May it go on for ever?
    pub fn is_daemon(&self, thread: Tid) -> bool {
        self.threads[thread as usize].daemon
    }

    /// How many events of the thread are in the graph.
    #[inline]
    pub fn live(&self, thread: Tid) -> usize {
        self.threads[thread as usize].live
    }

    /// The event that the thread's next operation will be.
    #[inline]
    pub(crate) fn next_id(&self, thread: Tid) -> EventId {
        EventId {
            thread,
            index: self.live(thread) as u32,
        }
    }

    /// Is the thread's next operation known without asking the program?
    #[inline]
    pub(crate) fn scripted(&self, thread: Tid) -> Option<&EventOf<P>> {
        let thread = &self.threads[thread as usize];
        thread.script.get(thread.live)
    }

    /// The operation that the thread would perform next becomes known.
    pub(crate) fn script(&mut self, thread: Tid, kind: Kind<P::Message, P::Pattern>) {
        match &kind {
            Kind::Send { to, model, .. } => {
                self.make_room(*to);
                self.needs_clocks |= !matches!(model, Model::Unordered | Model::Fifo);
                self.some_global |= is_global(*model);
            }
            Kind::Receive { pattern, .. } => {
                P::mailboxes(pattern)
                    .iter()
                    .for_each(|&mailbox| self.make_room(mailbox));
            }
            Kind::Memory(memory) => self.learn_access(&memory.access),
            _ => {}
        }
        self.threads[thread as usize].script.push(Event {
            kind,
            read: Read::None,
            more: None,
            stamp: 0,
            outlook: None,
        });
    }

    /// What the thread does after its first `kept` operations is no longer known.
    pub(crate) fn unscript(&mut self, thread: Tid, kept: usize) {
        let thread = &mut self.threads[thread as usize];
        debug_assert!(kept >= thread.live, "live events are not forgotten");
        thread.script.truncate(kept);
    }

    /// What the thread does from its next receive on is no longer known. Operations before that depend
    /// on its answers alone.
    pub(crate) fn unscript_receive(&mut self, thread: Tid) {
        let thread = &mut self.threads[thread as usize];
        let is_receive = |event: &EventOf<P>| matches!(event.kind, Kind::Receive { .. });
        if let Some(at) = thread.script[thread.live..].iter().position(is_receive) {
            thread.script.truncate(thread.live + at);
        }
    }

    #[inline]
    pub(crate) fn event_at(&self, thread: Tid, index: usize) -> &EventOf<P> {
        &self.threads[thread as usize].script[index]
    }

    /// An event.
    #[inline]
    pub fn event(&self, id: EventId) -> &EventOf<P> {
        self.event_at(id.thread, id.index as usize)
    }

    #[inline]
    pub(crate) fn event_mut(&mut self, id: EventId) -> &mut EventOf<P> {
        &mut self.threads[id.thread as usize].script[id.index as usize]
    }

    /// What a send sent.
    #[inline]
    pub fn message(&self, send: EventId) -> &P::Message {
        match &self.event(send).kind {
            Kind::Send { message, .. } => message,
            _ => unreachable!("only sends are read"),
        }
    }

    /// Events in the order of insertion.
    #[inline]
    pub fn order(&self) -> &[EventId] {
        &self.order
    }

    /// How many joins there are.
    pub(crate) fn joins(&self) -> usize {
        self.joins
    }

    /// Threads in the order of where they were spawned, which no exploration order changes.
    #[inline]
    pub(crate) fn by_key(&self) -> &[Tid] {
        &self.by_key
    }

    /// The place of a thread in that order.
    #[inline]
    pub(crate) fn rank(&self, thread: Tid) -> usize {
        self.threads[thread as usize].rank
    }

    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// The number of the parent's `child`-th child.
    pub(crate) fn child(&mut self, parent: Tid, child: u32) -> Tid {
        let mut key = self.threads[parent as usize].key.to_vec();
        key.push(child);
        if let Some(known) = self
            .threads
            .iter()
            .position(|thread| *thread.key == key[..])
        {
            return known as Tid;
        }
        self.threads.push(Thread {
            key: key.into(),
            rank: 0,
            spawned_by: None,
            twin: None,
            daemon: false,
            script: Vec::new(),
            live: 0,
            clocks: Vec::new(),
            clocked: 0,
            views: Vec::new(),
        });
        if self.threads.len() > self.stride {
            self.widen();
        }
        let tid = (self.threads.len() - 1) as Tid;
        let threads = &self.threads;
        let key = |tid: Tid| &threads[tid as usize].key;
        let at = self.by_key.partition_point(|&other| key(other) < key(tid));
        self.by_key.insert(at, tid);
        for (rank, &thread) in self.by_key.iter().enumerate().skip(at) {
            self.threads[thread as usize].rank = rank;
        }
        self.recount_running();
        tid
    }

    pub(crate) fn set_daemon(&mut self, thread: Tid, daemon: bool) {
        self.threads[thread as usize].daemon = daemon;
    }

    fn make_room(&mut self, mailbox: Mailbox) {
        let needed = mailbox as usize + 1;
        if needed > self.boxes.len() {
            self.boxes.resize_with(needed, Postbox::default);
        }
    }

    /// Makes the thread's next scripted operation an event. A receive reads `from`.
    #[inline]
    pub(crate) fn insert(&mut self, thread: Tid, from: Option<EventId>) -> EventId {
        self.insert_reading(thread, from.map_or(Read::None, Read::From), None)
    }

    /// Makes the thread's next scripted operation, a receive, an event.
    pub(crate) fn insert_taking(&mut self, thread: Tid, taking: &ReceivableSet) -> EventId {
        self.insert_reading(thread, taking.read(), taking.more())
    }

    #[inline]
    fn insert_reading(&mut self, thread: Tid, read: Read, more: Option<Box<More>>) -> EventId {
        let data = &mut self.threads[thread as usize];
        let id = EventId {
            thread,
            index: data.live as u32,
        };
        data.live += 1;
        let event = &mut data.script[id.index as usize];
        event.stamp = self.next_stamp;
        event.read = read;
        if more.is_some() || event.more.is_some() {
            event.more = more;
        }
        self.next_stamp += 1;
        self.order.push(id);
        self.link(id);
        if self.needs_clocks || self.symmetry {
            self.settle_clocks();
        }
        id
    }

    /// Registers a new event with mailboxes, its sender and spawned threads.
    #[inline]
    pub(crate) fn link(&mut self, id: EventId) {
        let event = &self.threads[id.thread as usize].script[id.index as usize];
        match event.kind {
            Kind::Send { to, fate, .. } => {
                self.enqueue(to, id);
                if fate != Fate::Sure {
                    self.boxes[to as usize].unsure += 1;
                }
            }
            Kind::Receive { ref pattern, .. } => {
                for &mailbox in P::mailboxes(pattern) {
                    self.boxes[mailbox as usize].receives.push(id);
                }
                if event.read == Read::Lost {
                    self.quit(id.thread);
                }
                self.take_up(id);
            }
            Kind::End => self.set_running(id.thread, false),
            Kind::Block | Kind::Fail => self.quit(id.thread),
            Kind::Choose {
                value,
                budget: Some(_),
                ..
            } if value > 0 => self.faults.spenders.push(id),
            Kind::Spawn { thread, .. } => {
                let twin = self.find_twin(id);
                let child = &mut self.threads[thread as usize];
                child.spawned_by = Some(id);
                child.twin = twin;
                self.set_running(thread, true);
            }
            Kind::Join { .. } => self.joins += 1,
            Kind::Memory(ref memory) => {
                let MemoryEvent { access, place } = **memory;
                self.link_access(id, access, place);
            }
            _ => {}
        }
    }

    /// Tells sends that a receive reads them, or knows them to be lost.
    #[inline]
    pub(crate) fn take_up(&mut self, receive: EventId) {
        self.tell_sends(receive, Some(receive));
        if self.faults.may_happen() {
            self.count_faults(receive);
        }
    }

    /// Undoes [`Graph::take_up`].
    #[inline]
    pub(crate) fn put_down(&mut self, receive: EventId) {
        self.tell_sends(receive, None);
        if self.faults.may_happen() {
            self.uncount_faults(receive);
        }
    }

    #[inline]
    fn tell_sends(&mut self, receive: EventId, reader: Option<EventId>) {
        let event = self.event(receive);
        if event.more.is_some() {
            let taken: Vec<EventId> = event.reads().chain(event.drops()).collect();
            for send in taken {
                self.set_reader(send, reader);
            }
        } else if let Read::From(send) = event.read {
            self.set_reader(send, reader);
        }
    }

    /// What an event waits for in another thread: the send it reads, the end it joins.
    pub(crate) fn outside_cause(&self, id: EventId) -> Option<EventId> {
        match (self.event(id).read, &self.event(id).kind) {
            (Read::From(send), _) => Some(send),
            (_, &Kind::Join { thread }) => {
                let live = self.live(thread) as u32;
                live.checked_sub(1).map(|index| EventId { thread, index })
            }
            _ => None,
        }
    }

    /// The sends that an event reads besides the first.
    pub(crate) fn more_causes(&self, id: EventId) -> &[EventId] {
        let more = self.event(id).more.as_deref();
        more.map_or(&[], |more| &more.reads)
    }

    /// The direct causes of an event.
    pub(crate) fn causes(&self, id: EventId) -> impl Iterator<Item = EventId> {
        let previous = match id.index.checked_sub(1) {
            Some(index) => Some(EventId {
                thread: id.thread,
                index,
            }),
            None => self.threads[id.thread as usize].spawned_by,
        };
        previous
            .into_iter()
            .chain(self.cause_in_twin(id))
            .chain(self.outside_cause(id))
            .chain(self.more_causes(id).iter().copied())
    }

    /// Takes the last inserted event out again; its operation stays in the script.
    #[inline]
    pub(crate) fn remove_last(&mut self) -> EventId {
        let id = self.order.pop().expect("there is an event to remove");
        self.next_stamp = self.event(id).stamp;
        self.unlink(id);
        let thread = &mut self.threads[id.thread as usize];
        thread.live -= 1;
        thread.clocked = thread.clocked.min(thread.live);
        self.clocked = self.clocked.min(self.order.len());
        id
    }

    #[inline]
    pub(crate) fn unlink(&mut self, id: EventId) {
        debug_assert_eq!(
            self.live(id.thread),
            id.index as usize + 1,
            "the last of its thread"
        );
        let event = &self.threads[id.thread as usize].script[id.index as usize];
        match event.kind {
            Kind::Send { to, fate, .. } => {
                if fate != Fate::Sure {
                    self.boxes[to as usize].unsure -= 1;
                }
                self.boxes[to as usize].pop(id.thread);
            }
            Kind::Receive { ref pattern, .. } => {
                for &mailbox in P::mailboxes(pattern) {
                    self.boxes[mailbox as usize].receives.pop();
                }
                if event.read == Read::Lost {
                    self.unquit(id.thread);
                }
                self.put_down(id);
            }
            Kind::End => self.set_running(id.thread, true),
            Kind::Block | Kind::Fail => self.unquit(id.thread),
            Kind::Choose {
                budget: Some(_), ..
            } => self.faults.spenders.retain(|&spender| spender != id),
            Kind::Spawn { thread, .. } => {
                self.threads[thread as usize].spawned_by = None;
                self.set_running(thread, false);
            }
            Kind::Join { .. } => self.joins -= 1,
            Kind::Memory(ref memory) => {
                let access = memory.access;
                self.unlink_access(id, access);
            }
            _ => {}
        }
    }
}
