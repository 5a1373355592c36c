//! Processes that run and run: said, and ended with the whole program when the time limit is over.
//!
//! Limits are looked at when a process does something. One that loops without doing anything, or blocks
//! on a real mutex, keeps the whole exploration, and there is no safe way to stop code that does not want
//! to stop. So a watchdog says who it is. If there is a [time limit](Explorer::limit_time), and it was over
//! half a second ago, the watchdog prints what was found so far and ends the program with exit code 101, as a
//! failed test does. Each worker has a *pulse*: a number that is odd while a process
//! runs and grows each time one is started or stops. A thread of its own, one for the whole program,
//! looks at all pulses now and then; if a number stays the same and odd for longer than
//! [`Explorer::patience`], it prints the name of the process to standard error, and again each time twice
//! as much time has passed.
//!
//! The worker only stores numbers, and the watchdog only reads them: nothing waits for anything. A process that
//! runs does not hold the lock of what was found.

use crate::explorer::Explorer;
use crate::failure::Failure;
use crate::report::{Limit, Verdict};
use plainsong_explore::Tid;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::panic::Location;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak};
use std::time::{Duration, Instant};

impl Explorer {
    /// How long a process may run without doing anything that others could notice before that is printed to
    /// standard error, with its name; 10 seconds otherwise.
    ///
    /// Such a process (an endless loop, a real lock) cannot be stopped. When there is a
    /// [time limit](Explorer::limit_time) and it is over, the whole program is ended, with exit code 101, after
    /// the failures found so far and the process were printed; without, a message is all there is. One that
    /// does something again and again is stopped by the limits.
    ///
    /// ```text
    /// plainsong: `server` has been running for 10 s without an operation; the exploration waits for it.
    ///   Does it loop for ever, or wait for a lock or a channel that is not one of plainsong's?
    /// ```
    pub fn patience(mut self, time: Duration) -> Self {
        self.patience = time;
        self
    }
}

/// What the watchdog sees of one worker.
pub(crate) struct Pulse {
    /// Odd while a process runs.
    beats: AtomicU64,
    /// Which one.
    process: AtomicU32,
    /// Where the operation is that it did last.
    last: Mutex<Option<&'static Location<'static>>>,
    names: Mutex<BTreeMap<Tid, String>>,
    patience: Duration,
    /// When the search is to stop.
    deadline: Option<Instant>,
    failures: Failures,
}

/// What was found so far, if nobody is writing it down just now.
type Failures = Box<dyn Fn() -> Vec<Failure> + Send + Sync>;

impl Pulse {
    /// A pulse that the watchdog looks at for as long as it exists.
    pub(crate) fn watched(
        patience: Duration,
        deadline: Option<Instant>,
        failures: Failures,
    ) -> Arc<Self> {
        let pulse = Arc::new(Pulse {
            beats: AtomicU64::new(0),
            process: AtomicU32::new(0),
            last: Mutex::default(),
            names: Mutex::default(),
            patience,
            deadline,
            failures,
        });
        watch(&pulse);
        pulse
    }

    /// A process runs from now on.
    #[inline]
    pub(crate) fn starts(&self, process: Tid, last: Option<&'static Location<'static>>) {
        self.process.store(process, Ordering::Relaxed);
        *locked(&self.last) = last;
        self.beat();
    }

    /// It has stopped.
    #[inline]
    pub(crate) fn beat(&self) {
        let beats = self.beats.load(Ordering::Relaxed);
        self.beats.store(beats.wrapping_add(1), Ordering::Release);
    }

    /// A process is called so.
    pub(crate) fn name(&self, process: Tid, name: String) {
        locked(&self.names).insert(process, name);
    }

    /// The number of the run that goes on, if one does.
    fn running(&self) -> Option<u64> {
        let beats = self.beats.load(Ordering::Acquire);
        (beats % 2 == 1).then_some(beats)
    }

    /// The failures found so far.
    pub(crate) fn failures(&self) -> Vec<Failure> {
        (self.failures)()
    }

    /// "after the operation at src/lib.rs:26:17"
    fn place(&self) -> String {
        let last = *locked(&self.last);
        last.map_or_else(
            || "since its start".to_owned(),
            |last| format!("after the operation at {last}"),
        )
    }

    /// The last words, if the search should have stopped some time ago.
    fn last_words(&self, now: Instant, time: Duration) -> Option<String> {
        let deadline = self.deadline?;
        if now < deadline + GRACE || time < GRACE {
            return None;
        }
        let failures = self.failures();
        let mut text: String = failures
            .iter()
            .map(|failure| format!("{failure}\n"))
            .collect();
        let verdict = match failures.iter().any(|failure| failure.kind.is_wrong()) {
            true => Verdict::Refuted,
            false => Verdict::Unknown,
        };
        let (who, place) = (self.who(), self.place());
        let _ = write!(
            text,
            "{verdict}: {}\n  `{who}` runs without an operation {place}, and cannot be stopped: \
             the program ends here.\n  Does it loop for ever, or wait for a lock or a channel that is \
             not one of plainsong's?",
            Limit::Time
        );
        Some(text)
    }

    fn who(&self) -> String {
        let process = self.process.load(Ordering::Relaxed);
        let names = locked(&self.names);
        let name = names.get(&process).cloned();
        name.unwrap_or_else(|| match process {
            0 => "main".to_owned(),
            _ => format!("process {process}"),
        })
    }
}

/// How long after the time limit a process that runs without an operation ends the program.
const GRACE: Duration = Duration::from_millis(500);

/// What the watchdog has to say.
enum Word {
    /// Somebody hangs.
    Complaint(String),
    /// Somebody hangs, and the time is over.
    Last(String),
}

/// What the watchdog remembers of a pulse.
struct Patient {
    pulse: Weak<Pulse>,
    /// The run that goes on.
    running: Option<u64>,
    since: Instant,
    /// When it is said next, from then on.
    next: Duration,
}

impl Patient {
    /// What is to be said about it now, if anything.
    fn examine(&mut self, now: Instant) -> Option<Word> {
        let pulse = self.pulse.upgrade()?;
        let running = pulse.running();
        if running.is_none() || running != self.running {
            self.running = running;
            self.since = now;
            self.next = pulse.patience;
            return None;
        }
        let time = now.duration_since(self.since);
        if let Some(words) = pulse.last_words(now, time) {
            return Some(Word::Last(words));
        }
        if time < self.next {
            return None;
        }
        self.next = time * 2;
        Some(Word::Complaint(complaint(&pulse.who(), time)))
    }
}

fn complaint(who: &str, time: Duration) -> String {
    format!(
        "plainsong: `{who}` has been running for {} s without an operation; the exploration waits for it.\n  \
         Does it loop for ever, or wait for a lock or a channel that is not one of plainsong's?",
        time.as_secs()
    )
}

static PATIENTS: Mutex<Vec<Patient>> = Mutex::new(Vec::new());

/// Has the watchdog look at a pulse; starts it if need be.
fn watch(pulse: &Arc<Pulse>) {
    static WATCHDOG: Once = Once::new();
    locked(&PATIENTS).push(Patient {
        pulse: Arc::downgrade(pulse),
        running: None,
        since: Instant::now(),
        next: pulse.patience,
    });
    WATCHDOG.call_once(|| {
        let watchdog = std::thread::Builder::new().name("plainsong watchdog".to_owned());
        // Without it there are no messages, and nothing else is missing.
        let _ = watchdog.spawn(make_rounds);
    });
}

/// How often the watchdog looks.
const ROUND: Duration = Duration::from_millis(250);

#[expect(
    clippy::print_stderr,
    reason = "the exploration hangs: nobody else can say so"
)]
fn make_rounds() {
    loop {
        std::thread::sleep(ROUND);
        let now = Instant::now();
        let mut patients = locked(&PATIENTS);
        patients.retain(|patient| patient.pulse.strong_count() > 0);
        let words: Vec<Word> = patients
            .iter_mut()
            .filter_map(|patient| patient.examine(now))
            .collect();
        drop(patients);
        for word in words {
            match word {
                Word::Complaint(text) => eprintln!("{text}"),
                Word::Last(text) => {
                    eprintln!("{text}");
                    std::process::exit(FAILED);
                }
            }
        }
    }
}

/// The exit code of a test that failed.
const FAILED: i32 = 101;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::FailureKind;

    #[test]
    fn only_a_run_that_goes_on_is_complained_about() {
        let second = Duration::from_secs(1);
        let pulse = Pulse::watched(10 * second, None, Box::new(Vec::new));
        pulse.name(3, "ann".to_owned());
        let start = Instant::now();
        let mut patient = Patient {
            pulse: Arc::downgrade(&pulse),
            running: None,
            since: start,
            next: pulse.patience,
        };
        let mut at = |seconds: u32| {
            let word = patient.examine(start + seconds * second);
            word.map(|word| match word {
                Word::Complaint(text) => text,
                Word::Last(_) => unreachable!("there is no limit"),
            })
        };
        assert_eq!(at(100), None, "nobody runs");
        pulse.starts(3, None);
        assert_eq!(at(101), None);
        assert_eq!(at(110), None);
        let said = at(111).expect("10 seconds are over");
        assert!(said.contains("`ann` has been running for 10 s"), "{said}");
        assert_eq!(at(120), None, "it is not said all the time");
        assert!(at(121).expect("twice as long").contains("for 20 s"));
        pulse.beat();
        assert_eq!(at(500), None);
        pulse.starts(0, None);
        assert_eq!(at(501), None);
        pulse.beat();
        pulse.starts(0, None);
        assert_eq!(at(520), None, "that is another run");
        assert!(at(531).expect("10 seconds are over").contains("`main`"));
    }
    #[test]
    fn a_run_that_goes_on_after_the_time_limit_is_the_last() {
        let second = Duration::from_secs(1);
        let start = Instant::now();
        let failure = || Failure::plain(FailureKind::Panic, "too late".to_owned(), None);
        let found = Box::new(move || vec![failure()]);
        let pulse = Pulse::watched(1000 * second, Some(start + 5 * second), found);
        pulse.starts(0, Some(Location::caller()));
        assert_eq!(pulse.last_words(start + 5 * second, 5 * second), None);
        assert_eq!(pulse.last_words(start + 6 * second, second / 10), None);
        let words = pulse.last_words(start + 6 * second, 6 * second);
        let words = words.expect("the time is over");
        assert!(
            words.starts_with("too late\n\nREFUTED: time limit reached"),
            "{words}"
        );
        assert!(
            words.contains("`main` runs without an operation after the operation at"),
            "{words}"
        );
        assert!(words.contains("watchdog.rs:"), "{words}");
        pulse.beat();
    }
}
