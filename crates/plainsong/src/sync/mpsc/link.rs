//! What both ends of a channel know of it, and the senders' handles.
//!
//! Each sender is a *handle* with a name of its own. A handle knows the handles that were cloned from
//! it, and says so when it is dropped, so that the `tracker` can wait for all of them. When a sender
//! travels in a message, or what it is part of is handed over, it stays the same handle: see
//! [`copy`](crate::message::copy).

use super::bounded::start_bounded;
use super::tracker::{Gone, start_tracker};
use crate::message::is_copying;
use crate::process::Process;
use crate::sync::server::{Place, number, tell_soon};
use crate::task::Task;
use plainsong_explore::{Mailbox, Tid};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A channel.
#[derive(Clone)]
pub(super) struct Link {
    /// Where the receiver gets its messages.
    pub(super) data: Mailbox,
    /// Who made the channel, and which of its channels it is.
    pub(super) maker: (Tid, u32),
    /// Knows whether all senders were dropped.
    pub(super) tracker: Process,
    /// The server and the bound of a channel that has one.
    pub(super) bounded: Option<(Process, usize)>,
    pub(super) place: Place,
    name: Arc<str>,
}

impl Link {
    pub(super) fn unbounded(made_at: Place) -> (Self, Handle) {
        let name = number("channel");
        Link::new(name.clone(), name, made_at)
    }

    pub(super) fn bounded<T: 'static>(bound: usize, made_at: Place) -> (Self, Handle) {
        let name = number("channel");
        let (mut link, handle) = Link::new(name.clone(), format!("{name} senders"), made_at);
        let server = start_bounded::<T>(name, link.data, bound, made_at);
        link.bounded = Some((server, bound));
        (link, handle)
    }

    fn new(name: String, tracker_name: String, made_at: Place) -> (Self, Handle) {
        let task = Task::current("channel");
        let maker = (task.process, task.next_channel());
        let mut mailboxes = task.world.mailboxes.borrow_mut();
        let data = mailboxes.of_channel(maker.0, maker.1, &name);
        drop(mailboxes);
        let first = new_id();
        let link = Link {
            data,
            maker,
            tracker: start_tracker(tracker_name, data, first, made_at),
            bounded: None,
            place: made_at,
            name: name.into(),
        };
        (link, Handle::new(first))
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// The name of a handle: who made it, and a number.
pub(super) type HandleId = (Tid, u32);

fn new_id() -> HandleId {
    Task::live("clone").map_or((0, u32::MAX), |task| (task.process, task.next_ticket()))
}

/// One sender among those of a channel.
pub(super) struct Handle {
    id: HandleId,
    clones: Mutex<Vec<HandleId>>,
}

impl Handle {
    fn new(id: HandleId) -> Self {
        Handle {
            id,
            clones: Mutex::default(),
        }
    }

    /// The handle of a clone; the same one if nobody asked for a second sender.
    pub(super) fn another(&self) -> Self {
        let mut clones = self.clones.lock().unwrap_or_else(PoisonError::into_inner);
        if is_copying() {
            return Handle {
                id: self.id,
                clones: Mutex::new(clones.clone()),
            };
        }
        let id = new_id();
        clones.push(id);
        Handle::new(id)
    }

    /// Says that the handle was dropped.
    pub(super) fn drop_at(&self, link: &Link) {
        let mut clones = self.clones.lock().unwrap_or_else(PoisonError::into_inner);
        let mut clones = std::mem::take(&mut *clones);
        clones.sort_unstable();
        let id = self.id;
        tell_soon(link.tracker, Gone { id, clones }, link.place);
    }
}
