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

use crate::delivery::Delivery;
use crate::determinism_check::What;
use crate::message::Envelope;
use crate::pattern::Arm;
use crate::process::Process;
use crate::receive::take;
use crate::send::{Letter, post};
use crate::sync::server::{Place, protocol};
use crate::task::Task;
use plainsong_explore::Mailbox;
use std::rc::Rc;

protocol! {
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
