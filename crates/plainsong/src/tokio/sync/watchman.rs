//! The watchman of a channel: knows when all senders are dropped.
//!
//! Each sender has a [`Handle`], which knows how many were cloned from it and says so when it is dropped.
//! Senders are waited for one by one: the first, then those cloned from it, in the order of the clones,
//! each followed by its own. That is one order, so dropping senders does not multiply executions. When
//! all are gone he tells the receiver the last place at which one of them has sent.

use super::post::{put, put_soon};
use crate::message::{Envelope, is_copying};
use crate::process::Process;
use crate::shared_context::Mailboxes;
use crate::sync::server::{Desk, Place, content, protocol, start};
use plainsong_explore::Mailbox;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

protocol! {
    /// A sender was dropped.
    Gone {
        path: Arc<[u32]>,
        clones: u32,
        /// How many places there are at least.
        places: u32,
    } Plumbing "a sender is dropped"
    /// Are all senders gone? Answered by [`Whether`].
    AskGone {} Plumbing "all gone?"
    /// How many places there are if they are.
    Whether { pub(super) places: Option<u32> } Plumbing "an answer"
    /// All senders are gone, and there are so many places.
    AllGone { pub(super) places: u32 } Plumbing "all senders are dropped"
}

/// A sender: it knows how many were cloned from it, and says so when it is dropped. A copy in a message
/// is the same sender, see [`copy`](crate::message::copy).
pub(super) struct Handle {
    watchman: Process,
    made_at: Place,
    /// Which clone of which clone of the first it is.
    path: Arc<[u32]>,
    clones: Cell<u32>,
    /// One more than the last place at which it has sent.
    places: Cell<u32>,
}

impl Handle {
    /// The first sender of a channel.
    pub(super) fn first(watchman: Process, made_at: Place) -> Self {
        Handle {
            watchman,
            made_at,
            path: Arc::new([]),
            clones: Cell::new(0),
            places: Cell::new(0),
        }
    }

    /// It has sent at this place.
    pub(super) fn has_sent(&self, place: u32) {
        self.places.set(self.places.get().max(place + 1));
    }
}

impl Clone for Handle {
    fn clone(&self) -> Self {
        let (path, clones, places) = match is_copying() {
            true => (Arc::clone(&self.path), self.clones.get(), self.places.get()),
            false => {
                let child = self.clones.replace(self.clones.get() + 1);
                let path = self.path.iter().copied().chain([child]);
                (path.collect(), 0, 0)
            }
        };
        Handle {
            watchman: self.watchman,
            made_at: self.made_at,
            path,
            clones: Cell::new(clones),
            places: Cell::new(places),
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let gone = Gone {
            path: Arc::clone(&self.path),
            clones: self.clones.get(),
            places: self.places.get(),
        };
        let to = Mailboxes::of_process(self.watchman.0);
        put_soon(to, gone, self.made_at);
    }
}

/// Starts the watchman of a channel, who tells this mailbox.
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
    let mut open: Vec<Arc<[u32]>> = vec![Arc::new([])];
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
fn wait_for_one(desk: &Desk, path: &Arc<[u32]>) -> Rc<Envelope> {
    let wanted = Arc::clone(path);
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
