//! Channels with several receivers, and with a capacity.
//!
//! The engine wants one receiver per mailbox. So a shared channel is a process behind the scenes that
//! takes a message and a request for one at once (one from each of its two mailboxes), and hands the
//! message over. Neither waits there for the other, so nothing waits that need not.
//!
//! What is told apart. Who gets which message, and in which order messages are taken from the channel:
//! with two receivers and two messages of two senders, 4 executions. The order counts as causality: a
//! message is taken causally after those that were taken before it.
//!
//! A receive that does not wait first chooses whether it gets a message. When it chose to get one and
//! there is none in the end, the execution is not one, and not counted: only such receives start
//! executions in vain.
//!
//! Capacity. A channel for `n` messages has `n` pieces of room in another shared channel; a sender
//! takes one and whoever receives puts one back. Without any room, a sender waits until the message was
//! handed over.

mod server;

use crate::channel::{Sender, channel_via};
use crate::choice::choose_at;
use crate::delivery::Delivery;
use crate::determinism_check::What;
use crate::message::{Info, Message, copy};
use crate::process::Process;
use crate::send::{Letter, post};
use crate::shared_context::Mailboxes;
use crate::sync::server::{Place, answer, answer_or, content};
use crate::task::Task;
pub(crate) use server::is_in_vain;
use server::{Given, HandedOver, Take, start_channel};
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::rc::Rc;
use std::time::Duration;

/// A new channel with any number of senders and receivers: a queue of jobs for several workers.
///
/// Messages are delivered in the order that [`Explorer::delivery`](crate::Explorer::delivery) says.
///
/// ```
/// use plainsong::{shared_channel, spawn};
///
/// let report = plainsong::explore(|| {
///     let (jobs, worker) = shared_channel("jobs");
///     let workers: Vec<_> = (0..2)
///         .map(|_| {
///             let worker = worker.clone();
///             spawn(move || worker.receive())
///         })
///         .collect();
///     jobs.send(1);
///     jobs.send(2);
///     let done: i32 = workers.into_iter().map(|worker| worker.join()).sum();
///     assert_eq!(done, 3);
/// });
/// report.assert_holds();
/// assert_eq!(report.executions, 2);
/// ```
#[track_caller]
pub fn shared_channel<T: Message>(name: impl AsRef<str>) -> (Sender<T>, SharedReceiver<T>) {
    let (sender, receiver) = crate::channel(name.as_ref());
    let server = start_channel(name.as_ref(), receiver, false, Location::caller());
    (sender, SharedReceiver::of(name.as_ref(), server, None))
}

/// A new channel with any number of senders and receivers whose messages are delivered in an order of
/// its own.
#[track_caller]
pub fn shared_channel_via<T: Message>(
    name: impl AsRef<str>,
    delivery: Delivery,
) -> (Sender<T>, SharedReceiver<T>) {
    let (sender, receiver) = channel_via(name.as_ref(), delivery);
    let server = start_channel(name.as_ref(), receiver, false, Location::caller());
    (sender, SharedReceiver::of(name.as_ref(), server, None))
}

/// A new channel that has room for so many messages: who sends waits for room. With the capacity 0,
/// a send waits until its message is received.
///
/// ```
/// use plainsong::{bounded_channel, current, receive, send, spawn};
///
/// let report = plainsong::explore(|| {
///     let (sender, receiver) = bounded_channel("pipe", 1);
///     let main = current();
///     spawn(move || {
///         sender.send(1);
///         sender.send(2); // waits for the receiver
///         send(main, "sent both");
///     });
///     receive::<&str>(); // and the receiver waits for the sender
///     receiver.receive();
/// });
/// assert!(report.failures[0].message.starts_with("deadlock"));
/// ```
#[track_caller]
pub fn bounded_channel<T: Message>(
    name: impl AsRef<str>,
    capacity: usize,
) -> (BoundedSender<T>, SharedReceiver<T>) {
    let (name, place) = (name.as_ref(), Location::caller());
    let (sender, receiver) = crate::channel(name);
    let server = start_channel(name, receiver, capacity == 0, place);
    let (room, put_back) = if capacity == 0 {
        (Room::None(server), None)
    } else {
        let (put_back, room) = room(name, capacity);
        (Room::Some(room), Some(put_back))
    };
    let receiver = SharedReceiver::of(name, server, put_back);
    (BoundedSender { sender, room }, receiver)
}

/// So many pieces of room. In causal order: what there was at first is taken first.
#[track_caller]
fn room(name: &str, capacity: usize) -> (Sender<Piece>, SharedReceiver<Piece>) {
    let (put_back, room) = shared_channel_via(format!("room in {name}"), Delivery::Causal);
    for _ in 0..capacity {
        put_back.send(Piece);
    }
    (put_back, room)
}

/// Room for one message.
#[derive(Clone, Debug)]
struct Piece;

/// A receiving end of a [`shared_channel`]. It can be cloned, and sent in messages.
pub struct SharedReceiver<T> {
    name: Rc<str>,
    server: Process,
    /// Where room is put back.
    room: Option<Sender<Piece>>,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for SharedReceiver<T> {
    fn clone(&self) -> Self {
        SharedReceiver {
            name: Rc::clone(&self.name),
            server: self.server,
            room: self.room.clone(),
            of: PhantomData,
        }
    }
}

impl<T> fmt::Debug for SharedReceiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedReceiver({})", self.name)
    }
}

impl<T: Message> SharedReceiver<T> {
    fn of(name: &str, server: Process, room: Option<Sender<Piece>>) -> Self {
        SharedReceiver {
            name: name.into(),
            server,
            room,
            of: PhantomData,
        }
    }

    /// Waits for a message and takes it.
    #[track_caller]
    pub fn receive(&self) -> T {
        self.receive_with_info().0
    }

    /// Waits for a message and takes it, with sender and tag.
    #[track_caller]
    pub fn receive_with_info(&self) -> (T, Info) {
        self.take(Location::caller(), false)
    }

    /// Takes a message, or none: see [`try_receive`](crate::try_receive).
    ///
    /// ```
    /// use plainsong::{shared_channel, spawn};
    ///
    /// let report = plainsong::explore(|| {
    ///     let (jobs, worker) = shared_channel("jobs");
    ///     for _ in 0..2 {
    ///         let worker = worker.clone();
    ///         spawn(move || worker.try_receive());
    ///     }
    ///     (1..=2).for_each(|n| jobs.send(n));
    /// });
    /// report.assert_holds();
    /// assert_eq!(report.executions, 5);
    /// ```
    #[track_caller]
    pub fn try_receive(&self) -> Option<T> {
        let place = Location::caller();
        Task::live("try_receive")?;
        let gets_one = choose_at([Luck::Nothing, Luck::Something], place);
        (gets_one == Luck::Something).then(|| self.take(place, true).0)
    }

    /// Waits for a message, but not for ever: see [`receive_timeout`](crate::receive_timeout).
    #[track_caller]
    pub fn receive_timeout(&self, _timeout: Duration) -> Option<T> {
        self.try_receive()
    }

    fn take(&self, place: Place, is_sure: bool) -> (T, Info) {
        if is_sure && let Some(task) = Task::live("receive") {
            task.world.has_sure_takes.set(true);
        }
        ask(self.server, Take { is_sure }, place);
        let message = answer::<Given<T>>(self.server, "a message on ", place);
        let given = content::<Given<T>>(&message);
        if let Some(room) = &self.room {
            room.send(Piece);
        }
        (copy(&given.message), given.info.clone())
    }
}

/// Sends a request; in no order with others, because whoever waits may be served.
fn ask(server: Process, request: Take, place: Place) {
    let letter = Letter::plain(request).via(Delivery::Unordered);
    post(
        letter,
        Mailboxes::of_process(server.0),
        place,
        None,
        What::Send,
    );
}

/// Does a receive that does not wait get a message?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Luck {
    Nothing,
    Something,
}

/// The sending end of a [`bounded_channel`]. It can be cloned, and sent in messages.
pub struct BoundedSender<T> {
    sender: Sender<T>,
    room: Room,
}

#[derive(Clone)]
enum Room {
    /// A message has to be handed over at once, by this server.
    None(Process),
    Some(SharedReceiver<Piece>),
}

impl<T> Clone for BoundedSender<T> {
    fn clone(&self) -> Self {
        BoundedSender {
            sender: self.sender.clone(),
            room: self.room.clone(),
        }
    }
}

impl<T> fmt::Debug for BoundedSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bounded{:?}", self.sender)
    }
}

impl<T: Message> BoundedSender<T> {
    /// Waits for room and sends a message.
    #[track_caller]
    pub fn send(&self, message: T) {
        match &self.room {
            Room::Some(room) => {
                room.receive();
                self.sender.send(message);
            }
            Room::None(server) => {
                self.sender.send(message);
                let place = Location::caller();
                answer_or(*server, "a receiver on ", HandedOver {}, place);
            }
        }
    }
}
