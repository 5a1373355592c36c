//! The monitors of a world: what each has made of the messages that it has seen.
//!
//! Invariant. The state of a monitor that has seen `n` messages is what its methods make of the
//! answers that the graph has, or will have again, for the first `n` receives of its process; the
//! machine calls [`Observers::forget`] where it would give up a run. Whoever wants the state
//! of a shorter or longer execution gets it from [`Observer::catch_up`], from scratch if need be.

use super::{ExecutionEnd, Monitor, Registered, Sent};
use crate::machine::{Machine, answers};
use crate::panics::{self, Caught, Detail};
use crate::pattern::{Arm, Pattern};
use crate::record::discard;
use crate::shared_context::{Mailboxes, World};
use crate::task::Task;
use plainsong_explore::{EventId, Graph, Mailbox, Read, Tid};
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// All monitors of a world; most have none.
#[derive(Default)]
pub(crate) struct Observers(Vec<Observer>);

/// One monitor.
pub(crate) struct Observer {
    pub(super) registered: Registered,
    /// Its process. The first process starts the monitors before anything else, so their numbers
    /// follow its own.
    pub(crate) process: Tid,
    /// Its name, and how many earlier monitors have the same.
    pub(crate) name: (Rc<str>, u32),
    pattern: OnceCell<Rc<Pattern>>,
    state: RefCell<State>,
}

/// What a monitor has come to.
#[derive(Default)]
struct State {
    /// None before it is needed, and when it was told about the end.
    monitor: Option<Box<dyn Monitor>>,
    /// How many messages it has seen.
    seen: usize,
    /// How it failed at the last of them.
    failed: Option<Caught>,
    /// The coverage marks that it came to.
    marks: Vec<Cow<'static, str>>,
}

impl Observers {
    pub(crate) fn new(registered: &[Registered]) -> Self {
        let observer = |(at, one): (usize, &Registered)| {
            let alike = |other: &&Registered| other.name == one.name;
            let earlier = registered[..at].iter().filter(alike).count();
            Observer {
                registered: one.clone(),
                process: at as Tid + 1,
                name: (Rc::from(&*one.name), earlier as u32),
                pattern: OnceCell::new(),
                state: RefCell::default(),
            }
        };
        Observers(registered.iter().enumerate().map(observer).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Observer> {
        self.0.iter()
    }

    /// The monitor that is this process.
    pub(crate) fn of(&self, process: Tid) -> Option<&Observer> {
        self.0.get((process as usize).checked_sub(1)?)
    }

    /// Messages from the `kept`-th on are not what the monitor has seen; was it told about them?
    pub(crate) fn forget(&self, process: Tid, kept: usize) -> bool {
        let observer = self.of(process);
        let affected = observer.filter(|observer| observer.state.borrow().seen > kept);
        affected.is_some_and(|observer| {
            observer.start_again();
            true
        })
    }

    /// Nothing was seen so far.
    pub(crate) fn forget_all(&self) {
        self.0.iter().for_each(Observer::start_again);
    }

    /// Tells all monitors that an execution has ended; returns the panics.
    pub(crate) fn end(
        &self,
        graph: &Graph<Machine>,
        end: &ExecutionEnd,
        detail: Detail,
    ) -> Vec<(Tid, Caught)> {
        let object =
            |observer: &Observer| Some((observer.process, observer.end(graph, end, detail)?));
        self.0.iter().filter_map(object).collect()
    }

    /// The coverage marks that monitors came to in an execution, which they were just told the end
    /// of, or not.
    pub(crate) fn marks(&self, graph: &Graph<Machine>, has_ended: bool) -> Vec<Cow<'static, str>> {
        let mut marks = Vec::new();
        for observer in &self.0 {
            if !has_ended {
                observer.catch_up(observer.received(graph), graph, Detail::Place);
            }
            marks.extend_from_slice(&observer.state.borrow().marks);
        }
        marks
    }
}

impl Observer {
    /// Is it told about this message?
    pub(super) fn selects(&self, sent: &Sent<'_>) -> bool {
        let _aside = Task::step_aside();
        let _observing = Observing::begin();
        (self.registered.selects)(sent)
    }

    /// Where copies are sent to it.
    pub(super) fn mailbox(&self) -> Mailbox {
        Mailboxes::of_process(self.process)
    }

    /// What it receives: everything.
    pub(crate) fn pattern(&self) -> Rc<Pattern> {
        let make = || self.new_pattern();
        Rc::clone(self.pattern.get_or_init(|| Rc::new(make())))
    }

    pub(crate) fn new_pattern(&self) -> Pattern {
        Pattern::one(Arm::anything(self.mailbox()), self.registered.location)
    }

    /// How many messages it received in the graph.
    pub(crate) fn received(&self, graph: &Graph<Machine>) -> usize {
        match (self.process as usize) < graph.threads() {
            true => answers(graph, self.process),
            false => 0,
        }
    }

    /// How many messages it has seen.
    pub(crate) fn seen(&self) -> usize {
        self.state.borrow().seen
    }

    /// Did it fail at the last message that it has seen?
    pub(crate) fn has_failed(&self) -> bool {
        self.state.borrow().failed.is_some()
    }

    /// Shows it the first `known` messages that it received in the graph; returns its panic.
    pub(crate) fn catch_up(
        &self,
        known: usize,
        graph: &Graph<Machine>,
        detail: Detail,
    ) -> Option<Caught> {
        let mut state = self.state.borrow_mut();
        if state.monitor.is_none() || state.seen > known {
            discard(std::mem::take(&mut *state));
            let make = || state.monitor = Some((self.registered.make)());
            let (result, marks) = guarded(detail, make);
            state.marks = marks;
            state.failed = result.err();
        }
        while state.seen < known && state.failed.is_none() {
            let id = EventId {
                thread: self.process,
                index: state.seen as u32,
            };
            state.seen += 1;
            if let Read::From(send) = graph.event(id).read {
                state.see(&Sent::of_copy(graph.message(send)), detail);
            }
        }
        state.failed.clone()
    }

    /// Tells it that the execution has ended; returns its panic.
    fn end(&self, graph: &Graph<Machine>, end: &ExecutionEnd, detail: Detail) -> Option<Caught> {
        if let Some(caught) = self.catch_up(self.received(graph), graph, detail) {
            return Some(caught);
        }
        let mut state = self.state.borrow_mut();
        let mut monitor = state.monitor.take().expect("it has just seen everything");
        let (result, marks) = guarded(detail, || monitor.on_end(end));
        discard(monitor);
        state.marks.extend(marks);
        result.err()
    }

    fn start_again(&self) {
        discard(self.state.take());
    }
}

impl State {
    fn see(&mut self, sent: &Sent<'_>, detail: Detail) {
        let monitor = self.monitor.as_mut().expect("a monitor that sees is there");
        let (result, marks) = guarded(detail, || monitor.on_message(sent));
        self.marks.extend(marks);
        self.failed = result.err();
    }
}

/// Runs code of a monitor. What it panics with, and the marks that it came to.
fn guarded(detail: Detail, code: impl FnOnce()) -> (Result<(), Caught>, Vec<Cow<'static, str>>) {
    let _recording = panics::record(detail);
    let observing = Observing::begin();
    let result = catch_unwind(AssertUnwindSafe(|| run_monitor(code)));
    (
        result.map_err(|payload| panics::caught(&*payload)),
        observing.finish(),
    )
}

/// Where backtraces of monitors begin.
#[inline(never)]
pub(crate) fn run_monitor(code: impl FnOnce()) {
    code();
}

thread_local! {
    /// The marks that the code of a monitor came to; none while no such code runs.
    static MARKS: RefCell<Option<Vec<Cow<'static, str>>>> = const { RefCell::new(None) };
}

/// Does code of a monitor run on this OS thread?
pub(crate) fn is_observing() -> bool {
    MARKS.with_borrow(Option::is_some)
}

/// Notes a coverage mark that the code of a monitor came to.
pub(crate) fn mark(name: Cow<'static, str>) {
    MARKS.with_borrow_mut(|marks| marks.get_or_insert_default().push(name));
    if let Some(world) = World::current() {
        world.has_marks.set(true);
    }
}

/// Code of a monitor runs as long as this exists.
struct Observing(Option<Vec<Cow<'static, str>>>);

impl Observing {
    fn begin() -> Self {
        Observing(MARKS.replace(Some(Vec::new())))
    }

    fn finish(self) -> Vec<Cow<'static, str>> {
        MARKS.replace(None).unwrap_or_default()
    }
}

impl Drop for Observing {
    fn drop(&mut self) {
        MARKS.set(self.0.take());
    }
}
