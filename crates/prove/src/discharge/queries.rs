//! What is asked about one obligation, step by step.
//!
//! 1. Without quantifiers: hypotheses and negated goal, with one round of our own instances
//!    ([`quantifiers`](super::quantifiers), [`totals`](super::totals)). Most goals end here.
//! 2. With two rounds of instances. Where there are sums, or divisions by something that is no constant, with
//!    the solver's other, older arithmetic, which is many times quicker on these.
//! 3. With all of them, and that arithmetic.
//! 4. With the quantified formulas beside them, for the solver's own instances.
//! 5. That again, with another strategy.
//!
//! Each query is made when it is its turn. What is satisfiable with all of our instances is so with fewer
//! and with another arithmetic; and if there is nothing beside them, for good.

use super::Effort;
use super::ground::{Ground, Universal};
use super::script::{Script, is_readable};
use crate::library::Lemma;
use crate::obligation::{Obligation, Rule};
use crate::term::{Term, Terms};
use crate::theory::{Result, Theory};
use plainsong_smt::{Query, Strategy};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// How many rounds of instances there are.
const ROUNDS: usize = 3;
/// What a query may cost in each step, in the solver's units.
pub(super) const RESOURCES: [u64; STEPS] = [1_000_000, 2_000_000, 6_000_000, 3_000_000, 3_000_000];
/// What it may cost to ask whether a place is reachable: an answer that takes longer is not worth it.
const VACUITY: u64 = 200_000;
/// What the third step may cost where there are sums or divisions: what takes four million with one seed takes
/// seven with another.
const INTRICATE: u64 = 12_000_000;
/// How many steps there are.
pub(super) const STEPS: usize = 5;

/// What is asked about an obligation in one step.
pub(super) struct Asked {
    /// The query.
    pub(super) query: Query,
    /// Are all of our instances in it, so that more rounds would bring no more?
    pub(super) is_all: bool,
    /// Is there more to say than our instances do: quantified formulas, divisions?
    pub(super) has_more: bool,
    /// The library lemmas whose instances stand in it.
    pub(super) used: BTreeSet<Lemma>,
}

/// The query of a step about an obligation, which is number `at` of those that are shown together.
pub(super) fn asked(
    theory: &mut Theory,
    obligation: &Obligation,
    at: usize,
    effort: &Effort,
    step: usize,
) -> Result<Asked> {
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
    // Whether a place is reachable is asked once, and then with everything.
    let rounds = match obligation.rule {
        Rule::Vacuity => ROUNDS,
        _ => ROUNDS.min(step + 1),
    };
    let is_all = instances(&mut ground, rounds)? || rounds == ROUNDS;
    let Ground {
        theory,
        formulas,
        universals,
        used,
        divisions,
        sums,
        ..
    } = ground;
    let is_intricate = !sums.is_empty() || !divisions.is_empty();
    let exact: Vec<Term> = divisions
        .into_iter()
        .map(|(division, value)| theory.terms.eq(division, value))
        .collect();
    let beside = (step > 2).then_some((&exact[..], &universals[..]));
    let rule = obligation.rule.name();
    let name = format!("{}/{at:03}-{}", effort.name, rule.replace('/', "-"));
    let mut query = Query::new(name, script(&theory.terms, &formulas, beside));
    query.about = format!("{rule}: {}\n{}", obligation.sentence, obligation.text);
    query.seed = effort.seed;
    query.is_noted = effort.is_noted();
    query.limits.resource = match obligation.rule {
        Rule::Vacuity => VACUITY,
        _ if step == 2 && is_intricate => INTRICATE,
        _ => RESOURCES[step],
    };
    if step == 2 || (step == 1 && is_intricate) {
        let older = ("smt.arith.solver".to_owned(), "2".to_owned());
        query.options.push(older);
    }
    if step == 4 {
        query.strategy = Strategy::Automatic;
    }
    Ok(Asked {
        query,
        is_all,
        has_more: !exact.is_empty() || !universals.is_empty(),
        used,
    })
}

/// Adds instances and facts, round by round; were the last rounds empty?
fn instances(ground: &mut Ground<'_>, rounds: usize) -> Result<bool> {
    let (mut facts, mut divisions) = (0, 0);
    for _ in 0..rounds {
        let sums = ground.sums.len();
        if sums > facts {
            ground.sum_facts(facts)?;
            facts = sums;
        }
        let called = ground.call_facts()?;
        let new = ground.instantiate_round()? || called;
        let known = std::mem::replace(&mut divisions, ground.divisions.len());
        ground.division_facts(known)?;
        if !new && ground.sums.len() == facts {
            return Ok(true);
        }
    }
    Ok(false)
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
