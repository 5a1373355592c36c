//! Showing obligations to a solver.
//!
//! 1. Without quantifiers: hypotheses and negated goal, with our own instances ([`ground`],
//!    [`quantifiers`], [`totals`]). Most goals end here.
//! 2. The same with the quantified formulas beside them, for the solver's own instances.
//! 3. That again, with another strategy.
//!
//! Only `unsat` counts. Each step is asked for all open obligations together, so that the solvers work
//! in parallel; each query is a function of its obligation alone, so answers are found again on disk.

mod ground;
mod quantifiers;
mod script;
mod totals;

use crate::obligation::{Obligation, Rule};
use crate::term::Op;
use crate::theory::{Result, Theory};
use ground::Ground;
use plainsong_smt::{Cancel, Limits, Outcome, Query, Solvers, Strategy};
use rustc_hash::FxHashSet;
use script::{Script, is_readable};

/// How many rounds of instances there are.
const ROUNDS: usize = 3;
/// What a query may cost in each step, in the solver's units.
const RESOURCES: [u64; 3] = [1_000_000, 3_000_000, 3_000_000];

/// How an obligation fared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// It was shown.
    Yes,
    /// It was not, for this reason.
    No(String),
}

/// How to go about it.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// Where the solver's chance begins.
    pub seed: u32,
    /// Begins the name of every query.
    pub name: String,
    /// How many of the steps are tried; all of them when nothing is said.
    pub steps: Option<usize>,
}

/// Tries to show each of the obligations.
pub fn discharge(
    theory: &mut Theory,
    obligations: &[Obligation],
    solvers: &Solvers,
    effort: &Effort,
    cancel: &Cancel,
) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut open: Vec<(usize, Query, Query)> = Vec::new();
    for (at, obligation) in obligations.iter().enumerate() {
        if theory.terms.op(obligation.goal) == Op::True
            || obligation.hypotheses.contains(&obligation.goal)
        {
            shown.push(Shown::Yes);
            continue;
        }
        shown.push(match queries(theory, obligation, at, effort) {
            Ok((first, second)) => {
                open.push((at, first, second));
                Shown::No("not asked".to_owned())
            }
            Err(unsupported) => Shown::No(unsupported.message),
        });
    }
    let steps = effort.steps.unwrap_or(RESOURCES.len());
    for (step, &resource) in RESOURCES.iter().enumerate().take(steps) {
        let asked: Vec<Query> = open
            .iter()
            .map(|(_, first, second)| {
                let mut query = if step == 0 { first } else { second }.clone();
                query.limits = Limits {
                    resource,
                    ..Limits::default()
                };
                if step == 2 {
                    query.strategy = Strategy::Automatic;
                }
                query
            })
            .collect();
        let answers = solvers.ask_all(&asked, cancel);
        let mut still = Vec::new();
        for (entry, answer) in open.into_iter().zip(answers) {
            shown[entry.0] = match answer.outcome {
                Outcome::Unsat { .. } => Shown::Yes,
                Outcome::Sat { .. } => Shown::No("the solver sees a way to violate it".to_owned()),
                Outcome::Unknown(reason) => Shown::No(reason.to_string()),
            };
            // Whether a place is reachable is asked once: a warning is not worth more.
            let again = obligations[entry.0].rule != Rule::Vacuity;
            if shown[entry.0] != Shown::Yes && again {
                still.push(entry);
            }
        }
        open = still;
    }
    shown
}

/// The query without quantifiers and the one with them.
fn queries(
    theory: &mut Theory,
    obligation: &Obligation,
    at: usize,
    effort: &Effort,
) -> Result<(Query, Query)> {
    let background = theory.background().to_vec();
    let mut ground = Ground::new(theory);
    // First, so that its witnesses are tried first.
    let negated = ground.theory.terms.not(obligation.goal);
    ground.assert(negated)?;
    for hypothesis in background
        .into_iter()
        .chain(obligation.hypotheses.iter().copied())
    {
        ground.assert(hypothesis)?;
    }
    let mut facts = 0;
    for _ in 0..ROUNDS {
        let sums = ground.sums.len();
        if sums > facts {
            ground.sum_facts(facts)?;
            facts = sums;
        }
        let new = ground.instantiate_round()?;
        if !new && ground.sums.len() == facts {
            break;
        }
    }
    let Ground {
        theory,
        formulas,
        universals,
        ..
    } = ground;
    let query = |full: bool| {
        let mut script = Script::new(&theory.terms);
        formulas.iter().for_each(|formula| script.count(*formula));
        formulas.iter().for_each(|formula| script.assert(*formula));
        if full {
            for universal in &universals {
                if is_readable(&theory.terms, universal.body, &mut FxHashSet::default()) {
                    script.assert_universal(universal.proxy, &universal.sorts, universal.body);
                }
            }
        }
        let rule = obligation.rule.name();
        let name = format!("{}/{at:03}-{}", effort.name, rule.replace('/', "-"));
        let mut query = Query::new(name, script.finish());
        query.about = format!("{rule}: {}\n{}", obligation.sentence, obligation.text);
        query.seed = effort.seed;
        query
    };
    Ok((query(false), query(true)))
}
