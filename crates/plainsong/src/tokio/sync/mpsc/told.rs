//! Senders that find out how to copy and show what they send.

use super::error::{SendError, TrySendError};
use super::permit::{OwnedPermit, Permit, Reserve, ReserveOwned};
use super::sending::{Send, Sender as AnySender, UnboundedSender as AnyUnboundedSender};
use crate::message::told;
use std::panic::Location;

told! {
    /// Sends into a [`channel`](super::channel). It can be cloned, and travel in messages.
    ///
    /// ```
    /// use plainsong::tokio::sync::mpsc::{self, error::TrySendError};
    ///
    /// plainsong::explore(|| {
    ///     let (sender, receiver) = mpsc::channel(1);
    ///     assert_eq!(sender.try_send(1), Ok(()));
    ///     assert_eq!(sender.try_send(2), Err(TrySendError::Full(2)));
    ///     drop(receiver);
    ///     assert_eq!(sender.try_send(3), Err(TrySendError::Closed(3)));
    /// })
    /// .assert_holds();
    /// ```
    Sender over AnySender, know_both: Clone + Debug {
        fn send(message: T) -> Send<'_, T>;
        fn try_send(message: T) -> Result<(), TrySendError<T>>;
        fn blocking_send(message: T) -> Result<(), SendError<T>>;
        fn reserve() -> Reserve<'_, T>;
        fn try_reserve() -> Result<Permit<'_, T>, TrySendError<()>>;
    }
}

told! {
    /// Sends into an [`unbounded_channel`](super::unbounded_channel). It can be cloned, and travel in
    /// messages.
    UnboundedSender over AnyUnboundedSender, know_both: Clone + Debug {
        fn send(message: T) -> Result<(), SendError<T>>;
    }
}

macro_rules! cover {
    ($($name:ident $any:ident)*) => {$(
        impl<T> $name<T> {
            pub(super) fn over(any: $any<T>) -> Self {
                $name(any)
            }

            /// Was the receiver dropped, or has it closed the channel?
            #[track_caller]
            pub fn is_closed(&self) -> bool {
                self.0.is_closed()
            }

            /// Do both send into the same channel?
            pub fn same_channel(&self, other: &Self) -> bool {
                self.0.same_channel(&other.0)
            }
        }

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                $name(self.0.clone())
            }
        }
    )*};
}

cover!(Sender AnySender UnboundedSender AnyUnboundedSender);

impl<T> AsRef<AnySender<T>> for Sender<T> {
    fn as_ref(&self) -> &AnySender<T> {
        &self.0
    }
}

impl<T: 'static> Sender<T> {
    /// Waits for room, and takes it for a message to be sent later, from wherever.
    ///
    /// # Errors
    ///
    /// When the receiver was dropped or has closed the channel.
    #[track_caller]
    pub fn reserve_owned(self) -> ReserveOwned<T, Self> {
        ReserveOwned::of(self, Location::caller())
    }

    /// Takes room for a message to be sent later, from wherever, if there is some.
    ///
    /// # Errors
    ///
    /// The sender, when there is none, or nobody to receive the message.
    #[track_caller]
    pub fn try_reserve_owned(self) -> Result<OwnedPermit<T, Self>, TrySendError<Self>> {
        OwnedPermit::try_of(self, Location::caller())
    }
}
