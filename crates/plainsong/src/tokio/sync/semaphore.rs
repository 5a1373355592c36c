//! Permits to be shared.

use super::permits::{Acquiring, Held, Permits};
use crate::task::Task;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// So many permits, to be had by so many tasks at a time. First come, first served.
///
/// ```
/// use plainsong::tokio::{self, sync::Semaphore};
///
/// plainsong::explore(|| {
///     tokio::block_on(async {
///         let semaphore = Semaphore::new(2);
///         let one = semaphore.acquire().await.unwrap();
///         let other = semaphore.acquire().await.unwrap();
///         assert!(semaphore.try_acquire().is_err());
///         drop(one);
///         assert_eq!(semaphore.available_permits(), 1);
///         other.forget();
///         semaphore.close();
///         assert!(semaphore.acquire().await.is_err());
///     });
/// })
/// .assert_holds();
/// ```
#[derive(Debug)]
pub struct Semaphore {
    permits: Permits,
}

impl Semaphore {
    /// So many permits.
    #[track_caller]
    pub fn new(permits: usize) -> Self {
        Task::insist("Semaphore::new");
        Semaphore {
            permits: Permits::start("semaphore", permits, (), Location::caller()),
        }
    }

    /// Waits for a permit.
    #[track_caller]
    pub fn acquire(&self) -> Acquire<'_> {
        self.acquire_many(1)
    }

    /// Waits for so many permits.
    #[track_caller]
    pub fn acquire_many(&self, permits: u32) -> Acquire<'_> {
        let acquiring = Acquiring::new(self.permits, permits as usize, false, Location::caller());
        Acquire {
            acquiring,
            semaphore: PhantomData,
        }
    }

    /// Waits for a permit, to have it for as long as one likes.
    #[track_caller]
    pub fn acquire_owned(self: Arc<Self>) -> AcquireOwned {
        AcquireOwned(Acquiring::new(self.permits, 1, false, Location::caller()))
    }

    /// Takes a permit if there is one.
    ///
    /// # Errors
    ///
    /// When there is none, or it is closed.
    #[track_caller]
    pub fn try_acquire(&self) -> Result<SemaphorePermit<'_>, TryAcquireError> {
        let held = self.permits.try_acquire(1, false, Location::caller());
        held.map(SemaphorePermit::new).map_err(TryAcquireError::of)
    }

    /// Takes a permit if there is one, to have it for as long as one likes.
    ///
    /// # Errors
    ///
    /// When there is none, or it is closed.
    #[track_caller]
    pub fn try_acquire_owned(self: Arc<Self>) -> Result<OwnedSemaphorePermit, TryAcquireError> {
        let held = self.permits.try_acquire(1, false, Location::caller());
        held.map(OwnedSemaphorePermit).map_err(TryAcquireError::of)
    }

    /// Makes more permits.
    #[track_caller]
    pub fn add_permits(&self, permits: usize) {
        self.permits.add(permits, Location::caller());
    }

    /// No more permits for anybody, not for those who wait either.
    #[track_caller]
    pub fn close(&self) {
        self.permits.close(Location::caller());
    }

    /// Is it closed?
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.permits.state(Location::caller()).1
    }

    /// How many permits nobody has.
    #[track_caller]
    pub fn available_permits(&self) -> usize {
        self.permits.state(Location::caller()).0
    }
}

/// See [`Semaphore::acquire`].
#[must_use = "nothing happens before it is awaited"]
pub struct Acquire<'s> {
    acquiring: Acquiring,
    semaphore: PhantomData<&'s Semaphore>,
}

impl<'s> Future for Acquire<'s> {
    type Output = Result<SemaphorePermit<'s>, AcquireError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let held = self.acquiring.poll(cx);
        held.map(|held| held.map(SemaphorePermit::new).ok_or(AcquireError(())))
    }
}

/// See [`Semaphore::acquire_owned`].
#[must_use = "nothing happens before it is awaited"]
pub struct AcquireOwned(Acquiring);

impl Future for AcquireOwned {
    type Output = Result<OwnedSemaphorePermit, AcquireError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let held = self.0.poll(cx);
        held.map(|held| held.map(OwnedSemaphorePermit).ok_or(AcquireError(())))
    }
}

/// Permits of a [`Semaphore`], until it is dropped.
#[must_use = "the permit is given back when it is dropped"]
pub struct SemaphorePermit<'s> {
    held: Held<()>,
    semaphore: PhantomData<&'s Semaphore>,
}

impl SemaphorePermit<'_> {
    fn new(held: Held<()>) -> Self {
        SemaphorePermit {
            held,
            semaphore: PhantomData,
        }
    }

    /// Does not give it back.
    pub fn forget(mut self) {
        self.held.permits = 0;
    }
}

/// A permit of a [`Semaphore`], until it is dropped, wherever that is.
#[must_use = "the permit is given back when it is dropped"]
pub struct OwnedSemaphorePermit(Held<()>);

impl OwnedSemaphorePermit {
    /// Does not give it back.
    pub fn forget(mut self) {
        self.0.permits = 0;
    }
}

impl fmt::Debug for SemaphorePermit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SemaphorePermit({})", self.held.permits)
    }
}

impl fmt::Debug for OwnedSemaphorePermit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnedSemaphorePermit({})", self.0.permits)
    }
}

/// The semaphore was closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcquireError(());

impl fmt::Display for AcquireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("semaphore closed")
    }
}

impl std::error::Error for AcquireError {}

/// There is no permit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TryAcquireError {
    /// The semaphore was closed.
    Closed,
    /// Others have them.
    NoPermits,
}

impl TryAcquireError {
    fn of(is_busy: bool) -> Self {
        match is_busy {
            true => TryAcquireError::NoPermits,
            false => TryAcquireError::Closed,
        }
    }
}

impl fmt::Display for TryAcquireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TryAcquireError::Closed => "semaphore closed",
            TryAcquireError::NoPermits => "no permits available",
        })
    }
}

impl std::error::Error for TryAcquireError {}
