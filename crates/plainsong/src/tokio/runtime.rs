//! Runtimes. There is nothing to configure: a task is a process, whatever runs it.

use super::task::{self, JoinHandle};
use std::io;

/// Runs async code.
///
/// ```
/// use plainsong::tokio::runtime::Runtime;
///
/// plainsong::explore(|| {
///     let runtime = Runtime::new().unwrap();
///     let task = runtime.spawn(async { 1 });
///     assert_eq!(runtime.block_on(task).unwrap(), 1);
/// })
/// .assert_holds();
/// ```
#[derive(Clone, Debug, Default)]
pub struct Runtime(());

/// Runs async code, as [`Runtime`] does.
pub type Handle = Runtime;

impl Runtime {
    /// A runtime.
    ///
    /// # Errors
    ///
    /// None.
    pub fn new() -> io::Result<Self> {
        Ok(Runtime(()))
    }

    /// The runtime that this code runs in.
    pub fn current() -> Self {
        Runtime(())
    }

    /// The same.
    pub fn handle(&self) -> &Self {
        self
    }

    /// See [`block_on`](crate::future::block_on).
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        crate::future::block_on(future)
    }

    /// See [`spawn`](task::spawn).
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        task::spawn(future)
    }

    /// See [`spawn_blocking`](task::spawn_blocking).
    #[track_caller]
    pub fn spawn_blocking<T: 'static>(
        &self,
        function: impl FnOnce() -> T + 'static,
    ) -> JoinHandle<T> {
        task::spawn_blocking(function)
    }
}

/// Makes a [`Runtime`].
///
/// ```
/// use plainsong::tokio::runtime::Builder;
///
/// plainsong::explore(|| {
///     let runtime = Builder::new_current_thread().enable_all().build().unwrap();
///     runtime.block_on(async {});
/// })
/// .assert_holds();
/// ```
#[derive(Debug)]
pub struct Builder(());

impl Builder {
    /// Tasks may run in any order, at any time.
    pub fn new_multi_thread() -> Self {
        Builder(())
    }

    /// The same: no code should depend on more.
    pub fn new_current_thread() -> Self {
        Builder(())
    }

    /// Changes nothing.
    pub fn enable_all(&mut self) -> &mut Self {
        self
    }

    /// Changes nothing.
    pub fn enable_time(&mut self) -> &mut Self {
        self
    }

    /// Changes nothing.
    pub fn worker_threads(&mut self, _threads: usize) -> &mut Self {
        self
    }

    /// A runtime.
    ///
    /// # Errors
    ///
    /// None.
    pub fn build(&mut self) -> io::Result<Runtime> {
        Runtime::new()
    }
}
