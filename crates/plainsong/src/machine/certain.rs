//! Messages that are certainly there.
//!
//! A receive that does not wait may get nothing although a message was sent: the message may be late.
//! In shared memory nothing is late. What was sent before, in the sense of happens-before, is found by
//! a `try_recv`. Such a receive names groups of messages, and if each of them has an unread one in the
//! causal past of the process, the receive waits after all: it cannot get nothing.
//!
//! Why sound. Whether it waits depends on the causal past of the receive alone, and the engine never
//! changes the past of an event without asking for the event again. So the program is still a function
//! from the past of a process to its next operation, which is all that the search assumes.
//!
//! NOT COVERED. Two processes that both send and then look, each in a mailbox of its own, may both find
//! nothing: happens-before does not order them. Queues that release and acquire allow that.

use super::{Machine, causality};
use crate::pattern::{Arm, Pattern};
use plainsong_explore::{EventId, Fate, Graph, Kind, Read, Tid};

/// Has each group of a receive a message that is certainly there?
pub(super) fn is_certain(graph: &Graph<Machine>, process: Tid, pattern: &Pattern) -> bool {
    if pattern.sure.is_empty() || pattern.only.is_some() {
        return false;
    }
    let Some(last) = last_cause(graph, process) else {
        return false;
    };
    let has_message = |group: &Vec<Arm>| {
        graph
            .order()
            .iter()
            .any(|&id| is_unread(graph, id, group) && graph.happens_before(id, last))
    };
    pattern.sure.iter().all(has_message)
}

/// The last event of a process, or the one that spawned it.
pub(super) fn last_cause(graph: &Graph<Machine>, process: Tid) -> Option<EventId> {
    match graph.live(process).checked_sub(1) {
        Some(index) => Some(EventId {
            thread: process,
            index: index as u32,
        }),
        None => causality::spawn_of(graph, process),
    }
}

fn is_unread(graph: &Graph<Machine>, id: EventId, wanted: &[Arm]) -> bool {
    let event = graph.event(id);
    match &event.kind {
        Kind::Send {
            message,
            fate: Fate::Sure,
            ..
        } => event.read == Read::None && wanted.iter().any(|arm| arm.accepts(message)),
        _ => false,
    }
}
