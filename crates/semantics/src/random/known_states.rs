//! States that random executions have met, with their steps and what they violate: worked out once.
//!
//! Invariant. What is known of a state is what the interpreter says of it, so an execution does not depend on what is
//! kept. A check that an earlier execution of this walker violates is not evaluated again: numbers of executions only
//! grow, and the first one counts.

use super::Tally;
use crate::claim::{Verity, verity, verity_of_step};
use crate::code::coverage::Covered;
use crate::machine::{Config, Machine, Outcome, Status, Step, Subject, Taken};
use crate::search::{Check, Coverage};
use crate::trace::{Failure, FailureKind};
use crate::vacuity::Premises;
use plainsong_ir::Claim;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Can anything happen?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    Running,
    Final,
    Deadlock,
    Discarded,
}

/// What is known of a state.
pub(super) struct Known {
    pub(super) rest: Rest,
    /// The checks that it violates, by position.
    pub(super) violated: Vec<u16>,
    /// The checks that have no answer in it, and why.
    pub(super) undecided: Vec<(u16, String)>,
    /// The steps that nothing cuts off.
    pub(super) edges: Vec<Edge>,
}

/// A step.
pub(super) struct Edge {
    /// Its number among all steps of the state.
    pub(super) position: u32,
    /// Who takes it, for priorities.
    pub(super) agent: u64,
    /// Does it wait for nothing, and may come again and again?
    pub(super) is_timeout: bool,
    pub(super) violated: Vec<u16>,
    pub(super) undecided: Vec<(u16, String)>,
    pub(super) to: To,
}

/// Where a step leads.
pub(super) enum To {
    /// To a state that nobody has looked at from here.
    State(Box<Config>),
    /// To a state that is kept.
    Known(usize),
    Failed(Box<Failure>),
}

/// Where an execution is.
pub(super) enum Place {
    /// At a state that is kept.
    Kept(usize),
    /// At one that is not.
    Passing(Known),
}

/// The states that are kept.
pub(super) struct KnownStates<'a> {
    machine: &'a Machine,
    checks: Vec<Check>,
    kept: Vec<Known>,
    numbers: FxHashMap<Config, usize>,
    /// How many more states and steps may be kept.
    room: usize,
    covered: Covered,
    premises: Premises<'a>,
}

impl<'a> KnownStates<'a> {
    pub(super) fn new(machine: &'a Machine, checks: &[Check], room: usize) -> KnownStates<'a> {
        KnownStates {
            machine,
            checks: checks.to_vec(),
            kept: Vec::new(),
            numbers: FxHashMap::default(),
            room,
            covered: Covered::default(),
            premises: Premises::new(machine, checks.iter().copied()),
        }
    }

    pub(super) fn starts(&mut self) -> Vec<Outcome> {
        self.machine.initial_covering(&mut self.covered)
    }

    /// The check, where there is just one.
    pub(super) fn only_check(&self) -> Option<Check> {
        match self.checks[..] {
            [check] => Some(check),
            _ => None,
        }
    }

    /// The check that a failure counts against, by position, if it is asked; none when the failure is ours.
    pub(super) fn blamed(&self, failure: &Failure) -> Option<usize> {
        let check = match (failure.kind, self.machine.subject()) {
            (FailureKind::Resource, _) => return None,
            (FailureKind::Contract, Subject::Line(_)) => Check::Contract,
            _ => Check::Assertions,
        };
        self.checks.iter().position(|one| *one == check)
    }

    pub(super) fn coverage(&self) -> Coverage {
        let mut coverage = Coverage::new(self.machine, &self.covered);
        self.premises.enter(&mut coverage);
        coverage
    }

    pub(super) fn state<'s>(&'s self, place: &'s Place) -> &'s Known {
        match place {
            Place::Kept(at) => &self.kept[*at],
            Place::Passing(known) => known,
        }
    }

    /// Goes to a state.
    pub(super) fn enter(&mut self, config: Config, tally: &Tally) -> Place {
        if let Some(&at) = self.numbers.get(&config) {
            return Place::Kept(at);
        }
        let known = self.work_out(&config, tally);
        let weight = 1 + known.edges.len();
        if weight > self.room {
            return Place::Passing(known);
        }
        self.room -= weight;
        self.kept.push(known);
        self.numbers.insert(config, self.kept.len() - 1);
        Place::Kept(self.kept.len() - 1)
    }

    /// Goes along a step that does not fail.
    pub(super) fn go(&mut self, place: Place, edge: usize, tally: &Tally) -> Place {
        let to = match &self.state(&place).edges[edge].to {
            To::Known(at) => return Place::Kept(*at),
            To::State(config) => (**config).clone(),
            To::Failed(_) => panic!("nothing comes after a step that fails"),
        };
        let next = self.enter(to, tally);
        if let (Place::Kept(from), Place::Kept(to)) = (&place, &next) {
            self.kept[*from].edges[edge].to = To::Known(*to);
        }
        next
    }

    fn work_out(&mut self, config: &Config, tally: &Tally) -> Known {
        let steps = self.machine.steps_covering(config, &mut self.covered);
        let rest = match self.machine.status_given(config, &steps) {
            Status::Running => Rest::Running,
            Status::Final => Rest::Final,
            Status::Deadlock(_) => Rest::Deadlock,
            Status::Discarded => Rest::Discarded,
        };
        let begun = self.machine.has_begun(config);
        if begun && self.premises.are_open(false) {
            self.premises.look(config, false);
        }
        if rest == Rest::Final && self.premises.are_open(true) {
            self.premises.look(config, true);
        }
        let mut known = Known {
            rest,
            violated: Vec::new(),
            undecided: Vec::new(),
            edges: Vec::new(),
        };
        for at in self.open(tally) {
            match self.checks[at] {
                Check::NoDeadlock if rest == Rest::Deadlock => known.violated.push(at as u16),
                Check::Property(_) => {
                    let verity = self.of_state(at, config, begun, rest);
                    enter(at, verity, &mut known.violated, &mut known.undecided);
                }
                _ => {}
            }
        }
        for (position, step) in steps.into_iter().enumerate() {
            known
                .edges
                .extend(self.edge((config, begun), position, step, tally));
        }
        known
    }

    /// The checks that no execution of this walker violates so far.
    fn open(&self, tally: &Tally) -> Vec<usize> {
        let all = 0..self.checks.len();
        all.filter(|at| tally.violated_by(*at).is_none()).collect()
    }

    fn of_state(&self, at: usize, config: &Config, begun: bool, rest: Rest) -> Verity {
        let Check::Property(number) = self.checks[at] else {
            return Verity::Holds;
        };
        let property = &self.machine.instance().song().properties[number];
        match &property.claim {
            Claim::Always(claim) if begun => verity(self.machine, property, claim, config),
            Claim::Finally(claim) if rest == Rest::Final => {
                verity(self.machine, property, claim, config)
            }
            _ => Verity::Holds,
        }
    }

    fn edge(
        &self,
        (config, begun): (&Config, bool),
        position: usize,
        step: Step,
        tally: &Tally,
    ) -> Option<Edge> {
        let agent = agent(&step);
        let is_timeout = step.kind == crate::trace::EventKind::Timeout;
        let (mut violated, mut undecided) = (Vec::new(), Vec::new());
        let to = match step.outcome {
            Outcome::Discarded => return None,
            Outcome::Failed(failure, _) => To::Failed(Box::new(failure)),
            Outcome::Next(after) => {
                if begun {
                    for at in self.open(tally) {
                        let verity = self.of_step(at, config, &after);
                        enter(at, verity, &mut violated, &mut undecided);
                    }
                }
                To::State(Box::new(after))
            }
        };
        Some(Edge {
            position: position as u32,
            agent,
            is_timeout,
            violated,
            undecided,
            to,
        })
    }

    fn of_step(&self, at: usize, before: &Config, after: &Config) -> Verity {
        let Check::Property(number) = self.checks[at] else {
            return Verity::Holds;
        };
        let property = &self.machine.instance().song().properties[number];
        match &property.claim {
            Claim::Step(claim) => verity_of_step(self.machine, property, claim, (before, after)),
            _ => Verity::Holds,
        }
    }
}

fn enter(at: usize, verity: Verity, violated: &mut Vec<u16>, undecided: &mut Vec<(u16, String)>) {
    match verity {
        Verity::Holds => {}
        Verity::Violated(_) => violated.push(at as u16),
        Verity::Unknown(failure) => undecided.push((at as u16, failure.message)),
    }
}

/// Who takes a step, for priorities: a process with what it does by itself; the channel from one process to another with
/// what is received from it; an async with its arguments; each kind of fault by itself.
fn agent(step: &Step) -> u64 {
    let mut hasher = FxHasher::default();
    match &step.taken {
        _ if step.kind.is_fault() => (0_u8, step.kind).hash(&mut hasher),
        Some(Taken::Message(message)) => (1_u8, step.lane, message.from).hash(&mut hasher),
        Some(Taken::Async(task) | Taken::Offer(task)) => {
            (2_u8, task.action, &task.arguments).hash(&mut hasher);
        }
        Some(Taken::Awaited(_) | Taken::Hit(_)) | None => (3_u8, step.lane).hash(&mut hasher),
    }
    hasher.finish()
}
