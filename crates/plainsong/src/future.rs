//! Async code: futures that wait for messages, and a process that runs them.
//!
//! [`block_on`] runs a future in the process that calls it. [`async_receive`],
//! [`Messages::receive_async`](crate::Messages::receive_async) and
//! [`Receiver::receive_async`](crate::Receiver::receive_async) are receives to be awaited. For code
//! that uses tokio there is [`plainsong::tokio`](crate::tokio).
//!
//! ```
//! use plainsong::future::{async_receive, block_on};
//! use plainsong::{current, send, spawn};
//!
//! let report = plainsong::explore(|| {
//!     let main = current();
//!     for n in [1, 2] {
//!         spawn(move || send(main, n));
//!     }
//!     let sum = block_on(async { async_receive::<i32>().await + async_receive::<i32>().await });
//!     assert_eq!(sum, 3);
//! });
//! report.assert_holds();
//! assert_eq!(report.executions, 2);
//! ```
//!
//! Futures from elsewhere (`std::future`, the combinators of the `futures` crate) work as long as they
//! wake whoever waits for them; those that wait for sockets or clocks do not.

mod executor;
mod interest;
mod quiet;

use crate::message::Message;
use crate::pattern::Arm;
use crate::receive::{Messages, value};
use crate::shared_context::Mailboxes;
use crate::task::Task;
pub(crate) use executor::{Aborted, run};
pub(crate) use interest::{Awaited, Interest, Waits};
pub use quiet::{Loud, Probe, Quiet, Waiting};
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Runs a future to its end, in the process that calls it.
///
/// ```
/// use plainsong::future::block_on;
///
/// plainsong::explore(|| assert_eq!(block_on(async { 1 + 2 }), 3)).assert_holds();
/// ```
///
/// # Panics
///
/// In async code, which should await instead.
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    match run(future, None, Location::caller()) {
        Ok(output) => output,
        Err(Aborted) => unreachable!("nobody can abort it"),
    }
}

/// Waits for a message of type `T` to the process that awaits it, and takes it.
///
/// ```
/// use plainsong::future::{async_receive, block_on};
/// use plainsong::{current, send};
///
/// plainsong::explore(|| {
///     send(current(), "hello");
///     assert_eq!(block_on(async_receive::<&str>()), "hello");
/// })
/// .assert_holds();
/// ```
#[track_caller]
pub fn async_receive<T: Message>() -> Receive<T> {
    Receive::new(None, Location::caller())
}

/// A message to come: see [`async_receive`].
#[must_use = "nothing is received before it is awaited"]
pub struct Receive<T> {
    /// Which messages; if none is given, those of type `T` to whoever polls it.
    arm: Option<Arm>,
    location: &'static Location<'static>,
    awaited: Option<Awaited>,
    of: PhantomData<fn() -> T>,
}

impl<T: Message> Receive<T> {
    fn new(arm: Option<Arm>, location: &'static Location<'static>) -> Self {
        Receive {
            arm,
            location,
            awaited: None,
            of: PhantomData,
        }
    }

    pub(crate) fn of(messages: Messages<T>, location: &'static Location<'static>) -> Self {
        Receive::new(Some(messages.arm), location)
    }
}

impl<T: Message> Future for Receive<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let (arm, location) = (self.arm.take(), self.location);
        let awaited = self.awaited.get_or_insert_with(|| {
            let own = || {
                let task = Task::current("async_receive");
                Arm::typed::<T>(Mailboxes::of_process(task.process))
            };
            Awaited::message(arm.unwrap_or_else(own), location)
        });
        awaited.poll_message(cx).map(|message| value(&message))
    }
}

impl<T> Quiet for Receive<T> {}

impl<T> fmt::Debug for Receive<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Receive({})", self.location)
    }
}
