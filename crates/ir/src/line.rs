//! Lines: one sequential program whose statements are located at endpoints.
//!
//! An assignment happens at the endpoint that owns its target. If its value reads another
//! endpoint, it is a *transfer*: that endpoint sends, the owner receives.

//!
//! A *lemma* is a line that happens nowhere: it has no endpoints, its statements are the steps of its
//! proof. So is the *contract of a function*: the function is computed and what it promises is looked at.

use crate::{Code, Expr, FamilyId, FnId, Function, Stmt, StmtKind};
use plainsong_diagnostics::Span;

/// `choreography name(…) { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Choreography {
    pub name: String,
    /// Its endpoints, in declaration order; their initialisers see the parameters.
    pub endpoints: Vec<FamilyId>,
    /// What it may rely on; each sees the parameters and the endpoints' first state.
    pub requires: Vec<Expr>,
    /// What it promises.
    pub ensures: Vec<Expr>,
    /// Parameters and statements; the locals also serve `requires` and `ensures`.
    pub code: Code,
    pub kind: LineKind,
    /// The name in the text.
    pub span: Span,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum LineKind {
    /// `choreography …`
    #[default]
    Choreography,
    /// `lemma …`, with what decreases when it uses itself, in the order of words.
    Lemma(Vec<Expr>),
    /// The contract of a function; there is no text for it but the function's own.
    Contract(FnId),
}

impl Choreography {
    /// Is it something that endpoints do, neither a lemma nor a contract?
    pub fn is_choreography(&self) -> bool {
        self.kind == LineKind::Choreography
    }

    pub fn is_lemma(&self) -> bool {
        matches!(self.kind, LineKind::Lemma(_))
    }
}

/// The contracts of functions as lines, each by the name of its function: compute, then look at what is
/// promised. Those of external functions are trusted: there is nothing to compute.
pub fn contracts(functions: &[Function]) -> Vec<Choreography> {
    let mut lines = Vec::new();
    for (at, function) in functions.iter().enumerate() {
        let (Some(result), Some(body)) = (function.contract.result, &function.body) else {
            continue;
        };
        let compute = Stmt {
            kind: StmtKind::Let(result, body.clone()),
            span: body.span,
        };
        lines.push(Choreography {
            name: function.name.clone(),
            endpoints: Vec::new(),
            requires: function.contract.requires.clone(),
            ensures: function.contract.ensures.clone(),
            code: Code {
                arity: function.arity,
                locals: function.locals.clone(),
                body: vec![compute],
            },
            kind: LineKind::Contract(FnId::from(at)),
            span: function.span,
        });
    }
    lines
}
