//! Monitors: they see selected messages, and say when something is wrong.
//!
//! A property between processes ("at most one leader per term") belongs to none of them. A monitor
//! is told about every message that it selects, in an order in which things may have happened, and
//! checks. It is a process of its own that gets a *copy* of each selected message; every order in
//! which it can get them is explored.
//!
//! Statement. The sender sends the copy just before the original, with causal delivery, whatever the
//! order of the original is. Then the orders that a monitor sees are exactly the linear
//! extensions of happens-before between the selected sends, for each execution of the program
//! without the monitor.
//!
//! Why. Let `c` be the copy of `m`, and `c'` that of `m'`. The next event of the sender after `c` is
//! `m` (or the copy for another monitor, then `m`), and the only one who reads `c` sends nothing, so
//! what happens after `c` is `m` and what happens after `m`. And what happens before `m'` is `c'` and
//! what happens before `c'`, because a send has no other direct cause than what its process did just
//! before. So `c` happens before `c'` exactly when `m` happens before `m'`, and causal delivery adds
//! nothing else, since the monitor accepts everything. Were the copy sent *after* the original, its
//! receiver could have answered already, and the copy of the answer could arrive first: a false
//! alarm.
//!
//! The program is not disturbed: no process of it receives from a monitor, copies go to mailboxes of
//! their own, and so reads-from between its processes, and happens-before, are what they were. A
//! monitor is a daemon, always ready to receive, so when nothing can happen any more it has seen
//! everything.
//!
//! DIFFERS. With [`Delivery::Mailbox`](crate::Delivery::Mailbox) a monitor sees concurrent sends in
//! any order, also in one that the mailboxes rule out: it is told about causality, not about time.
//!
//! NOT COVERED. What is said to objects behind the scenes (a mutex, say) is no message of the
//! program, and not shown; neither is what a process returns to whoever joins it. Both order what
//! is shown, like every message.
//!
//! A monitor has no coroutine. Its state is what its methods make of the messages in the graph
//! (`observers`); the machine asks for it where it would run a process.

mod copies;
mod end;
mod observers;
mod sent;

use crate::explorer::Explorer;
use crate::message::short_type_name;
pub(crate) use copies::{Copied, send_copies, start};
pub use end::ExecutionEnd;
pub(crate) use end::who_waits;
pub(crate) use observers::{Observer, Observers, is_observing, mark};
pub use sent::{Destination, Sent};
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// Makes a monitor of an `impl` block that has a method for each kind of message.
///
/// A method that takes a reference to one of the listed types is told about messages of that type;
/// it may take a [`Sent`] besides, to know by whom and to whom. Two names are special, and may be
/// missing: `selects`, which the sender asks whether a message of those types is shown, and `on_end`.
/// Both are as in [`Monitor`]. Other methods are left alone. Give it to [`Explorer::monitor`].
///
/// ```
/// use plainsong::{current, receive, send, spawn_named, ExecutionEnd, Explorer, Process, Sent};
/// use std::collections::BTreeSet;
///
/// #[derive(Clone, Debug)]
/// struct Vote(bool);
///
/// #[derive(Clone, Debug)]
/// struct Commit;
///
/// #[derive(Default)]
/// struct Unanimous {
///     yes: BTreeSet<Process>,
/// }
///
/// #[plainsong::monitor(Vote, Commit)]
/// impl Unanimous {
///     fn selects(sent: &Sent) -> bool {
///         !matches!(sent.get(), Some(Vote(false)))
///     }
///
///     fn vote(&mut self, _vote: &Vote, sent: &Sent) {
///         self.yes.insert(sent.from());
///     }
///
///     fn commit(&mut self, _commit: &Commit) {
///         assert_eq!(self.yes.len(), 2, "committed too early");
///     }
///
///     fn on_end(&mut self, end: &ExecutionEnd) {
///         assert_eq!(*end, ExecutionEnd::Completed);
///     }
/// }
///
/// let report = Explorer::new().monitor(Unanimous::default).run(|| {
///     let coordinator = current();
///     let voters = ["ann", "bob"].map(|name| {
///         spawn_named(name, move || {
///             send(coordinator, Vote(true));
///             receive::<Commit>();
///         })
///     });
///     receive::<Vote>();
///     receive::<Vote>();
///     voters.iter().for_each(|voter| send(voter.process(), Commit));
/// });
/// report.assert_holds();
/// ```
///
/// A type that nobody looks at is a mistake:
///
/// ```compile_fail
/// struct Blind;
///
/// #[plainsong::monitor(u32, String)]
/// impl Blind {
///     fn number(&mut self, _number: &u32) {}
/// }
/// ```
pub use plainsong_macros::monitor;

/// Sees messages as they are sent, and panics when something is wrong.
///
/// [`#[plainsong::monitor]`](macro@crate::monitor) writes the implementation; by hand it looks like
/// this. A monitor only watches: it cannot send, receive or choose. [`cover`](crate::cover) works.
///
/// Its methods must depend on nothing but what they are given, and may be called several times for
/// one execution.
///
/// ```
/// use plainsong::{choose_bool, current, send, ExecutionEnd, Explorer, Monitor, Sent};
///
/// #[derive(Clone, Debug)]
/// struct Paid(u32);
///
/// #[derive(Default)]
/// struct Budget {
///     spent: u32,
/// }
///
/// impl Monitor for Budget {
///     fn selects(sent: &Sent) -> bool {
///         sent.is::<Paid>()
///     }
///
///     fn on_message(&mut self, sent: &Sent) {
///         if let Some(Paid(amount)) = sent.get() {
///             self.spent += amount;
///         }
///         assert!(self.spent <= 100, "{} has spent too much", sent.from());
///     }
///
///     fn on_end(&mut self, end: &ExecutionEnd) {
///         assert_eq!(*end, ExecutionEnd::Completed);
///     }
/// }
///
/// let report = Explorer::new().monitor(Budget::default).run(|| {
///     send(current(), Paid(70));
///     if choose_bool() {
///         send(current(), Paid(70));
///     }
/// });
/// assert_eq!(report.failures[0].message, "main has spent too much");
/// ```
pub trait Monitor: 'static {
    /// Is it told about this message? Asked by the sender, before the message is sent; the fewer
    /// are selected, the fewer executions are added.
    fn selects(sent: &Sent<'_>) -> bool
    where
        Self: Sized;

    /// A message was sent. A panic is a failure of the execution.
    fn on_message(&mut self, sent: &Sent<'_>);

    /// Nothing can happen any more, and all messages were seen. Called once for each execution that
    /// completes or deadlocks; not if an [assumption](crate::assume) does not hold or something
    /// fails. A panic is a failure of the execution.
    fn on_end(&mut self, end: &ExecutionEnd) {
        let _ = end;
    }
}

impl Explorer {
    /// Has a monitor watch every execution: a new one each time.
    ///
    /// Each order in which it can see concurrent messages is an execution of its own.
    ///
    /// ```
    /// use plainsong::{current, receive, send, spawn, Explorer};
    ///
    /// #[derive(Default)]
    /// struct Rising(u32);
    ///
    /// #[plainsong::monitor(u32)]
    /// impl Rising {
    ///     fn number(&mut self, number: &u32) {
    ///         assert!(*number > self.0, "{number} after {}", self.0);
    ///         self.0 = *number;
    ///     }
    /// }
    ///
    /// let report = Explorer::new().monitor(Rising::default).run(|| {
    ///     let main = current();
    ///     for n in [1_u32, 2] {
    ///         spawn(move || send(main, n));
    ///     }
    ///     receive::<u32>();
    /// });
    /// assert_eq!(report.failures[0].message, "1 after 2");
    /// ```
    #[track_caller]
    pub fn monitor<M: Monitor>(self, make: impl Fn() -> M + Send + Sync + 'static) -> Self {
        self.add(make, M::selects)
    }

    /// Has a monitor watch those messages that it selects and the condition accepts.
    ///
    /// The condition must depend on nothing but the message.
    ///
    /// ```
    /// use plainsong::{receive, send, spawn, spawn_named, Explorer};
    ///
    /// struct Count;
    ///
    /// #[plainsong::monitor(u32)]
    /// impl Count {
    ///     fn number(&mut self, _number: &u32) {}
    /// }
    ///
    /// let program = || {
    ///     let sink = spawn_named("sink", || {}).process();
    ///     let other = spawn(|| {}).process();
    ///     for n in 0..3_u32 {
    ///         spawn(move || send(if n == 0 { sink } else { other }, n));
    ///     }
    /// };
    /// let executions = |explorer: Explorer| explorer.run(program).executions;
    /// let new = Explorer::new;
    /// assert_eq!(executions(new()), 1);
    /// assert_eq!(executions(new().monitor(|| Count)), 6);
    /// assert_eq!(executions(new().monitor_where(|| Count, |sent| sent.to().is("sink"))), 1);
    /// ```
    #[track_caller]
    pub fn monitor_where<M: Monitor>(
        self,
        make: impl Fn() -> M + Send + Sync + 'static,
        condition: impl Fn(&Sent<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.add(make, move |sent| M::selects(sent) && condition(sent))
    }

    #[track_caller]
    fn add<M: Monitor>(
        mut self,
        make: impl Fn() -> M + Send + Sync + 'static,
        selects: impl Fn(&Sent<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.monitors.push(Registered {
            name: short_type_name(std::any::type_name::<M>()).into(),
            location: Location::caller(),
            make: Arc::new(move || Box::new(make())),
            selects: Arc::new(selects),
        });
        self
    }
}

/// A monitor as [`Explorer::monitor`] was told about it.
#[derive(Clone)]
pub(crate) struct Registered {
    name: Arc<str>,
    location: &'static Location<'static>,
    make: Arc<dyn Fn() -> Box<dyn Monitor> + Send + Sync>,
    selects: Arc<dyn Fn(&Sent<'_>) -> bool + Send + Sync>,
}

impl fmt::Debug for Registered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "monitor {} of {}", self.name, self.location)
    }
}
