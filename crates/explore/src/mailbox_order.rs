//! Happens-before, extended by what mailboxes force.
//!
//! Statement. A graph is mailbox-consistent when some total order of all events extends
//! happens-before and explains every mailbox: a receive `r` that reads `s` found no older matching
//! message, so `s` comes before every other send to that mailbox that `r` would have accepted and
//! that nobody, or only a later receive, reads. Such an order exists exactly when happens-before
//! together with these forced edges has no cycle. A model of the program's own that goes by one order
//! of all sends forces only the edges to messages that `s` must not overtake.
//!
//! Why incremental. Adding a send adds edges *into* it only, so it never closes a cycle. Adding a
//! receive that reads `s` adds edges from `s` to the unread matching sends, and closes a cycle
//! exactly when one of those is already before `s`. So it is enough to keep the transitive closure
//! and never to offer such an `s`: nothing explored is thrown away later.
//!
//! Why lazy. A message that nobody reads is before others only through what its sender did after
//! it. Most senders did nothing that matters, and then nobody asks for this order: it is computed
//! when it was asked for often enough, and kept up to date from there until the search goes back further or
//! nobody has asked for long. Until then [`Past`](crate::mailbox_past::Past) answers each question for itself.
//!
//! Representation. The closure is closed under program order, so it is a clock per event, like
//! happens-before. A new edge `s → x` adds the clock of `s` to every event that has `x` in its own;
//! changed rows go to a trail for undo.

use crate::candidates::{is_global, must_wait};
use crate::event::{EventId, Kind, Read};
use crate::graph::Graph;
use crate::program::{Mailbox, Program};

/// Answering one question without it costs as much as following so many events with it.
const QUESTION: i32 = 8;

/// So much must have been asked before it is built, and no more is counted than the second: who asks no longer
/// should not follow for long.
const WORTH_BUILDING: i32 = 64;
const MOST_CREDIT: i32 = 96;

/// The closure of happens-before and the forced edges, for one graph.
#[derive(Default)]
pub(crate) struct SendOrder {
    /// How many events the graph had when this was computed; not up to date without it.
    built_at: Option<usize>,
    /// What was asked since the last revisit, in events that could have been followed for it.
    credit: i32,
    stride: usize,
    /// Rows per thread.
    rows: Vec<Vec<u32>>,
    /// Rows as they were before an edge was added: event and where its copy begins.
    trail: Vec<EventId>,
    copies: Vec<u32>,
    /// Length of the trail before each event inserted since then.
    marks: Vec<usize>,
    /// The row that an edge adds to others.
    added: Vec<u32>,
}

/// Which part of a graph is looked at: the first events of each thread, as counts.
pub(crate) type Limit<'a> = Option<&'a [u32]>;

impl SendOrder {
    /// Is `earlier` before `later` in every order that explains the mailboxes?
    pub(crate) fn before(&self, earlier: EventId, later: EventId) -> bool {
        let at = later.index as usize * self.stride + earlier.thread as usize;
        self.rows[later.thread as usize][at] > earlier.index
    }

    /// Follows an insertion at the end of the graph's order.
    #[inline]
    pub(crate) fn inserted<P: Program>(&mut self, graph: &Graph<P>, id: EventId) {
        let still = self.credit > 0;
        self.credit -= i32::from(still);
        match self.built_at {
            Some(_) if still => self.follow(graph, id),
            _ => self.built_at = None,
        }
    }

    fn follow<P: Program>(&mut self, graph: &Graph<P>, id: EventId) {
        self.widen(graph);
        self.marks.push(self.trail.len());
        self.start_row(graph, id);
        match (&graph.event(id).kind, graph.event(id).read) {
            (&Kind::Send { to, model, .. }, _) if is_global(model) => {
                self.after_read_ones(graph, id, to);
            }
            (Kind::Receive { .. }, Read::From(_)) => {
                for send in graph.event(id).reads() {
                    if is_mailbox(graph, send) {
                        self.before_unread_ones(graph, id, send);
                    }
                }
            }
            _ => {}
        }
    }

    /// Follows the removal of the last inserted event; `left` are left.
    #[inline]
    pub(crate) fn removed(&mut self, id: EventId, left: usize) {
        if let Some(built_at) = self.built_at {
            self.unfollow(id, left, built_at);
        }
    }

    fn unfollow(&mut self, id: EventId, left: usize, built_at: usize) {
        if left < built_at {
            // What it forced was not noted down.
            self.built_at = None;
            return;
        }
        let mark = self.marks.pop().expect("one mark per event");
        while self.trail.len() > mark {
            let changed = self.trail.pop().expect("longer than the mark");
            let copy = self.copies.len() - self.stride;
            let at = changed.index as usize * self.stride;
            self.rows[changed.thread as usize][at..at + self.stride]
                .copy_from_slice(&self.copies[copy..]);
            self.copies.truncate(copy);
        }
        self.rows[id.thread as usize].truncate(id.index as usize * self.stride);
    }

    /// Is it up to date, or asked for often enough to be made so?
    ///
    /// Where little is asked, [`Past`](crate::mailbox_past::Past) answers for less than it costs to follow every event.
    pub(crate) fn is_worth_it<P: Program>(&mut self, graph: &Graph<P>) -> bool {
        self.credit = (self.credit + QUESTION).min(MOST_CREDIT);
        if self.credit > WORTH_BUILDING {
            self.ensure(graph);
        }
        self.built_at.is_some()
    }

    /// Makes it up to date.
    pub(crate) fn ensure<P: Program>(&mut self, graph: &Graph<P>) {
        self.credit = MOST_CREDIT;
        if self.built_at.is_none() {
            self.rebuild(graph, None);
        }
    }

    /// It is about another graph from now on.
    pub(crate) fn reset(&mut self) {
        self.built_at = None;
        self.credit = 0;
    }

    /// Computes everything anew for a part of the graph.
    pub(crate) fn rebuild<P: Program>(&mut self, graph: &Graph<P>, limit: Limit<'_>) {
        self.built_at = Some(graph.order().len());
        self.stride = graph.stride();
        self.forget_undo();
        self.marks.clear();
        self.rows.resize_with(graph.threads(), Vec::new);
        for (thread, rows) in self.rows.iter_mut().enumerate() {
            let clocks = graph.clocks(thread as u32);
            let count = limit.map_or(usize::MAX, |limit| limit[thread] as usize * self.stride);
            rows.clear();
            rows.extend_from_slice(&clocks[..clocks.len().min(count)]);
        }
        for mailbox in 0..graph.boxes.len() {
            self.force_all(graph, mailbox as Mailbox, limit);
        }
        self.forget_undo();
    }

    fn forget_undo(&mut self) {
        self.trail.clear();
        self.copies.clear();
    }

    /// All edges that the receives of a mailbox force in a part of the graph.
    ///
    /// From the last receive to the first, and first towards what the next receive reads: then most
    /// other edges are known already, because they follow.
    fn force_all<P: Program>(&mut self, graph: &Graph<P>, mailbox: Mailbox, limit: Limit<'_>) {
        let mut next = None;
        for &receive in graph.boxes[mailbox as usize].receives.iter().rev() {
            let mut read = None;
            for send in graph.event(receive).reads() {
                if within(limit, receive)
                    && within(limit, send)
                    && graph.destination(send) == mailbox
                    && is_mailbox(graph, send)
                {
                    if let Some(next) = next
                        && must_wait(graph, next, send)
                        && wants(graph, receive, next)
                    {
                        self.edge(send, next);
                    }
                    self.force(graph, receive, send, limit);
                    read = Some(send);
                }
            }
            next = read.or(next);
        }
    }

    /// All edges that `receive`, reading `send`, forces in a part of the graph.
    fn force<P: Program>(
        &mut self,
        graph: &Graph<P>,
        receive: EventId,
        send: EventId,
        limit: Limit<'_>,
    ) {
        for queue in &graph.boxes[graph.destination(send) as usize].queues {
            for &index in &queue.sends {
                let other = EventId {
                    thread: queue.sender,
                    index,
                };
                if !within(limit, other) {
                    break;
                }
                let later_or_never = match graph.event(other).read {
                    Read::By(reader) => {
                        graph.received_before(receive, reader) || !within(limit, reader)
                    }
                    _ => true,
                };
                if other != send
                    && later_or_never
                    && !self.before(send, other)
                    && must_wait(graph, other, send)
                    && wants(graph, receive, other)
                {
                    self.edge(send, other);
                }
            }
        }
    }

    /// The row of a new event: what its causes have, and itself.
    fn start_row<P: Program>(&mut self, graph: &Graph<P>, id: EventId) {
        let stride = self.stride;
        let mut rows = std::mem::take(&mut self.rows[id.thread as usize]);
        let start = id.index as usize * stride;
        rows.truncate(start);
        rows.extend_from_slice(graph.clock(id));
        for cause in graph.causes(id) {
            let at = cause.index as usize * stride;
            if cause.thread == id.thread {
                let (earlier, own) = rows.split_at_mut(start);
                join(own, &earlier[at..at + stride]);
            } else {
                let theirs = &self.rows[cause.thread as usize][at..at + stride];
                join(&mut rows[start..], theirs);
            }
        }
        self.rows[id.thread as usize] = rows;
    }

    /// A new send comes after everything that was read by receives that would have accepted it. Nothing is
    /// after it yet, so that is its own row, and goes with it.
    fn after_read_ones<P: Program>(&mut self, graph: &Graph<P>, id: EventId, to: Mailbox) {
        let stride = self.stride;
        for &receive in graph.boxes[to as usize].receives.iter().rev() {
            for send in graph.event(receive).reads() {
                if !self.before(send, id) && must_wait(graph, id, send) && wants(graph, receive, id)
                {
                    let at = send.index as usize * stride;
                    self.added.clear();
                    self.added
                        .extend_from_slice(&self.rows[send.thread as usize][at..at + stride]);
                    let own = id.index as usize * stride;
                    join(
                        &mut self.rows[id.thread as usize][own..own + stride],
                        &self.added,
                    );
                }
            }
        }
    }

    /// What is read comes before what could have been read instead.
    fn before_unread_ones<P: Program>(
        &mut self,
        graph: &Graph<P>,
        receive: EventId,
        send: EventId,
    ) {
        for queue in &graph.boxes[graph.destination(send) as usize].queues {
            for &index in &queue.sends[queue.head..] {
                let other = EventId {
                    thread: queue.sender,
                    index,
                };
                if graph.event(other).read == Read::None
                    && must_wait(graph, other, send)
                    && wants(graph, receive, other)
                {
                    self.edge(send, other);
                }
            }
        }
    }

    /// Adds the edge `earlier → later`; the caller knows that it closes no cycle.
    fn edge(&mut self, earlier: EventId, later: EventId) {
        debug_assert!(
            !self.before(later, earlier),
            "a forced edge closes no cycle"
        );
        if self.before(earlier, later) {
            return;
        }
        let stride = self.stride;
        let at = earlier.index as usize * stride;
        self.added.clear();
        self.added
            .extend_from_slice(&self.rows[earlier.thread as usize][at..at + stride]);
        for (thread, rows) in self.rows.iter_mut().enumerate() {
            let column = later.thread as usize;
            let count = rows.len() / stride;
            if count == 0 || rows[(count - 1) * stride + column] <= later.index {
                continue;
            }
            for index in first_with(rows, stride, later)..count {
                let row = &mut rows[index * stride..(index + 1) * stride];
                if row
                    .iter()
                    .zip(&self.added)
                    .all(|(mine, theirs)| mine >= theirs)
                {
                    continue;
                }
                self.trail.push(EventId {
                    thread: thread as u32,
                    index: index as u32,
                });
                self.copies.extend_from_slice(row);
                join(row, &self.added);
            }
        }
    }

    /// Follows the graph when it has made its rows wider.
    fn widen<P: Program>(&mut self, graph: &Graph<P>) {
        if self.rows.len() < graph.threads() {
            self.rows.resize_with(graph.threads(), Vec::new);
        }
        let (old, new) = (self.stride, graph.stride());
        if old == new {
            return;
        }
        let wider = |flat: &[u32]| -> Vec<u32> {
            let mut wide = vec![0; flat.len() / old * new];
            for (row, chunk) in flat.chunks_exact(old).enumerate() {
                wide[row * new..row * new + old].copy_from_slice(chunk);
            }
            wide
        };
        for rows in &mut self.rows {
            *rows = wider(rows);
        }
        self.copies = wider(&self.copies);
        self.stride = new;
    }
}

/// Componentwise maximum of rows; their lengths are multiples of eight.
pub(crate) fn join(row: &mut [u32], other: &[u32]) {
    let (row, _) = row.as_chunks_mut::<8>();
    let (other, _) = other.as_chunks::<8>();
    for (mine, theirs) in row.iter_mut().zip(other) {
        for (mine, &theirs) in mine.iter_mut().zip(theirs) {
            *mine = (*mine).max(theirs);
        }
    }
}

/// The first row of a thread that has `id` in it; along a thread rows only grow.
fn first_with(rows: &[u32], stride: usize, id: EventId) -> usize {
    let (mut low, mut high) = (0, rows.len() / stride);
    while low < high {
        let middle = (low + high) / 2;
        if rows[middle * stride + id.thread as usize] > id.index {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

pub(crate) fn within(limit: Limit<'_>, id: EventId) -> bool {
    limit.is_none_or(|limit| id.index < limit[id.thread as usize])
}

fn is_mailbox<P: Program>(graph: &Graph<P>, send: EventId) -> bool {
    is_global(graph.place(send).1)
}

/// Would the receive accept the message?
pub(crate) fn wants<P: Program>(graph: &Graph<P>, receive: EventId, send: EventId) -> bool {
    match &graph.event(receive).kind {
        Kind::Receive { pattern, .. } => P::accepts(pattern, graph.message(send), send.thread),
        _ => unreachable!("only receives read"),
    }
}
