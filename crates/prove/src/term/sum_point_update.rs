//! Sums of functions that are changed at single places.
//!
//! Statement. `Σ f` where `f` is `x` at the place `t` if `p`, and otherwise `g`, is `Σ g`, and if `p` holds for `t`, what `x`
//! is more than `g` there. The same where this is a part of a sum, or counts under a condition only.
//!
//! Why sound. `f` and `g` agree but for one place, so `g` is zero but for finitely many places if `f` is, and their sums
//! differ as they do there: the lemma `sum/but-one-place`. That it was used is noted ([`Terms::singles_out`]), so that it is
//! shown like any other.
//!
//! Why needed. Sums of sums, like the number of asyncs with several arguments, stay as they are but for what
//! changed, instead of being compared place by place.

use super::{Op, Sort, Term, Terms};

/// A place (outside of the function), when it counts and by how much the function is more there (inside).
type Point = (Term, Term, Term);

impl Terms {
    /// For the body of a function: the body without single places, and what they add to the sum.
    pub(super) fn without_points(&mut self, body: Term) -> Option<(Term, Term)> {
        let mut points = Vec::new();
        let always = self.bool(true);
        let rest = self.points(body, always, &mut points);
        if points.is_empty() {
            return None;
        }
        self.noted_points = true;
        let mut sum = self.int(0);
        let zero = sum;
        for (place, when, more) in points {
            let when = self.instantiate(when, place);
            let more = self.instantiate(more, place);
            let more = self.ite(when, more, zero);
            sum = self.add(sum, more);
        }
        Some((rest, sum))
    }

    /// Was a sum changed because of a single place?
    pub(crate) fn singles_out(&self) -> bool {
        self.noted_points
    }

    fn points(&mut self, body: Term, when: Term, found: &mut Vec<Point>) -> Term {
        let zero = self.int(0);
        match self.op(body) {
            Op::Ite => {
                let [condition, yes, no] = self.args(body)[..] else {
                    panic!("a choice has three arguments")
                };
                let here = self.and(&[when, condition]);
                if let Some(place) = self.place(condition) {
                    let more = self.sub(yes, no);
                    found.push((place, here, more));
                    return self.points(no, when, found);
                }
                if no == zero {
                    let rest = self.points(yes, here, found);
                    return self.ite(condition, rest, zero);
                }
                body
            }
            Op::Add | Op::Scale(_) => {
                let sum = self.linear(body);
                if sum.parts.contains_key(&body) {
                    return body;
                }
                let mut rest = self.int(sum.constant);
                for (part, factor) in sum.parts {
                    let from = found.len();
                    let left = self.points(part, when, found);
                    for (_, _, more) in &mut found[from..] {
                        *more = self.plus(zero, factor, *more);
                    }
                    rest = self.plus(rest, factor, left);
                }
                rest
            }
            _ => body,
        }
    }

    /// The only place at which a condition can hold, as it reads outside.
    fn place(&mut self, condition: Term) -> Option<Term> {
        let parts = self.conjuncts(condition);
        let place = parts.into_iter().find_map(|part| self.equal_to(part))?;
        // It does not mention the place inside, so anything may stand for that.
        Some(self.instantiate(place, place))
    }

    /// For `x == t`: `t`.
    fn equal_to(&mut self, atom: Term) -> Option<Term> {
        if self.op(atom) != Op::Eq {
            return None;
        }
        let [a, b] = self.args(atom)[..] else {
            return None;
        };
        if self.sort(a) == Sort::INT {
            let mut rest = self.linear(a).plus(-1, &self.linear(b))?;
            let own = rest.parts.keys().copied();
            let own = own
                .into_iter()
                .find(|part| self.op(*part) == Op::Bound(0))?;
            let factor = rest.parts.remove(&own)?;
            if factor.abs() != 1 {
                return None;
            }
            // factor·x + rest = 0
            let rest = super::Linear::default().plus(-factor, &rest)?;
            let place = self.of_linear(&rest);
            return (!self.mentions(place, 0)).then_some(place);
        }
        let sides = [(a, b), (b, a)];
        let found = sides
            .into_iter()
            .find(|(x, t)| self.op(*x) == Op::Bound(0) && !self.mentions(*t, 0));
        found.map(|(_, place)| place)
    }
}
