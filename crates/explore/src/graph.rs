//! The execution graph: events in place, with undo.
//!
//! Each thread has a *script*: the operations it is known to perform. The first `live` of them are
//! events of the graph; the rest is what it did in an execution explored before and will do again,
//! because nothing it learned has changed. Cutting the graph back therefore only lowers `live`;
//! the script is shortened when an answer changes. So a thread that only sends is asked for its
//! operations once in a whole exploration.
//!
//! Clocks. Row `i` of a thread says, for every thread, how many of its events are in the causal
//! past of event `i` (itself included): the reflexive-transitive closure of program order, spawns,
//! joins and reads-from, as one row of `u32`s.

use crate::event::{Event, EventId, Kind, More, Read, Tid};
use crate::faults::Faults;
use crate::order::join;
use crate::program::{Fate, Mailbox, Program};
use crate::takings::Taking;

pub(crate) type EventOf<P> = Event<<P as Program>::Message, <P as Program>::Pattern>;

pub(crate) struct Thread<P: Program> {
    /// Parent and position, from the first thread down: comparing keys orders threads in a way that
    /// does not depend on the order of exploration.
    key: Box<[u32]>,
    spawned_by: Option<EventId>,
    /// The sibling before it of the same family, when symmetry counts.
    pub(crate) twin: Option<Tid>,
    daemon: bool,
    pub(crate) script: Vec<EventOf<P>>,
    pub(crate) live: usize,
    pub(crate) clocks: Vec<u32>,
}

/// Messages of one sender to one mailbox, oldest first.
pub(crate) struct Queue {
    pub(crate) sender: Tid,
    /// Indices of the sends in their thread.
    pub(crate) sends: Vec<u32>,
    /// How many of the oldest are read, at least.
    pub(crate) head: usize,
}

/// What the graph knows about one mailbox.
#[derive(Default)]
pub(crate) struct Postbox {
    /// One queue per sender, ordered by the senders' keys.
    pub(crate) queues: Vec<Queue>,
    /// Receives from it, in insertion order.
    pub(crate) receives: Vec<EventId>,
    /// How many of its messages may be lost or are copies.
    pub(crate) unsure: usize,
}

/// An execution graph.
pub struct Graph<P: Program> {
    pub(crate) threads: Vec<Thread<P>>,
    /// Events in insertion order.
    pub(crate) order: Vec<EventId>,
    pub(crate) boxes: Vec<Postbox>,
    /// Columns per clock row.
    pub(crate) stride: usize,
    by_key: Vec<Tid>,
    /// Joins in the graph.
    joins: usize,
    pub(crate) faults: Faults,
    /// Do families count?
    pub(crate) symmetry: bool,
}

impl<P: Program> Graph<P> {
    pub(crate) fn new(budgets: Vec<u32>) -> Self {
        let first = Thread {
            key: Box::new([]),
            spawned_by: None,
            twin: None,
            daemon: false,
            script: Vec::new(),
            live: 0,
            clocks: Vec::new(),
        };
        Graph {
            threads: vec![first],
            order: Vec::new(),
            boxes: Vec::new(),
            stride: 8,
            by_key: vec![0],
            joins: 0,
            faults: Faults::new(budgets),
            symmetry: false,
        }
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
            Kind::Send { to, .. } => self.make_room(*to),
            Kind::Receive { pattern, .. } => {
                P::mailboxes(pattern)
                    .iter()
                    .for_each(|&mailbox| self.make_room(mailbox));
            }
            _ => {}
        }
        self.threads[thread as usize].script.push(Event {
            kind,
            read: Read::None,
            more: None,
            stamp: 0,
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

    pub(crate) fn key(&self, thread: Tid) -> &[u32] {
        &self.threads[thread as usize].key
    }

    /// The causal past of an event, as how many events of each thread.
    #[inline]
    pub(crate) fn clock(&self, id: EventId) -> &[u32] {
        let at = id.index as usize * self.stride;
        &self.threads[id.thread as usize].clocks[at..at + self.stride]
    }

    /// The clocks of all events of a thread, one row after the other.
    pub(crate) fn clocks(&self, thread: Tid) -> &[u32] {
        let thread = &self.threads[thread as usize];
        &thread.clocks[..thread.live * self.stride]
    }

    /// Is `earlier` in the causal past of `later`, or the same?
    #[inline]
    pub fn happens_before(&self, earlier: EventId, later: EventId) -> bool {
        self.clock(later)[earlier.thread as usize] > earlier.index
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
            spawned_by: None,
            twin: None,
            daemon: false,
            script: Vec::new(),
            live: 0,
            clocks: Vec::new(),
        });
        if self.threads.len() > self.stride {
            self.widen();
        }
        let tid = (self.threads.len() - 1) as Tid;
        let threads = &self.threads;
        let key = |tid: Tid| &threads[tid as usize].key;
        let at = self.by_key.partition_point(|&other| key(other) < key(tid));
        self.by_key.insert(at, tid);
        tid
    }

    pub(crate) fn set_daemon(&mut self, thread: Tid, daemon: bool) {
        self.threads[thread as usize].daemon = daemon;
    }

    /// Makes room for more threads in every clock.
    fn widen(&mut self) {
        let (old, new) = (self.stride, self.stride * 2);
        for thread in &mut self.threads {
            let rows = thread.clocks.len() / old;
            let mut clocks = vec![0; rows * new];
            for row in 0..rows {
                clocks[row * new..row * new + old]
                    .copy_from_slice(&thread.clocks[row * old..(row + 1) * old]);
            }
            thread.clocks = clocks;
        }
        self.stride = new;
    }

    fn make_room(&mut self, mailbox: Mailbox) {
        let needed = mailbox as usize + 1;
        if needed > self.boxes.len() {
            self.boxes.resize_with(needed, Postbox::default);
        }
    }

    /// Makes the thread's next scripted operation an event. A receive reads `from`.
    pub(crate) fn insert(&mut self, thread: Tid, from: Option<EventId>) -> EventId {
        self.insert_reading(thread, from.map_or(Read::None, Read::From), None)
    }

    /// Makes the thread's next scripted operation, a receive, an event.
    pub(crate) fn insert_taking(&mut self, thread: Tid, taking: &Taking) -> EventId {
        self.insert_reading(thread, taking.read(), taking.more())
    }

    fn insert_reading(&mut self, thread: Tid, read: Read, more: Option<Box<More>>) -> EventId {
        let stamp = self
            .order
            .last()
            .map_or(0, |&last| self.event(last).stamp + 1);
        let data = &mut self.threads[thread as usize];
        let id = EventId {
            thread,
            index: data.live as u32,
        };
        data.live += 1;
        let event = &mut data.script[id.index as usize];
        event.stamp = stamp;
        event.read = read;
        event.more = more;
        self.order.push(id);
        self.link(id);
        self.set_clock(id);
        id
    }

    /// Registers a new event with mailboxes, its sender and spawned threads.
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
                self.take_up(id);
            }
            Kind::Choose {
                value,
                budget: Some(_),
                ..
            } if value > 0 => self.faults.spenders.push(id),
            Kind::Spawn { thread, .. } => {
                let twin = self.find_twin(id);
                let thread = &mut self.threads[thread as usize];
                thread.spawned_by = Some(id);
                thread.twin = twin;
            }
            Kind::Join { .. } => self.joins += 1,
            _ => {}
        }
    }

    /// Tells sends that a receive reads them, or knows them to be lost.
    pub(crate) fn take_up(&mut self, receive: EventId) {
        let event = self.event(receive);
        if event.more.is_none() {
            if let Read::From(send) = event.read {
                self.set_reader(send, Some(receive));
            }
        } else {
            let taken: Vec<EventId> = event.reads().chain(event.drops()).collect();
            for send in taken {
                self.set_reader(send, Some(receive));
            }
        }
        self.count_faults(receive);
    }

    /// Undoes [`Graph::take_up`].
    pub(crate) fn put_down(&mut self, receive: EventId) {
        let event = self.event(receive);
        if event.more.is_none() {
            if let Read::From(send) = event.read {
                self.set_reader(send, None);
            }
        } else {
            let taken: Vec<EventId> = event.reads().chain(event.drops()).collect();
            for send in taken {
                self.set_reader(send, None);
            }
        }
        self.uncount_faults(receive);
    }

    fn enqueue(&mut self, mailbox: Mailbox, id: EventId) {
        let (threads, queues) = (&self.threads, &mut self.boxes[mailbox as usize].queues);
        let key = |tid: Tid| &threads[tid as usize].key;
        let at = queues.partition_point(|queue| key(queue.sender) < key(id.thread));
        if queues.get(at).is_none_or(|queue| queue.sender != id.thread) {
            queues.insert(
                at,
                Queue {
                    sender: id.thread,
                    sends: Vec::new(),
                    head: 0,
                },
            );
        }
        queues[at].sends.push(id.index);
    }

    /// A send becomes read, or unread again.
    pub(crate) fn set_reader(&mut self, send: EventId, reader: Option<EventId>) {
        self.event_mut(send).read = reader.map_or(Read::None, Read::By);
        let Kind::Send { to, .. } = self.event(send).kind else {
            unreachable!("only sends are read")
        };
        let threads = &self.threads;
        let queue = self.boxes[to as usize]
            .queues
            .iter_mut()
            .find(|queue| queue.sender == send.thread)
            .expect("a send is in its queue");
        let script = &threads[send.thread as usize].script;
        if reader.is_some() {
            while let Some(&index) = queue.sends.get(queue.head) {
                if script[index as usize].read == Read::None {
                    break;
                }
                queue.head += 1;
            }
        } else {
            let at = queue.sends.partition_point(|&index| index < send.index);
            queue.head = queue.head.min(at);
        }
    }

    /// What an event waits for in another thread: the send it reads, the end it joins.
    fn outside_cause(&self, id: EventId) -> Option<EventId> {
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
    fn more_causes(&self, id: EventId) -> &[EventId] {
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

    /// Computes the clock of an event whose causes are in the graph.
    pub(crate) fn set_clock(&mut self, id: EventId) {
        let stride = self.stride;
        let (thread, index) = (id.thread as usize, id.index as usize);
        let cause = self.outside_cause(id);
        let mut row = std::mem::take(&mut self.threads[thread].clocks);
        row.truncate(index * stride);
        if index > 0 {
            row.extend_from_within((index - 1) * stride..);
        } else if let Some(parent) = self.threads[thread].spawned_by {
            row.extend_from_slice(self.clock(parent));
        } else {
            row.resize(stride, 0);
        }
        let own = &mut row[index * stride..];
        own[thread] = id.index + 1;
        if let Some(cause) = self.cause_in_twin(id) {
            join(own, self.clock(cause));
        }
        // A thread can read its own sends: their clocks are in the row just taken, and smaller.
        if let Some(cause) = cause
            && cause.thread != id.thread
        {
            join(own, self.clock(cause));
        }
        for &cause in self.more_causes(id) {
            if cause.thread != id.thread {
                join(own, self.clock(cause));
            }
        }
        self.threads[thread].clocks = row;
    }

    /// Takes the last inserted event out again; its operation stays in the script.
    pub(crate) fn remove_last(&mut self) -> EventId {
        let id = self.order.pop().expect("there is an event to remove");
        self.unlink(id);
        self.threads[id.thread as usize].live -= 1;
        id
    }

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
                let queues = &mut self.boxes[to as usize].queues;
                let queue = queues
                    .iter_mut()
                    .find(|queue| queue.sender == id.thread)
                    .expect("a send is in its queue");
                queue.sends.pop();
                queue.head = queue.head.min(queue.sends.len());
            }
            Kind::Receive { ref pattern, .. } => {
                for &mailbox in P::mailboxes(pattern) {
                    self.boxes[mailbox as usize].receives.pop();
                }
                self.put_down(id);
            }
            Kind::Choose {
                budget: Some(_), ..
            } => self.faults.spenders.retain(|&spender| spender != id),
            Kind::Spawn { thread, .. } => self.threads[thread as usize].spawned_by = None,
            Kind::Join { .. } => self.joins -= 1,
            _ => {}
        }
    }
}
