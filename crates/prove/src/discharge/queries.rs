//! What is asked about one obligation, step by step.
//!
//! 1. Hypotheses and negated goal with what is known about sums and calls ([`totals`](super::totals)); quantified
//!    formulas as they are, for the instances that match what occurs ([`Strategy::Matching`]); our own instances only
//!    of those that a solver cannot read. Most goals end here, after a few milliseconds and with the few instances
//!    that they need; the others are given up after a few more.
//! 2. That again with facts about the sums that these instances bring; and now the solver also looks for instances
//!    that are false in what would be a counterexample otherwise. Left out where there are divisions by something
//!    that is no constant: one instance brings the next.
//! 3. Without quantifiers: two rounds of our own instances ([`quantifiers`](super::quantifiers)). Where there are sums,
//!    or divisions by something that is no constant, with the solver's other, older arithmetic, which is many times
//!    quicker on these.
//! 4. With three rounds of them, and that arithmetic.
//! 5. Round by round, with the few of our instances that are false in what would be a counterexample otherwise
//!    ([`models`](super::models)).
//! 6. With the quantified formulas beside our instances, for the solver's own ones, and its own choice of strategy.
//!
//! Each query is made when it is its turn. What is satisfiable with all of our instances is so with fewer
//! and with another arithmetic; and if there is nothing beside them, for good.
//!
//! Why the first is not without quantifiers. For Paxos, one round of instances made 275 queries of 19 kilobytes
//! on average, of which a third were satisfiable, so that more rounds had to follow; matching takes 9 kilobytes
//! and shows 230 of 241 (equal ones asked once). A proof that depends on how the solver matches is no worse off than
//! without this step: all others are still tried.

use super::Effort;
use super::ground::{Ground, Universal};
use super::models;
use super::quantifiers::Of;
use super::script::{Script, is_readable};
use crate::lemma_library::Lemma;
use crate::obligation::{Obligation, Rule};
use crate::term::{Term, Terms};
use crate::theory::{Result, Theory};
use plainsong_smt::{Query, Sexpr, Strategy};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// How many rounds of instances there are.
const ROUNDS: usize = 3;
/// What a query may cost in each step, in the solver's units.
pub(super) const RESOURCES: [u64; STEPS] = [
    200_000,
    400_000,
    2_000_000,
    6_000_000,
    models::RESOURCES,
    3_000_000,
];
/// What it may cost to ask whether a place is reachable: an answer that takes longer is not worth it.
const VACUITY: u64 = 200_000;
/// What the fourth step may cost where there are sums or divisions: what takes four million with one seed takes
/// seven with another.
const INTRICATE: u64 = 12_000_000;
/// How many steps there are.
pub(super) const STEPS: usize = 6;
/// The steps by what is done in them.
const MATCHING: usize = 0;
pub(super) const MODELS: usize = 1;
const SOME: usize = 2;
pub(super) const ALL: usize = 3;
pub(super) const BY_MODELS: usize = 4;
const OTHERWISE: usize = 5;

/// What is asked about an obligation in one step.
pub(super) struct Asked {
    pub(super) query: Query,
    /// Are all of our instances in it, so that more rounds would bring no more?
    pub(super) is_all: bool,
    /// Is there more to say than our instances do: quantified formulas, divisions?
    pub(super) has_more: bool,
    /// Are there as many instances as there may be, so that this was asked as with all of them?
    pub(super) is_full: bool,
    /// Are there divisions by something that is no constant?
    pub(super) is_divided: bool,
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
    let mut ground = grounded(theory, obligation)?;
    // Whether a place is reachable is asked once, and then with everything.
    let is_vacuity = obligation.rule == Rule::Vacuity;
    let (rounds, of) = match step {
        _ if is_vacuity => (ROUNDS, Of::Everything),
        MATCHING => (1, Of::Unreadable),
        MODELS => (2, Of::Unreadable),
        SOME => (2, Of::Everything),
        _ => (ROUNDS, Of::Everything),
    };
    let is_last = of == Of::Everything && rounds == ROUNDS;
    let is_all = instances(&mut ground, rounds, of)? || is_last;
    // With as many instances as there may be, the query is the one with all of them: then with what it may cost.
    let is_full = step == SOME && ground.is_full();
    let step = if is_full { ALL } else { step };
    let Ground {
        theory,
        formulas,
        universals,
        used,
        divisions,
        sums,
        ..
    } = ground;
    let is_divided = !divisions.is_empty();
    let is_intricate = is_divided || !sums.is_empty();
    let exact: Vec<Term> = divisions
        .into_iter()
        .map(|(division, value)| theory.terms.eq(division, value))
        .collect();
    let beside = match step {
        _ if is_vacuity => None,
        MATCHING | MODELS => Some((&[][..], &universals[..])),
        SOME | ALL => None,
        _ => Some((&exact[..], &universals[..])),
    };
    let commands = script(&theory.terms, &formulas, beside);
    let mut query = query(obligation, at, effort, commands);
    query.limits.resource = match obligation.rule {
        Rule::Vacuity => VACUITY,
        _ if step == ALL && is_intricate => INTRICATE,
        _ => RESOURCES[step],
    };
    let is_older = match step {
        MATCHING | MODELS => is_divided && !is_vacuity,
        SOME => is_intricate,
        ALL => true,
        _ => false,
    };
    if is_older {
        let older = ("smt.arith.solver".to_owned(), "2".to_owned());
        query.options.push(older);
    }
    query.strategy = match step {
        MATCHING if !is_vacuity => Strategy::Matching,
        MODELS => Strategy::Direct,
        OTHERWISE => Strategy::Automatic,
        _ => Strategy::Plain,
    };
    Ok(Asked {
        query,
        is_all,
        is_full,
        is_divided,
        has_more: !exact.is_empty() || !universals.is_empty(),
        used,
    })
}

/// A query about an obligation.
pub(super) fn query(
    obligation: &Obligation,
    at: usize,
    effort: &Effort,
    commands: Vec<Sexpr>,
) -> Query {
    let rule = obligation.rule.name();
    let name = format!("{}/{at:03}-{}", effort.name, rule.replace('/', "-"));
    let mut query = Query::new(name, commands);
    query.about = format!("{rule}: {}\n{}", obligation.sentence, obligation.text);
    query.seed = effort.seed;
    query.is_noted = effort.is_noted();
    query
}

/// Hypotheses and negated goal, before anything is added.
pub(super) fn grounded<'t>(theory: &'t mut Theory, obligation: &Obligation) -> Result<Ground<'t>> {
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
    Ok(ground)
}

/// Adds instances and facts, round by round; is there nothing more to add?
fn instances(ground: &mut Ground<'_>, rounds: usize, of: Of) -> Result<bool> {
    let mut facts = Facts::default();
    for _ in 0..rounds {
        if !facts.round(ground, |ground| ground.instantiate_round(of))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// About what facts were added.
#[derive(Default)]
pub(super) struct Facts {
    sums: usize,
    divisions: usize,
}

impl Facts {
    /// Adds facts about sums and calls, then instances, then facts about divisions; was there anything new?
    pub(super) fn round(
        &mut self,
        ground: &mut Ground<'_>,
        instances: impl FnOnce(&mut Ground<'_>) -> Result<bool>,
    ) -> Result<bool> {
        let sums = ground.sums.len();
        if sums > self.sums {
            ground.sum_facts(self.sums)?;
            self.sums = sums;
        }
        let called = ground.call_facts()?;
        let new = instances(ground)? || called;
        let known = std::mem::replace(&mut self.divisions, ground.divisions.len());
        ground.division_facts(known)?;
        Ok(new || ground.sums.len() > self.sums)
    }
}

fn script(terms: &Terms, formulas: &[Term], beside: Option<(&[Term], &[Universal])>) -> Vec<Sexpr> {
    let mut script = Script::new(terms);
    script.assert_all(formulas);
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
