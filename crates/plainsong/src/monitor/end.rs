//! How an execution ended, as monitors are told.

use crate::machine::Machine;
use crate::process::Process;
use plainsong_explore::{EventId, Graph, Kind, Tid};

/// How an execution ended: see [`Monitor::on_end`](crate::Monitor::on_end).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecutionEnd {
    /// Every process has ended, or is a daemon.
    Completed,
    /// Some processes wait for ever.
    Deadlocked {
        /// Which.
        waiting: Vec<Process>,
    },
}

/// The processes that wait for ever when nothing can happen any more.
pub(crate) fn who_waits(graph: &Graph<Machine>) -> Vec<Process> {
    let has_ended = |process: Tid| {
        graph.live(process).checked_sub(1).is_some_and(|last| {
            let id = EventId {
                thread: process,
                index: last as u32,
            };
            matches!(graph.event(id).kind, Kind::End)
        })
    };
    (0..graph.threads() as Tid)
        .filter(|&process| {
            graph.exists(process) && !graph.is_daemon(process) && !has_ended(process)
        })
        .map(Process)
        .collect()
}
