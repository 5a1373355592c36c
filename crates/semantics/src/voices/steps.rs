//! What can happen in a state of voices.
//!
//! `init` first, as one step. Then, of each process: a send, a receive or a timeout with the local
//! statements up to just before the next; a start when there are local statements before the first;
//! or, for a process with handlers, the delivery of a message.

use super::config::{Private, Voice, VoicesConfig};
use super::receive::{Accepted, Acceptor};
use super::{Act, VoiceSystem};
use crate::code::coverage::Covered;
use crate::code::run::{Branch, Halt, Outgoing, Run, Runner};
use crate::code::{FlatCode, OpKind, Pace};
use crate::machine::{Config, Form, Outcome, Step, Taken};
use crate::trace::{EventKind, Failure};
use crate::value::{Pid, Value};
use crate::world::OwnVars;
use plainsong_diagnostics::Span;
use plainsong_ir::Accept;
use std::sync::Arc;

impl VoiceSystem {
    /// Everything that can happen, in a fixed order.
    pub(crate) fn steps(&self, config: &VoicesConfig, covered: &mut Covered) -> Vec<Step> {
        if !config.begun {
            return self.init_steps(config, covered);
        }
        let mut steps = Vec::new();
        for lane in 0..config.voices.len() {
            match &self.program_at(lane).act {
                Act::Body(code) => self.body_steps(config, lane, *code, covered, &mut steps),
                Act::Handlers(handlers) => {
                    self.handler_steps(config, lane, handlers, covered, &mut steps);
                }
            }
        }
        steps
    }

    fn init_steps(&self, config: &VoicesConfig, covered: &mut Covered) -> Vec<Step> {
        let Some(number) = self.init else { return Vec::new() };
        let code = &self.codes[number];
        let memory = Private { me: Pid::Init, vars: Vec::new() };
        let run = Run::new(0, vec![Value::None; code.slots], memory);
        let move_ = Move { config, lane: None, code: number, pc: 0, kind: EventKind::Init };
        self.runner(code, Pace::Whole)
            .branches(run, false, covered)
            .into_iter()
            .map(|branch| move_.step(self, branch, None))
            .collect()
    }

    fn body_steps(
        &self,
        config: &VoicesConfig,
        lane: usize,
        number: usize,
        covered: &mut Covered,
        steps: &mut Vec<Step>,
    ) {
        let code = &self.codes[number];
        let voice = &config.voices[lane];
        let Some(op) = code.ops.get(voice.pc) else { return };
        let mut move_ =
            Move { config, lane: Some(lane), code: number, pc: voice.pc, kind: EventKind::Start };
        let moving = match &op.kind {
            OpKind::Select(arms, timeout) => {
                let accepts: Vec<&Accept> = arms.iter().map(|arm| &arm.accept).collect();
                let targets: Vec<usize> = arms.iter().map(|arm| arm.target).collect();
                op.statement.into_iter().for_each(|statement| covered.ran(statement));
                self.receive_steps(&move_, &accepts, &targets, covered, steps);
                if let Some(target) = timeout {
                    move_.kind = EventKind::Timeout;
                    let run = Run::new(*target, voice.slots.clone(), self.private(config, lane));
                    self.push_body(&move_, run, false, None, covered, steps);
                }
                return;
            }
            OpKind::Send(..) => {
                move_.kind = EventKind::Send;
                true
            }
            _ => false,
        };
        let run = Run::new(voice.pc, voice.slots.clone(), self.private(config, lane));
        self.push_body(&move_, run, moving, None, covered, steps);
    }

    /// The steps that receive by one of `accepts` and go on at its target.
    fn receive_steps(
        &self,
        move_: &Move<'_>,
        accepts: &[&Accept],
        targets: &[usize],
        covered: &mut Covered,
        steps: &mut Vec<Step>,
    ) {
        let move_ = Move { kind: EventKind::Receive, ..*move_ };
        let lane = move_.lane.expect("a process receives");
        for (position, accepted) in self.acceptable(&move_, lane, accepts, steps) {
            let (memory, taken) = self.delivered(&move_, lane, position);
            covered.received(taken.kind.index());
            let taken = Taken::Message(taken);
            let target = targets[accepted.by];
            let run = Run::new(target, accepted.slots, memory);
            self.push_body(&move_, run, false, Some((position, taken)), covered, steps);
        }
    }

    fn handler_steps(
        &self,
        config: &VoicesConfig,
        lane: usize,
        handlers: &[(Accept, usize)],
        covered: &mut Covered,
        steps: &mut Vec<Step>,
    ) {
        let move_ = Move { config, lane: Some(lane), code: 0, pc: 0, kind: EventKind::Handle };
        let accepts: Vec<&Accept> = handlers.iter().map(|(accept, _)| accept).collect();
        for (position, accepted) in self.acceptable(&move_, lane, &accepts, steps) {
            let code = handlers[accepted.by].1;
            let move_ = Move { code, ..move_ };
            let (memory, taken) = self.delivered(&move_, lane, position);
            let run = Run::new(0, accepted.slots, memory);
            let runner = self.runner(&self.codes[code], Pace::Whole);
            for mut branch in runner.branches(run, false, covered) {
                if matches!(branch.halt, Halt::Blocked) {
                    continue;
                }
                covered.received(taken.kind.index());
                branch.run.pc = 0;
                branch.run.slots = config.voices[lane].slots.clone();
                let taken = Taken::Message(taken.clone());
                let span = handlers[accepted.by].0.span;
                let step = move_.step(self, branch, Some((position, taken)));
                steps.push(Step { span, ..step });
            }
        }
    }

    /// The messages that may be taken now, by position; failures to look at one become steps.
    fn acceptable(
        &self,
        move_: &Move<'_>,
        lane: usize,
        accepts: &[&Accept],
        steps: &mut Vec<Step>,
    ) -> Vec<(usize, Accepted)> {
        let voice = &move_.config.voices[lane];
        let me = Pid::Member(lane as u32);
        let world = OwnVars { me, vars: &voice.vars };
        let acceptor = match Acceptor::new(self, &world, &voice.slots, accepts) {
            Ok(acceptor) => acceptor,
            Err((at, failure)) => {
                steps.push(move_.failed(failure, None, accepts[at].span));
                return Vec::new();
            }
        };
        let network = &move_.config.network;
        let mut acceptable = Vec::new();
        for (position, accepted) in network.available(me, |message| acceptor.accept(message)) {
            match accepted {
                Ok(accepted) => acceptable.push((position, accepted)),
                Err(failure) => {
                    let message = network.messages()[position].clone();
                    let span = accepts.first().map_or(failure.span, |accept| accept.span);
                    steps.push(move_.failed(failure, Some(Taken::Message(message)), span));
                }
            }
        }
        acceptable
    }

    /// The receiver's variables, and the message at `position`.
    fn delivered(
        &self,
        move_: &Move<'_>,
        lane: usize,
        position: usize,
    ) -> (Private, super::network::Flying) {
        let message = move_.config.network.messages()[position].clone();
        (self.private(move_.config, lane), message)
    }

    fn push_body(
        &self,
        move_: &Move<'_>,
        run: Run<Private>,
        moving: bool,
        taken: Option<(usize, Taken)>,
        covered: &mut Covered,
        steps: &mut Vec<Step>,
    ) {
        let runner = self.runner(&self.codes[move_.code], Pace::Communications);
        for branch in runner.branches(run, moving, covered) {
            steps.push(move_.step(self, branch, taken.clone()));
        }
    }

    fn private(&self, config: &VoicesConfig, lane: usize) -> Private {
        Private { me: Pid::Member(lane as u32), vars: config.voices[lane].vars.clone() }
    }

    pub(super) fn runner<'a>(&'a self, code: &'a FlatCode, pace: Pace) -> Runner<'a> {
        Runner { instance: &self.instance, code, pace }
    }
}

/// A step in the making: who moves, from where, how.
#[derive(Clone, Copy)]
struct Move<'a> {
    config: &'a VoicesConfig,
    lane: Option<usize>,
    code: usize,
    pc: usize,
    kind: EventKind,
}

impl Move<'_> {
    /// The step that went along `branch`, after taking the message at a position.
    fn step(
        &self,
        system: &VoiceSystem,
        branch: Branch<Private>,
        taken: Option<(usize, Taken)>,
    ) -> Step {
        let Branch { run, halt } = branch;
        let chosen = run.chosen.clone();
        let (position, taken) = taken.unzip();
        let outcome = match halt {
            Halt::Blocked => Outcome::Discarded,
            Halt::Stop => Outcome::Next(self.after(system, run, position)),
            Halt::Failed(failure) => Outcome::Failed(failure, self.after(system, run, position)),
        };
        let span = system.codes[self.code].ops.get(self.pc).map_or(Span::default(), |op| op.span);
        self.of(outcome, taken, chosen, span)
    }

    fn failed(&self, failure: Failure, taken: Option<Taken>, span: Span) -> Step {
        let config = Config(Form::Voices(self.config.clone()));
        self.of(Outcome::Failed(failure, config), taken, Vec::new(), span)
    }

    fn of(
        &self,
        outcome: Outcome,
        taken: Option<Taken>,
        chosen: Vec<crate::code::run::Chosen>,
        span: Span,
    ) -> Step {
        Step {
            lane: self.lane,
            kind: self.kind,
            span,
            outcome,
            taken,
            chosen,
            code: self.code,
            pc: self.pc,
        }
    }

    /// The state after a run.
    fn after(&self, system: &VoiceSystem, run: Run<Private>, position: Option<usize>) -> Config {
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
            config.network.send(from, to, system.delivery(kind, to), kind, payload);
        }
        config.network.normalise();
        if let Some(lane) = self.lane {
            let voice = Voice { pc: run.pc, slots: run.slots, vars: run.memory.vars };
            config.voices[lane] = Arc::new(voice);
        }
        Config(Form::Voices(config))
    }
}
