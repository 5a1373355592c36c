//! What can happen in a state of voices.
//!
//! `init` first, as one step. Then, of each process: a send, a receive or a timeout with the local
//! statements up to just before the next; a start when there are local statements before the first;
//! or, for a process with handlers, the delivery of a message.

use super::config::{Private, VoicesConfig};
use super::receive::{Accepted, Acceptor};
use super::turn::Turn;
use super::{Act, VoiceSystem};
use crate::code::coverage::Covered;
use crate::code::run::{Halt, Run, Runner};
use crate::code::{Arm, FlatCode, OpKind, Pace};
use crate::machine::{Step, Taken};
use crate::trace::EventKind;
use crate::value::{Pid, Value};
use crate::world::OwnVars;
use plainsong_ir::Accept;

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
        let Some(number) = self.init else {
            return Vec::new();
        };
        let code = &self.codes[number];
        let memory = Private {
            me: Pid::Init,
            vars: Vec::new(),
        };
        let run = Run::new(0, vec![Value::None; code.slots], memory);
        let turn = Turn {
            system: self,
            config,
            lane: None,
            code: number,
            kind: EventKind::Init,
        };
        self.runner(code, Pace::Whole)
            .branches(run, false, covered)
            .into_iter()
            .map(|branch| turn.step(branch, None))
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
        let voice = &config.voices[lane];
        let Some(op) = self.codes[number].ops.get(voice.pc) else {
            return;
        };
        let turn = |kind| Turn {
            system: self,
            config,
            lane: Some(lane),
            code: number,
            kind,
        };
        let goes_on = |pc| Run::new(pc, voice.slots.clone(), private(config, lane));
        match &op.kind {
            OpKind::Select(arms, timeout) => {
                let before = steps.len();
                self.receive_steps(&turn(EventKind::Receive), lane, arms, covered, steps);
                if let Some(target) = timeout {
                    let run = goes_on(*target);
                    self.body_runs(&turn(EventKind::Timeout), run, false, None, covered, steps);
                }
                if steps.len() > before {
                    op.statement
                        .into_iter()
                        .for_each(|statement| covered.ran(statement));
                }
            }
            OpKind::Send(..) => {
                let run = goes_on(voice.pc);
                self.body_runs(&turn(EventKind::Send), run, true, None, covered, steps);
            }
            _ => {
                let run = goes_on(voice.pc);
                self.body_runs(&turn(EventKind::Start), run, false, None, covered, steps);
            }
        }
    }

    /// The steps that receive by one of the arms and go on behind it.
    fn receive_steps(
        &self,
        turn: &Turn<'_>,
        lane: usize,
        arms: &[Arm],
        covered: &mut Covered,
        steps: &mut Vec<Step>,
    ) {
        let accepts: Vec<&Accept> = arms.iter().map(|arm| &arm.accept).collect();
        for (position, accepted) in self.acceptable(turn, lane, &accepts, steps) {
            let message = turn.config.network.messages()[position].clone();
            covered.received(message.kind.index());
            let taken = Some((position, Taken::Message(message)));
            let target = arms[accepted.by].target;
            let run = Run::new(target, accepted.slots, private(turn.config, lane));
            self.body_runs(turn, run, false, taken, covered, steps);
        }
    }

    /// The steps that run the body of a process from here to its next communication.
    fn body_runs(
        &self,
        turn: &Turn<'_>,
        run: Run<Private>,
        moving: bool,
        taken: Option<(usize, Taken)>,
        covered: &mut Covered,
        steps: &mut Vec<Step>,
    ) {
        let runner = self.runner(&self.codes[turn.code], Pace::Communications);
        let branches = runner.branches(run, moving, covered).into_iter();
        steps.extend(branches.map(|branch| turn.step(branch, taken.clone())));
    }

    fn handler_steps(
        &self,
        config: &VoicesConfig,
        lane: usize,
        handlers: &[(Accept, usize)],
        covered: &mut Covered,
        steps: &mut Vec<Step>,
    ) {
        let kind = EventKind::Handle;
        let turn = |code| Turn {
            system: self,
            config,
            lane: Some(lane),
            code,
            kind,
        };
        let Some((_, first)) = handlers.first() else {
            return;
        };
        let accepts: Vec<&Accept> = handlers.iter().map(|(accept, _)| accept).collect();
        for (position, accepted) in self.acceptable(&turn(*first), lane, &accepts, steps) {
            let (accept, code) = &handlers[accepted.by];
            let message = config.network.messages()[position].clone();
            let run = Run::new(0, accepted.slots, private(config, lane));
            let runner = self.runner(&self.codes[*code], Pace::Whole);
            for mut branch in runner.branches(run, false, covered) {
                if matches!(branch.halt, Halt::Blocked) {
                    continue;
                }
                covered.received(message.kind.index());
                branch.run.pc = 0;
                branch.run.slots.clone_from(&config.voices[lane].slots);
                let taken = Some((position, Taken::Message(message.clone())));
                steps.push(Step {
                    span: accept.span,
                    ..turn(*code).step(branch, taken)
                });
            }
        }
    }

    /// The messages that may be taken now, by position; failures to look at one become steps.
    fn acceptable(
        &self,
        turn: &Turn<'_>,
        lane: usize,
        accepts: &[&Accept],
        steps: &mut Vec<Step>,
    ) -> Vec<(usize, Accepted)> {
        let voice = &turn.config.voices[lane];
        let me = Pid::Member(lane as u32);
        let world = OwnVars {
            me,
            vars: &voice.vars,
        };
        let acceptor = match Acceptor::new(self, &world, &voice.slots, accepts) {
            Ok(acceptor) => acceptor,
            Err((at, failure)) => {
                let awaited = Taken::Awaited(accepts[at].message);
                steps.push(turn.fails(failure, awaited, accepts[at].span));
                return Vec::new();
            }
        };
        let network = &turn.config.network;
        let mut acceptable = Vec::new();
        for (position, accepted) in network.available(me, |message| acceptor.accept(message)) {
            match accepted {
                Ok(accepted) => acceptable.push((position, accepted)),
                Err(failure) => {
                    let message = network.messages()[position].clone();
                    let span = failure.span;
                    steps.push(turn.fails(failure, Taken::Message(message), span));
                }
            }
        }
        acceptable
    }

    pub(super) fn runner<'a>(&'a self, code: &'a FlatCode, pace: Pace) -> Runner<'a> {
        Runner {
            instance: &self.instance,
            code,
            pace,
        }
    }
}

fn private(config: &VoicesConfig, lane: usize) -> Private {
    Private {
        me: Pid::Member(lane as u32),
        vars: config.voices[lane].vars.clone(),
    }
}
