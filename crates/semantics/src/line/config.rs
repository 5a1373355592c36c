//! A state of a choreography.

use crate::code::assign::{Memory, Target};
use crate::value::Value;
use crate::world::World;
use plainsong_ir::VarId;
use std::sync::Arc;

/// Where a choreography is, and the variables of its endpoints.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LineConfig {
    /// The next instruction.
    pub(crate) pc: usize,
    /// Parameters and locals.
    pub(crate) slots: Vec<Value>,
    pub(crate) endpoints: Endpoints,
}

/// The variables of all endpoints, now and at the start.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Endpoints {
    /// The row of the first endpoint in the instance's table.
    pub(crate) first: usize,
    /// The variables of each endpoint.
    pub(crate) vars: Vec<Vec<Value>>,
    /// What `old` speaks about.
    pub(crate) before: Option<Arc<Endpoints>>,
}

impl World for Endpoints {
    fn of(&self, member: usize, var: VarId) -> &Value {
        &self.vars[member - self.first][var.index()]
    }

    fn before(&self) -> &dyn World {
        match &self.before {
            Some(before) => &**before,
            None => self,
        }
    }
}

impl Memory for Endpoints {
    fn variable(&mut self, target: Target) -> &mut Value {
        match target {
            Target::Of(member, var) => &mut self.vars[member - self.first][var.index()],
            other => panic!("a choreography writes variables of endpoints, not {other:?}"),
        }
    }
}
