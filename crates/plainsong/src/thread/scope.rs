//! Scoped threads: they borrow from the frame that starts them.
//!
//! What a thread changes through a mutable borrow is not a message, so parent and threads have to run
//! again together: a program with a scope is explored with each execution run as a whole
//! ([`Restart::All`](crate::Restart::All)), whatever was asked for.
//!
//! A scope ends when all its threads have ended, also those started by its threads: first those that the
//! scope's function has started, then those that they have started, and so on, each time in the order of
//! the tree of spawns, which is the same in each run.
//!
//! When an execution is given up, the machine unwinds threads before those that they borrow from. If a
//! process gives up by itself in the middle of a scope (an assumption does not hold), its unwinding
//! stops at the scope until the threads are gone: see [`Task::hold`].

use super::handle::{Builder, Thread, given_up};
pub use crate::borrowed::Scope;
use crate::borrowed::frame;
use crate::delivery::Delivery;
use crate::determinism_check::What;
use crate::fault::Crashes;
use crate::message::{Envelope, Parcel, Returned};
use crate::pattern::Arm;
use crate::process::{self, JoinHandle, Process};
use crate::receive::take;
use crate::send::{Letter, post};
use crate::shared_context::Mailboxes;
use crate::sync::server::{Place, number};
use crate::task::Task;
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::{Arc, MutexGuard, PoisonError};

/// Calls a function that can start threads that borrow, and waits for these threads: see
/// [`std::thread::scope`].
///
/// ```
/// use plainsong::sync::Mutex;
/// use plainsong::thread;
///
/// let report = plainsong::explore(|| {
///     let names = vec!["ann", "bob"];
///     let order = Mutex::new(Vec::new());
///     let mut count = 0;
///     thread::scope(|scope| {
///         for name in &names {
///             scope.spawn(|| order.lock().unwrap().push(*name));
///         }
///         scope.spawn(|| count += 1);
///     });
///     assert_eq!((order.into_inner().unwrap().len(), count), (2, 1));
/// });
/// report.assert_holds();
/// assert_eq!(report.executions, 2);
/// ```
///
/// # Panics
///
/// In a process that [may crash](crate::fault::crashing).
#[track_caller]
pub fn scope<'env, T>(function: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T) -> T {
    let place = Location::caller();
    let task = Task::current("scope");
    assert!(
        task.crashes.get() == Crashes::Never,
        "a process that may crash cannot start scoped threads: what they borrow would be gone"
    );
    if !task.world.runs_as_a_whole.get() && Task::live("scope").is_some() {
        task.world.needs_a_whole.set(true);
        task.differs(None, crate::determinism_check::at("a scope", Some(place)));
    }
    frame(|scope| {
        let everything = AssertUnwindSafe(|| {
            let result = catch_unwind(AssertUnwindSafe(|| function(scope)));
            // Where destructors got answers that are no part of the execution it does not go on: it has failed.
            let goes_on = result.is_ok() || !task.is_haunted();
            if goes_on {
                scope.join_all(place);
            }
            (result, goes_on)
        });
        match catch_unwind(everything) {
            Ok((Ok(result), _)) => result,
            Ok((Err(payload), true)) => resume_unwind(payload),
            Ok((Err(payload), false)) | Err(payload) => {
                task.hold(&*payload, || scope.is_borrowed());
                resume_unwind(payload)
            }
        }
    })
}

impl<'scope> Scope<'scope, '_> {
    /// Starts a thread: see [`std::thread::Scope::spawn`].
    #[track_caller]
    pub fn spawn<T: Send + 'scope>(
        &'scope self,
        function: impl FnOnce() -> T + Send + 'scope,
    ) -> ScopedJoinHandle<'scope, T> {
        self.start(None, function, Location::caller())
    }

    fn start<T: 'scope>(
        &'scope self,
        name: Option<String>,
        function: impl FnOnce() -> T + 'scope,
        place: Place,
    ) -> ScopedJoinHandle<'scope, T> {
        let thread_name: Option<Arc<str>> = name.as_deref().map(Arc::from);
        let inner_name = thread_name.clone();
        let result = Rc::new(RefCell::new(None));
        let inner_result = Rc::clone(&result);
        let code = self.lend(move || {
            Task::current("spawn").thread_name.replace(inner_name);
            let returned = function();
            inner_result.replace(Some(returned));
        });
        let code = move || {
            code.run();
            let mailbox = Mailboxes::of_result(process::current().0);
            let letter = Letter::plain(Returned(Parcel::new(()))).via(Delivery::Unordered);
            post(letter, mailbox, place, None, What::Return);
        };
        let name = name.unwrap_or_else(|| number("thread"));
        let started = process::Builder::new().name(name).spawn_at(code, place);
        self.started().push(started.process());
        ScopedJoinHandle {
            thread: Thread {
                process: started.process(),
                name: thread_name,
            },
            ended: RefCell::default(),
            result,
            scope: PhantomData,
        }
    }

    fn started(&self) -> MutexGuard<'_, Vec<Process>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for all threads, also for those that they start.
    fn join_all(&self, place: Place) {
        loop {
            let mut threads = std::mem::take(&mut *self.started());
            if threads.is_empty() {
                return;
            }
            threads.sort_unstable();
            for thread in threads {
                JoinHandle::<()>::of(thread).wait_at(place);
            }
        }
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Scope").field(&*self.started()).finish()
    }
}

impl Builder {
    /// Starts a thread in a scope. Never an error.
    ///
    /// ```
    /// use plainsong::thread;
    ///
    /// plainsong::explore(|| {
    ///     let text = "borrowed".to_owned();
    ///     let length = thread::scope(|scope| {
    ///         let builder = thread::Builder::new().name("reader".to_owned());
    ///         builder.spawn_scoped(scope, || text.len()).unwrap().join().unwrap()
    ///     });
    ///     assert_eq!(length, 8);
    /// })
    /// .assert_holds();
    /// ```
    #[track_caller]
    pub fn spawn_scoped<'scope, T: Send + 'scope>(
        self,
        scope: &'scope Scope<'scope, '_>,
        function: impl FnOnce() -> T + Send + 'scope,
    ) -> std::io::Result<ScopedJoinHandle<'scope, T>> {
        Ok(scope.start(self.name, function, Location::caller()))
    }
}

/// A scoped thread, to be waited for: see [`std::thread::ScopedJoinHandle`].
pub struct ScopedJoinHandle<'scope, T> {
    thread: Thread,
    /// The message that it has ended, if that was seen.
    ended: RefCell<Option<Rc<Envelope>>>,
    result: Rc<RefCell<Option<T>>>,
    scope: PhantomData<&'scope ()>,
}

impl<T> ScopedJoinHandle<'_, T> {
    /// The thread itself.
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// Waits until the thread has ended and returns what it returned, which need not be `Clone`.
    /// Never an error: a thread that panics is a failure of the execution.
    #[track_caller]
    pub fn join(self) -> super::Result<T> {
        if Task::live("join").is_none() {
            Task::note_ghost();
            return Err(given_up());
        }
        JoinHandle::<()>::of(self.thread.process).wait_at(Location::caller());
        let result = self.result.take();
        Ok(result.expect("a thread that has ended has returned something"))
    }

    /// Has the thread ended? Both answers are explored when it may have.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        if self.ended.borrow().is_none()
            && let Some(task) = Task::live("is_finished")
        {
            let arm = Arm::anything(Mailboxes::of_result(self.thread.process.0));
            let message = take(&task, &[arm], Location::caller(), false);
            self.ended.replace(message);
        }
        self.ended.borrow().is_some()
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ScopedJoinHandle")
            .field(&self.thread.process)
            .finish()
    }
}
