//! Actions: global variables, gated atomic actions, and a bag of pending asyncs.

use crate::{Code, Local, StartValue, Ty};
use plainsong_diagnostics::Span;

/// An action system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Actions {
    /// Global variables.
    pub globals: Vec<Global>,
    /// Actions.
    pub actions: Vec<Action>,
    /// `init { … }`: runs once, before everything, as one step.
    pub init: Option<Code>,
}

/// `var x: T = e;` outside of everything.
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// Its value at the start; may read globals declared earlier.
    pub start: StartValue,
    /// Names bound in `start`.
    pub locals: Vec<Local>,
    /// The name in the text.
    pub span: Span,
}

/// `action Name(…) { … }`: runs as a whole. `assert` is its gate, `assume` blocks it.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Its name.
    pub name: String,
    /// Parameters and statements.
    pub code: Code,
    /// The name in the text.
    pub span: Span,
}
