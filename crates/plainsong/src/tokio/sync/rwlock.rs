//! A lock that is awaited, for one writer or many readers.

use super::mutex::TryLockError;
use super::permits::{Acquiring, Held, Permits};
use crate::task::Task;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

/// How many can read at a time.
const READERS: usize = 1 << 20;

/// Protects a value: any number of tasks read it, or one writes it.
///
/// First come, first served: a reader that comes after a waiting writer waits too.
///
/// ```
/// use plainsong::tokio::{self, sync::RwLock};
///
/// plainsong::explore(|| {
///     tokio::block_on(async {
///         let lock = RwLock::new(1);
///         {
///             let (one, other) = (lock.read().await, lock.read().await);
///             assert_eq!(*one + *other, 2);
///             assert!(lock.try_write().is_err());
///         }
///         *lock.write().await += 1;
///         assert_eq!(*lock.read().await, 2);
///     });
/// })
/// .assert_holds();
/// ```
pub struct RwLock<T> {
    permits: Permits,
    of: PhantomData<fn() -> T>,
}

impl<T: 'static> RwLock<T> {
    /// A lock that nobody has.
    #[track_caller]
    pub fn new(value: T) -> Self {
        Task::insist("RwLock::new");
        RwLock {
            permits: Permits::start("rwlock", READERS, value, Location::caller()),
            of: PhantomData,
        }
    }

    /// Waits for leave to read.
    #[track_caller]
    pub fn read(&self) -> Read<'_, T> {
        Read {
            acquiring: Acquiring::new(self.permits, 1, false, Location::caller()),
            lock: PhantomData,
        }
    }

    /// Waits for leave to write.
    #[track_caller]
    pub fn write(&self) -> Write<'_, T> {
        Write {
            acquiring: Acquiring::new(self.permits, READERS, true, Location::caller()),
            lock: PhantomData,
        }
    }

    /// Reads if nobody writes.
    ///
    /// # Errors
    ///
    /// When somebody writes, or waits for that.
    #[track_caller]
    pub fn try_read(&self) -> Result<RwLockReadGuard<'_, T>, TryLockError> {
        let held = self.permits.try_acquire(1, false, Location::caller());
        held.map(RwLockReadGuard::new).map_err(|_| TryLockError(()))
    }

    /// Writes if nobody reads or writes.
    ///
    /// # Errors
    ///
    /// When somebody does.
    #[track_caller]
    pub fn try_write(&self) -> Result<RwLockWriteGuard<'_, T>, TryLockError> {
        let held = self.permits.try_acquire(READERS, true, Location::caller());
        held.map(RwLockWriteGuard::new)
            .map_err(|_| TryLockError(()))
    }

    /// Waits for leave to read, outside of async code.
    #[track_caller]
    pub fn blocking_read(&self) -> RwLockReadGuard<'_, T> {
        let held = self.permits.wait(1, false, Location::caller());
        RwLockReadGuard::new(held.expect("nobody closes it"))
    }

    /// Waits for leave to write, outside of async code.
    #[track_caller]
    pub fn blocking_write(&self) -> RwLockWriteGuard<'_, T> {
        let held = self.permits.wait(READERS, true, Location::caller());
        RwLockWriteGuard::new(held.expect("nobody closes it"))
    }
}

impl<T: 'static> RwLock<T> {
    /// What it protects.
    #[track_caller]
    pub fn into_inner(self) -> T {
        self.blocking_write().held.into_value()
    }
}

impl<T: Default + 'static> Default for RwLock<T> {
    #[track_caller]
    fn default() -> Self {
        RwLock::new(T::default())
    }
}

impl<T> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RwLock({})", self.permits.server)
    }
}

macro_rules! guards {
    ($($(#[$doc:meta])* $future:ident $(#[$guard_doc:meta])* $guard:ident)*) => {$(
        $(#[$doc])*
        #[must_use = "nothing happens before it is awaited"]
        pub struct $future<'l, T> {
            acquiring: Acquiring,
            lock: PhantomData<&'l RwLock<T>>,
        }

        impl<T> Unpin for $future<'_, T> {}

        impl<'l, T: 'static> Future for $future<'l, T> {
            type Output = $guard<'l, T>;

            fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
                let held = self.acquiring.poll(cx);
                held.map(|held| $guard::new(held.expect("nobody closes it")))
            }
        }

        $(#[$guard_doc])*
        #[must_use = "the lock is given back when the guard is dropped"]
        pub struct $guard<'l, T: 'static> {
            held: Held<T>,
            lock: PhantomData<&'l RwLock<T>>,
        }

        impl<T: 'static> $guard<'_, T> {
            fn new(held: Held<T>) -> Self {
                $guard { held, lock: PhantomData }
            }
        }

        impl<T: 'static> Deref for $guard<'_, T> {
            type Target = T;

            fn deref(&self) -> &T {
                self.held.value()
            }
        }

        impl<T: fmt::Debug + 'static> fmt::Debug for $guard<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                (**self).fmt(f)
            }
        }
    )*};
}

guards! {
    /// See [`RwLock::read`].
    Read
    /// Leave to read, until it is dropped.
    RwLockReadGuard
    /// See [`RwLock::write`].
    Write
    /// Leave to write, until it is dropped.
    RwLockWriteGuard
}

impl<T: 'static> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.held.value_mut()
    }
}
