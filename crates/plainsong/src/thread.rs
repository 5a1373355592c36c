//! Threads as in [`std::thread`], explored.
//!
//! Each thread is a [process](crate::Process).
//!
//! ```
//! use plainsong::thread;
//!
//! plainsong::explore(|| {
//!     let adder = thread::spawn(|| 1 + 2);
//!     assert_eq!(adder.join().unwrap(), 3);
//! })
//! .assert_holds();
//! ```
//!
//! # Differences
//!
//! - A thread that panics is a failure of the execution unless somebody joins it and handles that: see
//!   [`Explorer::panics_are_failures`](crate::Explorer::panics_are_failures).
//! - Time is not modelled: [`sleep`] does nothing, and what waits with a timeout may give up at any
//!   time.
//! - All threads run on one thread of the operating system, so `std::thread_local!` is common to them.

mod handle;
mod park;
mod scope;

pub use handle::{Builder, JoinHandle, Thread, ThreadId, current, spawn};
pub use park::{park, park_timeout};
pub use scope::{Scope, ScopedJoinHandle, scope};
pub use std::thread::{Result, panicking};

use std::time::Duration;

/// Does nothing: time is not modelled, and the others may do as much as they like anyway.
///
/// ```
/// plainsong::explore(|| plainsong::thread::sleep(std::time::Duration::from_secs(3600))).assert_holds();
/// ```
pub fn sleep(_time: Duration) {}

/// Does nothing: the others may go on at any time anyway.
///
/// A loop that waits for another thread with `yield_now` has executions without end: see
/// [`Explorer::limit_events`](crate::Explorer::limit_events).
///
/// ```
/// plainsong::explore(plainsong::thread::yield_now).assert_holds();
/// ```
pub fn yield_now() {}
