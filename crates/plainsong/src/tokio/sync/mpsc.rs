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
//! - [`Receiver::close`], and dropping the receiver, make sends fail; messages left in the queue are
//!   dropped with the receiver.
//!
//! NOT COVERED. `len`, `capacity`, `reserve`, `WeakSender` and `recv_many` are not there. A sender that is
//! in a message which nobody receives counts as alive, unless the message is in a queue of this module
//! that was dropped. Not linearizable in one respect: after a `try_send` that found the queue full, a
//! `try_recv` of another task may find nothing although messages are left.

mod door;
mod receiving;
mod sending;
mod watchman;

use super::post::{put, put_soon, request};
use crate::channel::mailbox;
use crate::message::{Message, is_copying};
use crate::process::Process;
use crate::sync::server::{Place, number};
use crate::task::Task;
use door::start_door;
use plainsong_explore::Mailbox;
pub use receiving::{Receiver, Recv, UnboundedReceiver, UnboundedRecv};
pub use sending::{Send, Sender, UnboundedSender, WhenClosed};
use std::cell::Cell;
use std::panic::Location;
use std::rc::Rc;
use watchman::{Gone, start_watchman};

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
pub fn channel<T: Message>(room: usize) -> (Sender<T>, Receiver<T>) {
    assert!(room > 0, "mpsc bounded channel requires buffer > 0");
    Task::insist("channel");
    let (handle, pipe) = open(Some(room), Location::caller());
    (Sender::new(handle), Receiver::new(pipe))
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
pub fn unbounded_channel<T: Message>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
    Task::insist("unbounded_channel");
    let (handle, pipe) = open(None, Location::caller());
    (UnboundedSender::new(handle), UnboundedReceiver::new(pipe))
}

/// What both ends know of a queue.
#[derive(Clone, Copy)]
struct Pipe {
    /// Where the receiver gets its messages.
    inbox: Mailbox,
    door: Process,
    watchman: Process,
    has_bound: bool,
    made_at: Place,
}

fn open(room: Option<usize>, made_at: Place) -> (Handle, Pipe) {
    let inbox = mailbox();
    let name = number("channel");
    let door = start_door(name.clone(), room, inbox, made_at);
    let watchman = start_watchman(format!("{name} senders"), inbox, made_at);
    let pipe = Pipe {
        inbox,
        door,
        watchman,
        has_bound: room.is_some(),
        made_at,
    };
    let handle = Handle {
        pipe,
        path: Rc::new([]),
        clones: Cell::new(0),
        places: Cell::new(0),
    };
    (handle, pipe)
}

/// A sender: it knows how many were cloned from it, and says so when it is dropped. A copy in a message
/// is the same sender, see [`copy`](crate::message::copy).
struct Handle {
    pipe: Pipe,
    /// Which clone of which clone of the first it is.
    path: Rc<[u32]>,
    clones: Cell<u32>,
    /// One more than the last place at which it has sent.
    places: Cell<u32>,
}

impl Clone for Handle {
    fn clone(&self) -> Self {
        let (path, clones, places) = match is_copying() {
            true => (Rc::clone(&self.path), self.clones.get(), self.places.get()),
            false => {
                let child = self.clones.replace(self.clones.get() + 1);
                let path = self.path.iter().copied().chain([child]);
                (path.collect(), 0, 0)
            }
        };
        Handle {
            pipe: self.pipe,
            path,
            clones: Cell::new(clones),
            places: Cell::new(places),
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let gone = Gone {
            path: Rc::clone(&self.path),
            clones: self.clones.get(),
            places: self.places.get(),
        };
        let to = crate::world::Mailboxes::of_process(self.pipe.watchman.0);
        put_soon(to, gone, self.pipe.made_at);
    }
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
