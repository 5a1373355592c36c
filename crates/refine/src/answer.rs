//! What can be said about a claim.

use plainsong_prove::discharge::{Effort, Shown, discharge};
use plainsong_prove::obligation::Obligation;
pub use plainsong_prove::obligation::obligation;
use plainsong_prove::theory::{SecondOpinions, Theory};
use plainsong_semantics::verdict::Assumption;
use plainsong_semantics::verdict::OpenObligation;
use plainsong_smt::{Cancel, Solvers};
use std::cell::Cell;

/// How many steps of a proof a guess is worth.
pub(crate) const GUESS: Option<usize> = Some(2);

/// The answer to one claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Every condition was shown.
    Proved(Proof),
    /// A condition is false, in a state that the interpreter was in.
    Refuted(Refutation),
    /// Neither, for this reason.
    Unknown(Missing),
}

impl Answer {
    /// Neither proved nor refuted.
    pub fn unknown(why: impl Into<Missing>) -> Answer {
        Answer::Unknown(why.into())
    }
}

/// Why a claim is neither proved nor refuted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// One sentence.
    pub why: String,
    /// The obligations that are open, where it is because of them.
    pub open: Vec<OpenObligation>,
}

impl Missing {
    /// A sentence about obligations, some of which are open.
    pub(crate) fn of(why: String, all: &[Obligation], open: &[(usize, String)]) -> Missing {
        let told = |(at, why): &(usize, String)| OpenObligation {
            rule: all[*at].rule.name().to_owned(),
            sentence: all[*at].sentence.clone(),
            why: why.clone(),
            span: all[*at].span,
            ..OpenObligation::default()
        };
        let open = open.iter().map(told).collect();
        Missing { why, open }
    }
}

impl From<String> for Missing {
    fn from(why: String) -> Missing {
        Missing {
            why,
            open: Vec::new(),
        }
    }
}

impl From<&str> for Missing {
    fn from(why: &str) -> Missing {
        why.to_owned().into()
    }
}

/// What was shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// How many conditions the solver, or building them, has shown.
    pub obligations: usize,
    /// What each was about: the name of its rule and a sentence.
    pub explained: Vec<String>,
    /// What is taken for granted, or worth knowing.
    pub notes: Vec<Assumption>,
}

/// Why a claim is false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// One sentence with values.
    pub reason: String,
    /// The picture, line by line.
    pub picture: Vec<String>,
}

/// What proofs need.
pub struct Prover<'a> {
    /// The song's declarations as terms.
    pub theory: &'a mut Theory,
    /// Who is asked.
    pub solvers: &'a Solvers,
    /// When to stop asking.
    pub cancel: &'a Cancel,
    /// Where the solver's chance begins.
    pub seed: u32,
    /// If a second solver is asked about everything that is shown: where it is counted what it said.
    pub second: Option<&'a Cell<SecondOpinions>>,
}

impl Prover<'_> {
    /// The same, about another song.
    pub(crate) fn about<'b>(&'b self, theory: &'b mut Theory) -> Prover<'b> {
        Prover {
            theory,
            solvers: self.solvers,
            cancel: self.cancel,
            seed: self.seed,
            second: self.second,
        }
    }

    /// Shows obligations; those that are open, with the reason.
    pub fn open(&mut self, name: &str, all: &[Obligation]) -> Vec<(usize, String)> {
        self.open_within(name, all, None)
    }

    /// The same, giving up after some steps: for guesses, of which many are wrong.
    pub fn open_within(
        &mut self,
        name: &str,
        all: &[Obligation],
        steps: Option<usize>,
    ) -> Vec<(usize, String)> {
        let effort = Effort {
            seed: self.seed,
            name: name.to_owned(),
            steps,
            recheck: self.second.is_some(),
            ..Effort::default()
        };
        let shown = discharge(self.theory, all, self.solvers, &effort, self.cancel);
        if let Some(second) = self.second {
            let said = std::mem::take(&mut self.theory.second);
            second.set(second.get().and(said));
        }
        let open = shown
            .into_iter()
            .enumerate()
            .filter_map(|(at, one)| match one {
                Shown::Yes => None,
                Shown::No(why) => Some((at, why)),
            });
        open.collect()
    }
}
