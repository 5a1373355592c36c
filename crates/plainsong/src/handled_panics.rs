//! Panics that the program handles: who joins a thread or awaits a task learns of its panic.
//!
//! A panic ends its thread. It is *handled* when somebody gets to know it as the result of the thread: then it is
//! no failure. It is a failure when nobody does, or when whoever does panics for that reason (`join().unwrap()`).
//! A panic in the first process is a failure in any case.
//!
//! Twice. Usually nobody handles panics, so at first an execution fails where a thread panics, which is soonest
//! and shows least. Only when one has, the search begins again with panics returned to whoever joins
//! ([`Explorer`](crate::Explorer) decides), and is believed.
//!
//! NOT COVERED. A thread whose handle was only asked whether it has finished counts as joined. A scoped thread
//! that panics is a failure.

use crate::channel::plumbing;
use crate::delivery::Delivery;
use crate::determinism_check::What;
use crate::machine::Machine;
use crate::message::Parcel;
use crate::panics::{self, Caught};
use crate::send::{Letter, post};
use crate::shared_context::Mailboxes;
use crate::sync::server::{Place, protocol};
use crate::task::Task;
use plainsong_explore::{EventId, Graph, Kind, Read, Tid};
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

protocol! {
    /// The code of a process has panicked, and whoever joins it will know.
    Panicked { caught: Caught } Plumbing "a panic"
}

/// What was passed to `panic!`, for whoever joins.
#[derive(Clone)]
pub(crate) enum Payload {
    Literal(&'static str),
    Text(String),
    Other(Parcel<Box<dyn Any + Send>>),
}

impl Payload {
    fn of(payload: Box<dyn Any + Send>) -> Self {
        if let Some(literal) = payload.downcast_ref::<&'static str>() {
            return Payload::Literal(literal);
        }
        match payload.downcast::<String>() {
            Ok(text) => Payload::Text(*text),
            Err(other) => Payload::Other(Parcel::new(other)),
        }
    }

    pub(crate) fn open(self) -> Box<dyn Any + Send> {
        match self {
            Payload::Literal(literal) => Box::new(literal),
            Payload::Text(text) => Box::new(text),
            Payload::Other(parcel) => parcel.open(),
        }
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Payload::Literal(text) => text.fmt(f),
            Payload::Text(text) => text.fmt(f),
            Payload::Other(_) => f.write_str("..."),
        }
    }
}

/// Runs the code of a thread or a task; its panic, if whoever joins is to know it.
pub(crate) fn contain<T>(code: impl FnOnce() -> T, place: Place) -> Result<T, Payload> {
    let task = Task::current("spawn");
    if !task.world.returns_panics {
        task.world.joinable.borrow_mut().insert(task.process);
        return Ok(code());
    }
    catch_unwind(AssertUnwindSafe(code)).map_err(|payload| {
        if task.is_stopped() {
            resume_unwind(payload);
        }
        let caught = panics::caught(&*payload);
        let letter = Letter::plain(Panicked { caught }).via(Delivery::Unordered);
        post(letter, plumbing("a panic"), place, None, What::Send);
        Payload::of(payload)
    })
}

/// Was any panic left to whoever joins?
pub(crate) fn returned_a_panic(graph: &Graph<Machine>) -> bool {
    let mut events = graph.order().iter();
    events.any(|&id| matches!(&graph.event(id).kind, Kind::Send { message, .. } if message.is::<Panicked>()))
}

/// A panic that somebody has not handled: of which process, what it was, and where it left its result.
pub(crate) struct Unhandled {
    pub(crate) caught: Caught,
    pub(crate) result: EventId,
}

/// The first panic that nobody gets to know, or that is why the execution failed.
pub(crate) fn unhandled(
    graph: &Graph<Machine>,
    failed: Option<(EventId, &Caught)>,
) -> Option<Unhandled> {
    let panics = graph
        .order()
        .iter()
        .filter_map(|&id| match &graph.event(id).kind {
            Kind::Send { message, .. } => Some((id.thread, message.get::<Panicked>()?)),
            _ => None,
        });
    let mut because = None;
    for (thread, panic) in panics {
        let Some(result) = result_of(graph, thread) else {
            continue;
        };
        let unhandled = Unhandled {
            caught: panic.caught.clone(),
            result,
        };
        match (&graph.event(result).read, failed) {
            (Read::By(reader), Some((id, caught))) if reader.thread == id.thread => {
                if is_about_a_join(caught, &panic.caught) {
                    because = Some(unhandled);
                }
            }
            (Read::By(_), _) => {}
            // Whoever would join it may have come to it later, but has met what it left behind.
            (_, Some((_, caught))) => {
                let is_why = caught.message.contains(UNWRAPPED);
                because = because.or(is_why.then_some(unhandled));
            }
            (_, None) => return Some(unhandled),
        }
    }
    because
}

/// What `unwrap` says: of a lock that is poisoned, a channel whose other end is gone.
const UNWRAPPED: &str = "on an `Err` value";

/// Where a process leaves its result.
fn result_of(graph: &Graph<Machine>, thread: Tid) -> Option<EventId> {
    let mailbox = Mailboxes::of_result(thread);
    let mut sent = graph.order().iter().copied();
    sent.find(|&id| {
        id.thread == thread
            && matches!(graph.event(id).kind, Kind::Send { to, .. } if to == mailbox)
    })
}

/// Does a process panic because another one has: by `join().unwrap()`, or with the same payload?
fn is_about_a_join(caught: &Caught, cause: &Caught) -> bool {
    let unwraps = ["Any { .. }", "JoinError::Panic"];
    unwraps.iter().any(|sign| caught.message.contains(sign))
        || (caught.location.is_none() && caught.message == cause.message)
}
