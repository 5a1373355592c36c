//! Liveness: temporal claims about whole executions, and the fairness under which they are meant.
//!
//! Four forms of linear temporal logic without *next*: `eventually P` (◇P), `infinitely often P` (□◇P),
//! `eventually always P` (◇□P) and the response `P leads to Q` (□(P → ◇Q)). An execution that ends is read
//! as if its last state were repeated for ever.

use crate::visit::reads_state;
use crate::{Binding, Domain, Expr};
use std::fmt;

/// A temporal claim: all of its parts are claimed.
#[derive(Clone, Debug, PartialEq)]
pub struct Temporal {
    /// At least one.
    pub parts: Vec<TemporalPart>,
    /// The fairness that the text asks for; the default is [`Fairness::Standard`].
    pub fairness: Option<Fairness>,
}

/// `forall x: T :: P leads to Q`: one form of claim, for each value of the bound names.
#[derive(Clone, Debug, PartialEq)]
pub struct TemporalPart {
    /// Names that range over types. Who violates the claim for one combination of values violates it.
    pub bindings: Vec<Binding>,
    /// What is claimed of the condition.
    pub operator: TemporalOperator,
    /// `P` of `P leads to Q`.
    pub premise: Option<Expr>,
    /// The condition that should come true.
    pub goal: Expr,
    /// `by measure (…)`: numbers that decrease, in the order of words, until it does. For proofs only.
    pub measure: Vec<Expr>,
}

/// When a condition should be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TemporalOperator {
    /// In some state.
    Eventually,
    /// In infinitely many states.
    InfinitelyOften,
    /// In all states from some point on.
    EventuallyAlways,
    /// In some state at or after each state in which the premise is true.
    LeadsTo,
}

/// What is owed to a process or an action, whatever the level of fairness: `fair action A`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeclaredFairness {
    /// `unfair`: nothing. An execution may end where nobody else can go on.
    Unfair,
    /// `fair`: weak fairness at least.
    Weak,
    /// `strong fair`: strong fairness.
    Strong,
}

impl DeclaredFairness {
    /// As it is written.
    pub fn words(self) -> &'static str {
        match self {
            DeclaredFairness::Unfair => "unfair",
            DeclaredFairness::Weak => "fair",
            DeclaredFairness::Strong => "strong fair",
        }
    }
}

/// Which executions are meant: those that treat nobody unfairly.
///
/// *Weak* fairness (justice) of a task: it is not enabled from some point on in every state and never taken.
/// *Strong* fairness (compassion): it is not enabled infinitely often and taken only finitely often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fairness {
    /// All executions, whatever is declared. Something happens while something can.
    None,
    /// Processes, asyncs, actions and messages weakly.
    Weak,
    /// Processes, asyncs and actions weakly, messages strongly.
    Standard,
    Strong,
}

impl Fairness {
    /// From the weakest to the strongest.
    pub const ALL: [Fairness; 4] = [
        Fairness::None,
        Fairness::Weak,
        Fairness::Standard,
        Fairness::Strong,
    ];

    /// What follows the claim in the text; nothing for the default.
    pub fn suffix(self) -> Option<&'static str> {
        match self {
            Fairness::None => Some("unfair"),
            Fairness::Weak => Some("weakly fair"),
            Fairness::Standard => None,
            Fairness::Strong => Some("fair"),
        }
    }

    /// In words, for verdicts.
    pub fn sentence(self) -> &'static str {
        match self {
            Fairness::None => "no process is treated fairly",
            Fairness::Weak => "processes, actions and messages are weakly fair",
            Fairness::Standard => "processes and actions are weakly fair, messages strongly",
            Fairness::Strong => "processes, actions and messages are strongly fair",
        }
    }
}

impl fmt::Display for Fairness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fairness::None => "none",
            Fairness::Weak => "weak",
            Fairness::Standard => "standard",
            Fairness::Strong => "strong",
        })
    }
}

impl Temporal {
    /// The fairness that is meant.
    pub fn fairness(&self) -> Fairness {
        self.fairness.unwrap_or(Fairness::Standard)
    }

    /// Every condition on states that the claim speaks of.
    pub fn conditions(&self) -> impl Iterator<Item = &Expr> {
        self.parts
            .iter()
            .flat_map(|part| part.premise.iter().chain([&part.goal]))
    }
}

impl TemporalOperator {
    /// What stands before the condition; `leads to` stands before its second one.
    pub fn words(self) -> &'static str {
        match self {
            TemporalOperator::Eventually => "eventually",
            TemporalOperator::InfinitelyOften => "infinitely often",
            TemporalOperator::EventuallyAlways => "eventually always",
            TemporalOperator::LeadsTo => "leads to",
        }
    }
}

/// Do the values of the bound names depend on the state? Before a temporal claim they must not: which state would it be?
pub fn binds_by_state(binding: &Binding) -> bool {
    let by_domain = matches!(&binding.domain, Domain::In(set) if reads_state(set));
    by_domain || binding.filter.as_ref().is_some_and(reads_state)
}
