//! Facts about sums over finite sets, and about least and greatest elements.
//!
//! Cardinality, `count`, `sum`, the length of a bag and how often a value stands in a sequence are all
//! sums `Σf` of a function that is zero but for finitely many places. For the sums that occur, these
//! facts are asserted; each is a theorem about finite sums of integers, tested against them in
//! `tests/it/sums.rs`:
//!
//! 1. if `f` is zero everywhere, `Σf = 0`;
//! 2. if `f` is nowhere negative, `Σf >= 0`, and no value of `f` is greater than `Σf`;
//! 3. if `f` is nowhere greater than `g`, `Σf <= Σg`, and if the sums are equal, so are `f` and `g`;
//! 4. if `f` and `g` agree but for one place (or two), the sums differ by the difference there;
//! 5. if `h` is `f + g` everywhere, `Σh = Σf + Σg`;
//! 6. the sum of 1 over the integers from `a` to before `b` is `b - a`, or 0; over a sort, its size.
//!
//! The places of fact 4 are those that the functions themselves single out: ends of ranges, places
//! that were changed.

use super::ground::{Ground, WITNESS};
use crate::term::{Op, Sort, SortKind, Term};
use crate::theory::Result;

/// The most sums that are compared with each other.
const MOST_COMPARED: usize = 8;
/// The most sums among which additions are looked for.
const MOST_ADDED: usize = 4;
/// The most places tried for one pair.
const MOST_PLACES: usize = 4;

impl Ground<'_> {
    /// Asserts the facts about the sums from number `from` on.
    pub(super) fn sum_facts(&mut self, from: usize) -> Result<()> {
        self.witness_name = "place";
        let facts = self.facts(from);
        self.witness_name = WITNESS;
        facts
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
        let totals: Vec<(Term, Term)> = self
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
        Ok(())
    }

    /// `∃x. says(x)` for a fresh `x` that `f` can be read at.
    fn somewhere(&mut self, f: Term, says: impl FnOnce(&mut Self, Term) -> Term) -> Term {
        let at = self.place_of(f);
        let body = says(self, at);
        self.theory.terms.exists(at, body)
    }

    fn everywhere(&mut self, f: Term, says: impl FnOnce(&mut Self, Term) -> Term) -> Term {
        let at = self.place_of(f);
        let body = says(self, at);
        self.theory.terms.forall(at, body)
    }

    fn place_of(&mut self, f: Term) -> Term {
        self.theory.terms.fresh_place("x", f)
    }

    fn at(&mut self, f: Term, x: Term) -> Term {
        self.theory.terms.select(f, x)
    }

    /// Facts 1, 2 and 6.
    fn alone(&mut self, f: Term, sum: Term) -> Result<()> {
        let zero = self.theory.terms.int(0);
        let is_zero = self.theory.terms.eq(sum, zero);
        let nonzero = self.somewhere(f, |ground, x| {
            let value = ground.at(f, x);
            let none = ground.theory.terms.eq(value, zero);
            ground.theory.terms.not(none)
        });
        let empty = self.theory.terms.or(&[nonzero, is_zero]);
        self.assert(empty)?;
        let negative = self.somewhere(f, |ground, x| {
            let value = ground.at(f, x);
            ground.theory.terms.lt(value, zero)
        });
        let not_below = self.theory.terms.le(zero, sum);
        let all_below = self.everywhere(f, |ground, x| {
            let value = ground.at(f, x);
            ground.theory.terms.le(value, sum)
        });
        let both = self.theory.terms.and(&[not_below, all_below]);
        let positive = self.theory.terms.or(&[negative, both]);
        self.assert(positive)?;
        if let Some(size) = self.plain_count(f) {
            let same = self.theory.terms.eq(sum, size);
            self.assert(same)?;
        }
        Ok(())
    }

    /// How many there are, when the function is 1 on a range of integers or on a whole sort.
    fn plain_count(&mut self, f: Term) -> Option<Term> {
        if self.theory.terms.op(f) != Op::Lambda {
            return None;
        }
        let body = self.theory.terms.args(f)[0];
        let (from, _) = self.theory.terms.array_parts(self.theory.terms.sort(f));
        let (one, zero) = (self.theory.terms.int(1), self.theory.terms.int(0));
        if let (SortKind::Named(sort), true) = (self.theory.terms.kind(from), body == one) {
            return Some(self.theory.size(sort));
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
        let length = self.theory.terms.sub(end, first);
        let some = self.theory.terms.le(zero, length);
        Some(self.theory.terms.ite(some, length, zero))
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

    /// Facts 3 and 4.
    fn compared(&mut self, (f, a): (Term, Term), (g, b): (Term, Term)) -> Result<()> {
        for ((f, a), (g, b)) in [((f, a), (g, b)), ((g, b), (f, a))] {
            let above = self.somewhere(f, |ground, x| {
                let (y, z) = (ground.at(f, x), ground.at(g, x));
                ground.theory.terms.lt(z, y)
            });
            let below = self.theory.terms.lt(a, b);
            let same_sum = self.theory.terms.eq(a, b);
            let same = self.everywhere(f, |ground, x| {
                let (y, z) = (ground.at(f, x), ground.at(g, x));
                ground.theory.terms.eq(y, z)
            });
            let equal = self.theory.terms.and(&[same_sum, same]);
            let fact = self.theory.terms.or(&[above, below, equal]);
            self.assert(fact)?;
        }
        let (mut of_f, mut of_g) = (Vec::new(), Vec::new());
        self.places(f, &mut of_f);
        self.places(g, &mut of_g);
        // What both single out is no difference between them.
        let only_f = of_f.iter().filter(|place| !of_g.contains(place));
        let only_g = of_g.iter().filter(|place| !of_f.contains(place));
        let mut places: Vec<Term> = only_f.chain(only_g).copied().collect();
        places.truncate(MOST_PLACES);
        for (number, &t) in places.iter().enumerate() {
            self.differ_at((f, a), (g, b), &[t])?;
            for &u in &places[number + 1..] {
                self.differ_at((f, a), (g, b), &[t, u])?;
            }
        }
        Ok(())
    }

    fn differ_at(
        &mut self,
        (f, a): (Term, Term),
        (g, b): (Term, Term),
        places: &[Term],
    ) -> Result<()> {
        let elsewhere = self.somewhere(f, |ground, x| {
            let (y, z) = (ground.at(f, x), ground.at(g, x));
            let same = ground.theory.terms.eq(y, z);
            let mut parts = vec![ground.theory.terms.not(same)];
            for &place in places {
                let here = ground.theory.terms.eq(x, place);
                parts.push(ground.theory.terms.not(here));
            }
            ground.theory.terms.and(&parts)
        });
        let (mut left, mut right) = (a, b);
        for &place in places {
            let (y, z) = (self.at(f, place), self.at(g, place));
            left = self.theory.terms.sub(left, y);
            right = self.theory.terms.sub(right, z);
        }
        let mut parts = vec![elsewhere, self.theory.terms.eq(left, right)];
        if let [t, u] = places {
            parts.push(self.theory.terms.eq(*t, *u));
        }
        let fact = self.theory.terms.or(&parts);
        self.assert(fact)
    }

    /// Fact 5.
    fn added(&mut self, totals: &[(Term, Term)]) -> Result<()> {
        for &(h, c) in totals {
            for (at, &(f, a)) in totals.iter().enumerate() {
                for &(g, b) in &totals[at + 1..] {
                    let sorts = [h, f, g].map(|term| self.theory.terms.sort(term));
                    let distinct = h != f && h != g;
                    if !distinct || sorts[0] != sorts[1] || sorts[1] != sorts[2] {
                        continue;
                    }
                    let other = self.somewhere(h, |ground, x| {
                        let (x, y, z) = (ground.at(h, x), ground.at(f, x), ground.at(g, x));
                        let sum = ground.theory.terms.add(y, z);
                        let same = ground.theory.terms.eq(x, sum);
                        ground.theory.terms.not(same)
                    });
                    let sum = self.theory.terms.add(a, b);
                    let same = self.theory.terms.eq(c, sum);
                    let fact = self.theory.terms.or(&[other, same]);
                    self.assert(fact)?;
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
            _ => {}
        }
        let inner = variable + u32::from(matches!(op, Op::Lambda | Op::Forall(_) | Op::Exists(_)));
        for arg in args {
            self.places_in(arg, inner, found);
        }
    }

    /// The least (or greatest) member of a set is in it, and no member is beyond it.
    fn extreme(&mut self, set: Term, value: Term, least: bool) -> Result<()> {
        let nothing = self.everywhere(set, |ground, x| {
            let member = ground.at(set, x);
            ground.theory.terms.not(member)
        });
        let inside = self.at(set, value);
        let none_beyond = self.everywhere(set, |ground, x| {
            let member = ground.at(set, x);
            let bounded = if least {
                ground.theory.terms.le(value, x)
            } else {
                ground.theory.terms.le(x, value)
            };
            ground.theory.terms.implies(member, bounded)
        });
        let both = self.theory.terms.and(&[inside, none_beyond]);
        let fact = self.theory.terms.or(&[nothing, both]);
        self.assert(fact)
    }
}

fn note(found: &mut Vec<Term>, place: Term) {
    if !found.contains(&place) {
        found.push(place);
    }
}
