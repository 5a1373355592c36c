//! What is before one message in the order that mailboxes force, in a part of a graph.
//!
//! Statement. The same order as in [`SendOrder`](crate::mailbox_order::SendOrder): happens-before, and from what a
//! receive reads to every message that it would have accepted and that only a later receive, or none, reads.
//! Here the past of a single event is computed, backwards: its clock, and for each receive in turn the past
//! of what it reads, once something it would rather have read is in the past. That is a fixed point.
//!
//! Why. A walk back through the graph asks for one or two messages in each view, and no two views are
//! alike: rows for all events would be built to look at two.

use crate::candidates::{is_dead_end, is_global, must_wait, retain_by_all};
use crate::event::{EventId, Read};
use crate::graph::Graph;
use crate::mailbox_order::{Limit, join, wants, within};
use crate::program::{Mailbox, Program};

/// The past of one event, with the memory to compute that of the next.
#[derive(Default)]
pub(crate) struct Past {
    row: Vec<u32>,
}

impl Past {
    /// Has a message to wait for none of the open ones in the order that mailboxes force?
    pub(crate) fn is_first<P: Program>(
        &mut self,
        graph: &Graph<P>,
        limit: Limit<'_>,
        send: EventId,
        open: &[EventId],
    ) -> bool {
        if !is_global(graph.place(send).1) {
            return true;
        }
        // An unread message is before others only through what its sender did after it.
        let may_precede = |&other: &EventId| {
            other != send && must_wait(graph, other, send) && !is_dead_end(graph, other, limit)
        };
        if !open.iter().any(may_precede) {
            return true;
        }
        self.row.clear();
        self.row.extend_from_slice(graph.clock(send));
        let mailboxes = graph.boxes.len();
        let (mut mailbox, mut unchanged) = (0, 0);
        loop {
            let waits_for = |&other: &EventId| {
                other != send && self.has(other) && must_wait(graph, other, send)
            };
            if open.iter().any(waits_for) {
                return false;
            }
            // Once around all mailboxes without anything new, and the past is complete.
            while !self.grow(graph, limit, mailbox as Mailbox) {
                unchanged += 1;
                mailbox = (mailbox + 1) % mailboxes;
                if unchanged == mailboxes {
                    return true;
                }
            }
            unchanged = 0;
        }
    }

    /// Is the event in it?
    fn has(&self, id: EventId) -> bool {
        self.row[id.thread as usize] > id.index
    }

    /// Drops mailbox messages that come after another open one in the order that mailboxes force.
    pub(crate) fn keep_first_ones<P: Program>(
        &mut self,
        graph: &Graph<P>,
        limit: Limit<'_>,
        open: &mut Vec<EventId>,
    ) {
        retain_by_all(open, |send, all| self.is_first(graph, limit, send, all));
    }

    /// Adds what the receives of one mailbox force; did that add anything?
    ///
    /// From the last receive to the first: what one reads, those before it would have accepted, mostly.
    fn grow<P: Program>(&mut self, graph: &Graph<P>, limit: Limit<'_>, mailbox: Mailbox) -> bool {
        let mut grown = false;
        let mut later = None;
        for &receive in graph.boxes[mailbox as usize].receives.iter().rev() {
            if !within(limit, receive) {
                continue;
            }
            let mut read = None;
            for send in graph.event(receive).reads() {
                let (to, model) = graph.place(send);
                if to != mailbox || !is_global(model) {
                    continue;
                }
                if !self.has(send) {
                    let would_take =
                        |other| must_wait(graph, other, send) && wants(graph, receive, other);
                    if !later.is_some_and(would_take)
                        && !self.unread(graph, limit, receive, mailbox).any(would_take)
                    {
                        continue;
                    }
                    join(&mut self.row, graph.clock(send));
                    grown = true;
                }
                read = Some(send);
            }
            later = read.or(later);
        }
        grown
    }

    /// The messages of the mailbox in this past that `receive` finds there.
    fn unread<'a, P: Program>(
        &'a self,
        graph: &'a Graph<P>,
        limit: Limit<'a>,
        receive: EventId,
        mailbox: Mailbox,
    ) -> impl Iterator<Item = EventId> + 'a {
        let queues = graph.boxes[mailbox as usize].queues.iter();
        queues.flat_map(move |queue| {
            let end = self.row[queue.sender as usize];
            let known = queue.sends.iter().take_while(move |&&index| index < end);
            let ids = known.map(|&index| EventId {
                thread: queue.sender,
                index,
            });
            ids.filter(move |&id| match graph.event(id).read {
                Read::By(reader) => {
                    graph.received_before(receive, reader) || !within(limit, reader)
                }
                _ => true,
            })
        })
    }
}
