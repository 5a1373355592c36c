//! Several tasks, awaited in the order in which they end.

use super::task::{AbortHandle, JoinError, JoinHandle, spawn, spawn_blocking};
use crate::future::Quiet;
use crate::message::assert_copying;
use crate::task::Task;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Tasks that are awaited together. Dropping it aborts them. It is `Clone` as a [`JoinHandle`] is.
///
/// ```
/// use plainsong::tokio::{self, task::JoinSet};
///
/// let report = plainsong::explore(|| {
///     tokio::block_on(async {
///         let mut tasks = JoinSet::new();
///         for n in 1..=3 {
///             tasks.spawn(async move { n });
///         }
///         let mut sum = 0;
///         while let Some(result) = tasks.join_next().await {
///             sum += result.unwrap();
///         }
///         assert_eq!(sum, 6);
///     });
/// });
/// report.assert_holds();
/// assert_eq!(report.executions, 6);
/// ```
pub struct JoinSet<T> {
    handles: Vec<JoinHandle<T>>,
}

impl<T> Clone for JoinSet<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        assert_copying("JoinSet");
        JoinSet {
            handles: self.handles.clone(),
        }
    }
}

impl<T> fmt::Debug for JoinSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.handles).finish()
    }
}

impl<T> Default for JoinSet<T> {
    fn default() -> Self {
        JoinSet {
            handles: Vec::new(),
        }
    }
}

impl<T> JoinSet<T> {
    /// No tasks yet.
    pub fn new() -> Self {
        JoinSet::default()
    }

    /// How many tasks were not awaited yet.
    pub fn len(&self) -> usize {
        self.handles.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.handles.is_empty()
    }

    /// Aborts all of them.
    #[track_caller]
    pub fn abort_all(&mut self) {
        for handle in &self.handles {
            handle.abort();
        }
    }

    /// Leaves all of them alone.
    pub fn detach_all(&mut self) {
        self.handles.clear();
    }
}

impl<T: 'static> JoinSet<T> {
    /// Starts a task.
    #[track_caller]
    pub fn spawn<F: Future<Output = T> + 'static>(&mut self, future: F) -> AbortHandle {
        let handle = spawn(future);
        let abort = handle.abort_handle();
        self.handles.push(handle);
        abort
    }

    /// Waits until one of the tasks ends; none if there is none.
    pub fn join_next(&mut self) -> JoinNext<'_, T> {
        JoinNext(self)
    }

    /// Aborts all tasks and waits for their ends.
    pub async fn shutdown(&mut self) {
        self.abort_all();
        while self.join_next().await.is_some() {}
    }

    /// Waits for all tasks; what they return, in the order in which they end.
    ///
    /// # Panics
    ///
    /// When a task was aborted.
    pub async fn join_all(mut self) -> Vec<T> {
        let mut results = Vec::new();
        while let Some(result) = self.join_next().await {
            results.push(result.expect("no task was aborted"));
        }
        results
    }
}

impl<T: 'static> JoinSet<T> {
    /// Starts a function that may block, on its own.
    #[track_caller]
    pub fn spawn_blocking(&mut self, function: impl FnOnce() -> T + 'static) -> AbortHandle {
        let handle = spawn_blocking(function);
        let abort = handle.abort_handle();
        self.handles.push(handle);
        abort
    }

    /// What a task has returned that has ended, if there is one.
    ///
    /// ```
    /// use plainsong::tokio::{self, task::JoinSet};
    ///
    /// let report = plainsong::explore(|| {
    ///     tokio::block_on(async {
    ///         let mut tasks = JoinSet::new();
    ///         tasks.spawn_blocking(|| 1);
    ///         let result = match tasks.try_join_next() {
    ///             Some(result) => result,
    ///             None => tasks.join_next().await.unwrap(),
    ///         };
    ///         assert_eq!((result.unwrap(), tasks.len()), (1, 0));
    ///     });
    /// });
    /// report.assert_holds();
    /// assert_eq!(report.executions, 2);
    /// ```
    #[track_caller]
    pub fn try_join_next(&mut self) -> Option<Result<T, JoinError>> {
        let ended = self.handles.iter().position(JoinHandle::is_finished)?;
        self.handles.remove(ended).seen()
    }
}

impl<T> Drop for JoinSet<T> {
    fn drop(&mut self) {
        if Task::of_destructor().is_some() {
            self.abort_all();
        }
    }
}

/// See [`JoinSet::join_next`].
#[must_use = "nothing happens before it is awaited"]
pub struct JoinNext<'s, T>(&'s mut JoinSet<T>);

impl<T: 'static> Future for JoinNext<'_, T> {
    type Output = Option<Result<T, JoinError>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let handles = &mut self.0.handles;
        if handles.is_empty() {
            return Poll::Ready(None);
        }
        let task = Task::current("join_next");
        let count = handles.len();
        let poll = |at: usize| match Pin::new(&mut handles[at]).poll(cx) {
            Poll::Ready(result) => Some((at, result)),
            Poll::Pending => None,
        };
        let (first, waits_for) = task.waits.watch(|| (0..count).find_map(poll));
        match first {
            Some((at, result)) => {
                task.waits.forget(&waits_for);
                handles.remove(at);
                Poll::Ready(Some(result))
            }
            None => Poll::Pending,
        }
    }
}

impl<T> Quiet for JoinNext<'_, T> {
    fn waits(&self) -> bool {
        !self.0.handles.is_empty() && self.0.handles.iter().all(Quiet::waits)
    }
}
