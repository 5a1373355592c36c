//! Channels: mailboxes that do not belong to a process.

use crate::delivery::Delivery;
use crate::future::Receive;
use crate::message::{Info, Message, assert_copying};
use crate::pattern::Arm;
use crate::receive::Messages;
use crate::send::{Faults, Letter};
use crate::tag::Tag;
use crate::task::Task;
use plainsong_explore::Mailbox;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::rc::Rc;
use std::time::Duration;

/// A new channel for messages of type `T`.
///
/// It has any number of senders and one receiver. Messages are delivered in the order that
/// [`Explorer::delivery`](crate::Explorer::delivery) says; see [`channel_via`] for another one.
///
/// ```
/// use plainsong::{channel, spawn};
///
/// let report = plainsong::explore(|| {
///     let (sender, receiver) = channel::<u32>("numbers");
///     for n in [1, 2] {
///         let sender = sender.clone();
///         spawn(move || sender.send(n));
///     }
///     assert_eq!(receiver.receive() + receiver.receive(), 3);
/// });
/// report.assert_holds();
/// assert_eq!(report.executions, 2);
/// ```
#[track_caller]
pub fn channel<T: Message>(name: impl AsRef<str>) -> (Sender<T>, Receiver<T>) {
    make(name.as_ref(), None)
}

/// A new channel whose messages are delivered in an order of its own.
///
/// ```
/// use plainsong::{channel_via, Delivery};
///
/// let report = plainsong::explore(|| {
///     let (sender, receiver) = channel_via("radio", Delivery::Unordered);
///     sender.send(1);
///     sender.send(2);
///     receiver.receive();
/// });
/// assert_eq!(report.executions, 2);
/// ```
#[track_caller]
pub fn channel_via<T: Message>(
    name: impl AsRef<str>,
    delivery: Delivery,
) -> (Sender<T>, Receiver<T>) {
    make(name.as_ref(), Some(delivery))
}

#[track_caller]
fn make<T: Message>(name: &str, delivery: Option<Delivery>) -> (Sender<T>, Receiver<T>) {
    let task = Task::current("channel");
    let count = task.next_channel();
    let mailbox = task
        .world
        .mailboxes
        .borrow_mut()
        .of_channel(task.process, count, name);
    let name: Rc<str> = name.into();
    let sender = Sender {
        mailbox,
        delivery,
        faults: Faults::default(),
        name: Rc::clone(&name),
        of: PhantomData,
    };
    let receiver = Receiver {
        mailbox,
        name,
        of: PhantomData,
    };
    (sender, receiver)
}

/// A new mailbox without a name.
#[track_caller]
pub(crate) fn mailbox() -> Mailbox {
    let task = Task::current("channel");
    let count = task.next_channel();
    let mut mailboxes = task.world.mailboxes.borrow_mut();
    mailboxes.of_channel(task.process, count, "")
}

/// A new mailbox that users do not see; its name says what comes there.
#[track_caller]
pub(crate) fn plumbing(name: &str) -> Mailbox {
    let task = Task::current("channel");
    let count = task.next_channel();
    let mut mailboxes = task.world.mailboxes.borrow_mut();
    mailboxes.of_plumbing(task.process, count, name)
}

/// The sending end of a [`channel`]. It can be cloned, and sent in messages.
pub struct Sender<T> {
    mailbox: Mailbox,
    delivery: Option<Delivery>,
    faults: Faults,
    name: Rc<str>,
    of: PhantomData<fn(T)>,
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Sender {
            mailbox: self.mailbox,
            delivery: self.delivery,
            faults: self.faults,
            name: Rc::clone(&self.name),
            of: PhantomData,
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sender({})", self.name)
    }
}

impl<T: Message> Sender<T> {
    /// Sends a message; never waits.
    #[track_caller]
    pub fn send(&self, message: T) {
        self.send_letter(Letter::new(message));
    }

    /// Sends a message with a tag, or in another order than the channel's.
    ///
    /// ```
    /// use plainsong::{channel, Letter};
    ///
    /// plainsong::explore(|| {
    ///     let (sender, receiver) = channel("mail");
    ///     sender.send_letter(Letter::new("slow").tagged(1));
    ///     sender.send_letter(Letter::new("fast").tagged(2));
    ///     assert_eq!(receiver.messages().tagged(2).receive(), "fast");
    /// })
    /// .assert_holds();
    /// ```
    #[track_caller]
    pub fn send_letter(&self, letter: Letter<T>) {
        let letter = letter.with_faults(self.faults);
        letter.deliver(self.mailbox, Location::caller(), self.delivery);
    }

    /// The same sender, but what it sends may be lost: see [`Letter::lossy`].
    ///
    /// ```
    /// use plainsong::{channel, spawn};
    ///
    /// let report = plainsong::explore(|| {
    ///     let (sender, receiver) = channel("radio");
    ///     let radio = sender.lossy();
    ///     spawn(move || (1..=2).for_each(|n| radio.send(n)));
    ///     plainsong::cover_if(receiver.try_receive() == Some(2), "lost the first");
    /// });
    /// assert_eq!((report.executions, report.coverage["lost the first"]), (3, 1));
    /// ```
    #[must_use]
    pub fn lossy(mut self) -> Self {
        self.faults.lossy = true;
        self
    }

    /// The same sender, but what it sends may arrive twice: see [`Letter::duplicated`].
    #[must_use]
    pub fn duplicating(mut self) -> Self {
        self.faults.twice = true;
        self
    }

    /// Sends a message with a tag.
    #[track_caller]
    pub fn send_tagged(&self, tag: impl Into<Tag>, message: T) {
        self.send_letter(Letter::new(message).tagged(tag));
    }
}

/// The receiving end of a [`channel`].
///
/// One process receives from a channel at a time. The receiver can be handed on, also in messages and in what a
/// lock protects, which is why it is `Clone`; whoever clones it otherwise is told so.
pub struct Receiver<T> {
    mailbox: Mailbox,
    name: Rc<str>,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Receiver<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        assert_copying("Receiver");
        Receiver {
            mailbox: self.mailbox,
            name: Rc::clone(&self.name),
            of: PhantomData,
        }
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Receiver({})", self.name)
    }
}

impl<T: Message> Receiver<T> {
    /// Waits for a message and takes it.
    #[track_caller]
    pub fn receive(&self) -> T {
        self.messages().receive()
    }

    /// Waits for a message and takes it, in async code.
    ///
    /// ```
    /// use plainsong::{channel, future::block_on, spawn};
    ///
    /// plainsong::explore(|| {
    ///     let (sender, receiver) = channel("numbers");
    ///     spawn(move || sender.send(7));
    ///     assert_eq!(block_on(receiver.receive_async()), 7);
    /// })
    /// .assert_holds();
    /// ```
    #[track_caller]
    pub fn receive_async(&self) -> Receive<T> {
        self.messages().receive_async()
    }

    /// Takes a message, or none: see [`try_receive`](crate::try_receive).
    #[track_caller]
    pub fn try_receive(&self) -> Option<T> {
        self.messages().try_receive()
    }

    /// Waits for a message, but not for ever: see [`receive_timeout`](crate::receive_timeout).
    #[track_caller]
    pub fn receive_timeout(&self, timeout: Duration) -> Option<T> {
        self.messages().receive_timeout(timeout)
    }

    /// Waits for a message that the condition accepts: see
    /// [`receive_where`](crate::receive_where).
    #[track_caller]
    pub fn receive_where(&self, condition: impl Fn(&T, &Info) -> bool + 'static) -> T {
        self.messages().filter(condition).receive()
    }

    /// The messages of this channel, to be narrowed down and received.
    pub fn messages(&self) -> Messages<T> {
        Messages::at(Arm::typed::<T>(self.mailbox))
    }
}
