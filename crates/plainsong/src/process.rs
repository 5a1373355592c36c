//! Processes: who they are, how they start and end.

use crate::delivery::Delivery;
use crate::determinism_check::{Print, What};
use crate::message::{Parcel, Returned, know_clone};
use crate::pattern::Arm;
use crate::receive::take;
use crate::send::{Letter, post};
use crate::shared_context::{Mailboxes, World};
use crate::task::{Fed, Task, cannot_receive_now};
use plainsong_explore::{Op, Tid};
use std::any::{Any, TypeId};
use std::cmp::Ordering;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::panic::Location;

/// A process: something to send messages to.
///
/// Printed, it is the name that [`spawn_named`] gave it. Processes are ordered by where they were
/// spawned: `main` first, then its children in the order of spawning, each followed by its own.
///
/// ```
/// use plainsong::{current, spawn, spawn_named};
///
/// plainsong::explore(|| {
///     let server = spawn_named("server", || {});
///     let nameless = spawn(|| {});
///     assert_eq!(format!("{:?}", current()), "main");
///     assert_eq!(format!("{:?}", server.process()), "server");
///     assert_eq!(format!("{:?}", nameless.process()), "thread 2");
///     assert!(server.process() < nameless.process());
/// })
/// .assert_holds();
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Process(pub(crate) Tid);

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match World::current() {
            Some(world) => f.write_str(&world.name(self.0)),
            None => write!(f, "process {}", self.0),
        }
    }
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl Ord for Process {
    fn cmp(&self, other: &Self) -> Ordering {
        match World::current() {
            _ if self.0 == other.0 => Ordering::Equal,
            Some(world) => world
                .path(self.0)
                .cmp(&world.path(other.0))
                .then(self.0.cmp(&other.0)),
            None => self.0.cmp(&other.0),
        }
    }
}

impl PartialOrd for Process {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The process that calls it.
///
/// ```
/// use plainsong::{current, receive, send, spawn, Process};
///
/// plainsong::explore(|| {
///     let main = current();
///     spawn(move || send(main, current()));
///     assert_ne!(receive::<Process>(), main);
/// })
/// .assert_holds();
/// ```
#[track_caller]
pub fn current() -> Process {
    Process(Task::current("current").process)
}

/// Starts a process that runs the function.
///
/// The function may run many times, each time as if it were the first; like everything that is
/// explored, it must depend only on what it captures and receives.
///
/// ```
/// use plainsong::spawn;
///
/// plainsong::explore(|| {
///     let three = spawn(|| 1 + 2);
///     assert_eq!(three.join(), 3);
/// })
/// .assert_holds();
/// ```
#[track_caller]
pub fn spawn<T: 'static>(function: impl FnOnce() -> T + 'static) -> JoinHandle<T> {
    Builder::new().spawn(function)
}

/// Starts a process that has a name, for pictures and traces.
///
/// ```
/// use plainsong::{current, spawn_named};
///
/// plainsong::explore(|| {
///     let clients = [1, 2].map(|n| spawn_named(format!("client {n}"), || format!("{:?}", current())));
///     assert_eq!(clients.map(|client| client.join()), ["client 1", "client 2"]);
/// })
/// .assert_holds();
/// ```
#[track_caller]
pub fn spawn_named<T: 'static>(
    name: impl Into<String>,
    function: impl FnOnce() -> T + 'static,
) -> JoinHandle<T> {
    Builder::new().name(name).spawn(function)
}

/// Starts a process that nobody waits for: it may still be waiting for messages when everything
/// else is done.
///
/// ```
/// use plainsong::{receive, send, spawn_daemon};
///
/// plainsong::explore(|| {
///     let logger = spawn_daemon(|| loop {
///         receive::<String>();
///     });
///     send(logger.process(), "started".to_owned());
/// })
/// .assert_holds();
/// ```
#[track_caller]
pub fn spawn_daemon<T: 'static>(function: impl FnOnce() -> T + 'static) -> JoinHandle<T> {
    Builder::new().daemon().spawn(function)
}

/// A process about to be started.
///
/// ```
/// use plainsong::{receive, Builder};
///
/// plainsong::explore(|| {
///     Builder::new().name("sink").daemon().spawn(|| receive::<()>());
/// })
/// .assert_holds();
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "nothing is started before `spawn` is called"]
pub struct Builder {
    name: Option<String>,
    daemon: bool,
    family: Option<u32>,
}

impl Builder {
    /// A process without a name that has to end.
    pub fn new() -> Self {
        Builder::default()
    }

    /// Gives it a name, for pictures and traces.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Allows it to wait for messages when everything else is done.
    pub fn daemon(mut self) -> Self {
        self.daemon = true;
        self
    }

    /// Starts it.
    #[track_caller]
    pub fn spawn<T: 'static>(self, function: impl FnOnce() -> T + 'static) -> JoinHandle<T> {
        let location = Location::caller();
        self.spawn_at(code(function, location), location).of_type()
    }

    /// Starts it, from a place in the user's code.
    #[track_caller]
    pub(crate) fn spawn_at(
        self,
        code: impl FnOnce() + 'static,
        location: &'static Location<'static>,
    ) -> JoinHandle<()> {
        let Some(task) = Task::live("spawn") else {
            // The process unwinds: nothing happens any more.
            return JoinHandle::of(Process(Tid::MAX));
        };
        let Builder {
            name,
            daemon,
            family,
        } = self;
        let child = task.next_child();
        let print = Print::new(What::Spawn, location, (child, daemon, family, &name));
        let name = name.map(|name| task.count_name(name.into()));
        task.record
            .spawned(child, task.next_operation(), name.as_ref(), code);
        let describe = || match &name {
            Some((name, _)) if daemon => format!("spawn daemon `{name}`"),
            Some((name, _)) => format!("spawn `{name}`"),
            None => "spawn".to_owned(),
        };
        match task.perform(print, &describe, || Op::Spawn {
            child,
            daemon,
            family,
        }) {
            Fed::Started(process) => {
                task.world
                    .register(process, task.process, child, name.as_ref());
                JoinHandle::of(Process(process))
            }
            _ => task.unfit(&describe(), location),
        }
    }
}

/// Starts several processes that are alike: they run the same code, and nobody cares which is which.
///
/// With [`Explorer::symmetry`](crate::Explorer::symmetry) they are not told apart. A process that
/// makes a difference between them, say by treating the first handle in another way, is not for that.
///
/// ```
/// use plainsong::{current, receive, send, spawn_family};
///
/// let report = plainsong::explore(|| {
///     let main = current();
///     let workers = spawn_family("worker", 3, move || send(main, "done"));
///     assert_eq!(workers.len(), 3);
///     (0..3).for_each(|_| assert_eq!(receive::<&str>(), "done"));
/// });
/// report.assert_holds();
/// ```
#[track_caller]
pub fn spawn_family<T: 'static>(
    name: impl Into<String>,
    count: usize,
    function: impl Fn() -> T + Clone + 'static,
) -> Vec<JoinHandle<T>> {
    let (name, location) = (name.into(), Location::caller());
    let family = Task::live("spawn_family").map(|task| task.next_operation());
    (0..count)
        .map(|_| {
            let builder = Builder {
                name: Some(name.clone()),
                daemon: false,
                family,
            };
            let code = code(function.clone(), location);
            builder.spawn_at(code, location).of_type()
        })
        .collect()
}

/// The code of a process that returns something: it sends it to whoever joins it.
fn code<T: 'static>(
    function: impl FnOnce() -> T + 'static,
    location: &'static Location<'static>,
) -> impl FnOnce() + 'static {
    move || {
        let result = function();
        if TypeId::of::<T>() != TypeId::of::<()>() {
            let mailbox = Mailboxes::of_result(current().0);
            let letter = Letter::plain(Returned(Parcel::new(result))).via(Delivery::Unordered);
            post(letter, mailbox, location, None, What::Return);
        }
    }
}

/// A process that was started, to be waited for.
///
/// ```
/// use plainsong::{receive, send, spawn};
///
/// plainsong::explore(|| {
///     let adder = spawn(|| receive::<i32>() + receive::<i32>());
///     send(adder.process(), 1);
///     send(adder.process(), 2);
///     assert_eq!(adder.join(), 3);
/// })
/// .assert_holds();
/// ```
pub struct JoinHandle<T>(Waiting<T>);

/// What a [`JoinHandle`] is, whatever the process returns.
pub struct Waiting<T> {
    process: Process,
    result: PhantomData<fn() -> T>,
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("JoinHandle").field(&self.0.process).finish()
    }
}

impl<T> fmt::Debug for Waiting<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("JoinHandle").field(&self.process).finish()
    }
}

impl<T> Deref for JoinHandle<T> {
    type Target = Waiting<T>;

    fn deref(&self) -> &Waiting<T> {
        &self.0
    }
}

impl<T: 'static> JoinHandle<T> {
    pub(crate) fn of(process: Process) -> Self {
        JoinHandle(Waiting {
            process,
            result: PhantomData,
        })
    }

    /// The same process, known to return something.
    fn of_type<U: 'static>(&self) -> JoinHandle<U> {
        JoinHandle::of(self.0.process)
    }

    /// The process itself.
    pub fn process(&self) -> Process {
        self.0.process
    }

    /// Waits until the process has ended, and forgets what it returned.
    #[track_caller]
    pub fn wait(&self) {
        self.0.wait_at(Location::caller());
    }

    /// Waits until the process has ended, from a place in the user's code.
    pub(crate) fn wait_at(&self, location: &'static Location<'static>) {
        self.0.wait_at(location);
    }
}

impl<T: Clone + 'static> JoinHandle<T> {
    /// Waits until the process has ended and returns what it returned.
    ///
    /// If the process panics, that is a failure of the execution; nobody gets to see it here.
    #[track_caller]
    pub fn join(self) -> T {
        know_clone::<T>();
        self.0.join()
    }
}

impl<T: 'static> Waiting<T> {
    /// Waits until the process has ended, from a place in the user's code.
    fn wait_at(&self, location: &'static Location<'static>) {
        let Some(task) = Task::live("wait") else {
            return;
        };
        let process = self.process;
        let print = Print::new(What::Join, location, process);
        let describe = || format!("join {process:?}");
        match task.perform(print, &describe, || Op::Join { thread: process.0 }) {
            Fed::Done => {}
            _ => task.unfit(&describe(), location),
        }
    }

    /// Waits until the process has ended and returns what it returned.
    ///
    /// If the process panics, that is a failure of the execution; nobody gets to see it here.
    #[track_caller]
    pub fn join(&self) -> T {
        if let Ok(nothing) = (Box::new(()) as Box<dyn Any>).downcast::<T>() {
            self.wait_at(Location::caller());
            return *nothing;
        }
        let Some(task) = Task::live("join") else {
            cannot_receive_now("join")
        };
        let arm = Arm::anything(Mailboxes::of_result(self.process.0));
        let message = take(&task, &[arm], Location::caller(), true);
        let message = message.expect("a receive that waits gets a message");
        let Returned(result) = message.get().expect("the handle knows the type");
        result.open()
    }
}
