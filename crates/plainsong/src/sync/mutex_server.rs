//! The server of a mutex.
//!
//! The value travels: with [`Granted`] to whoever has the lock, back with [`Unlock`]. A free server
//! receives [`Lock`] and [`TryLock`]; a held one [`Unlock`] and [`TryLock`]. So n processes that lock
//! once have n! executions.
//!
//! Over-counted. Several `try_lock` that fail while one process has the lock are explored in every
//! order, though nobody can tell.

use super::server::{Desk, Place, content, protocol, start};
use crate::ghosts::{keep_first, leave_first};
use crate::message::{Envelope, Parcel};
use crate::process::Process;

protocol! {
    /// Wants the lock and waits for [`Granted`].
    Lock {} Deed "lock"
    /// Wants the lock now, and waits for [`Granted`] or [`Busy`].
    TryLock {} Deed "try_lock"
    /// Gives the lock back.
    Unlock<T> {
        /// What the mutex protects from now on.
        pub(crate) value: Parcel<T>,
        /// Was the holder panicking?
        pub(crate) poisons: bool,
    } Deed "unlock"
    /// Takes the poison away.
    Clear {} Deed "clear_poison"
    /// Asks whether the mutex is poisoned; answered by [`Poison`].
    AskPoison {} Deed "is_poisoned"
    /// Is it poisoned?
    Poison { pub(crate) is_poisoned: bool } Plumbing "an answer"
    /// The lock, and what it protects.
    Granted<T> {
        /// What the mutex protects.
        pub(crate) value: Parcel<T>,
        /// Did an earlier holder panic?
        pub(crate) is_poisoned: bool,
    } Grant "locked"
    /// Somebody else has the lock.
    Busy {} Deed "would block"
}

/// Starts the server of a mutex.
pub(crate) fn start_mutex<T: 'static>(
    name: Option<String>,
    value: Parcel<T>,
    made_at: Place,
) -> Process {
    let first = value.clone();
    let server = start("mutex", name, made_at, move |desk| serve(desk, value));
    leave_first(server, &first);
    let granted = Granted {
        value: first,
        is_poisoned: false,
    };
    keep_first(server, granted, made_at);
    server
}

fn serve<T: 'static>(desk: &Desk, mut value: Parcel<T>) {
    let mut is_poisoned = false;
    let (lock, try_lock, unlock) = (
        desk.of::<Lock>(),
        desk.of::<TryLock>(),
        desk.of::<Unlock<T>>(),
    );
    let (clear, ask) = (desk.of::<Clear>(), desk.of::<AskPoison>());
    let free = [lock, try_lock.clone(), clear.clone(), ask.clone()];
    let held = [unlock, try_lock, clear, ask];
    loop {
        let request = desk.next(&free);
        if about_poison(desk, &request, &mut is_poisoned) {
            continue;
        }
        desk.reply(&request, Granted { value, is_poisoned });
        let unlock = until_unlocked::<T>(desk, &held, &mut is_poisoned);
        let unlock = content::<Unlock<T>>(&unlock);
        value = unlock.value.clone();
        is_poisoned |= unlock.poisons;
    }
}

fn until_unlocked<T: 'static>(
    desk: &Desk,
    held: &[crate::pattern::Arm],
    is_poisoned: &mut bool,
) -> std::rc::Rc<Envelope> {
    loop {
        let request = desk.next(held);
        if request.is::<Unlock<T>>() {
            return request;
        }
        if !about_poison(desk, &request, is_poisoned) {
            desk.reply(&request, Busy {});
        }
    }
}

fn about_poison(desk: &Desk, request: &Envelope, is_poisoned: &mut bool) -> bool {
    if request.is::<Clear>() {
        *is_poisoned = false;
    } else if request.is::<AskPoison>() {
        let is_poisoned = *is_poisoned;
        desk.reply(request, Poison { is_poisoned });
    } else {
        return false;
    }
    true
}
