//! A channel for one value.
//!
//! The value is one message, awaited by one receive. A sender that is dropped says so where the value
//! would have come; a receiver that is dropped says so to the sender, which looks before it sends.
//!
//! NOT COVERED. A value that is sent while the receiver is being dropped is not dropped with it: if it
//! has handles inside (another sender), whoever waits for them does so for ever. `Receiver::close` is
//! not there, because looking for a value after closing would have to be one step.

mod told;

use super::post::{put, put_soon, wait};
use crate::channel::{mailbox, plumbing};
use crate::future::{Awaited, Quiet};
use crate::message::{Envelope, Parcel, assert_copying};
use crate::now::{Now, look};
use crate::pattern::Arm;
use crate::sync::server::{Place, protocol};
use crate::task::Task;
use plainsong_explore::Mailbox;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
pub use told::Sender;

protocol! {
    /// The sender was dropped.
    Gone {} Plumbing "the sender is dropped"
    /// The receiver was dropped.
    Closed {} Plumbing "the receiver is dropped"
}

/// A channel for one value.
///
/// ```
/// use plainsong::tokio::{self, sync::oneshot};
///
/// plainsong::explore(|| {
///     tokio::block_on(async {
///         let (sender, receiver) = oneshot::channel();
///         tokio::spawn(async move { sender.send(3).unwrap() });
///         assert_eq!(receiver.await, Ok(3));
///     });
/// })
/// .assert_holds();
/// ```
#[track_caller]
pub fn channel<T: 'static>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = make(Location::caller());
    (Sender::over(sender), receiver)
}

fn make<T: 'static>(place: Place) -> (AnySender<T>, Receiver<T>) {
    let (value, closed) = (mailbox(), plumbing("the receiver's end"));
    let sender = AnySender {
        value,
        closed,
        place,
        state: Cell::new(State::Open),
        of: PhantomData,
    };
    let receiver = Receiver {
        value,
        closed,
        place,
        is_over: Cell::new(false),
        awaited: None,
        of: PhantomData,
    };
    (sender, receiver)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// It has sent, or failed to.
    Over,
    /// It knows that the receiver was dropped.
    Closed,
}

/// Sends the value.
///
/// It can travel in messages, which is why it is `Clone`; whoever clones it otherwise is told so.
pub struct AnySender<T> {
    value: Mailbox,
    closed: Mailbox,
    place: Place,
    state: Cell<State>,
    of: PhantomData<fn(T)>,
}

impl<T> Clone for AnySender<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        assert_copying("oneshot::Sender");
        AnySender {
            value: self.value,
            closed: self.closed,
            place: self.place,
            state: self.state.clone(),
            of: PhantomData,
        }
    }
}

impl<T> fmt::Debug for AnySender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sender")
    }
}

impl<T: 'static> AnySender<T> {
    /// Sends the value; never waits.
    ///
    /// # Errors
    ///
    /// The value, when the receiver was dropped. If that happens at the same time, both outcomes are
    /// explored.
    ///
    /// ```
    /// use plainsong::tokio::sync::oneshot;
    ///
    /// plainsong::explore(|| {
    ///     let (sender, receiver) = oneshot::channel();
    ///     drop(receiver);
    ///     assert_eq!(sender.send(1), Err(1));
    /// })
    /// .assert_holds();
    /// ```
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), T> {
        let is_closed = self.is_closed();
        self.state.set(State::Over);
        if is_closed {
            return Err(value);
        }
        put(self.value, Parcel::new(value), Location::caller());
        Ok(())
    }

    /// Was the receiver dropped?
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        let Some(task) = Task::live("is_closed") else {
            return false;
        };
        if self.state.get() == State::Open {
            let arm = Arm::typed::<Closed>(self.closed);
            if look(&task, arm, Location::caller()).is_some() {
                self.state.set(State::Closed);
            }
        }
        self.state.get() == State::Closed
    }

    /// Waits until the receiver is dropped.
    #[track_caller]
    pub fn closed(&mut self) -> WhenClosed<'_, T> {
        let arm = Arm {
            is_in_memory: true,
            ..Arm::typed::<Closed>(self.closed)
        };
        WhenClosed {
            awaited: Awaited::message(arm, Location::caller()),
            sender: self,
        }
    }
}

impl<T> Drop for AnySender<T> {
    fn drop(&mut self) {
        if self.state.get() == State::Open {
            put_soon(self.value, Gone {}, self.place);
        }
    }
}

/// See `Sender::closed`.
#[must_use = "nothing happens before it is awaited"]
pub struct WhenClosed<'s, T> {
    sender: &'s mut AnySender<T>,
    awaited: Awaited,
}

impl<T> Future for WhenClosed<'_, T> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.sender.state.get() == State::Closed {
            return Poll::Ready(());
        }
        self.awaited.poll_message(cx).map(|_| {
            self.sender.state.set(State::Closed);
        })
    }
}

impl<T> Quiet for WhenClosed<'_, T> {}

/// Receives the value: await it.
pub struct Receiver<T> {
    value: Mailbox,
    closed: Mailbox,
    place: Place,
    is_over: Cell<bool>,
    awaited: Option<Awaited>,
    of: PhantomData<fn() -> T>,
}

impl<T> Unpin for Receiver<T> {}

impl<T> Clone for Receiver<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        assert_copying("oneshot::Receiver");
        Receiver {
            value: self.value,
            closed: self.closed,
            place: self.place,
            is_over: self.is_over.clone(),
            awaited: None,
            of: PhantomData,
        }
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Receiver")
    }
}

impl<T> Receiver<T> {
    fn arm(&self) -> Arm {
        Arm {
            filter: Some(Rc::new(|message: &Envelope| !message.is::<Now>())),
            shown: Some(std::any::type_name::<T>()),
            is_in_memory: true,
            ..Arm::anything(self.value)
        }
    }
}

impl<T: 'static> Receiver<T> {
    /// Takes the value if it was sent.
    ///
    /// # Errors
    ///
    /// That it was not sent yet, or never will be.
    ///
    /// ```
    /// use plainsong::tokio::sync::oneshot;
    ///
    /// plainsong::explore(|| {
    ///     let (sender, mut receiver) = oneshot::channel();
    ///     assert_eq!(receiver.try_recv(), Err(oneshot::error::TryRecvError::Empty));
    ///     sender.send(1).unwrap();
    ///     assert_eq!(receiver.try_recv(), Ok(1)); // nothing is late
    /// })
    /// .assert_holds();
    /// ```
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, error::TryRecvError> {
        if self.is_over.get() {
            return Err(error::TryRecvError::Closed);
        }
        let Some(task) = Task::live("try_recv") else {
            return Err(error::TryRecvError::Empty);
        };
        match look(&task, self.arm(), Location::caller()) {
            Some(message) => self.end(&message).map_err(|_| error::TryRecvError::Closed),
            None => Err(error::TryRecvError::Empty),
        }
    }

    /// Waits for the value, outside of async code.
    ///
    /// # Errors
    ///
    /// When the sender was dropped.
    #[track_caller]
    pub fn blocking_recv(self) -> Result<T, error::RecvError> {
        let Some(task) = Task::live("blocking_recv") else {
            Task::note_ghost();
            return Err(error::RecvError(()));
        };
        let message = wait(&task, self.arm(), Location::caller());
        self.end(&message)
    }

    fn end(&self, message: &Envelope) -> Result<T, error::RecvError> {
        self.is_over.set(true);
        message.get().map(Parcel::open).ok_or(error::RecvError(()))
    }
}

impl<T: 'static> Future for Receiver<T> {
    type Output = Result<T, error::RecvError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let (arm, place) = (self.arm(), self.place);
        let awaited = self
            .awaited
            .get_or_insert_with(|| Awaited::message(arm, place));
        let polled = awaited.poll_message(cx);
        polled.map(|message| self.end(&message))
    }
}

impl<T> Quiet for Receiver<T> {}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        if self.is_over.get() {
            return;
        }
        put_soon(self.closed, Closed {}, self.place);
    }
}

pub mod as_is {
    //! A channel whose sender takes a value of any type: what [`Sender`](super::Sender) covers.
    pub use super::AnySender as Sender;

    use super::{Location, Receiver, make};

    /// See [`channel`](super::channel).
    #[track_caller]
    pub fn channel<T: 'static>() -> (Sender<T>, Receiver<T>) {
        make(Location::caller())
    }
}

/// What can go wrong.
pub mod error {
    use std::fmt;

    super::super::errors::recv_error! {
        /// The sender was dropped.
    }

    /// There is no value, not yet or never.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum TryRecvError {
        /// Not yet.
        Empty,
        /// Never: the sender was dropped.
        Closed,
    }

    impl fmt::Display for TryRecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(match self {
                TryRecvError::Empty => "channel empty",
                TryRecvError::Closed => "channel closed",
            })
        }
    }

    impl std::error::Error for TryRecvError {}
}
