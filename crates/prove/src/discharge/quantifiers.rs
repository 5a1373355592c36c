//! Instances of quantified formulas by matching (E-matching with triggers that are read off the formula): our own, from
//! the terms that occur.
//!
//! A variable that a formula reads functions at (`s[i]`, `s[i + 1]`) is tried with the places at which
//! functions of that sort are read; any other with the terms of its sort. Instances bring new terms, so
//! there are some rounds, each with a limit. Fewer instances only mean that less is proved.

use super::ground::{Ground, Universal};
use super::script::is_readable;
use crate::term::{Op, Sort, Term};
use crate::theory::Result;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// The most terms tried for one variable.
const MOST_CANDIDATES: usize = 24;
/// The most terms tried for a variable that only sums depend on.
const MOST_WITNESSES: usize = 3;
/// The most instances of one formula in a round.
const MOST_OF_ONE: usize = 150;
/// The most instances in all.
const MOST_INSTANCES: usize = 1_500;

/// Of which formulas there are instances.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Everything,
    /// Those that stay ours, because sums or functions stand in them.
    Unreadable,
}

/// Terms that occur, by what they can be tried for.
#[derive(Default)]
pub(super) struct Pool {
    /// Places at which functions of a sort are read.
    places: BTreeMap<Sort, Vec<Term>>,
    of_sort: BTreeMap<Sort, Vec<Term>>,
    seen: FxHashSet<Term>,
}

impl Pool {
    /// The terms of a sort.
    pub(super) fn of(&self, sort: Sort) -> &[Term] {
        self.of_sort.get(&sort).map_or(&[], Vec::as_slice)
    }
}

impl Ground<'_> {
    /// One round of instances. Was there a new one, or are there formulas that were passed over?
    pub(super) fn instantiate_round(&mut self, of: Of) -> Result<bool> {
        let pool = self.pool();
        let mut new = false;
        for number in 0..self.universals.len() {
            let universal = self.universals[number].clone();
            let readable = |terms| is_readable(terms, universal.body, &mut FxHashSet::default());
            if of == Of::Unreadable && readable(&self.theory.terms) {
                new = true;
                continue;
            }
            for choice in self.choices(&universal, &pool) {
                if self.instances.len() >= MOST_INSTANCES {
                    return Ok(new);
                }
                if self.instances.insert((number, choice.clone())) {
                    new = true;
                    self.instance(&universal, &choice)?;
                }
            }
        }
        Ok(new)
    }

    /// Are there as many instances as there may be? Then another round has no other.
    pub(super) fn is_full(&self) -> bool {
        self.instances.len() >= MOST_INSTANCES
    }

    pub(super) fn instance(&mut self, universal: &Universal, choice: &[Term]) -> Result<()> {
        let says = self.says(universal, choice);
        self.assert(says)
    }

    /// What an instance says.
    pub(super) fn says(&mut self, universal: &Universal, choice: &[Term]) -> Term {
        // The innermost variable is number 0: put in the outermost last.
        let mut body = universal.body;
        for &term in choice.iter().rev() {
            body = self.theory.terms.instantiate(body, term);
        }
        match universal.proxy {
            Some(proxy) => self.theory.terms.implies(proxy, body),
            None => body,
        }
    }

    fn choices(&mut self, universal: &Universal, pool: &Pool) -> Vec<Vec<Term>> {
        let mut choices: Vec<Vec<Term>> = vec![Vec::new()];
        let count = universal.sorts.len();
        for (at, &sort) in universal.sorts.iter().enumerate() {
            let variable = (count - 1 - at) as u32;
            let candidates = self.candidates(universal.body, variable, sort, pool);
            choices = choices
                .into_iter()
                .flat_map(|choice| {
                    candidates.iter().map(move |term| {
                        let mut longer = choice.clone();
                        longer.push(*term);
                        longer
                    })
                })
                .take(MOST_OF_ONE)
                .collect();
        }
        choices
    }

    pub(super) fn candidates(
        &mut self,
        body: Term,
        variable: u32,
        sort: Sort,
        pool: &Pool,
    ) -> Vec<Term> {
        let mut reads = Vec::new();
        self.reads(body, variable, &mut reads);
        let mut found: Vec<Term> = Vec::new();
        for (function, offset) in reads {
            for &place in pool.places.get(&function).into_iter().flatten() {
                let term = match offset {
                    0 => place,
                    _ => self.theory.terms.offset(place, -offset),
                };
                if !found.contains(&term) && found.len() < MOST_CANDIDATES {
                    found.push(term);
                }
            }
        }
        if found.is_empty() && !is_readable(&self.theory.terms, body, &mut FxHashSet::default()) {
            // Each instance brings a sum with all its facts: only witnesses are worth that.
            let all = pool.of(sort).iter();
            let witnesses = all
                .filter(|term| self.is_witness(**term))
                .take(MOST_WITNESSES);
            return witnesses.copied().collect();
        }
        if found.is_empty() {
            found.extend(pool.of(sort).iter().take(MOST_CANDIDATES));
        }
        found
    }

    /// Sorts of functions that are read at a variable plus a constant.
    fn reads(&self, term: Term, variable: u32, found: &mut Vec<(Sort, i64)>) {
        let terms = &self.theory.terms;
        if terms.is_closed(term) {
            return;
        }
        let op = terms.op(term);
        let args = terms.args(term);
        if op == Op::Select
            && let Some(offset) = self.offset_from(args[1], variable)
        {
            let read = (terms.sort(args[0]), offset);
            if !found.contains(&read) {
                found.push(read);
            }
        }
        let inner = variable + u32::from(matches!(op, Op::Lambda | Op::Forall(_) | Op::Exists(_)));
        for &arg in args {
            self.reads(arg, inner, found);
        }
    }

    /// `c` if the term is the variable plus `c`.
    fn offset_from(&self, term: Term, variable: u32) -> Option<i64> {
        let terms = &self.theory.terms;
        if terms.op(term) == Op::Bound(variable) {
            return Some(0);
        }
        if terms.sort(term) != Sort::INT {
            return None;
        }
        let sum = terms.linear(term);
        let (&part, &coefficient) = sum.parts.iter().next()?;
        let alone = sum.parts.len() == 1 && coefficient == 1;
        (alone && terms.op(part) == Op::Bound(variable)).then_some(sum.constant)
    }

    pub(super) fn pool(&self) -> Pool {
        let mut pool = Pool::default();
        for &formula in &self.formulas {
            self.collect(formula, &mut pool);
        }
        pool
    }

    fn collect(&self, term: Term, pool: &mut Pool) {
        if !pool.seen.insert(term) {
            return;
        }
        let terms = &self.theory.terms;
        let op = terms.op(term);
        if matches!(op, Op::Select | Op::Store) {
            let (function, place) = (terms.args(term)[0], terms.args(term)[1]);
            let places = pool.places.entry(terms.sort(function)).or_default();
            if !places.contains(&place) {
                places.push(place);
            }
            let of_sort = pool.of_sort.entry(terms.sort(place)).or_default();
            if !of_sort.contains(&place) {
                of_sort.push(place);
            }
        }
        let sort = terms.sort(term);
        let stands_for_itself = matches!(
            op,
            Op::Symbol(_) | Op::Get(..) | Op::Select | Op::Make(..) | Op::Call(_) | Op::Int(0..=1)
        );
        if stands_for_itself && sort != Sort::BOOL {
            let of_sort = pool.of_sort.entry(sort).or_default();
            if !of_sort.contains(&term) {
                of_sort.push(term);
            }
        }
        for &arg in terms.args(term) {
            self.collect(arg, pool);
        }
    }
}
