//! A state of voices.

use super::faults::Trouble;
use super::network::Network;
use crate::code::assign::{Memory, Target};
use crate::value::{Pid, Value};
use crate::world::{Sought, World};
use plainsong_ir::{PendingOf, VarId};
use std::sync::Arc;

/// A state of voices: each process, and what is in flight between them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct VoicesConfig {
    /// Has `init` run (or is there none)?
    pub(crate) begun: bool,
    /// The processes, by row of the instance's table.
    pub(crate) voices: Vec<Arc<Voice>>,
    /// The messages in flight.
    pub(crate) network: Network,
    /// What has gone wrong.
    pub(crate) trouble: Trouble,
}

/// A state of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Voice {
    /// The next instruction of its body; 0 for handlers.
    pub(crate) pc: usize,
    /// Its locals.
    pub(crate) slots: Vec<Value>,
    /// Its state variables.
    pub(crate) vars: Vec<Value>,
}

impl World for VoicesConfig {
    fn of(&self, member: usize, var: VarId) -> &Value {
        &self.voices[member].vars[var.index()]
    }

    fn has_crashed(&self, member: usize) -> bool {
        self.trouble.is_down(member)
    }

    fn pending(&self, what: PendingOf) -> usize {
        let messages = self.network.messages().iter();
        match what {
            PendingOf::All => messages.count(),
            PendingOf::Message(kind) => messages.filter(|message| message.kind == kind).count(),
            PendingOf::Action(_) => panic!("voices have no actions"),
        }
    }

    fn in_flight(&self, sought: &Sought) -> usize {
        let messages = self.network.messages().iter();
        let these = messages.filter(|message| {
            message.kind == sought.kind
                && message.to == sought.to
                && sought.from.is_none_or(|from| message.from == from)
                && *message.payload == *sought.payload
        });
        these.count()
    }
}

/// The state variables of the process that runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Private {
    /// The process.
    pub(crate) me: Pid,
    /// Their values.
    pub(crate) vars: Vec<Value>,
}

impl World for Private {
    fn me(&self) -> Option<Pid> {
        Some(self.me)
    }

    fn own(&self, var: VarId) -> &Value {
        &self.vars[var.index()]
    }
}

impl Memory for Private {
    fn variable(&mut self, target: Target) -> &mut Value {
        match target {
            Target::Own(var) => &mut self.vars[var.index()],
            other => panic!("a process writes its own variables, not {other:?}"),
        }
    }
}
