//! Locks, condition variables, channels and atomic numbers as in [`std::sync`], explored.
//!
//! Code that uses `std::sync` and `std::thread` is explored by writing `plainsong::` for `std::`.
//!
//! ```
//! use plainsong::sync::{Arc, Mutex};
//! use plainsong::thread;
//!
//! let report = plainsong::explore(|| {
//!     let (a, b) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
//!     let (a2, b2) = (Arc::clone(&a), Arc::clone(&b));
//!     let other = thread::Builder::new().name("other".to_owned()).spawn(move || {
//!         let _b = b2.lock().unwrap();
//!         let _a = a2.lock().unwrap();
//!     });
//!     let _a = a.lock().unwrap();
//!     let _b = b.lock().unwrap();
//!     drop((_a, _b));
//!     other.unwrap().join().unwrap();
//! });
//! assert_eq!(
//!     report.failures[0].message,
//!     "deadlock: main waits for mutex 2, held by other; other waits for mutex 1, held by main"
//! );
//! ```
//!
//! Everything here is sequentially consistent, whatever the order of delivery of messages.
//!
//! Guards may be dropped at any time. A destructor that *takes* a lock, or receives, cannot do so while
//! its process unwinds (because of a panic, or because the execution is given up): the program ends
//! with an explanation. Let it check [`std::thread::panicking`] first.
//!
//! There is no `OnceLock` and no `LazyLock`, because they lend what they hold, and here values travel.
//!
//! An [`Arc`] is the one of `std`. What depends on how many there are (`Arc::strong_count`,
//! `Arc::try_unwrap`, a destructor that runs with the last one) is not explored faithfully.

use crate::message::Envelope;

// Protocols and servers (`*_server`) are apart from the blocking side, so that others can wait for
// answers in their own way.

pub mod atomic;
mod barrier;
pub(crate) mod barrier_server;
mod condvar;
pub(crate) mod condvar_server;
pub mod mpsc;
mod mutex;
pub(crate) mod mutex_server;
mod once;
pub(crate) mod once_server;
mod rwlock;
pub(crate) mod rwlock_server;
pub(crate) mod server;
mod told;

/// Does what comes before a message happen before what comes after it? Not if it only asks for a lock, or says that
/// somebody else has it: `std` takes locks by acquire and gives them back by release, and a lock that is not got
/// orders nothing.
pub(crate) fn releases(message: &Envelope) -> bool {
    use mutex_server::{Busy, Lock, TryLock};
    use rwlock_server::{Now, Occupied, Read, TryRead, TryWrite, Write};
    !(message.is::<Lock>()
        || message.is::<TryLock>()
        || message.is::<Busy>()
        || message.is::<Read>()
        || message.is::<TryRead>()
        || message.is::<Write>()
        || message.is::<TryWrite>()
        || message.is::<Now>()
        || message.is::<Occupied>())
}

pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use mutex::MutexGuard;
pub use once::Once;
pub use rwlock::{RwLockReadGuard, RwLockWriteGuard};
pub use std::sync::{Arc, LockResult, PoisonError, TryLockError, TryLockResult, Weak};
pub use told::{Mutex, RwLock};

pub mod as_is {
    //! Locks of values of any type: what [`Mutex`](super::Mutex) and [`RwLock`](super::RwLock) cover.
    pub use super::mutex::Mutex;
    pub use super::rwlock::RwLock;
}
