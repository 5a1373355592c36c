//! Tasks: async code that runs on its own.

use crate::channel::plumbing;
use crate::delivery::Delivery;
use crate::determinism_check::What;
use crate::future::{Aborted, Awaited, Quiet, run};
use crate::handled_panics::{Payload, contain};
use crate::message::{Envelope, Parcel, Returned, assert_copying, know_results};
use crate::pattern::Arm;
use crate::process::{self, Process};
use crate::receive::{take, take_if_sure};
use crate::send::{Letter, post};
use crate::shared_context::Mailboxes;
use crate::task::Task;
use plainsong_explore::Mailbox;
use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

#[doc(inline)]
pub use super::join_set::JoinSet;

/// Starts a task.
///
/// ```
/// use plainsong::tokio;
///
/// plainsong::explore(|| {
///     tokio::block_on(async {
///         let task = tokio::spawn(async { 1 + 2 });
///         assert_eq!(task.await.unwrap(), 3);
///     });
/// })
/// .assert_holds();
/// ```
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    Builder::new().spawn(future)
}

/// Runs a function that may block, on its own.
///
/// ```
/// use plainsong::tokio::{self, task};
///
/// plainsong::explore(|| {
///     tokio::block_on(async {
///         let sum = task::spawn_blocking(|| (1..=3).sum::<u32>());
///         assert_eq!(sum.await.unwrap(), 6);
///     });
/// })
/// .assert_holds();
/// ```
#[track_caller]
pub fn spawn_blocking<T: 'static>(function: impl FnOnce() -> T + 'static) -> JoinHandle<T> {
    let location = Location::caller();
    Builder::new().start(move |abort| {
        if is_aborted(&abort, location) {
            return Err(JoinError(Reason::Cancelled));
        }
        Ok(function())
    })
}

/// Lets others go first: whatever the task waits for besides may come now.
///
/// ```
/// use plainsong::tokio::{self, task};
///
/// plainsong::explore(|| tokio::block_on(task::yield_now())).assert_holds();
/// ```
#[track_caller]
pub fn yield_now() -> YieldNow {
    YieldNow(Awaited::time(Location::caller()))
}

/// See [`yield_now`].
#[must_use = "nothing happens before it is awaited"]
pub struct YieldNow(Awaited);

impl Future for YieldNow {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.0.poll_time(cx)
    }
}

impl Quiet for YieldNow {}

/// A task about to be started.
///
/// ```
/// use plainsong::tokio::{self, task};
///
/// plainsong::explore(|| {
///     tokio::block_on(async {
///         let named = task::Builder::new().name("clerk").spawn(async { plainsong::current() });
///         assert_eq!(format!("{:?}", named.await.unwrap()), "clerk");
///         // A daemon may wait for ever.
///         task::Builder::new().daemon().spawn(std::future::pending::<()>());
///     });
/// })
/// .assert_holds();
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "nothing is started before `spawn` is called"]
pub struct Builder {
    process: process::Builder,
}

impl Builder {
    /// A task without a name that has to end.
    pub fn new() -> Self {
        Builder::default()
    }

    /// Gives it a name, for pictures and traces.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.process = self.process.name(name);
        self
    }

    /// Allows it to wait when everything else is done.
    pub fn daemon(mut self) -> Self {
        self.process = self.process.daemon();
        self
    }

    /// Starts it.
    #[track_caller]
    pub fn spawn<F>(self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        let location = Location::caller();
        self.start(move |abort| {
            if is_aborted(&abort, location) {
                return Err(JoinError(Reason::Cancelled));
            }
            run(future, Some(abort), location).map_err(|Aborted| JoinError(Reason::Cancelled))
        })
    }

    #[track_caller]
    fn start<T: 'static>(
        self,
        code: impl FnOnce(Arm) -> Result<T, JoinError> + 'static,
    ) -> JoinHandle<T> {
        Task::insist("spawn");
        know_results::<T, JoinError>();
        let control = plumbing("an abort");
        let abort = Arm {
            silent: true,
            ..Arm::typed::<Abort>(control)
        };
        let location = Location::caller();
        let code = move || match contain(|| code(abort), location) {
            Ok(result) => result.map(Parcel::new),
            Err(payload) => Err(JoinError(Reason::Panic(payload))),
        };
        let handle = self.process.spawn(code);
        JoinHandle {
            process: handle.process(),
            control,
            location: Location::caller(),
            awaited: None,
            result: RefCell::new(None),
            of: PhantomData,
        }
    }
}

#[derive(Clone, Debug)]
struct Abort;

/// Was a task aborted before it ran?
fn is_aborted(abort: &Arm, location: &'static Location<'static>) -> bool {
    let task = Task::current("spawn");
    take(&task, std::slice::from_ref(abort), location, false).is_some()
}

/// A task that was started: awaited, it is what the task returns. Dropping it leaves the task alone.
///
/// It can be handed on, also in messages and in what a lock protects, which is why it is `Clone`; whoever clones
/// it otherwise is told so.
pub struct JoinHandle<T> {
    process: Process,
    control: Mailbox,
    location: &'static Location<'static>,
    awaited: Option<Awaited>,
    /// How it has ended, if that was seen.
    result: RefCell<Option<Rc<Envelope>>>,
    of: PhantomData<fn() -> T>,
}

/// How a task has ended.
type Ended<T> = Result<Parcel<T>, JoinError>;

impl<T> Unpin for JoinHandle<T> {}

impl<T> Clone for JoinHandle<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        assert_copying("JoinHandle");
        JoinHandle {
            process: self.process,
            control: self.control,
            location: self.location,
            awaited: None,
            result: self.result.clone(),
            of: PhantomData,
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("JoinHandle").field(&self.process).finish()
    }
}

impl<T> JoinHandle<T> {
    /// The process that runs the task.
    pub fn process(&self) -> Process {
        self.process
    }

    /// Ends the task where it waits next, or before it begins, unless it ends before that.
    ///
    /// ```
    /// use plainsong::tokio;
    ///
    /// let report = plainsong::explore(|| {
    ///     tokio::block_on(async {
    ///         let task = tokio::spawn(async { 5 });
    ///         task.abort();
    ///         assert!(matches!(task.await, Ok(5) | Err(_)));
    ///     });
    /// });
    /// report.assert_holds();
    /// assert_eq!(report.executions, 2);
    /// ```
    #[track_caller]
    pub fn abort(&self) {
        self.abort_handle().abort();
    }

    /// Something to abort the task with, from elsewhere.
    pub fn abort_handle(&self) -> AbortHandle {
        AbortHandle {
            process: self.process,
            control: self.control,
        }
    }

    fn arm(&self) -> Arm {
        Arm::anything(Mailboxes::of_result(self.process.0))
    }
}

impl<T: 'static> JoinHandle<T> {
    /// Has the task ended? If it has, as far as anybody here can know, the answer is yes; if it may
    /// have, both answers are explored.
    ///
    /// ```
    /// use plainsong::tokio;
    ///
    /// let report = plainsong::explore(|| {
    ///     tokio::block_on(async {
    ///         let mut task = tokio::spawn(async {});
    ///         if task.is_finished() {
    ///             assert!(task.is_finished());
    ///         }
    ///     });
    /// });
    /// report.assert_holds();
    /// assert_eq!(report.executions, 2);
    /// ```
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        if self.result.borrow().is_some() {
            return true;
        }
        let Some(task) = Task::live("is_finished") else {
            return false;
        };
        let (arm, location) = (self.arm(), Location::caller());
        let sure = vec![vec![arm.clone()]];
        let message = take_if_sure(&task, &[arm], location, false, sure);
        if let Some(message) = message {
            self.result.replace(Some(message));
        }
        self.result.borrow().is_some()
    }
}

impl<T: 'static> JoinHandle<T> {
    /// How it has ended, if that was seen.
    pub(super) fn seen(&self) -> Option<Result<T, JoinError>> {
        self.result.take().map(|message| result(&message))
    }
}

fn result<T: 'static>(message: &Envelope) -> Result<T, JoinError> {
    let returned: &Returned<Ended<T>> = message.get().expect("the handle knows the type");
    returned.0.open().map(|value| value.open())
}

impl<T: 'static> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(message) = self.result.take() {
            return Poll::Ready(result(&message));
        }
        let (arm, location) = (self.arm(), self.location);
        let awaited = self
            .awaited
            .get_or_insert_with(|| Awaited::message(arm, location));
        awaited.poll_message(cx).map(|message| result(&message))
    }
}

impl<T> Quiet for JoinHandle<T> {
    fn waits(&self) -> bool {
        self.result.borrow().is_none()
    }
}

/// Aborts a task: see [`JoinHandle::abort`].
#[derive(Clone, Debug)]
pub struct AbortHandle {
    process: Process,
    control: Mailbox,
}

impl AbortHandle {
    /// Ends the task: see [`JoinHandle::abort`].
    #[track_caller]
    pub fn abort(&self) {
        let letter = Letter::new(Abort).via(Delivery::Mailbox);
        post(letter, self.control, Location::caller(), None, What::Send);
    }

    /// The process that runs the task.
    pub fn process(&self) -> Process {
        self.process
    }
}

/// The task did not end by itself: it was aborted, or has panicked.
#[derive(Clone)]
pub struct JoinError(Reason);

#[derive(Clone)]
enum Reason {
    Cancelled,
    Panic(Payload),
}

impl JoinError {
    /// Was the task aborted?
    pub fn is_cancelled(&self) -> bool {
        matches!(self.0, Reason::Cancelled)
    }

    /// Did the task panic?
    ///
    /// ```
    /// use plainsong::tokio;
    ///
    /// plainsong::explore(|| {
    ///     tokio::block_on(async {
    ///         let error = tokio::spawn(async { panic!("no input") }).await.unwrap_err();
    ///         assert!(error.is_panic());
    ///         assert_eq!(error.into_panic().downcast_ref(), Some(&"no input"));
    ///     });
    /// })
    /// .assert_holds();
    /// ```
    pub fn is_panic(&self) -> bool {
        matches!(self.0, Reason::Panic(_))
    }

    /// What the task has panicked with.
    ///
    /// # Panics
    ///
    /// When it was aborted.
    #[track_caller]
    pub fn into_panic(self) -> Box<dyn Any + Send> {
        self.try_into_panic()
            .expect("`JoinError` reason is not a panic.")
    }

    /// What the task has panicked with.
    ///
    /// # Errors
    ///
    /// Itself, when the task was aborted.
    pub fn try_into_panic(self) -> Result<Box<dyn Any + Send>, JoinError> {
        match self.0 {
            Reason::Panic(payload) => Ok(payload.open()),
            Reason::Cancelled => Err(self),
        }
    }
}

impl fmt::Debug for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Reason::Cancelled => f.write_str("JoinError::Cancelled"),
            Reason::Panic(payload) => write!(f, "JoinError::Panic({payload:?})"),
        }
    }
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Reason::Cancelled => f.write_str("task was cancelled"),
            Reason::Panic(payload) => write!(f, "task panicked with message {payload:?}"),
        }
    }
}

impl std::error::Error for JoinError {}
