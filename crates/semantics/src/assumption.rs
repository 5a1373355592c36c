//! Assumptions: what a verdict trusts and nobody has checked, or what limits it.

use std::fmt;

/// Something that a verdict rests on. Its sentence is for people; decisions look at the variant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Assumption {
    /// `assume` of this condition.
    Assume(String),
    /// `assume` of this condition: an execution in which it is false is not followed any further.
    CutOff(String),
    /// A choice with this clause (`where …`, `in …`) has a candidate.
    Candidate(String),
    /// The external function of this name keeps its contract.
    Contract(String),
    /// A `while` without `decreases` terminates.
    Termination,
    /// An execution that fails ends there: what would come after was not looked at.
    EndsThere,
    /// A claim about the end holds because no execution has one.
    NoEnd,
    /// An `assume` cuts off every execution, so whatever holds holds of nothing.
    AllCut,
    /// Anything else that a reader should know, in one sentence.
    Other(String),
}

/// How a sentence about vacuity begins, also where it was kept as text only.
const VACUOUS: &str = "vacuous: ";

impl Assumption {
    /// What is claimed is claimed of nothing, for this reason.
    pub fn vacuous(why: &str) -> Assumption {
        Assumption::Other(format!("{VACUOUS}{why}"))
    }

    /// Does it say that there was nothing to check, or that a part of what is checked has no case?
    pub fn is_vacuity(&self) -> bool {
        match self {
            Assumption::NoEnd | Assumption::AllCut => true,
            Assumption::Other(text) => text.starts_with(VACUOUS),
            _ => false,
        }
    }

    /// Does it say that something is trusted that nobody has checked? What is kept as text only counts as such.
    pub fn is_trust(&self) -> bool {
        !self.is_vacuity() && *self != Assumption::EndsThere
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Assumption::Assume(text) => write!(f, "`assume {text}` is trusted"),
            Assumption::CutOff(text) => write!(
                f,
                "`assume {text}` is trusted: where it is false, an execution is not looked at any further"
            ),
            Assumption::Candidate(text) => {
                write!(f, "`choose … {text}` is trusted to have a candidate")
            }
            Assumption::Contract(name) => write!(
                f,
                "the contract of the external function `{name}` is trusted"
            ),
            Assumption::Termination => {
                f.write_str("termination is not proved: a `while` has no `decreases`")
            }
            Assumption::EndsThere => f.write_str(
                "an execution that fails ends there: what would come after was not looked at",
            ),
            Assumption::NoEnd => {
                f.write_str("no execution comes to its end, so there was nothing to check")
            }
            Assumption::AllCut => {
                f.write_str("an `assume` cuts off every execution, so there was nothing to check")
            }
            Assumption::Other(text) => f.write_str(text),
        }
    }
}
