//! A value that many watch: each sees the newest, perhaps not every one.
//!
//! The server keeps the value and its version. A [`Receiver`] knows which version it has seen and asks
//! for a newer one; the server looks at such a request only when it has one, or when there will be none.
//! Where somebody can tell whether there is one at the first poll (in `select!`, `join!`, a timeout), it
//! is asked for the value first.
//!
//! NOT COVERED. `Sender::closed` and the like are not there. A [`Ref`] is a copy:
//! it does not keep senders from sending.

mod told;

use super::post::{answer, ask, request};
use crate::future::Awaited;
use crate::ghosts::{keep_first, leave, value_of};
use crate::message::{Envelope, Parcel, is_copying};
use crate::pattern::Arm;
use crate::process::Process;
use crate::sync::server::{Desk, Place, content, protocol, start, tell, tell_soon};
use crate::task::Task;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
pub use told::Sender;

protocol! {
    /// A new value; answered by [`Seen`].
    Put<T> { value: Parcel<T>, needs_receivers: bool } Plumbing "send"
    /// Wants the value alone, to change it; answered by [`Seen`], followed by [`Back`].
    Modify {} Plumbing "modify"
    /// The value comes back.
    Back<T> { value: Parcel<T>, is_modified: bool } Plumbing "modified"
    /// What is the value? Answered by [`Seen`].
    Get {} Plumbing "borrow"
    /// Is there a newer version than this? Answered by [`Seen`] when there is, or never will be.
    Newer { than: u32 } Plumbing "changed"
    /// One more receiver.
    Join {} Plumbing "subscribe"
    /// One receiver less.
    Leave {} Plumbing "dropped"
    /// The sender was dropped.
    Gone {} Plumbing "dropped"
    /// The value and its version, how many receivers there are, and whether there is a sender.
    Seen<T> { value: Parcel<T>, version: u32, receivers: u32, has_sender: bool } Plumbing "value"
}

/// A value to be watched.
///
/// ```
/// use plainsong::tokio::{self, sync::watch};
///
/// plainsong::explore(|| {
///     tokio::block_on(async {
///         let (sender, mut receiver) = watch::channel("starting");
///         tokio::spawn(async move { sender.send("ready").unwrap() });
///         receiver.changed().await.unwrap();
///         assert_eq!(*receiver.borrow(), "ready");
///         assert!(receiver.changed().await.is_err()); // the sender is gone
///     });
/// })
/// .assert_holds();
/// ```
#[track_caller]
pub fn channel<T: 'static>(value: T) -> (Sender<T>, Receiver<T>) {
    Task::insist("watch::channel");
    let (sender, receiver) = make(value, Location::caller());
    (Sender::over(sender), receiver)
}

fn make<T: 'static>(value: T, place: Place) -> (AnySender<T>, Receiver<T>) {
    let value = Parcel::new(value);
    let first = Seen {
        value: value.clone(),
        version: 0,
        receivers: 1,
        has_sender: true,
    };
    let serve = move |desk: &Desk| {
        let mut server = Server {
            desk,
            value,
            version: 0,
            receivers: 1,
            has_sender: true,
        };
        loop {
            let request = desk.next(&server.arms());
            server.serve(&request);
        }
    };
    let server = start("watch", None, place, serve);
    keep_first(server, first, place);
    let sender = AnySender {
        server,
        place,
        of: PhantomData,
    };
    let receiver = Receiver {
        server,
        place,
        seen: Cell::new(0),
        of: PhantomData,
    };
    (sender, receiver)
}

/// Changes the value.
pub struct AnySender<T> {
    server: Process,
    place: Place,
    of: PhantomData<fn(T)>,
}

impl<T> fmt::Debug for AnySender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sender({})", self.server)
    }
}

impl<T: 'static> AnySender<T> {
    /// Changes the value and tells the receivers.
    ///
    /// # Errors
    ///
    /// The value, when there are no receivers.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), error::SendError<T>> {
        let value = Parcel::new(value);
        let answer = self.put(value.clone(), true, Location::caller());
        match content::<Seen<T>>(&answer).receivers {
            0 => Err(error::SendError(value.open())),
            _ => Ok(()),
        }
    }

    /// Changes the value, whoever receives; returns the old one.
    #[track_caller]
    pub fn send_replace(&self, value: T) -> T {
        let answer = self.put(Parcel::new(value), false, Location::caller());
        content::<Seen<T>>(&answer).value.open()
    }

    /// The value.
    #[track_caller]
    pub fn borrow(&self) -> Ref<T> {
        let answer = get::<T>(self.server, Location::caller());
        Ref(seen::<T>(&answer).value.share())
    }

    /// Changes the value in place and tells the receivers.
    ///
    /// ```
    /// use plainsong::tokio::{self, sync::watch};
    ///
    /// plainsong::explore(|| {
    ///     tokio::block_on(async {
    ///         let (sender, mut receiver) = watch::channel(1);
    ///         sender.send_modify(|n| *n += 1);
    ///         assert!(!sender.send_if_modified(|_| false));
    ///         assert_eq!(*receiver.wait_for(|n| *n > 1).await.unwrap(), 2);
    ///     });
    /// })
    /// .assert_holds();
    /// ```
    #[track_caller]
    pub fn send_modify(&self, change: impl FnOnce(&mut T)) {
        self.change(Location::caller(), |value| {
            change(value);
            true
        });
    }

    /// Changes the value in place, and tells the receivers if the function says that it has.
    #[track_caller]
    pub fn send_if_modified(&self, change: impl FnOnce(&mut T) -> bool) -> bool {
        self.change(Location::caller(), change)
    }

    fn change(&self, place: Place, change: impl FnOnce(&mut T) -> bool) -> bool {
        let answer = request::<_, Seen<T>>(self.server, Modify {}, "", place);
        let mut changing = Changing {
            server: self.server,
            place,
            value: Some(value_of(self.server, &seen::<T>(&answer).value)),
            is_modified: false,
        };
        changing.is_modified = changing.value.as_mut().is_some_and(change);
        changing.is_modified
    }

    /// One more receiver; it has seen the present value.
    #[track_caller]
    pub fn subscribe(&self) -> Receiver<T> {
        let place = Location::caller();
        let version = seen::<T>(&get::<T>(self.server, place)).version;
        tell(self.server, Join {}, place);
        Receiver {
            server: self.server,
            place,
            seen: Cell::new(version),
            of: PhantomData,
        }
    }

    /// How many receivers there are.
    #[track_caller]
    pub fn receiver_count(&self) -> usize {
        let answer = get::<T>(self.server, Location::caller());
        seen::<T>(&answer).receivers as usize
    }

    /// Are there no receivers?
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.receiver_count() == 0
    }

    fn put(&self, value: Parcel<T>, needs_receivers: bool, place: Place) -> Rc<Envelope> {
        let put = Put {
            value,
            needs_receivers,
        };
        request::<_, Seen<T>>(self.server, put, "", place)
    }
}

/// The value while it is changed; it comes back when this is dropped, by a panic too.
struct Changing<T: 'static> {
    server: Process,
    place: Place,
    value: Option<T>,
    is_modified: bool,
}

impl<T: 'static> Drop for Changing<T> {
    fn drop(&mut self) {
        if let Some(value) = self.value.take() {
            let value = Parcel::new(value);
            leave(self.server, &value);
            let is_modified = self.is_modified;
            tell_soon(self.server, Back { value, is_modified }, self.place);
        }
    }
}

impl<T> Drop for AnySender<T> {
    fn drop(&mut self) {
        tell_soon(self.server, Gone {}, self.place);
    }
}

/// Watches the value.
pub struct Receiver<T> {
    server: Process,
    place: Place,
    /// The version that it has seen.
    seen: Cell<u32>,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        if !is_copying() && Task::live("clone").is_some() {
            tell(self.server, Join {}, self.place);
        }
        Receiver {
            server: self.server,
            place: self.place,
            seen: self.seen.clone(),
            of: PhantomData,
        }
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Receiver({})", self.server)
    }
}

impl<T: 'static> Receiver<T> {
    /// The value, seen or not.
    #[track_caller]
    pub fn borrow(&self) -> Ref<T> {
        let answer = get::<T>(self.server, Location::caller());
        Ref(seen::<T>(&answer).value.share())
    }

    /// The value, which is seen now.
    #[track_caller]
    pub fn borrow_and_update(&mut self) -> Ref<T> {
        let answer = get::<T>(self.server, Location::caller());
        let now = seen::<T>(&answer);
        self.seen.set(now.version);
        Ref(now.value.share())
    }

    /// Has the value changed since it was seen?
    ///
    /// # Errors
    ///
    /// When the sender was dropped.
    #[track_caller]
    pub fn has_changed(&self) -> Result<bool, error::RecvError> {
        let answer = get::<T>(self.server, Location::caller());
        let now = seen::<T>(&answer);
        match now.has_sender {
            true => Ok(now.version > self.seen.get()),
            false => Err(error::RecvError(())),
        }
    }

    /// Waits until the value is one that the condition accepts, and counts it as seen.
    ///
    /// # Errors
    ///
    /// When there will be none, because the sender was dropped.
    #[track_caller]
    pub fn wait_for(
        &mut self,
        mut condition: impl FnMut(&T) -> bool,
    ) -> impl Future<Output = Result<Ref<T>, error::RecvError>> {
        let place = Location::caller();
        async move {
            loop {
                let answer = get::<T>(self.server, place);
                let now = seen::<T>(&answer);
                self.seen.set(now.version);
                let value = Ref(now.value.share());
                if condition(&value) {
                    return Ok(value);
                }
                drop(value);
                self.changed().await?;
            }
        }
    }

    /// Waits until the value is one that was not seen, and counts it as seen.
    ///
    /// # Errors
    ///
    /// When there will be none, because the sender was dropped.
    #[track_caller]
    pub fn changed(&mut self) -> Changed<'_, T> {
        Changed {
            receiver: self,
            place: Location::caller(),
            awaited: None,
        }
    }
}

impl<T> Receiver<T> {
    /// The last version, if it is not newer than the one that was seen, is the end.
    fn see(&self, version: u32) -> Result<(), error::RecvError> {
        match version > self.seen.replace(version) {
            true => Ok(()),
            false => Err(error::RecvError(())),
        }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        tell_soon(self.server, Leave {}, self.place);
    }
}

/// See [`Receiver::changed`].
#[must_use = "nothing happens before it is awaited"]
pub struct Changed<'r, T> {
    receiver: &'r mut Receiver<T>,
    place: Place,
    awaited: Option<Awaited>,
}

impl<T> Unpin for Changed<'_, T> {}

impl<T: 'static> Future for Changed<'_, T> {
    type Output = Result<(), error::RecvError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let (server, place, than) = (self.receiver.server, self.place, self.receiver.seen.get());
        let task = Task::current("changed");
        let looks = match &self.awaited {
            None => task.waits.is_observed(cx.waker()),
            Some(awaited) => awaited.is_open() && task.waits.is_observed_anew(cx.waker()),
        };
        if looks {
            let answer = get::<T>(server, place);
            let now = seen::<T>(&answer);
            if now.version > than || !now.has_sender {
                return Poll::Ready(self.receiver.see(now.version));
            }
        }
        let awaited = self.awaited.get_or_insert_with(|| {
            let number = task.next_ticket();
            ask(server, Newer { than }, number, place);
            let arm = answer::<Seen<T>>(&task, server, number, "a change of ");
            let arm = arm.asking(move |place| {
                let answer = get::<T>(server, place);
                let now = seen::<T>(&answer);
                now.version > than || !now.has_sender
            });
            Awaited::message(arm, place)
        });
        awaited.poll_unless_absent(cx, looks).map(|answer| {
            let version = seen::<T>(&answer).version;
            self.receiver.see(version)
        })
    }
}

/// The value at some time.
#[derive(Debug)]
pub struct Ref<T>(Arc<T>);

impl<T> Deref for Ref<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

fn get<T: 'static>(server: Process, place: Place) -> Rc<Envelope> {
    request::<_, Seen<T>>(server, Get {}, "", place)
}

fn seen<T: 'static>(answer: &Envelope) -> &Seen<T> {
    content(answer)
}

struct Server<'d, T: 'static> {
    desk: &'d Desk,
    value: Parcel<T>,
    version: u32,
    receivers: u32,
    has_sender: bool,
}

impl<T: 'static> Server<'_, T> {
    /// What it listens to now.
    fn arms(&self) -> Vec<Arm> {
        let desk = self.desk;
        let (version, is_last) = (self.version, !self.has_sender);
        vec![
            desk.of::<Put<T>>(),
            desk.of::<Modify>(),
            desk.of::<Get>(),
            desk.of_those::<Newer>(move |newer, _| is_last || newer.than < version),
            desk.of::<Join>(),
            desk.of::<Leave>(),
            desk.of::<Gone>(),
        ]
    }

    fn serve(&mut self, request: &Envelope) {
        if request.is::<Join>() {
            self.receivers += 1;
        } else if request.is::<Leave>() {
            self.receivers -= 1;
        } else if request.is::<Gone>() {
            self.has_sender = false;
        } else if request.is::<Modify>() {
            self.reply(request);
            let back = self.desk.next(&[self.desk.of::<Back<T>>()]);
            let back = content::<Back<T>>(&back);
            self.value = back.value.clone();
            self.version += u32::from(back.is_modified);
        } else if let Some(put) = request.get::<Put<T>>() {
            self.reply(request);
            if !put.needs_receivers || self.receivers > 0 {
                self.value = put.value.clone();
                self.version += 1;
            }
        } else {
            self.reply(request);
        }
    }

    fn reply(&self, request: &Envelope) {
        let seen = Seen {
            value: self.value.clone(),
            version: self.version,
            receivers: self.receivers,
            has_sender: self.has_sender,
        };
        self.desk.reply(request, seen);
    }
}

pub mod as_is {
    //! A channel whose sender takes values of any type: what [`Sender`](super::Sender) covers.
    pub use super::AnySender as Sender;

    use super::{Location, Receiver, Task, make};

    /// See [`channel`](super::channel).
    #[track_caller]
    pub fn channel<T: 'static>(value: T) -> (Sender<T>, Receiver<T>) {
        Task::insist("watch::channel");
        make(value, Location::caller())
    }
}

/// What can go wrong.
pub mod error {
    use super::super::errors::{recv_error, send_error};

    send_error! {
        /// There are no receivers; here is the value.
    }

    recv_error! {
        /// The sender was dropped.
    }
}
