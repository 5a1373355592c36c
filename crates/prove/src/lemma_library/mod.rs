//! The lemma library: facts about sums, extremes and remainders that proofs may use, and their own proofs.
//!
//! A solver knows nothing about the sum of a function over a finite set. Proofs therefore assert
//! *facts* about the sums that occur ([`facts`]). Nothing about them is taken on trust: each is an
//! instance of a [`Lemma`], every lemma has a proof ([`sums`], [`remainders`]) whose steps are
//! obligations like any other, and a proof that used a lemma counts only if the solver shows all of
//! them. They are shown once and then found again among the kept answers.
//!
//! What a fact says and what is proved cannot drift apart: both are built by the same function, once for
//! the terms of the user's obligation and once for arbitrary functions over an arbitrary sort.

pub mod facts;
mod induction;
mod remainders;
mod sums;

use crate::discharge::{Effort, Shown, discharge};
use crate::obligation::{Obligation, Rule};
use crate::theory::Theory;
use plainsong_diagnostics::Span;
use plainsong_ir::Song;
use plainsong_smt::{Cancel, Solvers};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A family of facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lemma {
    /// A sum does not depend on the order in which places are taken.
    Order,
    /// A function that is zero everywhere has the sum zero.
    Zero,
    /// A function that is nowhere negative has a sum that is not, and no value above it.
    Positive,
    /// A function nowhere above another has no greater sum; with equal sums, they are equal.
    Below,
    /// Two functions that agree but for one place have sums that differ as they do there.
    ButOne,
    /// The same for two different places.
    ButTwo,
    /// The sum of two functions, place by place, has the sum of their sums.
    Added,
    /// The function that is one from `a` to before `b` has the sum `b - a`, or zero.
    Range,
    /// The function that is one on a whole sort has its size as sum.
    Size,
    /// Functions that take the same values at places that correspond one to one have equal sums.
    Renamed,
    /// A set of integers that is not empty has a least member.
    Least,
    Greatest,
    /// The remainder of what is less than one divisor away from the range of remainders.
    Remainder,
}

impl Lemma {
    /// All of them, in the order in which they are proved.
    pub const ALL: [Lemma; 13] = [
        Lemma::Order,
        Lemma::Zero,
        Lemma::Positive,
        Lemma::Below,
        Lemma::ButOne,
        Lemma::ButTwo,
        Lemma::Added,
        Lemma::Range,
        Lemma::Size,
        Lemma::Renamed,
        Lemma::Least,
        Lemma::Greatest,
        Lemma::Remainder,
    ];

    /// Its name: `sum/zero`.
    pub fn name(self) -> &'static str {
        match self {
            Lemma::Order => "sum/order",
            Lemma::Zero => "sum/zero",
            Lemma::Positive => "sum/positive",
            Lemma::Below => "sum/below",
            Lemma::ButOne => "sum/but-one-place",
            Lemma::ButTwo => "sum/but-two-places",
            Lemma::Added => "sum/added",
            Lemma::Range => "sum/range",
            Lemma::Size => "sum/size",
            Lemma::Renamed => "sum/renamed",
            Lemma::Least => "extreme/least",
            Lemma::Greatest => "extreme/greatest",
            Lemma::Remainder => "division/remainder",
        }
    }

    /// What it rests on besides its own steps: that a sum means something.
    fn rests_on(self) -> Option<Lemma> {
        match self {
            Lemma::Order | Lemma::Least | Lemma::Greatest | Lemma::Remainder => None,
            _ => Some(Lemma::Order),
        }
    }

    /// The steps of its proof.
    pub fn steps(self, theory: &mut Theory) -> Vec<Obligation> {
        let mut steps = Steps {
            theory,
            lemma: self,
            all: Vec::new(),
        };
        match self {
            Lemma::Order => steps.order(),
            Lemma::Zero => steps.zero(),
            Lemma::Positive => steps.positive(),
            Lemma::Below => steps.below(),
            Lemma::ButOne => steps.but_places(1),
            Lemma::ButTwo => steps.but_places(2),
            Lemma::Added => steps.added(),
            Lemma::Range => steps.range(),
            Lemma::Size => steps.size(),
            Lemma::Renamed => steps.renamed(),
            Lemma::Least => steps.extreme(true),
            Lemma::Greatest => steps.extreme(false),
            Lemma::Remainder => steps.remainder(),
        }
        steps.all
    }
}

/// The lemmas among `used` that the solver does not show, each with the reason.
pub fn missing(
    used: &BTreeSet<Lemma>,
    solvers: &Solvers,
    effort: &Effort,
    cancel: &Cancel,
) -> Vec<(Lemma, String)> {
    let mut wanted: BTreeSet<Lemma> = used.clone();
    wanted.extend(used.iter().filter_map(|lemma| lemma.rests_on()));
    let mut missing: Vec<(Lemma, String)> = Vec::new();
    for lemma in wanted {
        if let Err(why) = show(lemma, solvers, effort, cancel) {
            missing.push((lemma, why));
        }
    }
    let broken: BTreeSet<Lemma> = missing.iter().map(|(lemma, _)| *lemma).collect();
    for &lemma in used {
        if let Some(other) = lemma.rests_on()
            && broken.contains(&other)
            && !broken.contains(&lemma)
        {
            missing.push((lemma, format!("it rests on {}", other.name())));
        }
    }
    missing
}

/// Shows every step of a lemma, or says which is open.
pub fn show(
    lemma: Lemma,
    solvers: &Solvers,
    effort: &Effort,
    cancel: &Cancel,
) -> Result<usize, String> {
    let mut theory = Theory::new(Arc::new(Song::default()));
    let steps = lemma.steps(&mut theory);
    let effort = Effort {
        name: format!("library/{}", lemma.name().replace('/', "-")),
        // What is used for a guess may be used for more.
        steps: None,
        skipped: 0,
        ..effort.clone()
    };
    let shown = discharge(&mut theory, &steps, solvers, &effort, cancel);
    for (step, shown) in steps.iter().zip(&shown) {
        if let Shown::No(why) = shown {
            return Err(format!("{} is open: {why}", step.sentence));
        }
    }
    Ok(steps.len())
}

/// The proof of one lemma under construction.
struct Steps<'t> {
    theory: &'t mut Theory,
    lemma: Lemma,
    all: Vec<Obligation>,
}

impl Steps<'_> {
    fn step(&mut self, what: &str, hypotheses: Vec<crate::term::Term>, goal: crate::term::Term) {
        self.all.push(Obligation {
            rule: Rule::Library,
            span: Span::default(),
            text: self.lemma.name().to_owned(),
            sentence: what.to_owned(),
            participants: Vec::new(),
            hypotheses,
            goal,
            induction: None,
        });
    }
}
