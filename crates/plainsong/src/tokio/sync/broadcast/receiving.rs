//! The receiving end of a broadcast channel.

use super::Hub;
use super::error::{RecvError, TryRecvError};
use super::serving::{End, Item, Leave, Open, Reached, Seat, subscribe};
use crate::channel::mailbox;
use crate::future::{Awaited, Quiet};
use crate::message::{Envelope, assert_copying};
use crate::now::look;
use crate::pattern::Arm;
use crate::sync::server::{Place, content, tell, tell_soon};
use crate::task::Task;
use crate::tokio::sync::post::{request, request_or, wait};
use crate::tokio::sync::watchman::{AskGone, Whether};
use plainsong_explore::Mailbox;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

/// Gets every value that is sent, from when it [subscribed](super::Sender::subscribe) on.
///
/// It can be handed on, also in messages and in what a lock protects, which is why it is `Clone`; whoever clones
/// it otherwise is told so. Another one is made by [`resubscribe`](Receiver::resubscribe).
pub struct Receiver<T: Clone + 'static> {
    hub: Hub,
    inbox: Mailbox,
    number: u32,
    made_at: Place,
    /// The place of the next value.
    next: u32,
    /// How many places there will be, when that is known.
    end: Option<u32>,
    /// Everybody's copies before this place were sent.
    opened: u32,
    /// Copies that have come, by place.
    copies: BTreeMap<u32, Rc<Envelope>>,
    of: PhantomData<fn() -> T>,
}

impl<T: Clone + 'static> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Receiver({})", self.hub.server)
    }
}

impl<T: Clone + 'static> Clone for Receiver<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        assert_copying("broadcast::Receiver");
        Receiver {
            hub: self.hub,
            inbox: self.inbox,
            number: self.number,
            made_at: self.made_at,
            next: self.next,
            end: self.end,
            opened: self.opened,
            copies: self.copies.clone(),
            of: PhantomData,
        }
    }
}

impl<T: Clone + 'static> Receiver<T> {
    pub(super) fn new(hub: Hub, inbox: Mailbox, seat: Rc<Envelope>, made_at: Place) -> Self {
        let seat = content::<Seat>(&seat);
        Receiver {
            hub,
            inbox,
            number: seat.number,
            made_at,
            next: seat.tail,
            end: seat.is_last.then_some(seat.tail),
            opened: 0,
            copies: BTreeMap::new(),
            of: PhantomData,
        }
    }

    /// Waits for the next value.
    ///
    /// # Errors
    ///
    /// When there will be none, or some were overwritten before they were received.
    ///
    /// ```
    /// use plainsong::tokio::{self, sync::broadcast, sync::broadcast::error::RecvError};
    ///
    /// plainsong::explore(|| {
    ///     tokio::block_on(async {
    ///         let (sender, mut receiver) = broadcast::channel(2);
    ///         for n in 0..5 {
    ///             sender.send(n).unwrap();
    ///         }
    ///         drop(sender);
    ///         assert_eq!(receiver.recv().await, Err(RecvError::Lagged(3)));
    ///         assert_eq!(receiver.recv().await, Ok(3));
    ///         assert_eq!(receiver.recv().await, Ok(4));
    ///         assert_eq!(receiver.recv().await, Err(RecvError::Closed));
    ///     });
    /// })
    /// .assert_holds();
    /// ```
    #[track_caller]
    pub fn recv(&mut self) -> Recv<'_, T> {
        Recv {
            receiver: self,
            place: Location::caller(),
            awaited: None,
        }
    }

    /// Takes the next value if it is there.
    ///
    /// # Errors
    ///
    /// When there is none now, or never, or some were overwritten before they were received.
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        let place = Location::caller();
        let Some(task) = Task::live("try_recv") else {
            return Err(TryRecvError::Empty);
        };
        if !self.copies.contains_key(&self.next) && self.end.is_none() {
            let copy = self.look_for(&task, self.next, place);
            match copy {
                Some(copy) => drop(self.copies.insert(self.next, copy)),
                None => {
                    let watchman = self.hub.watchman;
                    let answer = request::<_, Whether>(watchman, AskGone {}, "", place);
                    self.end = content::<Whether>(&answer).places;
                    if self.end.is_none() {
                        return Err(TryRecvError::Empty);
                    }
                }
            }
        }
        // What is still to come is in flight.
        Ok(self.receive(&task, place)?)
    }

    /// Waits for the next value, outside of async code.
    ///
    /// # Errors
    ///
    /// As [`recv`](Receiver::recv).
    #[track_caller]
    pub fn blocking_recv(&mut self) -> Result<T, RecvError> {
        let place = Location::caller();
        match Task::live("blocking_recv") {
            Some(task) => self.receive(&task, place),
            None => {
                Task::note_ghost();
                Err(RecvError::Closed)
            }
        }
    }

    /// How many values were sent that it has still to receive, with those that were overwritten.
    #[track_caller]
    pub fn len(&self) -> usize {
        let (tail, ..) = self.hub.ask(Location::caller());
        tail.saturating_sub(self.next) as usize
    }

    /// Has it received everything that was sent?
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Are all senders gone?
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        let (watchman, gone) = (self.hub.watchman, Whether { places: Some(0) });
        let answer = request_or(watchman, AskGone {}, "", gone, Location::caller());
        content::<Whether>(&answer).places.is_some()
    }

    /// Another receiver: it gets what is sent from now on.
    #[track_caller]
    pub fn resubscribe(&self) -> Self {
        let place = Location::caller();
        let inbox = mailbox();
        let seat = subscribe(self.hub.server, inbox, place);
        Receiver::new(self.hub, inbox, seat, place)
    }

    /// Do both receive from the same channel?
    pub fn same_channel(&self, other: &Self) -> bool {
        self.hub == other.hub
    }

    fn is_at_end(&self) -> bool {
        self.end.is_some_and(|end| end <= self.next)
    }

    /// Waits for the next copy, and takes it.
    fn receive(&mut self, task: &Task, place: Place) -> Result<T, RecvError> {
        while !self.copies.contains_key(&self.next) {
            if self.is_at_end() {
                return Err(RecvError::Closed);
            }
            let news = wait(task, self.next_arm(), place);
            self.accept(news);
        }
        self.take(task, place)
    }

    /// The copy at the next place, or the news that there are no more.
    fn next_arm(&self) -> Arm {
        let (next, knows_the_end) = (self.next, self.end.is_some());
        let is_it = move |message: &Envelope| match at::<T>(message) {
            Some(place) => place == next,
            None => !knows_the_end && message.is::<End>(),
        };
        let (arm, watchman) = (self.arm(is_it), self.hub.watchman);
        match knows_the_end {
            true => arm,
            false => arm.asking(move |place| {
                let answer = request::<_, Whether>(watchman, AskGone {}, "", place);
                content::<Whether>(&answer).places.is_some()
            }),
        }
    }

    fn arm(&self, is_it: impl Fn(&Envelope) -> bool + 'static) -> Arm {
        Arm {
            filter: Some(Rc::new(is_it)),
            shown: Some(std::any::type_name::<T>()),
            is_in_memory: true,
            ..Arm::anything(self.inbox)
        }
    }

    fn accept(&mut self, news: Rc<Envelope>) {
        match at::<T>(&news) {
            Some(place) => drop(self.copies.insert(place, news)),
            None => drop(self.end.get_or_insert(content::<End>(&news).places)),
        }
    }

    /// The copy at a place, if it was sent: the server sends them in the order of their places.
    fn look_for(&self, task: &Task, wanted: u32, place: Place) -> Option<Rc<Envelope>> {
        let copy = self.arm(move |message| at::<T>(message) == Some(wanted));
        look(task, copy, place)
    }

    /// Takes the value of the next copy, unless it was overwritten.
    fn take(&mut self, task: &Task, place: Place) -> Result<T, RecvError> {
        let newest = self.newest(task, place);
        self.wait_until_open(task, newest, place);
        let oldest = (newest + 1).saturating_sub(self.hub.capacity);
        let missed = oldest.saturating_sub(self.next);
        let result = if missed > 0 {
            self.next = oldest;
            self.copies = self.copies.split_off(&oldest);
            Err(RecvError::Lagged(u64::from(missed)))
        } else {
            let copy = self.copies.remove(&self.next);
            let copy = copy.expect("its turn came because it is there");
            self.next += 1;
            Ok(content::<Item<T>>(&copy).value.open())
        };
        let reached = Reached {
            number: self.number,
            place: self.next,
        };
        tell(self.hub.server, reached, place);
        result
    }

    /// The place of the next copy, or of the newest one if that overwrites it.
    fn newest(&mut self, task: &Task, place: Place) -> u32 {
        let mut newest = self.next;
        let mut at = self.next.saturating_add(self.hub.capacity);
        while self.copies.contains_key(&at)
            || self
                .look_for(task, at, place)
                .map(|copy| self.copies.insert(at, copy))
                .is_some()
        {
            newest = at;
            at += 1;
        }
        newest
    }

    /// Waits until everybody's copy of a value was sent.
    fn wait_until_open(&mut self, task: &Task, place: u32, location: Place) {
        if place < self.opened {
            return;
        }
        self.opened = place + 1;
        let is_it = move |message: &Envelope| {
            let open = message.get::<Open>();
            open.is_some_and(|open| open.place == place)
        };
        let arm = Arm {
            silent: true,
            ..self.arm(is_it)
        };
        wait(task, arm, location);
    }
}

/// The place of a copy.
fn at<T: Clone + 'static>(message: &Envelope) -> Option<u32> {
    message.get::<Item<T>>().map(|item| item.place)
}

impl<T: Clone + 'static> Drop for Receiver<T> {
    fn drop(&mut self) {
        let number = self.number;
        tell_soon(self.hub.server, Leave { number }, self.made_at);
    }
}

/// See [`Receiver::recv`].
#[must_use = "nothing is received before it is awaited"]
pub struct Recv<'r, T: Clone + 'static> {
    receiver: &'r mut Receiver<T>,
    place: Place,
    awaited: Option<Awaited>,
}

impl<T: Clone + 'static> Future for Recv<'_, T> {
    type Output = Result<T, RecvError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let place = self.place;
        while !self.receiver.copies.contains_key(&self.receiver.next) {
            if self.receiver.is_at_end() {
                return Poll::Ready(Err(RecvError::Closed));
            }
            let arm = self.receiver.next_arm();
            let awaited = self
                .awaited
                .get_or_insert_with(|| Awaited::message(arm, place));
            let Poll::Ready(news) = awaited.poll_message(cx) else {
                return Poll::Pending;
            };
            self.awaited = None;
            self.receiver.accept(news);
        }
        let task = Task::current("recv");
        Poll::Ready(self.receiver.take(&task, place))
    }
}

impl<T: Clone + 'static> Quiet for Recv<'_, T> {
    fn waits(&self) -> bool {
        let receiver = &self.receiver;
        !receiver.is_at_end() && !receiver.copies.contains_key(&receiver.next)
    }
}
