//! Somebody who is told about each execution while the exploration runs.
//!
//! With several workers, calls come from several threads: the calls about one execution from one
//! thread, in order; those about different executions in any order, and at the same time.
//!
//! An execution *begins* when a process is first asked for something that no execution before did; it
//! ends when nothing can happen any more. Where an exploration stops there is an execution that began and
//! did not end. When the exploration has to [start again](Observer::start_again) in another way, because
//! it turned out that processes share state, say, what was told before is void.
//!
//! An observer that panics stops the exploration, and the panic goes on in the caller of
//! [`Explorer::run`].

use crate::explorer::Explorer;
use crate::report::Report;
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Is told about each execution; see [`Explorer::observer`].
///
/// ```
/// use plainsong::{choose, Execution, Explorer, Observer, Outcome};
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use std::sync::Arc;
///
/// #[derive(Default)]
/// struct Longest(AtomicU64);
///
/// impl Observer for Longest {
///     fn after(&self, execution: &Execution<'_>) {
///         assert_eq!(execution.outcome(), &Outcome::Completed);
///         self.0.fetch_max(execution.events(), Ordering::Relaxed);
///     }
/// }
///
/// let longest = Arc::new(Longest::default());
/// let report = Explorer::new().jobs(2).observer(longest.clone()).run(|| {
///     for _ in 0..choose(0..10) {
///         choose([()]);
///     }
/// });
/// report.assert_holds();
/// assert_eq!(longest.0.load(Ordering::Relaxed), 11); // choices, and the end of main
/// ```
pub trait Observer: Send + Sync {
    /// An execution begins. Each has its number; the numbers of those that
    /// [ended](Observer::after) need not be consecutive.
    ///
    /// Only processes for which something has changed run again, unless the settings say
    /// [otherwise](crate::Restart::All): this is no place to reset what processes share.
    fn before(&self, number: u64) {
        let _ = number;
    }

    /// An execution has ended.
    fn after(&self, execution: &Execution<'_>) {
        let _ = execution;
    }

    /// The exploration starts again, in another way: executions that were told about will come again.
    fn start_again(&self) {}

    /// The exploration is over.
    fn at_end(&self, report: &Report) {
        let _ = report;
    }
}

/// An execution that has ended.
pub struct Execution<'e> {
    pub(crate) number: u64,
    pub(crate) outcome: &'e Outcome,
    pub(crate) events: u64,
    pub(crate) processes: usize,
    pub(crate) dot: &'e dyn Fn() -> Option<String>,
}

impl Execution<'_> {
    /// Its number, as in [`Observer::before`].
    pub fn number(&self) -> u64 {
        self.number
    }

    /// How it ended.
    pub fn outcome(&self) -> &Outcome {
        self.outcome
    }

    /// How many events it has.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// How many processes it has, with those that are behind mutexes and the like.
    pub fn processes(&self) -> usize {
        self.processes
    }

    /// Its graph in the language of Graphviz; see [`Explorer::dot_file`]. None if the execution is
    /// another one when it is run again.
    pub fn dot(&self) -> Option<String> {
        (self.dot)()
    }
}

impl fmt::Debug for Execution<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Execution")
            .field("number", &self.number)
            .field("outcome", &self.outcome)
            .field("events", &self.events)
            .field("processes", &self.processes)
            .finish_non_exhaustive()
    }
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// Every process ended, or is a daemon.
    Completed,
    /// It is wrong; this is the message.
    Failed(String),
    /// A process waits for ever, and [that is allowed](crate::Explorer::allow_deadlock).
    Deadlocked,
    /// An [assumption](crate::assume) does not hold.
    GaveUp,
    /// It has more events than [the limit](crate::Explorer::limit_events).
    TooLong,
}

impl Outcome {
    /// In one word.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Outcome::Completed => "completed",
            Outcome::Failed(_) => "failed",
            Outcome::Deadlocked => "deadlocked",
            Outcome::GaveUp => "gave-up",
            Outcome::TooLong => "too-long",
        }
    }
}

impl Explorer {
    /// Tells somebody about each execution, while the exploration runs. With several
    /// [jobs](Explorer::jobs), from several threads.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observers.push(Watching(observer));
        self
    }
}

/// An observer as the settings keep it.
#[derive(Clone)]
pub(crate) struct Watching(pub(crate) Arc<dyn Observer>);

impl fmt::Debug for Watching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an observer")
    }
}

/// All observers of one exploration.
#[derive(Debug)]
pub(crate) struct Audience {
    observers: Vec<Watching>,
    begun: AtomicU64,
    has_panicked: AtomicBool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Audience {
    /// None if nobody watches.
    pub(crate) fn of(observers: &[Watching]) -> Option<Arc<Self>> {
        let some = !observers.is_empty();
        some.then(|| {
            Arc::new(Audience {
                observers: observers.to_vec(),
                begun: AtomicU64::new(0),
                has_panicked: AtomicBool::new(false),
                panic: Mutex::default(),
            })
        })
    }

    /// An execution begins; returns its number.
    pub(crate) fn before(&self) -> u64 {
        let number = self.begun.fetch_add(1, Ordering::Relaxed) + 1;
        self.tell(|observer| observer.before(number));
        number
    }

    pub(crate) fn after(&self, execution: &Execution<'_>) {
        self.tell(|observer| observer.after(execution));
    }

    /// Executions are counted from 1 again.
    pub(crate) fn start_again(&self) {
        self.begun.store(0, Ordering::Relaxed);
        self.tell(|observer| observer.start_again());
    }

    pub(crate) fn at_end(&self, report: &Report) {
        self.tell(|observer| observer.at_end(report));
    }

    /// Has an observer had enough?
    pub(crate) fn has_panicked(&self) -> bool {
        self.has_panicked.load(Ordering::Relaxed)
    }

    /// Goes on with the panic of an observer, if there was one.
    pub(crate) fn go_on_panicking(&self) {
        let panic = self
            .panic
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    /// Processes of the worker are unwound later, and in peace: a panic has to wait.
    fn tell(&self, what: impl Fn(&dyn Observer)) {
        if self.has_panicked() {
            return;
        }
        for Watching(observer) in &self.observers {
            let told = catch_unwind(AssertUnwindSafe(|| what(&**observer)));
            if let Err(panic) = told {
                self.has_panicked.store(true, Ordering::Relaxed);
                let mut first = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert(panic);
                return;
            }
        }
    }
}
