//! Obligations: what has to be shown, and how to talk about it.

use crate::term::Term;
use plainsong_diagnostics::Span;

/// Which rule asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// An `ensures` holds at the end.
    Ensures,
    /// A loop invariant holds before the first round.
    Established,
    /// A loop invariant holds after a round, if it did before.
    Maintained,
    /// What a loop decreases gets smaller and stays above zero.
    Decreases,
    /// An `assert` holds.
    Assert,
    /// An operation has a result.
    Defined,
    /// A property holds at the end.
    Finally(usize),
    /// A step of the proof of a library lemma.
    Library,
    /// Not something to show: a place that should be reachable. Shown means that it is not.
    Vacuity,
}

impl Rule {
    /// Its name: rule and side condition.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Ensures => "line/ensures",
            Rule::Established => "loop/established",
            Rule::Maintained => "loop/maintained",
            Rule::Decreases => "loop/decreases",
            Rule::Assert => "statement/assert",
            Rule::Defined => "expression/defined",
            Rule::Finally(_) => "line/finally",
            Rule::Library => "library/lemma",
            Rule::Vacuity => "vacuity/reachable",
        }
    }
}

/// Something to show.
#[derive(Clone, Debug, PartialEq)]
pub struct Obligation {
    /// Which rule asks for it.
    pub rule: Rule,
    /// The text it is about.
    pub span: Span,
    /// That text, as the song prints it.
    pub text: String,
    /// One sentence without a full stop, said when it cannot be shown.
    pub sentence: String,
    /// The endpoints it speaks about, as the source names them.
    pub participants: Vec<String>,
    /// What may be relied on.
    pub hypotheses: Vec<Term>,
    /// What has to follow.
    pub goal: Term,
}
