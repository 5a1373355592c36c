//! Permuting sends: each round writes at a place that its member determines, `node[(x + 1) % N].got = node[x].mine`.
//!
//! Statement. In a loop whose rounds have nothing to do with each other (`vc/family.rs`) a variable may be touched
//! at `f(x)` instead of at `x`, where `f(x)` is `c + x`, `c - x`, or the remainder of one of these by `m`; neither
//! `c` nor `m` depends on `x`. With the inverse `g` below, the variable has behind the loop, at `y`,
//!
//! - for `c + x` and `c - x`: the value that round `g(y)` gives it, if there is such a round, and else the old one;
//! - for a remainder: the same if `0 <= y < m`, and else the old one, provided that in every round
//!   `g(f(x)) == x` and `0 <= f(x) < m`. This is an obligation ([`Rule::Injective`]).
//!
//! `g(y)` is `y - c`, or `c - y`; for remainders the first of these that is run through after `y` was shifted by
//! `0`, `m`, `-m` or `2 * m`.
//!
//! Why sound. Different rounds write at different places, because `g` tells from the place which round it was; so no
//! round touches what another reads or writes, and each sees the state before the loop. What is left is that `y` is
//! written by round `g(y)`, or by none. If some round `x` writes it, `y = f(x)`, then `g(y) = x`, and for remainders
//! `0 <= y < m`. The other way round, let `g(y)` be a round, and `0 <= y < m` for remainders: sums are inverted
//! exactly, `f(g(y)) = y`. A remainder has `f(g(y))` congruent to `y` modulo `m`, since `g(y)` was taken from `y` by
//! a multiple of `m`, and by the obligation it lies in `0..m`, as does `y`: they are equal. So in the value of round
//! `g(y)` its place `f(g(y))` may be written as `y`.
//!
//! Source. [Rubbens25]: injectivity of the receiver's index.
//! DIFFERS. The inverse is found by its form, so there is no quantifier over pairs of rounds.
//! NOT COVERED. Other expressions, such as a permutation in a map, and remainders by numbers of which it cannot be
//! seen that the loop has no more rounds than that: there places may well meet, and what does not depend on the
//! values could not be shown any more. These loops are cut, and need an invariant.

use super::loops::Through;
use super::{SymbolicState, VcWalk};
use crate::obligation::Rule;
use crate::rounds::under_coordinates;
use crate::symbolic_execution::SymbolicExecution;
use crate::term::{Op, Term, Terms};
use crate::theory::Result;
use plainsong_ir::{BinOp, Expr, ExprKind};
use rustc_hash::FxHashMap;

/// The place that a round writes to, and the way back.
pub(super) struct Aim {
    /// `f(x)`.
    place: Term,
    /// Some place `y`.
    at: Term,
    /// `g(y)`.
    round: Term,
    /// May `y` be a place of some round?
    possible: Term,
}

impl Aim {
    /// The variable in which, at the place of every `member` that `counts`, the part of what it is after stands, and
    /// elsewhere that of what it was before.
    pub(super) fn everywhere(
        &self,
        terms: &mut Terms,
        both: (Term, Term),
        coordinate: usize,
        (member, counts): (Term, Term),
    ) -> Term {
        under_coordinates(terms, both, coordinate, |terms, old, new| {
            let old = terms.select(old, self.at);
            let new = terms.select(new, self.place);
            let new = terms.replace(new, &FxHashMap::from_iter([(self.place, self.at)]));
            let of_round = FxHashMap::from_iter([(member, self.round)]);
            let new = terms.replace(new, &of_round);
            let counts = terms.replace(counts, &of_round);
            let is_written = terms.and(&[self.possible, counts]);
            let held = terms.ite(is_written, new, old);
            terms.lambda(self.at, held)
        })
    }
}

impl VcWalk<'_> {
    /// Where a round of this member writes, if it has one of the forms; obliges that rounds do not meet there.
    pub(super) fn aim(
        &mut self,
        inside: &mut SymbolicState,
        through: &Through,
        (member, guard): (Term, Term),
        index: &Expr,
    ) -> Result<Option<Aim>> {
        let inner = match &index.kind {
            ExprKind::Narrow(inner) => inner,
            _ => index,
        };
        let (sum, modulus) = match &inner.kind {
            ExprKind::Binary(BinOp::Rem, sum, modulus) => (&**sum, Some(&**modulus)),
            _ => (inner, None),
        };
        let sum = self.read(inside, sum)?;
        let Some(inverse) = Inverse::of(&mut self.theory.terms, sum, member) else {
            return Ok(None);
        };
        let at = self.theory.terms.fresh("place", crate::term::Sort::INT);
        let Some(modulus) = modulus else {
            let terms = &mut self.theory.terms;
            return Ok(Some(Aim {
                place: sum,
                at,
                round: inverse.at(terms, at),
                possible: terms.bool(true),
            }));
        };
        let modulus = self.read(inside, modulus)?;
        let bound = self.theory.counted(modulus).unwrap_or(modulus);
        let terms = &mut self.theory.terms;
        if !has_at_most(terms, through, bound) {
            return Ok(None);
        }
        let place = remainder(terms, sum, modulus);
        let round = inverse.modulo(terms, (at, modulus), (member, guard));
        let aim = Aim {
            place,
            at,
            round,
            possible: is_remainder(terms, at, modulus),
        };
        let back = terms.replace(round, &FxHashMap::from_iter([(at, place)]));
        let same = terms.eq(back, member);
        let within = is_remainder(terms, place, modulus);
        let goal = terms.and(&[same, within]);
        self.text = plainsong_ir::print::expr(&self.theory.song, &self.locals, index);
        let sentence =
            "two rounds may write to the same place, or one to a negative one".to_owned();
        self.oblige(
            inside,
            Rule::Injective,
            index.span,
            sentence,
            Vec::new(),
            goal,
        );
        Ok(Some(aim))
    }
}

/// `rest + sign * x`, from which `x` can be told.
struct Inverse {
    sign: i64,
    rest: Term,
}

impl Inverse {
    fn of(terms: &mut Terms, sum: Term, member: Term) -> Option<Inverse> {
        let mut linear = terms.linear(sum);
        let sign = linear.parts.remove(&member)?;
        let is_free = |part: &Term| !terms.contains(*part, member);
        if sign.abs() != 1 || !linear.parts.keys().all(is_free) {
            return None;
        }
        let rest = terms.of_linear(&linear);
        Some(Inverse { sign, rest })
    }

    /// The round whose sum is `y`.
    fn at(&self, terms: &mut Terms, y: Term) -> Term {
        let zero = terms.int(0);
        let difference = terms.sub(y, self.rest);
        terms.plus(zero, self.sign, difference)
    }

    /// The first round that is run through whose sum is `y` or differs from it by a small multiple of `m`.
    fn modulo(
        &self,
        terms: &mut Terms,
        (y, m): (Term, Term),
        (member, guard): (Term, Term),
    ) -> Term {
        let shifted = [2, -1, 1, 0].map(|times| {
            let sum = terms.plus(y, times, m);
            self.at(terms, sum)
        });
        let [last, others @ ..] = shifted;
        others.into_iter().fold(last, |otherwise, round| {
            let of_round = FxHashMap::from_iter([(member, round)]);
            let is_one = terms.replace(guard, &of_round);
            terms.ite(is_one, round, otherwise)
        })
    }
}

/// Can it be seen that a loop has at most `m` rounds?
fn has_at_most(terms: &mut Terms, through: &Through, m: Term) -> bool {
    let Through::Range(first, end) = through else {
        return false;
    };
    let rounds = terms.sub(*end, *first);
    let fits = terms.le(rounds, m);
    terms.op(fits) == Op::True
}

/// `a % m`, with the sign of `a`.
fn remainder(terms: &mut Terms, a: Term, m: Term) -> Term {
    let zero = terms.int(0);
    let minus = terms.sub(zero, a);
    let (up, down) = (terms.modulo(a, m), terms.modulo(minus, m));
    let down = terms.sub(zero, down);
    let positive = terms.le(zero, a);
    terms.ite(positive, up, down)
}

fn is_remainder(terms: &mut Terms, y: Term, m: Term) -> Term {
    let zero = terms.int(0);
    let (low, high) = (terms.le(zero, y), terms.lt(y, m));
    terms.and(&[low, high])
}
