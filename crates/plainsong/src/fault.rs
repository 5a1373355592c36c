//! What can go wrong besides slowness: messages are lost or arrive twice, processes crash, networks
//! fall apart.
//!
//! Faults happen in every way that the budgets allow ([`Explorer::losses`], [`Explorer::duplicates`],
//! [`Explorer::crashes`]: one of each unless you say otherwise), but only where the program says that
//! they can: a [lossy](crate::Letter::lossy) message, a [crashing] process.
//!
//! A crash is a free choice before each send, receive and durable write of the process, and before
//! its end. Between two of those points it makes no difference when the process crashes, except for
//! operations on locks and atomics, which are not points: a process does not crash between its request for
//! a lock and the answer.
//!
//! [`Explorer::losses`]: crate::Explorer::losses
//! [`Explorer::duplicates`]: crate::Explorer::duplicates
//! [`Explorer::crashes`]: crate::Explorer::crashes

mod durable;
mod partition;

use crate::choice::choose_within;
use crate::delivery::Delivery;
use crate::panics;
use crate::task::Task;
use plainsong_explore::{Budget, Earlier, Model};
use std::fmt;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};

pub use durable::Durable;
pub use partition::Partition;

/// A fault that has a budget.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    Loss,
    Duplicate,
    Crash,
}

impl Fault {
    pub(crate) fn budget(self) -> Budget {
        self as Budget
    }

    fn name(self) -> &'static str {
        match self {
            Fault::Loss => "message lost",
            Fault::Duplicate => "message duplicated",
            Fault::Crash => "crash",
        }
    }
}

/// How often each fault may happen, by [`Fault::budget`].
pub(crate) type Budgets = [u32; 3];

/// What is written down when all is well.
pub(crate) const NO_FAULT: &str = "no fault";

/// A fault or none, as people read it.
struct Shown(&'static str);

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Is this what is written down when a fault happened?
pub(crate) fn is_fault(text: &str) -> bool {
    let all = [Fault::Loss, Fault::Duplicate, Fault::Crash];
    all.iter().any(|fault| fault.name() == text)
}

/// Is this what is written down when a process crashed?
pub(crate) fn is_crash(text: &str) -> bool {
    text == Fault::Crash.name()
}

/// Does the fault happen here? Both are explored, as far as the budget goes.
pub(crate) fn happens(task: &Task, fault: Fault, location: &'static Location<'static>) -> bool {
    if task.world.budgets[fault as usize] == 0 && task.world.guide.is_none() {
        return false;
    }
    let options = [Shown(NO_FAULT), Shown(fault.name())];
    choose_within(options, location, Some(fault.budget())).0 != NO_FAULT
}

/// May a message be late, so that whether it is lost can be decided when somebody misses it?
pub(crate) fn may_be_late(delivery: Delivery) -> bool {
    !matches!(
        delivery.model(),
        Model::Mailbox | Model::Custom(Earlier::Globally)
    )
}

/// Makes a process one that may crash, and then starts again from the beginning.
///
/// What its variables held is gone; what it keeps in a [`Durable`] is still there. Messages to it that it
/// has not received yet are still in flight, and arrive after the crash. Each crash costs one of
/// [`Explorer::crashes`](crate::Explorer::crashes).
///
/// ```
/// use plainsong::fault::{crashing, Durable};
/// use plainsong::{current, explore, receive, send, Builder, Process, Report};
///
/// // A register that may crash, and a client that reads what was acknowledged.
/// fn register(acknowledges_first: bool) -> Report {
///     explore(move || {
///         let disk = Durable::new(0);
///         let serve = move || loop {
///             match receive::<(Process, Option<i32>)>() {
///                 (client, None) => send(client, disk.get()),
///                 (client, Some(value)) if acknowledges_first => {
///                     send(client, "written");
///                     disk.set(value);
///                 }
///                 (client, Some(value)) => {
///                     disk.set(value);
///                     send(client, "written");
///                 }
///             }
///         };
///         let register = Builder::new().name("register").daemon().spawn(crashing(serve)).process();
///         send(register, (current(), Some(7)));
///         if plainsong::try_receive::<&str>().is_some() {
///             send(register, (current(), None::<i32>));
///             let read = plainsong::try_receive::<i32>();
///             assert!(read.is_none_or(|value| value == 7), "read {read:?}");
///         }
///     })
/// }
/// register(false).assert_holds();
/// let report = register(true);
/// assert_eq!(report.failures[0].message, "read Some(0)");
/// assert!(report.failures[0].picture.contains("* crash"));
/// ```
#[track_caller]
pub fn crashing(body: impl Fn() + 'static) -> impl FnOnce() + 'static {
    let made_at = Location::caller();
    move || while run(&body, Crashes::AfterNextPoint, made_at) == Run::Crashed {}
}

/// Makes a process one that may crash, and then never does anything again.
///
/// Joining it is then over at once, as if it had ended.
///
/// ```
/// use plainsong::fault::crashing_for_good;
/// use plainsong::{current, explore, receive, send, spawn, Verdict};
///
/// let report = explore(|| {
///     let main = current();
///     spawn(crashing_for_good(move || send(main, "still here")));
///     receive::<&str>();
/// });
/// assert_eq!(report.verdict, Verdict::Refuted);
/// assert!(report.failures[0].picture.contains("crash"));
/// ```
#[track_caller]
pub fn crashing_for_good(body: impl FnOnce() + 'static) -> impl FnOnce() + 'static {
    let made_at = Location::caller();
    move || {
        run(body, Crashes::Now, made_at);
    }
}

/// How a run of a process that may crash ended.
#[derive(PartialEq, Eq)]
enum Run {
    Finished,
    Crashed,
}

/// What a crash unwinds with.
struct Crashed;

fn run(body: impl FnOnce(), crashes: Crashes, made_at: &'static Location<'static>) -> Run {
    let task = Task::current("crashing");
    task.crashes.set(crashes);
    let result = catch_unwind(AssertUnwindSafe(|| {
        body();
        may_crash(&task, made_at);
    }));
    task.crashes.set(Crashes::Never);
    match result {
        Ok(()) => Run::Finished,
        Err(payload) if payload.is::<Crashed>() => {
            panics::unwinding(false);
            Run::Crashed
        }
        Err(payload) => resume_unwind(payload),
    }
}

/// May a process crash?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Crashes {
    #[default]
    Never,
    /// It has not done anything since it was started, and will start again: a crash would change
    /// nothing.
    AfterNextPoint,
    Now,
}

/// A point at which a process may crash, if it is one that does.
pub(crate) fn may_crash(task: &Task, location: &'static Location<'static>) {
    match task.crashes.get() {
        Crashes::Never => {}
        Crashes::AfterNextPoint => task.crashes.set(Crashes::Now),
        Crashes::Now => {
            if happens(task, Fault::Crash, location) {
                panics::unwinding(true);
                resume_unwind(Box::new(Crashed));
            }
        }
    }
}
