//! One execution, step by step: somebody else chooses what happens next, and may take it back.

use crate::claim::{Verity, subjects, verity, verity_of_step};
use crate::event_sentences::words;
use crate::machine::{Config, Machine, Outcome, Status};
use crate::path_to_trace::retrace;
use crate::schedule::start_of;
use crate::search::reason_against;
use crate::simulate::Dice;
use crate::trace::{Ending, Failure, Trace};
use plainsong_ir::{Claim, Property};

/// An execution so far.
pub struct Stepping<'m> {
    machine: &'m Machine,
    /// The state at the start and after each step.
    states: Vec<Config>,
    path: Vec<usize>,
    failure: Option<Failure>,
}

/// Something that can happen next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its number among all steps.
    pub position: usize,
    /// Whose step it is; nobody's for `init` and for actions.
    pub lane: Option<usize>,
    pub words: String,
}

/// What a property is worth in the state at hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Worth {
    Holds,
    /// It does not, for this reason.
    Violated(String),
    /// It is judged elsewhere: in final states, on steps, after `init`, or of whole executions.
    NotJudged,
}

impl<'m> Stepping<'m> {
    /// At the start that the seed draws; nothing if no execution starts well.
    pub fn begin(machine: &'m Machine, seed: u64) -> Option<Stepping<'m>> {
        let mut starts: Vec<Config> = Vec::new();
        for start in machine.initial() {
            if let Outcome::Next(config) = start {
                starts.push(config);
            }
        }
        let at = Dice(seed).pick(starts.len())?;
        Some(Stepping {
            machine,
            states: vec![starts.swap_remove(at)],
            path: Vec::new(),
            failure: None,
        })
    }

    /// Along a trace of this machine, as far as it goes; nothing if it starts somewhere else.
    pub fn along(machine: &'m Machine, trace: &Trace) -> Option<Stepping<'m>> {
        let mut stepping = Stepping {
            machine,
            states: vec![start_of(machine, trace)?],
            path: Vec::new(),
            failure: None,
        };
        let mut steps = trace.events.iter().map(|event| event.step);
        while steps.next().is_some_and(|step| stepping.take(step)) {}
        Some(stepping)
    }

    /// The numbers of the steps that were taken, each among all that were possible then.
    pub fn path(&self) -> &[usize] {
        &self.path
    }

    /// How many steps were taken.
    pub fn steps(&self) -> usize {
        self.path.len()
    }

    /// Everything that can happen next.
    pub fn choices(&self) -> Vec<Choice> {
        self.choices_after(self.steps())
    }

    /// Everything that could happen after so many of the steps that were taken.
    pub fn choices_after(&self, steps: usize) -> Vec<Choice> {
        let has_failed = self.failure.is_some() && steps == self.steps();
        let Some(state) = self.states.get(steps).filter(|_| !has_failed) else {
            return Vec::new();
        };
        let lanes = self.machine.lanes();
        let steps = self.machine.steps(state);
        let steps = steps.iter().enumerate();
        steps
            .filter(|(_, step)| !matches!(step.outcome, Outcome::Discarded))
            .map(|(position, step)| {
                let event = self.machine.event(state, position, step);
                Choice {
                    position,
                    lane: event.lane,
                    words: words(&lanes, &event),
                }
            })
            .collect()
    }

    /// Takes a step, by its number among all; `false` if there is no such step.
    pub fn take(&mut self, position: usize) -> bool {
        let mut steps = self.machine.steps(self.last());
        if position >= steps.len() || self.failure.is_some() {
            return false;
        }
        match steps.swap_remove(position).outcome {
            Outcome::Next(next) => self.states.push(next),
            Outcome::Failed(failure, config) => {
                self.failure = Some(failure);
                self.states.push(config);
            }
            Outcome::Discarded => return false,
        }
        self.path.push(position);
        true
    }

    /// Takes the last step back; `false` at the start.
    pub fn back(&mut self) -> bool {
        if self.path.pop().is_none() {
            return false;
        }
        self.states.pop();
        self.failure = None;
        true
    }

    /// What each property of the song is worth in the state at hand, and on the step to it.
    pub fn properties(&self) -> Vec<(String, Worth)> {
        let song = self.machine.instance().song();
        let mine =
            |property: &&Property| subjects(song, property).contains(&self.machine.subject());
        let properties = song.properties.iter().filter(mine);
        properties
            .map(|property| (property.name.clone(), self.worth(property)))
            .collect()
    }

    /// How it stands: running, or how the execution ended.
    pub fn ending(&self) -> Ending {
        if let Some(failure) = &self.failure {
            return Ending::Failed(failure.clone());
        }
        match self.machine.status(self.last()) {
            Status::Running => Ending::Cut,
            Status::Final => Ending::Final,
            Status::Deadlock(waiting) => Ending::Deadlock(waiting),
            Status::Discarded => Ending::Discarded,
        }
    }

    /// Why the execution has gone wrong by itself: a failed assertion, a deadlock.
    pub fn wrong(&self) -> Option<String> {
        match self.ending() {
            Ending::Failed(_) | Ending::Deadlock(_) => Some(reason_against(&self.trace())),
            _ => None,
        }
    }

    /// The execution so far.
    pub fn trace(&self) -> Trace {
        retrace(self.machine, &self.states[0], &self.path, self.ending()).0
    }

    fn worth(&self, property: &Property) -> Worth {
        if self.failure.is_some() || !self.machine.has_begun(self.last()) {
            return Worth::NotJudged;
        }
        let is_final = self.ending() == Ending::Final;
        let verity = match (&property.claim, &self.states[..]) {
            (Claim::Always(claim), _) => verity(self.machine, property, claim, self.last()),
            (Claim::Finally(claim), _) if is_final => {
                verity(self.machine, property, claim, self.last())
            }
            (Claim::Step(claim), [.., before, after]) if self.machine.has_begun(before) => {
                verity_of_step(self.machine, property, claim, (before, after))
            }
            _ => return Worth::NotJudged,
        };
        match verity {
            Verity::Holds => Worth::Holds,
            Verity::Violated(why) => Worth::Violated(why),
            Verity::Unknown(_) => Worth::NotJudged,
        }
    }

    fn last(&self) -> &Config {
        self.states.last().expect("there is a state at the start")
    }
}
