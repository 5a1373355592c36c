//! Threads: how they start and end, and what they are called.
//!
//! What a thread returns is a message to whoever joins it, also when it is `()`: so the same message
//! tells [`JoinHandle::is_finished`].

use super::park::unpark;
use crate::delivery::Delivery;
use crate::determinism_check::What;
use crate::handled_panics::{Payload, contain};
use crate::message::{Envelope, Parcel, Returned, assert_copying, know_results};
use crate::pattern::Arm;
use crate::process::{self, Process};
use crate::receive::take;
use crate::send::{Letter, post};
use crate::shared_context::Mailboxes;
use crate::sync::server::{Place, number};
use crate::task::Task;
use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

/// Starts a thread: see [`std::thread::spawn`].
///
/// ```
/// use plainsong::thread;
///
/// plainsong::explore(|| {
///     let threads = [1, 2].map(|n| thread::spawn(move || n * n));
///     let squares = threads.map(|thread| thread.join().unwrap());
///     assert_eq!(squares, [1, 4]);
/// })
/// .assert_holds();
/// ```
#[track_caller]
pub fn spawn<T: 'static>(function: impl FnOnce() -> T + 'static) -> JoinHandle<T> {
    start(None, function, Location::caller())
}

/// A thread about to be started: see [`std::thread::Builder`].
///
/// ```
/// use plainsong::thread;
///
/// plainsong::explore(|| {
///     let builder = thread::Builder::new().name("worker".to_owned()).stack_size(1 << 20);
///     let worker = builder.spawn(|| thread::current().name().map(str::to_owned)).unwrap();
///     assert_eq!(worker.thread().name(), Some("worker"));
///     assert_eq!(worker.join().unwrap().as_deref(), Some("worker"));
/// })
/// .assert_holds();
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "nothing is started before `spawn` is called"]
pub struct Builder {
    pub(super) name: Option<String>,
}

impl Builder {
    /// A thread without a name.
    pub fn new() -> Self {
        Builder::default()
    }

    /// Gives it a name.
    pub fn name(mut self, name: String) -> Self {
        self.name = Some(name);
        self
    }

    /// Is ignored: all threads have stacks of one size,
    /// [`Explorer::stack_size`](crate::Explorer::stack_size).
    pub fn stack_size(self, _bytes: usize) -> Self {
        self
    }

    /// Starts it. Never an error.
    #[track_caller]
    pub fn spawn<T: 'static>(
        self,
        function: impl FnOnce() -> T + 'static,
    ) -> std::io::Result<JoinHandle<T>> {
        Ok(start(self.name, function, Location::caller()))
    }
}

#[track_caller]
fn start<T: 'static>(
    name: Option<String>,
    function: impl FnOnce() -> T + 'static,
    place: Place,
) -> JoinHandle<T> {
    Task::insist("spawn");
    let thread_name: Option<Arc<str>> = name.as_deref().map(Arc::from);
    let inner_name = thread_name.clone();
    let code = move || {
        let task = Task::current("spawn");
        task.thread_name.replace(inner_name);
        know_results::<T, Payload>();
        let result: Ended<T> = contain(function, place).map(Parcel::new);
        let letter = Letter::plain(Returned(Parcel::new(result))).via(Delivery::Unordered);
        let mailbox = Mailboxes::of_result(task.process);
        post(letter, mailbox, place, None, What::Return);
    };
    let name = name.unwrap_or_else(|| number("thread"));
    let process = process::Builder::new().name(name).spawn_at(code, place);
    JoinHandle {
        thread: Thread {
            process: process.process(),
            name: thread_name,
        },
        result: RefCell::default(),
        of: PhantomData,
    }
}

/// What a destructor gets from a thread that it joins while its process unwinds: `()`, or an error where the thread
/// returns something else.
fn nothing<T: 'static>() -> super::Result<T> {
    Task::note_ghost();
    let nothing: Box<dyn Any> = Box::new(());
    match nothing.downcast::<T>() {
        Ok(nothing) => Ok(*nothing),
        Err(_) => Err(given_up()),
    }
}

/// The error of a join in a destructor whose process unwinds.
pub(super) fn given_up() -> Box<dyn Any + Send> {
    Box::new("the execution is given up")
}

/// The thread that calls it: see [`std::thread::current`].
///
/// ```
/// use plainsong::thread;
///
/// plainsong::explore(|| assert_eq!(thread::current().name(), Some("main"))).assert_holds();
/// ```
#[track_caller]
pub fn current() -> Thread {
    let task = Task::current("current");
    let name = match task.process {
        0 => Some(Arc::from("main")),
        _ => task.thread_name.borrow().clone(),
    };
    Thread {
        process: Process(task.process),
        name,
    }
}

/// A thread: see [`std::thread::Thread`].
#[derive(Clone)]
pub struct Thread {
    pub(super) process: Process,
    pub(super) name: Option<Arc<str>>,
}

impl Thread {
    /// The name it was given.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// What no other thread of the execution has.
    pub fn id(&self) -> ThreadId {
        ThreadId(self.process)
    }

    /// Lets it go on if it is [parked](super::park), or when it parks next.
    #[track_caller]
    pub fn unpark(&self) {
        unpark(self.process, Location::caller());
    }

    /// The process that it is. Not in `std`.
    pub fn process(&self) -> Process {
        self.process
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Thread({})", self.process)
    }
}

/// What tells threads apart: see [`std::thread::ThreadId`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ThreadId(Process);

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ThreadId({})", self.0)
    }
}

/// How a thread has ended.
type Ended<T> = Result<Parcel<T>, Payload>;

/// A thread that was started, to be waited for: see [`std::thread::JoinHandle`].
///
/// It can be handed on, also in messages and in what a lock protects, which is why it is `Clone`; whoever clones
/// it otherwise is told so.
pub struct JoinHandle<T> {
    thread: Thread,
    /// What it returned, if that was seen.
    result: RefCell<Option<Rc<Envelope>>>,
    of: PhantomData<fn() -> T>,
}

impl<T: 'static> JoinHandle<T> {
    /// The thread itself.
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// Waits until the thread has ended and returns what it returned.
    ///
    /// # Errors
    ///
    /// When the thread has panicked: what it has panicked with.
    #[track_caller]
    pub fn join(self) -> super::Result<T> {
        let message = match self.result.take() {
            Some(message) => message,
            None => {
                let Some(task) = Task::live("join") else {
                    return nothing();
                };
                take(&task, &[self.arm()], Location::caller(), true)
                    .expect("a receive that waits gets a message")
            }
        };
        let returned = message.get::<Returned<Ended<T>>>();
        let Returned(result) = returned.expect("the handle knows the type");
        match result.open() {
            Ok(value) => Ok(value.open()),
            Err(payload) => Err(payload.open()),
        }
    }

    /// Has the thread ended? Both answers are explored when it may have.
    ///
    /// ```
    /// use plainsong::{cover_if, thread};
    ///
    /// let report = plainsong::explore(|| {
    ///     let thread = thread::spawn(|| {});
    ///     cover_if(thread.is_finished(), "finished");
    ///     thread.join().unwrap();
    /// });
    /// assert_eq!((report.executions, report.coverage["finished"]), (2, 1));
    /// ```
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        if self.result.borrow().is_none()
            && let Some(task) = Task::live("is_finished")
        {
            let message = take(&task, &[self.arm()], Location::caller(), false);
            self.result.replace(message);
        }
        self.result.borrow().is_some()
    }

    fn arm(&self) -> Arm {
        Arm::anything(Mailboxes::of_result(self.thread.process.0))
    }
}

impl<T> Clone for JoinHandle<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        assert_copying("JoinHandle");
        JoinHandle {
            thread: self.thread.clone(),
            result: self.result.clone(),
            of: PhantomData,
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("JoinHandle")
            .field(&self.thread.process)
            .finish()
    }
}
