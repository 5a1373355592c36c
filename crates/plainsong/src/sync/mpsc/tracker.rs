//! Knows whether all senders of a channel were dropped.
//!
//! Each handle says [`Gone`] when it is dropped, and which handles were cloned from it. The tracker
//! receives these in one order, the first handle first, so dropping senders has no orders to explore;
//! in the end it sends [`Closed`] to the receiver, which is causally after everything that was sent.
//!
//! A receiver that found nothing, and does not want to wait, asks whether all are gone *now*
//! ([`AskGone`]).

use super::link::HandleId;
use crate::delivery::Delivery;
use crate::determinism_check::What;
use crate::process::Process;
use crate::send::{Letter, post};
use crate::sync::server::{Desk, Place, protocol, start};
use plainsong_explore::Mailbox;
use std::collections::VecDeque;

protocol! {
    /// A handle was dropped.
    Gone { pub(crate) id: HandleId, pub(crate) clones: Vec<HandleId> } Plumbing "a sender was dropped"
    /// Asks whether all handles were dropped; answered by [`AllGone`].
    AskGone {} Plumbing "all gone?"
    /// Were all handles dropped?
    AllGone { pub(crate) yes: bool } Plumbing "an answer"
    /// All handles were dropped: there will be no more messages.
    Closed {} Deed "closed"
}

/// Starts the tracker of a channel that has one handle.
pub(super) fn start_tracker(
    name: String,
    data: Mailbox,
    first: HandleId,
    made_at: Place,
) -> Process {
    let serve = move |desk: &Desk| serve(desk, data, first);
    start("channel", Some(name), made_at, serve)
}

fn serve(desk: &Desk, data: Mailbox, first: HandleId) {
    let mut open = VecDeque::from([first]);
    while let Some(id) = open.pop_front() {
        let gone = desk.of_those(move |gone: &Gone, _| gone.id == id);
        let arms = [gone, desk.of::<AskGone>()];
        loop {
            let request = desk.next(&arms);
            if let Some(gone) = request.get::<Gone>() {
                open.extend(&gone.clones);
                break;
            }
            desk.reply(&request, AllGone { yes: false });
        }
    }
    let letter = Letter::plain(Closed {}).via(Delivery::Mailbox);
    post(letter, data, desk.made_at, None, What::Send);
    loop {
        let request = desk.next(&[desk.of::<AskGone>()]);
        desk.reply(&request, AllGone { yes: true });
    }
}
