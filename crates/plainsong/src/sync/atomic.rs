//! Atomic numbers as in [`std::sync::atomic`], explored.
//!
//! ```
//! use plainsong::sync::atomic::{AtomicUsize, Ordering};
//! use plainsong::{sync::Arc, thread};
//!
//! let report = plainsong::explore(|| {
//!     let count = Arc::new(AtomicUsize::new(0));
//!     let threads = [1, 2].map(|_| {
//!         let count = Arc::clone(&count);
//!         thread::spawn(move || {
//!             let seen = count.load(Ordering::SeqCst);
//!             count.store(seen + 1, Ordering::SeqCst); // not `fetch_add`!
//!         })
//!     });
//!     for thread in threads {
//!         thread.join().unwrap();
//!     }
//!     assert_eq!(count.load(Ordering::SeqCst), 2);
//! });
//! assert!(report.failures[0].message.contains("left: 1"));
//! ```
//!
//! As soon as an ordering weaker than `SeqCst` is used, everything is explored again under RC11
//! ([`MemoryModel`](crate::MemoryModel)): a load may read an old store where nothing forbids it, and there is one
//! execution for each way in which loads read stores and stores follow each other. An execution that needs a weak
//! ordering to fail fails:
//!
//! ```
//! use plainsong::sync::atomic::{AtomicBool, AtomicU32, Ordering};
//! use plainsong::{sync::Arc, thread};
//!
//! let program = |order| {
//!     move || {
//!         let shared = Arc::new((AtomicU32::new(0), AtomicBool::new(false)));
//!         let there = Arc::clone(&shared);
//!         thread::spawn(move || {
//!             there.0.store(42, Ordering::Relaxed);
//!             there.1.store(true, order);
//!         });
//!         if shared.1.load(Ordering::Acquire) {
//!             assert_eq!(shared.0.load(Ordering::Relaxed), 42);
//!         }
//!     }
//! };
//! plainsong::explore(program(Ordering::Release)).assert_holds();
//! let report = plainsong::explore(program(Ordering::Relaxed));
//! assert!(report.failures[0].message.contains("left: 0"));
//! ```
//!
//! NOT COVERED. Load buffering; `compare_exchange_weak` does not fail for no reason. Locks, channels and the like
//! are sequentially consistent. Whoever takes a lock synchronises with those who gave it back; an operation on another
//! object synchronises with all that come after it there.
//!
//! Over-counted, where all orderings are `SeqCst`. Loads between the same two stores are explored in every order, though
//! nobody can tell.
//!
//! A loop that waits until a number changes has executions without end: see
//! [`Explorer::limit_events`](crate::Explorer::limit_events). An atomic number cannot be made outside
//! an exploration, so not in a `static`.

mod number;
mod number_server;
mod orders;
pub(crate) mod weak;

use crate::memory::{is_rc11, memory_order, spot};
pub use number::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16,
    AtomicU32, AtomicU64, AtomicUsize,
};
use std::panic::Location;
pub use std::sync::atomic::Ordering;

/// Orders what its thread does before it and what it does after it, as [`std::sync::atomic::fence`].
///
/// ```
/// use plainsong::sync::atomic::{fence, Ordering};
///
/// plainsong::explore(|| fence(Ordering::SeqCst)).assert_holds();
/// ```
#[track_caller]
pub fn fence(order: Ordering) {
    orders::check_fence(order);
    weak::note(order, Location::caller());
    if is_rc11() {
        spot::fence(memory_order(order), Location::caller());
    }
}
