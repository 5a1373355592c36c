//! The sending end of a queue.
//!
//! Where somebody can tell whether a `send` is ready at its first poll (in `select!`, `join!`, a
//! timeout), it tries first, and waits if there is no room. The task does nothing in between, so it is
//! as if it had begun to wait when there was no room last.

use super::door::{Admission, AskClosed, AwaitClosed, Enter, GiveUp, IsClosed, Outcome, TryEnter};
use super::error::{SendError, TrySendError};
use super::receiving::Queued;
use super::{Handle, put, request};
use crate::future::{Awaited, Quiet};
use crate::message::Message;
use crate::sync::server::{Place, content, tell_soon};
use crate::task::Task;
use crate::tokio::sync::post::{answer, ask};
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Sends into a [`channel`](super::channel). It can be cloned, and travel in messages.
pub struct Sender<T> {
    handle: Handle,
    of: PhantomData<fn(T)>,
}

/// Sends into an [`unbounded_channel`](super::unbounded_channel). It can be cloned, and travel in
/// messages.
pub struct UnboundedSender<T> {
    handle: Handle,
    of: PhantomData<fn(T)>,
}

impl<T: Message> Sender<T> {
    /// Waits for room and sends.
    ///
    /// # Errors
    ///
    /// The message, when the receiver was dropped or has closed the channel.
    #[track_caller]
    pub fn send(&self, message: T) -> Send<'_, T> {
        Send {
            handle: &self.handle,
            message: Some(message),
            place: Location::caller(),
            asked: None,
        }
    }

    /// Sends if there is room.
    ///
    /// # Errors
    ///
    /// The message, when there is no room or nobody to receive it.
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
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        try_send(&self.handle, message, Location::caller())
    }

    /// Waits for room and sends, outside of async code.
    ///
    /// # Errors
    ///
    /// The message, when the receiver was dropped or has closed the channel.
    #[track_caller]
    pub fn blocking_send(&self, message: T) -> Result<(), SendError<T>> {
        let place = Location::caller();
        let door = self.handle.pipe.door;
        let admission = request::<_, Admission>(door, Enter {}, "room in ", place);
        deliver(&self.handle, message, outcome(&admission), place).map_err(|error| match error {
            TrySendError::Full(message) | TrySendError::Closed(message) => SendError(message),
        })
    }
}

impl<T: Message> UnboundedSender<T> {
    /// Sends; never waits.
    ///
    /// # Errors
    ///
    /// The message, when the receiver was dropped or has closed the channel.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        let sent = try_send(&self.handle, message, Location::caller());
        sent.map_err(|error| match error {
            TrySendError::Full(message) | TrySendError::Closed(message) => SendError(message),
        })
    }
}

macro_rules! both {
    ($($sender:ident $name:literal)*) => {$(
        impl<T> $sender<T> {
            pub(super) fn new(handle: Handle) -> Self {
                $sender { handle, of: PhantomData }
            }

            /// Was the receiver dropped, or has it closed the channel?
            #[track_caller]
            pub fn is_closed(&self) -> bool {
                is_closed(&self.handle, Location::caller())
            }

            /// Waits until the receiver is dropped or closes the channel.
            #[track_caller]
            pub fn closed(&self) -> WhenClosed<'_> {
                WhenClosed {
                    handle: &self.handle,
                    place: Location::caller(),
                    awaited: None,
                }
            }

            /// Do both send into the same channel?
            pub fn same_channel(&self, other: &Self) -> bool {
                self.handle.pipe.inbox == other.handle.pipe.inbox
            }
        }

        impl<T> Clone for $sender<T> {
            fn clone(&self) -> Self {
                $sender::new(self.handle.clone())
            }
        }

        impl<T> fmt::Debug for $sender<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($name)
            }
        }
    )*};
}

both!(Sender "Sender" UnboundedSender "UnboundedSender");

fn outcome(admission: &crate::message::Envelope) -> Outcome {
    content::<Admission>(admission).outcome
}

fn try_send<T: Message>(handle: &Handle, message: T, place: Place) -> Result<(), TrySendError<T>> {
    if Task::live("send").is_none() {
        return Ok(());
    }
    let admission = request::<_, Admission>(handle.pipe.door, TryEnter {}, "", place);
    deliver(handle, message, outcome(&admission), place)
}

/// Sends the message if it has got a place.
fn deliver<T: Message>(
    handle: &Handle,
    message: T,
    outcome: Outcome,
    at: Place,
) -> Result<(), TrySendError<T>> {
    match outcome {
        Outcome::At(place) => {
            handle.places.set(handle.places.get().max(place + 1));
            put(handle.pipe.inbox, Queued { message, place }, at);
            Ok(())
        }
        Outcome::Full => Err(TrySendError::Full(message)),
        Outcome::Closed => Err(TrySendError::Closed(message)),
    }
}

fn is_closed(handle: &Handle, place: Place) -> bool {
    if Task::live("is_closed").is_none() {
        return false;
    }
    let answer = request::<_, IsClosed>(handle.pipe.door, AskClosed {}, "", place);
    content::<IsClosed>(&answer).yes
}

/// See [`Sender::send`].
#[must_use = "nothing is sent before it is awaited"]
pub struct Send<'s, T> {
    handle: &'s Handle,
    message: Option<T>,
    place: Place,
    /// The number of the request, and its answer.
    asked: Option<(u32, Awaited)>,
}

impl<T> Unpin for Send<'_, T> {}

impl<T: Message> Future for Send<'_, T> {
    type Output = Result<(), SendError<T>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let (door, place) = (self.handle.pipe.door, self.place);
        if self.asked.is_none() && Task::current("send").waits.is_observed(cx.waker()) {
            let message = self.message.take().expect("polled after it was ready");
            match try_send(self.handle, message, place) {
                Ok(()) => return Poll::Ready(Ok(())),
                Err(TrySendError::Closed(message)) => return Poll::Ready(Err(SendError(message))),
                Err(TrySendError::Full(message)) => self.message = Some(message),
            }
        }
        let (_, awaited) = self.asked.get_or_insert_with(|| {
            let task = Task::current("send");
            let number = task.next_ticket();
            ask(door, Enter {}, number, place);
            let arm = answer::<Admission>(&task, door, number, "room in ");
            (number, Awaited::message(arm, place))
        });
        let Poll::Ready(admission) = awaited.poll_message(cx) else {
            return Poll::Pending;
        };
        let message = self.message.take().expect("polled after it was ready");
        let sent = deliver(self.handle, message, outcome(&admission), place);
        Poll::Ready(sent.map_err(|error| match error {
            TrySendError::Full(message) | TrySendError::Closed(message) => SendError(message),
        }))
    }
}

impl<T> Drop for Send<'_, T> {
    fn drop(&mut self) {
        if self.message.is_some()
            && let Some((number, _)) = self.asked
        {
            tell_soon(self.handle.pipe.door, GiveUp { number }, self.place);
        }
    }
}

/// See [`Sender::closed`].
#[must_use = "nothing happens before it is awaited"]
pub struct WhenClosed<'s> {
    handle: &'s Handle,
    place: Place,
    awaited: Option<Awaited>,
}

impl Future for WhenClosed<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let (door, place) = (self.handle.pipe.door, self.place);
        let looks = self.awaited.is_none() && Task::current("closed").waits.is_observed(cx.waker());
        if looks && is_closed(self.handle, place) {
            return Poll::Ready(());
        }
        let awaited = self.awaited.get_or_insert_with(|| {
            let task = Task::current("closed");
            let number = task.next_ticket();
            ask(door, AwaitClosed {}, number, place);
            let arm = answer::<IsClosed>(&task, door, number, "the end of ");
            Awaited::message(arm, place)
        });
        awaited.poll_message(cx).map(|_| ())
    }
}

// A request nobody sees: it makes no difference when it is sent.
impl Quiet for WhenClosed<'_> {}
