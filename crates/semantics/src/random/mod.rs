//! Random testing: executions drawn by chance, with everything checked that a finite execution can violate.
//!
//! Statement. An execution is drawn from a seed: a start, then step after step one of those that are possible, by the
//! [`Scheduler`], until nothing can happen or the limit on steps is reached. On the way `always` is checked in every
//! state, properties of steps on every step, `finally` in the final state, deadlock and failed assertions where the
//! execution ends. The same seed gives the same execution, whoever draws it and whatever was drawn before.
//!
//! Why sound. Steps and claims are the interpreter's. A violation is told as a trace and replayed
//! ([`Walker::refutation`]). That nothing was violated means just that: it is no verdict about other executions.
//!
//! Speed. Executions of one instance meet the same states again and again. A state that was met is kept with its steps and
//! what it violates ([`known_states`]), so that it is worked out once; walking through known states draws numbers and
//! follows indices. What is kept has a limit, beyond which states are worked out anew.
//!
//! Source. Random walks through states: [West86]. Priorities: [`pct`].
//! NOT COVERED. Claims about infinite executions (`eventually`, temporal claims), movers and refinement:
//! [`is_judged`] says which.

mod known_states;
mod pct;
mod tally;

pub use tally::{Ends, Tally};

use crate::claim::{Verity, verity, verity_of_step};
use crate::machine::{Config, Machine, Outcome, Status};
use crate::path_to_trace::retrace;
use crate::replay::replay;
use crate::search::{Check, Coverage};
use crate::simulate::Dice;
use crate::trace::{Ending, Failure, Trace};
use known_states::{Edge, Known, KnownStates, Rest, To};
use pct::Priorities;
use plainsong_ir::{Claim, Property, Song};

/// How the next step is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheduler {
    /// Any of those that are possible, each with the same probability.
    #[default]
    Uniform,
    /// By random priorities that change `depth - 1` times: probabilistic concurrency testing.
    Pct {
        /// How many events have to come in the right order.
        depth: u32,
    },
}

/// How executions are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manner {
    /// How the next step is chosen.
    pub scheduler: Scheduler,
    /// The most steps of one execution.
    pub steps: usize,
    /// How many states and steps are kept.
    pub remembers: usize,
}

/// Can a finite execution violate it?
pub fn is_judged(song: &Song, check: Check) -> bool {
    match check {
        Check::Assertions | Check::NoDeadlock | Check::Contract => true,
        Check::Property(at) => matches!(
            song.properties[at].claim,
            Claim::Always(_) | Claim::Finally(_) | Claim::Step(_)
        ),
        Check::Mover(_) | Check::Refines(_) | Check::Sequence(_) => false,
    }
}

/// How many executions the length of executions is taken from, where priorities change at random steps.
const PILOTS: u64 = 8;

/// Draws executions of one instance.
pub struct Walker<'a> {
    machine: &'a Machine,
    manner: Manner,
    starts: Vec<Outcome>,
    known: KnownStates<'a>,
    /// Steps of the longest of some executions, where that matters.
    longest: u64,
}

/// One execution, as far as it has to be known to be told.
struct Walk {
    /// Which start, if there is one.
    start: Option<usize>,
    /// The numbers of its steps, if they were wanted.
    path: Vec<usize>,
    steps: u64,
    end: End,
}

/// How a walk ends.
#[derive(Clone, Debug, PartialEq)]
enum End {
    Final,
    Deadlock,
    Discarded,
    /// At the limit on steps.
    Cut,
    Failed(Failure),
    /// What was looked for is violated.
    Found,
    /// Whoever looks on ended it.
    Stopped,
}

/// What a walk leaves behind.
struct Purpose<'t> {
    /// The number of the execution.
    number: u64,
    tally: &'t mut Tally,
    /// Are the numbers of its steps wanted?
    is_told: bool,
    /// Does it end where something is violated?
    until_violated: bool,
}

impl<'a> Walker<'a> {
    /// Draws executions of the machine and checks these.
    pub fn new(machine: &'a Machine, checks: &[Check], manner: Manner) -> Walker<'a> {
        let mut known = KnownStates::new(machine, checks, manner.remembers);
        let starts = known.starts();
        let mut walker = Walker {
            machine,
            manner,
            starts,
            known,
            longest: 0,
        };
        if let Scheduler::Pct { .. } = manner.scheduler {
            walker.longest = longest(machine, manner);
        }
        walker
    }

    /// Draws an execution and enters it under its number; `false` if `go_on`, which is asked now and then, ends it.
    pub fn walk(
        &mut self,
        (number, seed): (u64, u64),
        tally: &mut Tally,
        go_on: &mut dyn FnMut() -> bool,
    ) -> bool {
        let purpose = Purpose {
            number,
            tally,
            is_told: false,
            until_violated: false,
        };
        let walk = self.follow(seed, purpose, go_on);
        if walk.end == End::Stopped {
            return false;
        }
        tally.executions += 1;
        tally.steps += walk.steps;
        tally.longest = tally.longest.max(walk.steps);
        match &walk.end {
            End::Final => tally.ends.terminated += 1,
            End::Deadlock => tally.ends.deadlocked += 1,
            End::Discarded => tally.ends.discarded += 1,
            End::Cut => tally.ends.cut += 1,
            End::Failed(failure) => match self.known.blamed(failure) {
                Some(check) => {
                    tally.ends.failed += 1;
                    tally.violated(check, number);
                }
                None => {
                    tally.ends.beyond_reach += 1;
                    tally.beyond_reach(number, &failure.message);
                }
            },
            End::Found | End::Stopped => {}
        }
        true
    }

    /// Which parts of the text took part so far: what ran, or could have run next, in a state of some execution.
    pub fn coverage(&self) -> Coverage {
        self.known.coverage()
    }

    /// The execution of a seed, as a trace to its end; nothing if `go_on` ends it.
    pub fn execution(&mut self, seed: u64, go_on: &mut dyn FnMut() -> bool) -> Option<Trace> {
        let walk = self.told(seed, false, go_on)?;
        let machine = self.machine;
        let Some(start) = walk.start else {
            return Some(nothing(machine));
        };
        let config = match &self.starts[start] {
            Outcome::Next(config) | Outcome::Failed(_, config) => config,
            Outcome::Discarded => return Some(nothing(machine)),
        };
        let ending = match walk.end {
            End::Final => Ending::Final,
            End::Cut => Ending::Cut,
            End::Failed(failure) => Ending::Failed(failure),
            End::Discarded | End::Found | End::Stopped => Ending::Discarded,
            End::Deadlock => {
                let (mut trace, last) = retrace(machine, config, &walk.path, Ending::Cut);
                if let Status::Deadlock(waiting) = machine.status(&last) {
                    trace.ending = Ending::Deadlock(waiting);
                }
                return Some(trace);
            }
        };
        Some(retrace(machine, config, &walk.path, ending).0)
    }

    /// The execution of a seed up to where it violates the one check of this walker; nothing if it does not, or if
    /// `go_on` ends it.
    pub fn refutation(&mut self, seed: u64, go_on: &mut dyn FnMut() -> bool) -> Option<Trace> {
        let check = self.known.only_check()?;
        let walk = self.told(seed, true, go_on)?;
        let (Outcome::Next(start) | Outcome::Failed(_, start)) = &self.starts[walk.start?] else {
            return None;
        };
        let ending = match walk.end {
            End::Failed(failure) => match self.known.blamed(&failure) {
                Some(_) => Ending::Failed(failure),
                None => return None,
            },
            End::Found => violation(self.machine, check, start, &walk.path)?,
            _ => return None,
        };
        let (trace, _) = retrace(self.machine, start, &walk.path, ending);
        if let Err(mismatch) = replay(self.machine, &trace) {
            panic!("a refutation replays, but this one does not: {mismatch:?}\n{trace:#?}");
        }
        Some(trace)
    }

    fn told(
        &mut self,
        seed: u64,
        until_violated: bool,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<Walk> {
        let purpose = Purpose {
            number: 0,
            tally: &mut Tally::default(),
            is_told: true,
            until_violated,
        };
        let walk = self.follow(seed, purpose, go_on);
        (walk.end != End::Stopped).then_some(walk)
    }

    fn follow(
        &mut self,
        seed: u64,
        mut purpose: Purpose<'_>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Walk {
        let mut dice = Dice(seed);
        let mut walk = Walk {
            start: dice.pick(self.starts.len()),
            path: Vec::new(),
            steps: 0,
            end: End::Discarded,
        };
        let Some(start) = walk.start else {
            return walk;
        };
        let config = match &self.starts[start] {
            Outcome::Next(config) => config.clone(),
            Outcome::Failed(failure, _) => {
                walk.end = End::Failed(failure.clone());
                return walk;
            }
            Outcome::Discarded => return walk,
        };
        let mut priorities = match self.manner.scheduler {
            Scheduler::Uniform => None,
            Scheduler::Pct { depth } => Some(Priorities::new(seed, depth, self.longest)),
        };
        let mut place = self.known.enter(config, purpose.tally);
        walk.end = loop {
            if walk.steps.is_multiple_of(GLANCE) && !go_on() {
                break End::Stopped;
            }
            let state = self.known.state(&place);
            let is_found = purpose.enter(state);
            match state.rest {
                _ if is_found => break End::Found,
                Rest::Running if walk.steps >= self.manner.steps as u64 => break End::Cut,
                Rest::Running => {}
                Rest::Final => break End::Final,
                Rest::Deadlock => break End::Deadlock,
                Rest::Discarded => break End::Discarded,
            }
            let at = match &mut priorities {
                None => dice.pick(state.edges.len()),
                Some(priorities) => priorities.pick(walk.steps, &state.edges, &mut dice),
            };
            let at = at.expect("a running state has a step");
            let edge = &state.edges[at];
            walk.steps += 1;
            if purpose.is_told {
                walk.path.push(edge.position as usize);
            }
            if purpose.enter_step(edge) {
                break End::Found;
            }
            if let To::Failed(failure) = &edge.to {
                break End::Failed((**failure).clone());
            }
            place = self.known.go(place, at, purpose.tally);
        };
        walk
    }
}

/// How many steps are taken between two looks at the clock.
const GLANCE: u64 = 64;

impl Purpose<'_> {
    /// Enters what a state violates; does the walk end there?
    fn enter(&mut self, state: &Known) -> bool {
        self.note(&state.violated, &state.undecided)
    }

    /// Enters what a step violates; does the walk end there?
    fn enter_step(&mut self, edge: &Edge) -> bool {
        self.note(&edge.violated, &edge.undecided)
    }

    fn note(&mut self, violated: &[u16], undecided: &[(u16, String)]) -> bool {
        for &check in violated {
            self.tally.violated(usize::from(check), self.number);
        }
        for (check, why) in undecided {
            self.tally.undecided(usize::from(*check), self.number, why);
        }
        self.until_violated && !violated.is_empty()
    }
}

/// Steps of the longest of a few executions, each step with the same probability.
fn longest(machine: &Machine, manner: Manner) -> u64 {
    let uniform = Manner {
        scheduler: Scheduler::Uniform,
        ..manner
    };
    let mut walker = Walker::new(machine, &[], uniform);
    let mut tally = Tally::default();
    for seed in 0..PILOTS {
        walker.walk((seed, seed), &mut tally, &mut || true);
    }
    tally.longest
}

/// How an execution that violates a check ends.
fn violation(machine: &Machine, check: Check, start: &Config, path: &[usize]) -> Option<Ending> {
    let (_, last) = retrace(machine, start, path, Ending::Cut);
    let Check::Property(at) = check else {
        return match machine.status(&last) {
            Status::Deadlock(waiting) => Some(Ending::Deadlock(waiting)),
            _ => None,
        };
    };
    let property: &Property = &machine.instance().song().properties[at];
    let (claim, verity) = match &property.claim {
        Claim::Always(claim) | Claim::Finally(claim) => {
            (claim, verity(machine, property, claim, &last))
        }
        Claim::Step(claim) => {
            let (_, before) = path.split_last()?;
            let (_, before) = retrace(machine, start, before, Ending::Cut);
            (
                claim,
                verity_of_step(machine, property, claim, (&before, &last)),
            )
        }
        Claim::Quiescent { .. } | Claim::Temporal(_) => return None,
    };
    match verity {
        Verity::Violated(why) => Some(Ending::Violated {
            property: property.name.clone(),
            span: claim.span,
            why,
        }),
        Verity::Holds | Verity::Unknown(_) => None,
    }
}

fn nothing(machine: &Machine) -> Trace {
    Trace {
        lanes: machine.lanes(),
        start: vec![],
        events: vec![],
        ending: Ending::Discarded,
        undelivered: vec![],
    }
}
