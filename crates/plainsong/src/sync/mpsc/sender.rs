//! The sending end of a channel without a bound.

use super::SendError;
use super::hang_up::receiver_is_gone;
use super::link::{Handle, Link};
use crate::delivery::Delivery;
use crate::determinism_check::What;
use crate::message::Parcel;
use crate::send::{Letter, post};
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;

/// The sending end of a [`channel`](super::channel): see [`std::sync::mpsc::Sender`].
pub struct Sender<T> {
    link: Link,
    handle: Handle,
    of: PhantomData<fn(T)>,
}

impl<T: 'static> Sender<T> {
    pub(super) fn of(link: Link, handle: Handle) -> Self {
        Sender {
            link,
            handle,
            of: PhantomData,
        }
    }

    /// Sends a message; never waits.
    ///
    /// # Errors
    ///
    /// When the receiver was dropped. If it may be dropped before or after, both are explored.
    ///
    /// ```
    /// use plainsong::{cover_if, sync::mpsc, thread};
    ///
    /// let report = plainsong::explore(|| {
    ///     let (sender, receiver) = mpsc::channel();
    ///     thread::spawn(move || cover_if(sender.send(1).is_err(), "too late"));
    ///     drop(receiver);
    /// });
    /// assert_eq!((report.executions, report.coverage["too late"]), (2, 1));
    /// ```
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        let place = Location::caller();
        if receiver_is_gone(&self.link, place) {
            return Err(SendError(message));
        }
        let letter = Letter::plain(Parcel::new(message)).via(Delivery::Mailbox);
        post(letter, self.link.data, place, None, What::Send);
        Ok(())
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Sender {
            link: self.link.clone(),
            handle: self.handle.another(),
            of: PhantomData,
        }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.handle.drop_at(&self.link);
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sender({:?})", self.link)
    }
}
