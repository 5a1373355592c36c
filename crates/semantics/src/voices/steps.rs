//! What can happen in a state of voices.
//!
//! `init` first, as one step. Then, of each process: a send, a receive or a timeout with the local
//! statements up to just before the next; a start when there are local statements before the first;
//! or, for a process with handlers, the delivery of a message. What a process does by itself is
//! said in [`local`](super::local); here it meets the network.

use super::VoiceSystem;
use super::config::VoicesConfig;
use super::local::Stand;
use super::receive::{Accepted, Acceptor};
use super::turn::Turn;
use crate::code::Pace;
use crate::code::coverage::Covered;
use crate::machine::{Step, Taken};
use crate::trace::EventKind;
use crate::value::Pid;
use crate::world::OwnVars;
use plainsong_ir::Accept;

/// Where a step of a body ends.
const PACE: Pace = Pace::Communications;

impl VoiceSystem {
    /// Everything that can happen, in a fixed order.
    pub(crate) fn steps(&self, config: &VoicesConfig, covered: &mut Covered) -> Vec<Step> {
        if !config.begun {
            return self.init_steps(config, covered);
        }
        let mut steps = Vec::new();
        for lane in 0..config.voices.len() {
            if !config.trouble.is_down(lane) {
                self.steps_of(config, lane, covered, &mut steps);
            }
        }
        self.fault_steps(config, covered, &mut steps);
        steps
    }

    fn init_steps(&self, config: &VoicesConfig, covered: &mut Covered) -> Vec<Step> {
        let (Some(code), Some(branches)) = (self.init, self.begins(covered)) else {
            return Vec::new();
        };
        let turn = Turn {
            system: self,
            config,
            lane: None,
            code,
            kind: EventKind::Init,
        };
        branches
            .into_iter()
            .map(|branch| turn.step(branch, None))
            .collect()
    }

    fn steps_of(
        &self,
        config: &VoicesConfig,
        lane: usize,
        covered: &mut Covered,
        steps: &mut Vec<Step>,
    ) {
        let voice = &config.voices[lane];
        let Some(code) = self.code_at(lane) else {
            return;
        };
        let turn = |kind| Turn {
            system: self,
            config,
            lane: Some(lane),
            code,
            kind,
        };
        let stand = self.stand(lane, voice);
        match stand {
            Stand::Over => {}
            Stand::Goes(kind) => {
                let branches = self.goes(lane, voice, PACE, covered).into_iter();
                steps.extend(branches.map(|branch| turn(kind).step(branch, None)));
            }
            Stand::Receives(_, timeout) => {
                let before = steps.len();
                let turn = turn(EventKind::Receive);
                self.taking_steps(&turn, lane, &stand, covered, steps);
                if let Some(target) = timeout {
                    let turn = Turn {
                        kind: EventKind::Timeout,
                        ..turn
                    };
                    let branches = self
                        .gives_up(lane, voice, target, PACE, covered)
                        .into_iter();
                    steps.extend(branches.map(|branch| turn.step(branch, None)));
                }
                if steps.len() > before {
                    self.receive_ran(lane, voice, covered);
                }
            }
            Stand::Handles(_) => {
                self.taking_steps(&turn(EventKind::Handle), lane, &stand, covered, steps);
            }
        }
    }

    /// The steps that take a message and go on with it.
    fn taking_steps(
        &self,
        turn: &Turn<'_>,
        lane: usize,
        stand: &Stand<'_>,
        covered: &mut Covered,
        steps: &mut Vec<Step>,
    ) {
        let accepts = stand.accepts();
        for (position, accepted) in self.acceptable(turn, lane, &accepts, covered, steps) {
            let message = &turn.config.network.messages()[position];
            let span = accepts[accepted.by].span;
            let taking = self.takes(lane, &turn.config.voices[lane], accepted, PACE, covered);
            let turn = Turn {
                code: taking.code,
                ..*turn
            };
            for branch in taking.branches {
                let taken = Some((position, Taken::Message(message.clone())));
                let step = turn.step(branch, taken);
                steps.push(match turn.kind {
                    EventKind::Handle => Step { span, ..step },
                    _ => step,
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
        covered: &mut Covered,
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
        if let Some(refusals) = &mut covered.refusals {
            let messages = network.messages().iter();
            for message in messages.filter(|message| message.to == me) {
                acceptor.refuse(message.kind, message.from, &message.payload, refusals);
            }
        }
        let mut acceptable = Vec::new();
        let available = network.available(me, |message| {
            acceptor.accept(message.kind, message.from, &message.payload)
        });
        for (position, accepted) in available {
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
}
