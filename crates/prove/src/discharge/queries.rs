//! What is asked about one obligation, step by step.
//!
//! 1. Without quantifiers: hypotheses and negated goal, with one round of our own instances
//!    ([`quantifiers`](super::quantifiers), [`totals`](super::totals)). Most goals end here.
//! 2. With two rounds of instances.
//! 3. With all of them, and the solver's other, older arithmetic, which is many times quicker on some.
//! 4. With the quantified formulas beside them, for the solver's own instances.
//! 5. That again, with another strategy.

use super::Effort;
use super::ground::{Ground, Universal};
use super::script::{Script, is_readable};
use crate::library::Lemma;
use crate::obligation::{Obligation, Rule};
use crate::term::{Term, Terms};
use crate::theory::{Result, Theory};
use plainsong_smt::{Limits, Query, Strategy};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// How many rounds of instances there are.
const ROUNDS: usize = 3;
/// What a query may cost in each step, in the solver's units.
const RESOURCES: [u64; STEPS] = [1_000_000, 2_000_000, 6_000_000, 3_000_000, 3_000_000];
/// How many steps there are.
pub(super) const STEPS: usize = 5;

/// The queries of one obligation.
pub(super) struct Queries {
    /// With the instances of one round, and of two.
    few: [Query; 2],
    /// With all of ours.
    ours: Query,
    /// With the quantifiers as well.
    full: Query,
    /// The library lemmas whose instances stand in them.
    pub(super) used: BTreeSet<Lemma>,
}

impl Queries {
    /// The query of a step.
    pub(super) fn at(&self, step: usize) -> Query {
        let mut query = match step {
            0 | 1 => &self.few[step],
            2 => &self.ours,
            _ => &self.full,
        }
        .clone();
        query.limits = Limits {
            resource: RESOURCES[step],
            ..Limits::default()
        };
        match step {
            2 => query
                .options
                .push(("smt.arith.solver".to_owned(), "2".to_owned())),
            4 => query.strategy = Strategy::Automatic,
            _ => {}
        }
        query
    }
}

/// The queries of an obligation, which is number `at` of those that are shown together.
pub(super) fn queries(
    theory: &mut Theory,
    obligation: &Obligation,
    at: usize,
    effort: &Effort,
) -> Result<Queries> {
    let background = theory.background().to_vec();
    let mut ground = Ground::new(theory);
    ground.induction.clone_from(&obligation.induction);
    // First, so that its witnesses are tried first.
    let negated = ground.theory.terms.not(obligation.goal);
    ground.assert(negated)?;
    for hypothesis in background
        .into_iter()
        .chain(obligation.hypotheses.iter().copied())
    {
        ground.assert(hypothesis)?;
    }
    let first = instances(&mut ground)?;
    let Ground {
        theory,
        formulas,
        universals,
        used,
        divisions,
        ..
    } = ground;
    let exact: Vec<Term> = divisions
        .into_iter()
        .map(|(division, value)| theory.terms.eq(division, value))
        .collect();
    let query = |formulas: &[Term], beside: Option<(&[Term], &[Universal])>| {
        let rule = obligation.rule.name();
        let name = format!("{}/{at:03}-{}", effort.name, rule.replace('/', "-"));
        let mut query = Query::new(name, script(&theory.terms, formulas, beside));
        query.about = format!("{rule}: {}\n{}", obligation.sentence, obligation.text);
        query.seed = effort.seed;
        query
    };
    let ours = query(&formulas, None);
    // Whether a place is reachable is asked once, and then with everything.
    let few = |count: usize| match obligation.rule == Rule::Vacuity || count == formulas.len() {
        true => ours.clone(),
        false => query(&formulas[..count], None),
    };
    Ok(Queries {
        few: first.map(few),
        full: query(&formulas, Some((&exact, &universals))),
        ours,
        used,
    })
}

/// Adds instances and facts, round by round; gives how many formulas there are after the first and after
/// the second.
fn instances(ground: &mut Ground<'_>) -> Result<[usize; 2]> {
    let (mut facts, mut divisions) = (0, 0);
    let mut counts = Vec::new();
    for _ in 0..ROUNDS {
        let sums = ground.sums.len();
        if sums > facts {
            ground.sum_facts(facts)?;
            facts = sums;
        }
        let called = ground.call_facts()?;
        let new = ground.instantiate_round()? || called;
        let known = std::mem::replace(&mut divisions, ground.divisions.len());
        ground.division_facts(known)?;
        counts.push(ground.formulas.len());
        if !new && ground.sums.len() == facts {
            break;
        }
    }
    let all = ground.formulas.len();
    Ok([0, 1].map(|round: usize| counts.get(round).copied().unwrap_or(all)))
}

fn script(
    terms: &Terms,
    formulas: &[Term],
    beside: Option<(&[Term], &[Universal])>,
) -> Vec<plainsong_smt::Sexpr> {
    let mut script = Script::new(terms);
    formulas.iter().for_each(|formula| script.count(*formula));
    formulas.iter().for_each(|formula| script.assert(*formula));
    if let Some((exact, universals)) = beside {
        exact.iter().for_each(|formula| script.assert(*formula));
        for universal in universals {
            if is_readable(terms, universal.body, &mut FxHashSet::default()) {
                script.assert_universal(universal.proxy, &universal.sorts, universal.body);
            }
        }
    }
    script.finish()
}
