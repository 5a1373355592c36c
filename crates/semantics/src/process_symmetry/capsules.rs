//! Names of members in processes one by one, for engines that keep a state as one number for each process with its inbox.
//!
//! Renaming acts on a state process by process and message by message: the process in a lane becomes one in the lane
//! of its renamed indices, with renamed variables, and so do the messages to it. How a member looks at a state is put together
//! from how it looks at each of them. So both can be worked out once for each process, and kept.
//!
//! What is found this way is an execution of the loosened system, to be played in the real one: see [`super`].

use super::orbit::Names;
use super::play::Played;
use super::shape::{Eyes, Permutation};
use super::{loosened, shape};
use crate::capsules::{Local, Message};
use crate::machine::{Config, Form, Machine, Outcome};
use crate::search::{Answer, Check, Findings, Query};
use crate::trace::Trace;
use plainsong_ir::SortId;

/// Processes, and the names that do not matter in them.
pub struct SymmetricProcesses {
    real: Machine,
    loose: Machine,
    names: Names,
}

/// Other names for all members, and so for processes.
pub struct Renaming(Permutation);

impl Renaming {
    /// The lane of a process with its new name.
    pub fn lane(&self, lane: usize) -> usize {
        self.0.rows[lane] as usize
    }
}

impl SymmetricProcesses {
    /// The processes of a machine, and sorts that are [symmetric](super::symmetric) in them.
    ///
    /// # Panics
    ///
    /// When the machine has no processes.
    pub fn new(real: &Machine, sorts: &[SortId]) -> Self {
        let loose = loosened(real, sorts);
        let Form::Voices(system) = &loose.form else {
            panic!("there are processes")
        };
        SymmetricProcesses {
            real: real.clone(),
            names: Names::new(system, sorts),
            loose,
        }
    }

    /// The machine whose steps are the same up to names: loops of bodies take members in any order.
    pub fn loose(&self) -> &Machine {
        &self.loose
    }

    /// Is it the real one, because no loop had to be loosened?
    pub fn is_real(&self) -> bool {
        match &self.loose.form {
            Form::Voices(system) => !system.has_loosened(),
            _ => true,
        }
    }

    /// How many members each sort has.
    pub fn sizes(&self) -> Vec<usize> {
        self.names.nobody().iter().map(Vec::len).collect()
    }

    /// The renaming that gives the members, one sort after the other, these numbers within their sort.
    pub fn renaming(&self, members: &[u32]) -> Renaming {
        let mut rest = members;
        let mut all = Vec::new();
        for size in self.sizes() {
            let (sort, others) = rest.split_at(size);
            all.push(sort.to_vec());
            rest = others;
        }
        Renaming(self.names.permutation(all))
    }

    /// A process with other names.
    pub fn local(&self, lane: usize, local: &Local, to: &Renaming) -> Local {
        let voice = self.names.renamed_voice(lane, &local.voice, &to.0);
        Local {
            voice: voice.into(),
            down: local.down,
        }
    }

    /// A message with other names.
    pub fn message(&self, message: &Message, to: &Renaming) -> Message {
        Message {
            from: to.0.pid(message.from),
            payload: self
                .names
                .renamed_payload(message.kind, &message.payload, &to.0),
            ..message.clone()
        }
    }

    /// How each member, one sort after the other, sees a process: the same as the renamed member sees the renamed process.
    pub fn looks(&self, lane: usize, local: &Local) -> Vec<u64> {
        let look = |eyes: Eyes<'_>| {
            self.names
                .look_at_voice((lane, &local.voice), local.down, &eyes)
        };
        self.names.all_eyes().map(look).collect()
    }

    /// How each member, one sort after the other, sees a message to a lane; none is `init`.
    pub fn looks_at_message(&self, lane: Option<usize>, message: &Message) -> Vec<u64> {
        let look = |eyes: Eyes<'_>| {
            let to = lane.map_or(0, |lane| eyes.rows[lane]);
            self.names
                .look_at_message((message.from, to), (message.kind, &message.payload), &eyes)
        };
        self.names.all_eyes().map(look).collect()
    }

    /// Looks for a real execution that refutes a check, given one of the loosened machine: its start, and the numbers of its steps.
    pub fn real_execution(&self, check: Check, start: &Config, steps: &[usize]) -> Option<Trace> {
        let mut told = Vec::new();
        let mut here = start.clone();
        for number in steps {
            let mut all = self.loose.steps(&here);
            told.push((here.clone(), *number));
            match all.swap_remove(*number).outcome {
                Outcome::Next(next) => here = next,
                Outcome::Failed(..) | Outcome::Discarded => break,
            }
        }
        if told.len() == steps.len() {
            told.push((here, usize::MAX));
        }
        let query = Query {
            subject: self.real.subject(),
            checks: vec![check],
        };
        for played in Played::ways(&self.real, &self.loose, &self.names, &told) {
            let mut findings = Findings::new(&self.real, &query);
            played.check(&mut findings);
            if let Some(Answer::Refuted(trace)) = findings.answer_to(check) {
                return Some((**trace).clone());
            }
        }
        None
    }
}

/// One number out of two, in which their order shows.
pub fn mixed(first: u64, second: u64) -> u64 {
    shape::mixed(first, second)
}
