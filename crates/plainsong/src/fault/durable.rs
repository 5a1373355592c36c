//! What survives a crash.

use super::may_crash;
use crate::task::Task;
use std::cell::RefCell;
use std::fmt;
use std::panic::Location;

/// A value that survives the crashes of its process: a disk.
///
/// It belongs to one process: make it outside and move it into the code that is
/// [crashing](super::crashing). A write either happens before a crash or not at all; several writes are
/// several chances to crash in between.
///
/// ```
/// use plainsong::fault::{crashing, Durable};
/// use plainsong::{choose_bool, cover, current, explore, send, spawn};
///
/// let report = explore(|| {
///     let starts = Durable::new(0);
///     let main = current();
///     spawn(crashing(move || {
///         starts.update(|n| n + 1);
///         send(main, starts.get());
///     }));
///     assert!(plainsong::receive::<i32>() <= 2);
/// });
/// report.assert_holds();
/// assert_eq!(report.executions, 3); // no crash; before the send; after it
/// ```
pub struct Durable<T>(RefCell<T>);

impl<T: Clone> Durable<T> {
    /// What is on disk at first.
    pub fn new(value: T) -> Self {
        Durable(RefCell::new(value))
    }

    /// What was written last.
    pub fn get(&self) -> T {
        self.0.borrow().clone()
    }

    /// Writes.
    #[track_caller]
    pub fn set(&self, value: T) {
        if let Some(task) = Task::live("Durable::set") {
            may_crash(&task, Location::caller());
            self.0.replace(value);
        }
    }

    /// Reads and writes.
    #[track_caller]
    pub fn update(&self, change: impl FnOnce(T) -> T) {
        if let Some(task) = Task::live("Durable::update") {
            may_crash(&task, Location::caller());
            let value = change(self.get());
            self.0.replace(value);
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Durable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.borrow().fmt(f)
    }
}
