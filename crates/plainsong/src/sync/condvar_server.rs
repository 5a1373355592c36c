//! The server of a condition variable: who waits.
//!
//! A waiting process has given up its mutex *after* it sent [`Wait`], so whoever notifies with the
//! mutex locked comes later at this server too. A notification that finds nobody is lost. One for a
//! single process chooses among those that wait; each choice is explored.
//!
//! A wait with a timeout sends a [`TimeUp`] when it has begun. If the server reads that first, the time
//! was over first.
//!
//! Over-counted. Notifications by several processes that do not hold the mutex are explored in every
//! order, also when nobody waits.

use super::server::{Desk, Place, content, protocol, start};
use crate::choice::choose;
use crate::message::Envelope;
use crate::process::Process;
use std::rc::Rc;

protocol! {
    /// The sender waits until it gets [`Woken`] or [`TimedOut`].
    Wait { pub(crate) ticket: u32 } Deed "wait"
    /// The time of a wait is over.
    TimeUp { pub(crate) ticket: u32 } Plumbing "time is up"
    /// Wakes one that waits.
    NotifyOne {} Deed "notify_one"
    /// Wakes all that wait.
    NotifyAll {} Deed "notify_all"
    /// The end of a wait.
    Woken {} Deed "wake up"
    /// The end of a wait that was too long.
    TimedOut {} Deed "timeout"
}

/// Starts the server of a condition variable.
pub(crate) fn start_condvar(name: Option<String>, made_at: Place) -> Process {
    start("condvar", name, made_at, serve)
}

fn serve(desk: &Desk) {
    let mut waiting: Vec<Rc<Envelope>> = Vec::new();
    loop {
        let known: Vec<_> = waiting.iter().map(|wait| waiter(wait)).collect();
        let mut arms = vec![
            desk.of::<Wait>(),
            desk.of::<NotifyOne>(),
            desk.of::<NotifyAll>(),
        ];
        if !known.is_empty() {
            let is_it = move |up: &TimeUp, from| known.contains(&(from, up.ticket));
            arms.push(desk.of_those(is_it));
        }
        let request = desk.next(&arms);
        if request.is::<Wait>() {
            waiting.push(request);
        } else if request.is::<NotifyAll>() {
            for wait in waiting.drain(..) {
                desk.reply(&wait, Woken {});
            }
        } else if request.is::<NotifyOne>() {
            if let Some(chosen) = one_of(&waiting) {
                desk.reply(&waiting.remove(chosen), Woken {});
            }
        } else {
            let late = (request.info.from, content::<TimeUp>(&request).ticket);
            waiting.retain(|wait| waiter(wait) != late);
            desk.reply(&request, TimedOut {});
        }
    }
}

/// Who sent a [`Wait`], and which.
fn waiter(wait: &Envelope) -> (Process, u32) {
    (wait.info.from, content::<Wait>(wait).ticket)
}

fn one_of(waiting: &[Rc<Envelope>]) -> Option<usize> {
    match waiting.len() {
        0 | 1 => waiting.len().checked_sub(1),
        _ => {
            let names = waiting.iter().map(|wait| wait.info.from);
            let chosen = choose(names);
            waiting.iter().position(|wait| wait.info.from == chosen)
        }
    }
}
