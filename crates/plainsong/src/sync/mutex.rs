//! A mutex as in `std`.

use super::mutex_server::{
    AskPoison, Busy, Clear, Granted, Lock, Poison, TryLock, Unlock, start_mutex,
};
use super::server::{Place, answer, answer_of, answer_or, content, tell, tell_soon};
use crate::ghosts::{leave, value_of};
use crate::message::{Envelope, Parcel};
use crate::process::Process;
use crate::task::Task;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

/// A mutex as [`std::sync::Mutex`].
///
/// Every order in which it can be locked is explored. What it protects may be of any type.
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
/// - [`get_mut`](Mutex::get_mut) returns a guard: the value is not in the mutex, but with whoever has
///   the lock.
/// - What it protects is not dropped when the mutex is.
pub struct Mutex<T> {
    pub(super) server: Process,
    of: PhantomData<fn(T) -> T>,
}

impl<T: 'static> Mutex<T> {
    /// A mutex that nobody has locked. In pictures it is `mutex 1`, `mutex 2`, …
    #[track_caller]
    pub fn new(value: T) -> Self {
        Mutex::made(None, value, Location::caller())
    }

    /// A mutex with a name, for pictures and traces. Not in `std`.
    ///
    /// ```
    /// use plainsong::{sync::Mutex, Explorer};
    ///
    /// let report = plainsong::explore(|| {
    ///     let account = Mutex::named("account", 100);
    ///     let _guard = account.lock();
    ///     let _again = account.lock();
    /// });
    /// assert_eq!(report.failures[0].message, "deadlock: main waits for account, held by main");
    /// ```
    #[track_caller]
    pub fn named(name: impl Into<String>, value: T) -> Self {
        Mutex::made(Some(name.into()), value, Location::caller())
    }

    #[track_caller]
    pub(super) fn made(name: Option<String>, value: T, made_at: Place) -> Self {
        Task::insist("Mutex::new");
        Mutex {
            server: start_mutex(name, Parcel::new(value), made_at),
            of: PhantomData,
        }
    }

    /// Waits for the lock. An error if an earlier holder panicked, and the panic was caught.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        self.lock_at(Location::caller())
    }

    pub(super) fn lock_at(&self, place: Place) -> LockResult<MutexGuard<'_, T>> {
        tell(self.server, Lock {}, place);
        let granted = answer::<Granted<T>>(self.server, "", place);
        self.guard(&granted, place)
    }

    fn guard(&self, granted: &Envelope, place: Place) -> LockResult<MutexGuard<'_, T>> {
        let granted = content::<Granted<T>>(granted);
        let guard = MutexGuard {
            mutex: self,
            value: Some(value_of(self.server, &granted.value)),
            place,
            was_panicking: std::thread::panicking(),
        };
        if granted.is_poisoned {
            Err(PoisonError::new(guard))
        } else {
            Ok(guard)
        }
    }

    /// Takes the lock if nobody has it.
    ///
    /// ```
    /// use plainsong::sync::Mutex;
    ///
    /// plainsong::explore(|| {
    ///     let mutex = Mutex::new(());
    ///     let guard = mutex.try_lock().unwrap();
    ///     assert!(mutex.try_lock().is_err());
    ///     drop(guard);
    ///     assert!(mutex.try_lock().is_ok());
    /// })
    /// .assert_holds();
    /// ```
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let place = Location::caller();
        tell(self.server, TryLock {}, place);
        let answer = answer_of::<Granted<T>, Busy>(self.server, "", place);
        if answer.is::<Busy>() {
            return Err(TryLockError::WouldBlock);
        }
        self.guard(&answer, place).map_err(TryLockError::Poisoned)
    }

    /// Did a process panic while it had the lock?
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        let place = Location::caller();
        tell(self.server, AskPoison {}, place);
        let sound = Poison { is_poisoned: false };
        content::<Poison>(&answer_or(self.server, "", sound, place)).is_poisoned
    }

    /// Forgets that a process panicked while it had the lock.
    #[track_caller]
    pub fn clear_poison(&self) {
        tell(self.server, Clear {}, Location::caller());
    }

    /// What the mutex protects.
    #[track_caller]
    pub fn into_inner(self) -> LockResult<T> {
        let take = |mut guard: MutexGuard<'_, T>| {
            let value = guard.value.take();
            value.expect("a guard has the value until it is dropped")
        };
        match self.lock_at(Location::caller()) {
            Ok(guard) => Ok(take(guard)),
            Err(error) => Err(PoisonError::new(take(error.into_inner()))),
        }
    }

    /// What the mutex protects, until the guard is dropped.
    #[track_caller]
    pub fn get_mut(&mut self) -> LockResult<MutexGuard<'_, T>> {
        self.lock_at(Location::caller())
    }
}

impl<T: Default + 'static> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Self {
        Mutex::made(None, T::default(), Location::caller())
    }
}

impl<T: 'static> From<T> for Mutex<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Mutex::made(None, value, Location::caller())
    }
}

impl<T> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mutex({})", self.server)
    }
}

/// The lock of a [`Mutex`], until it is dropped.
#[must_use = "the lock is given back when the guard is dropped"]
pub struct MutexGuard<'a, T: 'static> {
    pub(super) mutex: &'a Mutex<T>,
    value: Option<T>,
    place: Place,
    was_panicking: bool,
}

impl<T: 'static> MutexGuard<'_, T> {
    fn unlock(&mut self) {
        if let Some(value) = self.value.take() {
            let poisons = std::thread::panicking() && !self.was_panicking;
            let value = Parcel::new(value);
            leave(self.mutex.server, &value);
            tell_soon(self.mutex.server, Unlock { value, poisons }, self.place);
        }
    }
}

impl<T: 'static> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        let value = self.value.as_ref();
        value.expect("a guard has the value until it is dropped")
    }
}

impl<T: 'static> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        let value = self.value.as_mut();
        value.expect("a guard has the value until it is dropped")
    }
}

impl<T: 'static> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        self.unlock();
    }
}

impl<T: fmt::Debug + 'static> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: fmt::Display + 'static> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
