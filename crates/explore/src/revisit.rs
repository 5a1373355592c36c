//! When a new send may turn an earlier receive round.
//!
//! Statement. When a send `s` is inserted, a receive `r` of its mailbox that accepts `s` and is not
//! in its causal past might have read `s` instead. The graph for that is: everything inserted
//! before `r`, the causal past of `s`, and `r` reading `s`; the rest is deleted and will be found
//! again. Many graphs lead to the same result, so it is taken only from one of them: the one in
//! which `r` and every deleted event is *as if nothing had been tried*:
//! - a receive that does not block got nothing;
//! - a choice took its first option;
//! - a send is not read by a receive inserted before it;
//! - a blocking receive reads the first of its [`candidates`] among the events inserted before it
//!   and those in the causal past of `s`. First by the place of the sender in the tree of spawns,
//!   never by insertion: insertion order differs between graphs that must agree.
//!
//! Why optimal. Starting from the result without `r` and `s`, inserting in the scheduler's order and
//! always answering "as if nothing had been tried", exactly one graph has `s` inserted next; the
//! condition recognises that graph, so each result is produced from one origin. And that graph is
//! reached, because something can always be read when anything is open. [Must24] section 4.
//!
//! The condition on an event does not depend on `r`, so one walk back through the insertion order
//! finds all receives to revisit and stops at the first event that fails.

use crate::candidates::{Decided, Reader, collect, keep_first_ones};
use crate::graph::{EventId, Graph, Kind, Read};
use crate::order::SendOrder;
use crate::program::Program;

/// Scratch memory of the walk, kept between calls.
#[derive(Default)]
pub(crate) struct Walk {
    /// How many events of each thread are inserted no later than the current one.
    so_far: Vec<u32>,
    limit: Vec<u32>,
    open: Vec<EventId>,
    order: SendOrder,
}

/// The receives that `send`, just inserted, may turn round.
pub(crate) fn revisits<P: Program>(
    graph: &Graph<P>,
    walk: &mut Walk,
    send: EventId,
) -> Vec<EventId> {
    let mut found = Vec::new();
    let Kind::Send {
        to, ref message, ..
    } = graph.event(send).kind
    else {
        unreachable!("only sends revisit")
    };
    let receives = &graph.boxes[to as usize].receives;
    let mut left = receives
        .iter()
        .filter(|&&id| !graph.happens_before(id, send))
        .count();
    if left == 0 {
        return found;
    }
    walk.so_far.clear();
    walk.so_far
        .extend((0..graph.threads()).map(|thread| graph.live(thread as u32) as u32));
    for &id in graph.order().iter().rev() {
        if id != send && !graph.happens_before(id, send) {
            if !untried(graph, walk, id, send) {
                break;
            }
            if let Kind::Receive { pattern, .. } = &graph.event(id).kind
                && P::mailboxes(pattern).contains(&to)
            {
                if P::accepts(pattern, message, send.thread) && may_read(graph, walk, id, send) {
                    found.push(id);
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
fn untried<P: Program>(graph: &Graph<P>, walk: &mut Walk, id: EventId, send: EventId) -> bool {
    let event = graph.event(id);
    match &event.kind {
        Kind::Receive {
            blocking: false, ..
        } => event.read == Read::None,
        Kind::Receive { .. } => {
            walk.look_at(graph, send, false);
            reads_first(graph, walk, id)
        }
        Kind::Choose { value, .. } => *value == 0,
        Kind::Send { .. } => match event.read {
            Read::By(reader) => graph.event(reader).stamp > event.stamp,
            _ => true,
        },
        _ => true,
    }
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
    walk.ask_mailboxes(graph, id);
    walk.open.first() == Some(&read)
}

/// In the graph that would result, may the receive read the send?
fn may_read<P: Program>(graph: &Graph<P>, walk: &mut Walk, id: EventId, send: EventId) -> bool {
    walk.look_at(graph, send, true);
    let decided = walk.collect(graph, id);
    if decided == Decided::NotYet && walk.open.len() > 1 && walk.open.contains(&send) {
        walk.ask_mailboxes(graph, id);
    }
    walk.open.contains(&send)
}

impl Walk {
    /// Limits the view to what was inserted so far and the causal past of `send`.
    fn look_at<P: Program>(&mut self, graph: &Graph<P>, send: EventId, with_send: bool) {
        self.limit.clear();
        self.limit.extend(
            self.so_far
                .iter()
                .zip(graph.clock(send))
                .map(|(&a, &b)| a.max(b)),
        );
        if !with_send {
            self.limit[send.thread as usize] = send.index;
        }
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

    /// Lets the order that mailboxes force in that view decide.
    fn ask_mailboxes<P: Program>(&mut self, graph: &Graph<P>, id: EventId) {
        // The receive itself has not read anything yet in this view.
        let own = id.thread as usize;
        let with_it = std::mem::replace(&mut self.limit[own], id.index);
        self.order.rebuild(graph, Some(&self.limit));
        self.limit[own] = with_it;
        keep_first_ones(graph, &self.order, &mut self.open);
    }
}
