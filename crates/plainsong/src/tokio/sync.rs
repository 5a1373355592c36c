//! What tasks share: channels and locks.
//!
//! Each behaves as if all operations on all of them happened in one order, which everybody agrees on:
//! they live in one memory, where nothing is late and nothing overtakes. So `try_recv` finds a message
//! that was sent before, and `send` fails after the receiver was dropped; where two operations race,
//! both outcomes are explored.

mod barrier;
pub mod broadcast;
mod errors;
pub mod mpsc;
mod mutex;
mod notify;
mod once_cell;
pub mod oneshot;
mod permits;
mod post;
mod rwlock;
mod semaphore;
mod told;
pub mod watch;
mod watchman;

pub use barrier::{Barrier, BarrierWait, BarrierWaitResult};
pub use mutex::{Lock, LockOwned, MutexGuard, OwnedMutexGuard, TryLockError};
pub use notify::{Notified, Notify};
pub use once_cell::OnceCell;
pub use rwlock::{Read, RwLockReadGuard, RwLockWriteGuard, Write};
pub use semaphore::{
    Acquire, AcquireError, AcquireOwned, OwnedSemaphorePermit, Semaphore, SemaphorePermit,
    TryAcquireError,
};
pub use told::{Mutex, RwLock};

pub mod as_is {
    //! Locks of values of any type: what [`Mutex`](super::Mutex) and [`RwLock`](super::RwLock) cover.
    pub use super::mutex::Mutex;
    pub use super::rwlock::RwLock;
}
