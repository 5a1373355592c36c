//! How to explore: models, limits, and what to do with failures.

use crate::attempt::{Attempt, attempt, attempt_slice};
use crate::checkpoint::program_name;
use crate::checkpoint_slices::Slices;
use crate::delivery::Delivery;
use crate::dot::Album;
use crate::fault::{Budgets, Fault};
use crate::fix::Fixed;
use crate::machine::Root;
use crate::memory::MemoryModel;
use crate::monitor::Registered;
use crate::observer::{Audience, Watching};
use crate::report::{Estimate, Report};
use crate::sync::mpsc::hang_up::Askers;
use crate::trace::Trace;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Explores every execution of a program with the usual settings.
///
/// See the [front page](crate) for how to write one, and [`Explorer`] for other settings.
///
/// ```
/// use plainsong::{current, receive, send, spawn};
///
/// let report = plainsong::explore(|| {
///     let main = current();
///     for n in [1, 2] {
///         spawn(move || send(main, n));
///     }
///     assert_eq!(receive::<i32>() + receive::<i32>(), 3);
/// });
/// report.assert_holds();
/// assert_eq!(report.executions, 2);
/// ```
pub fn explore(program: impl Fn() + Send + Sync + 'static) -> Report {
    Explorer::new().run(program)
}

/// What runs again for the next execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Restart {
    /// Only processes for which something has changed, unless the program turns out to share state
    /// behind the exploration's back: then everything, and the verdict is
    /// [`Verdict::Unknown`](crate::Verdict::Unknown) at best, because orders of what processes do with
    /// that state are not explored.
    #[default]
    Auto,
    /// Only processes for which something has changed.
    Changed,
    /// Everything: slower, but processes may share state (an `Arc<Mutex<_>>`, say). Who asks for this
    /// promises that what they do with it does not depend on the order in which they run.
    All,
}

/// The note when symmetry was asked for in vain.
const NO_SYMMETRY: &str = "symmetry was not used: some messages are delivered in an order that depends on causality, \
     or are copied to monitors, or a choice of one process is fixed, or memory is shared";

/// The note when processes share state: then only one order of what they do with it was looked at.
const SHARED_STATE: &str = "processes share state behind the exploration's back, so each execution was run as a whole, in \
     one order; if what they do with it does not depend on the order in which they run, say so \
     with `Explorer::restart(Restart::All)`";

/// Settings of an exploration.
///
/// ```
/// use plainsong::{choose, Delivery, Explorer};
/// use std::time::Duration;
///
/// let report = Explorer::new()
///     .delivery(Delivery::Causal)
///     .limit_time(Duration::from_secs(10))
///     .run(|| assert!(choose(0..100) < 100));
/// assert_eq!(report.executions, 100);
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is explored before `run` is called"]
pub struct Explorer {
    pub(crate) delivery: Delivery,
    pub(crate) restart: Restart,
    pub(crate) jobs: usize,
    pub(crate) seed: Option<u64>,
    pub(crate) stack_size: usize,
    pub(crate) keep_going: bool,
    pub(crate) allow_deadlock: bool,
    /// Are whole runs performed in another order too, now and then?
    pub(crate) in_another_order: bool,
    /// Does whoever joins a thread or task learn of its panic?
    pub(crate) returns_panics: bool,
    pub(crate) panics_are_failures: bool,
    pub(crate) executions: Option<u64>,
    pub(crate) time: Option<Duration>,
    pub(crate) memory: Option<u64>,
    pub(crate) events: usize,
    pub(crate) events_per_process: usize,
    pub(crate) samples: Option<u32>,
    /// Draw samples by priorities, for bugs of this depth.
    pub(crate) depth: Option<u32>,
    pub(crate) expected: Vec<String>,
    pub(crate) trace_file: Option<PathBuf>,
    pub(crate) checkpoint: Option<PathBuf>,
    pub(crate) checkpoint_interval: Duration,
    /// How long a process may run without doing anything before that is said.
    pub(crate) patience: Duration,
    pub(crate) cancel: Option<Arc<AtomicBool>>,
    pub(crate) monitors: Vec<Registered>,
    pub(crate) fixed: Vec<Fixed>,
    pub(crate) observers: Vec<Watching>,
    pub(crate) dot_file: Option<PathBuf>,
    /// Where to save graphs, and how many.
    pub(crate) dot_folder: Option<(PathBuf, u64)>,
    /// The observers of the run, while it runs.
    pub(crate) audience: Option<Arc<Audience>>,
    /// How often faults may happen.
    pub(crate) budgets: Budgets,
    pub(crate) symmetry: bool,
    pub(crate) memory_model: MemoryModel,
    /// Is memory explored under RC11? Found out by itself, unless somebody says so.
    pub(crate) rc11: bool,
    /// Who asks before a send whether the receiver was dropped; found out by itself.
    pub(crate) askers: Arc<Askers>,
    /// Look for the race that decided a failure.
    pub(crate) explains: bool,
}

impl Default for Explorer {
    fn default() -> Self {
        Explorer {
            delivery: Delivery::default(),
            restart: Restart::default(),
            jobs: 1,
            seed: None,
            stack_size: 256 * 1024,
            keep_going: false,
            allow_deadlock: false,
            in_another_order: false,
            returns_panics: false,
            panics_are_failures: false,
            executions: None,
            time: None,
            memory: None,
            events: 100_000,
            events_per_process: usize::MAX,
            samples: None,
            depth: None,
            expected: Vec::new(),
            trace_file: None,
            checkpoint: None,
            checkpoint_interval: Duration::from_secs(10),
            patience: Duration::from_secs(10),
            cancel: None,
            monitors: Vec::new(),
            fixed: Vec::new(),
            observers: Vec::new(),
            dot_file: None,
            dot_folder: None,
            audience: None,
            budgets: [1; 3],
            symmetry: false,
            memory_model: MemoryModel::default(),
            rc11: false,
            askers: Arc::default(),
            explains: true,
        }
    }
}

impl Explorer {
    /// The usual settings: every execution, messages in [`Delivery::Fifo`] order, stop at the first
    /// failure, a process that waits for ever is one.
    pub fn new() -> Self {
        Explorer::default()
    }

    /// In which order messages arrive that do not say otherwise.
    pub fn delivery(mut self, delivery: Delivery) -> Self {
        self.delivery = delivery;
        self
    }

    /// How many [lossy](crate::Letter::lossy) messages may be lost in an execution; one otherwise.
    pub fn losses(mut self, losses: u32) -> Self {
        self.budgets[Fault::Loss as usize] = losses;
        self
    }

    /// How many messages that may be [duplicated](crate::Letter::duplicated) are, in an execution; one
    /// otherwise.
    pub fn duplicates(mut self, duplicates: u32) -> Self {
        self.budgets[Fault::Duplicate as usize] = duplicates;
        self
    }

    /// How often [crashing](crate::fault::crashing) processes may crash in an execution; once
    /// otherwise.
    pub fn crashes(mut self, crashes: u32) -> Self {
        self.budgets[Fault::Crash as usize] = crashes;
        self
    }

    /// What runs again for the next execution. The usual setting finds out by itself.
    pub fn restart(mut self, restart: Restart) -> Self {
        self.restart = restart;
        self
    }

    /// Explores on this many threads. The result is the same, only sooner.
    ///
    /// ```
    /// use plainsong::{choose, Explorer};
    ///
    /// let report = Explorer::new().jobs(2).run(|| {
    ///     choose(0..100);
    /// });
    /// assert_eq!(report.executions, 100);
    /// ```
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = jobs.max(1);
        self
    }

    /// Goes through the executions in another order, or takes another [sample](Explorer::sample).
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// How much stack each process has, in bytes; 256 KiB otherwise.
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.stack_size = bytes;
        self
    }

    /// Goes on after a failure, to find all of them.
    ///
    /// ```
    /// use plainsong::{choose, Explorer};
    ///
    /// let report = Explorer::new().keep_going(true).run(|| {
    ///     let n = choose(0..6);
    ///     assert!(n != 2, "two");
    ///     assert!(n < 4, "too large");
    /// });
    /// assert_eq!((report.executions, report.failed), (3, 3));
    /// assert_eq!(report.failures.len(), 2);
    /// ```
    pub fn keep_going(mut self, yes: bool) -> Self {
        self.keep_going = yes;
        self
    }

    /// Does not mind processes that wait for ever.
    ///
    /// ```
    /// use plainsong::{receive, Explorer};
    ///
    /// let report = Explorer::new().allow_deadlock(true).run(|| receive::<()>());
    /// report.assert_holds();
    /// assert_eq!((report.executions, report.blocked), (0, 1));
    /// ```
    pub fn allow_deadlock(mut self, yes: bool) -> Self {
        self.allow_deadlock = yes;
        self
    }

    /// Stops after so many executions.
    ///
    /// ```
    /// use plainsong::{choose, End, Explorer, Limit, Verdict};
    ///
    /// let report = Explorer::new().limit_executions(10).run(|| {
    ///     choose(0..100);
    /// });
    /// assert_eq!(report.verdict, Verdict::Unknown);
    /// assert_eq!(report.end, End::Limit(Limit::Executions));
    /// assert_eq!(report.estimate.unwrap().executions, 100.0);
    /// ```
    pub fn limit_executions(mut self, executions: u64) -> Self {
        self.executions = Some(executions);
        self
    }

    /// Stops after so much time. Looked at after each execution: code that runs for ever without
    /// an operation is not interrupted, but it is [said](Explorer::patience) who does.
    pub fn limit_time(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }

    /// Stops when the whole program has more memory than this, in bytes, where the system tells.
    pub fn limit_memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Stops when somebody sets the flag: a handler of Ctrl-C, say. Looked at after each execution.
    ///
    /// ```
    /// use plainsong::{choose, End, Explorer, Verdict};
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicBool, Ordering};
    ///
    /// let flag = Arc::new(AtomicBool::new(false));
    /// let handler = Arc::clone(&flag);
    /// let report = Explorer::new().cancel(flag).run(move || {
    ///     if choose(0..1000) == 20 {
    ///         handler.store(true, Ordering::Relaxed);
    ///     }
    /// });
    /// assert_eq!((report.verdict, report.end), (Verdict::Unknown, End::Cancelled));
    /// assert!(report.executions < 1000);
    /// ```
    pub fn cancel(mut self, flag: Arc<AtomicBool>) -> Self {
        self.cancel = Some(flag);
        self
    }

    /// Gives up executions that have more events than this; 100,000 otherwise. A process that sends
    /// for ever would have executions without end.
    ///
    /// ```
    /// use plainsong::{current, send, End, Explorer, Limit};
    ///
    /// let report = Explorer::new().limit_events(50).run(|| loop {
    ///     send(current(), ());
    /// });
    /// assert_eq!(report.end, End::Limit(Limit::Events));
    /// ```
    pub fn limit_events(mut self, events: usize) -> Self {
        self.events = events;
        self
    }

    /// Gives up executions in which some process has more events than this, and says which: an event
    /// is whatever it does that others could notice, its end included.
    ///
    /// ```
    /// use plainsong::{current, send, spawn_named, End, Explorer, Limit};
    ///
    /// let report = Explorer::new().limit_events_per_process(50).run(|| {
    ///     let main = current();
    ///     spawn_named("chatterbox", move || loop {
    ///         send(main, ());
    ///     });
    /// });
    /// assert_eq!(report.end, End::Limit(Limit::Events));
    /// let note = "`chatterbox` has more than 50 events in some execution; the last ones at ";
    /// assert!(report.notes[0].starts_with(note)); // and the line
    /// ```
    pub fn limit_events_per_process(mut self, events: usize) -> Self {
        self.events_per_process = events;
        self
    }

    /// Looks at so many executions drawn at random, not at all of them: for programs that have too
    /// many. Which ones depends on the [seed](Explorer::seed) only.
    ///
    /// ```
    /// use plainsong::{choose, Explorer, Verdict};
    ///
    /// let report = Explorer::new().sample(50).run(|| {
    ///     let die = [(); 30].map(|()| choose(1..=6));
    ///     assert!(die.iter().sum::<i32>() > 10);
    /// });
    /// assert_eq!(report.executions, 50);
    /// assert_eq!(report.verdict, Verdict::Unknown);
    /// ```
    pub fn sample(mut self, executions: u32) -> Self {
        self.samples = Some(executions);
        self.depth = None;
        self
    }

    /// Looks at so many executions drawn by random priorities (PCT), which find bugs that need few
    /// things to happen in the right order: `depth` of them. Which ones depends on the
    /// [seed](Explorer::seed) only.
    ///
    /// In each execution the process with the highest priority of those that can go on does, and messages
    /// in flight have priorities like processes. At `depth - 1` random moments, the one that would
    /// go on gets the lowest priority. With `n` processes (and ways of messages) and `k` steps, each
    /// execution shows a bug of that depth with probability `1/(n k^(depth-1))` at least, however
    /// many executions there are. Try 2 or 3. An execution that [`sample`](Explorer::sample) draws needs
    /// luck at every receive.
    ///
    /// ```
    /// use plainsong::{current, receive, send, spawn, Delivery, Explorer, Verdict};
    ///
    /// // Fails if the alarm comes between numbers 14 and 15.
    /// let program = || {
    ///     let main = current();
    ///     spawn(move || (1..=20).for_each(|n| send(main, n)));
    ///     spawn(move || send(main, 0));
    ///     let seen = [(); 21].map(|()| receive::<i32>());
    ///     assert!(!seen.windows(2).any(|pair| pair == [14, 0]));
    /// };
    /// let explorer = Explorer::new().delivery(Delivery::Mailbox);
    /// let at_random = explorer.clone().sample(500).run(program);
    /// assert_eq!(at_random.verdict, Verdict::Unknown);
    /// let by_priority = explorer.pct(500, 2).run(program);
    /// assert_eq!(by_priority.verdict, Verdict::Refuted);
    /// ```
    pub fn pct(mut self, executions: u32, depth: u32) -> Self {
        self.samples = Some(executions);
        self.depth = Some(depth.max(1));
        self
    }

    /// Does not tell processes of one [family](crate::spawn_family) apart.
    ///
    /// Of executions that differ only in which of them does what, not all are explored. That is right
    /// if nobody cares which is which: no process compares, sorts or counts on the order of
    /// [`Process`](crate::Process) values of the family, or treats the first of the handles in another
    /// way than the last. Counts are then about executions up to names. Not used, with a note, when
    /// messages are delivered in an order that depends on causality, or monitors watch.
    ///
    /// ```
    /// use plainsong::{choose_bool, current, receive, send, spawn_family, Explorer};
    ///
    /// let vote = || {
    ///     let main = current();
    ///     spawn_family("voter", 4, move || send(main, choose_bool()));
    ///     (0..4).for_each(|_| drop(receive::<bool>()));
    /// };
    /// assert_eq!(Explorer::new().run(vote).executions, 384); // 2⁴ · 4!
    /// assert_eq!(Explorer::new().symmetry(true).run(vote).executions, 16); // 2⁴
    /// ```
    pub fn symmetry(mut self, yes: bool) -> Self {
        self.symmetry = yes;
        self
    }

    /// How atomics and cells behave; the usual setting finds out by itself what the program needs.
    ///
    /// ```
    /// use plainsong::sync::atomic::{AtomicBool, Ordering};
    /// use plainsong::{sync::Arc, thread, Explorer, MemoryModel};
    ///
    /// let program = || {
    ///     let flags = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
    ///     let threads = [0, 1].map(|mine: usize| {
    ///         let flags = Arc::clone(&flags);
    ///         thread::spawn(move || {
    ///             flags[mine].store(true, Ordering::Release);
    ///             flags[1 - mine].load(Ordering::Acquire)
    ///         })
    ///     });
    ///     let [one, other] = threads.map(|thread| thread.join().unwrap());
    ///     assert!(one || other, "neither sees the other");
    /// };
    /// let report = Explorer::new().run(program);
    /// assert_eq!(report.failures[0].message, "neither sees the other");
    ///
    /// let strong = Explorer::new().memory_model(MemoryModel::SequentialConsistency);
    /// strong.run(program).assert_holds();
    /// ```
    pub fn memory_model(mut self, model: MemoryModel) -> Self {
        self.memory_model = model;
        self
    }

    /// Takes every panic of a thread or task for a failure, also one that the program handles.
    ///
    /// Otherwise a panic is none if somebody gets to know of it: `join` returns an error, and goes on.
    ///
    /// ```
    /// use plainsong::{thread, Explorer, Verdict};
    ///
    /// let supervise = || {
    ///     let worker = thread::spawn(|| panic!("no input"));
    ///     assert!(worker.join().is_err());
    /// };
    /// assert_eq!(Explorer::new().run(supervise).verdict, Verdict::Holds);
    /// let strict = Explorer::new().panics_are_failures(true);
    /// assert_eq!(strict.run(supervise).verdict, Verdict::Refuted);
    /// ```
    pub fn panics_are_failures(mut self, yes: bool) -> Self {
        self.panics_are_failures = yes;
        self
    }

    /// Says in the report which of these [marks](crate::cover) no execution reaches.
    ///
    /// ```
    /// use plainsong::{cover, Explorer};
    ///
    /// let report = Explorer::new().expect_covered(["start", "timeout"]).run(|| cover("start"));
    /// assert_eq!(report.notes, ["no execution reaches `timeout`"]);
    /// ```
    pub fn expect_covered(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.expected.extend(names.into_iter().map(Into::into));
        self
    }

    /// Saves the trace of the first failure here.
    pub fn trace_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.trace_file = Some(path.into());
        self
    }

    /// Explores the program.
    ///
    /// # Panics
    ///
    /// When compiled with `panic = "abort"`: failures are found by unwinding.
    pub fn run(&self, program: impl Fn() + Send + Sync + 'static) -> Report {
        let started = Instant::now();
        self.observed(|settings| {
            let mut slices = match Slices::new(settings, program_name(&program)) {
                Ok(slices) => slices,
                Err(misfit) => return Attempt::refused(misfit).into_report(settings, started),
            };
            let root = Arc::new(program) as Root;
            settings
                .search(&root, &mut slices)
                .into_report(settings, started)
        })
    }

    /// Does something with these settings while the observers watch.
    fn observed(&self, explore: impl FnOnce(&Explorer) -> Report) -> Report {
        let album = self.dot_folder.clone().map(Album::new).map(Arc::new);
        let mut observers = self.observers.clone();
        observers.extend(album.clone().map(|album| Watching(album)));
        let settings = Explorer {
            audience: Audience::of(&observers),
            ..self.clone()
        };
        let mut report = explore(&settings);
        report.notes.extend(album.and_then(|album| album.trouble()));
        if let Some(audience) = &settings.audience {
            audience.at_end(&report);
            audience.go_on_panicking();
        }
        report
    }

    /// Searches until nobody has to be asked or told anything that was not known before.
    fn search(&self, root: &Root, slices: &mut Slices) -> Attempt {
        let mut settings = self.clone();
        settings.askers = Arc::new(slices.askers());
        let fixes_one = self.fixed.iter().any(|fixed| fixed.place.is_some());
        settings.symmetry = slices.symmetry(self.symmetry) && !fixes_one;
        settings.rc11 = slices.rc11(self.memory_model == MemoryModel::Rc11);
        loop {
            settings.symmetry &= !settings.rc11;
            let mut outcome = settings.attempt_twice(root, slices);
            if outcome.needs_rc11 {
                settings.rc11 = true;
                settings.start_again(slices);
                continue;
            }
            if settings.symmetry && outcome.needs_causality {
                settings.symmetry = false;
                settings.start_again(slices);
                continue;
            }
            if outcome.askers.is_empty() {
                if settings.symmetry != self.symmetry {
                    outcome.notes.push(NO_SYMMETRY.to_owned());
                }
                return outcome;
            }
            Arc::make_mut(&mut settings.askers).extend(outcome.askers);
            settings.start_again(slices);
        }
    }

    /// What was seen is void.
    fn start_again(&self, slices: &mut Slices) {
        slices.start_again();
        if let Some(audience) = &self.audience {
            audience.start_again();
        }
    }

    /// Searches; if a thread panics that somebody may join, again, with panics that are returned to whoever joins.
    fn attempt_twice(&self, root: &Root, slices: &mut Slices) -> Attempt {
        if self.checkpoint.is_some() && !self.panics_are_failures {
            // What is left of the search has to mean the same when it goes on.
            let returning = Explorer {
                returns_panics: true,
                ..self.clone()
            };
            return returning.attempt(root, slices);
        }
        let first = self.attempt(root, slices);
        let is_settled = !first.may_handle_a_panic || self.panics_are_failures;
        if is_settled || first.needs_rc11 || !first.askers.is_empty() {
            return first;
        }
        self.start_again(slices);
        let returning = Explorer {
            returns_panics: true,
            ..self.clone()
        };
        let second = returning.attempt(root, slices);
        match first.is_confirmed_by(&second) && !second.needs_rc11 {
            true => first,
            false => second,
        }
    }

    fn attempt(&self, root: &Root, slices: &mut Slices) -> Attempt {
        let first = match self.restart {
            Restart::All => Restart::All,
            Restart::Auto | Restart::Changed => slices.restart(),
        };
        let mut outcome = attempt_slice(self, root, first, slices);
        if outcome.needs_a_whole && first != Restart::All {
            return self.attempt_whole(root, slices);
        }
        // A checkpoint remembers that everything had to run again.
        let mut shares_state =
            self.restart == Restart::Auto && first == Restart::All && !outcome.needs_a_whole;
        if self.restart == Restart::Auto && outcome.mismatch.is_some() && first != Restart::All {
            self.start_again(slices);
            outcome = attempt_slice(self, root, Restart::All, slices);
            shares_state = true;
        }
        if shares_state && outcome.mismatch.is_none() {
            outcome.notes.push(SHARED_STATE.to_owned());
            outcome.shares_state = true;
        }
        outcome
    }

    /// Searches with whole runs, because something can only be run so: what it sends cannot be copied, or it borrows.
    /// What processes share besides is noticed where they run in another order.
    fn attempt_whole(&self, root: &Root, slices: &mut Slices) -> Attempt {
        self.start_again(slices);
        let careful = Explorer {
            in_another_order: self.restart == Restart::Auto,
            ..self.clone()
        };
        let outcome = attempt_slice(&careful, root, Restart::All, slices);
        if outcome.mismatch.is_none() || !careful.in_another_order {
            return outcome;
        }
        self.start_again(slices);
        let mut outcome = attempt_slice(self, root, Restart::All, slices);
        if outcome.mismatch.is_none() {
            outcome.notes.push(SHARED_STATE.to_owned());
            outcome.shares_state = true;
        }
        outcome
    }

    /// Follows a saved trace, and says whether it still fails.
    ///
    /// The trace says what each process receives and chooses, by name. The program may have changed
    /// since; if an event of the trace is no longer possible, the report names the first such event.
    ///
    /// ```
    /// use plainsong::{choose, Explorer, Verdict};
    ///
    /// let program = || assert_ne!(choose(1..=3), 2);
    /// let failure = plainsong::explore(program).failures.remove(0);
    /// let trace = failure.trace.unwrap();
    ///
    /// let again = Explorer::new().replay(&trace, program);
    /// assert_eq!(again.verdict, Verdict::Refuted);
    /// assert_eq!(again.failures[0].message, failure.message);
    /// ```
    pub fn replay(&self, trace: &Trace, program: impl Fn() + Send + Sync + 'static) -> Report {
        let settings = Explorer {
            rc11: self.memory_model == MemoryModel::Rc11 || trace.is_about_memory(),
            jobs: 1,
            restart: Restart::All,
            samples: None,
            returns_panics: trace.returns_panics,
            executions: Some(1),
            explains: false,
            ..self.clone()
        };
        let started = Instant::now();
        let root = Arc::new(program) as Root;
        settings.observed(|settings| {
            let outcome = attempt(settings, &root, Restart::All, Some(&trace.guide()));
            let followed = outcome.followed.clone();
            let report = outcome.into_report(settings, started);
            trace.judge(report, self.delivery, &followed)
        })
    }

    /// Estimates how many executions the program has, from so many random ones.
    pub fn estimate(&self, walks: u32, program: impl Fn() + Send + Sync + 'static) -> Estimate {
        crate::attempt::estimate(self, &(Arc::new(program) as Root), walks)
    }
}
