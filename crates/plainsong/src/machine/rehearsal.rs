//! The cheap second run of an execution: the same code again, many events at a time.
//!
//! What [`lockstep`](super::lockstep) does for each event (switch to the process, build its operation,
//! compare) is done here once for all events of a process that follow each other in the execution. Between
//! them the process runs on what it is fed; its operations are compared with their fingerprints, and
//! what it sends with what was sent before.
//!
//! Why that is enough. The code runs in the same order as in lockstep, with the same answers: events that
//! are fed together follow each other, nobody else runs between them there either, and after a spawn
//! the child has its turn. A fingerprint has all that lockstep compares but the value sent, and that is
//! compared too. So the rehearsal sees every difference that lockstep would see.
//!
//! NOT COVERED. Monitors, replays, executions in which some cause was inserted after its effect, and
//! processes of which some fingerprint was lost because the search came back to what they did long ago:
//! those are for lockstep.

use super::causality::is_causal;
use super::{Broken, Machine, Step, answer, is_stop};
use crate::determinism_check::Mismatch;
use crate::shared_context::World;
use plainsong_explore::{EventId, Graph, Kind, Tid};
use std::rc::Weak;

/// Is this a case for a rehearsal?
enum Covered {
    Yes,
    No,
}

impl Machine {
    /// Runs all processes again as they ran in the world before; none if this is a case for lockstep.
    pub(crate) fn rehearse(
        &mut self,
        graph: &Graph<Self>,
        before: &World,
    ) -> Option<Result<(), Mismatch>> {
        let is_covered = self.world.monitors.is_empty()
            && self.world.guide.is_none()
            && self.expect_prints(graph, before);
        match is_covered.then(|| self.rehearse_all(graph))? {
            Ok(Covered::Yes) => Some(Ok(())),
            Ok(Covered::No) => None,
            Err(Broken) => {
                let mismatch = self.world.mismatch.take();
                Some(Err(mismatch.expect("what differs differs somewhere")))
            }
        }
    }

    /// Has each process compared with what it did before; false if that is not known of some.
    fn expect_prints(&mut self, graph: &Graph<Self>, before: &World) -> bool {
        let records = before.records.borrow();
        (0..graph.threads()).all(|process| {
            let Some(record) = records.get(process).and_then(Weak::upgrade) else {
                return false;
            };
            let known = record.sure_prints();
            let own = &self.entry(process as Tid).record;
            own.prints.borrow_mut().extend_from_slice(&known);
            known.len() >= graph.live(process as Tid)
        })
    }

    fn rehearse_all(&mut self, graph: &Graph<Self>) -> Step<Covered> {
        if !is_causal(graph) {
            return Ok(Covered::No);
        }
        self.begin(graph)?;
        self.done.resize(graph.threads(), 0);
        let mut rest = graph.order();
        while !rest.is_empty() {
            let together = self.count_together(rest, graph);
            let (events, later) = rest.split_at(together);
            self.rehearse_together(events, graph)?;
            rest = later;
        }
        Ok(Covered::Yes)
    }

    /// How many of the first events can be fed together: those of one process up to a spawn, a stop, or a
    /// message that is not there before.
    fn count_together(&self, events: &[EventId], graph: &Graph<Self>) -> usize {
        let first = events[0];
        let is_fed_with = |id: EventId| {
            let event = graph.event(id);
            let is_there = |send: EventId| send.index < self.done[send.thread as usize];
            id.thread == first.thread
                && !is_stop(graph, id.thread, id.index as usize)
                && event.reads().all(is_there)
                && !matches!(event.kind, Kind::Join { .. })
        };
        let ends = |id: EventId| {
            matches!(graph.event(id).kind, Kind::Spawn { .. })
                || is_stop(graph, id.thread, id.index as usize)
        };
        let pairs = events.windows(2);
        1 + pairs
            .take_while(|pair| !ends(pair[0]) && is_fed_with(pair[1]))
            .count()
    }

    /// Performs events of one process: the first is what it stopped at, the others it comes to.
    fn rehearse_together(&mut self, events: &[EventId], graph: &Graph<Self>) -> Step {
        let process = events[0].thread;
        self.done[process as usize] += events.len() as u32;
        self.compare(events[0], graph)?;
        if is_stop(graph, process, events[0].index as usize) {
            return Ok(());
        }
        self.keep_fresh(events[0], graph);
        for &id in events.iter().rev() {
            let mut fed = answer(graph, id, true);
            self.refresh(&mut fed, id, graph);
            self.run(process).task.feed.borrow_mut().push(fed);
        }
        self.proceed(process, events.len(), graph)?;
        self.keep_resent(process);
        match graph.event(events[events.len() - 1]).kind {
            Kind::Spawn { thread, .. } => self.begin_child(thread, graph),
            _ => Ok(()),
        }
    }

    /// Remembers what a process sent on what it was fed.
    fn keep_resent(&mut self, process: Tid) {
        let resent = self.run(process).task.resent.take();
        for (index, message) in resent {
            self.keep_message(
                EventId {
                    thread: process,
                    index,
                },
                message,
            );
        }
    }
}
