//! Something that is done once, as in `std`.

use super::once_server::{Ask, Begin, Finish, GoAhead, State, start_once};
use super::server::{Place, answer_or, content, tell, tell_soon};
use crate::process::Process;
use crate::task::Task;
use std::fmt;
use std::panic::Location;

/// Something that is done once, as [`std::sync::Once`].
///
/// ```
/// use plainsong::sync::{Arc, Mutex, Once};
/// use plainsong::thread;
///
/// plainsong::explore(|| {
///     let shared = Arc::new((Once::new(), Mutex::new(0)));
///     let threads = [1, 2].map(|_| {
///         let shared = Arc::clone(&shared);
///         thread::spawn(move || shared.0.call_once(|| *shared.1.lock().unwrap() += 1))
///     });
///     for thread in threads {
///         thread.join().unwrap();
///     }
///     assert!(shared.0.is_completed());
///     assert_eq!(*shared.1.lock().unwrap(), 1);
/// })
/// .assert_holds();
/// ```
pub struct Once {
    server: Process,
}

impl Once {
    /// Nothing was done yet. In pictures it is `once 1`, `once 2`, …
    #[expect(clippy::new_without_default, reason = "as in std")]
    #[track_caller]
    pub fn new() -> Self {
        Task::insist("Once::new");
        let server = start_once(Location::caller());
        Once { server }
    }

    /// Does it, unless it was done already; waits if somebody else is at it.
    ///
    /// # Panics
    ///
    /// When somebody panicked who did it before, and the panic was caught.
    #[track_caller]
    pub fn call_once(&self, deed: impl FnOnce()) {
        let place = Location::caller();
        tell(self.server, Begin {}, place);
        match self.state(place) {
            State::New => {
                let _finish = Finishing(self.server, place);
                deed();
            }
            State::Done => {}
            State::Poisoned => panic!("Once instance has previously been poisoned"),
        }
    }

    /// Was it done?
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        let place = Location::caller();
        tell(self.server, Ask {}, place);
        self.state(place) == State::Done
    }

    fn state(&self, place: Place) -> State {
        let new = GoAhead { state: State::New };
        content::<GoAhead>(&answer_or(self.server, "", new, place)).state
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Once({})", self.server)
    }
}

/// Says that it was done, also when that ended in a panic.
struct Finishing(Process, Place);

impl Drop for Finishing {
    fn drop(&mut self) {
        let poisons = std::thread::panicking();
        tell_soon(self.0, Finish { poisons }, self.1);
    }
}
