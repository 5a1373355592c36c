//! What destructors get while their process unwinds.
//!
//! When an execution is given up, its processes unwind, and their destructors may take locks (a lease that is
//! given back, a pool that joins its workers). Nothing of that is part of an execution, so nobody may wait: an
//! object answers what it answered last, to whomever, and what it began with if nobody has asked; a channel
//! that was never asked is closed, and a thread that is joined has no result. A lock has what the process
//! itself left in it, if it did: who has counted up can count down. That is some value that the object has had,
//! which is all that such a destructor can need to come to its end.
//!
//! The same goes for a process that unwinds from a panic of its own. The execution has failed then, and the
//! panic is reported. If the panic is caught after all and the process goes on, it would go on with what
//! never happened: such an execution is not explored, and that is said ([`FailureKind::Unsupported`]).
//!
//! A value that nobody can copy is there once. If nobody has the lock, the destructor gets it and gives it back; if another
//! process has it that is to unwind too, that one unwinds first ([`Task::wait_for_ghost`]).
//!
//! NOT COVERED. A process that unwinds from a panic of its own while another has such a value: the program aborts.
//! Operations that no object answers (a `receive` in a destructor, say) have nothing to return, and a destructor that
//! waits in a loop for something to change waits for ever; then the program aborts, after what was found so far was printed.

use crate::failure::{Failure, FailureKind};
use crate::message::{Envelope, Parcel, Value};
use crate::process::Process;
use crate::record::discard;
use crate::shared_context::World;
use crate::sync::server::Place;
use crate::task::{Task, cannot_receive_now, last_words};
use plainsong_explore::Tid;
use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// So many answers in a row to destructors are a loop without an end.
const MOST_IN_A_ROW: u32 = 100_000;

/// The last answer of each type of each object.
#[derive(Default)]
pub(crate) struct Ghosts {
    answers: RefCell<BTreeMap<(Tid, TypeId), Rc<Envelope>>>,
    /// What was left in each lock last.
    in_locks: RefCell<BTreeMap<Tid, Rc<dyn Any>>>,
    /// Answers to destructors since the last one that is part of an execution.
    in_a_row: Cell<u32>,
}

impl Ghosts {
    /// Keeps what an object answered.
    pub(crate) fn keep<A: 'static>(&self, server: Process, answer: &Rc<Envelope>) {
        let key = (server.0, TypeId::of::<A>());
        self.answers.borrow_mut().insert(key, Rc::clone(answer));
        self.in_a_row.set(0);
    }

    /// The last answer, for a destructor.
    fn get(&self, key: (Tid, TypeId), place: Place) -> Option<Rc<Envelope>> {
        self.in_a_row.set(self.in_a_row.get() + 1);
        if self.in_a_row.get() > MOST_IN_A_ROW {
            last_words("an operation in a loop", place);
        }
        self.answers.borrow().get(&key).cloned()
    }

    fn put_in_lock(&self, server: Process, value: &Rc<dyn Any>) {
        let before = self
            .in_locks
            .borrow_mut()
            .insert(server.0, Rc::clone(value));
        discard(before);
    }
}

/// Keeps what an object would answer as long as nobody has asked.
pub(crate) fn keep_first<A: Value>(server: Process, answer: A, place: Place) {
    if let Some(task) = Task::live("new") {
        let answer = Envelope::unsent(answer, server, task.process, place);
        task.world.ghosts.keep::<A>(server, &answer);
    }
}

/// The answer of an object for a destructor whose process unwinds.
pub(crate) fn last<A: 'static>(server: Process, operation: &str, place: Place) -> Rc<Envelope> {
    before::<A>(server, place).unwrap_or_else(|| last_words(operation, place))
}

/// The same; `first` if nobody has asked before.
pub(crate) fn last_or<A: Value>(server: Process, first: A, place: Place) -> Rc<Envelope> {
    let before = before::<A>(server, place);
    before.unwrap_or_else(|| Envelope::unsent(first, server, server.0, place))
}

fn before<A: 'static>(server: Process, place: Place) -> Option<Rc<Envelope>> {
    Task::note_ghost();
    let key = (server.0, TypeId::of::<A>());
    World::current()?.ghosts.get(key, place)
}

/// A process leaves a value in a lock.
pub(crate) fn leave<T: 'static>(server: Process, value: &Parcel<T>) {
    if let Some(task) = Task::running() {
        let value: Rc<dyn Any> = Rc::new(value.clone());
        task.world.ghosts.put_in_lock(server, &value);
        let before = task.left_in_locks.borrow_mut().insert(server.0, value);
        discard(before);
    }
}

/// The value that comes with a lock; for a destructor whose process unwinds, what this process has left in it.
pub(crate) fn value_of<T: 'static>(server: Process, given: &Parcel<T>) -> T {
    match Task::is_unwinding() {
        true => for_ghost(server, given, Parcel::open_for_ghost),
        false => given.open(),
    }
}

/// The same, to be looked at.
pub(crate) fn shared_value_of<T: 'static>(server: Process, given: &Parcel<T>) -> Arc<T> {
    match Task::is_unwinding() {
        true => for_ghost(server, given, Parcel::share_for_ghost),
        false => given.share(),
    }
}

/// What a destructor gets whose process unwinds: what the process has left in the lock, what it was given, or what
/// anybody has left there.
#[track_caller]
fn for_ghost<T: 'static, V>(
    server: Process,
    given: &Parcel<T>,
    take: impl Fn(&Parcel<T>) -> Option<V>,
) -> V {
    let task = Task::running();
    let take_left = |left: Option<Rc<dyn Any>>| take(&*left?.downcast::<Parcel<T>>().ok()?);
    loop {
        let own = || {
            task.as_ref()?
                .left_in_locks
                .borrow()
                .get(&server.0)
                .cloned()
        };
        let last = || {
            World::current()?
                .ghosts
                .in_locks
                .borrow()
                .get(&server.0)
                .cloned()
        };
        let found = take_left(own())
            .or_else(|| take(given))
            .or_else(|| take_left(last()));
        match (found, &task) {
            (Some(value), _) => return value,
            (None, Some(task)) => task.wait_for_ghost("lock"),
            (None, None) => cannot_receive_now("lock"),
        }
    }
}

/// What is in a lock at first.
pub(crate) fn leave_first<T: 'static>(server: Process, value: &Parcel<T>) {
    if let Some(task) = Task::running() {
        let value: Rc<dyn Any> = Rc::new(value.clone());
        task.world.ghosts.put_in_lock(server, &value);
    }
}

/// What is said of a process that goes on after that.
pub(crate) fn unsupported(process: &str) -> Failure {
    let message = format!(
        "{process} catches a panic after a destructor has taken a lock, joined or received while the \
         panic unwound: this is not explored"
    );
    Failure::plain(FailureKind::Unsupported, message, None)
}
