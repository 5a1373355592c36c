//! Programs without an end: which channel fills up, or which variable grows, and what to do next.
//!
//! Where a first look comes to its limit, an execution is looked for in which one channel, or the asyncs of one action,
//! become ever more, or a variable ever larger ([`plainsong_semantics::growth`]). A search to the end is then most likely without one: it stops after
//! [`Effort::growing_states`](crate::effort::Effort::growing_states), unless somebody sets a limit or asks for a thorough answer, and what it leaves unknown names what
//! grows and the bound that makes the search end.

use crate::effort::{LIMIT, Level, STATES_WITHOUT_END};
use crate::engine::Task;
use crate::engines::instances_of;
use plainsong_semantics::growth::{Growing, Growth, growth};
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

/// The task with fewer states, unless somebody says how many. A variable that has been seen to grow may have an end: then more are
/// looked at.
pub(crate) fn limited(mut task: Task, growth: &Growth) -> Task {
    if task.effort.states.is_none() && task.effort.level != Level::Thorough {
        let states = match growth.kind {
            Growing::Pending => task.effort.growing_states,
            Growing::Value { .. } => task.effort.growing_states.max(STATES_WITHOUT_END),
        };
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
        what, count, steps, ..
    } = growth;
    let told = match &growth.kind {
        Growing::Pending => format!(
            "{count} {what} are in flight; \
             `--bound pending={FEW}` searches the states with at most {FEW} messages in flight"
        ),
        Growing::Value {
            constraint,
            is_collection,
        } => {
            let size = match is_collection {
                true => format!("`{what}` has {count} elements"),
                false => format!("`{what}` is {count}"),
            };
            let next = match constraint {
                Some(line) => format!("`{line}` in the song searches the states where it is small"),
                None => "a `constraint` in the song says which states to search".to_owned(),
            };
            format!("{size}; {next}")
        }
    };
    verdict.reason.push_str(&format!(
        "; it may have no end: after {steps} steps, {told}"
    ));
}
