//! Obligations: what has to be shown, and how to talk about it.

use crate::functions::Induction;
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
    /// A loop invariant that names the loop's variable holds for the first position, and from each for the
    /// next, also for one past the last. Not every run checks it there, so whatever is shown behind the loop
    /// depends on it.
    Position,
    /// Different rounds of a loop write to different places. No run checks it, so whatever is shown behind the
    /// loop depends on it.
    Injective,
    /// Endpoints that decide a condition part by part come to the same.
    Unanimity,
    /// The measure of a loop decreases and stays above zero.
    Decreases,
    /// An `assert` holds.
    Assert,
    /// An operation has a result.
    Defined,
    /// An operation has a result also where no run may look: under every value of a quantified name, and
    /// in an invariant for one past the last position. As no run fails there, whatever is shown afterwards
    /// depends on it.
    DefinedEverywhere,
    /// What a lemma requires holds where it is used.
    LemmaRequires,
    /// A lemma that uses itself does so for something smaller.
    LemmaDecreases,
    /// Part of the proof of a lemma or function that this rests on.
    Support,
    /// For all arguments that an external function may be called with there is a result that its contract allows. No run
    /// checks it, and without it everything would follow from the contract.
    Satisfiable,
    /// The measure decreases where a recursive function is called. No run checks it.
    Terminates,
    /// A property holds at the end.
    Finally(usize),
    /// A step of the proof of a library lemma.
    Library,
    /// Something that a refinement asks for; its name says what.
    Refinement(&'static str),
    /// Not something to show: a place that should be reachable. Shown means that it is not.
    Vacuity,
}

impl Rule {
    /// Does every verdict depend on it, mostly because no run checks it? Whoever answers a question by the
    /// obligations of some rules has to add these.
    pub fn is_unchecked(self) -> bool {
        matches!(
            self,
            Rule::Position
                | Rule::Injective
                | Rule::DefinedEverywhere
                | Rule::Terminates
                | Rule::LemmaRequires
                | Rule::LemmaDecreases
                | Rule::Support
                | Rule::Satisfiable
        )
    }

    /// Its name: rule and side condition.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Ensures => "line/ensures",
            Rule::Established => "loop/established",
            Rule::Maintained => "loop/maintained",
            Rule::Position => "loop/position",
            Rule::Injective => "loop/injective",
            Rule::Unanimity => "guard/unanimity",
            Rule::Decreases => "loop/decreases",
            Rule::Assert => "statement/assert",
            Rule::Defined => "expression/defined",
            Rule::DefinedEverywhere => "expression/defined-everywhere",
            Rule::LemmaRequires => "lemma/requires",
            Rule::LemmaDecreases => "lemma/decreases",
            Rule::Support => "support/contract",
            Rule::Satisfiable => "external/satisfiable",
            Rule::Terminates => "function/decreases",
            Rule::Finally(_) => "line/finally",
            Rule::Library => "library/lemma",
            Rule::Refinement(name) => name,
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
    /// The proof by induction that it is part of, if the functions of a circle are not known yet.
    pub induction: Option<Induction>,
}

/// An obligation of a rule about actions and procedures.
pub fn obligation(
    rule: &'static str,
    span: Span,
    sentence: impl Into<String>,
    hypotheses: Vec<Term>,
    goal: Term,
) -> Obligation {
    let sentence = sentence.into();
    Obligation {
        rule: Rule::Refinement(rule),
        span,
        text: sentence.clone(),
        sentence,
        participants: Vec::new(),
        hypotheses,
        goal,
        induction: None,
    }
}
