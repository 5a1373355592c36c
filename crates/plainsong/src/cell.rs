//! Memory that is not synchronised, as [`std::cell::UnsafeCell`], with data races reported.
//!
//! ```
//! use plainsong::cell::UnsafeCell;
//! use plainsong::sync::atomic::{AtomicBool, Ordering};
//! use plainsong::{sync::Arc, thread};
//!
//! let program = |order| {
//!     move || {
//!         let shared = Arc::new((UnsafeCell::new(0), AtomicBool::new(false)));
//!         let there = Arc::clone(&shared);
//!         thread::spawn(move || {
//!             there.0.with_mut(|_| ()); // writes
//!             there.1.store(true, order);
//!         });
//!         if shared.1.load(Ordering::Acquire) {
//!             shared.0.with(|_| ()); // reads
//!         }
//!     }
//! };
//! plainsong::explore(program(Ordering::Release)).assert_holds();
//!
//! let report = plainsong::explore(program(Ordering::Relaxed));
//! assert!(report.failures[0].message.starts_with("data race: "));
//! ```
//!
//! Two accesses race if one of them writes and nothing orders them: not the order of a thread, not a release store
//! that an acquire load reads, not a lock, a message, a spawn or a join. An execution with a race fails, whatever the
//! values are.
//!
//! What a cell holds is really shared, so each execution runs as a whole ([`Restart::All`](crate::Restart::All)).
//!
//! NOT COVERED. A pointer that is kept when the closure has ended, and what `static mut` or a real `UnsafeCell` do.

use crate::memory::is_rc11;
use crate::memory::spot::Spot;
use crate::sync::server::Place;
use crate::task::Task;
use plainsong_explore::MemoryOrder;
use std::fmt;
use std::panic::Location;

/// A cell whose accesses are checked for data races: see the [module](crate::cell).
pub struct UnsafeCell<T: ?Sized> {
    spot: Option<Spot>,
    value: std::cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// A cell. In pictures it is `cell 1`, `cell 2`, …
    #[track_caller]
    pub fn new(value: T) -> Self {
        Task::insist("UnsafeCell::new");
        if let Some(task) = Task::of_destructor() {
            task.world.needs_a_whole.set(true);
            task.world.locations.needs_rc11.set(true);
        }
        let spot = is_rc11().then(|| {
            let show = |value: u64| value.to_string();
            Spot::new("cell", 0, show, Location::caller())
        });
        UnsafeCell {
            spot,
            value: std::cell::UnsafeCell::new(value),
        }
    }

    /// What it holds.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Reads: the closure may read through the pointer while it runs.
    #[track_caller]
    pub fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        let place = Location::caller();
        let access = |spot: Spot| {
            spot.load(MemoryOrder::Plain, place);
        };
        self.around(access, || read(self.value.get()))
    }

    /// Writes: the closure may read and write through the pointer while it runs.
    #[track_caller]
    pub fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        let place: Place = Location::caller();
        let access = |spot: Spot| spot.store(0, MemoryOrder::Plain, place);
        self.around(access, || write(self.value.get()))
    }

    /// What it holds; nobody else can have the cell.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// An access, and once more at its end if the process did something else meanwhile.
    fn around<R>(&self, access: impl Fn(Spot), body: impl FnOnce() -> R) -> R {
        if let Some(spot) = self.spot {
            access(spot);
        }
        let operations = || Task::running().map_or(0, |task| task.next_operation());
        let before = operations();
        let result = body();
        if let Some(spot) = self.spot
            && operations() != before
        {
            access(spot);
        }
        result
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UnsafeCell")
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    #[track_caller]
    fn default() -> Self {
        UnsafeCell::new(T::default())
    }
}
