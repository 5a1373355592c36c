//! A condition variable as in `std`.

use super::condvar_server::{NotifyAll, NotifyOne, TimeUp, TimedOut, Wait, Woken, start_condvar};
use super::mutex::{Mutex, MutexGuard};
use super::server::{Place, answer_of, answer_or, tell, ticket};
use crate::choice::choose_bool;
use crate::process::Process;
use crate::task::Task;
use std::fmt;
use std::panic::Location;
use std::sync::{LockResult, PoisonError};
use std::time::Duration;

/// A condition variable as [`std::sync::Condvar`].
///
/// ```
/// use plainsong::sync::{Arc, Condvar, Mutex};
/// use plainsong::thread;
///
/// let report = plainsong::explore(|| {
///     let shared = Arc::new((Mutex::new(false), Condvar::new()));
///     let other = Arc::clone(&shared);
///     thread::spawn(move || {
///         *other.0.lock().unwrap() = true;
///         other.1.notify_one();
///     });
///     let ready = shared.0.lock().unwrap();
///     let ready = shared.1.wait_while(ready, |ready| !*ready).unwrap();
///     assert!(*ready);
/// });
/// report.assert_holds();
/// assert_eq!(report.executions, 2);
/// ```
///
/// A wait with a timeout may give up at any time. Waits do not end for no reason, though `std` allows
/// it, unless the condition variable was made by
/// [`with_spurious_wakeups`](Condvar::with_spurious_wakeups).
pub struct Condvar {
    server: Process,
    /// How often a thread may wake up for no reason.
    spurious: u32,
}

impl Condvar {
    /// A condition variable. In pictures it is `condvar 1`, `condvar 2`, …
    #[track_caller]
    pub fn new() -> Self {
        Condvar::made(None, 0, Location::caller())
    }

    /// A condition variable with a name, for pictures and traces. Not in `std`.
    #[track_caller]
    pub fn named(name: impl Into<String>) -> Self {
        Condvar::made(Some(name.into()), 0, Location::caller())
    }

    /// A condition variable on which each thread may wake up for no reason up to so many times. Not
    /// in `std`, where this may happen always.
    ///
    /// ```
    /// use plainsong::sync::{Condvar, Mutex};
    ///
    /// let report = plainsong::Explorer::new().allow_deadlock(true).run(|| {
    ///     let (mutex, condvar) = (Mutex::new(()), Condvar::with_spurious_wakeups(1));
    ///     let _guard = condvar.wait(mutex.lock().unwrap()); // not in a loop!
    ///     panic!("nobody has notified");
    /// });
    /// assert_eq!(report.failures[0].message, "nobody has notified");
    /// ```
    #[track_caller]
    pub fn with_spurious_wakeups(most: u32) -> Self {
        Condvar::made(None, most, Location::caller())
    }

    #[track_caller]
    fn made(name: Option<String>, spurious: u32, made_at: Place) -> Self {
        Task::insist("Condvar::new");
        Condvar {
            server: start_condvar(name, made_at),
            spurious,
        }
    }

    /// Unlocks the mutex, waits for a notification, and locks the mutex again.
    #[track_caller]
    pub fn wait<'a, T: 'static>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let place = Location::caller();
        let mutex: &Mutex<T> = guard.mutex;
        if self.wakes_for_no_reason() {
            drop(guard);
            return mutex.lock_at(place);
        }
        let ticket = ticket();
        tell(self.server, Wait { ticket }, place);
        drop(guard);
        answer_or(self.server, "a notification of ", Woken {}, place);
        mutex.lock_at(place)
    }

    /// Waits as long as the condition holds.
    #[track_caller]
    pub fn wait_while<'a, T: 'static>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<MutexGuard<'a, T>> {
        while condition(&mut guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// Waits, but not for ever: both ends are explored.
    ///
    /// ```
    /// use plainsong::sync::{Condvar, Mutex};
    /// use std::time::Duration;
    ///
    /// plainsong::explore(|| {
    ///     let (mutex, condvar) = (Mutex::new(0), Condvar::new());
    ///     let guard = mutex.lock().unwrap();
    ///     let (_guard, result) = condvar.wait_timeout(guard, Duration::from_secs(1)).unwrap();
    ///     assert!(result.timed_out()); // who should have notified?
    /// })
    /// .assert_holds();
    /// ```
    #[track_caller]
    pub fn wait_timeout<'a, T: 'static>(
        &self,
        guard: MutexGuard<'a, T>,
        _timeout: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let place = Location::caller();
        let mutex: &Mutex<T> = guard.mutex;
        let result = if Task::live("wait").is_none() {
            Task::note_ghost();
            drop(guard);
            WaitTimeoutResult(true)
        } else if self.wakes_for_no_reason() {
            drop(guard);
            WaitTimeoutResult(false)
        } else {
            let ticket = ticket();
            tell(self.server, Wait { ticket }, place);
            drop(guard);
            // Not before the mutex is unlocked: who notifies with the lock may still be in time.
            tell(self.server, TimeUp { ticket }, place);
            let end = answer_of::<Woken, TimedOut>(self.server, "a notification of ", place);
            WaitTimeoutResult(end.is::<TimedOut>())
        };
        match mutex.lock_at(place) {
            Ok(guard) => Ok((guard, result)),
            Err(error) => Err(PoisonError::new((error.into_inner(), result))),
        }
    }

    /// Waits as long as the condition holds, but not for ever.
    #[track_caller]
    pub fn wait_timeout_while<'a, T: 'static>(
        &self,
        mut guard: MutexGuard<'a, T>,
        timeout: Duration,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        loop {
            if !condition(&mut guard) {
                return Ok((guard, WaitTimeoutResult(false)));
            }
            let (again, result) = self.wait_timeout(guard, timeout)?;
            guard = again;
            if result.timed_out() {
                let holds = condition(&mut guard);
                return Ok((guard, WaitTimeoutResult(holds)));
            }
        }
    }

    /// Wakes one of those that wait, if any; which one is explored.
    #[track_caller]
    pub fn notify_one(&self) {
        tell(self.server, NotifyOne {}, Location::caller());
    }

    /// Wakes all that wait.
    #[track_caller]
    pub fn notify_all(&self) {
        tell(self.server, NotifyAll {}, Location::caller());
    }

    #[track_caller]
    fn wakes_for_no_reason(&self) -> bool {
        let Some(task) = Task::live("wait") else {
            return false;
        };
        let wakes = task.spurious.get() < self.spurious && choose_bool();
        task.spurious.set(task.spurious.get() + u32::from(wakes));
        wakes
    }
}

impl Default for Condvar {
    #[track_caller]
    fn default() -> Self {
        Condvar::made(None, 0, Location::caller())
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Condvar({})", self.server)
    }
}

/// How a wait with a timeout ended: see [`std::sync::WaitTimeoutResult`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Was the time over?
    pub fn timed_out(&self) -> bool {
        self.0
    }
}
