//! Lines: one sequential program whose statements are located at endpoints.
//!
//! An assignment happens at the endpoint that owns its target. If its value reads another
//! endpoint, it is a *transfer*: that endpoint sends, the owner receives.

use crate::{Code, Expr, FamilyId};
use plainsong_diagnostics::Span;

/// `choreography name(…) { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Choreography {
    /// Its name.
    pub name: String,
    /// Its endpoints, in declaration order; their initialisers see the parameters.
    pub endpoints: Vec<FamilyId>,
    /// What it may rely on; each sees the parameters and the endpoints' first state.
    pub requires: Vec<Expr>,
    /// What it promises.
    pub ensures: Vec<Expr>,
    /// Parameters and statements; the locals also serve `requires` and `ensures`.
    pub code: Code,
    /// The name in the text.
    pub span: Span,
}
