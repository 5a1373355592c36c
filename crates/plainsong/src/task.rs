//! A process as its own code sees it.
//!
//! Operations (send, receive, …) find their task through a thread-local and ask it for an answer.
//! Answers that are known from before wait in the *feed*: the operation returns at once. Only when
//! the feed is empty does the process stop and hand its request to the [`machine`](crate::machine).
//! So a process that runs again costs what its own code costs.
//!
//! The answer to a send is always the same, so a process does not stop there: its sends are handed over
//! with the next operation that it has to stop at. Where processes share state behind the exploration's
//! back their order counts, and they stop at each operation.
//!
//! Unwinding. A process whose execution is given up is made to unwind, so that its destructors run
//! and its stack can be used again. While it unwinds, by that or by a panic of its own, operations
//! do nothing; one that has to return a message cannot, and ends the program with an explanation.

use crate::coroutine::suspend;
use crate::determinism_check::{Print, What};
use crate::fault::Crashes;
use crate::future::Waits;
use crate::ghosts::unsupported;
use crate::message::Envelope;
use crate::monitor::is_observing;
use crate::panics::{self, Caught};
use crate::pattern::Pattern;
use crate::record::{Body, Record, discard};
use crate::shared_context::World;
use plainsong_explore::{Mailbox, Op, Tid};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::Arc;

/// An operation as the engine sees it.
pub(crate) type Operation = Op<Rc<Envelope>, Rc<Pattern>>;

/// An answer.
pub(crate) enum Fed {
    Done,
    /// A send, with the message sent before, to be compared.
    Sent(Rc<Envelope>),
    Message(Rc<Envelope>),
    Nothing,
    /// A set of messages.
    Messages(Vec<Rc<Envelope>>),
    Chosen(u32),
    Started(Tid),
    /// What was loaded from memory.
    Loaded(u64),
}

impl Fed {
    /// Is it known that a process cannot tell both answers apart?
    pub(crate) fn is_same(&self, other: &Fed) -> bool {
        match (self, other) {
            (Fed::Message(one), Fed::Message(other)) => {
                Rc::ptr_eq(one, other) || one.is_same(other)
            }
            (Fed::Nothing, Fed::Nothing) => true,
            (Fed::Loaded(one), Fed::Loaded(other)) => one == other,
            _ => false,
        }
    }

    /// The answer again, if it is one that others decided.
    pub(crate) fn decided_by_others(&self) -> Option<Fed> {
        match self {
            Fed::Message(message) => Some(Fed::Message(Rc::clone(message))),
            Fed::Nothing => Some(Fed::Nothing),
            Fed::Loaded(value) => Some(Fed::Loaded(*value)),
            _ => None,
        }
    }

    /// The messages that a receive gets.
    pub(crate) fn received(&mut self) -> &mut [Rc<Envelope>] {
        match self {
            Fed::Message(message) => std::slice::from_mut(message),
            Fed::Messages(messages) => messages,
            _ => &mut [],
        }
    }
}

/// How the code of a process ended.
pub(crate) enum Outcome {
    /// It returned.
    Returned,
    /// An assumption does not hold.
    GaveUp,
    /// It panicked.
    Panicked(Caught),
    /// It did something else than before.
    Differs(Difference),
    /// It was made to unwind.
    Abandoned,
}

/// The operation that is not the one from before.
pub(crate) struct Difference {
    pub(crate) index: usize,
    pub(crate) before: Option<Print>,
    pub(crate) now: String,
}

/// One run of a process.
pub(crate) struct Task {
    pub(crate) process: Tid,
    pub(crate) world: Rc<World>,
    /// Answers not yet consumed, the next one last.
    pub(crate) feed: RefCell<Vec<Fed>>,
    /// How many operations were begun.
    position: Cell<u32>,
    pub(crate) record: Rc<Record>,
    /// Operations that nobody knows of yet: the last is the one that it waits for an answer to, those
    /// before are sends.
    pub(crate) requests: RefCell<Vec<Operation>>,
    /// What it sent although the answer was known, with the number of the operation.
    pub(crate) resent: RefCell<Vec<(u32, Rc<Envelope>)>>,
    spawned: Cell<u32>,
    names: RefCell<Vec<Rc<str>>>,
    channels: Cell<u32>,
    /// In a replay: how many decisions were taken from the guide.
    pub(crate) decisions: Cell<usize>,
    /// In a replay: how many messages of each kind were sent, by mailbox and type.
    pub(crate) sent: RefCell<Vec<(u32, std::any::TypeId, u32)>>,
    /// Values of choices, when the world takes notes.
    pub(crate) notes: RefCell<Vec<Note>>,
    /// How many choices of each name it made, when some are fixed.
    choices: RefCell<Vec<(String, u32)>>,
    tickets: Cell<u32>,
    /// The channels whose receiver it knows to be dropped.
    pub(crate) hung_up: RefCell<Vec<Mailbox>>,
    /// How often it woke up for no reason.
    pub(crate) spurious: Cell<u32>,
    /// The name that a thread was given.
    pub(crate) thread_name: RefCell<Option<Arc<str>>>,
    /// How often a thread was parked, and whether the last time took a token.
    pub(crate) parked: Cell<(u32, bool)>,
    /// What destructors left to do while the process unwound.
    deferred: RefCell<Vec<Box<dyn FnOnce()>>>,
    /// What its futures wait for.
    pub(crate) waits: Waits,
    /// May it crash?
    pub(crate) crashes: Cell<Crashes>,
    dying: Cell<bool>,
    /// Does a destructor wait for others to unwind, and are there none left?
    pub(crate) waits_for_ghost: Cell<bool>,
    pub(crate) waits_in_vain: Cell<bool>,
    /// Has a destructor got an answer that is no part of the execution, while a panic unwound?
    is_haunted: Cell<bool>,
    /// What it has left in locks, by their servers, for its destructors.
    pub(crate) left_in_locks: RefCell<BTreeMap<Tid, Rc<dyn Any>>>,
    stops: Cell<u32>,
    difference: RefCell<Option<Difference>>,
    gave_up: Cell<bool>,
    pub(crate) outcome: RefCell<Option<Outcome>>,
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<Task>>> = const { RefCell::new(None) };
    static MUTED: Cell<bool> = const { Cell::new(false) };
}

/// Makes operations do nothing until the result is dropped.
pub(crate) fn mute() -> Muted {
    Muted(MUTED.replace(true))
}

/// Goes back to how operations were before.
pub(crate) struct Muted(bool);

impl Drop for Muted {
    fn drop(&mut self) {
        MUTED.set(self.0);
    }
}

/// How many sends a process may be ahead of the graph.
const MOST_AHEAD: usize = 64;

/// How often a process may catch the unwinding that ends it.
const MOST_STOPS: u32 = 100;

/// The payload of an unwinding that is no panic.
struct Stop;

impl Task {
    pub(crate) fn new(process: Tid, world: Rc<World>, record: Rc<Record>) -> Self {
        Task {
            process,
            world,
            feed: RefCell::default(),
            position: Cell::new(0),
            record,
            requests: RefCell::default(),
            resent: RefCell::default(),
            spawned: Cell::new(0),
            names: RefCell::default(),
            channels: Cell::new(0),
            decisions: Cell::new(0),
            sent: RefCell::default(),
            notes: RefCell::default(),
            choices: RefCell::default(),
            tickets: Cell::new(0),
            hung_up: RefCell::default(),
            spurious: Cell::new(0),
            thread_name: RefCell::default(),
            parked: Cell::new((0, false)),
            deferred: RefCell::default(),
            waits: Waits::default(),
            crashes: Cell::default(),
            dying: Cell::new(false),
            waits_for_ghost: Cell::new(false),
            waits_in_vain: Cell::new(false),
            is_haunted: Cell::new(false),
            left_in_locks: RefCell::default(),
            stops: Cell::new(0),
            difference: RefCell::default(),
            gave_up: Cell::new(false),
            outcome: RefCell::default(),
        }
    }

    /// A task for another run, in the memory of this one, which has ended.
    pub(crate) fn renew(&mut self, process: Tid, record: Rc<Record>) {
        self.process = process;
        self.record = record;
        self.feed.get_mut().clear();
        self.position.set(0);
        self.requests.get_mut().clear();
        self.resent.get_mut().clear();
        self.spawned.set(0);
        self.names.get_mut().clear();
        self.channels.set(0);
        self.decisions.set(0);
        self.sent.get_mut().clear();
        self.notes.get_mut().clear();
        self.choices.get_mut().clear();
        self.tickets.set(0);
        self.hung_up.get_mut().clear();
        self.spurious.set(0);
        self.thread_name.take();
        self.parked.set((0, false));
        discard(self.deferred.take());
        self.waits = Waits::default();
        self.crashes.take();
        self.dying.set(false);
        self.waits_for_ghost.set(false);
        self.waits_in_vain.set(false);
        self.is_haunted.set(false);
        discard(self.left_in_locks.take());
        self.stops.set(0);
        self.difference.take();
        self.gave_up.set(false);
        self.outcome.take();
    }

    /// The task that runs on this OS thread.
    #[track_caller]
    #[inline]
    pub(crate) fn current(operation: &str) -> Rc<Task> {
        match CURRENT.with_borrow(Clone::clone) {
            Some(task) => task,
            None => Task::missing(operation),
        }
    }

    /// There is no task: says why.
    #[track_caller]
    #[cold]
    fn missing(operation: &str) -> ! {
        match is_observing() {
            true => {
                panic!("`{operation}` does not work in a monitor: monitors only watch")
            }
            false => panic!(
                "`{operation}` works only inside an exploration: wrap the code in \
                 `plainsong::explore(|| {{ … }})`"
            ),
        }
    }

    /// The task that runs on this OS thread; none when it is unwinding and has to do nothing.
    #[track_caller]
    #[inline]
    pub(crate) fn live(operation: &str) -> Option<Rc<Task>> {
        if MUTED.get() {
            return None;
        }
        let task = Task::current(operation);
        if std::thread::panicking() {
            return None;
        }
        if task.dying.get() {
            task.stop();
        }
        if task.is_haunted.get() {
            let complaint = unsupported(&task.world.name(task.process));
            task.world.complaint.replace(Some(complaint));
            task.give_up();
        }
        task.catch_up();
        Some(task)
    }

    /// Insists that the operation is called where it works: first thing in what users call, so that
    /// they read about their own line.
    #[track_caller]
    pub(crate) fn insist(operation: &str) {
        let _ = Task::live(operation);
    }

    /// The task that runs on this OS thread, if one does, whatever becomes of it.
    pub(crate) fn running() -> Option<Rc<Task>> {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Is what is done now no part of an execution, because something unwinds?
    pub(crate) fn is_unwinding() -> bool {
        MUTED.get() || std::thread::panicking()
    }

    /// A destructor gets an answer that is no part of the execution.
    pub(crate) fn note_ghost() {
        if let Some(task) = Task::of_destructor() {
            task.is_haunted.set(true);
        }
    }

    /// Did a destructor get such an answer?
    pub(crate) fn is_haunted(&self) -> bool {
        self.is_haunted.get()
    }

    /// The task that runs on this OS thread, for a destructor: none when nothing runs, or it has to
    /// do nothing.
    pub(crate) fn of_destructor() -> Option<Rc<Task>> {
        if MUTED.get() {
            return None;
        }
        let task = CURRENT.with_borrow(Clone::clone)?;
        (!task.dying.get()).then_some(task)
    }

    /// Does something now, or, when the process unwinds from a panic, as soon as that was caught.
    /// If nobody catches it the execution has failed, and nobody notices.
    pub(crate) fn soon(&self, deed: impl FnOnce() + 'static) {
        if std::thread::panicking() {
            self.deferred.borrow_mut().push(Box::new(deed));
        } else {
            deed();
        }
    }

    /// Does what destructors had to leave undone.
    #[inline]
    fn catch_up(&self) {
        if !self.deferred.borrow().is_empty() {
            for deed in self.deferred.take() {
                deed();
            }
        }
    }

    /// Makes this the current task until the result is dropped.
    pub(crate) fn enter(self: &Rc<Self>) -> Entered {
        Entered(CURRENT.replace(Some(Rc::clone(self))))
    }

    /// There is no current task until the result is dropped.
    pub(crate) fn step_aside() -> Entered {
        Entered(CURRENT.take())
    }

    /// Performs an operation: compares it with what was done before, takes the answer from the
    /// feed, or stops until there is one.
    #[inline]
    pub(crate) fn perform(
        &self,
        print: Print,
        describe: &dyn Fn() -> String,
        request: impl FnOnce() -> Operation,
    ) -> Fed {
        self.compare(print, describe);
        if let Some(fed) = self.feed.borrow_mut().pop() {
            return fed;
        }
        self.wait(request());
        let fed = self.feed.borrow_mut().pop();
        fed.expect("a process goes on when it has an answer")
    }

    /// The same for a send or a store. Its answer is known, so the process goes on at once, unless it is already
    /// far ahead: it might never stop.
    #[inline]
    pub(crate) fn perform_send(
        &self,
        print: Print,
        describe: &dyn Fn() -> String,
        request: impl FnOnce() -> Operation,
    ) -> Fed {
        self.compare(print, describe);
        if let Some(fed) = self.feed.borrow_mut().pop() {
            return fed;
        }
        let request = request();
        let mut requests = self.requests.borrow_mut();
        if !self.world.runs_as_a_whole.get() && requests.len() < MOST_AHEAD {
            requests.push(request);
            return Fed::Done;
        }
        drop(requests);
        self.wait(request);
        let fed = self.feed.borrow_mut().pop();
        fed.expect("a process goes on when it has an answer")
    }

    /// Stops with a request until there is an answer.
    #[inline]
    fn wait(&self, request: Operation) {
        self.requests.borrow_mut().push(request);
        suspend();
        if self.dying.get() {
            self.stop();
        }
    }

    /// Compares an operation with its fingerprint from before, and counts it.
    #[inline]
    fn compare(&self, print: Print, describe: &dyn Fn() -> String) {
        let at = self.position.get() as usize;
        let mut prints = self.record.prints.borrow_mut();
        match prints.get(at) {
            None => prints.push(print),
            Some(before) if before.same(&print) => {}
            Some(&before) => {
                drop(prints);
                self.differs(
                    Some(before),
                    crate::determinism_check::at(&describe(), print.location),
                );
            }
        }
        self.position.set(at as u32 + 1);
    }

    /// Compares how the process stopped with how it stopped before.
    pub(crate) fn compare_stop(&self, what: What) -> Result<(), Difference> {
        let at = self.position.get() as usize;
        let print = Print::of_stop(what);
        let mut prints = self.record.prints.borrow_mut();
        match prints.get(at) {
            None => prints.push(print),
            Some(before) if before.same(&print) => {}
            Some(&before) => {
                return Err(Difference {
                    index: at,
                    before: Some(before),
                    now: what.to_string(),
                });
            }
        }
        Ok(())
    }

    /// The process does something else than before: it cannot go on.
    pub(crate) fn differs(&self, before: Option<Print>, now: String) -> ! {
        self.difference.replace(Some(Difference {
            index: self.position.get() as usize,
            before,
            now,
        }));
        self.stop()
    }

    /// The last operation got an answer that does not fit: it was another one before.
    pub(crate) fn unfit(&self, now: &str, location: &'static Location<'static>) -> ! {
        self.position.set(self.position.get() - 1);
        self.differs(None, crate::determinism_check::at(now, Some(location)))
    }

    /// This execution is not of interest.
    pub(crate) fn give_up(&self) -> ! {
        self.gave_up.set(true);
        self.stop()
    }

    /// Unwinds without a panic.
    ///
    /// Code that catches this and goes on is stopped again at its next operation; code that does so
    /// in a loop would never end, and is left suspended.
    fn stop(&self) -> ! {
        self.dying.set(true);
        self.stops.set(self.stops.get() + 1);
        while self.stops.get() > MOST_STOPS {
            suspend();
        }
        panics::unwinding(true);
        resume_unwind(Box::new(Stop))
    }

    /// Does it unwind because it was stopped, and not because its code panicked?
    pub(crate) fn is_stopped(&self) -> bool {
        self.dying.get()
    }

    /// What becomes of a process that stops, by a panic or not.
    fn conclusion(&self, payload: Option<&(dyn Any + Send)>) -> Outcome {
        // User code may have caught our unwinding, so what was asked for comes first.
        if let Some(difference) = self.difference.take() {
            Outcome::Differs(difference)
        } else if self.gave_up.get() {
            Outcome::GaveUp
        } else if self.dying.get() {
            Outcome::Abandoned
        } else {
            match payload {
                None => Outcome::Returned,
                Some(payload) => Outcome::Panicked(panics::caught(payload)),
            }
        }
    }

    /// Stops in the middle of unwinding, as long as something is borrowed from this stack. For the
    /// machine the process has ended; it lets it go on when all that borrows is gone.
    pub(crate) fn hold(&self, payload: &(dyn Any + Send), is_borrowed: impl Fn() -> bool) {
        if !is_borrowed() {
            return;
        }
        panics::unwinding(false);
        match self.conclusion(Some(payload)) {
            Outcome::Abandoned => {}
            outcome => {
                self.outcome.replace(Some(outcome));
            }
        }
        while is_borrowed() {
            suspend();
        }
        self.dying.set(true);
        panics::unwinding(true);
    }

    /// Lets other processes unwind first, because one of them has what a destructor wants.
    #[track_caller]
    pub(crate) fn wait_for_ghost(&self, operation: &str) {
        if !self.dying.get() || self.waits_in_vain.get() {
            cannot_receive_now(operation);
        }
        self.waits_for_ghost.set(true);
        panics::unwinding(false);
        suspend();
        panics::unwinding(true);
        self.waits_for_ghost.set(false);
    }

    /// From now on the process unwinds.
    pub(crate) fn abandon(&self) {
        self.dying.set(true);
    }

    /// The number of the next child.
    pub(crate) fn next_child(&self) -> u32 {
        self.spawned.replace(self.spawned.get() + 1)
    }

    /// The number of the next channel.
    pub(crate) fn next_channel(&self) -> u32 {
        self.channels.replace(self.channels.get() + 1)
    }

    /// A number that no other request of this process has.
    pub(crate) fn next_ticket(&self) -> u32 {
        self.tickets.replace(self.tickets.get() + 1)
    }

    /// The index of the operation that was begun last.
    pub(crate) fn last_operation(&self) -> usize {
        self.position.get() as usize - 1
    }

    /// The index of the operation that is about to begin.
    pub(crate) fn next_operation(&self) -> u32 {
        self.position.get()
    }

    /// A child's name with the number of earlier children of that name.
    pub(crate) fn count_name(&self, name: Rc<str>) -> (Rc<str>, u32) {
        let mut names = self.names.borrow_mut();
        let earlier = names.iter().filter(|other| **other == name).count();
        names.push(Rc::clone(&name));
        (name, earlier as u32)
    }

    /// Counts the choices of a name, from 1.
    pub(crate) fn count_choice(&self, name: &str) -> u32 {
        let mut choices = self.choices.borrow_mut();
        match choices.iter_mut().find(|known| known.0 == name) {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                choices.push((name.to_owned(), 1));
                1
            }
        }
    }

    /// Keeps the value of a choice for a picture.
    pub(crate) fn note(&self, name: Option<&str>, value: impl FnOnce() -> String) {
        if self.world.takes_notes {
            self.notes.borrow_mut().push(Note {
                operation: self.last_operation(),
                name: name.map(ToOwned::to_owned),
                value: value(),
            });
        }
    }
}

/// The value of a choice.
#[derive(Clone)]
pub(crate) struct Note {
    operation: usize,
    /// Of the choice, if it has one.
    pub(crate) name: Option<String>,
    pub(crate) value: String,
}

impl Note {
    /// Which operation chose it.
    pub(crate) fn is_of(&self, operation: usize) -> bool {
        self.operation == operation
    }
}

/// Goes back to the task before.
pub(crate) struct Entered(Option<Rc<Task>>);

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// What a coroutine runs: the code of a process, and what becomes of it.
pub(crate) fn run_body(task: &Task, body: Body) {
    let result = catch_unwind(AssertUnwindSafe(|| {
        body.run();
        task.catch_up();
    }));
    panics::unwinding(false);
    discard(task.deferred.take());
    let outcome = task.conclusion(result.as_ref().err().map(|payload| &**payload));
    task.outcome.replace(Some(outcome));
}

/// A message is wanted by a process that unwinds: there is none to return and no way out.
#[track_caller]
pub(crate) fn cannot_receive_now(operation: &str) -> ! {
    last_words(operation, Location::caller())
}

/// Says which failures were found, and which destructor is the last.
#[expect(
    clippy::print_stderr,
    reason = "the last words before the program aborts"
)]
pub(crate) fn last_words(operation: &str, place: &'static Location<'static>) -> ! {
    let world = World::current();
    let pulse = world.and_then(|world| world.pulse.clone());
    for failure in pulse.map(|pulse| pulse.failures()).unwrap_or_default() {
        eprintln!("{failure}");
    }
    if let Some(panic) = panics::last() {
        eprintln!("plainsong: a process unwinds from {panic}");
    }
    eprintln!(
        "plainsong: `{operation}` at {place} was called by a destructor while its process unwinds.\n\
         Destructors run when an execution is given up, and then nothing can be received, and nothing \
         changes for those that wait; check `std::thread::panicking()` first."
    );
    std::process::abort()
}
