//! A barrier as in `std`.

use super::barrier_server::{Arrive, GoOn, start_barrier};
use super::server::{answer_or, content, tell};
use crate::process::Process;
use crate::task::Task;
use std::fmt;
use std::panic::Location;

/// A barrier as [`std::sync::Barrier`]: processes wait until there are enough.
///
/// ```
/// use plainsong::sync::{Arc, Barrier};
/// use plainsong::thread;
///
/// plainsong::explore(|| {
///     let barrier = Arc::new(Barrier::new(2));
///     let other = Arc::clone(&barrier);
///     let other = thread::spawn(move || other.wait().is_leader());
///     assert_ne!(barrier.wait().is_leader(), other.join().unwrap());
/// })
/// .assert_holds();
/// ```
pub struct Barrier {
    server: Process,
}

impl Barrier {
    /// A barrier for so many processes. In pictures it is `barrier 1`, `barrier 2`, …
    #[track_caller]
    pub fn new(size: usize) -> Self {
        Task::insist("Barrier::new");
        let server = start_barrier(size, Location::caller());
        Barrier { server }
    }

    /// Waits until enough have come. The last is the leader.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        let place = Location::caller();
        tell(self.server, Arrive {}, place);
        let is_leader = false;
        let answer = answer_or(self.server, "others at ", GoOn { is_leader }, place);
        BarrierWaitResult(content::<GoOn>(&answer).is_leader)
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Barrier({})", self.server)
    }
}

/// What a process is told at a [`Barrier`]: see [`std::sync::BarrierWaitResult`].
#[derive(Debug)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// Is it the one of them that is the leader?
    pub fn is_leader(&self) -> bool {
        self.0
    }
}
