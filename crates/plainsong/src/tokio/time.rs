//! Time, which is not modelled: a sleep ends, and a timeout may come at any time.
//!
//! Durations do not matter, and two sleeps may end in either order. A [`timeout`] does not come while
//! what is waited for is certainly there, that is, was sent before it began. A sleep that is made in a
//! branch of `select!` does not end before the other branches have begun.
//!
//! Of several timeouts in one task each comes only while nothing is there that it would be given up for.

use crate::future::{Awaited, Quiet};
use crate::task::Task;
use std::fmt;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

pub use std::time::Duration;

/// Waits, as long as it may take.
///
/// ```
/// use plainsong::tokio::{self, time};
///
/// plainsong::explore(|| tokio::block_on(time::sleep(time::Duration::from_secs(1)))).assert_holds();
/// ```
#[track_caller]
pub fn sleep(_duration: Duration) -> Sleep {
    let location = Location::caller();
    Sleep {
        awaited: Awaited::time(location),
        location,
        is_over: false,
    }
}

/// See [`sleep`].
#[must_use = "nothing happens before it is awaited"]
pub struct Sleep {
    awaited: Awaited,
    location: &'static Location<'static>,
    is_over: bool,
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sleep({})", self.location)
    }
}

impl Sleep {
    /// Is it over?
    pub fn is_elapsed(&self) -> bool {
        self.is_over
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if !self.is_over {
            self.is_over = self.awaited.poll_time(cx).is_ready();
        }
        match self.is_over {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }
}

impl Quiet for Sleep {
    fn waits(&self) -> bool {
        !self.is_over
    }
}

/// Waits for a future, but not for ever.
///
/// ```
/// use plainsong::{channel, spawn, tokio::{self, time}};
///
/// let report = plainsong::explore(|| {
///     let (sender, receiver) = channel("news");
///     spawn(move || sender.send(1));
///     let got = tokio::block_on(time::timeout(time::Duration::from_secs(1), receiver.receive_async()));
///     assert!(matches!(got, Ok(1) | Err(_)));
/// });
/// report.assert_holds();
/// assert_eq!(report.executions, 2);
/// ```
#[track_caller]
pub fn timeout<F: IntoFuture>(_duration: Duration, future: F) -> Timeout<F::IntoFuture> {
    Timeout {
        future: Box::pin(future.into_future()),
        time: Awaited::time(Location::caller()),
        has_begun: false,
    }
}

/// See [`timeout`].
#[must_use = "nothing happens before it is awaited"]
pub struct Timeout<F> {
    future: Pin<Box<F>>,
    time: Awaited,
    has_begun: bool,
}

impl<F: Future> Future for Timeout<F> {
    type Output = Result<F::Output, Elapsed>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let task = Task::current("timeout");
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        let (polled, waits_for) = task.waits.watch(|| {
            let poll = || self.future.as_mut().poll(cx);
            task.waits.observe_anew(is_first, poll)
        });
        if let Poll::Ready(output) = polled {
            return Poll::Ready(Ok(output));
        }
        self.time.is_for(waits_for.clone());
        self.time.poll_time(cx).map(|()| {
            task.waits.forget(&waits_for);
            Err(Elapsed { _private: () })
        })
    }
}

impl<F: Quiet> Quiet for Timeout<F> {
    fn waits(&self) -> bool {
        self.future.waits()
    }
}

/// Time is up: see [`timeout`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elapsed {
    _private: (),
}

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("deadline has elapsed")
    }
}

impl std::error::Error for Elapsed {}

/// Ticks, again and again.
///
/// Ticks can come at any time and any number of times, so a loop over them has no longest execution:
/// [`Interval::at_most`] bounds their number.
///
/// ```
/// use plainsong::tokio::{self, time};
///
/// plainsong::explore(|| {
///     tokio::block_on(async {
///         let mut interval = time::interval(time::Duration::from_secs(1));
///         interval.tick().await;
///         interval.tick().await;
///     });
/// })
/// .assert_holds();
/// ```
pub fn interval(_period: Duration) -> Interval {
    Interval { left: usize::MAX }
}

/// See [`interval`].
#[derive(Debug)]
pub struct Interval {
    left: usize,
}

impl Interval {
    /// Ticks so many times and never again.
    pub fn at_most(mut self, ticks: usize) -> Self {
        self.left = ticks;
        self
    }

    /// Waits for the next tick.
    #[track_caller]
    pub fn tick(&mut self) -> Tick<'_> {
        Tick {
            sleep: sleep(Duration::ZERO),
            interval: self,
        }
    }
}

/// See [`Interval::tick`].
#[must_use = "nothing happens before it is awaited"]
pub struct Tick<'i> {
    sleep: Sleep,
    interval: &'i mut Interval,
}

impl Future for Tick<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.interval.left == 0 {
            return Poll::Pending;
        }
        let ticked = Pin::new(&mut self.sleep).poll(cx);
        if ticked.is_ready() {
            self.interval.left -= 1;
        }
        ticked
    }
}

impl Quiet for Tick<'_> {}
