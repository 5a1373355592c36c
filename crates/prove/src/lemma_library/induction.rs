//! Induction over an enumeration of places.
//!
//! The sum of a function that is zero but for finitely many places is the sum along any enumeration
//! that takes each of those places once: `S(0) = 0`, `S(k + 1) = S(k) + f(e(k))`, and the sum is
//! `S(n)`. An enumeration is `e` with the position `p` of each place; `p(e(i)) = i` says that no place is
//! taken twice. A lemma is shown by induction on `k`: it holds for `S(0)`, and if it does for `S(k)`, then
//! for `S(k + 1)`; its statement follows from that for `S(n)`.

use super::Steps;
use crate::term::{Sort, Term, Terms};

/// An enumeration of places.
#[derive(Clone, Copy)]
pub(super) struct Enumeration {
    pub(super) place: Term,
    pub(super) position: Term,
    pub(super) count: Term,
}

impl Enumeration {
    /// An arbitrary one of places of sort `of`, and what is known about it.
    pub(super) fn any(terms: &mut Terms, of: Sort, known: &mut Vec<Term>) -> Enumeration {
        let places = terms.array_sort(Sort::INT, of);
        let positions = terms.array_sort(of, Sort::INT);
        let one = Enumeration {
            place: terms.fresh("place", places),
            position: terms.fresh("position", positions),
            count: terms.fresh("n", Sort::INT),
        };
        let zero = terms.int(0);
        known.push(terms.le(zero, one.count));
        let at = terms.fresh("i", Sort::INT);
        let inside = one.taken_at(terms, at, one.count);
        let place = terms.select(one.place, at);
        let position = terms.select(one.position, place);
        let back = terms.eq(position, at);
        let back = terms.implies(inside, back);
        known.push(terms.forall(at, back));
        one
    }

    /// `0 <= at && at < before`.
    pub(super) fn taken_at(self, terms: &mut Terms, at: Term, before: Term) -> Term {
        let zero = terms.int(0);
        let low = terms.le(zero, at);
        let high = terms.lt(at, before);
        terms.and(&[low, high])
    }

    /// Is `place` among the first `before`?
    pub(super) fn takes(self, terms: &mut Terms, place: Term, before: Term) -> Term {
        let position = terms.select(self.position, place);
        let inside = self.taken_at(terms, position, before);
        let there = terms.select(self.place, position);
        let same = terms.eq(there, place);
        terms.and(&[inside, same])
    }

    /// Every place that counts is taken.
    pub(super) fn covers(
        self,
        terms: &mut Terms,
        counts: impl FnOnce(&mut Terms, Term) -> Term,
    ) -> Term {
        let at = terms.fresh_place("x", self.position);
        let counts = counts(terms, at);
        let taken = self.takes(terms, at, self.count);
        let covered = terms.implies(counts, taken);
        terms.forall(at, covered)
    }

    /// Every place where `f` is not zero is taken.
    pub(super) fn covers_function(self, terms: &mut Terms, f: Term) -> Term {
        self.covers(terms, |terms, x| {
            let (value, zero) = (terms.select(f, x), terms.int(0));
            let none = terms.eq(value, zero);
            terms.not(none)
        })
    }

    /// The sums of `f` along it, as a function of how many places were taken.
    pub(super) fn sums(self, terms: &mut Terms, f: Term, known: &mut Vec<Term>) -> Term {
        let sort = terms.array_sort(Sort::INT, Sort::INT);
        let sums = terms.fresh("sums", sort);
        self.are_sums(terms, sums, f, known);
        sums
    }

    /// Says that `sums` are those of `f`.
    pub(super) fn are_sums(self, terms: &mut Terms, sums: Term, f: Term, known: &mut Vec<Term>) {
        let zero = terms.int(0);
        let first = terms.select(sums, zero);
        known.push(terms.eq(first, zero));
        let at = terms.fresh("i", Sort::INT);
        let inside = self.taken_at(terms, at, self.count);
        let place = terms.select(self.place, at);
        let value = terms.select(f, place);
        let before = terms.select(sums, at);
        let next = terms.offset(at, 1);
        let after = terms.select(sums, next);
        let sum = terms.add(before, value);
        let step = terms.eq(after, sum);
        let step = terms.implies(inside, step);
        known.push(terms.forall(at, step));
    }
}

impl Steps<'_> {
    /// Shows `says(k)` for every `k` from 0 to `count`, and gives `says(count)`.
    pub(super) fn induction(
        &mut self,
        what: &str,
        known: &[Term],
        count: Term,
        says: impl Fn(&mut Terms, Term) -> Term,
    ) -> Term {
        let terms = &mut self.theory.terms;
        let zero = terms.int(0);
        let base = says(terms, zero);
        let k = terms.fresh("k", Sort::INT);
        let next = terms.offset(k, 1);
        let mut before = known.to_vec();
        before.push(terms.le(zero, k));
        before.push(terms.lt(k, count));
        before.push(says(terms, k));
        let after = says(terms, next);
        let end = says(terms, count);
        self.step(&format!("{what}: at the beginning"), known.to_vec(), base);
        self.step(&format!("{what}: from one to the next"), before, after);
        end
    }

    /// Shows the statement of the lemma.
    pub(super) fn conclude(&mut self, mut known: Vec<Term>, more: &[Term], statement: Term) {
        known.extend(more);
        self.step("the statement", known, statement);
    }
}
