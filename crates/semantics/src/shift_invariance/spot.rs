//! Where integers are kept: what [`infer`](super::infer) says something about.

use plainsong_ir::{ActionId, FamilyId, GlobalId, LocalId, MessageId, VarId};

/// Where integers are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Spot {
    /// A state variable.
    Var(FamilyId, VarId),
    Global(GlobalId),
    /// A field of a message.
    Field(MessageId, usize),
    /// A parameter of an action.
    Argument(ActionId, usize),
    /// A local of the code with this number: families first, then actions.
    Local(usize, LocalId),
}
