//! Monitors in the machine: processes that have no code of their own.
//!
//! A monitor receives, and that is all it does. What its methods make of the messages is kept in the
//! [shared context](crate::shared_context); here it is asked for where a process would run.

use super::{Broken, Machine, Step, answers};
use crate::determinism_check::What;
use crate::explorer::Restart;
use crate::panics::Detail;
use crate::replay::Sight;
use crate::task::Operation;
use plainsong_explore::{EventId, Graph, Kind, Op, Tid, Want};
use std::rc::Rc;

impl Machine {
    /// The next operation of a monitor: it receives, unless it has failed.
    pub(super) fn observe(&mut self, process: Tid, graph: &Graph<Self>) -> Operation {
        if self.restart == Restart::All && self.perform_together(graph).is_err() {
            return Op::Block;
        }
        if self.show(process, answers(graph, process), graph) {
            self.look_out(process)
        } else {
            Op::Fail
        }
    }

    /// Shows a monitor the first `known` messages that it received; false if it fails.
    fn show(&self, process: Tid, known: usize, graph: &Graph<Self>) -> bool {
        let detail = match self.world.takes_notes {
            true => Detail::Frames,
            false => Detail::Place,
        };
        let monitor = self.world.monitors.of(process);
        let failed = monitor.and_then(|monitor| monitor.catch_up(known, graph, detail));
        let is_fine = failed.is_none();
        if let Some(caught) = failed {
            self.world.last_failure.replace(Some((process, caught)));
        }
        is_fine
    }

    /// What a monitor waits for: anything, but in a replay what it is told.
    fn look_out(&self, process: Tid) -> Operation {
        let monitor = self.world.monitors.of(process);
        let monitor = monitor.expect("the process is a monitor");
        let pattern = match &self.world.guide {
            None => monitor.pattern(),
            Some(guide) => match guide.monitor(&self.world.full_name(process), monitor.seen()) {
                None => return Op::Block,
                Some(Sight::Anything) => monitor.pattern(),
                Some(Sight::Only(wanted)) => {
                    let mut pattern = monitor.new_pattern();
                    pattern.only = Some(vec![wanted]);
                    Rc::new(pattern)
                }
            },
        };
        Op::Receive {
            pattern,
            want: Want::One,
        }
    }

    /// In a replay: does some monitor wait for a message that the trace wants and nobody sends?
    pub(super) fn a_monitor_waits_for_the_guide(&self) -> bool {
        let Some(guide) = &self.world.guide else {
            return false;
        };
        self.world.monitors.iter().any(|monitor| {
            let name = self.world.full_name(monitor.process);
            let sight = guide.monitor(&name, monitor.seen());
            matches!(sight, Some(Sight::Only(_)))
        })
    }

    /// Performs an event of a monitor again, and compares.
    pub(super) fn see(&mut self, id: EventId, graph: &Graph<Self>) -> Step {
        let (process, index) = (id.thread, id.index as usize);
        let has_failed = !self.show(process, index, graph);
        let should_have = matches!(graph.event(id).kind, Kind::Fail);
        if has_failed != should_have {
            return Err(self.disagrees(id, should_have));
        }
        if matches!(graph.event(id).kind, Kind::Receive { .. }) {
            self.show(process, index + 1, graph);
        }
        Ok(())
    }

    /// Did no monitor fail at its last message, unless that is what happened?
    pub(super) fn monitors_agree(&self, graph: &Graph<Self>) -> bool {
        let fails_now = |monitor: &&crate::monitor::Observer| {
            monitor.has_failed() && graph.live(monitor.process) == monitor.received(graph)
        };
        let Some(monitor) = self.world.monitors.iter().find(fails_now) else {
            return true;
        };
        let thread = monitor.process;
        let index = graph.live(thread) as u32;
        self.disagrees(EventId { thread, index }, false);
        false
    }

    fn disagrees(&self, id: EventId, failed_before: bool) -> Broken {
        let calm = What::Receive.to_string();
        let panic = match &*self.world.last_failure.borrow() {
            Some((failed, caught)) if *failed == id.thread => caught.to_string(),
            _ => What::Fail.to_string(),
        };
        let (before, now) = match failed_before {
            true => (panic, calm),
            false => (calm, panic),
        };
        self.broken(id.thread, id.index as usize, &before, &now)
    }
}
