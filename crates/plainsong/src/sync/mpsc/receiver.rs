//! The receiving end of a channel.
//!
//! To receive without waiting is to ask whether there is a message [*now*](crate::now): the receiver marks the
//! moment and reads what comes first. If that is the mark, the channel was empty at that point. Then
//! it asks the `tracker` whether all senders were dropped. If so, everything that was ever sent is there,
//! and an ordinary receive gets it, or the end. If not, the channel was empty and open at that point.

use super::bounded::{Demand, Now as OfferNow, Offer, ReceiverGone, TryDemand};
use super::hang_up::hang_up;
use super::link::Link;
use super::tracker::{AllGone, AskGone, Closed};
use super::{RecvError, RecvTimeoutError, TryRecvError};
use crate::message::{Parcel, assert_copying};
use crate::now::mark;
use crate::pattern::Arm;
use crate::process::Process;
use crate::receive::take;
use crate::sync::server::{Place, answer_or, content, tell, tell_soon, ticket};
use crate::task::Task;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::time::Duration;

/// The receiving end of a channel: see [`std::sync::mpsc::Receiver`].
///
/// It can be handed on, also in messages and in what a lock protects, which is why it is `Clone`; whoever clones
/// it otherwise is told so.
pub struct Receiver<T> {
    link: Link,
    is_closed: Cell<bool>,
    /// How many messages were received.
    received: Cell<usize>,
    of: PhantomData<fn() -> T>,
}

impl<T: 'static> Receiver<T> {
    pub(super) fn of(link: Link) -> Self {
        Receiver {
            link,
            is_closed: Cell::new(false),
            received: Cell::new(0),
            of: PhantomData,
        }
    }

    /// Waits for a message.
    ///
    /// # Errors
    ///
    /// When the channel is empty and all senders were dropped.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        self.receive(Location::caller()).ok_or(RecvError)
    }

    /// Takes a message if there is one.
    ///
    /// # Errors
    ///
    /// When the channel is empty.
    ///
    /// ```
    /// use plainsong::sync::mpsc::{channel, TryRecvError};
    ///
    /// plainsong::explore(|| {
    ///     let (sender, receiver) = channel();
    ///     assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    ///     sender.send(1).unwrap();
    ///     assert_eq!(receiver.try_recv(), Ok(1)); // it is there
    ///     drop(sender);
    ///     assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
    /// })
    /// .assert_holds();
    /// ```
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.try_receive(Location::caller())
    }

    /// Waits for a message, but not for ever: if one may come in time or too late, both are explored.
    ///
    /// # Errors
    ///
    /// When the time is over, or the channel is empty and all senders were dropped.
    #[track_caller]
    pub fn recv_timeout(&self, _timeout: Duration) -> Result<T, RecvTimeoutError> {
        self.try_receive(Location::caller())
            .map_err(|error| match error {
                TryRecvError::Empty => RecvTimeoutError::Timeout,
                TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
            })
    }

    /// Messages, until all senders are dropped.
    #[track_caller]
    pub fn iter(&self) -> Iter<'_, T> {
        let place = Location::caller();
        let receiver = self;
        Iter { receiver, place }
    }

    /// Messages, as long as there are any.
    #[track_caller]
    pub fn try_iter(&self) -> TryIter<'_, T> {
        let place = Location::caller();
        let receiver = self;
        TryIter { receiver, place }
    }

    fn receive(&self, place: Place) -> Option<T> {
        if self.is_closed.get() {
            return None;
        }
        if let Some((server, _)) = self.link.bounded {
            tell(server, Demand {}, place);
        }
        self.next(&[self.arm::<Parcel<T>>(), self.arm::<Closed>()], place)
    }

    fn try_receive(&self, place: Place) -> Result<T, TryRecvError> {
        if self.is_closed.get() {
            return Err(TryRecvError::Disconnected);
        }
        let found = match self.link.bounded {
            Some((server, bound)) => self.ask(server, bound, place),
            None => self.look(place),
        };
        if let Some(message) = found {
            return Ok(message);
        }
        tell(self.link.tracker, AskGone {}, place);
        let gone = answer_or(self.link.tracker, "", AllGone { yes: true }, place);
        if !content::<AllGone>(&gone).yes {
            return Err(TryRecvError::Empty);
        }
        // All senders are gone, but there may be messages that came since.
        self.receive(place).ok_or(TryRecvError::Disconnected)
    }

    /// What there is now.
    fn look(&self, place: Place) -> Option<T> {
        let Some(task) = Task::live("recv") else {
            Task::note_ghost();
            return None;
        };
        let now = mark(&task, self.link.data, place);
        self.next(&[self.arm::<Parcel<T>>(), now], place)
    }

    /// What there is now in a channel with a bound.
    fn ask(&self, server: Process, bound: usize, place: Place) -> Option<T> {
        let (ticket, received) = (ticket(), self.received.get());
        tell(server, TryDemand { ticket, received }, place);
        if bound == 0 {
            tell(server, OfferNow { ticket }, place);
        }
        let nothing = Offer { is_coming: false };
        let offer = answer_or(server, "", nothing, place);
        match content::<Offer>(&offer).is_coming {
            true => self.next(&[self.arm::<Parcel<T>>()], place),
            false => None,
        }
    }

    fn arm<M: 'static>(&self) -> Arm {
        Arm {
            about: Some(("a message on ", self.shown())),
            ..Arm::typed::<M>(self.link.data)
        }
    }

    /// The process that has the channel's name.
    fn shown(&self) -> Process {
        self.link
            .bounded
            .map_or(self.link.tracker, |(server, _)| server)
    }

    /// The next message that one of the arms accepts, if it has a value.
    fn next(&self, arms: &[Arm], place: Place) -> Option<T> {
        let Some(task) = Task::live("recv") else {
            Task::note_ghost();
            return None;
        };
        let message = take(&task, arms, place, true).expect("a receive that waits gets a message");
        if message.is::<Closed>() {
            self.is_closed.set(true);
        }
        let found = message.get::<Parcel<T>>().map(Parcel::open);
        let received = self.received.get() + usize::from(found.is_some());
        self.received.set(received);
        found
    }
}

impl<T> Clone for Receiver<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        assert_copying("mpsc::Receiver");
        Receiver {
            link: self.link.clone(),
            is_closed: self.is_closed.clone(),
            received: self.received.clone(),
            of: PhantomData,
        }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        match self.link.bounded {
            Some((server, _)) => tell_soon(server, ReceiverGone {}, self.link.place),
            None => hang_up(&self.link),
        }
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Receiver({:?})", self.link)
    }
}

impl<'a, T: 'static> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    #[track_caller]
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T: 'static> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    #[track_caller]
    fn into_iter(self) -> IntoIter<T> {
        let place = Location::caller();
        let receiver = self;
        IntoIter { receiver, place }
    }
}

/// Messages of a [`Receiver`], until all senders are dropped.
#[derive(Debug)]
pub struct Iter<'a, T> {
    receiver: &'a Receiver<T>,
    place: Place,
}

impl<T: 'static> Iterator for Iter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.receiver.receive(self.place)
    }
}

/// Messages of a [`Receiver`], as long as there are any.
#[derive(Debug)]
pub struct TryIter<'a, T> {
    receiver: &'a Receiver<T>,
    place: Place,
}

impl<T: 'static> Iterator for TryIter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.receiver.try_receive(self.place).ok()
    }
}

/// Messages of a [`Receiver`] that nobody else has, until all senders are dropped.
#[derive(Debug)]
pub struct IntoIter<T> {
    receiver: Receiver<T>,
    place: Place,
}

impl<T: 'static> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.receiver.receive(self.place)
    }
}
