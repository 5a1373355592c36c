//! Senders that find out how to copy and show what they send.

use super::sender::Sender as AnySender;
use super::sync_sender::SyncSender as AnySyncSender;
use super::{SendError, TrySendError};
use crate::message::told;

told! {
    /// The sending end of a [`channel`](super::channel): see [`std::sync::mpsc::Sender`].
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
    Sender over AnySender, know_both: Clone + Debug {
        fn send(message: T) -> Result<(), SendError<T>>;
    }
}

told! {
    /// The sending end of a [`sync_channel`](super::sync_channel): see [`std::sync::mpsc::SyncSender`].
    SyncSender over AnySyncSender, know_both: Clone + Debug {
        fn send(message: T) -> Result<(), SendError<T>>;
        fn try_send(message: T) -> Result<(), TrySendError<T>>;
    }
}

macro_rules! cover {
    ($($name:ident $any:ident)*) => {$(
        impl<T> $name<T> {
            pub(super) fn over(any: $any<T>) -> Self {
                $name(any)
            }
        }

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                $name(self.0.clone())
            }
        }
    )*};
}

cover!(Sender AnySender SyncSender AnySyncSender);
