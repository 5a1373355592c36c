//! The server of a barrier: it lets processes go when enough have come.
//!
//! Over-counted. n processes come in n! orders, of which people can tell n apart: who was the last.

use super::server::{Place, protocol, start};
use crate::message::Envelope;
use crate::process::Process;
use std::rc::Rc;

protocol! {
    /// The sender waits at the barrier for [`GoOn`].
    Arrive {} Deed "wait"
    /// Enough have come.
    GoOn { pub(crate) is_leader: bool } Plumbing "go on"
}

/// Starts the server of a barrier for so many processes.
pub(crate) fn start_barrier(size: usize, made_at: Place) -> Process {
    start("barrier", None, made_at, move |desk| {
        loop {
            let arrive = [desk.of::<Arrive>()];
            let arrivals: Vec<Rc<Envelope>> =
                (0..size.max(1)).map(|_| desk.next(&arrive)).collect();
            for (place, arrival) in arrivals.iter().enumerate() {
                let is_leader = place + 1 == arrivals.len();
                desk.reply(arrival, GoOn { is_leader });
            }
        }
    })
}
