//! The watchman of a queue: knows when all senders are dropped.
//!
//! Senders are waited for one by one: the first, then those cloned from it, in the order of the clones,
//! each followed by its own. That is one order, so dropping senders does not multiply executions. When
//! all are gone he tells the receiver the last place at which one of them has sent.

use super::put;
use crate::message::Envelope;
use crate::process::Process;
use crate::sync::server::{Desk, Place, content, protocol, start};
use plainsong_explore::Mailbox;
use std::rc::Rc;

protocol! {
    /// A sender was dropped.
    Gone {
        pub(super) path: Rc<[u32]>,
        pub(super) clones: u32,
        /// How many places there are at least.
        pub(super) places: u32,
    } Plumbing "a sender is dropped"
    /// Are all senders gone? Answered by [`Whether`].
    AskGone {} Plumbing "all gone?"
    /// How many places there are if they are.
    Whether { pub(super) places: Option<u32> } Plumbing "an answer"
    /// All senders are gone, and there are so many places.
    AllGone { pub(super) places: u32 } Plumbing "all senders are dropped"
}

/// Starts the watchman of a queue.
pub(super) fn start_watchman(name: String, inbox: Mailbox, made_at: Place) -> Process {
    let serve = move |desk: &Desk| {
        let places = wait_for_all(desk);
        put(inbox, AllGone { places }, desk.made_at);
        loop {
            let question = desk.next(&[desk.of::<AskGone>()]);
            let places = Some(places);
            desk.reply(&question, Whether { places });
        }
    };
    start("channel", Some(name), made_at, serve)
}

/// Waits until all senders are dropped; returns how many places there are.
fn wait_for_all(desk: &Desk) -> u32 {
    let mut places = 0;
    let mut open: Vec<Rc<[u32]>> = vec![Rc::new([])];
    while let Some(path) = open.pop() {
        let message = wait_for_one(desk, &path);
        let gone = content::<Gone>(&message);
        places = places.max(gone.places);
        let cloned = (0..gone.clones).map(|child| path.iter().copied().chain([child]).collect());
        open.extend(cloned.rev());
    }
    places
}

/// Waits until a sender is dropped.
fn wait_for_one(desk: &Desk, path: &Rc<[u32]>) -> Rc<Envelope> {
    let wanted = Rc::clone(path);
    let gone = desk.of_those::<Gone>(move |gone, _| gone.path == wanted);
    let arms = [gone, desk.of::<AskGone>()];
    loop {
        let message = desk.next(&arms);
        if message.is::<Gone>() {
            return message;
        }
        desk.reply(&message, Whether { places: None });
    }
}
