//! Who looks on while an engine works: the clock, the user, and the progress line.

use crate::resume::Ledger;
use crate::worker::{Control, Refutation};
use plainsong_infer::Supervisor;
use plainsong_ir::Delivery;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::search::{Check, Progress, Watch, Writing};
use plainsong_semantics::trace::Trace;
use plainsong_semantics::verdict::Verdict;
use plainsong_smt::Cancel;
use std::io::Read;
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
    urgent: Arc<AtomicBool>,
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

    /// Whoever has not stopped yet is left behind at once.
    pub fn hurry(&self) {
        self.urgent.store(true, Ordering::SeqCst);
        self.set();
    }

    /// Has somebody asked twice?
    pub fn is_urgent(&self) -> bool {
        self.urgent.load(Ordering::SeqCst)
    }
}

/// Why an engine was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The time for the query is over.
    TimeLimit,
    /// The user asked.
    Interrupted,
    /// The process has taken as much memory as it may.
    MemoryLimit,
    /// Nobody needs the answer any more.
    Moot,
}

/// The parts of the portfolio ([`crate::portfolio`]), for the progress line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Few states.
    FirstLook,
    /// Proofs for every size.
    Proofs,
    /// The search to its limits.
    Search,
    /// The sizes around those by default.
    LargerSizes,
}

impl Part {
    /// Its place and its name: `2/4 proofs`.
    pub fn told(self) -> &'static str {
        match self {
            Part::FirstLook => "1/4 first look",
            Part::Proofs => "2/4 proofs",
            Part::Search => "3/4 search",
            Part::LargerSizes => "4/4 larger sizes",
        }
    }
}

/// What the user allows, for the words of verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowance {
    /// `--timeout`.
    pub time: Option<Duration>,
    /// The part of it that this query has.
    pub share: Option<Duration>,
    /// `--memory` or its default, in bytes.
    pub memory: Option<u64>,
}

impl Allowance {
    /// For a verdict's reason.
    pub fn sentence(&self, stop: Stop) -> String {
        match self.limit(stop) {
            (what, "") => what,
            (what, flag) => format!("{what}; see {flag}"),
        }
    }

    /// What was reached, and the flag that sets it.
    pub(crate) fn limit(&self, stop: Stop) -> (String, &'static str) {
        match stop {
            Stop::TimeLimit => (self.time_limit(), "--timeout"),
            Stop::MemoryLimit => {
                let megabytes = self.memory.map(|bytes| bytes / 1_000_000);
                let most = megabytes.map_or(String::new(), |most| format!(" ({most} MB)"));
                (format!("memory limit{most}"), "--memory")
            }
            Stop::Interrupted => ("interrupted".to_owned(), ""),
            Stop::Moot => ("not needed any more".to_owned(), ""),
        }
    }

    fn time_limit(&self) -> String {
        let Some(time) = self.time else {
            return "time limit".to_owned();
        };
        let whole = time.as_secs_f64();
        let share = self.share.map_or(whole, |share| share.as_secs_f64());
        match share < 0.8 * whole {
            true => format!("time limit ({share:.1} s of {whole} s)"),
            false => format!("time limit ({whole} s)"),
        }
    }
}

/// Told now and then how far a query has come.
pub trait Observer: Send {
    /// `progress` so far, `elapsed` since the query began.
    fn progress(&mut self, stage: &Stage, progress: &Progress, elapsed: Duration);
}

/// Nobody is told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn progress(&mut self, _: &Stage, _: &Progress, _: Duration) {}
}

/// What is being worked on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stage {
    pub file: String,
    /// The properties asked together.
    pub properties: Vec<String>,
    pub engine: &'static str,
    /// The part of the portfolio, where there are several.
    pub part: Option<Part>,
    /// Sizes of the instance at hand.
    pub bound: std::collections::BTreeMap<String, String>,
    /// What is counted, in the singular: `state` or `execution`.
    pub counted: &'static str,
    /// How many there probably are, give or take so many, where that was guessed.
    pub expected: Option<(u64, Option<u64>)>,
    /// How many there are to be, where somebody said.
    pub goal: Option<u64>,
    /// What else is to be said of how far it has come.
    pub remark: Option<String>,
}

/// The watch over one query.
pub struct Overseer<'a> {
    /// What is being worked on; engines keep it up to date.
    pub stage: Stage,
    /// What earlier runs found, and where this one enters what it finds.
    pub ledger: Option<&'a mut Ledger>,
    /// What the user allows, for the words of verdicts.
    pub allowance: Allowance,
    began: Instant,
    timeout: Option<Duration>,
    control: Control,
    observer: &'a mut dyn Observer,
    stopped: Option<Stop>,
}

impl<'a> Overseer<'a> {
    /// Begins to watch.
    pub fn new(
        stage: Stage,
        timeout: Option<Duration>,
        interrupt: &Interrupt,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let control = Control::new(interrupt, deadline, None);
        Overseer::controlled(stage, timeout, control, observer)
    }

    /// Begins to watch; somebody else may stop it too.
    pub(crate) fn controlled(
        stage: Stage,
        timeout: Option<Duration>,
        control: Control,
        observer: &'a mut dyn Observer,
    ) -> Self {
        Overseer {
            stage,
            ledger: None,
            allowance: Allowance {
                time: timeout,
                share: timeout,
                memory: None,
            },
            began: Instant::now(),
            timeout,
            control,
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
        let deadline = self.timeout.and_then(|timeout| now.checked_add(timeout));
        self.control.set_deadline(deadline);
    }

    /// Why it was stopped, for a verdict's reason.
    pub fn why_stopped(&self) -> Option<String> {
        self.stopped.map(|stop| self.allowance.sentence(stop))
    }

    /// Why it was stopped, if it was.
    pub fn stopped(&self) -> Option<Stop> {
        self.stopped
    }

    /// Since it began.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// What a search through states is of, in words that no other search has.
    fn search(&self, instance: &Instance, name: &str) -> String {
        let Stage {
            file,
            properties,
            bound,
            ..
        } = &self.stage;
        let delivery = instance.delivery().map(Delivery::name);
        format!("{file} {delivery:?} {properties:?} {bound:?} {name}")
    }

    /// A search through states has come to its end.
    pub(crate) fn close_states(&self) {
        let ledger = self.ledger.as_ref();
        if let Some(checkpoints) = ledger.and_then(|ledger| ledger.checkpoints.as_ref()) {
            checkpoints.close_states();
        }
    }

    /// Keeps a proof for the case that the engine does not come to its end.
    pub(crate) fn proved(&mut self, verdict: &Verdict) {
        self.control.note_proof(verdict);
    }

    /// Is it time to stop? Engines that do not use [`Watch`] ask this between steps.
    pub fn look(&mut self) -> Option<Stop> {
        if let Some(stop) = self.control.reason() {
            self.stopped = Some(stop);
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

    fn refuted(&mut self, instance: &Instance, check: Check, trace: &Trace) {
        self.control.note(Refutation {
            instance: instance.clone(),
            check,
            trace: trace.clone(),
        });
    }

    fn wants_snapshot(&mut self) -> bool {
        self.ledger.as_ref().is_some_and(|ledger| ledger.is_due())
    }

    fn keep_snapshot(&mut self, instance: &Instance, name: &str, write: Writing<'_>) {
        let search = self.search(instance, name);
        if let Some(ledger) = &self.ledger {
            ledger.write_states(&search, write);
        }
    }

    fn earlier_snapshot(&mut self, instance: &Instance, name: &str) -> Option<Box<dyn Read>> {
        let search = self.search(instance, name);
        self.ledger.as_ref()?.earlier_states(&search)
    }

    fn lost_snapshot(&mut self, why: &str) {
        let ledger = self.ledger.as_ref();
        if let Some(checkpoints) = ledger.and_then(|ledger| ledger.checkpoints.as_ref()) {
            checkpoints.lose(why);
        }
    }
}

impl Supervisor for Overseer<'_> {
    fn reason_to_stop(&mut self) -> Option<String> {
        let stop = self.look()?;
        Some(self.allowance.sentence(stop))
    }

    fn cancel(&self) -> Cancel {
        self.control.cancel()
    }

    fn watch_over(&mut self, work: &mut dyn FnMut(&Cancel)) {
        let control = self.control.clone();
        let cancel = Cancel::default();
        let (done, finished) = std::sync::mpsc::channel::<()>();
        std::thread::scope(|scope| {
            let raised = cancel.clone();
            let watching = move || {
                while finished.recv_timeout(GLANCE) == Err(RecvTimeoutError::Timeout) {
                    if control.reason().is_some() {
                        return raised.cancel();
                    }
                }
            };
            // Without a second thread it is looked at again when the work is done.
            let _ = std::thread::Builder::new().spawn_scoped(scope, watching);
            work(&cancel);
            drop(done);
        });
        self.look();
    }
}
