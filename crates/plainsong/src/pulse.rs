//! Processes that run and run: said, because they cannot be stopped.
//!
//! Limits are looked at when a process does something. One that loops without doing anything, or blocks
//! on a real mutex, keeps the whole exploration, and there is no safe way to stop code that does not want
//! to stop. So a watchdog says who it is. Each worker has a *pulse*: a number that is odd while a process
//! runs and grows each time one is started or stops. A thread of its own, one for the whole program,
//! looks at all pulses now and then; if a number stays the same and odd for longer than
//! [`Explorer::patience`], it prints the name of the process to standard error, and again each time twice
//! as much time has passed.
//!
//! The worker only stores numbers, and the watchdog only reads them: nothing waits for anything.

use crate::explorer::Explorer;
use plainsong_explore::Tid;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak};
use std::time::{Duration, Instant};

impl Explorer {
    /// How long a process may run without doing anything that others could notice before that is printed to
    /// standard error, with its name; 10 seconds otherwise.
    ///
    /// Such a process (an endless loop, a real lock) cannot be stopped, whatever the limits are: a
    /// message is all there is. One that does something again and again is stopped by
    /// [`limit_events`](Explorer::limit_events).
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
    names: Mutex<BTreeMap<Tid, String>>,
    patience: Duration,
}

impl Pulse {
    /// A pulse that the watchdog looks at for as long as it exists.
    pub(crate) fn watched(patience: Duration) -> Arc<Self> {
        let pulse = Arc::new(Pulse {
            beats: AtomicU64::new(0),
            process: AtomicU32::new(0),
            names: Mutex::default(),
            patience,
        });
        watch(&pulse);
        pulse
    }

    /// A process runs from now on.
    #[inline]
    pub(crate) fn starts(&self, process: Tid) {
        self.process.store(process, Ordering::Relaxed);
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
    fn examine(&mut self, now: Instant) -> Option<String> {
        let pulse = self.pulse.upgrade()?;
        let running = pulse.running();
        if running.is_none() || running != self.running {
            self.running = running;
            self.since = now;
            self.next = pulse.patience;
            return None;
        }
        let time = now.duration_since(self.since);
        if time < self.next {
            return None;
        }
        self.next = time * 2;
        Some(complaint(&pulse.who(), time))
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
        let complaints: Vec<String> = patients
            .iter_mut()
            .filter_map(|patient| patient.examine(now))
            .collect();
        drop(patients);
        for complaint in complaints {
            eprintln!("{complaint}");
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_run_that_goes_on_is_complained_about() {
        let second = Duration::from_secs(1);
        let pulse = Pulse::watched(10 * second);
        pulse.name(3, "ann".to_owned());
        let start = Instant::now();
        let mut patient = Patient {
            pulse: Arc::downgrade(&pulse),
            running: None,
            since: start,
            next: pulse.patience,
        };
        let mut at = |seconds: u32| patient.examine(start + seconds * second);
        assert_eq!(at(100), None, "nobody runs");
        pulse.starts(3);
        assert_eq!(at(101), None);
        assert_eq!(at(110), None);
        let said = at(111).expect("10 seconds are over");
        assert!(said.contains("`ann` has been running for 10 s"), "{said}");
        assert_eq!(at(120), None, "it is not said all the time");
        assert!(at(121).expect("twice as long").contains("for 20 s"));
        pulse.beat();
        assert_eq!(at(500), None);
        pulse.starts(0);
        assert_eq!(at(501), None);
        pulse.beat();
        pulse.starts(0);
        assert_eq!(at(520), None, "that is another run");
        assert!(at(531).expect("10 seconds are over").contains("`main`"));
    }
}
