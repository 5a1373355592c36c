//! A state of an action system.

use crate::mark::Mark;
use crate::value::Value;
use crate::world::World;
use plainsong_ir::{ActionId, GlobalId, PendingOf};
use std::sync::Arc;

/// The values of the globals and the bag of pending asyncs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ActionsConfig {
    /// Has `init` run (or is there none)?
    pub(crate) begun: bool,
    pub(crate) globals: Vec<Value>,
    /// The pending asyncs, ascending.
    pub(crate) pending: Vec<Pending>,
    /// How many asyncs were ever left.
    left: Mark,
}

/// An async that has not run yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Pending {
    pub(crate) action: ActionId,
    pub(crate) arguments: Arc<[Value]>,
    /// Its number in a trace.
    pub(crate) number: Mark,
}

impl ActionsConfig {
    /// Nothing pending.
    pub(crate) fn new(begun: bool, globals: Vec<Value>) -> Self {
        ActionsConfig {
            begun,
            globals,
            pending: Vec::new(),
            left: Mark(0),
        }
    }

    /// Leaves one more async; the caller sorts.
    pub(crate) fn leave(&mut self, action: ActionId, arguments: Vec<Value>) {
        self.pending.push(Pending {
            action,
            arguments: arguments.into(),
            number: self.left,
        });
        self.left.0 += 1;
    }

    /// The number of the next async.
    pub(crate) fn left(&self) -> u64 {
        self.left.0
    }
}

impl World for ActionsConfig {
    fn global(&self, global: GlobalId) -> &Value {
        &self.globals[global.index()]
    }

    fn pending(&self, what: PendingOf) -> usize {
        match what {
            PendingOf::All => self.pending.len(),
            PendingOf::Action(action) => self
                .pending
                .iter()
                .filter(|pending| pending.action == action)
                .count(),
            PendingOf::Message(_) => panic!("actions have no messages"),
        }
    }

    fn pending_with(&self, action: ActionId, arguments: &[Value]) -> usize {
        let these =
            |pending: &&Pending| pending.action == action && *pending.arguments == *arguments;
        self.pending.iter().filter(these).count()
    }
}
