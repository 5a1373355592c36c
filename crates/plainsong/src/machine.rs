//! Rust code as a program for the engine: runs processes, and runs them again.
//!
//! Each process has at most one *run*: a coroutine that has consumed some of the answers that the
//! engine has for it and stopped at its next operation. When the engine changes an answer that a run
//! has consumed, the run is made to unwind; when the process is asked for again, it starts anew and
//! is fed all its answers. Processes whose answers did not change stay where they are.
//!
//! A run that has consumed just one answer too many is kept in *doubt* until the process is asked for
//! again. If then it has got the same answer, as an acknowledgement often is, the run goes on; it cannot
//! know that it was another message that said the same.
//!
//! The code of a process is an `FnOnce`, used up by a run. To start a child again its parent runs
//! again, up to where it is now; on the way it spawns all its children anew, and the code of each is
//! kept for when it is wanted. So one run of `main` provides for one new start of every child.
//!
//! Invariant. A run with `consumed` answers has got the answers that the graph has, or will have
//! again, for the first `consumed` operations of its process; [`Machine::forget`] sees to it. After
//! those it may have performed sends that the graph does not have yet: they depend on no other answers.
//! The code kept for a child comes from a run of the parent with the answers that still hold.
//!
//! [`Restart::All`] is in `lockstep`: everything runs again, in the order of the execution.

mod another_order;
mod causality;
mod certain;
mod describe;
mod lockstep;
mod observe;
mod receivers;
mod rehearsal;

use crate::coroutine::{Coroutine, State};
use crate::determinism_check::{Mismatch, Print, What, at};
use crate::explorer::Restart;
use crate::failure::{Failure, FailureKind};
use crate::message::Envelope;
use crate::panics::{self, Caught, Detail};
use crate::pattern::Pattern;
use crate::record::{Body, Record};
use crate::shared_context::{Entered, World};
use crate::task::{Difference, Fed, Note, Operation, Outcome, Task, run_body};
pub(crate) use causality::causal_order;
pub(crate) use describe::{describe_event, describe_operation};
use plainsong_explore::{
    Access, EventId, Graph, History, Kind, Mailbox, Op, Program, Read, Tid, Want,
};
pub(crate) use receivers::{find_two_receivers, two_receivers};
use std::cell::Ref;
use std::rc::Rc;
use std::sync::Arc;

/// The code of the first process; it can start any number of times.
pub(crate) type Root = Arc<dyn Fn() + Send + Sync>;

/// The processes of an explored program.
pub(crate) struct Machine {
    pub(crate) world: Rc<World>,
    root: Root,
    restart: Restart,
    processes: Vec<Entry>,
    /// With [`Restart::All`]: how many events of the execution have run.
    performed: usize,
    /// With [`Restart::All`]: how many events of each process have run.
    done: Vec<u32>,
    /// With [`Restart::All`]: what the operations of each process sent in this run.
    fresh: Vec<Vec<Option<Rc<Envelope>>>>,
    /// Who received last from each mailbox.
    receivers: Vec<Option<Tid>>,
    /// Runs that unwind, and wait for others to do so first.
    ghosts: Vec<Run>,
    /// Memory for tasks.
    spare: Vec<Rc<Task>>,
    _entered: Entered,
}

/// What is known about a process.
#[derive(Default)]
struct Entry {
    /// Its parent, and which of its children it is.
    origin: Option<(Tid, u32)>,
    run: Option<Run>,
    record: Rc<Record>,
}

struct Run {
    task: Rc<Task>,
    /// None when the code has ended.
    coroutine: Option<Coroutine>,
    /// How many answers it has got. It has requested the operations after those: sends, whose answers
    /// are no news, and the one that it stopped at.
    consumed: usize,
    /// The last answer, if it came from others.
    last: Option<Fed>,
    /// How it failed, if that is what it stopped at.
    caught: Option<Caught>,
    /// Does the last answer perhaps not hold any more?
    in_doubt: bool,
}

impl Run {
    /// May it turn out that an answer from the `kept`-th on is the same again?
    fn may_get_the_same(&self, kept: usize) -> bool {
        self.consumed == kept + 1 && self.last.is_some() && self.caught.is_none()
    }

    /// The operation that it performs when it has got so many answers, if it came there already.
    #[inline]
    fn operation(&self, answers: usize) -> Option<Operation> {
        let requests = self.task.requests.borrow();
        requests.get(answers.checked_sub(self.consumed)?).cloned()
    }

    /// The number of answers that it can do without: it knows those to its sends.
    fn answered(&self) -> usize {
        (self.consumed + self.requested()).saturating_sub(1)
    }

    fn requested(&self) -> usize {
        self.task.requests.borrow().len()
    }
}

/// The program is not deterministic; the world knows how.
struct Broken;

type Step<T = ()> = Result<T, Broken>;

impl Machine {
    /// A machine that has not started; its world is the current one as long as it exists.
    pub(crate) fn new(world: Rc<World>, root: Root, restart: Restart) -> Self {
        panics::install();
        let entered = world.enter();
        world.runs_as_a_whole.set(restart == Restart::All);
        Machine {
            world,
            root,
            restart,
            processes: Vec::new(),
            performed: 0,
            done: Vec::new(),
            fresh: Vec::new(),
            receivers: Vec::new(),
            ghosts: Vec::new(),
            spare: Vec::new(),
            _entered: entered,
        }
    }

    /// The fingerprint of an operation, which has its place in the source.
    pub(crate) fn print(&self, id: EventId) -> Option<Print> {
        let entry = self.processes.get(id.thread as usize)?;
        entry.record.prints.borrow().get(id.index as usize).copied()
    }

    /// What was chosen by an operation, when the world takes notes.
    pub(crate) fn note(&self, id: EventId) -> Option<Note> {
        let run = self.processes.get(id.thread as usize)?.run.as_ref()?;
        let notes = run.task.notes.borrow();
        let note = notes.iter().find(|note| note.is_of(id.index as usize));
        note.cloned()
    }

    /// The operation that a process has stopped at.
    pub(crate) fn pending(&self, process: Tid) -> Option<Ref<'_, Operation>> {
        let run = self.processes.get(process as usize)?.run.as_ref()?;
        let requests = run.task.requests.borrow();
        Ref::filter_map(requests, |requests| {
            requests.last().filter(|_| !run.in_doubt)
        })
        .ok()
    }

    /// In a replay: does some process wait for a message that the trace wants and nobody sends?
    pub(crate) fn waits_for_the_guide(&self) -> bool {
        let process_waits = |process: usize| match self.pending(process as Tid).as_deref() {
            Some(Op::Receive { pattern, .. }) => pattern
                .only
                .as_ref()
                .is_some_and(|wanted| !wanted.is_empty()),
            Some(Op::Memory(Access::Load { only, .. })) => only.is_some(),
            _ => false,
        };
        (0..self.processes.len()).any(process_waits) || self.a_monitor_waits_for_the_guide()
    }

    #[inline]
    fn entry(&mut self, process: Tid) -> &mut Entry {
        let at = process as usize;
        if at >= self.processes.len() {
            self.make_room(at + 1);
        }
        &mut self.processes[at]
    }

    #[cold]
    fn make_room(&mut self, processes: usize) {
        let known = self.processes.len();
        self.processes.resize_with(processes, Entry::default);
        let new = self.processes[known..].iter();
        let records = new.map(|entry| Rc::downgrade(&entry.record));
        self.world.records.borrow_mut().extend(records);
    }

    #[inline]
    fn run(&mut self, process: Tid) -> &mut Run {
        self.entry(process)
            .run
            .as_mut()
            .expect("the process was started")
    }

    /// The next operation of a process, running only what has to run.
    fn advance(&mut self, process: Tid, graph: &Graph<Self>) -> Step<Operation> {
        let known = answers(graph, process);
        if let Some(operation) = self.known_operation(process, known) {
            return Ok(operation);
        }
        self.settle(process, known, graph);
        let run = self.entry(process).run.as_ref();
        if run.is_none_or(|run| run.consumed > known) {
            self.start(process, graph)?;
        }
        let mut operation = self.run(process).operation(known);
        if operation.is_none() {
            self.feed(process, known, graph);
            self.go_on(process, graph)?;
            operation = self.run(process).operation(known);
        }
        if let (Some(Op::Fail), Some(caught)) = (&operation, &self.run(process).caught) {
            let caught = caught.clone();
            self.world.last_failure.replace(Some((process, caught)));
        }
        Ok(operation.expect("a process that has run has an operation"))
    }

    /// The operation that a process came to while it was ahead, if nothing else is to be known.
    #[inline]
    fn known_operation(&self, process: Tid, known: usize) -> Option<Operation> {
        let run = self.processes.get(process as usize)?.run.as_ref()?;
        match run.in_doubt || run.caught.is_some() {
            true => None,
            false => run.operation(known),
        }
    }

    /// Decides whether a run that is in doubt goes on, now that the process has got `known` answers.
    fn settle(&mut self, process: Tid, known: usize, graph: &Graph<Self>) {
        let Some(run) = self.entry(process).run.as_mut().filter(|run| run.in_doubt) else {
            return;
        };
        let id = EventId {
            thread: process,
            index: run.consumed as u32 - 1,
        };
        let is_same = |last: &Fed| last.is_same(&answer(graph, id, false));
        if run.consumed <= known && run.last.as_ref().is_some_and(is_same) {
            run.in_doubt = false;
            run.task.record.doubtful_from.set(None);
        } else {
            self.give_up_run(process);
        }
    }

    /// Starts a process anew; it has not run yet.
    fn start(&mut self, process: Tid, graph: &Graph<Self>) -> Step {
        self.give_up_run(process);
        if std::thread::panicking() {
            self.world.complaint.replace(Some(unwinds_outside()));
        }
        self.world.starts.set(self.world.starts.get() + 1);
        let body = self.body(process, graph)?;
        let task = self.task(process);
        let inside = Rc::clone(&task);
        let coroutine = Coroutine::new(&self.world.stacks, move || run_body(&inside, body));
        self.entry(process).run = Some(Run {
            task,
            coroutine: Some(coroutine),
            consumed: 0,
            last: None,
            caught: None,
            in_doubt: false,
        });
        Ok(())
    }

    /// A new task, in used memory if there is some.
    fn task(&mut self, process: Tid) -> Rc<Task> {
        let record = Rc::clone(&self.entry(process).record);
        let mut used = self.spare.pop();
        match used.as_mut().and_then(Rc::get_mut) {
            Some(task) => task.renew(process, record),
            None => used = Some(Rc::new(Task::new(process, Rc::clone(&self.world), record))),
        }
        used.expect("there is one now")
    }

    /// The code of a process.
    fn body(&mut self, process: Tid, graph: &Graph<Self>) -> Step<Body> {
        if process == 0 {
            return Ok(Body::Root(Arc::clone(&self.root)));
        }
        let (parent, child) = self.origin(process, graph);
        let mut code = self.entry(parent).record.take_code(child, process);
        if code.is_none() {
            self.run_again(parent, graph)?;
            code = self.entry(parent).record.take_code(child, process);
        }
        let name = self.entry(parent).record.name(child);
        self.world.register(process, parent, child, name.as_ref());
        match code {
            Some(code) => Ok(Body::Child(code)),
            None => Err(self.broken(parent, 0, "more spawns", "fewer spawns")),
        }
    }

    /// Who spawned a process, as which of its children.
    fn origin(&mut self, process: Tid, graph: &Graph<Self>) -> (Tid, u32) {
        if let Some(known) = self.entry(process).origin {
            return known;
        }
        let spawn = causality::spawn_of(graph, process);
        let spawn = spawn.expect("a process is asked for after it was spawned");
        let spawned = |&id: &EventId| {
            id.thread == spawn.thread
                && id.index < spawn.index
                && matches!(graph.event(id).kind, Kind::Spawn { .. })
        };
        let child = graph.order().iter().filter(|id| spawned(id)).count() as u32;
        self.entry(process).origin = Some((spawn.thread, child));
        (spawn.thread, child)
    }

    /// Runs a process from its start to where it is in the graph.
    fn run_again(&mut self, process: Tid, graph: &Graph<Self>) -> Step {
        self.start(process, graph)?;
        self.feed(process, answers(graph, process), graph);
        self.go_on(process, graph)
    }

    /// Puts the answers up to `known` into the feed.
    fn feed(&mut self, process: Tid, known: usize, graph: &Graph<Self>) {
        let compares_values = self.world.compares_values;
        let run = self.run(process);
        let mut feed = run.task.feed.borrow_mut();
        for index in (run.answered()..known).rev() {
            let id = EventId {
                thread: process,
                index: index as u32,
            };
            feed.push(answer(graph, id, compares_values));
            if index + 1 == known {
                run.last = feed.last().and_then(Fed::decided_by_others);
            }
        }
        drop(feed);
        run.task.requests.borrow_mut().clear();
        run.consumed = known;
    }

    /// Lets a process run until it has an operation that there is no answer for.
    fn go_on(&mut self, process: Tid, graph: &Graph<Self>) -> Step {
        match self.resume(process) {
            State::Finished => self.finish(process, graph),
            State::Suspended if self.run(process).task.outcome.borrow().is_some() => {
                self.conclude(process, graph)
            }
            State::Suspended => Ok(()),
        }
    }

    fn resume(&mut self, process: Tid) -> State {
        let record = match self.world.takes_notes {
            true => Detail::Frames,
            false => Detail::Place,
        };
        let run = self.run(process);
        let coroutine = run
            .coroutine
            .as_mut()
            .expect("a process that has ended is not asked");
        let _recording = panics::record(record);
        let _current = run.task.enter();
        let pulse = run.task.world.pulse.as_deref();
        if let Some(pulse) = pulse {
            let prints = run.task.record.prints.borrow();
            let last = prints.get(run.consumed.saturating_sub(1));
            pulse.starts(process, last.and_then(|print| print.location));
        }
        let state = coroutine.resume();
        if let Some(pulse) = pulse {
            pulse.beat();
        }
        state
    }

    /// The code of a process has ended: notes how.
    fn finish(&mut self, process: Tid, graph: &Graph<Self>) -> Step {
        self.run(process).coroutine = None;
        self.conclude(process, graph)
    }

    /// A process does nothing more, though what others borrow may still be on its stack.
    fn conclude(&mut self, process: Tid, graph: &Graph<Self>) -> Step {
        let task = Rc::clone(&self.run(process).task);
        let outcome = task.outcome.take().expect("ended code has an outcome");
        let (what, operation) = match outcome {
            Outcome::Returned => (What::End, Op::End),
            Outcome::GaveUp => (What::GiveUp, Op::Block),
            Outcome::Panicked(caught) => {
                self.run(process).caught = Some(caught.clone());
                self.world.last_failure.replace(Some((process, caught)));
                (What::Fail, Op::Fail)
            }
            Outcome::Differs(difference) => return Err(self.differs(process, difference, graph)),
            Outcome::Abandoned => unreachable!("a process that goes on was not given up"),
        };
        if let Err(mut difference) = task.compare_stop(what) {
            self.explain_stop(what, process, &mut difference);
            return Err(self.differs(process, difference, graph));
        }
        if !task.feed.borrow().is_empty() {
            let index = self.run(process).consumed - task.feed.borrow().len();
            let mut difference = Difference {
                index,
                before: None,
                now: what.to_string(),
            };
            self.explain_stop(what, process, &mut difference);
            return Err(self.differs(process, difference, graph));
        }
        task.requests.borrow_mut().push(operation);
        Ok(())
    }

    /// A panic says what it was.
    fn explain_stop(&self, what: What, process: Tid, difference: &mut Difference) {
        if what == What::Fail
            && let Some((failed, caught)) = &*self.world.last_failure.borrow()
            && *failed == process
        {
            difference.now = caught.to_string();
        }
    }

    /// Makes the run of a process unwind, if there is one.
    fn give_up_run(&mut self, process: Tid) {
        let Some(mut run) = self.entry(process).run.take() else {
            return;
        };
        if run.in_doubt {
            let record = &self.entry(process).record;
            record.prints.borrow_mut().truncate(run.consumed);
            record.doubtful_from.set(None);
        }
        if let Some(coroutine) = &mut run.coroutine
            && coroutine.is_suspended()
        {
            run.task.abandon();
            unwind(&run.task, coroutine);
            if run.task.waits_for_ghost.get() {
                self.ghosts.push(run);
                return;
            }
        }
        run.coroutine = None;
        self.spare.push(run.task);
    }

    /// Lets those unwind on that waited for others to do so first, as long as that helps.
    fn unwind_ghosts(&mut self) {
        let mut last = usize::MAX;
        while !self.ghosts.is_empty() {
            let is_in_vain = self.ghosts.len() >= last;
            last = self.ghosts.len();
            for mut run in std::mem::take(&mut self.ghosts) {
                run.task.waits_in_vain.set(is_in_vain);
                if let Some(coroutine) = &mut run.coroutine {
                    unwind(&run.task, coroutine);
                }
                if run.task.waits_for_ghost.get() {
                    self.ghosts.push(run);
                } else {
                    run.coroutine = None;
                    self.spare.push(run.task);
                }
            }
        }
    }

    /// Makes all runs unwind, children before their parents: a child may borrow from its parent's
    /// stack, and so may its code that has not run.
    fn give_up_everything(&mut self) {
        for entry in &self.processes {
            while entry.record.drop_child(0).is_some() {}
        }
        for process in (0..self.processes.len()).rev() {
            self.give_up_run(process as Tid);
        }
        self.unwind_ghosts();
    }

    /// Forgets everything about a process that was not spawned after all.
    fn reset(&mut self, process: Tid) {
        self.give_up_run(process);
        self.drop_children(process, 0);
        let entry = self.entry(process);
        entry.origin = None;
        entry.record.prints.borrow_mut().clear();
    }

    /// Forgets the children that were spawned by a process's operations from `kept` on.
    fn drop_children(&mut self, process: Tid, kept: usize) {
        while let Some(child) = self.entry(process).record.drop_child(kept) {
            if let Some(child) = child {
                self.reset(child);
            }
        }
    }

    fn differs(&mut self, process: Tid, difference: Difference, graph: &Graph<Self>) -> Broken {
        let id = EventId {
            thread: process,
            index: difference.index as u32,
        };
        let before = difference.before.or_else(|| self.print(id));
        let is_live = difference.index < graph.live(process);
        let text = match before {
            _ if is_live => describe_event(&self.world, graph, id),
            Some(print) => print.what.to_string(),
            None => "something else".to_owned(),
        };
        let text = at(&text, before.and_then(|print| print.location));
        self.broken(process, difference.index, &text, &difference.now)
    }

    fn broken(&self, process: Tid, index: usize, before: &str, now: &str) -> Broken {
        self.world.mismatch.replace(Some(Mismatch {
            process: self.world.name(process),
            index,
            before: before.to_owned(),
            now: now.to_owned(),
        }));
        Broken
    }
}

impl Program for Machine {
    type Message = Rc<Envelope>;
    type Pattern = Rc<Pattern>;

    fn next(&mut self, thread: Tid, history: History<'_, Self>) -> Operation {
        if self.world.mismatch.borrow().is_some()
            || self.world.complaint.borrow().is_some()
            || self.world.is_time_to_stop()
        {
            return Op::Block;
        }
        if self.world.begins.get() {
            self.world.begin_execution();
        }
        let graph = history.graph();
        if self.world.monitors.of(thread).is_some() {
            return self.observe(thread, graph);
        }
        let operation = match self.restart {
            Restart::All => self.perform_together(graph).map(|()| {
                let pending = self.pending(thread).map(|pending| pending.clone());
                pending.expect("a process that has run has an operation")
            }),
            Restart::Auto | Restart::Changed => self.advance(thread, graph),
        };
        match operation {
            Ok(Op::Receive { pattern, .. }) if !self.is_sole_receiver(thread, &pattern, graph) => {
                Op::Block
            }
            Ok(Op::Receive {
                pattern,
                want: Want::Maybe,
            }) => Op::Receive {
                want: if certain::is_certain(graph, thread, &pattern) {
                    Want::One
                } else {
                    Want::Maybe
                },
                pattern,
            },
            Ok(operation) => operation,
            Err(Broken) => Op::Block,
        }
    }

    fn forget(&mut self, thread: Tid, kept: usize) {
        let seen = !self.world.monitors.is_empty() && self.world.monitors.forget(thread, kept);
        if self.restart == Restart::All {
            self.forget_prints(thread, kept);
            let consumed = self
                .entry(thread)
                .run
                .as_ref()
                .map_or(0, |run| run.consumed);
            if seen || consumed > kept || (thread, kept) == (0, 0) {
                self.world.leaf_visited.set(true);
            }
            return;
        }
        let entry = self.entry(thread);
        if let Some(run) = entry.run.as_mut()
            && run.may_get_the_same(kept)
            && !entry.record.has_children_from(kept)
        {
            run.in_doubt = true;
            entry.record.doubtful_from.set(Some(run.consumed));
            return;
        }
        let known = match &entry.run {
            Some(run) if run.consumed <= kept => run.consumed + run.requested(),
            _ => 0,
        };
        let mut prints = entry.record.prints.borrow_mut();
        prints.truncate(known.max(kept + 1));
        drop(prints);
        if known == 0 {
            self.give_up_run(thread);
        }
        self.drop_children(thread, kept);
    }

    fn budgets(&self) -> Vec<u32> {
        self.world.budgets.to_vec()
    }

    fn mailboxes(pattern: &Rc<Pattern>) -> &[Mailbox] {
        pattern.mailboxes()
    }

    fn accepts(pattern: &Rc<Pattern>, message: &Rc<Envelope>, _from: Tid) -> bool {
        pattern.accepts(message)
    }

    fn synchronizes(message: &Rc<Envelope>) -> bool {
        crate::sync::releases(message)
    }

    fn keeps_order(earlier: &Rc<Envelope>, later: &Rc<Envelope>) -> bool {
        crate::order::keeps(earlier, later)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.give_up_everything();
        self.world.monitors.forget_all();
    }
}

/// What is said where an OS thread unwinds that is to explore: operations would do nothing.
#[cold]
fn unwinds_outside() -> Failure {
    let message = "a panic unwinds on this thread: nothing can be explored before it is over";
    Failure::plain(FailureKind::Unsupported, message.to_owned(), None)
}

/// Lets the run of a process that was given up unwind.
fn unwind(task: &Rc<Task>, coroutine: &mut Coroutine) {
    let _recording = panics::record(Detail::Place);
    let _current = task.enter();
    coroutine.resume();
}

/// How many answers a process has got.
pub(crate) fn answers(graph: &Graph<Machine>, process: Tid) -> usize {
    let live = graph.live(process);
    match live.checked_sub(1) {
        Some(last) if is_stop(graph, process, last) => last,
        _ => live,
    }
}

fn is_stop(graph: &Graph<Machine>, thread: Tid, index: usize) -> bool {
    let id = EventId {
        thread,
        index: index as u32,
    };
    let event = graph.event(id);
    matches!(event.kind, Kind::End | Kind::Block | Kind::Fail) || event.read == Read::Lost
}

/// Does a receive take several messages at once?
pub(crate) fn is_set(want: Want) -> bool {
    !matches!(want, Want::One | Want::Maybe)
}

/// A message for who receives it.
fn receive(graph: &Graph<Machine>, send: EventId) -> Rc<Envelope> {
    let message = graph.message(send);
    if !message.is_received.get()
        && let Some(world) = World::current()
    {
        world.traffic.received(message);
    }
    Rc::clone(message)
}

/// The answer to an operation of the graph.
fn answer(graph: &Graph<Machine>, id: EventId, compares_values: bool) -> Fed {
    let event = graph.event(id);
    match &event.kind {
        Kind::Send { message, .. } if compares_values => Fed::Sent(Rc::clone(message)),
        Kind::Receive { want, .. } if is_set(*want) => {
            let messages = event.reads().map(|send| receive(graph, send));
            Fed::Messages(messages.collect())
        }
        Kind::Receive { .. } => match event.read {
            Read::From(send) => Fed::Message(receive(graph, send)),
            _ => Fed::Nothing,
        },
        Kind::Choose { value, .. } => Fed::Chosen(*value),
        Kind::Spawn { thread, .. } => Fed::Started(*thread),
        Kind::Memory(memory) if memory.access.is_load() => Fed::Loaded(graph.value(id)),
        _ => Fed::Done,
    }
}
