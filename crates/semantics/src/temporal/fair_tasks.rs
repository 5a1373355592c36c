//! Fair tasks: who is owed what. Each step takes some tasks; who could be taken in a state is enabled there.
//!
//! | task | enabled | taken |
//! |---|---|---|
//! | a process with a body | it has a step: a send, a receive, a time-out | by any step of it |
//! | a message, by name, sender, receiver and payload | its receiver can take it now | by that receive |
//! | a pending async, by action and arguments | its action is not blocked | by running it |
//! | an action that is always on offer, by its arguments | likewise | likewise |
//! | an endpoint of a choreography | it has a step | by any step of it |
//! | a restart that is declared `fair` | the process is down | by the restart |
//!
//! Beyond these, some steps *oblige*: whoever takes such a step again and again has to be answered again and again. These
//! conditions are on steps, not on states, so they schedule nobody.
//!
//! | task | obliged | answered |
//! |---|---|---|
//! | a link that loses without a number: message, sender, receiver | by a loss on it | by a receive on it |
//! | an outcome of a `fair maybe` or `fair choose` | by executing the statement where the outcome is possible | by it |
//!
//! *Fair loss.* Where finitely many messages are in flight, "sent infinitely often, but all are lost from some point on" is
//! the same as "lost infinitely often and received finitely often".
//!
//! Nobody is owed any other fault. Steps count as taken, not changes of state: a handler that sends its own message again has
//! served it.
//!
//! *Instances and kinds.* A message is ignored when this one waits for ever. Equal ones are told apart by nobody, so the
//! question is put to the kind: is it enabled infinitely often and neither taken nor *gone* (lost, or dropped by a
//! crash) infinitely often? A kind that is gone again and again is not ignored, for none of its instances waits for
//! ever; whoever forgets that makes every lossy link fair.

use crate::idle::Task;
use crate::machine::{Config, Form, Machine, Outcome, Status, Step, Taken};
use crate::trace::EventKind;
use crate::value::{Pid, Value};
use crate::voices::network::InFlight;
use plainsong_diagnostics::Span;
use plainsong_ir::{Body, DeclaredFairness, Fairness, Fault, FaultKind, MessageId};

/// Somebody who is owed a step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FairTask {
    /// A process with a body or an endpoint, by its lane.
    Process(usize),
    /// A message in flight.
    Message(Task),
    /// A pending async.
    Async(Task),
    /// An action that is always on offer.
    Offer(Task),
    /// The restart of a process, by its lane.
    Restart(usize),
    /// A link that loses messages.
    Link(Link),
    /// What a statement that chooses fairly may come to.
    Outcome(FairOutcome),
}

/// The messages of one kind from one process to another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    kind: MessageId,
    from: Pid,
    to: Pid,
}

/// An outcome of a statement that a process executes, or an action with these arguments.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FairOutcome {
    lane: Option<usize>,
    by: Option<Task>,
    statement: Span,
    value: Value,
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
    /// Whoever does this again and again owes these an answer.
    pub obliged: Vec<FairTask>,
    /// These are answered.
    pub answered: Vec<FairTask>,
}

impl Machine {
    /// What is owed to a task: what a level of fairness says, and what is declared beyond it.
    pub fn owed(&self, task: &FairTask, level: Fairness) -> Option<Strength> {
        let by_level = match (level, task) {
            (Fairness::None, _) => return None,
            (_, FairTask::Outcome(_)) => return Some(Strength::Strong),
            (_, FairTask::Restart(_)) => return Some(Strength::Weak),
            (_, FairTask::Link(link)) => return self.owed_by_link(link, level),
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
            FairTask::Restart(_) | FairTask::Link(_) | FairTask::Outcome(_) => None,
        };
        match declared {
            Some(DeclaredFairness::Unfair) => None,
            Some(DeclaredFairness::Strong) => Some(Strength::Strong),
            Some(DeclaredFairness::Weak) | None => Some(by_level),
        }
    }

    /// A link that loses lets some messages through where messages are treated strongly, unless something else is declared.
    fn owed_by_link(&self, link: &Link, level: Fairness) -> Option<Strength> {
        let declared = self.fault(FaultKind::Lose(link.kind))?.fairness;
        let is_fair = match declared {
            Some(DeclaredFairness::Unfair) => false,
            Some(DeclaredFairness::Weak | DeclaredFairness::Strong) => true,
            None => level >= Fairness::Standard,
        };
        is_fair.then_some(Strength::Strong)
    }

    /// The declaration of a fault.
    fn fault(&self, kind: FaultKind) -> Option<&Fault> {
        let voices = self.instance().song().voices()?;
        voices.faults.iter().find(|fault| fault.kind == kind)
    }

    /// May nothing that somebody is owed at this level happen in `config`? Otherwise an execution that ends there is not
    /// fair.
    pub fn owes_nothing(&self, config: &Config, steps: &[Step], level: Fairness) -> bool {
        let possible = steps
            .iter()
            .filter(|step| !matches!(step.outcome, Outcome::Discarded));
        let mut enabled = possible.flat_map(|step| self.fair_tasks(config, step).taken);
        enabled.all(|task| self.owed(&task, level).is_none())
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
            self.of_fault(step, &mut tasks);
            return tasks;
        }
        match (&step.taken, step.takes()) {
            (Some(Taken::Message(flying)), Some(message)) => {
                tasks.answered.extend(self.lossy_link(flying));
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

    /// What a fault does for tasks: a loss obliges the link, a restart may be owed.
    fn of_fault(&self, step: &Step, tasks: &mut TasksOfStep) {
        match (step.kind, &step.taken, step.lane) {
            (EventKind::Lose, Some(Taken::Hit(message)), _) => {
                tasks.obliged.extend(self.lossy_link(message));
            }
            (EventKind::Restart, _, Some(lane)) => {
                let family = self.instance().members()[lane].family;
                let fault = self.fault(FaultKind::Restart(family));
                let declared = fault.and_then(|fault| fault.fairness);
                if declared.is_some_and(|declared| declared != DeclaredFairness::Unfair) {
                    tasks.taken.push(FairTask::Restart(lane));
                }
            }
            _ => {}
        }
    }

    /// The link of a message, if it loses any number of them.
    fn lossy_link(&self, message: &InFlight) -> Option<FairTask> {
        let fault = self.fault(FaultKind::Lose(message.kind))?;
        let link = Link {
            kind: message.kind,
            from: message.from,
            to: message.to,
        };
        fault.most.is_none().then_some(FairTask::Link(link))
    }

    /// What the step with this number does for outcomes of fair choices: it obliges all that are possible where it chooses,
    /// and answers those that it takes. Possible is what some step is like that chose alike so far.
    pub fn fair_outcomes(&self, steps: &[Step], number: usize) -> (Vec<FairTask>, Vec<FairTask>) {
        let (mut obliged, mut answered) = (Vec::new(), Vec::new());
        let step = &steps[number];
        let fair = &self.instance().song().fair_choices;
        if fair.is_empty() || step.kind.is_fault() {
            return (obliged, answered);
        }
        let outcome = |statement: Span, value: &Value| {
            FairTask::Outcome(FairOutcome {
                lane: step.lane,
                by: match &step.taken {
                    Some(Taken::Async(one) | Taken::Offer(one)) => Some(Task::offered(one)),
                    _ => None,
                },
                statement,
                value: value.clone(),
            })
        };
        for (at, chosen) in step.chosen.iter().enumerate() {
            if !fair.contains(&chosen.span) {
                continue;
            }
            answered.push(outcome(chosen.span, &chosen.value));
            let like = steps.iter().filter(|other| {
                let same = (other.lane, other.kind, other.code, other.pc)
                    == (step.lane, step.kind, step.code, step.pc);
                let is_possible = !matches!(other.outcome, Outcome::Discarded);
                let alike = other.chosen.len() > at && other.chosen[..at] == step.chosen[..at];
                same && is_possible && alike && other.taken == step.taken
            });
            let here = like.filter(|other| other.chosen[at].span == chosen.span);
            obliged.extend(here.map(|other| outcome(chosen.span, &other.chosen[at].value)));
        }
        (obliged, answered)
    }

    /// A task in words.
    pub fn fair_task(&self, task: &FairTask) -> String {
        match task {
            FairTask::Process(lane) => self.lanes()[*lane].clone(),
            FairTask::Message(task) | FairTask::Async(task) | FairTask::Offer(task) => {
                self.task_and_origin(task)
            }
            FairTask::Restart(lane) => format!("the restart of {}", self.lanes()[*lane]),
            FairTask::Link(link) => {
                let voices = self.instance().song().voices();
                let name = voices.map_or("", |voices| &voices.messages[link.kind.index()].name);
                format!("the link of {name}")
            }
            FairTask::Outcome(_) => "an outcome of a fair choice".to_owned(),
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
