//! Instances of library lemmas for the sums and extreme elements that occur.
//!
//! Cardinality, `count`, `sum`, the length of a bag and how often a value stands in a sequence are all
//! sums `Σf` of a function that is zero but for finitely many places. Which facts there are, and why
//! they hold, is said in [`crate::lemma_library`]; here is where they are used: each sum by itself, the first
//! few in pairs, fewer in threes.
//!
//! Two functions that agree but for a place or two: the places are those that the functions themselves
//! single out, ends of ranges and places that were changed.

use super::ground::{Ground, WITNESS};
use crate::lemma_library::Lemma;
use crate::lemma_library::facts::{self, Summed};
use crate::term::{Op, Sort, SortKind, Term};
use crate::theory::Result;

/// The most sums that are compared with each other.
const MOST_COMPARED: usize = 8;
/// The most sums among which additions are looked for.
const MOST_ADDED: usize = 4;
/// The most places tried for one pair.
const MOST_PLACES: usize = 4;
/// The most places tried two at a time.
const MOST_IN_PAIRS: usize = 3;

impl Ground<'_> {
    /// Asserts the facts about the sums from number `from` on.
    pub(super) fn sum_facts(&mut self, from: usize) -> Result<()> {
        self.witness_name = "place";
        let facts = self.facts(from);
        self.witness_name = WITNESS;
        facts
    }

    /// Asserts the facts about the divisions from number `from` on.
    pub(super) fn division_facts(&mut self, from: usize) -> Result<()> {
        for at in from..self.divisions.len() {
            let (division, value) = self.divisions[at];
            let terms = &mut self.theory.terms;
            if let (Op::Mod, [a, m]) = (terms.op(division), terms.args(division)) {
                let (a, m) = (*a, *m);
                let says = facts::remainder(terms, a, m, value);
                self.fact(Lemma::Remainder, says)?;
            }
        }
        Ok(())
    }

    fn facts(&mut self, from: usize) -> Result<()> {
        let count = self.sums.len();
        for number in from..count {
            let (term, value) = self.sums[number];
            let function = self.theory.terms.args(term)[0];
            match self.theory.terms.op(term) {
                Op::Total => self.alone(function, value)?,
                op => self.extreme(function, value, op == Op::Least)?,
            }
        }
        let totals: Vec<Summed> = self
            .sums
            .iter()
            .filter(|(term, _)| self.theory.terms.op(*term) == Op::Total)
            .map(|&(term, value)| (self.theory.terms.args(term)[0], value))
            .take(MOST_COMPARED)
            .collect();
        for (at, &f) in totals.iter().enumerate() {
            for &g in &totals[at + 1..] {
                if self.theory.terms.sort(f.0) == self.theory.terms.sort(g.0) {
                    self.compared(f, g)?;
                }
            }
        }
        if totals.len() <= MOST_ADDED {
            self.added(&totals)?;
        }
        self.share_a_sort(&totals)
    }

    /// Two sets of members of a sort that have more members together than the sort share one.
    ///
    /// What the functions add up to, place by place, has the sum of their sums ([`Lemma::Added`]). If it is
    /// nowhere above one, it has no greater sum ([`Lemma::Below`]) than the size of the sort ([`Lemma::Size`]).
    fn share_a_sort(&mut self, totals: &[Summed]) -> Result<()> {
        let mut counts: Vec<(Summed, Term)> = Vec::new();
        for &f in totals {
            counts.extend(self.size_around(f.0).map(|size| (f, size)));
        }
        for (at, &((f, a), size)) in counts.iter().enumerate() {
            for &((g, b), other) in &counts[at + 1..] {
                if size == other {
                    let says = facts::share(&mut self.theory.terms, (f, a), (g, b), size);
                    self.used.extend([Lemma::Added, Lemma::Size]);
                    self.fact(Lemma::Below, says)?;
                }
            }
        }
        Ok(())
    }

    /// The size of the sort whose members a function counts, if something is said about it.
    fn size_around(&self, f: Term) -> Option<Term> {
        let terms = &self.theory.terms;
        let (from, _) = terms.array_parts(terms.sort(f));
        let SortKind::Named(sort) = terms.kind(from) else {
            return None;
        };
        let body = terms
            .args(f)
            .first()
            .filter(|_| terms.op(f) == Op::Lambda)?;
        let is_count = terms.op(*body) == Op::Ite
            && terms.args(*body)[1..]
                .iter()
                .all(|one| matches!(terms.op(*one), Op::Int(0 | 1)));
        let mut sizes = self.theory.size_symbols().filter(|_| is_count);
        sizes.find(|(one, _)| *one == sort).map(|(_, size)| size)
    }

    /// Facts about one sum.
    fn alone(&mut self, f: Term, sum: Term) -> Result<()> {
        let zero = facts::zero(&mut self.theory.terms, (f, sum));
        self.fact(Lemma::Zero, zero)?;
        let positive = facts::positive(&mut self.theory.terms, (f, sum));
        self.fact(Lemma::Positive, positive)?;
        self.single_places((f, sum))?;
        if let Some((lemma, size)) = self.plain_count(f) {
            let same = self.theory.terms.eq(sum, size);
            self.fact(lemma, same)?;
        }
        Ok(())
    }

    /// A function that is zero but for a place that it singles out: compared with the one that is zero
    /// everywhere.
    fn single_places(&mut self, f: Summed) -> Result<()> {
        let mut places = Vec::new();
        self.places(f.0, &mut places);
        self.nearest(&mut places);
        let terms = &mut self.theory.terms;
        let (at, zero) = (terms.fresh_place("x", f.0), terms.int(0));
        let nothing = (terms.lambda(at, zero), zero);
        for place in places {
            let one = facts::but_places(&mut self.theory.terms, f, nothing, &[place]);
            self.fact(Lemma::ButOne, one)?;
        }
        Ok(())
    }

    /// Keeps the places that are most likely to matter: names before what is computed from them.
    fn nearest(&self, places: &mut Vec<Term>) {
        let terms = &self.theory.terms;
        places.sort_by_key(|place| !matches!(terms.op(*place), Op::Symbol(_)));
        places.truncate(MOST_PLACES);
    }

    /// Asserts an instance of a lemma.
    fn fact(&mut self, lemma: Lemma, says: Term) -> Result<()> {
        self.used.insert(lemma);
        self.assert(says)
    }

    /// How many there are, when the function is 1 on a range of integers or on a whole sort.
    fn plain_count(&mut self, f: Term) -> Option<(Lemma, Term)> {
        if self.theory.terms.op(f) != Op::Lambda {
            return None;
        }
        let body = self.theory.terms.args(f)[0];
        let (from, _) = self.theory.terms.array_parts(self.theory.terms.sort(f));
        let (one, zero) = (self.theory.terms.int(1), self.theory.terms.int(0));
        if let (SortKind::Named(sort), true) = (self.theory.terms.kind(from), body == one) {
            return Some((Lemma::Size, self.theory.size(sort)));
        }
        if self.theory.terms.op(body) != Op::Ite || from != Sort::INT {
            return None;
        }
        let [condition, yes, no] = self.theory.terms.args(body)[..] else {
            return None;
        };
        if yes != one || no != zero || self.theory.terms.op(condition) != Op::And {
            return None;
        }
        let bounds = self.theory.terms.args(condition).to_vec();
        let [a, b] = bounds[..] else { return None };
        let (first, last) = match (self.bound_by(a)?, self.bound_by(b)?) {
            ((true, low), (false, high)) | ((false, high), (true, low)) => (low, high),
            _ => return None,
        };
        let end = self.theory.terms.offset(last, 1);
        let length = facts::length(&mut self.theory.terms, first, end);
        Some((Lemma::Range, length))
    }

    /// For `x >= t`: `(true, t)`. For `x <= t`: `(false, t)`. The variable is number 0.
    fn bound_by(&mut self, atom: Term) -> Option<(bool, Term)> {
        if self.theory.terms.op(atom) != Op::Le {
            return None;
        }
        let (lower, limit) = self.solved(atom, 0)?;
        Some((lower, limit))
    }

    /// `left op right` solved for the variable: is it on the greater side, and the other side.
    fn solved(&mut self, atom: Term, variable: u32) -> Option<(bool, Term)> {
        let terms = &mut self.theory.terms;
        let (left, right) = (terms.args(atom)[0], terms.args(atom)[1]);
        let mut rest = terms.linear(right).plus(-1, &terms.linear(left))?;
        let variables: Vec<(Term, i64)> = rest
            .parts
            .iter()
            .filter(|(part, _)| terms.op(**part) == Op::Bound(variable))
            .map(|(part, coefficient)| (*part, *coefficient))
            .collect();
        let [(part, coefficient)] = variables[..] else {
            return None;
        };
        if coefficient.abs() != 1 {
            return None;
        }
        rest.parts.remove(&part);
        // right - left = c·x + rest: x >= -rest, or x <= rest.
        let limit = if coefficient == 1 {
            crate::term::Linear::default().plus(-1, &rest)?
        } else {
            rest
        };
        let limit = terms.of_linear(&limit);
        terms.is_closed(limit).then_some((coefficient == 1, limit))
    }

    /// Facts about two sums.
    fn compared(&mut self, f: Summed, g: Summed) -> Result<()> {
        for (f, g) in [(f, g), (g, f)] {
            let below = facts::below(&mut self.theory.terms, f, g);
            self.fact(Lemma::Below, below)?;
        }
        let (mut of_f, mut of_g) = (Vec::new(), Vec::new());
        self.places(f.0, &mut of_f);
        self.places(g.0, &mut of_g);
        // What both single out is no difference between them.
        let only_f = of_f.iter().filter(|place| !of_g.contains(place));
        let only_g = of_g.iter().filter(|place| !of_f.contains(place));
        let mut places: Vec<Term> = only_f.chain(only_g).copied().collect();
        self.nearest(&mut places);
        for (number, &t) in places.iter().enumerate() {
            let one = facts::but_places(&mut self.theory.terms, f, g, &[t]);
            self.fact(Lemma::ButOne, one)?;
            let others = places.iter().take(MOST_IN_PAIRS).skip(number + 1);
            for &u in others {
                let two = facts::but_places(&mut self.theory.terms, f, g, &[t, u]);
                self.fact(Lemma::ButTwo, two)?;
            }
        }
        Ok(())
    }

    /// Facts about three sums.
    fn added(&mut self, totals: &[Summed]) -> Result<()> {
        for &(h, c) in totals {
            for (at, &(f, a)) in totals.iter().enumerate() {
                for &(g, b) in &totals[at + 1..] {
                    let sorts = [h, f, g].map(|term| self.theory.terms.sort(term));
                    let distinct = h != f && h != g;
                    if !distinct || sorts[0] != sorts[1] || sorts[1] != sorts[2] {
                        continue;
                    }
                    let added = facts::added(&mut self.theory.terms, (h, c), (f, a), (g, b));
                    self.fact(Lemma::Added, added)?;
                }
            }
        }
        Ok(())
    }

    /// Places that a function singles out.
    fn places(&mut self, f: Term, found: &mut Vec<Term>) {
        match self.theory.terms.op(f) {
            Op::Lambda => {
                let body = self.theory.terms.args(f)[0];
                self.places_in(body, 0, found);
            }
            Op::Store => {
                let [inner, place, _] = self.theory.terms.args(f)[..] else {
                    return;
                };
                if !found.contains(&place) {
                    found.push(place);
                }
                self.places(inner, found);
            }
            Op::Ite => {
                let [_, yes, no] = self.theory.terms.args(f)[..] else {
                    return;
                };
                self.places(yes, found);
                self.places(no, found);
            }
            _ => {}
        }
    }

    fn places_in(&mut self, term: Term, variable: u32, found: &mut Vec<Term>) {
        if self.theory.terms.is_closed(term) {
            return;
        }
        let op = self.theory.terms.op(term);
        let args = self.theory.terms.args(term).to_vec();
        match op {
            Op::Le => {
                if let Some((_, limit)) = self.solved(term, variable) {
                    note(found, limit);
                }
            }
            Op::Eq if self.theory.terms.sort(args[0]) == Sort::INT => {
                if let Some((_, limit)) = self.solved(term, variable) {
                    note(found, limit);
                }
            }
            Op::Eq => {
                for (a, b) in [(args[0], args[1]), (args[1], args[0])] {
                    if self.theory.terms.op(a) == Op::Bound(variable)
                        && self.theory.terms.is_closed(b)
                    {
                        note(found, b);
                    }
                }
            }
            Op::Mod => self.summands(args[0], variable, found),
            _ => {}
        }
        let inner = variable + u32::from(matches!(op, Op::Lambda | Op::Forall(_) | Op::Exists(_)));
        for arg in args {
            self.places_in(arg, inner, found);
        }
    }

    /// In a remainder of `a + b - x`, the places `a` and `b`: there the distance is zero.
    fn summands(&mut self, dividend: Term, variable: u32, found: &mut Vec<Term>) {
        let terms = &self.theory.terms;
        let sum = terms.linear(dividend);
        let named = |part: &Term| terms.op(*part) == Op::Bound(variable);
        if !sum.parts.keys().any(named) {
            return;
        }
        for &part in sum.parts.keys() {
            if terms.is_closed(part) {
                note(found, part);
            }
        }
    }

    /// The least or greatest member of a set.
    fn extreme(&mut self, set: Term, value: Term, least: bool) -> Result<()> {
        let lemma = if least { Lemma::Least } else { Lemma::Greatest };
        let says = facts::extreme(&mut self.theory.terms, set, value, least);
        self.fact(lemma, says)
    }
}

fn note(found: &mut Vec<Term>, place: Term) {
    if !found.contains(&place) {
        found.push(place);
    }
}
