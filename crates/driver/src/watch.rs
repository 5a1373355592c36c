//! Who looks on while an engine works: the clock, the user, and the progress line.

use crate::resume::Ledger;
use plainsong_semantics::search::{Progress, Watch};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// How often a thread that watches another one looks at the clock.
const GLANCE: Duration = Duration::from_millis(20);

/// Set once the user wants to stop (Ctrl-C); shared with the signal handler.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
}

impl Interrupt {
    /// Asks everybody to stop after the current step.
    pub fn set(&self) {
        self.flag.store(true, Ordering::SeqCst);
    }

    /// Has somebody asked?
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::SeqCst)
    }
}

/// Why an engine was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The time for the query is over.
    TimeLimit,
    /// The user asked.
    Interrupted,
}

impl Stop {
    /// For a verdict's reason.
    pub fn sentence(self) -> &'static str {
        match self {
            Stop::TimeLimit => "time limit; see --timeout",
            Stop::Interrupted => "interrupted",
        }
    }
}

/// Told now and then how far a query has come.
pub trait Observer: Send {
    /// `progress` so far, `elapsed` since the query began.
    fn progress(&mut self, stage: &Stage, progress: &Progress, elapsed: Duration);
}

/// What is being worked on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stage {
    /// The file.
    pub file: String,
    /// The properties asked together.
    pub properties: Vec<String>,
    /// The engine.
    pub engine: &'static str,
    /// Sizes of the instance at hand.
    pub bound: std::collections::BTreeMap<String, String>,
    /// What is counted, in the singular: `state` or `execution`.
    pub counted: &'static str,
    /// How many there probably are, give or take so many, where that was guessed.
    pub expected: Option<(u64, Option<u64>)>,
}

/// The watch over one query.
pub struct Overseer<'a> {
    /// What is being worked on; engines keep it up to date.
    pub stage: Stage,
    /// What earlier runs found, and where this one enters what it finds.
    pub ledger: Option<&'a mut Ledger>,
    began: Instant,
    timeout: Option<Duration>,
    deadline: Option<Instant>,
    interrupt: &'a Interrupt,
    observer: &'a mut dyn Observer,
    stopped: Option<Stop>,
}

impl<'a> Overseer<'a> {
    /// Begins to watch.
    pub fn new(
        stage: Stage,
        timeout: Option<Duration>,
        interrupt: &'a Interrupt,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let began = Instant::now();
        let deadline = timeout.and_then(|timeout| began.checked_add(timeout));
        Overseer {
            stage,
            ledger: None,
            began,
            timeout,
            deadline,
            interrupt,
            observer,
            stopped: None,
        }
    }

    /// The time begins anew, for another part of the query. Who was interrupted stays so.
    pub(crate) fn renew(&mut self) {
        if self.stopped == Some(Stop::TimeLimit) {
            self.stopped = None;
        }
        let now = Instant::now();
        self.deadline = self.timeout.and_then(|timeout| now.checked_add(timeout));
    }

    /// Why it was stopped, if it was.
    pub fn stopped(&self) -> Option<Stop> {
        self.stopped
    }

    /// Since it began.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Works on something that looks at no clock itself: `stop` is called, from another thread, once it is
    /// time to stop.
    pub(crate) fn while_working<T>(
        &mut self,
        stop: impl Fn() + Send,
        work: impl FnOnce() -> T,
    ) -> T {
        let (interrupt, deadline) = (self.interrupt.clone(), self.deadline);
        let (done, finished) = std::sync::mpsc::channel::<()>();
        let result = std::thread::scope(|scope| {
            let watching = move || {
                while finished.recv_timeout(GLANCE) == Err(RecvTimeoutError::Timeout) {
                    let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
                    if interrupt.is_set() || late {
                        return stop();
                    }
                }
            };
            // Without a second thread it is looked at again when the work is done.
            let _ = std::thread::Builder::new().spawn_scoped(scope, watching);
            let result = work();
            drop(done);
            result
        });
        self.look();
        result
    }

    /// Is it time to stop? Engines that do not use [`Watch`] ask this between steps.
    pub fn look(&mut self) -> Option<Stop> {
        if self.interrupt.is_set() {
            self.stopped = Some(Stop::Interrupted);
        } else if self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            self.stopped = Some(Stop::TimeLimit);
        }
        self.stopped
    }
}

impl Watch for Overseer<'_> {
    fn keep_going(&mut self, progress: &Progress) -> bool {
        self.observer
            .progress(&self.stage, progress, self.began.elapsed());
        self.look().is_none()
    }
}
