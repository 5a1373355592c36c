//! Properties: what should hold, and how it may be checked.

use crate::{Expr, Local, Temporal};
use plainsong_diagnostics::Span;

/// `property name …: claim;`, or `invariant name: e;`, which claims `always e`.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    pub name: String,
    /// Is it written as an `invariant`: stated for the sake of proofs by induction? Then its claim is `always`.
    pub is_invariant: bool,
    /// `by …`: the engines that may answer; empty when any may.
    pub engines: Vec<String>,
    /// `at …`: the sizes it is meant for.
    pub sizes: Vec<Sizing>,
    /// What should hold.
    pub claim: Claim,
    /// Names bound in the claim.
    pub locals: Vec<Local>,
    /// The name in the text.
    pub span: Span,
}

/// What should hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    /// In every final state.
    Finally(Expr),
    /// At the start and after every step.
    Always(Expr),
    /// `always e` where `e` speaks of `old(x)`: of every step after `init`, where `old` is the state before it.
    Step(Expr),
    /// Every execution terminates.
    Quiescent {
        /// Only executions that ignore no message for ever are meant.
        fair: bool,
    },
    /// Liveness: something good happens, in every fair execution.
    Temporal(Temporal),
}

impl Claim {
    /// Every condition on states or steps that it speaks of.
    pub fn conditions(&self) -> Vec<&Expr> {
        match self {
            Claim::Finally(claim) | Claim::Always(claim) | Claim::Step(claim) => vec![claim],
            Claim::Temporal(temporal) => temporal.conditions().collect(),
            Claim::Quiescent { .. } => Vec::new(),
        }
    }

    /// Is it about whole executions: does every one terminate, does something good happen?
    pub fn is_liveness(&self) -> bool {
        matches!(self, Claim::Quiescent { .. } | Claim::Temporal(_))
    }
}

/// `Db = 3` or `Db = 2..=4`: the size of a sort, or the value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizing {
    /// The sort or parameter.
    pub name: String,
    /// Smallest.
    pub low: i64,
    /// Largest; the same as `low` when one number was given.
    pub high: i64,
    /// Where it stands in the text.
    pub span: Span,
}
