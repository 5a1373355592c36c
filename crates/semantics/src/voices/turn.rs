//! A step in the making: who moves, and how.

use super::VoiceSystem;
use super::config::{Private, Voice, VoicesConfig};
use crate::code::run::{Branch, Chosen, Halt, Outgoing, Run};
use crate::machine::{Config, Form, Outcome, Step, Taken};
use crate::trace::{EventKind, Failure};
use plainsong_diagnostics::Span;
use std::sync::Arc;

/// A process (or `init`) about to make a step of some kind in a state.
#[derive(Clone, Copy)]
pub(super) struct Turn<'a> {
    pub(super) system: &'a VoiceSystem,
    pub(super) config: &'a VoicesConfig,
    /// Who; none for `init`.
    pub(super) lane: Option<usize>,
    /// The number of the code that runs.
    pub(super) code: usize,
    pub(super) kind: EventKind,
}

impl Turn<'_> {
    /// The step that went along `branch`, after taking the message at a position.
    pub(super) fn step(&self, branch: Branch<Private>, taken: Option<(usize, Taken)>) -> Step {
        let Branch { run, halt } = branch;
        let chosen = run.chosen.clone();
        let (position, taken) = taken.unzip();
        let outcome = match halt {
            Halt::Blocked => Outcome::Discarded,
            Halt::Stop => Outcome::Next(self.after(run, position)),
            Halt::Failed(failure) => Outcome::Failed(failure, self.after(run, position)),
        };
        let span = self
            .system
            .code(self.code)
            .ops
            .get(self.pc())
            .map(|op| op.span);
        self.told(outcome, taken, chosen, span.unwrap_or_default())
    }

    /// The step that fails while looking at what there is to receive.
    pub(super) fn fails(&self, failure: Failure, taken: Taken, span: Span) -> Step {
        let config = Config(Form::Voices(self.config.clone()));
        self.told(
            Outcome::Failed(failure, config),
            Some(taken),
            Vec::new(),
            span,
        )
    }

    fn told(
        &self,
        outcome: Outcome,
        taken: Option<Taken>,
        chosen: Vec<Chosen>,
        span: Span,
    ) -> Step {
        let Turn {
            lane, kind, code, ..
        } = *self;
        Step {
            lane,
            kind,
            span,
            outcome,
            taken,
            chosen,
            code,
            pc: self.pc(),
        }
    }

    /// The instruction that the step begins with.
    fn pc(&self) -> usize {
        self.lane.map_or(0, |lane| self.config.voices[lane].pc)
    }

    /// The state after a run.
    fn after(&self, run: Run<Private>, position: Option<usize>) -> Config {
        let mut config = self.config.clone();
        config.begun = true;
        if let Some(position) = position {
            config.network.take(position);
        }
        let from = run.memory.me;
        for outgoing in run.sent {
            let Outgoing::Message(kind, payload, to) = outgoing else {
                panic!("processes leave no asyncs")
            };
            config
                .network
                .send(from, to, self.system.delivery(kind, to), kind, payload);
        }
        config.network.normalise();
        if let Some(lane) = self.lane {
            let voice = Voice {
                pc: run.pc,
                slots: run.slots,
                vars: run.memory.vars,
            };
            config.voices[lane] = Arc::new(voice);
        }
        Config(Form::Voices(config))
    }
}
