//! Sending and receiving behind the scenes, in one order of everything.

use crate::delivery::Delivery;
use crate::determinism_check::What;
use crate::ghosts;
use crate::message::{Envelope, Value};
use crate::pattern::Arm;
use crate::process::Process;
use crate::receive::take;
use crate::send::{Letter, post};
use crate::shared_context::Mailboxes;
use crate::sync::server::Place;
use crate::tag::Tag;
use crate::task::Task;
use plainsong_explore::Mailbox;
use std::rc::Rc;

/// Sends to a mailbox.
pub(super) fn put<V: Value>(to: Mailbox, value: V, place: Place) {
    let letter = Letter::plain(value).via(Delivery::Mailbox);
    post(letter, to, place, None, What::Send);
}

/// Sends to a mailbox from a destructor.
pub(super) fn put_soon<V: Value>(to: Mailbox, value: V, place: Place) {
    match Task::of_destructor() {
        Some(task) => task.soon(move || put(to, value, place)),
        None => crate::record::discard(value),
    }
}

/// Sends a request to a server; the answer has the same tag.
pub(super) fn ask<V: Value>(server: Process, request: V, number: u32, place: Place) {
    let letter = Letter::plain(request).via(Delivery::Mailbox);
    let letter = letter.with_tag(Tag::from(number));
    let to = Mailboxes::of_process(server.0);
    post(letter, to, place, None, What::Send);
}

/// The answer of a server to a request of this process.
pub(super) fn answer<A: 'static>(
    task: &Task,
    server: Process,
    number: u32,
    what: &'static str,
) -> Arm {
    Arm {
        from: Some(server),
        tag: Some(Tag::from(number)),
        about: Some((what, server)),
        ..Arm::typed::<A>(Mailboxes::of_process(task.process))
    }
}

/// Asks a server and waits for the answer.
pub(super) fn request<V: Value, A: 'static>(
    server: Process,
    request: V,
    what: &'static str,
    place: Place,
) -> Rc<Envelope> {
    match Task::live(what) {
        Some(task) => request_of::<V, A>(&task, server, request, what, place),
        None => ghosts::last::<A>(server, what, place),
    }
}

/// The same; a destructor whose process unwinds gets `first` if nobody has asked before.
pub(super) fn request_or<V: Value, A: Value>(
    server: Process,
    request: V,
    what: &'static str,
    first: A,
    place: Place,
) -> Rc<Envelope> {
    match Task::live(what) {
        Some(task) => request_of::<V, A>(&task, server, request, what, place),
        None => ghosts::last_or(server, first, place),
    }
}

fn request_of<V: Value, A: 'static>(
    task: &Task,
    server: Process,
    request: V,
    what: &'static str,
    place: Place,
) -> Rc<Envelope> {
    let number = task.next_ticket();
    ask(server, request, number, place);
    let answer = wait(task, answer::<A>(task, server, number, what), place);
    task.world.ghosts.keep::<A>(server, &answer);
    answer
}

/// Waits for a message.
pub(super) fn wait(task: &Task, arm: Arm, place: Place) -> Rc<Envelope> {
    take(task, &[arm], place, true).expect("a receive that waits gets a message")
}
