//! The revisit condition: when a new send may change what an earlier receive reads (a *backward revisit*).
//!
//! Statement. When a send `s` is inserted, a receive `r` of its mailbox that accepts `s` and is not
//! in its causal past might have read `s` instead. The graph for that is: everything inserted
//! before `r`, the causal past of `s`, and `r` reading `s`; the rest is deleted and will be found
//! again, as a maximal extension of what is left. Many graphs lead to the same result, so it is taken only from one of them: the one in
//! which `r` and every deleted event is *as if nothing had been tried*:
//! - a receive that does not block got nothing;
//! - a choice took its first option;
//! - a send is not read by a receive inserted before it;
//! - a load or a store of memory is maximal ([`memory_revisit`](crate::memory_revisit));
//! - a blocking receive reads the first of its [`candidates`] among the events inserted before it
//!   and those in the causal past of `s`. First by the place of the sender in the tree of spawns,
//!   never by insertion: insertion order differs between graphs that must agree.
//!
//! Why optimal. Starting from the result without `r` and `s`, inserting in the scheduler's order and
//! always answering "as if nothing had been tried", exactly one graph has `s` inserted next; the
//! condition recognises that graph, so each result is produced from one origin. And that graph is
//! reached, because something can always be read when anything is open. [Must24] section 4.
//!
//! Receives that take sets of messages are in [`revisit_sets`](crate::revisit_sets).
//!
//! The condition on an event does not depend on `r`, so one walk back through the insertion order
//! finds all receives to revisit and stops at the first event that fails.

use crate::candidates::{Decided, Reader, collect};
use crate::event::{EventId, Kind, Read};
use crate::graph::Graph;
use crate::mailbox_order::{SendOrder, join};
use crate::mailbox_past::Past;
use crate::memory_revisit::is_maximal;
use crate::program::{Program, Want};
use crate::receive_sets::{ReceivableSet, is_simple, receivable_sets};
use crate::revisit_sets::turns_to_sets;

/// A receive to turn round.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    /// Which.
    pub(crate) receive: EventId,
    /// What it takes instead.
    pub(crate) taking: ReceivableSet,
    /// The sends whose causal past stays.
    pub(crate) kept: Vec<EventId>,
}

/// Scratch memory of the walk, kept between calls.
#[derive(Default)]
pub(crate) struct Walk {
    /// How many events of each thread are inserted no later than the current one.
    pub(crate) so_far: Vec<u32>,
    /// The causal past of what is to be read, and the same without the last of it.
    past: Vec<u32>,
    strict_past: Vec<u32>,
    pub(crate) limit: Vec<u32>,
    open: Vec<EventId>,
    pub(crate) order: SendOrder,
    pub(crate) before: Past,
    /// The first event, in the order of insertion, that was looked at.
    pub(crate) looked_back_to: usize,
}

/// Is it easy to see that every receive from where `send` goes is in its causal past, so that it turns
/// none of them round? So it is where one sends and waits for an answer; clocks need not be asked.
#[inline]
pub(crate) fn knows_all_receives<P: Program>(graph: &Graph<P>, send: EventId) -> bool {
    // Receives from a mailbox are ordered by causality, so the last one is the one to look at.
    let receives = &graph.boxes[graph.destination(send) as usize].receives;
    let Some(&last) = receives.last() else {
        return true;
    };
    if graph.lacked_clock.get() {
        return false;
    }
    let first = send.index.saturating_sub(NEAR);
    last.thread == send.thread
        || (first..send.index).rev().any(|index| {
            let event = graph.event_at(send.thread, index as usize);
            matches!(event.read, Read::From(cause)
                if cause.thread == last.thread && cause.index > last.index
                    && matches!(event.kind, Kind::Receive { .. }))
        })
}

/// How many events before a send are looked at.
const NEAR: u32 = 4;

/// The receives that `send`, just inserted, may turn round.
pub(crate) fn revisits<P: Program>(graph: &Graph<P>, walk: &mut Walk, send: EventId) -> Vec<Turn> {
    let mut found = Vec::new();
    walk.looked_back_to = usize::MAX;
    let Kind::Send {
        to, ref message, ..
    } = graph.event(send).kind
    else {
        unreachable!("only sends revisit")
    };
    // Receives from a mailbox are ordered by causality, so those in the past of the send come first.
    let receives = graph.boxes[to as usize].receives.iter().rev();
    let mut left = receives
        .take_while(|&&id| !graph.happens_before(id, send))
        .count();
    if left == 0 {
        return found;
    }
    turns_to_sets(graph, walk, send, &mut found);
    let no_sets = found.is_empty();
    walk.start(graph, &[send]);
    for (position, &id) in graph.order().iter().enumerate().rev() {
        walk.looked_back_to = if no_sets { position } else { 0 };
        if id != send && !walk.keeps(id) {
            if !untried(graph, walk, id, send) {
                break;
            }
            if let Kind::Receive { pattern, want } = &graph.event(id).kind
                && P::mailboxes(pattern).contains(&to)
            {
                if is_simple(graph, pattern, *want)
                    && P::accepts(pattern, message, send.thread)
                    && may_read(graph, walk, id, send)
                {
                    found.push(Turn {
                        receive: id,
                        taking: ReceivableSet::one(send),
                        kept: vec![send],
                    });
                }
                left -= 1;
                if left == 0 {
                    break;
                }
            }
        }
        walk.so_far[id.thread as usize] -= 1;
    }
    found
}

/// Is the event as if nothing had been tried?
pub(crate) fn untried<P: Program>(
    graph: &Graph<P>,
    walk: &mut Walk,
    id: EventId,
    send: EventId,
) -> bool {
    let event = graph.event(id);
    match &event.kind {
        Kind::Receive { want, .. } if !want.waits() => event.read == Read::None,
        Kind::Receive { pattern, want } => {
            walk.look_back(send);
            if is_simple(graph, pattern, *want) {
                reads_first(graph, walk, id)
            } else {
                takes_first(graph, walk, &Reader { id, pattern }, *want)
            }
        }
        Kind::Choose {
            value,
            budget: None,
            ..
        } if graph.symmetry => *value == graph.least_choice(id),
        Kind::Choose { value, .. } => *value == 0,
        Kind::Memory(_) => {
            walk.look_back(send);
            is_maximal(graph, id, &walk.limit)
        }
        Kind::Send { .. } => match event.read {
            Read::By(reader) => graph.event(reader).stamp > event.stamp,
            _ => true,
        },
        _ => true,
    }
}

/// Does the receive take the first of what it may take in the current view?
fn takes_first<P: Program>(
    graph: &Graph<P>,
    walk: &mut Walk,
    reader: &Reader<'_, P::Pattern>,
    want: Want,
) -> bool {
    let event = graph.event(reader.id);
    let waits = event.read == Read::Lost;
    let all = receivable_sets(graph, &mut walk.order, reader, want, Some(&walk.limit));
    // Nothing at all if it was turned round to what is left out of this view.
    all.first().is_some_and(|first| {
        first.waits == waits
            && event.reads().eq(first.reads.iter().copied())
            && event.drops().eq(first.drops.iter().copied())
    })
}

/// Is the send in the causal past of another one?
fn precedes_any<P: Program>(graph: &Graph<P>, send: EventId, others: &[EventId]) -> bool {
    others
        .iter()
        .any(|&other| other != send && graph.happens_before(send, other))
}

/// Does the receive read the first of what it may read in the current view?
fn reads_first<P: Program>(graph: &Graph<P>, walk: &mut Walk, id: EventId) -> bool {
    let Read::From(read) = graph.event(id).read else {
        unreachable!("a blocking receive reads something")
    };
    let decided = walk.collect(graph, id);
    if walk.open.first() == Some(&read) {
        // What it reads it may read: the view is a causally closed part of a consistent graph.
        return true;
    }
    if decided == Decided::Yes || !walk.open.contains(&read) {
        return false;
    }
    walk.first_for_mailboxes(graph, id) == Some(read)
}

/// In the graph that would result, may the receive read the send?
fn may_read<P: Program>(graph: &Graph<P>, walk: &mut Walk, id: EventId, send: EventId) -> bool {
    walk.look_at_all();
    let decided = walk.collect(graph, id);
    walk.open.contains(&send)
        && (decided == Decided::Yes
            || walk.open.len() == 1
            || walk.is_first_for_mailboxes(graph, id, send))
}

impl Walk {
    /// Begins at the end of the graph, to turn a receive round to these sends.
    pub(crate) fn start<P: Program>(&mut self, graph: &Graph<P>, sends: &[EventId]) {
        self.so_far.clear();
        self.so_far
            .extend((0..graph.threads()).map(|thread| graph.live(thread as u32) as u32));
        self.past.clear();
        self.past.extend_from_slice(graph.clock(sends[0]));
        for &send in &sends[1..] {
            join(&mut self.past, graph.clock(send));
        }
        self.strict_past.clear();
        self.strict_past.extend_from_slice(&self.past);
        for &send in sends {
            // The last of a thread is not in the past of the others, or it would not be its last.
            let column = &mut self.strict_past[send.thread as usize];
            if *column == send.index + 1 && !precedes_any(graph, send, sends) {
                *column = send.index;
            }
        }
    }

    /// Is the event in the causal past of what is to be read?
    pub(crate) fn keeps(&self, id: EventId) -> bool {
        self.past[id.thread as usize] > id.index
    }

    /// Limits the view to what was inserted so far and the causal past of what is to be read.
    pub(crate) fn look_at_all(&mut self) {
        self.limit.clear();
        let both = self.so_far.iter().zip(&self.past);
        self.limit.extend(both.map(|(&a, &b)| a.max(b)));
    }

    /// The same, as it was before `send` was inserted, and without other messages that are to be
    /// read unless they were there already.
    ///
    /// Without those: which of the messages that are to be read is inserted last may differ between
    /// graphs that must agree.
    fn look_back(&mut self, send: EventId) {
        self.limit.clear();
        let both = self.so_far.iter().zip(&self.strict_past);
        self.limit.extend(both.map(|(&a, &b)| a.max(b)));
        self.limit[send.thread as usize] = send.index;
    }

    /// What the receive may read in that view, as far as happens-before tells.
    fn collect<P: Program>(&mut self, graph: &Graph<P>, id: EventId) -> Decided {
        let Kind::Receive { pattern, .. } = &graph.event(id).kind else {
            unreachable!("only receives read")
        };
        collect(
            graph,
            &Reader { id, pattern },
            Some(&self.limit),
            &mut self.open,
        )
    }

    /// The first of what is open that has to wait for none of it in the order that mailboxes force.
    fn first_for_mailboxes<P: Program>(
        &mut self,
        graph: &Graph<P>,
        id: EventId,
    ) -> Option<EventId> {
        let first =
            (0..self.open.len()).find(|&at| self.is_first_for_mailboxes(graph, id, self.open[at]));
        first.map(|at| self.open[at])
    }

    /// Has an open message to wait for no other in the order that mailboxes force in that view?
    fn is_first_for_mailboxes<P: Program>(
        &mut self,
        graph: &Graph<P>,
        id: EventId,
        send: EventId,
    ) -> bool {
        // The receive itself has not read anything yet in this view.
        let own = id.thread as usize;
        let with_it = std::mem::replace(&mut self.limit[own], id.index);
        let is_first = self
            .before
            .is_first(graph, Some(&self.limit), send, &self.open);
        self.limit[own] = with_it;
        is_first
    }
}
