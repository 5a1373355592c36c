//! Executions that have ended: monitors have the last word.
//!
//! An execution has ended when nothing can happen any more and no process gave up. Then every
//! monitor has seen every message that it selects, and is told how the execution ended.

use super::{Watch, gave_up};
use crate::determinism_check::{Mismatch, What};
use crate::execution_text::Story;
use crate::failure::{Failure, FailureKind};
use crate::handled_panics::{Unhandled, unhandled};
use crate::machine::Machine;
use crate::memory::is_decision;
use crate::monitor::{ExecutionEnd, who_waits};
use crate::observer::Outcome;
use crate::panics::{Caught, Detail};
use crate::replay::Guide;
use crate::shared_context::World;
use plainsong_explore::{EventId, Graph, Leaf, Tid};

impl Watch {
    /// Every process has ended.
    pub(super) fn completed(
        &mut self,
        graph: &Graph<Machine>,
        world: &World,
    ) -> Result<(), Mismatch> {
        let objected = self.tell_the_end(graph, world, &ExecutionEnd::Completed)?;
        if objected {
            self.failed += 1;
        } else {
            self.complete += 1;
            self.outcome = Some(Outcome::Completed);
        }
        Ok(())
    }

    /// Was there a panic that nobody has handled, where panics are returned to whoever joins?
    pub(super) fn left_a_panic(
        &mut self,
        graph: &Graph<Machine>,
        leaf: Leaf,
        world: &World,
    ) -> Result<bool, Mismatch> {
        let last = world.last_failure.borrow().clone();
        let failed = match (leaf, &last) {
            (Leaf::Failed(id), Some((_, caught))) => Some((id, caught)),
            (Leaf::Failed(_), None) => return Ok(false),
            _ => None,
        };
        let is_given_up = matches!(leaf, Leaf::Blocked) && gave_up(graph);
        let Some(Unhandled { caught, result }) = unhandled(graph, failed).filter(|_| !is_given_up)
        else {
            return Ok(false);
        };
        self.failed += 1;
        self.outcome = Some(Outcome::Failed(caught.message.clone()));
        let (message, location) = (caught.message, caught.location);
        let failure = Failure::plain(FailureKind::Panic, message.clone(), location);
        if self.is_known(&failure) {
            return Ok(true);
        }
        let machine = self.run_from_scratch(graph, true)?;
        let story = Story::of_panic(graph, &machine, result);
        let race = self.explain(graph, &machine, failed.map(|(id, _)| id));
        let trace = story.trace(&self.shared.settings, FailureKind::Panic, &message);
        self.report(Failure {
            process: Some(machine.world.name(result.thread)),
            picture: story.picture(),
            race,
            events: story.size(graph, &machine),
            trace: Some(trace),
            backtrace: caught.frames,
            ..failure
        });
        Ok(true)
    }

    /// Some processes wait for ever.
    pub(super) fn waits_for_ever(
        &mut self,
        graph: &Graph<Machine>,
        world: &World,
    ) -> Result<(), Mismatch> {
        let is_allowed = self.shared.settings.allow_deadlock;
        if !is_allowed {
            let machine = self.run_from_scratch(graph, true)?;
            if machine.waits_for_the_guide() {
                self.blocked += 1;
                self.outcome = Some(Outcome::Deadlocked);
                return Ok(());
            }
            self.deadlocked(graph, &machine);
        }
        let end = ExecutionEnd::Deadlocked {
            waiting: who_waits(graph),
        };
        let objected = self.tell_the_end(graph, world, &end)?;
        if objected || !is_allowed {
            self.failed += 1;
        } else {
            self.blocked += 1;
            self.outcome = Some(Outcome::Deadlocked);
        }
        Ok(())
    }

    /// Tells the monitors how an execution ended; true if one of them objects.
    fn tell_the_end(
        &mut self,
        graph: &Graph<Machine>,
        world: &World,
        end: &ExecutionEnd,
    ) -> Result<bool, Mismatch> {
        if world.monitors.is_empty() {
            return Ok(false);
        }
        if let Some(guide) = &self.shared.guide
            && !is_followed(guide, graph, world)
            && self.run_from_scratch(graph, false)?.waits_for_the_guide()
        {
            // It did not end: some process was kept from what it could have received.
            return Ok(false);
        }
        self.told_the_end = true;
        let objections = world.monitors.end(graph, end, Detail::Place);
        if let Some((_, caught)) = objections.first() {
            self.outcome = Some(Outcome::Failed(caught.message.clone()));
        }
        for (process, caught) in &objections {
            self.objected(graph, end, *process, caught)?;
        }
        Ok(!objections.is_empty())
    }

    /// Reports what a monitor said at the end, if it says it again.
    fn objected(
        &self,
        graph: &Graph<Machine>,
        end: &ExecutionEnd,
        process: Tid,
        caught: &Caught,
    ) -> Result<(), Mismatch> {
        let (message, location) = (caught.message.clone(), caught.location.clone());
        if self.is_known(&Failure::plain(FailureKind::Panic, message, location)) {
            return Ok(());
        }
        let machine = self.run_from_scratch(graph, true)?;
        let again = machine.world.monitors.end(graph, end, Detail::Frames);
        let again = again.into_iter().find(|again| again.0 == process);
        let Some((_, again)) = again.filter(|again| again.1.is_like(caught)) else {
            return Err(Mismatch {
                process: machine.world.name(process),
                index: graph.live(process),
                before: caught.to_string(),
                now: What::End.to_string(),
            });
        };
        let story = Story::of_end(graph, &machine, process);
        let trace = story.trace(&self.shared.settings, FailureKind::Panic, &again.message);
        self.report(Failure {
            process: Some(machine.world.name(process)),
            picture: story.picture(),
            race: self.explain(graph, &machine, None),
            events: story.size(graph, &machine),
            trace: Some(trace.at_the_end()),
            backtrace: again.frames,
            ..Failure::plain(FailureKind::Panic, again.message, again.location)
        });
        Ok(())
    }
}

/// Has every process come to the end of what the guide says? Then nobody waits for it.
fn is_followed(guide: &Guide, graph: &Graph<Machine>, world: &World) -> bool {
    let decided = |process: &String| {
        let is_its_decision =
            |&&id: &&EventId| is_decision(graph, id) && world.full_name(id.thread) == *process;
        graph.order().iter().filter(is_its_decision).count()
    };
    guide
        .decisions
        .iter()
        .all(|(process, decisions)| decided(process) >= decisions.len())
}
