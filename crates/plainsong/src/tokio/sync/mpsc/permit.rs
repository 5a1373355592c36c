//! Room that was taken for a message to come.

use super::door::{Admission, Enter, GiveUp, Outcome, Return, TryEnter};
use super::error::{SendError, TrySendError};
use super::sending::{Look, Sender, admission, look, outcome, redeem};
use super::{Inlet, request_or};
use crate::future::Awaited;
use crate::sync::server::{Place, tell_soon};
use crate::task::Task;
use crate::tokio::sync::post::ask;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

impl<T: 'static> Sender<T> {
    /// Waits for room, and takes it for a message to be sent later. The message gets its place in the queue
    /// when it is sent.
    ///
    /// # Errors
    ///
    /// When the receiver was dropped or has closed the channel.
    ///
    /// ```
    /// use plainsong::tokio::{self, sync::mpsc};
    ///
    /// plainsong::explore(|| {
    ///     tokio::block_on(async {
    ///         let (sender, mut receiver) = mpsc::channel(2);
    ///         let early = sender.reserve().await.unwrap();
    ///         let late = sender.reserve().await.unwrap();
    ///         assert!(sender.try_send(3).is_err()); // no room
    ///         late.send(2);
    ///         drop(early);
    ///         assert_eq!(sender.try_send(3), Ok(()));
    ///         assert_eq!(receiver.recv().await, Some(2));
    ///         assert_eq!(receiver.recv().await, Some(3));
    ///     });
    /// })
    /// .assert_holds();
    /// ```
    #[track_caller]
    pub fn reserve(&self) -> Reserve<'_, T> {
        Reserve {
            reserving: Reserving::new(Location::caller()),
            sender: self,
        }
    }

    /// Waits for room, and takes it for a message to be sent later, from wherever.
    ///
    /// # Errors
    ///
    /// When the receiver was dropped or has closed the channel.
    #[track_caller]
    pub fn reserve_owned(self) -> ReserveOwned<T, Self> {
        ReserveOwned::of(self, Location::caller())
    }

    /// Takes room for a message to be sent later, if there is some.
    ///
    /// # Errors
    ///
    /// When there is none, or nobody to receive the message.
    #[track_caller]
    pub fn try_reserve(&self) -> Result<Permit<'_, T>, TrySendError<()>> {
        let place = Location::caller();
        try_reserve(&self.inlet, place)?;
        Ok(Permit::new(self, place))
    }

    /// Takes room for a message to be sent later, from wherever, if there is some.
    ///
    /// # Errors
    ///
    /// The sender, when there is none, or nobody to receive the message.
    #[track_caller]
    pub fn try_reserve_owned(self) -> Result<OwnedPermit<T, Self>, TrySendError<Self>> {
        OwnedPermit::try_of(self, Location::caller())
    }
}

fn try_reserve(inlet: &Inlet, place: Place) -> Result<(), TrySendError<()>> {
    let wish = TryEnter { reserves: true };
    let reserved = Admission {
        outcome: Outcome::Reserved,
    };
    let admission = request_or(inlet.pipe.door, wish, "", reserved, place);
    match outcome(&admission) {
        Outcome::At(_) | Outcome::Reserved => Ok(()),
        Outcome::Full => Err(TrySendError::Full(())),
        Outcome::Closed => Err(TrySendError::Closed(())),
    }
}

/// Room to come.
struct Reserving {
    place: Place,
    /// The number of the request, and its answer.
    asked: Option<(u32, Awaited)>,
    is_over: bool,
}

impl Reserving {
    fn new(place: Place) -> Self {
        Reserving {
            place,
            asked: None,
            is_over: false,
        }
    }

    fn poll(&mut self, inlet: &Inlet, cx: &Context<'_>) -> Poll<Result<(), SendError<()>>> {
        let (door, place) = (inlet.pipe.door, self.place);
        let is_first =
            self.asked.is_none() && Task::current("reserve").waits.is_observed(cx.waker());
        if is_first {
            match try_reserve(inlet, place) {
                Ok(()) => return Poll::Ready(Ok(())),
                Err(TrySendError::Closed(())) => return Poll::Ready(Err(SendError(()))),
                Err(TrySendError::Full(())) => {}
            }
        }
        let looked = look(inlet, &self.asked, place, cx);
        let (_, awaited) = self.asked.get_or_insert_with(|| {
            let task = Task::current("reserve");
            let number = task.next_ticket();
            ask(door, Enter { reserves: true }, number, place);
            let arm = admission(&task, door, number);
            (number, Awaited::message(arm, place))
        });
        let admission = match looked {
            Look::Answered(admission) => Poll::Ready(admission),
            Look::Absent => awaited.poll_unless_absent(cx, true),
            Look::NotLooked => awaited.poll_unless_absent(cx, is_first),
        };
        admission.map(|admission| {
            self.is_over = true;
            match outcome(&admission) {
                Outcome::At(_) | Outcome::Reserved => Ok(()),
                Outcome::Full | Outcome::Closed => Err(SendError(())),
            }
        })
    }

    /// Nobody waits for it any more.
    fn give_up(&self, inlet: &Inlet) {
        if let Some((number, _)) = self.asked
            && !self.is_over
        {
            tell_soon(inlet.pipe.door, GiveUp { number }, self.place);
        }
    }
}

/// See [`Sender::reserve`].
#[must_use = "nothing happens before it is awaited"]
pub struct Reserve<'s, T: 'static> {
    reserving: Reserving,
    sender: &'s Sender<T>,
}

impl<'s, T: 'static> Future for Reserve<'s, T> {
    type Output = Result<Permit<'s, T>, SendError<()>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let (sender, place) = (self.sender, self.reserving.place);
        let reserved = self.reserving.poll(&sender.inlet, cx);
        reserved.map_ok(|()| Permit::new(sender, place))
    }
}

impl<T: 'static> Drop for Reserve<'_, T> {
    fn drop(&mut self) {
        self.reserving.give_up(&self.sender.inlet);
    }
}

/// See [`Sender::reserve_owned`].
#[must_use = "nothing happens before it is awaited"]
pub struct ReserveOwned<T, S: AsRef<Sender<T>> = super::Sender<T>> {
    reserving: Reserving,
    sender: Option<S>,
    of: PhantomData<fn(T)>,
}

impl<T, S: AsRef<Sender<T>>> ReserveOwned<T, S> {
    pub(super) fn of(sender: S, place: Place) -> Self {
        ReserveOwned {
            reserving: Reserving::new(place),
            sender: Some(sender),
            of: PhantomData,
        }
    }
}

impl<T, S: AsRef<Sender<T>>> Unpin for ReserveOwned<T, S> {}

impl<T, S: AsRef<Sender<T>>> Future for ReserveOwned<T, S> {
    type Output = Result<OwnedPermit<T, S>, SendError<()>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let sender = this.sender.as_ref().expect("polled after it was ready");
        let place = this.reserving.place;
        this.reserving
            .poll(&sender.as_ref().inlet, cx)
            .map_ok(|()| {
                let sender = this.sender.take();
                OwnedPermit::new(sender.expect("it is there until it is ready"), place)
            })
    }
}

impl<T, S: AsRef<Sender<T>>> Drop for ReserveOwned<T, S> {
    fn drop(&mut self) {
        if let Some(sender) = &self.sender {
            self.reserving.give_up(&sender.as_ref().inlet);
        }
    }
}

/// Room for a message, given back when it is dropped: see [`Sender::reserve`].
#[must_use = "the room is given back when it is dropped"]
pub struct Permit<'s, T: 'static> {
    sender: &'s Sender<T>,
    place: Place,
    is_used: bool,
    of: PhantomData<fn(T)>,
}

impl<'s, T: 'static> Permit<'s, T> {
    fn new(sender: &'s Sender<T>, place: Place) -> Self {
        Permit {
            sender,
            place,
            is_used: false,
            of: PhantomData,
        }
    }

    /// Sends; never waits.
    #[track_caller]
    pub fn send(mut self, message: T) {
        self.is_used = true;
        if Task::live("send").is_some() {
            redeem(&self.sender.inlet, message, Location::caller());
        }
    }
}

impl<T: 'static> Drop for Permit<'_, T> {
    fn drop(&mut self) {
        if !self.is_used {
            tell_soon(self.sender.inlet.pipe.door, Return {}, self.place);
        }
    }
}

impl<T: 'static> fmt::Debug for Permit<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Permit")
    }
}

/// Room for a message, given back when it is dropped: see [`Sender::reserve_owned`].
#[must_use = "the room is given back when it is dropped"]
pub struct OwnedPermit<T, S: AsRef<Sender<T>> = super::Sender<T>> {
    /// Until the room is used or given back.
    sender: Option<S>,
    place: Place,
    of: PhantomData<fn(T)>,
}

impl<T, S: AsRef<Sender<T>>> OwnedPermit<T, S> {
    fn new(sender: S, place: Place) -> Self {
        OwnedPermit {
            sender: Some(sender),
            place,
            of: PhantomData,
        }
    }

    /// Takes room if there is some.
    pub(super) fn try_of(sender: S, place: Place) -> Result<Self, TrySendError<S>> {
        match try_reserve(&sender.as_ref().inlet, place) {
            Ok(()) => Ok(OwnedPermit::new(sender, place)),
            Err(TrySendError::Full(())) => Err(TrySendError::Full(sender)),
            Err(TrySendError::Closed(())) => Err(TrySendError::Closed(sender)),
        }
    }

    /// Sends, never waits, and gives the sender back.
    #[track_caller]
    pub fn send(mut self, message: T) -> S
    where
        T: 'static,
    {
        let sender = self.sender.take().expect("the room was not used");
        if Task::live("send").is_some() {
            redeem(&sender.as_ref().inlet, message, Location::caller());
        }
        sender
    }

    /// Gives the room back, and the sender.
    pub fn release(mut self) -> S {
        let sender = self.sender.take().expect("the room was not used");
        tell_soon(sender.as_ref().inlet.pipe.door, Return {}, self.place);
        sender
    }
}

impl<T, S: AsRef<Sender<T>>> Drop for OwnedPermit<T, S> {
    fn drop(&mut self) {
        if let Some(sender) = &self.sender {
            tell_soon(sender.as_ref().inlet.pipe.door, Return {}, self.place);
        }
    }
}

impl<T, S: AsRef<Sender<T>>> fmt::Debug for OwnedPermit<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnedPermit")
    }
}
