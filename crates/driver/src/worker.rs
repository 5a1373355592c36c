//! Work with a limit: on a thread of its own, left behind when it does not stop.
//!
//! Engines ask their [`Overseer`](crate::watch::Overseer) now and then whether it is time to stop. A loop that forgets to
//! ask must not cost a user the limit they set: whoever waits here looks at the clock, at Ctrl-C and at the memory itself,
//! asks the work to stop, and goes on without it when it has not stopped within [`GRACE`], or at a second Ctrl-C. A
//! thread that was left behind ends with the process.

use crate::contain::{Crash, contained};
use crate::memory::resident;
use crate::watch::{Interrupt, Observer, Stage, Stop};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::search::{Check, Progress};
use plainsong_semantics::trace::Trace;
use plainsong_semantics::verdict::Verdict;
use plainsong_smt::Cancel;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long work may take to stop once it was asked to.
pub const GRACE: Duration = Duration::from_millis(600);
/// How often whoever waits looks at the clock.
const GLANCE: Duration = Duration::from_millis(10);
/// How often progress is passed on.
const NEWS: Duration = Duration::from_millis(50);
/// Songs may nest deeply; the same stack as that of the command.
pub(crate) const STACK: usize = 256 * 1024 * 1024;

/// When to stop: shared by the work and whoever waits for it.
#[derive(Clone, Debug, Default)]
pub struct Control {
    interrupt: Interrupt,
    memory: Option<u64>,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    deadline: Mutex<Option<Instant>>,
    /// 0 for nothing, else the place of the reason in [`REASONS`] and 1.
    stop: AtomicU8,
    /// Raised for solvers once it is time to stop.
    cancel: Mutex<Cancel>,
    /// What the work has refuted so far.
    refuted: Mutex<Vec<Refutation>>,
    /// What it has proved.
    proved: Mutex<Vec<Verdict>>,
}

/// A refutation that work found so far.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// Of which song, at which sizes.
    pub instance: Instance,
    pub check: Check,
    /// By which execution; it was replayed.
    pub trace: Trace,
}

const REASONS: [Stop; 4] = [
    Stop::TimeLimit,
    Stop::Interrupted,
    Stop::MemoryLimit,
    Stop::Moot,
];

impl Control {
    /// Stops at Ctrl-C, at the deadline, and when the process has taken so many bytes.
    pub fn new(interrupt: &Interrupt, deadline: Option<Instant>, memory: Option<u64>) -> Control {
        let control = Control {
            interrupt: interrupt.clone(),
            memory,
            shared: Arc::default(),
        };
        control.set_deadline(deadline);
        control
    }

    /// From now on it is over then.
    pub fn set_deadline(&self, deadline: Option<Instant>) {
        let held = self.shared.deadline.lock();
        *held.unwrap_or_else(PoisonError::into_inner) = deadline;
        // A limit of time that was passed counts no longer; the others do.
        let time = number(Stop::TimeLimit);
        let stop = &self.shared.stop;
        let _ = stop.compare_exchange(time, 0, Ordering::SeqCst, Ordering::SeqCst);
        let cancel = self.shared.cancel.lock();
        *cancel.unwrap_or_else(PoisonError::into_inner) = Cancel::default();
    }

    /// What whoever waits raises once it is time to stop: for work that waits itself, for a solver.
    pub fn cancel(&self) -> Cancel {
        let cancel = self.shared.cancel.lock();
        cancel.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps a refutation for the case that the work does not come to its end.
    pub(crate) fn note(&self, refutation: Refutation) {
        let kept = self.shared.refuted.lock();
        kept.unwrap_or_else(PoisonError::into_inner)
            .push(refutation);
    }

    /// Keeps a proof for the same case.
    pub(crate) fn note_proof(&self, verdict: &Verdict) {
        let kept = self.shared.proved.lock();
        kept.unwrap_or_else(PoisonError::into_inner)
            .push(verdict.clone());
    }

    /// What the work has proved so far.
    pub(crate) fn proved(&self) -> Vec<Verdict> {
        let kept = self.shared.proved.lock();
        kept.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the work has refuted so far.
    pub(crate) fn refuted(&self) -> Vec<Refutation> {
        let kept = self.shared.refuted.lock();
        kept.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Has the work refuted this?
    pub(crate) fn has_refuted(&self, check: Check) -> bool {
        let kept = self.shared.refuted.lock();
        let kept = kept.unwrap_or_else(PoisonError::into_inner);
        kept.iter().any(|one| one.check == check)
    }

    /// Stops the work for this reason.
    pub(crate) fn stop(&self, why: Stop) {
        self.shared.stop.store(number(why), Ordering::SeqCst);
        self.cancel().cancel();
    }

    /// Is it time to stop? Cheap enough for every hundredth step of anything.
    pub fn reason(&self) -> Option<Stop> {
        if self.interrupt.is_set() {
            return Some(Stop::Interrupted);
        }
        let said = self.shared.stop.load(Ordering::Relaxed);
        if let Some(place) = said.checked_sub(1) {
            return REASONS.get(usize::from(place)).copied();
        }
        let deadline = self.shared.deadline.lock();
        let deadline = *deadline.unwrap_or_else(PoisonError::into_inner);
        let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        is_late.then_some(Stop::TimeLimit)
    }

    /// The same, with a look at the memory of the process.
    fn look(&self) -> Option<Stop> {
        let reason = self.reason();
        if reason.is_none()
            && let (Some(most), Some(taken)) = (self.memory, resident())
            && taken > most
        {
            self.shared
                .stop
                .store(number(Stop::MemoryLimit), Ordering::SeqCst);
            return Some(Stop::MemoryLimit);
        }
        reason
    }
}

fn number(stop: Stop) -> u8 {
    let place = REASONS.iter().position(|one| *one == stop);
    place.map_or(0, |place| place as u8 + 1)
}

/// What became of work with a limit.
#[derive(Debug)]
pub enum Ended<T> {
    /// It came to its end, or broke.
    Done(Result<T, Crash>),
    /// It was asked to stop for this reason and did not; the last that was heard of it.
    LeftBehind(Stop, Option<News>),
}

/// How far work has come.
#[derive(Clone, Debug)]
pub struct News {
    /// What it was at.
    pub stage: Stage,
    /// How far.
    pub progress: Progress,
    /// Since it began.
    pub elapsed: Duration,
}

pub(crate) enum Message<T> {
    /// How far it has come.
    News(Box<News>),
    /// It has come to its end.
    Done(Result<T, Crash>),
}

/// Passes on what the work says of its progress.
pub(crate) struct Reporter<T> {
    sender: Sender<Message<T>>,
    last: Option<Instant>,
}

impl<T> Reporter<T> {
    pub(crate) fn new(sender: Sender<Message<T>>) -> Reporter<T> {
        Reporter { sender, last: None }
    }
}

impl<T: Send> Observer for Reporter<T> {
    fn progress(&mut self, stage: &Stage, progress: &Progress, elapsed: Duration) {
        if self.last.is_some_and(|last| last.elapsed() < NEWS) {
            return;
        }
        self.last = Some(Instant::now());
        let news = News {
            stage: stage.clone(),
            progress: *progress,
            elapsed,
        };
        // Nobody listens any more to what was left behind.
        let _ = self.sender.send(Message::News(Box::new(news)));
    }
}

/// Does the work on a thread of its own, within the limits of `control`; `observer` is told of its progress.
pub fn within<T: Send + 'static>(
    control: &Control,
    observer: &mut dyn Observer,
    work: impl FnOnce(&mut dyn Observer) -> T + Send + 'static,
) -> Ended<T> {
    within_unless(control, observer, &|| false, work)
}

/// The same, until `is_moot` says that nobody needs it any more.
pub(crate) fn within_unless<T: Send + 'static>(
    control: &Control,
    observer: &mut dyn Observer,
    is_moot: &dyn Fn() -> bool,
    work: impl FnOnce(&mut dyn Observer) -> T + Send + 'static,
) -> Ended<T> {
    let (sender, receiver) = channel::<Message<T>>();
    let body = move || {
        let mut reporter = Reporter::new(sender.clone());
        let result = contained(|| work(&mut reporter));
        let _ = sender.send(Message::Done(result));
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(body);
    match thread {
        Ok(_) => wait(control, observer, is_moot, &receiver),
        Err(error) => Ended::Done(Err(Crash {
            message: format!("there is no thread to work on: {error}"),
            backtrace: String::new(),
        })),
    }
}

/// Waits for work that was begun.
pub(crate) fn wait<T>(
    control: &Control,
    observer: &mut dyn Observer,
    is_moot: &dyn Fn() -> bool,
    receiver: &Receiver<Message<T>>,
) -> Ended<T> {
    let mut last = None;
    let mut asked: Option<Instant> = None;
    loop {
        match receiver.recv_timeout(GLANCE) {
            Ok(Message::Done(result)) => return Ended::Done(result),
            Ok(Message::News(news)) => {
                observer.progress(&news.stage, &news.progress, news.elapsed);
                last = Some(*news);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Ended::Done(Err(Crash {
                    message: "the thread of the work is gone".to_owned(),
                    backtrace: String::new(),
                }));
            }
        }
        if asked.is_none() && is_moot() {
            control.stop(Stop::Moot);
        }
        match (control.look(), asked) {
            (None, _) => asked = None,
            (Some(_), None) => {
                control.cancel().cancel();
                asked = Some(Instant::now());
            }
            (Some(stop), Some(since))
                if since.elapsed() > GRACE || control.interrupt.is_urgent() =>
            {
                return Ended::LeftBehind(stop, last);
            }
            (Some(_), Some(_)) => {}
        }
    }
}
