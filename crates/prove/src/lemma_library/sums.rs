//! The lemmas about sums and extremes, each by induction over an enumeration.

use super::induction::Enumeration;
use super::{Steps, facts};
use crate::term::{Sort, SortKind, Term, Terms};
use plainsong_ir::SortId;

/// Any sort of places.
fn places(terms: &mut Terms) -> Sort {
    terms.sort_of(SortKind::Named(SortId(0)))
}

/// An arbitrary integer function of places.
fn function(terms: &mut Terms, name: &str) -> Term {
    let of = places(terms);
    let sort = terms.array_sort(of, Sort::INT);
    terms.fresh(name, sort)
}

impl Steps<'_> {
    /// Arbitrary functions with one enumeration for all, and their sums along it.
    fn functions(&mut self, names: &[&str]) -> (Enumeration, Vec<(Term, Term)>, Vec<Term>) {
        let terms = &mut self.theory.terms;
        let mut known = Vec::new();
        let of = places(terms);
        let along = Enumeration::any(terms, of, &mut known);
        let mut all = Vec::new();
        for name in names {
            let f = function(terms, name);
            known.push(along.covers_function(terms, f));
            let sums = along.sums(terms, f, &mut known);
            all.push((f, sums));
        }
        (along, all, known)
    }

    pub(super) fn zero(&mut self) {
        let (along, all, known) = self.functions(&["f"]);
        let (f, sums) = all[0];
        let end = self.induction("the sum is zero", &known, along.count, |terms, k| {
            let sum = terms.select(sums, k);
            facts::zero(terms, (f, sum))
        });
        self.conclude(known, &[end], end);
    }

    pub(super) fn positive(&mut self) {
        let (along, all, known) = self.functions(&["f"]);
        let (f, sums) = all[0];
        let end = self.induction("no value is above", &known, along.count, |terms, k| {
            let sum = terms.select(sums, k);
            let negative = facts::negative(terms, f);
            let zero = terms.int(0);
            let not_below = terms.le(zero, sum);
            let taken = taken_places(terms, along, k, |terms, place| {
                let value = terms.select(f, place);
                terms.le(value, sum)
            });
            let both = terms.and(&[not_below, taken]);
            terms.or(&[negative, both])
        });
        let terms = &mut self.theory.terms;
        let sum = terms.select(sums, along.count);
        let statement = facts::positive(terms, (f, sum));
        self.conclude(known, &[end], statement);
    }

    pub(super) fn below(&mut self) {
        let (along, all, known) = self.functions(&["f", "g"]);
        let ((f, of_f), (g, of_g)) = (all[0], all[1]);
        let end = self.induction("no greater sum", &known, along.count, |terms, k| {
            let (a, b) = (terms.select(of_f, k), terms.select(of_g, k));
            let above = facts::above(terms, f, g);
            let less = terms.lt(a, b);
            let same_sum = terms.eq(a, b);
            let taken = taken_places(terms, along, k, |terms, place| {
                let (x, y) = (terms.select(f, place), terms.select(g, place));
                terms.eq(x, y)
            });
            let equal = terms.and(&[same_sum, taken]);
            terms.or(&[above, less, equal])
        });
        let terms = &mut self.theory.terms;
        let (a, b) = (
            terms.select(of_f, along.count),
            terms.select(of_g, along.count),
        );
        let statement = facts::below(terms, (f, a), (g, b));
        self.conclude(known, &[end], statement);
    }

    pub(super) fn but_places(&mut self, count: usize) {
        let (along, all, known) = self.functions(&["f", "g"]);
        let ((f, of_f), (g, of_g)) = (all[0], all[1]);
        let terms = &mut self.theory.terms;
        let of = places(terms);
        let places: Vec<Term> = ["t", "u"][..count]
            .iter()
            .map(|name| terms.fresh(*name, of))
            .collect();
        let end = self.induction("the difference so far", &known, along.count, |terms, k| {
            let elsewhere = facts::differ_elsewhere(terms, f, g, &places);
            let (mut left, mut right) = (terms.select(of_f, k), terms.select(of_g, k));
            let zero = terms.int(0);
            for &place in &places {
                let taken = along.takes(terms, place, k);
                let (x, y) = (terms.select(f, place), terms.select(g, place));
                let (x, y) = (terms.ite(taken, x, zero), terms.ite(taken, y, zero));
                left = terms.sub(left, x);
                right = terms.sub(right, y);
            }
            let mut parts = vec![elsewhere, terms.eq(left, right)];
            if let [t, u] = places[..] {
                parts.push(terms.eq(t, u));
            }
            terms.or(&parts)
        });
        let terms = &mut self.theory.terms;
        let (a, b) = (
            terms.select(of_f, along.count),
            terms.select(of_g, along.count),
        );
        let statement = facts::but_places(terms, (f, a), (g, b), &places);
        self.conclude(known, &[end], statement);
    }

    pub(super) fn added(&mut self) {
        let (along, all, known) = self.functions(&["h", "f", "g"]);
        let end = self.induction("the sum of both so far", &known, along.count, |terms, k| {
            let [h, f, g] = [0, 1, 2].map(|at: usize| (all[at].0, terms.select(all[at].1, k)));
            facts::added(terms, h, f, g)
        });
        self.conclude(known, &[end], end);
    }

    pub(super) fn range(&mut self) {
        let terms = &mut self.theory.terms;
        let mut known = Vec::new();
        let (a, b) = (terms.fresh("a", Sort::INT), terms.fresh("b", Sort::INT));
        let x = terms.fresh("x", Sort::INT);
        let (low, high) = (terms.le(a, x), terms.lt(x, b));
        let inside = terms.and(&[low, high]);
        let (one, zero) = (terms.int(1), terms.int(0));
        let body = terms.ite(inside, one, zero);
        let f = terms.lambda(x, body);
        let to = terms.add(a, x);
        let from = terms.sub(x, a);
        let along = Enumeration {
            place: terms.lambda(x, to),
            position: terms.lambda(x, from),
            count: facts::length(terms, a, b),
        };
        let covers = along.covers_function(terms, f);
        let sums = along.sums(terms, f, &mut known);
        self.step("each integer of the range is taken", Vec::new(), covers);
        let end = self.induction("one for each", &known, along.count, |terms, k| {
            let sum = terms.select(sums, k);
            terms.eq(sum, k)
        });
        self.conclude(known, &[end], end);
    }

    pub(super) fn size(&mut self) {
        let terms = &mut self.theory.terms;
        let mut known = Vec::new();
        let of = places(terms);
        // The size of a sort is how many places an enumeration of all its members has.
        let along = Enumeration::any(terms, of, &mut known);
        known.push(along.covers(terms, |terms, _| terms.bool(true)));
        let x = terms.fresh("x", of);
        let one = terms.int(1);
        let f = terms.lambda(x, one);
        let sums = along.sums(terms, f, &mut known);
        let end = self.induction("one for each", &known, along.count, |terms, k| {
            let sum = terms.select(sums, k);
            terms.eq(sum, k)
        });
        self.conclude(known, &[end], end);
    }

    pub(super) fn renamed(&mut self) {
        let (along, all, mut known) = self.functions(&["f"]);
        let (f, of_f) = all[0];
        let terms = &mut self.theory.terms;
        // An enumeration of exactly the places that count.
        let counting = taken_places(terms, along, along.count, |terms, place| {
            let (value, zero) = (terms.select(f, place), terms.int(0));
            let none = terms.eq(value, zero);
            terms.not(none)
        });
        known.push(counting);
        let (here, there) = (places(terms), terms.sort_of(SortKind::Named(SortId(1))));
        let there_int = terms.array_sort(there, Sort::INT);
        let g = terms.fresh("g", there_int);
        let forth = terms.array_sort(here, there);
        let to = terms.fresh("to", forth);
        let return_sort = terms.array_sort(there, here);
        let back = terms.fresh("back", return_sort);
        let not = facts::not_corresponding(terms, f, g, to, back);
        let mut corresponding = known.clone();
        corresponding.push(terms.not(not));
        let other = led(terms, along, to, back);
        let at = terms.fresh("i", Sort::INT);
        let inside = along.taken_at(terms, at, along.count);
        let place = terms.select(other.place, at);
        let position = terms.select(other.position, place);
        let once = terms.eq(position, at);
        let once = terms.implies(inside, once);
        let once = terms.forall(at, once);
        let covers = other.covers_function(terms, g);
        let of_g = other.sums(terms, g, &mut corresponding);
        self.step("no place is led to twice", corresponding.clone(), once);
        self.step(
            "every place that counts is led to",
            corresponding.clone(),
            covers,
        );
        let end = self.induction("equal so far", &corresponding, along.count, |terms, k| {
            let (a, b) = (terms.select(of_f, k), terms.select(of_g, k));
            terms.eq(a, b)
        });
        let terms = &mut self.theory.terms;
        let (a, b) = (
            terms.select(of_f, along.count),
            terms.select(of_g, along.count),
        );
        let statement = facts::renamed(terms, (f, a), (g, b), to, back);
        let otherwise = terms.or(&[not, end]);
        self.conclude(known, &[otherwise], statement);
    }

    /// A sum along one enumeration is the sum along any other: restrict the function to the first `k`
    /// places of the first, sum that along the second, and let `k` grow.
    pub(super) fn order(&mut self) {
        let (along, all, mut known) = self.functions(&["f"]);
        let (f, of_f) = all[0];
        let terms = &mut self.theory.terms;
        let of = places(terms);
        let other = Enumeration::any(terms, of, &mut known);
        known.push(other.covers_function(terms, f));
        let again = other.sums(terms, f, &mut known);
        let restricted = |terms: &mut Terms, k: Term| {
            let x = terms.fresh("x", of);
            let taken = along.takes(terms, x, k);
            let (value, zero) = (terms.select(f, x), terms.int(0));
            let held = terms.ite(taken, value, zero);
            terms.lambda(x, held)
        };
        // One more place of the first enumeration adds the value there.
        let row = terms.array_sort(Sort::INT, Sort::INT);
        let (less, more) = (terms.fresh("less", row), terms.fresh("more", row));
        let k = terms.fresh("k", Sort::INT);
        let next = terms.offset(k, 1);
        let mut inner = known.clone();
        inner.push(along.taken_at(terms, k, along.count));
        let (before, after) = (restricted(terms, k), restricted(terms, next));
        other.are_sums(terms, less, before, &mut inner);
        other.are_sums(terms, more, after, &mut inner);
        let place = terms.select(along.place, k);
        let end = self.induction("one more place", &inner, other.count, |terms, j| {
            let (a, b) = (terms.select(less, j), terms.select(more, j));
            let taken = other.takes(terms, place, j);
            let (value, zero) = (terms.select(f, place), terms.int(0));
            let value = terms.ite(taken, value, zero);
            let sum = terms.add(a, value);
            terms.eq(b, sum)
        });
        let terms = &mut self.theory.terms;
        let (a, b) = (
            terms.select(less, other.count),
            terms.select(more, other.count),
        );
        let value = terms.select(f, place);
        let sum = terms.add(a, value);
        let grown = terms.eq(b, sum);
        let mut reached = inner.clone();
        reached.push(end);
        self.step("one more place adds its value", reached, grown);
        // All of these sums, by how many places the function is restricted to.
        let table = terms_table(&mut self.theory.terms);
        let terms = &mut self.theory.terms;
        let at = |terms: &mut Terms, k: Term| {
            let row = terms.select(table, k);
            terms.select(row, other.count)
        };
        let i = terms.fresh("i", Sort::INT);
        let inside = along.taken_at(terms, i, along.count);
        let next = terms.offset(i, 1);
        let (a, b) = (at(terms, i), at(terms, next));
        let place = terms.select(along.place, i);
        let value = terms.select(f, place);
        let sum = terms.add(a, value);
        let grows = terms.eq(b, sum);
        let grows = terms.implies(inside, grows);
        let grows = terms.forall(i, grows);
        let mut outer = known.clone();
        outer.push(grows);
        let zero = terms.int(0);
        let (none, whole) = (restricted(terms, zero), restricted(terms, along.count));
        let first = terms.select(table, zero);
        let mut begun = known.clone();
        other.are_sums(terms, first, none, &mut begun);
        let nothing = self.induction("of no place", &begun, other.count, |terms, j| {
            let sum = terms.select(first, j);
            let zero = terms.int(0);
            terms.eq(sum, zero)
        });
        outer.push(nothing);
        let terms = &mut self.theory.terms;
        let last = terms.select(table, along.count);
        let mut ended = known.clone();
        other.are_sums(terms, last, whole, &mut ended);
        let everything = self.induction("of all places", &ended, other.count, |terms, j| {
            let (a, b) = (terms.select(last, j), terms.select(again, j));
            terms.eq(a, b)
        });
        let both = self.induction("as many places", &outer, along.count, |terms, k| {
            let (a, b) = (terms.select(of_f, k), at(terms, k));
            terms.eq(a, b)
        });
        let terms = &mut self.theory.terms;
        let (a, b) = (
            terms.select(of_f, along.count),
            terms.select(again, other.count),
        );
        let statement = terms.eq(a, b);
        self.conclude(outer, &[everything, both], statement);
    }

    pub(super) fn extreme(&mut self, least: bool) {
        let terms = &mut self.theory.terms;
        let mut known = Vec::new();
        let along = Enumeration::any(terms, Sort::INT, &mut known);
        let members = terms.array_sort(Sort::INT, Sort::BOOL);
        let set = terms.fresh("set", members);
        known.push(along.covers(terms, |terms, x| terms.select(set, x)));
        known.push(taken_places(terms, along, along.count, |terms, place| {
            terms.select(set, place)
        }));
        let end = self.induction("of the first places", &known, along.count, |terms, k| {
            let zero = terms.int(0);
            let none = terms.le(k, zero);
            let at = terms.fresh("m", Sort::INT);
            let inside = along.taken_at(terms, at, k);
            let best = terms.select(along.place, at);
            let bounded = taken_places(terms, along, k, |terms, place| {
                if least {
                    terms.le(best, place)
                } else {
                    terms.le(place, best)
                }
            });
            let is_best = terms.and(&[inside, bounded]);
            let some = terms.exists(at, is_best);
            terms.or(&[none, some])
        });
        let terms = &mut self.theory.terms;
        let value = terms.fresh("value", Sort::INT);
        let is_it = facts::extreme(terms, set, value, least);
        let statement = terms.exists(value, is_it);
        self.conclude(known, &[end], statement);
    }
}

/// A function of two integers.
fn terms_table(terms: &mut Terms) -> Term {
    let row = terms.array_sort(Sort::INT, Sort::INT);
    let sort = terms.array_sort(Sort::INT, row);
    terms.fresh("table", sort)
}

/// The enumeration of the places that those of another are led to.
fn led(terms: &mut Terms, along: Enumeration, to: Term, back: Term) -> Enumeration {
    let at = terms.fresh("i", Sort::INT);
    let place = terms.select(along.place, at);
    let there = terms.select(to, place);
    let y = terms.fresh_place("y", back);
    let here = terms.select(back, y);
    let position = terms.select(along.position, here);
    Enumeration {
        place: terms.lambda(at, there),
        position: terms.lambda(y, position),
        count: along.count,
    }
}

/// `says(e(j))` for the first `k` places.
fn taken_places(
    terms: &mut Terms,
    along: Enumeration,
    k: Term,
    says: impl FnOnce(&mut Terms, Term) -> Term,
) -> Term {
    let at = terms.fresh("j", Sort::INT);
    let inside = along.taken_at(terms, at, k);
    let place = terms.select(along.place, at);
    let says = says(terms, place);
    let says = terms.implies(inside, says);
    terms.forall(at, says)
}
