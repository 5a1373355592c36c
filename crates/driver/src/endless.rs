//! Programs without an end: which channel fills up, and what to type next.
//!
//! Where a first look comes to its limit, an execution is looked for in which one channel, or the asyncs of one action,
//! become ever more ([`plainsong_semantics::growth`]). A search to the end is then most likely without one: it stops after
//! [`Effort::growing_states`](crate::effort::Effort::growing_states), unless somebody sets a limit or asks for a thorough answer, and what it leaves unknown names what
//! grows and the bound that makes the search end.

use crate::effort::{LIMIT, Level};
use crate::engine::Task;
use crate::engines::instances_of;
use plainsong_semantics::growth::{Growth, growth};
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::verdict::{Outcome, Verdict};

/// The bound that is proposed.
const FEW: u64 = 3;

/// What grows in the first instance of a task, if nobody has bounded it.
pub(crate) fn what_grows(task: &Task) -> Option<Growth> {
    if task.subject != Subject::System || task.bounds.pending.is_some() {
        return None;
    }
    let instances = instances_of(task, task.sizes.first()?).ok()?;
    growth(&Machine::new(instances.first()?, task.subject))
}

/// The task with fewer states, unless somebody says how many.
pub(crate) fn limited(mut task: Task) -> Task {
    if task.effort.states.is_none() && task.effort.level != Level::Thorough {
        let states = task.effort.growing_states;
        task.effort.states = Some(states);
        task.limits.states = states;
    }
    task
}

/// Says what grows where a limit left something unknown, and what to do about it.
pub(crate) fn diagnose(verdict: &mut Verdict, growth: &Growth) {
    if verdict.outcome != Outcome::Unknown || !verdict.reason.contains(LIMIT) {
        return;
    }
    let Growth {
        what,
        pending,
        steps,
    } = growth;
    verdict.reason.push_str(&format!(
        "; it may have no end: after {steps} steps, {pending} {what} are in flight; \
         `--bound pending={FEW}` searches the states with at most {FEW} messages in flight"
    ));
}
