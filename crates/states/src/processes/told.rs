//! States in the interpreter's terms, and how they are reached.
//!
//! Of the states only the roots are kept, level by level. A way to one is found backwards: on each level, the first
//! state that has a step to the next one. Then the interpreter goes that way from the start, taking a step to a state with
//! the row that is wanted. Where dead messages were dropped, it may have to take some of them on the way.

use super::net::Net;
use plainsong_semantics::machine::{Config, Outcome, Step};
use plainsong_semantics::search::Reached;
use std::borrow::Cow;

/// One state, and the way to it.
pub(super) struct Told {
    pub(super) start: Config,
    pub(super) steps: Vec<usize>,
    pub(super) end: Config,
}

impl Reached for Told {
    fn config(&self, _: usize) -> Cow<'_, Config> {
        Cow::Borrowed(&self.end)
    }

    fn path(&self, _: usize) -> (Config, Vec<usize>) {
        (self.start.clone(), self.steps.clone())
    }
}

impl Told {
    /// A state without a way to it: for what is looked at in it only.
    pub(super) fn there(config: Config) -> Told {
        Told {
            start: config.clone(),
            steps: Vec::new(),
            end: config,
        }
    }

    /// Takes a step to a state with this row, perhaps after taking dead messages. Says whether there is one.
    pub(super) fn go_to(&mut self, net: &mut Net<'_>, row: &[u32]) -> bool {
        let Some(step) = self.approach(net, row) else {
            return false;
        };
        let steps = net.processes.machine().steps(&self.end);
        self.take(step, &steps);
        true
    }

    /// Takes dead messages until there is a step to a state with this row: its number, if there is one.
    pub(super) fn approach(&mut self, net: &mut Net<'_>, row: &[u32]) -> Option<usize> {
        loop {
            let steps = net.processes.machine().steps(&self.end);
            if let Some(step) = leading_to(net, &steps, row) {
                return Some(step);
            }
            match self.taking_dead(net, &steps) {
                Some(step) if net.drops => self.take(step, &steps),
                _ => return None,
            }
        }
    }

    /// Takes a step of `init` to a state with this row. Says whether there is one.
    pub(super) fn go_first(&mut self, net: &mut Net<'_>, row: &[u32]) -> bool {
        let steps = net.processes.machine().steps(&self.end);
        let step = leading_to(net, &steps, row);
        step.inspect(|step| self.take(*step, &steps)).is_some()
    }

    /// Takes dead messages until nothing can happen, or `until` says so.
    pub(super) fn settle(&mut self, net: &mut Net<'_>, until: impl Fn(&[Step]) -> bool) {
        loop {
            let steps = net.processes.machine().steps(&self.end);
            if until(&steps) || !net.drops {
                return;
            }
            match self.taking_dead(net, &steps) {
                Some(step) => self.take(step, &steps),
                None => return,
            }
        }
    }

    /// The first step that takes a dead message: the row stays the same, and fewer messages are in flight.
    fn taking_dead(&self, net: &mut Net<'_>, steps: &[Step]) -> Option<usize> {
        let here = net.encode(&self.end);
        let many = net.processes.in_flight(&self.end);
        steps.iter().position(|step| match &step.outcome {
            Outcome::Next(next) if !step.kind.is_fault() => {
                net.processes.in_flight(next) < many && net.encode(next) == here
            }
            _ => false,
        })
    }

    fn take(&mut self, step: usize, steps: &[Step]) {
        let Outcome::Next(next) = &steps[step].outcome else {
            panic!("a step to a state leads to a state")
        };
        self.end = next.clone();
        self.steps.push(step);
    }
}

/// The first step to a state with this row, up to names where these do not matter.
fn leading_to(net: &mut Net<'_>, steps: &[Step], row: &[u32]) -> Option<usize> {
    steps.iter().position(|step| match &step.outcome {
        Outcome::Next(next) => net.encode_up_to_names(next) == row,
        _ => false,
    })
}
