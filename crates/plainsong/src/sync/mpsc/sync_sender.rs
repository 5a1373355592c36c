//! The sending end of a channel with a bound.

use super::bounded::{Outcome, Put, PutDone};
use super::link::{Handle, Link};
use super::{SendError, TrySendError};
use crate::message::Parcel;
use crate::sync::server::{Place, answer_or, content, tell};
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;

/// The sending end of a [`sync_channel`](super::sync_channel): see [`std::sync::mpsc::SyncSender`].
pub struct SyncSender<T> {
    link: Link,
    handle: Handle,
    of: PhantomData<fn(T)>,
}

impl<T: 'static> SyncSender<T> {
    pub(super) fn of(link: Link, handle: Handle) -> Self {
        SyncSender {
            link,
            handle,
            of: PhantomData,
        }
    }

    /// Sends a message; waits for room.
    ///
    /// # Errors
    ///
    /// When the receiver was dropped.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        match self.put(message, true, Location::caller()) {
            Err((_, message)) => Err(SendError(message)),
            Ok(()) => Ok(()),
        }
    }

    /// Sends a message if there is room.
    ///
    /// # Errors
    ///
    /// When there is no room or the receiver was dropped.
    ///
    /// ```
    /// use plainsong::sync::mpsc::{sync_channel, TrySendError};
    ///
    /// plainsong::explore(|| {
    ///     let (sender, receiver) = sync_channel(1);
    ///     assert_eq!(sender.try_send(1), Ok(()));
    ///     assert_eq!(sender.try_send(2), Err(TrySendError::Full(2)));
    ///     drop(receiver);
    ///     assert_eq!(sender.try_send(3), Err(TrySendError::Disconnected(3)));
    /// })
    /// .assert_holds();
    /// ```
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        match self.put(message, false, Location::caller()) {
            Err((Outcome::Full, message)) => Err(TrySendError::Full(message)),
            Err((_, message)) => Err(TrySendError::Disconnected(message)),
            Ok(()) => Ok(()),
        }
    }

    fn put(&self, message: T, waits: bool, place: Place) -> Result<(), (Outcome, T)> {
        let (server, _) = self.link.bounded.expect("this channel has a bound");
        let message = Parcel::new(message);
        let kept = message.clone();
        tell(server, Put { message, waits }, place);
        let answer = answer_or(server, "room in ", taken(), place);
        match content::<PutDone>(&answer).outcome {
            Outcome::Taken => Ok(()),
            refused => Err((refused, kept.open())),
        }
    }
}

/// The answer for a destructor whose process unwinds.
fn taken() -> PutDone {
    let outcome = Outcome::Taken;
    PutDone { outcome }
}

impl<T> Clone for SyncSender<T> {
    fn clone(&self) -> Self {
        SyncSender {
            link: self.link.clone(),
            handle: self.handle.another(),
            of: PhantomData,
        }
    }
}

impl<T> Drop for SyncSender<T> {
    fn drop(&mut self) {
        self.handle.drop_at(&self.link);
    }
}

impl<T> fmt::Debug for SyncSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SyncSender({:?})", self.link)
    }
}
