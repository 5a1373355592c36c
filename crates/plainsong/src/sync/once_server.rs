//! The server of something that is done once.
//!
//! The first [`Begin`] is told to do it; others wait until the [`Finish`], unless it was done.
//!
//! Over-counted. Processes that come when it is done are explored in every order, though nobody can
//! tell.

use super::server::{Desk, Place, content, protocol, start};
use crate::process::Process;

protocol! {
    /// Wants it done; answered by [`GoAhead`] when nobody is at it.
    Begin {} Deed "call_once"
    /// It was done, or the process panicked.
    Finish { pub(crate) poisons: bool } Deed "done"
    /// Asks whether it was done; answered by [`GoAhead`].
    Ask {} Deed "is_completed"
    /// How it stands.
    GoAhead { pub(crate) state: State } Grant "go ahead"
}

/// How it stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// It was not done.
    New,
    /// It was done.
    Done,
    /// Somebody panicked who did it.
    Poisoned,
}

/// Starts the server of something that is done once.
pub(crate) fn start_once(made_at: Place) -> Process {
    start("once", None, made_at, serve)
}

fn serve(desk: &Desk) {
    let mut state = State::New;
    loop {
        let request = desk.next(&[desk.of::<Begin>(), desk.of::<Ask>()]);
        desk.reply(&request, GoAhead { state });
        if request.is::<Begin>() && state == State::New {
            state = until_finished(desk);
        }
    }
}

fn until_finished(desk: &Desk) -> State {
    loop {
        let request = desk.next(&[desk.of::<Finish>(), desk.of::<Ask>()]);
        if request.is::<Finish>() {
            return match content::<Finish>(&request).poisons {
                true => State::Poisoned,
                false => State::Done,
            };
        }
        let state = State::New;
        desk.reply(&request, GoAhead { state });
    }
}
