//! Values that every receiver gets: any number of senders, any number of receivers.
//!
//! Behind the scenes a server gives each value its place and sends a copy to each receiver, so that
//! receivers need not ask for values: n racing sends have n! executions, however many receive. Who is so
//! far behind that the value it wants was overwritten is told how many it has missed
//! ([`Lagged`](error::RecvError::Lagged)), and goes on with the oldest that is left. As in tokio, a channel
//! holds a power of two values, at least as many as it was asked to.
//!
//! One moment. A value is there for all receivers at once. The server sends its copies (`Item`) to all
//! of them, then looks who was dropped, and only then says to each that it may have the value (`Open`); who takes
//! the one waits for the other. So whoever has a value, and all whom it tells, know that everybody's copy was sent; and
//! whoever finds nothing, and all whom it tells, come before the count of receivers that the sender gets.
//!
//! Lagging. When a receiver takes a value it looks whether the one that overwrites it is there already:
//! certainly if it was sent before, as far as the receiver can know, and perhaps if that is happening.
//!
//! Selective. That a receiver was dropped matters to the next send, and how far receivers have come to
//! those who ask how many values are queued: such messages are received only then.
//!
//! NOT COVERED. `Sender::closed`, `WeakSender` and streams are not there. That all senders are gone may be
//! news only at the second poll. A value is not dropped before the end of the execution, so a sender in a
//! value that was broadcast counts as alive.

mod receiving;
mod serving;

use super::post::{request, request_or};
use super::watchman::{Handle, start_watchman};
use crate::channel::mailbox;
use crate::message::{Parcel, know_clone};
use crate::process::Process;
use crate::sync::server::{Place, content, number};
use crate::task::Task;
pub use receiving::{Receiver, Recv};
use serving::{Ask, Put, Sent, State, start_server, subscribe};
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;

/// A channel that holds so many values, rounded up to a power of two, with one receiver.
///
/// ```
/// use plainsong::tokio::{self, sync::broadcast};
///
/// let report = plainsong::explore(|| {
///     tokio::block_on(async {
///         let (sender, mut first) = broadcast::channel(2);
///         let mut second = sender.subscribe();
///         tokio::spawn(async move { assert_eq!(first.recv().await, Ok("news")) });
///         assert_eq!(sender.send("news"), Ok(2));
///         assert_eq!(second.recv().await, Ok("news"));
///     });
/// });
/// report.assert_holds();
/// ```
///
/// # Panics
///
/// When it would hold none.
#[track_caller]
pub fn channel<T: Clone + 'static>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let sender = open(capacity, Location::caller());
    let receiver = sender.subscribe_at(Location::caller());
    (sender, receiver)
}

#[track_caller]
fn open<T: Clone + 'static>(capacity: usize, made_at: Place) -> Sender<T> {
    know_clone::<T>();
    assert!(capacity > 0, "broadcast channel capacity cannot be zero");
    assert!(
        capacity <= usize::MAX / 2,
        "broadcast channel capacity exceeded `usize::MAX / 2`"
    );
    Task::insist("broadcast::channel");
    let capacity = u32::try_from(capacity.next_power_of_two()).unwrap_or(u32::MAX);
    let name = number("broadcast");
    let server = start_server::<T>(name.clone(), capacity, made_at);
    let inbox = crate::shared_context::Mailboxes::of_process(server.0);
    let watchman = start_watchman(format!("{name} senders"), inbox, made_at);
    let hub = Hub {
        server,
        watchman,
        capacity,
    };
    Sender {
        handle: Handle::first(watchman, made_at),
        hub,
        of: PhantomData,
    }
}

/// What all ends know of a channel.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Hub {
    server: Process,
    watchman: Process,
    capacity: u32,
}

impl Hub {
    /// How things are.
    fn ask(self, place: Place) -> (u32, u32, u32) {
        let nobody = State {
            tail: 0,
            receivers: 0,
            queued: 0,
        };
        let answer = request_or(self.server, Ask {}, "", nobody, place);
        let state = content::<State>(&answer);
        (state.tail, state.receivers, state.queued)
    }
}

/// Sends to all receivers. It can be cloned, and travel in messages.
pub struct Sender<T> {
    handle: Handle,
    hub: Hub,
    of: PhantomData<fn(T)>,
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Sender {
            handle: self.handle.clone(),
            hub: self.hub,
            of: PhantomData,
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sender({})", self.hub.server)
    }
}

impl<T: Clone + 'static> Sender<T> {
    /// A channel without a receiver: see [`channel`].
    ///
    /// # Panics
    ///
    /// When it would hold no value.
    #[track_caller]
    pub fn new(capacity: usize) -> Self {
        open(capacity, Location::caller())
    }

    /// Sends to all receivers, and says how many there are; never waits.
    ///
    /// # Errors
    ///
    /// The value, when there is no receiver.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<usize, error::SendError<T>> {
        if Task::live("send").is_none() {
            return Err(error::SendError(value));
        }
        let value = Parcel::new(value);
        let put = Put {
            value: value.clone(),
        };
        let answer = request::<_, Sent>(self.hub.server, put, "", Location::caller());
        let sent = content::<Sent>(&answer);
        match sent.receivers {
            0 => Err(error::SendError(value.open())),
            receivers => {
                self.handle.has_sent(sent.place);
                Ok(receivers as usize)
            }
        }
    }

    /// One more receiver: it gets what is sent from now on.
    #[track_caller]
    pub fn subscribe(&self) -> Receiver<T> {
        self.subscribe_at(Location::caller())
    }

    fn subscribe_at(&self, place: Place) -> Receiver<T> {
        let inbox = mailbox();
        let seat = subscribe(self.hub.server, inbox, place);
        Receiver::new(self.hub, inbox, seat, place)
    }

    /// How many receivers there are.
    #[track_caller]
    pub fn receiver_count(&self) -> usize {
        self.hub.ask(Location::caller()).1 as usize
    }

    /// How many values are held that some receiver has still to get.
    #[track_caller]
    pub fn len(&self) -> usize {
        self.hub.ask(Location::caller()).2 as usize
    }

    /// Has every receiver got everything that is held?
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.hub.ask(Location::caller()).2 == 0
    }

    /// Do both send into the same channel?
    pub fn same_channel(&self, other: &Self) -> bool {
        self.hub == other.hub
    }
}

/// What can go wrong.
pub mod error {
    use std::fmt;

    super::super::errors::send_error! {
        /// There are no receivers; here is the value.
    }

    /// There is no value to be had.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum RecvError {
        /// All senders were dropped, and everything was received.
        Closed,
        /// So many values were overwritten before they were received.
        Lagged(u64),
    }

    impl fmt::Display for RecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                RecvError::Closed => f.write_str("channel closed"),
                RecvError::Lagged(missed) => write!(f, "channel lagged by {missed}"),
            }
        }
    }

    impl std::error::Error for RecvError {}

    /// There is no value to be had now.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum TryRecvError {
        /// Not now.
        Empty,
        /// All senders were dropped, and everything was received.
        Closed,
        /// So many values were overwritten before they were received.
        Lagged(u64),
    }

    impl fmt::Display for TryRecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                TryRecvError::Empty => f.write_str("channel empty"),
                TryRecvError::Closed => f.write_str("channel closed"),
                TryRecvError::Lagged(missed) => write!(f, "channel lagged by {missed}"),
            }
        }
    }

    impl std::error::Error for TryRecvError {}

    impl From<RecvError> for TryRecvError {
        fn from(error: RecvError) -> Self {
            match error {
                RecvError::Closed => TryRecvError::Closed,
                RecvError::Lagged(missed) => TryRecvError::Lagged(missed),
            }
        }
    }
}
