//! Going on from an alternative to an end that is well.
//!
//! An execution goes on with what is left of the failing one, in the same order, as far as that is
//! possible, so that the two differ as little as they can. Where that leads to a failure, the process
//! that was held back stays behind, then the first step is always taken, then some steps by chance.

use super::alternatives::Alternative;
use crate::claim::{Verity, verity};
use crate::failure_kind::Wrong;
use crate::machine::{Config, Machine, Outcome, Status, Step};
use crate::schedule::{Cue, Performance, start_of};
use crate::simulate::Dice;
use crate::trace::Trace;
use plainsong_ir::Claim;
use rustc_hash::FxHashSet;

/// The most states looked at to be certain about one alternative.
const CERTAINTY: usize = 3_000;

/// How many executions by chance are tried.
const CHANCES: u64 = 3;

/// Looks for ends that are well.
pub(super) struct Completion<'a> {
    machine: &'a Machine,
    wrong: &'a Wrong,
    start: Option<Config>,
    longest: usize,
    patience: u64,
}

/// Which step is taken next.
#[derive(Clone, Copy)]
enum Manner {
    /// As in the trace; this process only when nobody else can.
    AsBefore(Option<usize>),
    First,
    Chance(u64),
}

impl<'a> Completion<'a> {
    pub(super) fn new(
        machine: &'a Machine,
        trace: &Trace,
        wrong: &'a Wrong,
        patience: u64,
    ) -> Self {
        Completion {
            machine,
            wrong,
            start: start_of(machine, trace),
            longest: 4 * trace.events.len() + 200,
            patience,
        }
    }

    /// So many steps were looked at elsewhere.
    pub(super) fn spend(&mut self, steps: u64) {
        self.patience = self.patience.saturating_sub(steps);
    }

    /// Has it looked at enough?
    pub(super) fn is_tired(&self) -> bool {
        self.patience == 0
    }

    /// The start and the steps of an execution that ends well.
    pub(super) fn complete(&mut self, from: &Alternative<'_>) -> Option<(Config, Vec<usize>)> {
        let start = self.start.clone()?;
        let mut manners = vec![Manner::AsBefore(from.held_back), Manner::First];
        if from.held_back.is_none() {
            manners.insert(0, Manner::AsBefore(None));
        }
        manners.extend((1..=CHANCES).map(Manner::Chance));
        for manner in manners {
            if let Some(steps) = self.attempt(from, manner) {
                return Some((start, steps));
            }
        }
        None
    }

    /// Does every execution that goes on from there end well? `false` when there are too many.
    pub(super) fn always(&mut self, from: &Alternative<'_>) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![from.so_far.config.clone()];
        seen.insert(from.so_far.config.clone());
        while let Some(config) = open.pop() {
            if seen.len() > CERTAINTY || self.is_tired() {
                return false;
            }
            let Some(steps) = self.look(&config) else {
                return false;
            };
            for step in steps {
                match step.outcome {
                    Outcome::Next(next) => {
                        if seen.insert(next.clone()) {
                            open.push(next);
                        }
                    }
                    Outcome::Failed(..) => return false,
                    Outcome::Discarded => {}
                }
            }
        }
        true
    }

    /// Is nothing wrong anywhere along a trace from the same start?
    pub(super) fn is_well(&mut self, trace: &Trace) -> bool {
        let Some(mut config) = self.start.clone() else {
            return false;
        };
        for event in &trace.events {
            let Some(mut steps) = self.look(&config) else {
                return false;
            };
            match steps.swap_remove(event.step).outcome {
                Outcome::Next(next) => config = next,
                Outcome::Failed(..) | Outcome::Discarded => return false,
            }
        }
        self.look(&config).is_some()
    }

    fn attempt(&mut self, from: &Alternative<'_>, manner: Manner) -> Option<Vec<usize>> {
        let mut so_far = from.so_far.clone();
        let mut left = from.left.clone();
        let mut dice = Dice(match manner {
            Manner::Chance(seed) => seed,
            _ => 0,
        });
        for _ in 0..self.longest {
            if self.is_tired() {
                return None;
            }
            let steps = self.look(&so_far.config)?;
            if steps.is_empty() {
                return Some(so_far.steps);
            }
            let (number, cue) = choose(&so_far, &left, &steps, manner, &mut dice)?;
            if !so_far.take(number, &steps[number], cue.map(|at| &left[at])) {
                return None;
            }
            if let Some(at) = cue {
                left.remove(at);
            }
        }
        None
    }

    /// The steps of a state in which nothing is wrong; none when something is.
    fn look(&mut self, config: &Config) -> Option<Vec<Step>> {
        let steps = self.machine.steps(config);
        self.spend(1 + steps.len() as u64);
        let status = self.machine.status_given(config, &steps);
        match status {
            Status::Deadlock(_) | Status::Discarded => return None,
            Status::Running | Status::Final => {}
        }
        if let Wrong::Property(at) = self.wrong {
            let property = &self.machine.instance().song().properties[*at];
            let claim = match &property.claim {
                Claim::Always(claim) if self.machine.has_begun(config) => Some(claim),
                Claim::Finally(claim) if status == Status::Final => Some(claim),
                _ => None,
            };
            let holds = |claim| verity(self.machine, property, claim, config) == Verity::Holds;
            if !claim.is_none_or(holds) {
                return None;
            }
        }
        Some(steps)
    }
}

fn choose(
    so_far: &Performance<'_>,
    left: &[Cue],
    steps: &[Step],
    manner: Manner,
    dice: &mut Dice,
) -> Option<(usize, Option<usize>)> {
    let leads_on = |number: &usize| matches!(steps[*number].outcome, Outcome::Next(_));
    let possible: Vec<usize> = (0..steps.len()).filter(leads_on).collect();
    match manner {
        Manner::AsBefore(held_back) => {
            let free = |lane: Option<usize>| held_back.is_none() || lane != held_back;
            let planned = |only_free: bool| {
                let mut cues = left.iter().enumerate();
                cues.find_map(|(at, cue)| {
                    if only_free && !free(cue.lane) {
                        return None;
                    }
                    let number = so_far.find(cue, steps).filter(leads_on)?;
                    Some((number, Some(at)))
                })
            };
            let other = || {
                let found = possible.iter().find(|&&number| free(steps[number].lane));
                found.map(|&number| (number, None))
            };
            let any = || possible.first().map(|&number| (number, None));
            planned(true)
                .or_else(other)
                .or_else(|| planned(false))
                .or_else(any)
        }
        Manner::First => possible.first().map(|&number| (number, None)),
        Manner::Chance(_) => {
            let at = dice.pick(possible.len())?;
            Some((possible[at], None))
        }
    }
}
