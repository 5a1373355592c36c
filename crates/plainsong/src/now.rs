//! Is there a message *now*? A receive that does not wait, in the one order of all operations.
//!
//! To find nothing is an observation like any other: what was looked for comes later. In shared memory
//! (the mirrors of `std` and `tokio`) everybody agrees on that order, so whoever looks sends itself a
//! [`Now`], in [`Delivery::Mailbox`] order, and reads what comes first. If that is the `Now`, every
//! message that it would have taken instead was sent later, in an order that extends causality and that
//! explains all other mailboxes of that kind too.
//!
//! A receive that may get nothing ([`plainsong_explore::Want::Maybe`]) does not say that: the message may
//! be late. It is right for messages that travel through a network, and wrong for shared memory: a
//! `try_lock` that failed would order nothing.
//!
//! Where. The `Now` competes with messages of one mailbox only. A server that answers from several
//! messages has to read all that change its answer up to the same `Now`, or its answer is of no moment.
//!
//! Late news. Some messages are sent by a server that has to hear of something first: that all senders of a channel
//! are gone, that a lock was granted. In shared memory such news is never late either, so whoever finds nothing asks the
//! server ([`Arm::is_coming`]). If it is in flight, this is [no execution](in_vain). Either the news was there before the
//! `Now`: then it is read, in another execution. Or what it tells of happened between the `Now` and the question: in another
//! execution it happens after both, because nothing depends on either.

use crate::channel::plumbing;
use crate::delivery::Delivery;
use crate::determinism_check::What;
use crate::machine::Machine;
use crate::message::Envelope;
use crate::pattern::Arm;
use crate::process::Process;
use crate::receive::take;
use crate::send::{Letter, post};
use crate::sync::server::{Place, protocol};
use crate::task::Task;
use plainsong_explore::{Graph, Kind, Mailbox};
use std::rc::Rc;

protocol! {
    /// What happened before it can be had in another execution, and only there.
    Vain {} Plumbing "in vain"
    /// The moment at which somebody looks for messages.
    Now { ticket: u32 } Plumbing "now"
}

/// Sends a [`Now`] to a mailbox that this process receives from; accepted by the arm.
pub(crate) fn mark(task: &Task, mailbox: Mailbox, place: Place) -> Arm {
    let ticket = task.next_ticket();
    let letter = Letter::plain(Now { ticket }).via(Delivery::Mailbox);
    post(letter, mailbox, place, None, What::Send);
    let is_mine = move |message: &Envelope| {
        let now = message.get::<Now>();
        now.is_some_and(|now| now.ticket == ticket)
    };
    Arm {
        // Whoever received from the mailbox before may have had the same ticket.
        from: Some(Process(task.process)),
        filter: Some(Rc::new(is_mine)),
        silent: true,
        ..Arm::typed::<Now>(mailbox)
    }
}

/// Takes the first message that the arm accepts if there is one now.
pub(crate) fn look(task: &Task, arm: Arm, place: Place) -> Option<Rc<Envelope>> {
    let mailbox = arm.mailbox;
    look_among(task, &[arm], mailbox, place)
}

/// Takes the first message that an arm accepts, if there is one now in the mailbox.
pub(crate) fn look_among(
    task: &Task,
    arms: &[Arm],
    mailbox: Mailbox,
    place: Place,
) -> Option<Rc<Envelope>> {
    if let Some(message) = task.waits.unused(arms) {
        return Some(message);
    }
    let now = mark(task, mailbox, place);
    let mut arms = arms.to_vec();
    arms.push(now);
    let first = take(task, &arms, place, true);
    first.filter(|message| !message.is::<Now>())
}

/// Is there a message for the arm now, or in flight? Nobody can tell of one that travels through a network.
pub(crate) fn is_there(task: &Task, arm: &Arm, place: Place) -> bool {
    (arm.is_in_memory && look(task, arm.clone(), place).is_some()) || arm.is_coming(place)
}

/// This is no execution: somebody got something although it would have got something else first. What others do in the
/// meantime may happen, because nothing of that depends on it.
pub(crate) fn in_vain(task: &Task, place: Place) -> ! {
    task.world.has_vain.set(true);
    let letter = Letter::plain(Vain {}).via(Delivery::Unordered);
    post(letter, plumbing("nothing"), place, None, What::Send);
    task.give_up()
}

/// Was an execution given up [in vain](in_vain)?
pub(crate) fn is_in_vain(graph: &Graph<Machine>) -> bool {
    graph.order().iter().any(
        |&id| matches!(&graph.event(id).kind, Kind::Send { message, .. } if message.is::<Vain>()),
    )
}
