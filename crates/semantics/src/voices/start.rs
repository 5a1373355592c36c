//! How voices begin.

use super::config::{Private, Voice, VoicesConfig};
use super::faults::Trouble;
use super::network::Network;
use super::{Act, VoiceSystem};
use crate::code::Pace;
use crate::code::coverage::Covered;
use crate::code::run::{Halt, Run};
use crate::eval::{Eval, Result};
use crate::machine::{Config, Form, Outcome};
use crate::start::{combinations, start_values};
use crate::value::{Pid, Value};
use crate::world::OwnVars;
use std::sync::Arc;

impl VoiceSystem {
    /// The states at the start: every combination of starting values.
    pub(crate) fn initial(&self, covered: &mut Covered) -> Vec<Outcome> {
        let lanes = self.program_of.len();
        let mut possibilities = Vec::new();
        for lane in 0..lanes {
            match self.starts(lane, None) {
                Ok(vars) => possibilities.push(
                    vars.into_iter()
                        .map(|vars| self.voice(lane, vars, covered))
                        .collect(),
                ),
                Err(failure) => return vec![Outcome::Failed(failure, self.config(Vec::new()))],
            }
        }
        match combinations(&possibilities) {
            Ok(all) => all
                .into_iter()
                .map(|voices| Outcome::Next(self.config(voices)))
                .collect(),
            Err(failure) => vec![Outcome::Failed(failure, self.config(Vec::new()))],
        }
    }

    fn config(&self, voices: Vec<Arc<Voice>>) -> Config {
        let begun = self.init.is_none();
        Config(Form::Voices(VoicesConfig {
            begun,
            voices,
            network: Network::new(),
            trouble: Trouble::default(),
        }))
    }

    /// Every way the state variables of a process can start; durable ones keep the values of a process
    /// that restarts.
    pub(super) fn starts(&self, lane: usize, kept: Option<&[Value]>) -> Result<Vec<Vec<Value>>> {
        let member = &self.instance.members()[lane];
        let family = &self.instance.song().families[member.family.index()];
        let mut starts = vec![Vec::new()];
        for (at, var) in family.vars.iter().enumerate() {
            if let Some(kept) = kept.filter(|_| var.durable) {
                starts
                    .iter_mut()
                    .for_each(|vars| vars.push(kept[at].clone()));
                continue;
            }
            let mut longer = Vec::new();
            for vars in starts {
                let world = OwnVars {
                    me: Pid::Member(lane as u32),
                    vars: &vars,
                };
                let mut eval = Eval::new(&self.instance, &world);
                let mut slots = member.index.clone();
                slots.resize(var.locals.len().max(slots.len()), Value::None);
                for value in start_values(&mut eval, &var.start, var.span, &mut slots)? {
                    longer.push([&vars[..], &[value]].concat());
                }
            }
            starts = longer;
        }
        Ok(starts)
    }

    /// A process about to start.
    ///
    /// Local statements before its first communication are a step of their own, unless nobody could
    /// tell: when they choose nothing, change no state variable and do not fail, the process starts
    /// behind them.
    pub(super) fn voice(&self, lane: usize, vars: Vec<Value>, covered: &mut Covered) -> Arc<Voice> {
        let mut slots = self.instance.members()[lane].index.clone();
        let Act::Body(number) = self.program_at(lane).act else {
            let width = self.handler_slots(lane).max(slots.len());
            slots.resize(width, Value::None);
            return Arc::new(Voice { pc: 0, slots, vars });
        };
        let code = &self.codes[number];
        slots.resize(code.slots, Value::None);
        let memory = Private {
            me: Pid::Member(lane as u32),
            vars,
        };
        let run = Run::new(0, slots.clone(), memory.clone());
        let branches = self
            .runner(code, Pace::Choices)
            .branches(run, false, covered);
        if let [only] = &branches[..]
            && matches!(only.halt, Halt::Stop)
            && only.run.memory.vars == memory.vars
        {
            let Run { pc, ref slots, .. } = only.run;
            let voice = Voice {
                pc,
                slots: slots.clone(),
                vars: memory.vars.clone(),
            };
            if !self.is_at_choice(lane, &voice) {
                return Arc::new(voice);
            }
        }
        Arc::new(Voice {
            pc: 0,
            slots,
            vars: memory.vars,
        })
    }

    /// How many locals the handlers of a process use.
    fn handler_slots(&self, lane: usize) -> usize {
        match &self.program_at(lane).act {
            Act::Body(_) => 0,
            Act::Handlers(handlers) => handlers
                .iter()
                .map(|(_, code)| self.codes[*code].slots)
                .max()
                .unwrap_or(0),
        }
    }
}
