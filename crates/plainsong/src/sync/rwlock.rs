//! A reader-writer lock as in `std`.

use super::rwlock_server::{
    Exclusive, Now, Occupied, Read, ReadUnlock, Shared, TryRead, TryWrite, Write, WriteUnlock,
    start_rwlock,
};
use super::server::{Place, answer, answer_of, content, tell, tell_soon, ticket};
use crate::ghosts::{leave, shared_value_of, value_of};
use crate::message::{Envelope, Parcel};
use crate::process::Process;
use crate::record::discard;
use crate::task::Task;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{Arc, LockResult, PoisonError, TryLockError, TryLockResult};

/// A reader-writer lock as [`std::sync::RwLock`].
///
/// ```
/// use plainsong::sync::{Arc, RwLock};
/// use plainsong::thread;
///
/// let report = plainsong::explore(|| {
///     let lock = Arc::new(RwLock::new(1));
///     let other = Arc::clone(&lock);
///     let writer = thread::spawn(move || *other.write().unwrap() += 1);
///     let (first, second) = (lock.read().unwrap(), 0);
///     assert!(matches!(*first + second, 1 | 2));
///     drop(first);
///     writer.join().unwrap();
/// });
/// report.assert_holds();
/// assert_eq!(report.executions, 2);
/// ```
///
/// Each reader has a copy, or shares what cannot be copied, which is the same as long as nobody
/// writes. The differences are those of [`Mutex`](super::Mutex).
pub struct RwLock<T> {
    server: Process,
    of: PhantomData<fn(T) -> T>,
}

impl<T: 'static> RwLock<T> {
    /// A lock that nobody has. In pictures it is `rwlock 1`, `rwlock 2`, …
    #[track_caller]
    pub fn new(value: T) -> Self {
        RwLock::made(None, value, Location::caller())
    }

    /// A lock with a name, for pictures and traces. Not in `std`.
    #[track_caller]
    pub fn named(name: impl Into<String>, value: T) -> Self {
        RwLock::made(Some(name.into()), value, Location::caller())
    }

    #[track_caller]
    pub(super) fn made(name: Option<String>, value: T, made_at: Place) -> Self {
        Task::insist("RwLock::new");
        RwLock {
            server: start_rwlock(name, Parcel::new(value), made_at),
            of: PhantomData,
        }
    }

    /// Waits until nobody writes.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let (place, ticket) = (Location::caller(), ticket());
        tell(self.server, Read { ticket }, place);
        let answer = answer::<Shared<T>>(self.server, "", place);
        self.reader(&answer, ticket, place)
    }

    /// Reads if nobody writes, or waits to write.
    ///
    /// ```
    /// use plainsong::sync::RwLock;
    ///
    /// plainsong::explore(|| {
    ///     let lock = RwLock::new(());
    ///     let reader = lock.read();
    ///     assert!(lock.try_read().is_ok());
    ///     assert!(lock.try_write().is_err());
    ///     drop(reader);
    ///     let _writer = lock.try_write().unwrap();
    ///     assert!(lock.try_read().is_err());
    /// })
    /// .assert_holds();
    /// ```
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let (place, ticket) = (Location::caller(), ticket());
        tell(self.server, TryRead { ticket }, place);
        let answer = answer_of::<Shared<T>, Occupied>(self.server, "", place);
        if answer.is::<Occupied>() {
            return Err(TryLockError::WouldBlock);
        }
        self.reader(&answer, ticket, place)
            .map_err(TryLockError::Poisoned)
    }

    /// Waits until nobody reads or writes.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        self.write_at(Location::caller())
    }

    fn write_at(&self, place: Place) -> LockResult<RwLockWriteGuard<'_, T>> {
        tell(self.server, Write {}, place);
        self.writer(&answer::<Exclusive<T>>(self.server, "", place), place)
    }

    /// Writes if nobody reads or writes.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let (place, ticket) = (Location::caller(), ticket());
        tell(self.server, TryWrite { ticket }, place);
        tell(self.server, Now { ticket }, place);
        let answer = answer_of::<Exclusive<T>, Occupied>(self.server, "", place);
        if answer.is::<Occupied>() {
            return Err(TryLockError::WouldBlock);
        }
        self.writer(&answer, place).map_err(TryLockError::Poisoned)
    }

    /// What the lock protects.
    #[track_caller]
    pub fn into_inner(self) -> LockResult<T> {
        let take = |mut guard: RwLockWriteGuard<'_, T>| {
            let value = guard.value.take();
            value.expect("a guard has the value until it is dropped")
        };
        match self.write_at(Location::caller()) {
            Ok(guard) => Ok(take(guard)),
            Err(error) => Err(PoisonError::new(take(error.into_inner()))),
        }
    }

    /// What the lock protects, until the guard is dropped.
    #[track_caller]
    pub fn get_mut(&mut self) -> LockResult<RwLockWriteGuard<'_, T>> {
        self.write_at(Location::caller())
    }

    fn reader(
        &self,
        answer: &Envelope,
        ticket: u32,
        place: Place,
    ) -> LockResult<RwLockReadGuard<'_, T>> {
        let answer = content::<Shared<T>>(answer);
        let guard = RwLockReadGuard {
            lock: self,
            value: Some(shared_value_of(self.server, &answer.value)),
            ticket,
            place,
        };
        match answer.is_poisoned {
            true => Err(PoisonError::new(guard)),
            false => Ok(guard),
        }
    }

    fn writer(&self, answer: &Envelope, place: Place) -> LockResult<RwLockWriteGuard<'_, T>> {
        let answer = content::<Exclusive<T>>(answer);
        let guard = RwLockWriteGuard {
            lock: self,
            value: Some(value_of(self.server, &answer.value)),
            place,
        };
        match answer.is_poisoned {
            true => Err(PoisonError::new(guard)),
            false => Ok(guard),
        }
    }
}

impl<T: Default + 'static> Default for RwLock<T> {
    #[track_caller]
    fn default() -> Self {
        RwLock::made(None, T::default(), Location::caller())
    }
}

impl<T> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RwLock({})", self.server)
    }
}

/// Leave to read what an [`RwLock`] protects, until it is dropped.
#[must_use = "the lock is given back when the guard is dropped"]
pub struct RwLockReadGuard<'a, T: 'static> {
    lock: &'a RwLock<T>,
    /// A copy: it is not dropped as the value would be.
    value: Option<Arc<T>>,
    ticket: u32,
    place: Place,
}

impl<T: 'static> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        let value = self.value.as_ref();
        value.expect("a guard has the value until it is dropped")
    }
}

impl<T: 'static> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        let ticket = self.ticket;
        discard(self.value.take());
        tell_soon(self.lock.server, ReadUnlock { ticket }, self.place);
    }
}

/// Leave to write what an [`RwLock`] protects, until it is dropped.
#[must_use = "the lock is given back when the guard is dropped"]
pub struct RwLockWriteGuard<'a, T: 'static> {
    lock: &'a RwLock<T>,
    value: Option<T>,
    place: Place,
}

impl<T: 'static> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        let value = self.value.as_ref();
        value.expect("a guard has the value until it is dropped")
    }
}

impl<T: 'static> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        let value = self.value.as_mut();
        value.expect("a guard has the value until it is dropped")
    }
}

impl<T: 'static> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        if let Some(value) = self.value.take() {
            let poisons = std::thread::panicking();
            let value = Parcel::new(value);
            leave(self.lock.server, &value);
            tell_soon(self.lock.server, WriteUnlock { value, poisons }, self.place);
        }
    }
}

impl<T: fmt::Debug + 'static> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: fmt::Debug + 'static> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
