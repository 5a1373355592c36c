//! Receiving whatever comes first from several places.

use crate::channel::Receiver;
use crate::message::{Envelope, Message};
use crate::pattern::Arm;
use crate::receive::{Messages, take, value};
use crate::task::{Task, cannot_receive_now};
use std::panic::Location;
use std::time::Duration;

/// Receives one message from several sources, of any types.
///
/// A source is a [`Receiver`] or [`Messages`] of some kind. When several sources
/// have a message, each is taken, in an execution of its own. A message that several arms accept
/// goes to the first of them.
///
/// ```
/// use plainsong::{channel, current, messages, select, send, spawn};
///
/// #[derive(Clone, Debug)]
/// struct Stop;
///
/// let report = plainsong::explore(|| {
///     let (sender, jobs) = channel::<u32>("jobs");
///     let worker = spawn(move || {
///         let mut sum = 0;
///         while select()
///             .on(&jobs, |job| {
///                 sum += job;
///                 true
///             })
///             .on(messages::<Stop>(), |Stop| false)
///             .receive()
///         {}
///         sum
///     });
///     sender.send(5);
///     send(worker.process(), Stop);
///     assert!(matches!(worker.join(), 0 | 5));
/// });
/// report.assert_holds();
/// assert_eq!(report.executions, 2);
/// ```
pub fn select<'a, R>() -> Select<'a, R> {
    Select { arms: Vec::new() }
}

/// Where a [`select`] can receive from.
pub trait Source: sealed::Source {
    /// What it gets there.
    type Item: Message;
}

pub(crate) mod sealed {
    /// Keeps the trait to this crate.
    pub trait Source {
        /// The messages.
        #[expect(private_interfaces, reason = "nobody else can name the trait")]
        fn arm(self) -> crate::pattern::Arm;
    }
}

impl<T: Message> Source for Messages<T> {
    type Item = T;
}

impl<T: Message> sealed::Source for Messages<T> {
    #[expect(private_interfaces, reason = "nobody else can name the trait")]
    fn arm(self) -> Arm {
        self.arm
    }
}

impl<T: Message> Source for &Receiver<T> {
    type Item = T;
}

impl<T: Message> sealed::Source for &Receiver<T> {
    #[expect(private_interfaces, reason = "nobody else can name the trait")]
    fn arm(self) -> Arm {
        self.messages().arm
    }
}

/// What to receive, and what to do with it: see [`select`].
#[must_use = "nothing is received before one of the receiving methods is called"]
pub struct Select<'a, R> {
    arms: Vec<(Arm, Then<'a, R>)>,
}

type Then<'a, R> = Box<dyn FnOnce(&Envelope) -> R + 'a>;

impl<'a, R> Select<'a, R> {
    /// Adds a source, and what to do with a message from there.
    pub fn on<S: Source>(mut self, source: S, then: impl FnOnce(S::Item) -> R + 'a) -> Self {
        let then: Then<'a, R> = Box::new(|message| then(value(message)));
        self.arms.push((source.arm(), then));
        self
    }

    /// Waits for a message from any of the sources.
    ///
    /// # Panics
    ///
    /// When there is no source.
    #[track_caller]
    pub fn receive(self) -> R {
        let Some(task) = Task::live("select") else {
            cannot_receive_now("select")
        };
        self.take(&task, Location::caller(), true)
            .expect("a receive that waits gets a message")
    }

    /// Takes a message from any of the sources, or none: see
    /// [`try_receive`](crate::try_receive).
    ///
    /// # Panics
    ///
    /// When there is no source.
    #[track_caller]
    pub fn try_receive(self) -> Option<R> {
        let task = Task::live("select")?;
        self.take(&task, Location::caller(), false)
    }

    /// Waits for a message from any of the sources, but not for ever: see
    /// [`receive_timeout`](crate::receive_timeout).
    ///
    /// # Panics
    ///
    /// When there is no source.
    #[track_caller]
    pub fn receive_timeout(self, _timeout: Duration) -> Option<R> {
        self.try_receive()
    }

    #[track_caller]
    fn take(self, task: &Task, location: &'static Location<'static>, waits: bool) -> Option<R> {
        assert!(!self.arms.is_empty(), "`select` needs at least one source");
        let (arms, thens): (Vec<Arm>, Vec<Then<'a, R>>) = self.arms.into_iter().unzip();
        let message = take(task, &arms, location, waits)?;
        let taken = arms.iter().position(|arm| arm.accepts(&message));
        let then = thens
            .into_iter()
            .nth(taken.expect("some arm accepts what was received"));
        then.map(|then| then(&message))
    }
}
