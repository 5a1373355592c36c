//! What goes wrong with processes and messages, as far as the song declares it.
//!
//! Faults happen after `init`, at any time, each as a step of its own and no more often than declared:
//!
//! - *crash*: a process that has not ended is down. It does nothing; messages to it stay where they are;
//!   properties see the values it had.
//! - *restart*: a process that is down begins anew. Its durable variables keep their values, the others
//!   start again.
//! - *lose*: a message in flight is gone.
//! - *duplicate*: a copy of a message in flight is sent, behind what its sender has sent so far.
//!
//! Nobody can count on a fault. So a state in which only faults can happen is quiescent: it is final, or a
//! deadlock, as if there were none. Nobody waits for a process that is down.

use super::VoiceSystem;
use super::config::{Voice, VoicesConfig};
use super::local::Stand;
use crate::code::coverage::Covered;
use crate::eval::Result;
use crate::machine::{Config, Form, Outcome, Step, Taken};
use crate::trace::EventKind;
use crate::value::Value;
use plainsong_ir::{FamilyId, FaultKind, MessageId};
use std::sync::Arc;

/// What has gone wrong so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Trouble {
    /// How often each declared fault has happened; empty while none has.
    spent: Vec<u32>,
    /// The processes that are down, ascending.
    down: Vec<u32>,
}

impl Trouble {
    /// Is a process down?
    pub(crate) fn is_down(&self, lane: usize) -> bool {
        self.down.binary_search(&(lane as u32)).is_ok()
    }

    /// So often each fault has happened (the last of them at least once), and these are down, ascending.
    pub(crate) fn of(spent: Vec<u32>, down: Vec<u32>) -> Trouble {
        Trouble { spent, down }
    }

    /// How often each declared fault has happened; trailing ones that never did are left out.
    pub(crate) fn spent_by_fault(&self) -> &[u32] {
        &self.spent
    }

    /// In words, so that different troubles have different words: who is down, and how often each fault has happened.
    pub(crate) fn words(&self, name: impl Fn(usize) -> String) -> Vec<String> {
        let down = self.down.iter();
        let down = down.map(|lane| format!("{} is down", name(*lane as usize)));
        let spent = self
            .spent
            .iter()
            .enumerate()
            .filter(|(_, times)| **times > 0);
        let spent =
            spent.map(|(fault, times)| format!("fault {} happened {times} times", fault + 1));
        down.chain(spent).collect()
    }

    /// With other names for processes.
    pub(crate) fn renamed(&self, row: impl Fn(u32) -> u32) -> Trouble {
        let mut down: Vec<u32> = self.down.iter().map(|lane| row(*lane)).collect();
        down.sort_unstable();
        let spent = self.spent.clone();
        Trouble { spent, down }
    }

    fn spent(&self, fault: usize) -> u32 {
        self.spent.get(fault).copied().unwrap_or(0)
    }

    fn spend(&mut self, fault: usize) {
        if self.spent.len() <= fault {
            self.spent.resize(fault + 1, 0);
        }
        self.spent[fault] += 1;
    }
}

impl VoiceSystem {
    /// Every fault that can happen now, in a fixed order.
    pub(super) fn fault_steps(
        &self,
        config: &VoicesConfig,
        covered: &mut Covered,
        steps: &mut Vec<Step>,
    ) {
        for (number, fault) in self.faults.iter().enumerate() {
            if fault
                .most
                .is_some_and(|most| config.trouble.spent(number) >= most)
            {
                continue;
            }
            let first = steps.len();
            match fault.kind {
                FaultKind::Crash(family) => self.crashes(config, family, steps),
                FaultKind::Restart(family) => self.restarts(config, family, covered, steps),
                FaultKind::Lose(kind) => self.losses(config, kind, steps),
                FaultKind::Duplicate(kind) => self.copies(config, kind, steps),
            }
            for step in &mut steps[first..] {
                step.span = fault.span;
                if let Outcome::Next(Config(Form::Voices(after))) = &mut step.outcome
                    && fault.most.is_some()
                {
                    after.trouble.spend(number);
                }
            }
        }
    }

    fn crashes(&self, config: &VoicesConfig, family: FamilyId, steps: &mut Vec<Step>) {
        for lane in self.lanes_of(family) {
            let is_over = matches!(self.stand(lane, &config.voices[lane]), Stand::Over);
            if is_over || config.trouble.is_down(lane) {
                continue;
            }
            let mut after = config.clone();
            after.trouble.down.push(lane as u32);
            after.trouble.down.sort_unstable();
            steps.push(fault(Some(lane), EventKind::Crash, None, after));
        }
    }

    /// The process of a lane that begins anew, in every way it can.
    pub(crate) fn anew(
        &self,
        lane: usize,
        vars: &[Value],
        covered: &mut Covered,
    ) -> Result<Vec<Arc<Voice>>> {
        let starts = self.starts(lane, Some(vars))?.into_iter();
        Ok(starts.map(|vars| self.voice(lane, vars, covered)).collect())
    }

    fn restarts(
        &self,
        config: &VoicesConfig,
        family: FamilyId,
        covered: &mut Covered,
        steps: &mut Vec<Step>,
    ) {
        let down = |lane: &usize| config.trouble.is_down(*lane);
        for lane in self.lanes_of(family).filter(down) {
            let voices = match self.anew(lane, &config.voices[lane].vars, covered) {
                Ok(voices) => voices,
                Err(failure) => {
                    let mut step = fault(Some(lane), EventKind::Restart, None, config.clone());
                    let config = Config(Form::Voices(config.clone()));
                    step.outcome = Outcome::Failed(failure, config);
                    steps.push(step);
                    continue;
                }
            };
            for voice in voices {
                let mut after = config.clone();
                after.trouble.down.retain(|down| *down != lane as u32);
                after.voices[lane] = voice;
                steps.push(fault(Some(lane), EventKind::Restart, None, after));
            }
        }
    }

    fn losses(&self, config: &VoicesConfig, kind: MessageId, steps: &mut Vec<Step>) {
        for (position, message) in config.network.messages().iter().enumerate() {
            if message.kind == kind {
                let mut after = config.clone();
                after.network.lose(position);
                after.network.normalise();
                let hit = Some(Taken::Hit(message.clone()));
                steps.push(fault(message.to.member(), EventKind::Lose, hit, after));
            }
        }
    }

    fn copies(&self, config: &VoicesConfig, kind: MessageId, steps: &mut Vec<Step>) {
        for (position, message) in config.network.messages().iter().enumerate() {
            if message.kind == kind {
                let mut after = config.clone();
                after.network.double(position);
                after.network.normalise();
                let hit = Some(Taken::Hit(message.clone()));
                steps.push(fault(
                    message.from.member(),
                    EventKind::Duplicate,
                    hit,
                    after,
                ));
            }
        }
    }

    fn lanes_of(&self, family: FamilyId) -> impl Iterator<Item = usize> {
        let members = self.instance.members();
        (0..self.program_of.len()).filter(move |lane| members[*lane].family == family)
    }
}

fn fault(lane: Option<usize>, kind: EventKind, hit: Option<Taken>, after: VoicesConfig) -> Step {
    Step {
        lane,
        kind,
        span: plainsong_diagnostics::Span::default(),
        outcome: Outcome::Next(Config(Form::Voices(after))),
        taken: hit,
        chosen: Vec::new(),
        code: 0,
        pc: 0,
    }
}
