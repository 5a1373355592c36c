//! The sending end of a queue.
//!
//! Where somebody can tell whether a `send` is ready at its first poll (in `select!`, `join!`, a
//! timeout), it tries first, and waits if there is no room. The task does nothing in between, so it is
//! as if it had begun to wait when there was no room last. Then it is known to have waited, and takes
//! room first and its place when its task goes on.

use super::door::{
    Admission, AskAnswered, AskClosed, AskRoom, AwaitClosed, Enter, GiveUp, IsAnswered, IsClosed,
    Outcome, Redeem, Room, TryEnter,
};
use super::error::{SendError, TrySendError};
use super::receiving::Queued;
use super::{Inlet, put, request, request_or};
use crate::future::{Awaited, Quiet};
use crate::message::{Envelope, Parcel};
use crate::pattern::Arm;
use crate::process::Process;
use crate::sync::server::{Place, content, tell_soon};
use crate::task::Task;
use crate::tokio::sync::post::{answer, ask, wait};
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

/// Sends into a [`channel`](super::channel). It can be cloned, and travel in messages.
pub struct Sender<T> {
    pub(super) inlet: Inlet,
    of: PhantomData<fn(T)>,
}

/// Sends into an [`unbounded_channel`](super::unbounded_channel). It can be cloned, and travel in
/// messages.
pub struct UnboundedSender<T> {
    pub(super) inlet: Inlet,
    of: PhantomData<fn(T)>,
}

impl<T: 'static> Sender<T> {
    /// Waits for room and sends.
    ///
    /// # Errors
    ///
    /// The message, when the receiver was dropped or has closed the channel.
    #[track_caller]
    pub fn send(&self, message: T) -> Send<'_, T> {
        Send {
            inlet: &self.inlet,
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
        try_send(&self.inlet, message, Location::caller())
    }

    /// How much room there is now: less what was reserved, and none while somebody waits for it.
    ///
    /// ```
    /// use plainsong::tokio::{self, sync::mpsc};
    ///
    /// plainsong::explore(|| {
    ///     tokio::block_on(async {
    ///         let (sender, mut receiver) = mpsc::channel(3);
    ///         sender.send(1).await.unwrap();
    ///         let permit = sender.reserve().await.unwrap();
    ///         assert_eq!((sender.capacity(), sender.max_capacity()), (1, 3));
    ///         assert_eq!(receiver.len(), 1);
    ///         permit.send(2);
    ///         assert_eq!(receiver.len(), 2);
    ///         assert_eq!(receiver.try_recv(), Ok(1));
    ///         assert_eq!(sender.capacity(), 2);
    ///     });
    /// })
    /// .assert_holds();
    /// ```
    #[track_caller]
    pub fn capacity(&self) -> usize {
        let (door, none) = (self.inlet.pipe.door, Room { free: 0 });
        let answer = request_or(door, AskRoom {}, "", none, Location::caller());
        content::<Room>(&answer).free
    }

    /// How much room there is when there is no message.
    pub fn max_capacity(&self) -> usize {
        self.inlet.pipe.room.unwrap_or(usize::MAX)
    }

    /// Waits for room and sends, outside of async code.
    ///
    /// # Errors
    ///
    /// The message, when the receiver was dropped or has closed the channel.
    #[track_caller]
    pub fn blocking_send(&self, message: T) -> Result<(), SendError<T>> {
        let place = Location::caller();
        let door = self.inlet.pipe.door;
        let enter = Enter { reserves: false };
        let admission = request_or(door, enter, "room in ", admitted(), place);
        deliver(&self.inlet, message, outcome(&admission), place).map_err(|error| match error {
            TrySendError::Full(message) | TrySendError::Closed(message) => SendError(message),
        })
    }
}

impl<T> AsRef<Sender<T>> for Sender<T> {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl<T: 'static> UnboundedSender<T> {
    /// Sends; never waits.
    ///
    /// # Errors
    ///
    /// The message, when the receiver was dropped or has closed the channel.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        let sent = try_send(&self.inlet, message, Location::caller());
        sent.map_err(|error| match error {
            TrySendError::Full(message) | TrySendError::Closed(message) => SendError(message),
        })
    }
}

macro_rules! both {
    ($($sender:ident $name:literal)*) => {$(
        impl<T> $sender<T> {
            pub(super) fn new(inlet: Inlet) -> Self {
                $sender { inlet, of: PhantomData }
            }

            /// Was the receiver dropped, or has it closed the channel?
            #[track_caller]
            pub fn is_closed(&self) -> bool {
                is_closed(&self.inlet, Location::caller())
            }

            /// Waits until the receiver is dropped or closes the channel.
            #[track_caller]
            pub fn closed(&self) -> WhenClosed<'_> {
                WhenClosed {
                    inlet: &self.inlet,
                    place: Location::caller(),
                    awaited: None,
                }
            }

            /// Do both send into the same channel?
            pub fn same_channel(&self, other: &Self) -> bool {
                self.inlet.pipe.inbox == other.inlet.pipe.inbox
            }
        }

        impl<T> Clone for $sender<T> {
            fn clone(&self) -> Self {
                $sender::new(self.inlet.clone())
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

pub(super) fn outcome(admission: &crate::message::Envelope) -> Outcome {
    content::<Admission>(admission).outcome
}

/// The answer for a destructor whose process unwinds.
fn admitted() -> Admission {
    Admission {
        outcome: Outcome::At(0),
    }
}

fn try_send<T: 'static>(inlet: &Inlet, message: T, place: Place) -> Result<(), TrySendError<T>> {
    if Task::live("send").is_none() {
        return Ok(());
    }
    let admission =
        request::<_, Admission>(inlet.pipe.door, TryEnter { reserves: false }, "", place);
    deliver(inlet, message, outcome(&admission), place)
}

/// Sends the message if it has got a place, or room.
fn deliver<T: 'static>(
    inlet: &Inlet,
    message: T,
    outcome: Outcome,
    at: Place,
) -> Result<(), TrySendError<T>> {
    match outcome {
        Outcome::At(place) => {
            inlet.handle.has_sent(place);
            let message = Parcel::new(message);
            put(inlet.pipe.inbox, Queued { message, place }, at);
            Ok(())
        }
        Outcome::Reserved => {
            redeem(inlet, message, at);
            Ok(())
        }
        Outcome::Full => Err(TrySendError::Full(message)),
        Outcome::Closed => Err(TrySendError::Closed(message)),
    }
}

/// Sends a message for which there is room already.
pub(super) fn redeem<T: 'static>(inlet: &Inlet, message: T, at: Place) {
    let admission = request_or(inlet.pipe.door, Redeem {}, "", admitted(), at);
    if let Outcome::At(place) = outcome(&admission) {
        inlet.handle.has_sent(place);
        let message = Parcel::new(message);
        put(inlet.pipe.inbox, Queued { message, place }, at);
    }
}

fn is_closed(inlet: &Inlet, place: Place) -> bool {
    if Task::live("is_closed").is_none() {
        return false;
    }
    let answer = request::<_, IsClosed>(inlet.pipe.door, AskClosed {}, "", place);
    content::<IsClosed>(&answer).yes
}

/// Whether a request that waits for room has an answer, where that can be told.
pub(super) enum Look {
    NotLooked,
    Absent,
    Answered(Rc<Envelope>),
}

/// Asks whether a request that was made before has its answer, where that can be told.
pub(super) fn look(
    inlet: &Inlet,
    asked: &Option<(u32, Awaited)>,
    place: Place,
    cx: &Context<'_>,
) -> Look {
    let (task, door) = (Task::current("send"), inlet.pipe.door);
    let looks = |awaited: &Awaited| awaited.is_open() && task.waits.is_observed_anew(cx.waker());
    let number = match asked {
        Some((number, awaited)) if looks(awaited) => *number,
        _ => return Look::NotLooked,
    };
    match is_answered(door, number, place) {
        false => Look::Absent,
        true => {
            let arm = answer::<Admission>(&task, door, number, "room in ");
            Look::Answered(wait(&task, arm, place))
        }
    }
}

/// Has a request for room its answer?
fn is_answered(door: Process, number: u32, place: Place) -> bool {
    let answered = request::<_, IsAnswered>(door, AskAnswered { number }, "", place);
    content::<IsAnswered>(&answered).yes
}

/// Where a request for room is answered.
pub(super) fn admission(task: &Task, door: Process, number: u32) -> Arm {
    let arm = answer::<Admission>(task, door, number, "room in ");
    arm.asking(move |place| is_answered(door, number, place))
}

/// See [`Sender::send`].
#[must_use = "nothing is sent before it is awaited"]
pub struct Send<'s, T> {
    inlet: &'s Inlet,
    message: Option<T>,
    place: Place,
    /// The number of the request, and its answer.
    asked: Option<(u32, Awaited)>,
}

impl<T> Unpin for Send<'_, T> {}

impl<T: 'static> Future for Send<'_, T> {
    type Output = Result<(), SendError<T>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let (inlet, door, place) = (self.inlet, self.inlet.pipe.door, self.place);
        let reserves = self.asked.is_none() && Task::current("send").waits.is_observed(cx.waker());
        if reserves {
            let message = self.message.take().expect("polled after it was ready");
            match try_send(self.inlet, message, place) {
                Ok(()) => return Poll::Ready(Ok(())),
                Err(TrySendError::Closed(message)) => return Poll::Ready(Err(SendError(message))),
                Err(TrySendError::Full(message)) => self.message = Some(message),
            }
        }
        let looked = look(inlet, &self.asked, place, cx);
        let (_, awaited) = self.asked.get_or_insert_with(|| {
            let task = Task::current("send");
            let number = task.next_ticket();
            ask(door, Enter { reserves }, number, place);
            let arm = admission(&task, door, number);
            (number, Awaited::message(arm, place))
        });
        let admission = match looked {
            Look::Answered(admission) => Poll::Ready(admission),
            Look::Absent => awaited.poll_unless_absent(cx, true),
            Look::NotLooked => awaited.poll_unless_absent(cx, reserves),
        };
        let Poll::Ready(admission) = admission else {
            return Poll::Pending;
        };
        let message = self.message.take().expect("polled after it was ready");
        let sent = deliver(self.inlet, message, outcome(&admission), place);
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
            tell_soon(self.inlet.pipe.door, GiveUp { number }, self.place);
        }
    }
}

/// See [`Sender::closed`].
#[must_use = "nothing happens before it is awaited"]
pub struct WhenClosed<'s> {
    inlet: &'s Inlet,
    place: Place,
    awaited: Option<Awaited>,
}

impl Future for WhenClosed<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let (door, place) = (self.inlet.pipe.door, self.place);
        let waits = &Task::current("closed").waits;
        let looks = match &self.awaited {
            None => waits.is_observed(cx.waker()),
            Some(awaited) => awaited.is_open() && waits.is_observed_anew(cx.waker()),
        };
        if looks && is_closed(self.inlet, place) {
            return Poll::Ready(());
        }
        let awaited = self.awaited.get_or_insert_with(|| {
            let task = Task::current("closed");
            let number = task.next_ticket();
            ask(door, AwaitClosed {}, number, place);
            let arm = answer::<IsClosed>(&task, door, number, "the end of ");
            let arm = arm.asking(move |place| {
                let answer = request::<_, IsClosed>(door, AskClosed {}, "", place);
                content::<IsClosed>(&answer).yes
            });
            Awaited::message(arm, place)
        });
        awaited.poll_unless_absent(cx, looks).map(|_| ())
    }
}

// A request nobody sees: it makes no difference when it is sent.
impl Quiet for WhenClosed<'_> {}
