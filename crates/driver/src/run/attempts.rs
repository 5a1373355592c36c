//! One engine at work on one task, within the limits: on a thread of its own ([`crate::worker`]), begun now or ahead of its
//! turn ([`super::ahead`]).

use super::Runner;
use crate::contain::Crash;
use crate::endless::{limited, what_grows};
use crate::engine::{EngineReport, Task};
use crate::left_behind::{found_before, left_behind};
use crate::memory::at_most;
use crate::plan::PlannedTask;
use crate::resume::Ledger;
use crate::watch::{Allowance, Observer, Overseer, Stage, Stop};
use crate::window_ends::mind_windows;
use crate::worker::{Control, Ended, within_unless};
use crate::{Engine, Problem};
use plainsong_semantics::growth::Growth;
use plainsong_semantics::verdict::Outcome;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// What grows without end, once somebody has looked.
#[derive(Clone, Debug, Default)]
pub(super) struct Grown(Arc<OnceLock<Option<Growth>>>);

impl Grown {
    pub(super) fn get(&self) -> Option<&Growth> {
        self.0.get()?.as_ref()
    }
}

/// What an engine leaves: its report, why it was stopped, and what it entered for later runs.
pub(super) type Worked = (Result<EngineReport, Problem>, Option<Stop>, Option<Ledger>);

/// Work that can be done on any thread.
pub(super) type Work = Box<dyn FnOnce(&mut dyn Observer) -> Worked + Send>;

/// Work with what decides how long it goes on.
pub(super) struct Prepared {
    pub(super) work: Work,
    pub(super) control: Control,
    pub(super) grown: Grown,
}

impl Runner<'_, '_> {
    /// What the user allows.
    fn allowance(&self) -> Allowance {
        Allowance {
            time: self.supervision.timeout,
            share: self.most,
            memory: self.supervision.memory,
        }
    }

    pub(super) fn prepared(&self, engine: &'static dyn Engine, task: &Task) -> Prepared {
        let questions = task.questions.iter();
        let stage = Stage {
            file: self.source.name.clone(),
            properties: questions.map(|question| question.name.clone()).collect(),
            engine: engine.name(),
            part: self.plan.is_in_parts.then_some(self.part),
            ..Stage::default()
        };
        let timeout = self.most;
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let memory = self.supervision.memory.map(at_most);
        let control = Control::new(self.supervision.interrupt, deadline, memory);
        let allowance = self.allowance();
        let mut ledger = self.supervision.ledger.as_deref().cloned();
        let grown = Grown::default();
        let work = {
            let (task, control, grown) = (task.clone(), control.clone(), grown.clone());
            move |observer: &mut dyn Observer| {
                let task = match task.is_limited_by_growth {
                    true => match grown.0.get_or_init(|| what_grows(&task)) {
                        Some(growth) => limited(task, growth),
                        None => task,
                    },
                    false => task,
                };
                let mut overseer = Overseer::controlled(stage, timeout, control, observer);
                overseer.allowance = allowance;
                overseer.ledger = ledger.as_mut();
                let mut report = engine.run(&task, &mut overseer);
                if let Ok(report) = &mut report {
                    mind_windows(&task, report, &mut overseer);
                }
                let stopped = overseer.stopped();
                (report, stopped, ledger)
            }
        };
        Prepared {
            work: Box::new(work),
            control,
            grown,
        }
    }

    pub(super) fn attempt(
        &mut self,
        planned: &PlannedTask,
        task: &Task,
    ) -> Result<Result<EngineReport, Problem>, Crash> {
        let before = task.proof.caching.hits();
        let deadline = self.most;
        let begun = self.ahead.as_mut();
        let begun = begun.and_then(|ahead| ahead.take(planned.engine.name(), task));
        let (ended, control, grown) = match begun {
            Some(begun) => {
                let deadline = deadline.and_then(|most| Instant::now().checked_add(most));
                begun.control.set_deadline(deadline);
                let ended = begun.wait(self.supervision.observer);
                (ended, begun.control, begun.grown)
            }
            None => {
                let Prepared {
                    work,
                    control,
                    grown,
                } = self.prepared(planned.engine, task);
                let ahead = self.ahead.as_ref();
                let is_moot = || ahead.is_some_and(|ahead| ahead.refutes(&task.questions));
                let ended = within_unless(&control, self.supervision.observer, &is_moot, work);
                (ended, control, grown)
            }
        };
        self.grown = grown;
        self.cached = task.proof.caching.hits().saturating_sub(before);
        self.stopped = None;
        let result = match ended {
            Ended::Done(Err(crash)) => return Err(crash),
            Ended::Done(Ok((report, stopped, ledger))) => {
                self.stopped = stopped;
                let kept = self.supervision.ledger.as_deref_mut();
                if let (Some(kept), Some(found)) = (kept, ledger) {
                    *kept = found;
                }
                report
            }
            Ended::LeftBehind(stop, news) => {
                self.stopped = Some(stop);
                let limit = self.allowance().limit(stop);
                let limit = (&*limit.0, limit.1);
                let report = left_behind(task, planned.engine.name(), limit, news);
                let mut report = found_before(task, report, &control);
                for verdict in &mut report.verdicts {
                    let mut proved = control.proved().into_iter();
                    let proof = proved.find(|one| one.property == verdict.property);
                    if let (Some(proof), Outcome::Unknown) = (proof, verdict.outcome) {
                        *verdict = proof;
                    }
                }
                Ok(report)
            }
        };
        if self.stopped.is_some_and(|stop| stop != Stop::Moot) {
            let at = task.questions.first().map(|question| question.name.clone());
            self.spent = Some((planned.engine.name(), at.unwrap_or_default()));
        }
        Ok(result)
    }
}
