//! Locks that find out whether what they protect can be copied.

use super::mutex::{Mutex as AnyMutex, MutexGuard};
use super::rwlock::{RwLock as AnyRwLock, RwLockReadGuard, RwLockWriteGuard};
use crate::message::told;
use std::panic::Location;
use std::sync::{LockResult, TryLockResult};

told! {
    /// A mutex as [`std::sync::Mutex`].
    ///
    /// Every order in which it can be locked is explored. What it protects need not be `Clone`; if it is not, each
    /// execution runs from its start.
    ///
    /// ```
    /// use plainsong::sync::{Arc, Mutex};
    /// use plainsong::thread;
    ///
    /// let report = plainsong::explore(|| {
    ///     let count = Arc::new(Mutex::new(0));
    ///     let threads = [1, 2, 3].map(|n| {
    ///         let count = Arc::clone(&count);
    ///         thread::spawn(move || *count.lock().unwrap() += n)
    ///     });
    ///     for thread in threads {
    ///         thread.join().unwrap();
    ///     }
    ///     assert_eq!(*count.lock().unwrap(), 6);
    /// });
    /// report.assert_holds();
    /// assert_eq!(report.executions, 6);
    /// ```
    ///
    /// # Differences
    ///
    /// - It cannot be made outside an exploration, so not in a `static`.
    /// - `get_mut` returns a guard: the value is not in the mutex, but with whoever has the lock.
    /// - What it protects is not dropped when the mutex is.
    Mutex over AnyMutex, know_clone: Clone {
        fn lock() -> LockResult<MutexGuard<'_, T>>;
        fn try_lock() -> TryLockResult<MutexGuard<'_, T>>;
    }
}

told! {
    /// A reader-writer lock as [`std::sync::RwLock`].
    ///
    /// ```
    /// use plainsong::sync::{Arc, RwLock};
    /// use plainsong::thread;
    ///
    /// let report = plainsong::explore(|| {
    ///     let lock = Arc::new(RwLock::new(1));
    ///     let inside = Arc::clone(&lock);
    ///     let writer = thread::spawn(move || *inside.write().unwrap() = 2);
    ///     assert!(matches!(*lock.read().unwrap(), 1 | 2));
    ///     writer.join().unwrap();
    /// });
    /// report.assert_holds();
    /// assert_eq!(report.executions, 2);
    /// ```
    ///
    /// # Differences
    ///
    /// Those of [`Mutex`], and: a process that reads twice at a time may wait for ever, because a writer may
    /// have come in between.
    RwLock over AnyRwLock, know_clone: Clone {
        fn read() -> LockResult<RwLockReadGuard<'_, T>>;
        fn try_read() -> TryLockResult<RwLockReadGuard<'_, T>>;
        fn write() -> LockResult<RwLockWriteGuard<'_, T>>;
        fn try_write() -> TryLockResult<RwLockWriteGuard<'_, T>>;
    }
}

macro_rules! makers {
    ($($name:ident $any:ident $example:literal)*) => {$(
        impl<T: 'static> $name<T> {
            /// One that nobody has locked. In pictures it has a number.
            #[track_caller]
            pub fn new(value: T) -> Self {
                $name($any::made(None, value, Location::caller()))
            }

            /// One with a name, for pictures and traces. Not in `std`.
            ///
            /// ```
            #[doc = $example]
            /// ```
            #[track_caller]
            pub fn named(name: impl Into<String>, value: T) -> Self {
                $name($any::made(Some(name.into()), value, Location::caller()))
            }

            /// What it protects.
            #[track_caller]
            pub fn into_inner(self) -> LockResult<T> {
                self.0.into_inner()
            }
        }

        impl<T: Default + 'static> Default for $name<T> {
            #[track_caller]
            fn default() -> Self {
                $name::new(T::default())
            }
        }

        impl<T: 'static> From<T> for $name<T> {
            #[track_caller]
            fn from(value: T) -> Self {
                $name::new(value)
            }
        }
    )*};
}

makers! {
    Mutex AnyMutex "plainsong::explore(|| drop(plainsong::sync::Mutex::named(\"account\", 100).lock())).assert_holds();"
    RwLock AnyRwLock "plainsong::explore(|| drop(plainsong::sync::RwLock::named(\"account\", 100).read())).assert_holds();"
}
