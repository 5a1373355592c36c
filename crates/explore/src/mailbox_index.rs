//! The mailbox index: messages of one mailbox, by sender.

use crate::event::{EventId, Kind, Read, Tid};
use crate::graph::Graph;
use crate::program::{Mailbox, Program};

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
    /// Where in `queues` each thread's is.
    lanes: Vec<Option<u32>>,
    /// Receives from it, in insertion order, which is the order of causality.
    pub(crate) receives: Vec<EventId>,
    /// How many of its messages may be lost or are copies.
    pub(crate) unsure: usize,
}

impl Postbox {
    #[inline]
    fn lane(&self, sender: Tid) -> Option<usize> {
        let lane = self.lanes.get(sender as usize)?;
        lane.map(|lane| lane as usize)
    }

    #[inline]
    fn queue(&mut self, sender: Tid) -> &mut Queue {
        let lane = self.lane(sender).expect("a send is in its queue");
        &mut self.queues[lane]
    }

    /// Makes a queue for a sender, before that of `queues[at]`.
    #[cold]
    fn open(&mut self, at: usize, sender: Tid) {
        let queue = Queue {
            sender,
            sends: Vec::new(),
            head: 0,
        };
        self.queues.insert(at, queue);
        if sender as usize >= self.lanes.len() {
            self.lanes.resize(sender as usize + 1, None);
        }
        for (lane, queue) in self.queues.iter().enumerate().skip(at) {
            self.lanes[queue.sender as usize] = Some(lane as u32);
        }
    }

    /// Takes the last message of a sender out again.
    pub(crate) fn pop(&mut self, sender: Tid) {
        let queue = self.queue(sender);
        queue.sends.pop();
        queue.head = queue.head.min(queue.sends.len());
    }
}

impl<P: Program> Graph<P> {
    /// A send is the last of its sender in a mailbox.
    pub(crate) fn enqueue(&mut self, mailbox: Mailbox, id: EventId) {
        let (threads, postbox) = (&self.threads, &mut self.boxes[mailbox as usize]);
        if postbox.lane(id.thread).is_none() {
            let rank = |tid: Tid| threads[tid as usize].rank;
            let comes_first = |queue: &Queue| rank(queue.sender) < rank(id.thread);
            let at = postbox.queues.partition_point(comes_first);
            postbox.open(at, id.thread);
        }
        postbox.queue(id.thread).sends.push(id.index);
    }

    /// The last receive from a mailbox.
    pub fn last_receive(&self, mailbox: Mailbox) -> Option<EventId> {
        let postbox = self.boxes.get(mailbox as usize)?;
        postbox.receives.last().copied()
    }

    /// Of two receives from one mailbox, was `one` first? `other` may be about to be inserted.
    ///
    /// The receives from a mailbox are ordered by causality: whoever receives has it from who received before.
    /// What follows a receive that was turned round is inserted again, after what it reads; so they are
    /// inserted in that order too, and a later one is never kept where an earlier one is deleted.
    #[inline]
    pub(crate) fn received_before(&self, one: EventId, other: EventId) -> bool {
        if one.thread == other.thread {
            return one.index < other.index;
        }
        let is_there = (other.index as usize) < self.live(other.thread);
        !is_there || self.event(one).stamp < self.event(other).stamp
    }

    /// Has nobody received from where this send goes?
    pub(crate) fn nobody_received(&self, send: EventId) -> bool {
        let mailbox = self.destination(send) as usize;
        self.boxes[mailbox].receives.is_empty()
    }

    /// Has somebody read a message of this thread?
    pub(crate) fn was_read(&self, sender: Tid) -> bool {
        let mut indices = 0..self.live(sender) as u32;
        let is_read = |index| {
            let id = EventId {
                thread: sender,
                index,
            };
            let event = self.event(id);
            matches!((&event.kind, event.read), (Kind::Send { .. }, Read::By(_)))
        };
        indices.any(is_read)
    }

    /// A send becomes read, or unread again.
    pub(crate) fn set_reader(&mut self, send: EventId, reader: Option<EventId>) {
        let script = &mut self.threads[send.thread as usize].script;
        let event = &mut script[send.index as usize];
        event.read = reader.map_or(Read::None, Read::By);
        let Kind::Send { to, .. } = event.kind else {
            unreachable!("only sends are read")
        };
        let queue = self.boxes[to as usize].queue(send.thread);
        if reader.is_some() {
            while let Some(&index) = queue.sends.get(queue.head) {
                if script[index as usize].read == Read::None {
                    break;
                }
                queue.head += 1;
            }
        } else {
            while queue.head > 0 && queue.sends[queue.head - 1] >= send.index {
                queue.head -= 1;
            }
        }
    }
}
