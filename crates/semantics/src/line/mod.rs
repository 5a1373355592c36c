//! Lines: choreographies, run statement by statement.
//!
//! One step is one assignment, at the endpoint that owns its target, with everything up to just
//! before the next one. Parameters take every value of their (bounded) types that `requires` allows.
//! `ensures` is checked at the end, loop invariants before each round and after the last, what loops decrease after each round. A condition that
//! several endpoints decide part by part is checked to be unanimous.

pub(crate) mod config;
mod located;
mod start;

use crate::code::coverage::{Covered, Statements};
use crate::code::flatten::flatten_line;
use crate::code::run::{Branch, Halt, Run, Runner};
use crate::code::{FlatCode, Pace};
use crate::instance::Instance;
use crate::machine::{Config, Form, Outcome, Step};
use config::{Endpoints, LineConfig};
use located::Located;

/// A choreography, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    instance: Instance,
    /// Its position among the song's choreographies.
    number: usize,
    code: FlatCode,
}

impl Line {
    /// Prepares a choreography of an instance.
    pub(crate) fn new(instance: &Instance, number: usize, statements: &mut Statements) -> Self {
        let line = &instance.song().lines[number];
        let mut code = flatten_line(instance.song(), line, statements);
        code.promise_at_the_end("ensures", &line.ensures);
        if line.is_lemma() {
            code.is_proof_of(instance.song(), number);
        }
        Line {
            instance: instance.clone(),
            number,
            code,
        }
    }

    pub(crate) fn code(&self) -> &FlatCode {
        &self.code
    }

    /// Its number of parameters.
    pub(crate) fn arity(&self) -> usize {
        self.instance.song().lines[self.number].code.arity
    }

    /// Everything that can happen, in a fixed order.
    pub(crate) fn steps(&self, config: &LineConfig, covered: &mut Covered) -> Vec<Step> {
        if self.code.is_end(config.pc) {
            return Vec::new();
        }
        let moving = self.code.stops(config.pc, Pace::Assignments);
        let run = Run::new(config.pc, config.slots.clone(), config.endpoints.clone());
        let located = self.located(config);
        let branches = self.runner().branches(run, moving, covered);
        branches
            .into_iter()
            .map(|branch| self.step(config, &located, branch))
            .collect()
    }

    fn runner(&self) -> Runner<'_> {
        Runner {
            instance: &self.instance,
            code: &self.code,
            pace: Pace::Assignments,
        }
    }

    fn step(&self, config: &LineConfig, located: &Located, branch: Branch<Endpoints>) -> Step {
        let Branch { run, halt } = branch;
        let chosen = run.chosen.clone();
        let outcome = match halt {
            Halt::Blocked => Outcome::Discarded,
            Halt::Stop => Outcome::Next(after(run)),
            Halt::Failed(failure) => Outcome::Failed(failure, after(run)),
        };
        Step {
            lane: located.owner,
            kind: located.kind(),
            span: self.code.ops[config.pc].span,
            outcome,
            taken: None,
            chosen,
            code: 0,
            pc: config.pc,
        }
    }
}

fn after(run: Run<Endpoints>) -> Config {
    Config(Form::Line(LineConfig {
        pc: run.pc,
        slots: run.slots,
        endpoints: run.memory,
    }))
}
