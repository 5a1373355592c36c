//! Locks that find out whether what they protect can be copied.

use super::mutex::Lock;
use super::mutex::{LockOwned, Mutex as AnyMutex, MutexGuard, OwnedMutexGuard, TryLockError};
use super::rwlock::{Read, RwLock as AnyRwLock, RwLockReadGuard, RwLockWriteGuard, Write};
use crate::message::told;
use std::sync::Arc;

told! {
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
    Mutex over AnyMutex, know_clone: Clone {
        fn lock() -> Lock<'_, T>;
        fn try_lock() -> Result<MutexGuard<'_, T>, TryLockError>;
        fn blocking_lock() -> MutexGuard<'_, T>;
    }
}

told! {
    /// Protects a value: one task writes, or any number read.
    RwLock over AnyRwLock, know_clone: Clone {
        fn read() -> Read<'_, T>;
        fn write() -> Write<'_, T>;
        fn try_read() -> Result<RwLockReadGuard<'_, T>, TryLockError>;
        fn try_write() -> Result<RwLockWriteGuard<'_, T>, TryLockError>;
        fn blocking_read() -> RwLockReadGuard<'_, T>;
        fn blocking_write() -> RwLockWriteGuard<'_, T>;
    }
}

macro_rules! makers {
    ($($name:ident $any:ident)*) => {$(
        impl<T: 'static> $name<T> {
            /// One that nobody has.
            #[track_caller]
            pub fn new(value: T) -> Self {
                $name($any::new(value))
            }

            /// What it protects.
            #[track_caller]
            pub fn into_inner(self) -> T {
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

makers!(Mutex AnyMutex RwLock AnyRwLock);

impl<T: 'static> Mutex<T> {
    /// Waits for the lock, to have it for as long as one likes.
    #[track_caller]
    pub fn lock_owned(self: Arc<Self>) -> LockOwned<T> {
        self.0.wait_owned()
    }

    /// Takes the lock if nobody has it, to have it for as long as one likes.
    ///
    /// # Errors
    ///
    /// When somebody has it.
    #[track_caller]
    pub fn try_lock_owned(self: Arc<Self>) -> Result<OwnedMutexGuard<T>, TryLockError> {
        self.0.try_owned()
    }
}
