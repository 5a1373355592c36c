//! One search through the executions of a program.

use crate::checkpoint::{Misfit, Saved};
use crate::checkpoint_slices::{Searched, Slices};
use crate::coroutine::Stacks;
use crate::counters::Counters;
use crate::determinism_check::Mismatch;
use crate::explorer::{Explorer, Restart};
use crate::failure::{Failure, FailureKind};
use crate::fix::{Fixes, Seen};
use crate::leaf_visitor::{Shared, Watch};
use crate::machine::{Machine, Root};
use crate::memory::{MemoryModel, RC11};
use crate::monitor::Observers;
use crate::replay::Guide;
use crate::report::{End, Estimate, Limit, Report, Verdict, peak_memory};
use crate::shared_context::World;
use crate::sync::atomic::weak::{WeakOrderings, describe};
use crate::sync::mpsc::hang_up::Askers;
use crate::traffic::{Summary, never_received};
use plainsong_explore::{Engine, Graph, Leaf, Pct, Policy, Visitor, sample};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What came of it.
#[derive(Default)]
pub(crate) struct Attempt {
    pub(crate) restart: Restart,
    pub(crate) mismatch: Option<Mismatch>,
    /// Why not everything was explored.
    pub(crate) early_end: Option<End>,
    pub(crate) is_cut_short: bool,
    pub(crate) failures: Vec<Failure>,
    pub(crate) complete: u64,
    pub(crate) blocked: u64,
    pub(crate) failed: u64,
    pub(crate) events: u64,
    counters: Counters,
    pub(crate) coverage: BTreeMap<String, u64>,
    pub(crate) estimate: Option<Estimate>,
    pub(crate) notes: Vec<String>,
    pub(crate) followed: BTreeMap<String, usize>,
    /// Who should ask before a send whether the receiver was dropped.
    pub(crate) askers: Askers,
    /// Does some process need executions to run as a whole?
    pub(crate) needs_a_whole: bool,
    /// Did a process panic that somebody may join?
    pub(crate) may_handle_a_panic: bool,
    /// Was symmetry used though a message needs causality?
    pub(crate) needs_causality: bool,
    /// Was memory explored under RC11?
    rc11: bool,
    /// Is there something that is only explored under RC11, and was not?
    pub(crate) needs_rc11: bool,
    /// Was it found out that processes share state?
    pub(crate) shares_state: bool,
    /// Which fixes of choices were used.
    fixes_seen: Seen,
    /// A graph to be saved.
    dot: Option<String>,
    traffic: Summary,
    /// Where orderings weaker than `SeqCst` are asked for.
    weak_orderings: WeakOrderings,
    is_guided: bool,
    checkpoint_file: Option<PathBuf>,
}

/// How long it may take to guess how many executions there are, when a limit was reached.
const MOST_GUESSING: Duration = Duration::from_millis(300);

/// How many kinds of messages are named that nobody receives.
const MOST_KINDS: usize = 3;

/// Searches through the executions of a program, with or without a guide.
pub(crate) fn attempt(
    settings: &Explorer,
    root: &Root,
    restart: Restart,
    guide: Option<&Guide>,
) -> Attempt {
    let shared = Arc::new(Shared::new(settings, root, restart, guide));
    attempt_with(&shared, &Slices::whole())
}

/// Searches on from where earlier runs came to.
pub(crate) fn attempt_slice(
    settings: &Explorer,
    root: &Root,
    restart: Restart,
    slices: &Slices,
) -> Attempt {
    let shared = Arc::new(Shared::new(settings, root, restart, None));
    attempt_with(&shared, slices)
}

fn attempt_with(shared: &Arc<Shared>, slices: &Slices) -> Attempt {
    if cfg!(panic = "abort") {
        panic!(
            "plainsong finds failures by unwinding: compile with panic = \"unwind\", not \"abort\""
        );
    }
    let started = Instant::now();
    let settings = &shared.settings;
    let mut attempt = Attempt {
        restart: shared.restart,
        rc11: settings.rc11,
        is_guided: shared.guide.is_some(),
        ..Attempt::default()
    };
    match settings.samples {
        Some(walks) => attempt.draw(shared, walks),
        None => match slices.search(shared) {
            Ok(searched) => attempt.add(searched),
            Err(misfit) => return Attempt::refused(misfit),
        },
    }
    attempt.take(shared);
    let undecided = matches!(
        attempt.early_end,
        Some(End::Limit(Limit::Executions | Limit::Time | Limit::Memory))
    );
    if undecided && settings.explains && attempt.failures.is_empty() {
        // Not much longer than the search itself.
        let budget = started.elapsed() / 4 + Duration::from_millis(10);
        let budget = budget.min(MOST_GUESSING);
        attempt.estimate = Some(guess(shared, 100, Some(Instant::now() + budget)));
    }
    attempt
}

/// Guesses how many executions there are.
pub(crate) fn estimate(settings: &Explorer, root: &Root, walks: u32) -> Estimate {
    let mut settings = Explorer {
        rc11: settings.memory_model == MemoryModel::Rc11,
        ..settings.clone()
    };
    let mut restart = Restart::Changed;
    loop {
        let shared = Shared::new(&settings, root, restart, None);
        let mut machine = machine(&shared);
        let estimate = guess_with(&shared, &mut machine, walks, None);
        let lacks_rc11 = shared.lacks_rc11(&machine.world);
        let lacks_a_whole = machine.world.needs_a_whole.get() && restart != Restart::All;
        if !lacks_rc11 && !lacks_a_whole {
            return estimate;
        }
        settings.rc11 |= lacks_rc11;
        if lacks_a_whole {
            restart = Restart::All;
        }
    }
}

fn guess(shared: &Shared, walks: u32, deadline: Option<Instant>) -> Estimate {
    guess_with(shared, &mut machine(shared), walks, deadline)
}

fn guess_with(
    shared: &Shared,
    machine: &mut Machine,
    walks: u32,
    deadline: Option<Instant>,
) -> Estimate {
    let mut guesses = Vec::new();
    machine.world.deadline.set(deadline);
    for walk in 0..walks {
        let guess = draw_one(shared, machine, walk, &mut Blind);
        if machine.world.is_out_of_time.get() {
            break;
        }
        guesses.push(guess);
    }
    summarise(&guesses)
}

/// Draws one execution; returns a guess of how many there are.
fn draw_one(
    shared: &Shared,
    machine: &mut Machine,
    walk: u32,
    visitor: &mut dyn Visitor<Machine>,
) -> f64 {
    let seed = shared.settings.seed.unwrap_or_default();
    let seed = seed ^ u64::from(walk).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    sample(machine, 1, seed, visitor, |engine| {
        configure(shared, engine)
    })
    .executions
}

/// Draws executions, each outcome as likely as the others.
fn draw_evenly(shared: &Shared, walks: u32, watch: &mut Watch) -> Estimate {
    let mut machine = observed_machine(shared);
    let mut guesses = Vec::new();
    for walk in 0..walks {
        guesses.push(draw_one(shared, &mut machine, walk, watch));
        if watch.is_over {
            break;
        }
    }
    summarise(&guesses)
}

/// Draws executions by priorities; guesses how many there are in another way, if all are fine.
fn draw_by_priority(
    shared: &Shared,
    walks: u32,
    depth: u32,
    watch: &mut Watch,
) -> Option<Estimate> {
    let started = Instant::now();
    let mut machine = observed_machine(shared);
    let mut pct = Pct::new(depth, shared.settings.seed.unwrap_or_default());
    for _ in 0..walks {
        pct.draw(&mut machine, watch, |engine| configure(shared, engine));
        if watch.is_over {
            return None;
        }
    }
    drop(machine);
    let budget = started.elapsed() / 4 + Duration::from_millis(10);
    Some(guess(shared, 100, Some(Instant::now() + budget)))
}

/// Looks at nothing.
struct Blind;

impl Visitor<Machine> for Blind {
    fn leaf(&mut self, _graph: &Graph<Machine>, _leaf: Leaf) -> bool {
        if let Some(world) = World::current() {
            world.leaf_visited.set(true);
        }
        true
    }
}

fn summarise(guesses: &[f64]) -> Estimate {
    let n = guesses.len().max(1) as f64;
    let mean = guesses.iter().sum::<f64>() / n;
    let spread: f64 = guesses.iter().map(|guess| (guess - mean).powi(2)).sum();
    let deviation = (spread / (n - 1.0).max(1.0)).sqrt();
    Estimate {
        executions: mean,
        margin: 1.96 * deviation / n.sqrt(),
    }
}

/// A machine whose executions the observers are told of.
pub(crate) fn observed_machine(shared: &Shared) -> Machine {
    let machine = machine(shared);
    if let Some(audience) = &shared.settings.audience {
        let _ = machine.world.audience.set(Arc::clone(audience));
        machine.world.begins.set(true);
    }
    machine
}

pub(crate) fn machine(shared: &Shared) -> Machine {
    let stacks = Stacks::new(shared.settings.stack_size);
    let mut world = World::new(shared.settings.delivery, stacks, Rc::default());
    world.keeps_text = shared.restart == Restart::All;
    world.returns_panics = shared.settings.returns_panics;
    world.guide.clone_from(&shared.guide);
    world.askers.clone_from(&shared.settings.askers);
    world.budgets = shared.settings.budgets;
    world.locations.is_rc11 = shared.settings.rc11;
    world.monitors = Observers::new(&shared.settings.monitors);
    world.fixes = Fixes::new(&shared.settings.fixed);
    world.pulse = Some(shared.pulse());
    world.deadline.set(shared.deadline());
    world.cancel.clone_from(&shared.settings.cancel);
    Machine::new(Rc::new(world), Arc::clone(&shared.root), shared.restart)
}

pub(crate) fn configure<'p>(shared: &Shared, engine: Engine<'p, Machine>) -> Engine<'p, Machine> {
    let settings = &shared.settings;
    // Priorities know nothing of families.
    let symmetry =
        settings.symmetry && !settings.rc11 && shared.guide.is_none() && settings.depth.is_none();
    let engine = engine
        .symmetry(symmetry)
        .limit_events(shared.settings.events)
        .limit_thread_events(shared.settings.events_per_process);
    match shared.settings.seed {
        Some(seed) if shared.settings.samples.is_none() => engine.policy(Policy::Shuffled(seed)),
        _ => engine,
    }
}

impl Attempt {
    /// Were the failures that it found also found where panics are returned to whoever joins? If that search could not
    /// tell, they stand.
    pub(crate) fn is_confirmed_by(&self, other: &Attempt) -> bool {
        let is_unsupported = |failure: &Failure| failure.kind == FailureKind::Unsupported;
        let is_found = |failure: &Failure| other.failures.iter().any(|one| one.is_like(failure));
        other.mismatch.is_some()
            || other.failures.iter().any(is_unsupported)
            || self.failures.iter().all(is_found)
    }

    /// Nothing was tried, because the checkpoint is not of this exploration.
    pub(crate) fn refused(misfit: Misfit) -> Self {
        Attempt {
            early_end: Some(End::WrongCheckpoint),
            failures: vec![misfit.into_failure()],
            ..Attempt::default()
        }
    }

    /// Draws executions at random until there are enough.
    fn draw(&mut self, shared: &Arc<Shared>, walks: u32) {
        let mut watch = Watch::new(shared);
        self.estimate = match shared.settings.depth {
            Some(depth) => draw_by_priority(shared, walks, depth, &mut watch),
            None => Some(draw_evenly(shared, walks, &mut watch)),
        };
        shared.note_end(End::Limit(Limit::Samples));
        if let Some(path) = &shared.settings.checkpoint {
            let note = "a sample has no checkpoint: nothing was read from, or saved in,";
            self.notes.push(format!("{note} {}", path.display()));
        }
        let mut sums = Saved {
            events: watch.events,
            ..Saved::default()
        };
        sums.add(watch);
        self.add_sums(sums);
    }

    fn add(&mut self, searched: Searched) {
        self.notes.extend(searched.notes);
        self.checkpoint_file = searched.file;
        self.add_sums(searched.sums);
    }

    fn add_sums(&mut self, sums: Saved) {
        self.complete = sums.executions;
        self.blocked = sums.blocked;
        self.failed = sums.failed;
        self.events = sums.events;
        self.counters = sums.counters;
        self.coverage = sums.coverage;
    }

    fn take(&mut self, shared: &Shared) {
        let found = shared.take();
        self.mismatch = found.mismatch;
        let too_long = found.is_too_long.then_some(End::Limit(Limit::Events));
        self.early_end = found.end.or(too_long);
        self.is_cut_short = found.is_cut_short;
        self.failures = found.failures;
        self.notes.extend(found.notes);
        self.followed = found.followed;
        self.askers = found.askers;
        self.needs_a_whole = found.needs_a_whole;
        self.may_handle_a_panic = found.may_handle_a_panic;
        self.needs_causality = found.needs_causality;
        self.needs_rc11 = found.needs_rc11;
        self.fixes_seen = found.fixes_seen;
        self.dot = found.dot.map(|(text, _)| text);
        self.traffic = found.traffic;
        self.weak_orderings = found.weak_orderings;
    }

    /// Puts it into words and numbers.
    pub(crate) fn into_report(mut self, settings: &Explorer, started: Instant) -> Report {
        if let Some(mismatch) = self.mismatch.take() {
            self.failures.push(Failure::plain(
                FailureKind::NotDeterministic,
                mismatch.to_string(),
                None,
            ));
            self.failed = self.failed.max(1);
            self.is_cut_short = true;
        }
        let goes_on = settings.keep_going && !self.is_cut_short;
        let is_wrong_fix = |failure: &Failure| failure.kind == FailureKind::WrongFix;
        let is_wrong = |failure: &Failure| failure.kind.is_wrong();
        let is_unsupported = |failure: &Failure| {
            let kind = failure.kind;
            matches!(kind, FailureKind::TwoReceivers | FailureKind::Unsupported)
        };
        let end = match self.early_end {
            Some(End::WrongCheckpoint) => End::WrongCheckpoint,
            _ if self.failures.iter().any(is_wrong_fix) => End::WrongFix,
            _ if self.failures.iter().any(is_wrong) && !goes_on => End::Failure,
            _ if self.failures.iter().any(is_unsupported) => End::Unsupported,
            early => self.judge_fixes(early.unwrap_or(End::Complete), settings),
        };
        let verdict = match end {
            End::WrongCheckpoint => Verdict::Unknown,
            _ if self.failures.iter().any(is_wrong) => Verdict::Refuted,
            End::Complete if !self.shares_state => Verdict::Holds,
            _ => Verdict::Unknown,
        };
        for name in &settings.expected {
            if !self.coverage.contains_key(name) {
                self.notes.push(format!("no execution reaches `{name}`"));
            }
        }
        if self.complete == 0 && verdict == Verdict::Holds && !self.is_guided {
            self.notes
                .push("no execution ended: nothing was checked to its end".to_owned());
        }
        if verdict == Verdict::Holds && !self.is_guided && settings.checkpoint.is_none() {
            let few = never_received(&self.traffic).take(MOST_KINDS).cloned();
            self.notes.extend(few);
        }
        if verdict != Verdict::Refuted {
            self.notes.extend(describe(&self.weak_orderings));
            self.notes.extend(self.rc11.then(|| RC11.to_owned()));
        }
        let trace_file = self.save_trace(settings);
        let dot_file = self.save_dot(settings);
        Report {
            verdict,
            end,
            failures: self.failures,
            failed: self.failed,
            executions: self.complete,
            blocked: self.blocked,
            events: self.events,
            counters: self.counters,
            coverage: self.coverage,
            seconds: started.elapsed().as_secs_f64(),
            peak_memory: peak_memory(),
            estimate: self.estimate,
            restart: self.restart,
            memory_model: match self.rc11 {
                true => MemoryModel::Rc11,
                false => MemoryModel::SequentialConsistency,
            },
            trace_file,
            checkpoint_file: self.checkpoint_file,
            dot_file,
            notes: self.notes,
            fixed: settings.fixed.clone(),
            weak_orderings: self.weak_orderings.into_iter().collect(),
        }
    }

    /// Complains about fixes that have no effect, if every execution was looked at; otherwise they may
    /// have one yet.
    fn judge_fixes(&mut self, end: End, settings: &Explorer) -> End {
        if self.is_guided {
            return end;
        }
        let unused = self.fixes_seen.unused(&settings.fixed);
        let complaints = unused.iter().map(|fixed| self.fixes_seen.complain(fixed));
        let complaints: Vec<String> = complaints.collect();
        match end {
            End::Complete if !complaints.is_empty() => {
                let kind = FailureKind::WrongFix;
                let failures = complaints.into_iter();
                let failures = failures.map(|complaint| Failure::plain(kind, complaint, None));
                self.failures.extend(failures);
                End::WrongFix
            }
            _ => {
                let so_far = complaints.into_iter();
                let so_far = so_far.map(|complaint| format!("so far: {complaint}"));
                self.notes.extend(so_far);
                end
            }
        }
    }

    fn save_trace(&mut self, settings: &Explorer) -> Option<PathBuf> {
        let path = settings.trace_file.as_ref()?;
        let trace = self
            .failures
            .iter()
            .find_map(|failure| failure.trace.as_ref())?;
        let saved = trace.save(path);
        self.saved("trace", path, saved)
    }

    fn save_dot(&mut self, settings: &Explorer) -> Option<PathBuf> {
        let path = settings.dot_file.as_ref()?;
        let saved = std::fs::write(path, self.dot.take()?);
        self.saved("graph", path, saved)
    }

    /// Where something was saved; if it was not, that is noted.
    fn saved(&mut self, what: &str, path: &Path, saved: std::io::Result<()>) -> Option<PathBuf> {
        match saved {
            Ok(()) => Some(path.to_owned()),
            Err(error) => {
                let path = path.display();
                self.notes
                    .push(format!("the {what} was not saved in {path}: {error}"));
                None
            }
        }
    }
}
