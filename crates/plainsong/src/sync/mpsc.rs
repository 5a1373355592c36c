//! Channels as in [`std::sync::mpsc`], explored.
//!
//! ```
//! use plainsong::sync::mpsc;
//! use plainsong::thread;
//!
//! let report = plainsong::explore(|| {
//!     let (sender, receiver) = mpsc::channel();
//!     for n in [1, 2, 3] {
//!         let sender = sender.clone();
//!         thread::spawn(move || sender.send(n).unwrap());
//!     }
//!     drop(sender);
//!     assert_eq!(receiver.iter().sum::<i32>(), 6); // until all senders are dropped
//! });
//! report.assert_holds();
//! assert_eq!(report.executions, 6);
//! ```
//!
//! A channel is a queue: whatever the order of delivery of other messages is, here a message does not
//! overtake an earlier one. Nothing is late: [`Receiver::try_recv`] finds the channel empty only if it
//! is, at some point of the one order of all operations. A timeout may come at any time.
//!
//! # Differences
//!
//! - Messages may be of any type; those that are `Clone + Debug` are explored faster, and pictures show them: see
//!   [`know`](crate::know).
//! - A [`Receiver`] can be handed on, and is `Clone` so that messages and locks can carry it, but only for that.
//! - A channel cannot be made outside an exploration.
//! - What depends on the last of several owners (an `Arc<Sender<_>>`) is not explored faithfully.
//! - A [`Sender`] inside a message that nobody receives counts as alive.
//!
//! # How it works
//!
//! A message goes straight to the receiver, in [`Delivery::Mailbox`](crate::Delivery::Mailbox) order.
//! That all senders were dropped is told by a process behind the scenes (`tracker`). With
//! [`sync_channel`] messages go through another one (`bounded`). That the receiver was dropped is
//! asked before a send, but only if that can make a difference (`hang_up`).
//!
//! Over-counted. A `try_recv` that finds nothing at first while senders are being dropped. Messages of
//! a [`sync_channel`] that nobody receives, and sends there that fail, have an order.

mod bounded;
pub(crate) mod hang_up;
mod link;
mod receiver;
mod sender;
mod sync_sender;
mod told;
mod tracker;

pub use receiver::{IntoIter, Iter, Receiver, TryIter};
pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
pub use told::{Sender, SyncSender};

use crate::task::Task;
use link::Link;
use std::panic::Location;

/// A channel that takes any number of messages: see [`std::sync::mpsc::channel`].
///
/// ```
/// use plainsong::sync::mpsc;
///
/// plainsong::explore(|| {
///     let (sender, receiver) = mpsc::channel();
///     sender.send("hello").unwrap();
///     drop(sender);
///     assert_eq!(receiver.recv(), Ok("hello"));
///     assert_eq!(receiver.recv(), Err(mpsc::RecvError));
/// })
/// .assert_holds();
/// ```
#[track_caller]
pub fn channel<T: 'static>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = as_is::channel();
    (Sender::over(sender), receiver)
}

/// A channel that takes so many messages before a sender has to wait; with 0, each sender waits until
/// its message is received: see [`std::sync::mpsc::sync_channel`].
///
/// ```
/// use plainsong::sync::mpsc;
/// use plainsong::thread;
///
/// let report = plainsong::explore(|| {
///     let (sender, receiver) = mpsc::sync_channel(1);
///     thread::spawn(move || (1..=3).for_each(|n| sender.send(n).unwrap()));
///     assert_eq!(receiver.iter().collect::<Vec<_>>(), [1, 2, 3]);
/// });
/// report.assert_holds();
/// assert_eq!(report.executions, 1);
/// ```
#[track_caller]
pub fn sync_channel<T: 'static>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let (sender, receiver) = as_is::sync_channel(bound);
    (SyncSender::over(sender), receiver)
}

pub mod as_is {
    //! Channels whose senders take values of any type: what [`Sender`](super::Sender) covers.
    pub use super::sender::Sender;
    pub use super::sync_sender::SyncSender;

    use super::{Link, Location, Receiver, Task};

    /// See [`channel`](super::channel).
    #[track_caller]
    pub fn channel<T: 'static>() -> (Sender<T>, Receiver<T>) {
        Task::insist("channel");
        let (link, handle) = Link::unbounded(Location::caller());
        (Sender::of(link.clone(), handle), Receiver::of(link))
    }

    /// See [`sync_channel`](super::sync_channel).
    #[track_caller]
    pub fn sync_channel<T: 'static>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
        Task::insist("sync_channel");
        let (link, handle) = Link::bounded::<T>(bound, Location::caller());
        (SyncSender::of(link.clone(), handle), Receiver::of(link))
    }
}
