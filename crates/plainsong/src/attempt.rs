//! One search through the executions of a program.

use crate::coroutine::Stacks;
use crate::explorer::{Explorer, Restart};
use crate::failure::{Failure, FailureKind};
use crate::guard::Mismatch;
use crate::machine::{Machine, Root};
use crate::monitor::Observers;
use crate::replay::Guide;
use crate::report::{End, Estimate, Limit, Report, Verdict, peak_memory};
use crate::sync::mpsc::hang_up::Askers;
use crate::watch::{Shared, Watch};
use crate::world::World;
use plainsong_explore::{Engine, Graph, Leaf, Policy, Visitor, explore_in_parallel, sample};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What came of it.
#[derive(Default)]
pub(crate) struct Attempt {
    pub(crate) restart: Restart,
    pub(crate) mismatch: Option<Mismatch>,
    pub(crate) limit: Option<Limit>,
    pub(crate) is_cut_short: bool,
    pub(crate) failures: Vec<Failure>,
    pub(crate) complete: u64,
    pub(crate) blocked: u64,
    pub(crate) failed: u64,
    pub(crate) events: u64,
    pub(crate) coverage: BTreeMap<String, u64>,
    pub(crate) estimate: Option<Estimate>,
    pub(crate) notes: Vec<String>,
    pub(crate) followed: BTreeMap<String, usize>,
    /// Who should ask before a send whether the receiver was dropped.
    pub(crate) askers: Askers,
    /// Does some process need executions to run as a whole?
    pub(crate) needs_a_whole: bool,
    /// Was symmetry used though a message needs causality?
    pub(crate) needs_causality: bool,
    is_guided: bool,
}

/// Searches through the executions of a program, with or without a guide.
pub(crate) fn attempt(
    settings: &Explorer,
    root: &Root,
    restart: Restart,
    guide: Option<&Guide>,
) -> Attempt {
    if cfg!(panic = "abort") {
        panic!(
            "plainsong finds failures by unwinding: compile with panic = \"unwind\", not \"abort\""
        );
    }
    let started = Instant::now();
    let shared = Arc::new(Shared::new(settings, root, restart, guide));
    let (events, watches, estimate) = match settings.samples {
        Some(walks) => draw(&shared, walks),
        None if settings.jobs > 1 => together(&shared),
        None => alone(&shared),
    };
    let mut attempt = Attempt {
        restart,
        events,
        estimate,
        is_guided: guide.is_some(),
        ..Attempt::default()
    };
    for watch in watches {
        attempt.add(watch);
    }
    attempt.take(&shared);
    let undecided = matches!(
        attempt.limit,
        Some(Limit::Executions | Limit::Time | Limit::Memory)
    );
    if undecided && settings.explains && attempt.failures.is_empty() {
        // Not much longer than the search itself.
        let budget = started.elapsed() / 4 + Duration::from_millis(10);
        attempt.estimate = Some(guess(&shared, 100, Some(Instant::now() + budget)));
    }
    attempt
}

/// Guesses how many executions there are.
pub(crate) fn estimate(settings: &Explorer, root: &Root, walks: u32) -> Estimate {
    let with = |restart, walks| {
        let shared = Shared::new(settings, root, restart, None);
        let mut machine = machine(&shared);
        let estimate = guess_with(&shared, &mut machine, walks, None);
        (estimate, machine.world.needs_a_whole.get())
    };
    match with(Restart::Changed, walks) {
        (_, true) => with(Restart::All, walks).0,
        (estimate, false) => estimate,
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
    for walk in 0..walks {
        guesses.push(draw_one(shared, machine, walk, &mut Blind));
        if deadline.is_some_and(|deadline| Instant::now() > deadline) {
            break;
        }
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

type Found = (u64, Vec<Watch>, Option<Estimate>);

fn alone(shared: &Arc<Shared>) -> Found {
    let mut machine = machine(shared);
    let mut watch = Watch::new(shared);
    let tally = configure(shared, Engine::new(&mut machine)).run(&mut watch);
    (tally.events, vec![watch], None)
}

fn together(shared: &Arc<Shared>) -> Found {
    let (tally, watches) = explore_in_parallel(
        shared.settings.jobs,
        || machine(shared),
        || Watch::new(shared),
        |engine| configure(shared, engine),
    );
    (tally.events, watches, None)
}

/// Draws executions at random until there are enough.
fn draw(shared: &Arc<Shared>, walks: u32) -> Found {
    let mut machine = machine(shared);
    let mut watch = Watch::new(shared);
    let mut guesses = Vec::new();
    for walk in 0..walks {
        guesses.push(draw_one(shared, &mut machine, walk, &mut watch));
        if watch.is_over {
            break;
        }
    }
    shared.note_limit(Limit::Samples);
    let estimate = summarise(&guesses);
    (watch.events, vec![watch], Some(estimate))
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

fn machine(shared: &Shared) -> Machine {
    let stacks = Stacks::new(shared.settings.stack_size);
    let mut world = World::new(shared.settings.delivery, stacks, Rc::default());
    world.keeps_text = shared.restart == Restart::All;
    world.guide.clone_from(&shared.guide);
    world.askers.clone_from(&shared.settings.askers);
    world.budgets = shared.settings.budgets;
    world.monitors = Observers::new(&shared.settings.monitors);
    Machine::new(Rc::new(world), Arc::clone(&shared.root), shared.restart)
}

fn configure<'p>(shared: &Shared, engine: Engine<'p, Machine>) -> Engine<'p, Machine> {
    let engine = engine
        .symmetry(shared.settings.symmetry && shared.guide.is_none())
        .limit_events(shared.settings.events)
        .limit_thread_events(shared.settings.events_per_process);
    match shared.settings.seed {
        Some(seed) if shared.settings.samples.is_none() => engine.policy(Policy::Shuffled(seed)),
        _ => engine,
    }
}

impl Attempt {
    fn add(&mut self, watch: Watch) {
        self.complete += watch.complete;
        self.blocked += watch.blocked;
        self.failed += watch.failed;
        for (name, count) in watch.coverage {
            *self.coverage.entry(name).or_default() += count;
        }
    }

    fn take(&mut self, shared: &Shared) {
        let found = shared.take();
        self.mismatch = found.mismatch;
        self.limit = found.limit;
        self.is_cut_short = found.is_cut_short;
        self.failures = found.failures;
        self.notes = found.notes;
        self.followed = found.followed;
        self.askers = found.askers;
        self.needs_a_whole = found.needs_a_whole;
        self.needs_causality = found.needs_causality;
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
        let end = match self.limit {
            _ if !self.failures.is_empty() && !goes_on => End::Failure,
            Some(limit) => End::Limit(limit),
            None => End::Complete,
        };
        let verdict = match end {
            _ if !self.failures.is_empty() => Verdict::Refuted,
            End::Complete => Verdict::Holds,
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
        let trace_file = self.save_trace(settings);
        Report {
            verdict,
            end,
            failures: self.failures,
            failed: self.failed,
            executions: self.complete,
            blocked: self.blocked,
            events: self.events,
            coverage: self.coverage,
            seconds: started.elapsed().as_secs_f64(),
            peak_memory: peak_memory(),
            estimate: self.estimate,
            restart: self.restart,
            trace_file,
            notes: self.notes,
        }
    }

    fn save_trace(&mut self, settings: &Explorer) -> Option<std::path::PathBuf> {
        let path = settings.trace_file.as_ref()?;
        let trace = self
            .failures
            .iter()
            .find_map(|failure| failure.trace.as_ref())?;
        match trace.save(path) {
            Ok(()) => Some(path.clone()),
            Err(error) => {
                self.notes.push(format!(
                    "the trace was not saved in {}: {error}",
                    path.display()
                ));
                None
            }
        }
    }
}
