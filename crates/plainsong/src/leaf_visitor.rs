//! What to do with each execution that the engine comes to.
//!
//! Besides counting, the watch checks the machine. A failure is shown only if the same execution,
//! run from scratch on fresh processes, fails again; that run also provides the picture. And at
//! executions number 1, 2, 4, 8, … the whole execution is run from scratch and compared, in the same order
//! and in another one. All this notices programs that are not deterministic or share state behind the
//! exploration's back.

mod ending;
mod showing;

use crate::choice::Mark;
use crate::determinism_check::Mismatch;
use crate::execution_text::Story;
use crate::explorer::{Explorer, Restart};
use crate::failure::{Failure, FailureKind};
use crate::fix::{Fixes, Seen};
use crate::machine::{Machine, Root, find_two_receivers, two_receivers};
use crate::memory::{MemoryModel, describe_race, is_decision};
use crate::monitor::Observers;
use crate::now;
use crate::observer::Outcome;
use crate::replay::Guide;
use crate::report::{End, Limit, present_memory};
use crate::shared::is_in_vain;
use crate::shared_context::{MARKS, World};
use crate::sync::atomic::weak::WeakOrderings;
use crate::sync::mpsc::hang_up::{Askers, missing_askers};
use crate::traffic::Summary;
use crate::watchdog::Pulse;
use plainsong_explore::{EventId, Graph, Kind, Leaf, Tid, Visitor};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What the workers of an exploration share.
pub(crate) struct Shared {
    pub(crate) settings: Explorer,
    pub(crate) root: Root,
    pub(crate) restart: Restart,
    pub(crate) guide: Option<Guide>,
    deadline: Option<Instant>,
    leaves: AtomicU64,
    found: Arc<Mutex<Found>>,
}

/// What they have found.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) failures: Vec<Failure>,
    pub(crate) mismatch: Option<Mismatch>,
    /// Why the search stopped before its end.
    pub(crate) end: Option<End>,
    /// Did the search stop for a checkpoint?
    pub(crate) is_paused: bool,
    /// Was some execution given up because it had too many events?
    pub(crate) is_too_long: bool,
    /// Did a path lead nowhere?
    pub(crate) is_lost: bool,
    /// It makes no sense to go on, whatever was asked for.
    pub(crate) is_cut_short: bool,
    pub(crate) notes: Vec<String>,
    /// In a replay: how many receives and choices each process came to.
    pub(crate) followed: BTreeMap<String, usize>,
    /// Who should ask before a send whether the receiver was dropped.
    pub(crate) askers: Askers,
    /// Does some process need executions to run as a whole?
    pub(crate) needs_a_whole: bool,
    /// Did a process panic that somebody may join?
    pub(crate) may_handle_a_panic: bool,
    pub(crate) needs_causality: bool,
    /// Is there something that is only explored under RC11, and was not?
    pub(crate) needs_rc11: bool,
    /// Which fixes of choices were used.
    pub(crate) fixes_seen: Seen,
    /// A graph to be saved, and whether it is of an execution that failed.
    pub(crate) dot: Option<(String, bool)>,
    /// Which kinds of messages are received.
    pub(crate) traffic: Summary,
    /// Where orderings weaker than `SeqCst` are asked for.
    pub(crate) weak_orderings: WeakOrderings,
}

impl Shared {
    pub(crate) fn new(
        settings: &Explorer,
        root: &Root,
        restart: Restart,
        guide: Option<&Guide>,
    ) -> Self {
        Shared {
            settings: settings.clone(),
            root: Arc::clone(root),
            restart,
            guide: guide.cloned(),
            deadline: settings.time.map(|time| Instant::now() + time),
            leaves: AtomicU64::new(0),
            found: Arc::default(),
        }
    }

    pub(crate) fn take(&self) -> Found {
        std::mem::take(&mut *self.found())
    }

    pub(crate) fn note_end(&self, end: End) {
        self.found().end.get_or_insert(end);
    }

    pub(crate) fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the watchdog is to know of a worker.
    pub(crate) fn pulse(&self) -> Arc<Pulse> {
        let found = Arc::downgrade(&self.found);
        let failures = move || {
            let found = found.upgrade();
            let locked = found.as_ref().and_then(|found| found.try_lock().ok());
            let failures = locked.map(|found| found.failures.clone());
            failures.unwrap_or_default()
        };
        Pulse::watched(self.settings.patience, self.deadline, Box::new(failures))
    }

    /// When the search is to stop.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Is there no point in going on later?
    pub(crate) fn is_decided(&self) -> bool {
        let found = self.found();
        found.mismatch.is_some()
            || found.is_cut_short
            || found.needs_a_whole
            || (found.needs_causality && self.settings.symmetry)
            || found.needs_rc11
            || !found.askers.is_empty()
            || (!found.failures.is_empty() && !self.settings.keep_going)
    }

    /// Has the program done something that is only explored under RC11, in an exploration that is not?
    pub(crate) fn lacks_rc11(&self, world: &World) -> bool {
        let settings = &self.settings;
        settings.memory_model == MemoryModel::Auto
            && !settings.rc11
            && self.guide.is_none()
            && (world.locations.needs_rc11.get() || world.weak_orderings.has_some())
    }

    /// When a slice that begins now should pause for a checkpoint.
    fn next_pause(&self) -> Option<Instant> {
        let settings = &self.settings;
        let is_saved = settings.checkpoint.is_some() && self.guide.is_none();
        is_saved.then(|| Instant::now() + settings.checkpoint_interval)
    }

    /// Why not to look at the execution with this number, from 1, if there is a reason.
    fn exceeded(&self, number: u64) -> Option<End> {
        let settings = &self.settings;
        let is_set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        if settings.cancel.as_ref().is_some_and(is_set) {
            return Some(End::Cancelled);
        }
        if settings.executions.is_some_and(|most| number > most) {
            return Some(End::Limit(Limit::Executions));
        }
        if self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            return Some(End::Limit(Limit::Time));
        }
        let most = settings.memory.filter(|_| number.is_multiple_of(256))?;
        present_memory()
            .filter(|&now| now > most)
            .map(|_| End::Limit(Limit::Memory))
    }
}

/// One worker's view of the executions.
pub(crate) struct Watch {
    shared: Arc<Shared>,
    pub(crate) complete: u64,
    pub(crate) blocked: u64,
    pub(crate) failed: u64,
    /// Events of all executions seen.
    pub(crate) events: u64,
    pub(crate) coverage: BTreeMap<String, u64>,
    seen: u64,
    /// How often a process was started.
    pub(crate) starts: u64,
    /// How often an execution was run from scratch, to check it or to draw it.
    pub(crate) checks: Cell<u64>,
    /// When it is time for a checkpoint.
    pause: Option<Instant>,
    /// How the present execution ended, if it is one.
    outcome: Option<Outcome>,
    /// Were monitors told that the present execution has ended?
    told_the_end: bool,
    pub(crate) is_over: bool,
}

impl Watch {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        Watch {
            shared: Arc::clone(shared),
            complete: 0,
            blocked: 0,
            failed: 0,
            events: 0,
            coverage: BTreeMap::new(),
            seen: 0,
            starts: 0,
            checks: Cell::new(0),
            pause: shared.next_pause(),
            outcome: None,
            told_the_end: false,
            is_over: false,
        }
    }

    /// What happened; an error if it is not what happens again.
    fn judge(&mut self, graph: &Graph<Machine>, leaf: Leaf, world: &World) -> Result<(), Mismatch> {
        if let Some(mismatch) = world.mismatch.take() {
            return Err(mismatch);
        }
        if let Some(failure) = self.complaint(graph, world) {
            self.failed += u64::from(failure.kind.is_wrong());
            self.outcome = Some(Outcome::Failed(failure.message.clone()));
            self.report(failure);
            self.shared.found().is_cut_short = true;
            self.is_over = true;
            return Ok(());
        }
        let is_none = (world.has_sure_takes.get() && is_in_vain(graph))
            || (world.has_vain.get() && now::is_in_vain(graph));
        if !matches!(leaf, Leaf::Failed(_) | Leaf::Raced(..)) && is_none {
            return Ok(());
        }
        if world.returns_panics && self.left_a_panic(graph, leaf, world)? {
            return Ok(());
        }
        match leaf {
            Leaf::Complete => self.completed(graph, world)?,
            Leaf::Failed(id) => {
                self.failed += 1;
                return self.panicked(graph, id, world);
            }
            Leaf::Raced(one, other) => {
                self.failed += 1;
                return self.raced(graph, [one, other]);
            }
            Leaf::Blocked if gave_up(graph) => {
                self.blocked += 1;
                self.outcome = Some(Outcome::GaveUp);
            }
            Leaf::Blocked => self.waits_for_ever(graph, world)?,
            Leaf::TooLong => {
                self.blocked += 1;
                self.outcome = Some(Outcome::TooLong);
                self.shared.found().is_too_long = true;
                self.note_too_many(graph, world);
                self.note_longest(graph, world);
            }
        }
        if self.seen.is_power_of_two() {
            self.run_twice(graph)?;
        }
        Ok(())
    }

    /// Runs an execution again and compares, as cheaply as possible.
    fn run_twice(&self, graph: &Graph<Machine>) -> Result<(), Mismatch> {
        let before = World::current().expect("a machine has entered its world");
        let is_whole = self.shared.restart == Restart::All;
        if (!is_whole || self.shared.settings.in_another_order) && world_is_plain(&before) {
            let mut machine = self.fresh_machine(&before, false);
            machine.perform_in_another_order(graph)?;
        }
        if !is_whole {
            let rehearsed = self.fresh_machine(&before, false).rehearse(graph, &before);
            if let Some(result) = rehearsed {
                self.checks.set(self.checks.get() + 1);
                return result;
            }
        }
        self.run_from_scratch(graph, false).map(drop)
    }

    /// Says that there are more events than an execution may have, once, and who has most of them.
    fn note_too_many(&self, graph: &Graph<Machine>, world: &World) {
        let most = self.shared.settings.events;
        if graph.order().len() < most {
            return;
        }
        let start = format!("some execution has more than {most} events");
        let mut found = self.shared.found();
        if found.notes.iter().any(|note| note.starts_with(&start)) {
            return;
        }
        let busiest = (0..graph.threads() as Tid).rev();
        let busiest = busiest.max_by_key(|&process| graph.live(process));
        let busiest = busiest.unwrap_or_default();
        let (name, lines) = (world.name(busiest), last_lines(graph, world, busiest));
        found.notes.push(format!(
            "{start}, most of them of `{name}`{lines}; `Explorer::limit_events` sets the limit"
        ));
    }

    /// Says which processes have more events than one process may have.
    fn note_longest(&self, graph: &Graph<Machine>, world: &World) {
        let most = self.shared.settings.events_per_process;
        let goes_on = |thread: Tid| match graph.live(thread).checked_sub(1) {
            Some(last) => {
                let index = last as u32;
                !matches!(graph.event(EventId { thread, index }).kind, Kind::End)
            }
            None => true,
        };
        let too_long = |&process: &Tid| graph.live(process) >= most && goes_on(process);
        for process in (0..graph.threads() as Tid).filter(too_long) {
            let name = world.name(process);
            let note = format!("`{name}` has more than {most} events in some execution");
            let mut found = self.shared.found();
            if !found.notes.iter().any(|known| known.starts_with(&note)) {
                let lines = last_lines(graph, world, process);
                found.notes.push(format!("{note}{lines}"));
            }
        }
    }

    /// What is wrong with the program besides what its processes do.
    fn complaint(&self, graph: &Graph<Machine>, world: &World) -> Option<Failure> {
        world.complaint.take().or_else(|| {
            let changed = world.receiver_changed.get();
            let (process, other, mailbox) = changed.then(|| find_two_receivers(graph)).flatten()?;
            Some(two_receivers(world, process, other, mailbox))
        })
    }

    /// Runs an execution again on fresh processes, in the order of its events.
    fn run_from_scratch(
        &self,
        graph: &Graph<Machine>,
        takes_notes: bool,
    ) -> Result<Machine, Mismatch> {
        self.checks.set(self.checks.get() + 1);
        let before = World::current().expect("a machine has entered its world");
        let mut machine = self.fresh_machine(&before, takes_notes);
        if !machine.perform(graph) {
            let mismatch = machine.world.mismatch.take();
            return Err(mismatch.expect("what cannot be performed again differs somewhere"));
        }
        match machine.renamed(graph, &before) {
            Some(mismatch) => Err(mismatch),
            None => Ok(machine),
        }
    }

    /// A machine that has not run, for the same program in a new world.
    fn fresh_machine(&self, before: &Rc<World>, takes_notes: bool) -> Machine {
        let shared = &self.shared;
        let (stacks, mailboxes) = (Rc::clone(&before.stacks), Rc::clone(&before.mailboxes));
        let mut world = World::new(shared.settings.delivery, stacks, mailboxes);
        world.takes_notes = takes_notes;
        world.compares_values = true;
        world.last_failure = before.last_failure.clone();
        world.guide.clone_from(&shared.guide);
        world.before = Some(Rc::clone(before));
        world.keeps_text = before.keeps_text;
        world.returns_panics = before.returns_panics;
        world.askers.clone_from(&shared.settings.askers);
        world.budgets = shared.settings.budgets;
        world.locations.is_rc11 = shared.settings.rc11;
        world.monitors = Observers::new(&shared.settings.monitors);
        world.fixes = Fixes::new(&shared.settings.fixed);
        world.pulse.clone_from(&before.pulse);
        let root = Arc::clone(&shared.root);
        Machine::new(Rc::new(world), root, Restart::All)
    }

    fn panicked(
        &mut self,
        graph: &Graph<Machine>,
        id: EventId,
        world: &World,
    ) -> Result<(), Mismatch> {
        if let Some((process, caught)) = &*world.last_failure.borrow()
            && *process == id.thread
        {
            if world.joinable.borrow().contains(process) {
                self.shared.found().may_handle_a_panic = true;
            }
            self.outcome = Some(Outcome::Failed(caught.message.clone()));
            let probe = Failure::plain(
                FailureKind::Panic,
                caught.message.clone(),
                caught.location.clone(),
            );
            if self.is_known(&probe) {
                return Ok(());
            }
        }
        let machine = self.run_from_scratch(graph, true)?;
        let failed = machine.world.last_failure.take();
        let (_, caught) = failed.expect("the execution failed again");
        self.outcome = Some(Outcome::Failed(caught.message.clone()));
        let story = Story::of_panic(graph, &machine, id);
        let race = self.explain(graph, &machine, Some(id));
        self.report(Failure {
            process: Some(machine.world.name(id.thread)),
            picture: story.picture(),
            race,
            events: story.size(graph, &machine),
            trace: Some(story.trace(&self.shared.settings, FailureKind::Panic, &caught.message)),
            backtrace: caught.frames,
            ..Failure::plain(FailureKind::Panic, caught.message, caught.location)
        });
        Ok(())
    }

    fn deadlocked(&mut self, graph: &Graph<Machine>, machine: &Machine) {
        let story = Story::of_deadlock(graph, machine);
        let message = story.complaint();
        self.outcome = Some(Outcome::Failed(message.clone()));
        let location = story.waits_at();
        if self.is_known(&Failure::plain(
            FailureKind::Deadlock,
            message.clone(),
            location.clone(),
        )) {
            return;
        }
        let race = self.explain(graph, machine, None);
        self.report(Failure {
            picture: story.picture(),
            race,
            events: story.size(graph, machine),
            trace: Some(story.trace(&self.shared.settings, FailureKind::Deadlock, &message)),
            ..Failure::plain(FailureKind::Deadlock, message, location)
        });
    }

    /// Two accesses to a cell race.
    fn raced(&mut self, graph: &Graph<Machine>, both: [EventId; 2]) -> Result<(), Mismatch> {
        let machine = self.run_from_scratch(graph, true)?;
        let story = Story::of_race(graph, &machine, both);
        let (message, location) = describe_race(graph, &machine, both);
        self.outcome = Some(Outcome::Failed(message.clone()));
        let failure = Failure::plain(FailureKind::DataRace, message.clone(), location);
        if !self.is_known(&failure) {
            self.report(Failure {
                picture: story.picture(),
                events: story.size(graph, &machine),
                trace: Some(story.trace(&self.shared.settings, FailureKind::DataRace, &message)),
                ..failure
            });
        }
        Ok(())
    }

    fn explain(
        &self,
        graph: &Graph<Machine>,
        machine: &Machine,
        failed: Option<EventId>,
    ) -> Option<String> {
        if !self.shared.settings.explains {
            return None;
        }
        crate::race::explain(graph, machine, failed, &self.shared)
    }

    fn is_known(&self, failure: &Failure) -> bool {
        self.shared
            .found()
            .failures
            .iter()
            .any(|known| known.is_like(failure))
    }

    fn report(&self, failure: Failure) {
        let mut found = self.shared.found();
        if !found.failures.iter().any(|known| known.is_like(&failure)) {
            found.failures.push(failure);
        }
    }

    /// Counts the marks that this execution reached.
    fn count_marks(&mut self, graph: &Graph<Machine>, world: &World) {
        let mut reached = BTreeSet::new();
        reached.extend(world.monitors.marks(graph, self.told_the_end));
        for &id in graph.order() {
            if let Kind::Send {
                to: MARKS, message, ..
            } = &graph.event(id).kind
                && let Some(Mark(name)) = message.get()
            {
                reached.insert(name.clone());
            }
        }
        for name in reached {
            *self.coverage.entry(name.into_owned()).or_default() += 1;
        }
    }

    /// Notes how far a replay came.
    fn follow(&self, graph: &Graph<Machine>, world: &World) {
        let mut found = self.shared.found();
        found.followed.clear();
        for &id in graph.order() {
            if is_decision(graph, id) {
                *found
                    .followed
                    .entry(world.full_name(id.thread))
                    .or_default() += 1;
            }
        }
        if let Some(id) = crate::race::out_of_order(graph) {
            found.notes.push(format!(
                "{} now receives a message before one that should arrive earlier",
                world.name(id.thread)
            ));
        }
    }

    /// Notes who should ask before a send whether the receiver was dropped, and does not. A replay
    /// is told who asks.
    fn lacks_askers(&self, graph: &Graph<Machine>, world: &World) -> bool {
        let guide = self.shared.guide.as_ref();
        if !world.has_hung_up.get() || guide.is_some_and(|guide| !guide.is_free_afterwards()) {
            return false;
        }
        let missing = missing_askers(graph, world);
        let lacks_some = !missing.is_empty();
        self.shared.found().askers.extend(missing);
        lacks_some
    }

    fn stop(&mut self) -> bool {
        self.is_over = true;
        false
    }
}

impl Visitor<Machine> for Watch {
    fn leaf(&mut self, graph: &Graph<Machine>, leaf: Leaf) -> bool {
        if self.is_over {
            return false;
        }
        if self
            .shared
            .settings
            .audience
            .as_ref()
            .is_some_and(|them| them.has_panicked())
        {
            return self.stop();
        }
        let number = self.shared.leaves.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(end) = self.shared.exceeded(number) {
            self.shared.note_end(end);
            return self.stop();
        }
        if self.seen > 0 && self.pause.is_some_and(|pause| Instant::now() >= pause) {
            self.shared.leaves.fetch_sub(1, Ordering::Relaxed);
            self.shared.found().is_paused = true;
            return self.stop();
        }
        let world = World::current().expect("a machine has entered its world");
        self.seen += 1;
        self.events += graph.order().len() as u64;
        let failed = self.failed;
        self.told_the_end = false;
        self.outcome = None;
        let mut found = self.shared.found();
        found.needs_a_whole |= world.needs_a_whole.get();
        found.needs_causality |= world.needs_causality.get();
        world.traffic.add_to(&mut found.traffic, &world);
        world.weak_orderings.add_to(&mut found.weak_orderings);
        world.fixes.add_to(&mut found.fixes_seen);
        drop(found);
        if self.shared.lacks_rc11(&world) {
            self.shared.found().needs_rc11 = true;
            return self.stop();
        }
        if self.lacks_askers(graph, &world) {
            return self.stop();
        }
        if let Err(mismatch) = self.judge(graph, leaf, &world) {
            self.shared.found().mismatch.get_or_insert(mismatch);
            return self.stop();
        }
        world.leaf_visited.set(true);
        self.starts = world.starts.get();
        self.show(graph, &world);
        if self.shared.guide.is_some() {
            self.follow(graph, &world);
        }
        if world.has_marks.get() {
            self.count_marks(graph, &world);
        }
        if self.is_over || (self.failed > failed && !self.shared.settings.keep_going) {
            return self.stop();
        }
        true
    }

    fn lost(&mut self) {
        let world = World::current().expect("a machine has entered its world");
        let mut found = self.shared.found();
        match world.mismatch.take() {
            Some(mismatch) => drop(found.mismatch.get_or_insert(mismatch)),
            None => found.is_lost = true,
        }
        self.is_over = true;
    }
}

/// "; the last ones at src/lib.rs:26:17": the lines of the last events of a process, which is probably in
/// a loop.
fn last_lines(graph: &Graph<Machine>, world: &World, process: Tid) -> String {
    let count = graph.live(process) as u32;
    let last = (count.saturating_sub(MOST_LAST)..count).rev();
    let location = |index| {
        let id = EventId {
            thread: process,
            index,
        };
        world.location(id).map(ToString::to_string)
    };
    let mut lines: Vec<String> = Vec::new();
    for line in last.filter_map(location) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.truncate(MOST_LINES);
    match lines.is_empty() {
        true => String::new(),
        false => format!("; the last ones at {}", lines.join(", ")),
    }
}

/// Is there nobody who watches or guides the processes?
fn world_is_plain(world: &World) -> bool {
    world.monitors.is_empty() && world.guide.is_none()
}

/// How many events are looked at for the lines of a loop, and how many lines are named.
const MOST_LAST: u32 = 20;
const MOST_LINES: usize = 3;

/// Does some process say that the execution is not of interest?
fn gave_up(graph: &Graph<Machine>) -> bool {
    let gave_up = |process: Tid| {
        let last = graph.live(process).checked_sub(1);
        last.is_some_and(|index| {
            let id = EventId {
                thread: process,
                index: index as u32,
            };
            matches!(graph.event(id).kind, Kind::Block)
        })
    };
    (0..graph.threads() as Tid).any(gave_up)
}
