//! What expressions can read besides their locals.
//!
//! Each form implements the part it has; the checker makes sure that an expression reads nothing
//! that its place does not have, so the rest panics.

use crate::value::{Pid, Value};
use plainsong_ir::{ActionId, GlobalId, MessageId, PendingOf, VarId};

/// Messages that `pending(M(e) to p)` counts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sought {
    /// Their kind.
    pub(crate) kind: MessageId,
    /// Who gets them.
    pub(crate) to: Pid,
    /// Who sent them; anybody when not said.
    pub(crate) from: Option<Pid>,
    /// What they carry.
    pub(crate) payload: Vec<Value>,
}

/// The variables around an expression.
pub(crate) trait World: Sync {
    /// The process whose code this is, if it is a process's.
    fn me(&self) -> Option<Pid> {
        None
    }

    /// A state variable of the process whose code this is.
    fn own(&self, _: VarId) -> &Value {
        panic!("own variables are read only in the code of a process")
    }

    /// A state variable of a member (a row of the instance's table).
    fn of(&self, _member: usize, _: VarId) -> &Value {
        panic!("variables of other processes are read only in properties and choreographies")
    }

    /// A global variable.
    fn global(&self, _: GlobalId) -> &Value {
        panic!("global variables are read only in action systems")
    }

    /// How many messages or asyncs are in flight.
    fn pending(&self, _: PendingOf) -> usize {
        panic!("`pending` stands only in properties")
    }

    /// How many asyncs of an action with these arguments are in flight.
    fn pending_with(&self, _: ActionId, _: &[Value]) -> usize {
        panic!("`pending` stands only in properties")
    }

    /// How many messages like this are in flight.
    fn in_flight(&self, _: &Sought) -> usize {
        panic!("messages are counted only in properties of processes")
    }

    /// Has a member (a row of the instance's table) crashed, and not restarted?
    fn has_crashed(&self, _member: usize) -> bool {
        panic!("`crashed` stands only in properties of processes")
    }

    /// The world that `old` speaks about.
    fn before(&self) -> &dyn World {
        panic!("`old` stands only in the contract of a choreography and in properties of steps")
    }
}

/// A world without variables: constants, sizes of sorts, bodies of functions.
pub(crate) struct Nothing;

impl World for Nothing {}

/// The state variables of one process.
pub(crate) struct OwnVars<'a> {
    /// The process.
    pub(crate) me: Pid,
    /// Their values, as far as they are initialised.
    pub(crate) vars: &'a [Value],
}

impl World for OwnVars<'_> {
    fn me(&self) -> Option<Pid> {
        Some(self.me)
    }

    fn own(&self, var: VarId) -> &Value {
        &self.vars[var.index()]
    }
}

/// The world after a step, which knows the one before it.
pub(crate) struct Between<'a> {
    pub(crate) after: &'a dyn World,
    /// What `old` speaks about.
    pub(crate) before: &'a dyn World,
}

impl World for Between<'_> {
    fn me(&self) -> Option<Pid> {
        self.after.me()
    }

    fn own(&self, var: VarId) -> &Value {
        self.after.own(var)
    }

    fn of(&self, member: usize, var: VarId) -> &Value {
        self.after.of(member, var)
    }

    fn global(&self, global: GlobalId) -> &Value {
        self.after.global(global)
    }

    fn pending(&self, what: PendingOf) -> usize {
        self.after.pending(what)
    }

    fn pending_with(&self, action: ActionId, arguments: &[Value]) -> usize {
        self.after.pending_with(action, arguments)
    }

    fn in_flight(&self, sought: &Sought) -> usize {
        self.after.in_flight(sought)
    }

    fn has_crashed(&self, member: usize) -> bool {
        self.after.has_crashed(member)
    }

    fn before(&self) -> &dyn World {
        self.before
    }
}
