//! The receiving end of a queue.
//!
//! Messages are taken by their places, so those that were sent at the same time come in the order that
//! the door has decided, once. Only [`Receiver::try_recv`] looks at what has come before its turn: then the
//! queue is not empty, and it waits for the message at the next place, whose sender has its place already. The end of
//! the queue is known when all senders are gone or it was closed. After it was closed `try_recv` does not wait for those
//! who had room before and have not sent yet: the queue is empty now, and will not be for ever.

use super::door::{Abandon, AskLength, Close, Final, Length, Skipped, Taken};
use super::error::TryRecvError;
use super::{Pipe, request, request_or};
use crate::future::{Awaited, Quiet};
use crate::message::{Envelope, Parcel, Value, assert_copying};
use crate::now::{Now, look};
use crate::pattern::Arm;
use crate::sync::server::{Place, content, tell, tell_soon};
use crate::task::Task;
use crate::tokio::sync::post::wait;
use crate::tokio::sync::watchman::{AllGone, AskGone, Whether};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

/// A message at its place.
pub(super) struct Queued<T: 'static> {
    pub(super) message: Parcel<T>,
    pub(super) place: u32,
}

impl<T: 'static> Value for Queued<T> {
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message.show(f)
    }

    fn duplicate(&self) -> Option<Box<dyn Value>> {
        self.message.duplicate()
    }
}

macro_rules! receivers {
    ($($(#[$doc:meta])* $receiver:ident $recv:ident $name:literal)*) => {$(
        $(#[$doc])*
        pub struct $receiver<T: 'static>(Queue<T>);

        impl<T: 'static> $receiver<T> {
            pub(super) fn new(pipe: Pipe) -> Self {
                $receiver(Queue::new(pipe))
            }

            /// Waits for the next message; none when there will be no more.
            #[track_caller]
            pub fn recv(&mut self) -> $recv<'_, T> {
                $recv {
                    queue: &mut self.0,
                    place: Location::caller(),
                    awaited: None,
                }
            }

            /// Takes the next message if it is there.
            ///
            /// # Errors
            ///
            /// That there is none now, or never.
            #[track_caller]
            pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
                self.0.try_recv(Location::caller())
            }

            /// Waits for the next message, outside of async code; none when there will be no more.
            #[track_caller]
            pub fn blocking_recv(&mut self) -> Option<T> {
                self.0.blocking_recv(Location::caller())
            }

            /// Lets no more messages in; those that are there can still be received, and those that room
            /// was reserved for before.
            #[track_caller]
            pub fn close(&mut self) {
                self.0.close(Location::caller());
            }

            /// How many messages are there.
            #[track_caller]
            pub fn len(&self) -> usize {
                self.0.len(Location::caller())
            }

            /// Is there no message?
            #[track_caller]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Were all senders dropped, or was it closed?
            #[track_caller]
            pub fn is_closed(&self) -> bool {
                self.0.is_closed(Location::caller())
            }
        }

        impl<T: 'static> Clone for $receiver<T> {
            #[track_caller]
            fn clone(&self) -> Self {
                assert_copying($name);
                $receiver(self.0.copied())
            }
        }

        impl<T: 'static> fmt::Debug for $receiver<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($name)
            }
        }

        /// A message to come.
        #[must_use = "nothing is received before it is awaited"]
        pub struct $recv<'r, T: 'static> {
            queue: &'r mut Queue<T>,
            place: Place,
            awaited: Option<Awaited>,
        }

        impl<T: 'static> Future for $recv<'_, T> {
            type Output = Option<T>;

            fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
                loop {
                    if self.queue.is_at_end() {
                        return Poll::Ready(None);
                    }
                    if let Some(early) = self.queue.come_early() {
                        let place = self.place;
                        match self.queue.accept(&early, place) {
                            Some(message) => return Poll::Ready(Some(message)),
                            None => continue,
                        }
                    }
                    let (arm, place) = (self.queue.next_arm(), self.place);
                    let awaited = self
                        .awaited
                        .get_or_insert_with(|| Awaited::message(arm, place));
                    let Poll::Ready(message) = awaited.poll_message(cx) else {
                        return Poll::Pending;
                    };
                    self.awaited = None;
                    if let Some(message) = self.queue.accept(&message, place) {
                        return Poll::Ready(Some(message));
                    }
                }
            }
        }

        impl<T: 'static> Quiet for $recv<'_, T> {
            fn waits(&self) -> bool {
                !self.queue.is_at_end() && !self.queue.early.contains_key(&self.queue.next)
            }
        }
    )*};
}

receivers! {
    /// Receives from a [`channel`](super::channel).
    ///
    /// It can be handed on, also in messages and in what a lock protects, which is why it is `Clone`; whoever
    /// clones it otherwise is told so.
    Receiver Recv "Receiver"
    /// Receives from an [`unbounded_channel`](super::unbounded_channel). It is `Clone` as [`Receiver`] is.
    UnboundedReceiver UnboundedRecv "UnboundedReceiver"
}

/// The receiver's view of a queue.
pub(super) struct Queue<T: 'static> {
    pipe: Pipe,
    /// The place of the next message.
    next: u32,
    /// How many places there will be, when that is known.
    end: Cell<Option<u32>>,
    is_closed: bool,
    /// Messages before this place had it when the queue was closed.
    placed: u32,
    /// Messages before this place were counted: they are there, or in flight.
    counted: Cell<u32>,
    /// Messages that have come before their turn, by place.
    early: BTreeMap<u32, Rc<Envelope>>,
    of: PhantomData<fn() -> T>,
}

macro_rules! several {
    ($($receiver:ident)*) => {$(
        impl<T: 'static> $receiver<T> {
            /// Waits for a message, and takes those that are there, up to a limit; returns how many. None when there
            /// will be no more, or none are wanted.
            ///
            /// ```
            /// use plainsong::tokio::{self, sync::mpsc};
            ///
            /// plainsong::explore(|| {
            ///     tokio::block_on(async {
            ///         let (sender, mut receiver) = mpsc::unbounded_channel();
            ///         (1..=3).for_each(|n| sender.send(n).unwrap());
            ///         drop(sender);
            ///         let mut seen = Vec::new();
            ///         assert_eq!(receiver.recv_many(&mut seen, 2).await, 2);
            ///         assert_eq!(receiver.recv_many(&mut seen, 2).await, 1);
            ///         assert_eq!(receiver.recv_many(&mut seen, 2).await, 0);
            ///         assert_eq!(seen, [1, 2, 3]);
            ///     });
            /// })
            /// .assert_holds();
            /// ```
            #[track_caller]
            pub fn recv_many(
                &mut self,
                buffer: &mut Vec<T>,
                limit: usize,
            ) -> impl Future<Output = usize> {
                let place = Location::caller();
                async move {
                    if limit == 0 {
                        return 0;
                    }
                    let Some(first) = self.recv().await else {
                        return 0;
                    };
                    buffer.push(first);
                    let mut count = 1;
                    while count < limit
                        && let Ok(message) = self.0.try_recv(place)
                    {
                        buffer.push(message);
                        count += 1;
                    }
                    count
                }
            }
        }
    )*};
}

several!(Receiver UnboundedReceiver);

impl<T: 'static> Queue<T> {
    fn new(pipe: Pipe) -> Self {
        Queue {
            pipe,
            next: 0,
            end: Cell::new(None),
            is_closed: false,
            placed: 0,
            counted: Cell::new(0),
            early: BTreeMap::new(),
            of: PhantomData,
        }
    }

    /// The same queue, in a copy of a message.
    fn copied(&self) -> Self {
        Queue {
            pipe: self.pipe,
            next: self.next,
            end: self.end.clone(),
            is_closed: self.is_closed,
            placed: self.placed,
            counted: self.counted.clone(),
            early: self.early.clone(),
            of: PhantomData,
        }
    }

    /// There will be so many places.
    fn ends_at(&self, places: u32) {
        self.end.set(self.end.get().or(Some(places)));
    }

    fn is_at_end(&self) -> bool {
        // Places at the end may have been given up.
        self.end.get().is_some_and(|end| end <= self.next)
    }

    /// What comes at the next place, or the news that all senders are gone.
    fn next_arm(&self) -> Arm {
        let next = self.next;
        let arm = self.arm(move |place| place.is_none_or(|place| place == next));
        if self.end.get().is_some() {
            return arm;
        }
        let (Pipe { door, watchman, .. }, is_closed) = (self.pipe, self.is_closed);
        arm.asking(move |place| match is_closed {
            true => {
                let answer = request::<_, Length>(door, AskLength {}, "", place);
                content::<Length>(&answer).is_final
            }
            false => {
                let answer = request::<_, Whether>(watchman, AskGone {}, "", place);
                content::<Whether>(&answer).places.is_some()
            }
        })
    }

    /// What comes at some places; none stands for the news that all senders are gone.
    fn arm(&self, is_place: impl Fn(Option<u32>) -> bool + 'static) -> Arm {
        let filter =
            move |message: &Envelope| !message.is::<Now>() && is_place(place::<T>(message));
        Arm {
            filter: Some(Rc::new(filter)),
            shown: Some(std::any::type_name::<T>()),
            is_in_memory: true,
            ..Arm::anything(self.pipe.inbox)
        }
    }

    /// What a message means: none if it was no message of the user's.
    fn accept(&mut self, envelope: &Envelope, place: Place) -> Option<T> {
        if envelope.is::<AllGone>() {
            self.ends_at(content::<AllGone>(envelope).places);
            return None;
        }
        if envelope.is::<Final>() {
            self.ends_at(content::<Final>(envelope).places);
            return None;
        }
        self.next += 1;
        let queued = envelope.get::<Queued<T>>()?;
        if self.pipe.room.is_some() {
            tell(self.pipe.door, Taken {}, place);
        }
        Some(queued.message.open())
    }

    fn blocking_recv(&mut self, place: Place) -> Option<T> {
        let Some(task) = Task::live("blocking_recv") else {
            Task::note_ghost();
            return None;
        };
        while !self.is_at_end() {
            let envelope = match self.come_early() {
                Some(envelope) => envelope,
                None => wait(&task, self.next_arm(), place),
            };
            if let Some(message) = self.accept(&envelope, place) {
                return Some(message);
            }
        }
        None
    }

    /// What comes at the next place, if it has come before its turn.
    fn come_early(&mut self) -> Option<Rc<Envelope>> {
        self.early.remove(&self.next)
    }

    /// Waits for what comes at the next place.
    fn at_next(&mut self, task: &Task, place: Place) -> Rc<Envelope> {
        let next = self.next;
        match self.come_early() {
            Some(envelope) => envelope,
            None => wait(task, self.arm(move |place| place == Some(next)), place),
        }
    }

    fn try_recv(&mut self, place: Place) -> Result<T, TryRecvError> {
        let Some(task) = Task::live("try_recv") else {
            return Err(TryRecvError::Empty);
        };
        loop {
            if self.is_at_end() {
                return Err(TryRecvError::Disconnected);
            }
            if self.end.get().is_some() && !self.is_closed {
                // All senders are gone, so everything was sent.
                return self.blocking_recv(place).ok_or(TryRecvError::Disconnected);
            }
            let is_coming = self.next < self.counted.get() || !self.early.is_empty();
            if is_coming || self.look_for_one(&task, place) {
                let envelope = self.at_next(&task, place);
                match self.accept(&envelope, place) {
                    Some(message) => return Ok(message),
                    None => continue,
                }
            }
            // Nothing is there now.
            if self.end.get().is_none() {
                self.ask_for_the_end(place);
            }
            let is_certain = self.end.get().is_some() || self.next < self.counted.get();
            if !self.is_at_end() && (self.is_closed || !is_certain) {
                return Err(TryRecvError::Empty);
            }
        }
    }

    /// Was a message sent by now? It is not lost if it is not its turn: then the one before it is coming.
    fn look_for_one(&mut self, task: &Task, at: Place) -> bool {
        let next = self.next;
        let found = look(task, self.arm(move |place| place >= Some(next)), at);
        if let Some(found) = &found
            && let Some(place) = place::<T>(found)
        {
            self.early.insert(place, Rc::clone(found));
        }
        found.is_some()
    }

    /// Asks whether it is known how many places there will be.
    fn ask_for_the_end(&mut self, place: Place) {
        if self.is_closed {
            self.ask_length(place);
        } else {
            let (watchman, gone) = (self.pipe.watchman, Whether { places: Some(0) });
            let answer = request_or(watchman, AskGone {}, "", gone, place);
            self.end.set(content::<Whether>(&answer).places);
        }
    }

    fn close(&mut self, place: Place) {
        if self.end.get().is_none() && !self.is_closed && Task::live("close").is_some() {
            let answer = request::<_, Length>(self.pipe.door, Close {}, "", place);
            let length = content::<Length>(&answer);
            self.end.set(length.is_final.then_some(length.places));
            self.placed = length.places;
            self.is_closed = true;
        }
    }

    fn len(&self, place: Place) -> usize {
        let places = self.ask_length(place);
        self.counted.set(places);
        places.saturating_sub(self.next) as usize
    }

    /// How many places were given; notes whether there will be more.
    fn ask_length(&self, place: Place) -> u32 {
        let nothing = Length {
            places: 0,
            is_final: true,
        };
        let answer = request_or(self.pipe.door, AskLength {}, "", nothing, place);
        let &Length { places, is_final } = content::<Length>(&answer);
        if is_final {
            self.end.set(Some(places));
        }
        places
    }

    fn is_closed(&self, place: Place) -> bool {
        if self.is_closed || self.end.get().is_some() {
            return true;
        }
        let (watchman, gone) = (self.pipe.watchman, Whether { places: Some(0) });
        let answer = request_or(watchman, AskGone {}, "", gone, place);
        content::<Whether>(&answer).places.is_some()
    }
}

/// The place of a message, or of one that will not come.
fn place<T: 'static>(message: &Envelope) -> Option<u32> {
    let queued = message.get::<Queued<T>>().map(|queued| queued.place);
    queued.or_else(|| message.get::<Skipped>().map(|skipped| skipped.place))
}

impl<T: 'static> Drop for Queue<T> {
    /// Messages that are left are dropped too, if that makes a difference.
    fn drop(&mut self) {
        if Task::of_destructor().is_none() {
            return;
        }
        let made_at = self.pipe.made_at;
        if !std::mem::needs_drop::<T>() || std::thread::panicking() {
            if self.end.get().is_none() && !self.is_closed {
                tell_soon(self.pipe.door, Abandon {}, made_at);
            }
            return;
        }
        self.close(made_at);
        // What room was reserved for may never come.
        while self.next < self.end.get().unwrap_or(self.placed) {
            let Some(task) = Task::of_destructor() else {
                return;
            };
            let envelope = self.at_next(&task, made_at);
            drop(self.accept(&envelope, made_at));
        }
    }
}
