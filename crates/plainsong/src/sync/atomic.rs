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
//! NOT COVERED. Everything is sequentially consistent: a weaker [`Ordering`] is accepted and treated as
//! `SeqCst`, so what only weaker orderings allow is not found. The report says so and names the places
//! ([`Report::weak_orderings`](crate::Report::weak_orderings)). `compare_exchange_weak` does not fail
//! for no reason.
//!
//! Over-counted. Loads between the same two stores are explored in every order, though nobody can tell.
//!
//! A loop that waits until a number changes has executions without end: see
//! [`Explorer::limit_events`](crate::Explorer::limit_events). An atomic number cannot be made outside
//! an exploration, so not in a `static`.

mod number;
mod number_server;
pub(crate) mod weak;

pub use number::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16,
    AtomicU32, AtomicU64, AtomicUsize,
};
pub use std::sync::atomic::Ordering;

/// Does nothing: everything is sequentially consistent.
///
/// ```
/// use plainsong::sync::atomic::{fence, Ordering};
///
/// fence(Ordering::SeqCst);
/// ```
pub fn fence(_order: Ordering) {}
