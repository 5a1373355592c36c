//! Queues with any number of senders and one receiver.
//!
//! A message goes straight from sender to receiver. Behind the scenes are two processes. The *door*
//! gives each message its place in the queue, if there is room and the receiver is there; a sender asks
//! it, and the receiver takes messages by their places. So n racing sends have n! executions, whether
//! they have to wait for room or not, and a `send` that is given up while it waits has sent nothing. The
//! *watchman* waits until all senders are dropped, in one fixed order, and tells the receiver.
//!
//! - Capacity is real: [`Sender::send`] waits for room, [`Sender::try_send`] says when there is none.
//! - [`Receiver::try_recv`] never waits, and knows empty from disconnected.
//! - [`Sender::reserve`] takes room now for a message later, which gets its place when it is sent.
//! - [`Receiver::close`], and dropping the receiver, make sends fail; messages left in the queue are
//!   dropped with the receiver. Room that was reserved before can still be used, and the queue ends when
//!   all of that is used or given back.
//! - `Sender::capacity`, [`Receiver::len`] and the like are exact: the door knows. What was counted is
//!   there for [`Receiver::try_recv`].
//!
//! Two steps. In tokio a send takes room first and puts its message into the queue then. In between,
//! another task's `try_send` finds the queue full and a `try_recv` finds it empty; the same happens here.
//!
//! NOT COVERED. `WeakSender`, `reserve_many` and `send_timeout` are not there. A sender that is in
//! a message which nobody receives counts as alive, unless the message is in a queue of this module that
//! was dropped. A send that is aborted between its two steps is counted by `len` until the receiver comes
//! to its place. That a `send` has waited is not known if somebody polls it by hand, with the waker of its
//! own task, and does something else then: it has its place before what is sent in between.

mod door;
mod permit;
mod receiving;
mod sending;
mod told;

use super::post::{put, request, request_or};
use super::watchman::{Handle, start_watchman};
use crate::channel::mailbox;
use crate::process::Process;
use crate::sync::server::{Place, number};
use crate::task::Task;
use door::start_door;
pub use permit::{OwnedPermit, Permit, Reserve, ReserveOwned};
use plainsong_explore::Mailbox;
pub use receiving::{Receiver, Recv, UnboundedReceiver, UnboundedRecv};
pub use sending::{Send, WhenClosed};
use std::panic::Location;
pub use told::{Sender, UnboundedSender};

/// A queue with room for so many messages.
///
/// ```
/// use plainsong::tokio::{self, sync::mpsc};
///
/// let report = plainsong::explore(|| {
///     tokio::block_on(async {
///         let (sender, mut receiver) = mpsc::channel(1);
///         for n in [1, 2] {
///             let sender = sender.clone();
///             tokio::spawn(async move { sender.send(n).await.unwrap() });
///         }
///         drop(sender);
///         let mut sum = 0;
///         while let Some(n) = receiver.recv().await {
///             sum += n;
///         }
///         assert_eq!(sum, 3);
///     });
/// });
/// report.assert_holds();
/// assert_eq!(report.executions, 2);
/// ```
///
/// # Panics
///
/// When there would be room for none.
#[track_caller]
pub fn channel<T: 'static>(room: usize) -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = as_is::channel(room);
    (Sender::over(sender), receiver)
}

/// A queue with room for any number of messages.
///
/// ```
/// use plainsong::tokio::{self, sync::mpsc};
///
/// plainsong::explore(|| {
///     tokio::block_on(async {
///         let (sender, mut receiver) = mpsc::unbounded_channel();
///         sender.send(1).unwrap();
///         drop(sender);
///         assert_eq!(receiver.recv().await, Some(1));
///         assert_eq!(receiver.recv().await, None);
///     });
/// })
/// .assert_holds();
/// ```
#[track_caller]
pub fn unbounded_channel<T: 'static>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
    let (sender, receiver) = as_is::unbounded_channel();
    (UnboundedSender::over(sender), receiver)
}

pub mod as_is {
    //! Queues whose senders take values of any type: what [`Sender`](super::Sender) covers.
    pub use super::sending::{Sender, UnboundedSender};

    use super::{Location, Receiver, Task, UnboundedReceiver, open};

    /// See [`channel`](super::channel).
    ///
    /// # Panics
    ///
    /// When there would be room for none.
    #[track_caller]
    pub fn channel<T: 'static>(room: usize) -> (Sender<T>, Receiver<T>) {
        assert!(room > 0, "mpsc bounded channel requires buffer > 0");
        Task::insist("channel");
        let inlet = open(Some(room), Location::caller());
        let receiver = Receiver::new(inlet.pipe);
        (Sender::new(inlet), receiver)
    }

    /// See [`unbounded_channel`](super::unbounded_channel).
    #[track_caller]
    pub fn unbounded_channel<T: 'static>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
        Task::insist("unbounded_channel");
        let inlet = open(None, Location::caller());
        let receiver = UnboundedReceiver::new(inlet.pipe);
        (UnboundedSender::new(inlet), receiver)
    }
}

/// What both ends know of a queue.
#[derive(Clone, Copy)]
struct Pipe {
    /// Where the receiver gets its messages.
    inbox: Mailbox,
    door: Process,
    watchman: Process,
    /// How many messages there is room for, if there is a bound.
    room: Option<usize>,
    made_at: Place,
}

/// What a sender knows of a queue.
#[derive(Clone)]
struct Inlet {
    pipe: Pipe,
    handle: Handle,
}

fn open(room: Option<usize>, made_at: Place) -> Inlet {
    let inbox = mailbox();
    let name = number("channel");
    let door = start_door(name.clone(), room, inbox, made_at);
    let watchman = start_watchman(format!("{name} senders"), inbox, made_at);
    let pipe = Pipe {
        inbox,
        door,
        watchman,
        room,
        made_at,
    };
    let handle = Handle::first(watchman, made_at);
    Inlet { pipe, handle }
}

/// What can go wrong.
pub mod error {
    use std::fmt;

    super::super::errors::send_error! {
        /// The receiver was dropped, or has closed the channel; here is the message.
    }

    /// The message was not sent.
    #[derive(Clone, PartialEq, Eq)]
    pub enum TrySendError<T> {
        /// There is no room.
        Full(T),
        /// The receiver was dropped, or has closed the channel.
        Closed(T),
    }

    impl<T> fmt::Debug for TrySendError<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(match self {
                TrySendError::Full(_) => "Full(..)",
                TrySendError::Closed(_) => "Closed(..)",
            })
        }
    }

    impl<T> fmt::Display for TrySendError<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(match self {
                TrySendError::Full(_) => "no available capacity",
                TrySendError::Closed(_) => "channel closed",
            })
        }
    }

    impl<T> std::error::Error for TrySendError<T> {}

    /// There is no message.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TryRecvError {
        /// Not now.
        Empty,
        /// All senders were dropped.
        Disconnected,
    }

    impl fmt::Display for TryRecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(match self {
                TryRecvError::Empty => "receiving on an empty channel",
                TryRecvError::Disconnected => "receiving on a closed channel",
            })
        }
    }

    impl std::error::Error for TryRecvError {}
}
