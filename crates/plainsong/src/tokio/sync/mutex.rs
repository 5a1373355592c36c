//! A lock that is awaited.

use super::permits::{Acquiring, Held, Permits};
use crate::sync::server::Place;
use crate::task::Task;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Protects a value: one task at a time has it.
///
/// ```
/// use plainsong::tokio::{self, sync::Mutex};
/// use std::sync::Arc;
///
/// let report = plainsong::explore(|| {
///     tokio::block_on(async {
///         let counter = Arc::new(Mutex::new(0));
///         let tasks = [1, 2].map(|n| {
///             let counter = Arc::clone(&counter);
///             tokio::spawn(async move { *counter.lock().await += n })
///         });
///         for task in tasks {
///             task.await.unwrap();
///         }
///         assert_eq!(*counter.lock().await, 3);
///     });
/// });
/// report.assert_holds();
/// assert_eq!(report.executions, 2);
/// ```
pub struct Mutex<T> {
    permits: Permits,
    of: PhantomData<fn() -> T>,
}

impl<T: 'static> Mutex<T> {
    /// A lock that nobody has.
    #[track_caller]
    pub fn new(value: T) -> Self {
        Task::insist("Mutex::new");
        Mutex {
            permits: Permits::start("mutex", 1, value, Location::caller()),
            of: PhantomData,
        }
    }

    /// Waits for the lock.
    #[track_caller]
    pub fn lock(&self) -> Lock<'_, T> {
        Lock {
            acquiring: acquiring(self.permits, Location::caller()),
            mutex: PhantomData,
        }
    }

    /// Waits for the lock, to have it for as long as one likes.
    #[track_caller]
    pub fn lock_owned(self: Arc<Self>) -> LockOwned<T> {
        self.wait_owned()
    }

    #[track_caller]
    pub(super) fn wait_owned(&self) -> LockOwned<T> {
        LockOwned {
            acquiring: acquiring(self.permits, Location::caller()),
            of: PhantomData,
        }
    }

    /// Takes the lock if nobody has it.
    ///
    /// # Errors
    ///
    /// When somebody has it.
    ///
    /// ```
    /// use plainsong::tokio::sync::Mutex;
    ///
    /// plainsong::explore(|| {
    ///     let mutex = Mutex::new(1);
    ///     let guard = mutex.try_lock().unwrap();
    ///     assert!(mutex.try_lock().is_err());
    ///     drop(guard);
    ///     assert!(mutex.try_lock().is_ok());
    /// })
    /// .assert_holds();
    /// ```
    #[track_caller]
    pub fn try_lock(&self) -> Result<MutexGuard<'_, T>, TryLockError> {
        let held = self.permits.try_acquire(1, true, Location::caller());
        held.map(MutexGuard::new).map_err(|_| TryLockError(()))
    }

    /// Takes the lock if nobody has it, to have it for as long as one likes.
    ///
    /// # Errors
    ///
    /// When somebody has it.
    #[track_caller]
    pub fn try_lock_owned(self: Arc<Self>) -> Result<OwnedMutexGuard<T>, TryLockError> {
        self.try_owned()
    }

    #[track_caller]
    pub(super) fn try_owned(&self) -> Result<OwnedMutexGuard<T>, TryLockError> {
        let held = self.permits.try_acquire(1, true, Location::caller());
        held.map(OwnedMutexGuard).map_err(|_| TryLockError(()))
    }

    /// Waits for the lock, outside of async code.
    #[track_caller]
    pub fn blocking_lock(&self) -> MutexGuard<'_, T> {
        let held = self.permits.wait(1, true, Location::caller());
        MutexGuard::new(held.expect("nobody closes it"))
    }

    /// What it protects.
    #[track_caller]
    pub fn into_inner(self) -> T {
        self.blocking_lock().held.into_value()
    }
}

impl<T: Default + 'static> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Self {
        Mutex::new(T::default())
    }
}

impl<T> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mutex({})", self.permits.server)
    }
}

fn acquiring(permits: Permits, place: Place) -> Acquiring {
    Acquiring::new(permits, 1, true, place)
}

/// See [`Mutex::lock`].
#[must_use = "nothing happens before it is awaited"]
pub struct Lock<'m, T> {
    acquiring: Acquiring,
    mutex: PhantomData<&'m Mutex<T>>,
}

impl<T> Unpin for Lock<'_, T> {}

impl<'m, T: 'static> Future for Lock<'m, T> {
    type Output = MutexGuard<'m, T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let held = self.acquiring.poll(cx);
        held.map(|held| MutexGuard::new(held.expect("nobody closes it")))
    }
}

/// See [`Mutex::lock_owned`].
#[must_use = "nothing happens before it is awaited"]
pub struct LockOwned<T> {
    acquiring: Acquiring,
    of: PhantomData<fn() -> T>,
}

impl<T: 'static> Future for LockOwned<T> {
    type Output = OwnedMutexGuard<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let held = self.acquiring.poll(cx);
        held.map(|held| OwnedMutexGuard(held.expect("nobody closes it")))
    }
}

/// The lock of a [`Mutex`], until it is dropped.
#[must_use = "the lock is given back when the guard is dropped"]
pub struct MutexGuard<'m, T: 'static> {
    held: Held<T>,
    mutex: PhantomData<&'m Mutex<T>>,
}

impl<T: 'static> MutexGuard<'_, T> {
    fn new(held: Held<T>) -> Self {
        MutexGuard {
            held,
            mutex: PhantomData,
        }
    }
}

/// The lock of a [`Mutex`], until it is dropped, wherever that is.
#[must_use = "the lock is given back when the guard is dropped"]
pub struct OwnedMutexGuard<T: 'static>(Held<T>);

impl<T: 'static> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.held.value()
    }
}

impl<T: 'static> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.held.value_mut()
    }
}

impl<T: 'static> Deref for OwnedMutexGuard<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.value()
    }
}

impl<T: 'static> DerefMut for OwnedMutexGuard<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.value_mut()
    }
}

impl<T: fmt::Debug + 'static> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: fmt::Debug + 'static> fmt::Debug for OwnedMutexGuard<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Somebody has the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TryLockError(pub(super) ());

impl fmt::Display for TryLockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("operation would block")
    }
}

impl std::error::Error for TryLockError {}
