//! Verdicts: what an engine may say about a property, and nothing else.

pub use crate::assumption::Assumption;
use crate::trace::Trace;
use plainsong_diagnostics::Span;
use std::collections::BTreeMap;

/// The four answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Holds for every size and every value.
    Proved,
    /// Holds within a bound, which [`Verdict::bound`] names. Never called a proof.
    Holds,
    /// Does not hold; there is a trace, and it was replayed.
    Refuted,
    /// Not known, and [`Verdict::reason`] says why.
    Unknown,
}

impl Outcome {
    /// As in the JSON stream.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Proved => "proved",
            Outcome::Holds => "holds",
            Outcome::Refuted => "refuted",
            Outcome::Unknown => "unknown",
        }
    }
}

/// What one engine says about one property.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The property: a name from the text, `no_deadlock`, `assertions`, or a choreography's name.
    pub property: String,
    /// The answer.
    pub outcome: Outcome,
    /// Sizes and limits within which it holds (`Db` → `3`, `int` → `-2..=2`); empty when proved.
    pub bound: BTreeMap<String, String>,
    /// One sentence.
    pub reason: String,
    /// States visited.
    pub states: Option<u64>,
    /// Distinct complete executions, where counted.
    pub executions: Option<u64>,
    /// Distinct blocked executions, where counted.
    pub blocked: Option<u64>,
    /// About how many interleavings the executions stand for, as a power of ten.
    pub interleavings: Option<f64>,
    /// Obligations that were shown, where there are some.
    pub obligations: Option<u64>,
    /// Everything trusted and not checked.
    pub assumptions: Vec<Assumption>,
    /// Properties that this rests on and that are not proved themselves: without them it is no proof.
    pub provided: Vec<String>,
    /// Obligations that could not be discharged, where a proof was tried.
    pub open: Vec<OpenObligation>,
    /// What a reader should know besides: premises that were never true.
    pub notes: Vec<String>,
    /// Is a premise of it never true, or was there nothing to check? [`Verdict::notes`] say which.
    pub vacuous: bool,
    /// The execution that refutes it.
    pub trace: Option<Trace>,
}

/// An obligation of a proof that is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenObligation {
    /// The rule that asks for it: `refine/failure`.
    pub rule: String,
    /// One sentence: what may be wrong.
    pub sentence: String,
    /// Why it is open.
    pub why: String,
    /// The text it is about.
    pub span: Span,
    /// Line and column of that text, once somebody has looked them up.
    pub place: Option<(u32, u32)>,
    pub text: String,
}

impl Verdict {
    /// Holds for every size and every value.
    pub fn proved(property: impl Into<String>, reason: impl Into<String>) -> Verdict {
        Verdict::new(property.into(), Outcome::Proved, reason.into())
    }

    /// Holds within a bound.
    pub fn holds(
        property: impl Into<String>,
        bound: BTreeMap<String, String>,
        reason: impl Into<String>,
    ) -> Verdict {
        let holds = Verdict::new(property.into(), Outcome::Holds, reason.into());
        Verdict { bound, ..holds }
    }

    /// Does not hold, in an instance with this bound.
    pub fn refuted(
        property: impl Into<String>,
        bound: BTreeMap<String, String>,
        reason: impl Into<String>,
    ) -> Verdict {
        let refuted = Verdict::new(property.into(), Outcome::Refuted, reason.into());
        Verdict { bound, ..refuted }
    }

    /// Not known, for this reason.
    pub fn unknown(property: impl Into<String>, reason: impl Into<String>) -> Verdict {
        Verdict::new(property.into(), Outcome::Unknown, reason.into())
    }

    fn new(property: String, outcome: Outcome, reason: String) -> Verdict {
        Verdict {
            property,
            outcome,
            bound: BTreeMap::new(),
            reason,
            states: None,
            executions: None,
            blocked: None,
            interleavings: None,
            obligations: None,
            assumptions: Vec::new(),
            provided: Vec::new(),
            open: Vec::new(),
            notes: Vec::new(),
            vacuous: false,
            trace: None,
        }
    }

    /// What it trusts, and what a reader should know besides, in sentences.
    pub fn remarks(&self) -> Vec<String> {
        let trusted = self.assumptions.iter().map(ToString::to_string);
        trusted.chain(self.notes.iter().cloned()).collect()
    }

    /// Does it say that all is well, but of nothing, or with a premise that is never true?
    pub fn is_vacuous(&self) -> bool {
        let is_told = self.vacuous || self.assumptions.iter().any(Assumption::is_vacuity);
        self.is_fine() && is_told
    }

    /// Does it say that all is well, and trusts what nobody has checked?
    pub fn is_trusting(&self) -> bool {
        self.is_fine() && self.assumptions.iter().any(Assumption::is_trust)
    }

    fn is_fine(&self) -> bool {
        matches!(self.outcome, Outcome::Proved | Outcome::Holds)
    }

    /// Does it say that all is well, provided that something else is, which is not proved?
    pub fn is_conditional(&self) -> bool {
        self.is_fine() && !self.provided.is_empty()
    }
}

/// `--require`: what a verdict has to be beside not refuted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requirements {
    /// A bounded answer is not enough.
    pub proved: bool,
    /// Nothing may be trusted.
    pub untrusted: bool,
}

impl Requirements {
    /// Why a verdict that says that all is well is not enough. Where anything is required, a vacuous one is not.
    pub fn unmet(self, verdict: &Verdict) -> Option<&'static str> {
        let is_any = self.proved || self.untrusted;
        if self.proved && verdict.outcome == Outcome::Holds {
            Some("holds only up to a bound")
        } else if self.untrusted && verdict.is_trusting() {
            Some("trusts what is not checked")
        } else if is_any && verdict.is_vacuous() {
            Some("is vacuous")
        } else {
            None
        }
    }
}
