//! Model-based quantifier instantiation (MBQI) of our own: instances of quantified formulas, chosen by models.
//!
//! Nothing but what is known about sums and calls is asked first, without quantifiers. If it can hold, the solver
//! has values for everything that occurs; then each instance at terms that occur is looked at with these values, and
//! those that are false are added. So the next values, if there are any, are not spoiled in the same way. It ends when
//! nothing can hold any more, when nothing that is tried is false, or after some rounds.
//!
//! Why sound. Only instances of what is asserted are added ([`Ground`]); the values decide which, and nothing else.
//!
//! Why beside [`quantifiers`](super::quantifiers), which adds instances by their shape. These are few, and each is one
//! that would have helped, whatever it looks like: terms may be tried that no function is read at, and queries stay
//! small where shapes match too often. And they have no quantifiers, so that not much depends on the solver.

use super::Effort;
use super::ground::{Ground, Universal};
use super::quantifiers::{Of, Pool};
use super::queries::{Facts, grounded, query};
use super::script::{Script, is_readable};
use crate::lemma_library::Lemma;
use crate::obligation::Obligation;
use crate::term::{Sort, Term};
use crate::theory::{Result, Theory};
use plainsong_smt::{Answer, Cancel, Outcome, Query, Sexpr, Solvers};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// How many rounds there are.
const ROUNDS: usize = 10;
/// What a query may cost, in the solver's units.
pub(super) const RESOURCES: u64 = 400_000;
/// The most terms tried for one variable.
const MOST_CANDIDATES: usize = 40;
/// The most instances of one formula that are looked at in a round.
const MOST_TRIED: usize = 400;
/// The most instances of one formula that are added in a round.
const MOST_ADDED: usize = 6;

/// What came of it: the last query and its answer.
pub(super) struct Ended {
    pub(super) query: Query,
    pub(super) answer: Answer,
    /// The library lemmas whose instances stand in it.
    pub(super) used: BTreeSet<Lemma>,
}

/// An instance that can be looked at.
struct Tried {
    /// Of which formula.
    universal: usize,
    choice: Vec<Term>,
    /// What it says.
    formula: Term,
}

/// Asks about an obligation, which is number `at` of those that are shown together.
pub(super) fn by_models(
    theory: &mut Theory,
    (obligation, at): (&Obligation, usize),
    effort: &Effort,
    solvers: &Solvers,
    cancel: &Cancel,
) -> Result<Ended> {
    let mut ground = grounded(theory, obligation)?;
    let (mut facts, mut defaults) = (Facts::default(), FxHashMap::default());
    facts.round(&mut ground, |ground| {
        ground.instantiate_round(Of::Unreadable)
    })?;
    for round in 1.. {
        let tried = ground.instances_to_try(&mut defaults);
        let mut script = Script::new(&ground.theory.terms);
        script.assert_all(&ground.formulas);
        let values = tried.iter().map(|one| script.say(one.formula)).collect();
        let mut query = query(obligation, at, effort, script.finish());
        query.limits.resource = RESOURCES;
        query.ask.values = values;
        let mut answers = solvers.ask_all(std::slice::from_ref(&query), cancel);
        let answer = answers.pop().expect("an answer to each query");
        let spoiled = match &answer.outcome {
            Outcome::Sat { values, .. } if round < ROUNDS => false_ones(tried, values),
            _ => Vec::new(),
        };
        if spoiled.is_empty() {
            query.ask.values.clear();
            return Ok(Ended {
                query,
                answer,
                used: ground.used,
            });
        }
        facts.round(&mut ground, |ground| {
            for one in spoiled {
                let universal = ground.universals[one.universal].clone();
                ground.instance(&universal, &one.choice)?;
                ground.instances.insert((one.universal, one.choice));
            }
            Ok(true)
        })?;
    }
    unreachable!("there is a last round")
}

/// The instances whose value is false, a few of each formula.
fn false_ones(tried: Vec<Tried>, values: &[Sexpr]) -> Vec<Tried> {
    let mut counts: FxHashMap<usize, usize> = FxHashMap::default();
    let both = tried.into_iter().zip(values);
    let spoiled = both.filter(|(_, value)| value.as_bool() == Some(false));
    let few = spoiled.filter(|(one, _)| {
        let count = counts.entry(one.universal).or_default();
        *count += 1;
        *count <= MOST_ADDED
    });
    few.map(|(one, _)| one).collect()
}

impl Ground<'_> {
    /// The instances at terms that occur that are not there yet and can be looked at: without quantifiers, sums and
    /// functions inside.
    fn instances_to_try(&mut self, defaults: &mut FxHashMap<Sort, Term>) -> Vec<Tried> {
        let pool = self.pool();
        let mut tried = Vec::new();
        for number in 0..self.universals.len() {
            let universal = self.universals[number].clone();
            if self.theory.terms.is_quantified(universal.body)
                || !is_readable(
                    &self.theory.terms,
                    universal.body,
                    &mut FxHashSet::default(),
                )
            {
                continue;
            }
            for choice in self.choices_at_all(&universal, &pool, defaults) {
                if !self.instances.contains(&(number, choice.clone())) {
                    tried.push(Tried {
                        universal: number,
                        formula: self.says(&universal, &choice),
                        choice,
                    });
                }
            }
        }
        tried
    }

    /// What the variables of a formula may be: the terms that its shape suggests, then all others of the sort.
    fn choices_at_all(
        &mut self,
        universal: &Universal,
        pool: &Pool,
        defaults: &mut FxHashMap<Sort, Term>,
    ) -> Vec<Vec<Term>> {
        let count = universal.sorts.len();
        let mut choices: Vec<Vec<Term>> = vec![Vec::new()];
        for (at, &sort) in universal.sorts.iter().enumerate() {
            let variable = (count - 1 - at) as u32;
            let mut candidates = self.candidates(universal.body, variable, sort, pool);
            for &term in pool.of(sort) {
                if !candidates.contains(&term) {
                    candidates.push(term);
                }
            }
            candidates.truncate(MOST_CANDIDATES);
            if candidates.is_empty() {
                candidates.push(self.some_value(sort, defaults));
            }
            let longer = choices.iter().flat_map(|choice| {
                let with = |term: &Term| [choice.as_slice(), &[*term]].concat();
                candidates.iter().map(with)
            });
            choices = longer.take(MOST_TRIED).collect();
        }
        choices
    }

    /// A value of a sort of which no term occurs: no sort is empty.
    fn some_value(&mut self, sort: Sort, defaults: &mut FxHashMap<Sort, Term>) -> Term {
        let terms = &mut self.theory.terms;
        *defaults.entry(sort).or_insert_with(|| match sort {
            Sort::INT => terms.int(0),
            _ => terms.fresh("any", sort),
        })
    }
}
