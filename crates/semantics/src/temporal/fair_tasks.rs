//! Fair tasks: who is owed what. Each step takes some tasks; who could be taken in a state is enabled there.
//!
//! | task | enabled | taken |
//! |---|---|---|
//! | a process with a body | it has a step: a send, a receive, a time-out | by any step of it |
//! | a message, by name, sender, receiver and payload | its receiver can take it now | by that receive |
//! | a pending async, by action and arguments | its action is not blocked | by running it |
//! | an action that is always on offer, by its arguments | likewise | likewise |
//! | an endpoint of a choreography | it has a step | by any step of it |
//!
//! Nobody is owed a fault. Steps count as taken, not changes of state: a handler that sends its own message again has
//! served it.
//!
//! *Instances and kinds.* A message is ignored when this one waits for ever. Equal ones are told apart by nobody, so the
//! question is put to the kind: is it enabled infinitely often and neither taken nor *gone* (lost, or dropped by a
//! crash) infinitely often? A kind that is gone again and again is not ignored, for none of its instances waits for
//! ever; whoever forgets that makes every lossy link fair.

use crate::idle::Task;
use crate::machine::{Config, Form, Machine, Outcome, Status, Step, Taken};
use crate::trace::EventKind;
use plainsong_ir::{Body, DeclaredFairness, Fairness};

/// Somebody who is owed a step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FairTask {
    /// A process with a body or an endpoint, by its lane.
    Process(usize),
    /// A message on its way.
    Message(Task),
    /// A pending async.
    Async(Task),
    /// An action that is always on offer.
    Offer(Task),
}

/// How much is owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// It is not enabled from some point on in every state and never taken (justice).
    Weak,
    /// It is not enabled infinitely often and taken finitely often (compassion).
    Strong,
}

/// What a step does for tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TasksOfStep {
    /// These are taken.
    pub taken: Vec<FairTask>,
    /// These messages are no more.
    pub gone: Vec<FairTask>,
}

impl Machine {
    /// What is owed to a task: what a level of fairness says, and what is declared beyond it.
    pub fn owed(&self, task: &FairTask, level: Fairness) -> Option<Strength> {
        let by_level = match (level, task) {
            (Fairness::None, _) => return None,
            (Fairness::Standard, FairTask::Message(_)) | (Fairness::Strong, _) => Strength::Strong,
            (Fairness::Weak | Fairness::Standard, _) => Strength::Weak,
        };
        let declared = match task {
            FairTask::Process(lane) => self.declared_of(*lane),
            // What a process is not owed its messages are not, either.
            FairTask::Message(message) => {
                let receiver = message.receiver().and_then(|lane| self.declared_of(lane));
                receiver.filter(|declared| *declared == DeclaredFairness::Unfair)
            }
            FairTask::Async(one) | FairTask::Offer(one) => self.declared_of_action(one.kind()),
        };
        match declared {
            Some(DeclaredFairness::Unfair) => None,
            Some(DeclaredFairness::Strong) => Some(Strength::Strong),
            Some(DeclaredFairness::Weak) | None => Some(by_level),
        }
    }

    /// May an execution end in `config`, where these are the steps? Nothing is possible but faults and what is declared
    /// `unfair`: nobody can count on either.
    pub fn may_end(&self, config: &Config, steps: &[Step]) -> bool {
        match self.status_given(config, steps) {
            Status::Final | Status::Deadlock(_) => true,
            Status::Discarded => false,
            Status::Running => {
                let possible = steps.iter().filter(|step| {
                    !step.kind.is_fault() && !matches!(step.outcome, Outcome::Discarded)
                });
                possible.into_iter().all(|step| self.is_unfair(step))
            }
        }
    }

    fn is_unfair(&self, step: &Step) -> bool {
        let declared = match (&step.taken, step.lane) {
            (Some(Taken::Async(one) | Taken::Offer(one)), _) => {
                self.declared_of_action(one.action.index())
            }
            (_, Some(lane)) => self.declared_of(lane),
            _ => None,
        };
        declared == Some(DeclaredFairness::Unfair)
    }

    /// What is declared of the process of a lane.
    fn declared_of(&self, lane: usize) -> Option<DeclaredFairness> {
        let Form::Voices(_) = &self.form else {
            return None;
        };
        let family = self.instance().members()[lane].family;
        let voices = self.instance().song().voices()?;
        let mut processes = voices.processes.iter();
        processes.find(|one| one.family == family)?.fairness
    }

    fn declared_of_action(&self, action: usize) -> Option<DeclaredFairness> {
        let actions = self.instance().song().actions()?;
        actions.actions[action].role.fairness
    }

    /// The tasks that a step out of `config` takes. Is a step possible (it is not cut off by an `assume`), they are
    /// enabled in `config`.
    pub fn fair_tasks(&self, config: &Config, step: &Step) -> TasksOfStep {
        let mut tasks = TasksOfStep::default();
        if step.kind.is_fault() {
            if let Outcome::Next(next) = &step.outcome
                && step.kind != EventKind::Duplicate
            {
                tasks.gone = dropped(config, next);
            }
            return tasks;
        }
        match (&step.taken, step.takes()) {
            (Some(Taken::Message(_)), Some(message)) => {
                tasks.taken.push(FairTask::Message(message));
            }
            (Some(Taken::Async(_)), Some(pending)) => tasks.taken.push(FairTask::Async(pending)),
            (Some(Taken::Offer(offer)), _) => {
                tasks.taken.push(FairTask::Offer(Task::offered(offer)));
            }
            _ => {}
        }
        if let Some(lane) = step.lane.filter(|lane| self.has_body(*lane)) {
            tasks.taken.push(FairTask::Process(lane));
        }
        tasks
    }

    /// A task in words.
    pub fn fair_task(&self, task: &FairTask) -> String {
        match task {
            FairTask::Process(lane) => self.lanes()[*lane].clone(),
            FairTask::Message(task) | FairTask::Async(task) | FairTask::Offer(task) => {
                self.task_and_origin(task)
            }
        }
    }

    /// Does a lane go on by itself? Handlers do not: the messages that they take are what is owed.
    fn has_body(&self, lane: usize) -> bool {
        match &self.form {
            Form::Line(_) => true,
            Form::Actions(_) => false,
            Form::Voices(_) => {
                let family = self.instance().members()[lane].family;
                let voices = self.instance().song().voices().into_iter();
                let mut processes = voices.flat_map(|voices| &voices.processes);
                processes.any(|one| one.family == family && matches!(one.body, Body::Sequential(_)))
            }
        }
    }
}

/// The messages that wait before and no more after.
fn dropped(before: &Config, after: &Config) -> Vec<FairTask> {
    let mut left = Task::messages(after);
    let mut dropped = Vec::new();
    for message in Task::messages(before) {
        match left.iter().position(|one| *one == message) {
            Some(at) => drop(left.swap_remove(at)),
            None => dropped.push(FairTask::Message(message)),
        }
    }
    dropped
}
