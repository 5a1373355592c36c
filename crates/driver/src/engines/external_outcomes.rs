//! The instances of a task one after the other, and more of them where runs call external functions.
//!
//! An instance whose runs come to calls about which nothing is decided is none that says anything yet: it is looked at
//! again in each way to decide them ([`plainsong_semantics::outcomes`]). What was refuted before a run came to such a
//! call is refuted: there is an implementation that returns what was decided. The limit on states is one for all
//! instances that one becomes.

use super::bounds::Bound;
use super::explicit_state::instances_of;
use crate::Problem;
use crate::effort::LIMIT;
use crate::engine::Task;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::outcomes::{is_split, split, undecided};
use plainsong_semantics::sizes::Sizes;
use plainsong_semantics::verdict::{Outcome, Verdict};

/// The instances that are still to be looked at.
pub(super) struct Instances {
    /// The next one last.
    open: Vec<Instance>,
    /// What may still be seen of the instances that one becomes.
    left: u64,
    limit: u64,
    subject: Subject,
}

/// What the visit to an instance came to.
pub(super) enum Visited {
    /// It says what it says.
    Whole,
    /// It asked for outcomes, and others are looked at in its place. Only what it refutes counts.
    Divided,
    /// It asked for outcomes, and is not looked at any further for this reason. Only what it refutes counts.
    Open(String),
}

impl Visited {
    /// A verdict about the instance, as far as it counts. What is refuted names the outcomes.
    pub(super) fn judged(&self, mut verdict: Verdict, instance: &Instance) -> Option<Verdict> {
        if verdict.outcome == Outcome::Refuted {
            verdict.bound = instance.bound();
            return Some(verdict);
        }
        match self {
            Visited::Whole => Some(verdict),
            Visited::Divided => None,
            Visited::Open(why) => {
                verdict.outcome = Outcome::Unknown;
                verdict.reason.clone_from(why);
                Some(verdict)
            }
        }
    }
}

impl Instances {
    /// All that a task has at some sizes.
    pub(super) fn new(task: &Task, sizes: &Sizes) -> Result<Self, Problem> {
        let instances = instances_of(task, sizes)?;
        Ok(Instances {
            open: instances.into_iter().rev().map(undecided).collect(),
            left: task.limits.states,
            limit: task.limits.states,
            subject: task.subject,
        })
    }

    /// What came of the visit to an instance in which so much was seen.
    pub(super) fn visited(&mut self, instance: &Instance, seen: u64) -> Visited {
        if !is_split(instance) {
            return Visited::Whole;
        }
        self.left = self.left.saturating_sub(seen.max(1));
        // Each of those that it becomes is at least one state.
        match split(&Machine::new(instance, self.subject), self.left.max(1)) {
            Ok(None) => Visited::Whole,
            Ok(Some(_)) if self.left == 0 => Visited::Open(format!(
                "{LIMIT}: --bound states={}, for all outcomes of external functions together",
                self.limit
            )),
            Ok(Some(more)) => {
                self.open.extend(more.into_iter().rev());
                Visited::Divided
            }
            Err(why) => Visited::Open(why),
        }
    }
}

impl Iterator for Instances {
    type Item = Instance;

    fn next(&mut self) -> Option<Instance> {
        self.open.pop()
    }
}

/// The bound of what holds in an instance: every outcome is looked at, so none is named.
pub(super) fn without_outcomes(instance: &Instance) -> Bound {
    let mut bound = instance.bound();
    if let Some(outcomes) = bound.get_mut("external").filter(|_| is_split(instance)) {
        *outcomes = "any".to_owned();
    }
    bound
}
