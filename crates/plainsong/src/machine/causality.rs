//! An order of events in which causes come first.
//!
//! The order of insertion is not such an order: a receive that was turned round stands before the
//! send it reads now.

use super::Machine;
use plainsong_explore::{EventId, Graph, Kind, Read, Tid};

/// All events, in the order of insertion except that causes come first.
pub(crate) fn causal_order(graph: &Graph<Machine>) -> Vec<EventId> {
    let mut done = vec![0; graph.threads()];
    let mut events = Vec::with_capacity(graph.order().len());
    for &id in graph.order() {
        let mut open = vec![id];
        while let Some(&next) = open.last() {
            if let Some(cause) = missing_cause(graph, next, &done) {
                open.push(cause);
                continue;
            }
            open.pop();
            if next.index == done[next.thread as usize] {
                done[next.thread as usize] += 1;
                events.push(next);
            }
        }
    }
    events
}

/// Is the order of insertion one in which causes come first?
pub(super) fn is_causal(graph: &Graph<Machine>) -> bool {
    let mut done = vec![0; graph.threads()];
    graph.order().iter().all(|&id| {
        done[id.thread as usize] = id.index + 1;
        graph
            .event(id)
            .reads()
            .all(|send| send.index < done[send.thread as usize])
    })
}

/// A direct cause of an event that is not among the first `done` events of each process.
pub(super) fn missing_cause(graph: &Graph<Machine>, id: EventId, done: &[u32]) -> Option<EventId> {
    let is_missing = |id: &EventId| id.index >= done[id.thread as usize];
    own_cause(graph, id, done)
        .filter(is_missing)
        .or_else(|| outside_cause(graph, id).filter(is_missing))
        .or_else(|| graph.event(id).reads().find(is_missing))
}

/// What comes before an event in its own process.
fn own_cause(graph: &Graph<Machine>, id: EventId, done: &[u32]) -> Option<EventId> {
    if let Some(index) = id.index.checked_sub(1) {
        return Some(EventId {
            thread: id.thread,
            index,
        });
    }
    if id.thread == 0 || done[id.thread as usize] > 0 {
        return None;
    }
    spawn_of(graph, id.thread)
}

fn outside_cause(graph: &Graph<Machine>, id: EventId) -> Option<EventId> {
    let event = graph.event(id);
    match (&event.kind, event.read) {
        (Kind::Receive { .. }, Read::From(send)) => Some(send),
        (&Kind::Join { thread }, _) => {
            let last = graph.live(thread).checked_sub(1)?;
            Some(EventId {
                thread,
                index: last as u32,
            })
        }
        _ => None,
    }
}

/// The event that spawned a process.
pub(super) fn spawn_of(graph: &Graph<Machine>, process: Tid) -> Option<EventId> {
    let spawns = |&id: &EventId| matches!(graph.event(id).kind, Kind::Spawn { thread, .. } if thread == process);
    graph.order().iter().copied().find(spawns)
}
