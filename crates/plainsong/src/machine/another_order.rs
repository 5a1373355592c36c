//! An execution again, its processes in another order: what they share behind the exploration's back shows.
//!
//! A process is a function of its answers, so any order of the events in which causes come first gives the
//! same execution. Here the first process goes as far as it can, then those that were spawned last, and a
//! process begins only when it has to. Usually it is the other way round: whoever is spawned runs to its
//! first operation at once. If some process does something else now, it knows something that no message told
//! it: a variable that processes share, a real atomic, a real lock.
//!
//! NOT COVERED. Two orders of many are compared. What a process does between two operations is one step, so
//! what another one could do in between (between two sections of a real lock) is never seen.

use super::causality::missing_cause;
use super::{Machine, Step, answer, is_stop};
use crate::determinism_check::Mismatch;
use plainsong_explore::{EventId, Graph, Tid};

impl Machine {
    /// Runs all processes as in the graph, in another order; an error if that makes a difference.
    pub(crate) fn perform_in_another_order(&mut self, graph: &Graph<Self>) -> Result<(), Mismatch> {
        self.perform_lately(graph).map_err(|_| {
            let mismatch = self.world.mismatch.take();
            mismatch.expect("what differs differs somewhere")
        })
    }

    fn perform_lately(&mut self, graph: &Graph<Self>) -> Step {
        self.begin(graph)?;
        self.done.resize(graph.threads(), 0);
        while let Some(id) = self.next_in_another_order(graph) {
            self.done[id.thread as usize] += 1;
            if id.index == 0 && id.thread != 0 {
                self.begin_child(id.thread, graph)?;
            }
            self.perform_alone(id, graph)?;
        }
        Ok(())
    }

    /// The next event of the first process, or else of the last one that has one whose causes are done.
    fn next_in_another_order(&self, graph: &Graph<Self>) -> Option<EventId> {
        let processes = graph.threads() as Tid;
        let is_next = |process: &Tid| {
            let id = self.next_of(*process);
            (id.index as usize) < graph.live(*process)
                && missing_cause(graph, id, &self.done).is_none()
        };
        let mut order = std::iter::once(0).chain((1..processes).rev());
        order.find(is_next).map(|process| self.next_of(process))
    }

    fn next_of(&self, thread: Tid) -> EventId {
        EventId {
            thread,
            index: self.done[thread as usize],
        }
    }

    /// Performs an event; a process that it spawns does not run yet.
    pub(super) fn perform_alone(&mut self, id: EventId, graph: &Graph<Self>) -> Step {
        self.compare(id, graph)?;
        if is_stop(graph, id.thread, id.index as usize) {
            return Ok(());
        }
        self.keep_fresh(id, graph);
        let mut fed = answer(graph, id, false);
        self.refresh(&mut fed, id, graph);
        self.run(id.thread).task.feed.borrow_mut().push(fed);
        self.proceed(id.thread, 1, graph)
    }
}
