//! Events and operations in words.

use super::Machine;
use crate::memory::describe_access;
use crate::send::describe_mailbox;
use crate::shared_context::World;
use crate::task::Operation;
use plainsong_explore::{EventId, Graph, Kind, Op, Tid};
use std::panic::Location;

/// "send Vote(true) to coordinator".
pub(crate) fn describe_event(world: &World, graph: &Graph<Machine>, id: EventId) -> String {
    match &graph.event(id).kind {
        Kind::Send { to, message, .. } => send(world, message, *to),
        Kind::Receive { pattern, want } => receive(world, pattern, want.waits()),
        Kind::Choose { options, .. } => format!("choose one of {options}"),
        Kind::Spawn { thread, .. } => {
            let daemon = daemon(graph.is_daemon(*thread));
            format!("spawn `{}`{daemon}", world.name(*thread))
        }
        Kind::Memory(memory) => describe_access(world, &memory.access),
        Kind::Join { thread } => format!("join {}", world.name(*thread)),
        Kind::End => "the end".to_owned(),
        Kind::Block => "an assumption that does not hold".to_owned(),
        Kind::Fail => panic(world, id.thread),
    }
}

fn daemon(is: bool) -> &'static str {
    if is { " as a daemon" } else { "" }
}

/// A panic, with its message if that is known.
fn panic(world: &World, process: Tid) -> String {
    match &*world.last_failure.borrow() {
        Some((failed, caught)) if *failed == process => caught.to_string(),
        _ => "a panic".to_owned(),
    }
}

/// "send Vote(true) to coordinator".
pub(crate) fn describe_operation(world: &World, process: Tid, operation: &Operation) -> String {
    match operation {
        Op::Send { to, message, .. } => send(world, message, *to),
        Op::Receive { pattern, want } => receive(world, pattern, want.waits()),
        Op::Choose { options, .. } => format!("choose one of {options}"),
        Op::Spawn { daemon: is, .. } => format!("spawn{}", daemon(*is)),
        Op::Memory(access) => describe_access(world, access),
        Op::Join { thread } => format!("join {}", world.name(*thread)),
        Op::End => "the end".to_owned(),
        Op::Block => "an assumption that does not hold".to_owned(),
        Op::Fail => panic(world, process),
    }
}

/// Where in the source an event comes from, as far as the graph knows.
pub(super) fn location(graph: &Graph<Machine>, id: EventId) -> Option<&'static Location<'static>> {
    match &graph.event(id).kind {
        Kind::Send { message, .. } => Some(message.location),
        Kind::Receive { pattern, .. } => Some(pattern.location),
        _ => None,
    }
}

fn send(world: &World, message: &crate::message::Envelope, to: u32) -> String {
    let destination = describe_mailbox(world, to);
    match &message.info.tag {
        Some(tag) => format!("send {message:?} tagged {tag} to {destination}"),
        None => format!("send {message:?} to {destination}"),
    }
}

fn receive(world: &World, pattern: &crate::pattern::Pattern, blocking: bool) -> String {
    let how = if blocking {
        "receive"
    } else {
        "try to receive"
    };
    format!("{how} {}", pattern.describe(world))
}
