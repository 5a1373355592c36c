//! What the lemmas say, for given functions and the values of their sums.
//!
//! A fact about finite sums of integers holds whatever the functions are; where it has a condition, the
//! condition is part of it (`somewhere f is not zero, or the sum is zero`).

use crate::term::{Term, Terms};
use rustc_hash::FxHashMap;

/// A function and its sum.
pub type Summed = (Term, Term);

/// `∃x. says(x)` for places that `f` can be read at.
pub fn somewhere(terms: &mut Terms, f: Term, says: impl FnOnce(&mut Terms, Term) -> Term) -> Term {
    let at = terms.fresh_place("x", f);
    let body = says(terms, at);
    terms.exists(at, body)
}

/// `∀x. says(x)` for places that `f` can be read at.
pub fn everywhere(terms: &mut Terms, f: Term, says: impl FnOnce(&mut Terms, Term) -> Term) -> Term {
    let at = terms.fresh_place("x", f);
    let body = says(terms, at);
    terms.forall(at, body)
}

fn differ(terms: &mut Terms, a: Term, b: Term) -> Term {
    let same = terms.eq(a, b);
    terms.not(same)
}

/// Is `f` something other than zero somewhere?
pub fn nonzero(terms: &mut Terms, f: Term) -> Term {
    somewhere(terms, f, |terms, x| {
        let (value, zero) = (terms.select(f, x), terms.int(0));
        differ(terms, value, zero)
    })
}

/// [`Lemma::Zero`](super::Lemma::Zero).
pub fn zero(terms: &mut Terms, (f, sum): Summed) -> Term {
    let nonzero = nonzero(terms, f);
    let zero = terms.int(0);
    let is_zero = terms.eq(sum, zero);
    terms.or(&[nonzero, is_zero])
}

/// Is `f` negative somewhere?
pub fn negative(terms: &mut Terms, f: Term) -> Term {
    somewhere(terms, f, |terms, x| {
        let (value, zero) = (terms.select(f, x), terms.int(0));
        terms.lt(value, zero)
    })
}

/// [`Lemma::Positive`](super::Lemma::Positive).
pub fn positive(terms: &mut Terms, (f, sum): Summed) -> Term {
    let negative = negative(terms, f);
    let zero = terms.int(0);
    let not_below = terms.le(zero, sum);
    let none_above = everywhere(terms, f, |terms, x| {
        let value = terms.select(f, x);
        terms.le(value, sum)
    });
    let both = terms.and(&[not_below, none_above]);
    terms.or(&[negative, both])
}

/// Is `f` above `g` somewhere?
pub fn above(terms: &mut Terms, f: Term, g: Term) -> Term {
    somewhere(terms, f, |terms, x| {
        let (y, z) = (terms.select(f, x), terms.select(g, x));
        terms.lt(z, y)
    })
}

/// [`Lemma::Below`](super::Lemma::Below).
pub fn below(terms: &mut Terms, (f, a): Summed, (g, b): Summed) -> Term {
    let above = above(terms, f, g);
    let less = terms.lt(a, b);
    let same_sum = terms.eq(a, b);
    let same = everywhere(terms, f, |terms, x| {
        let (y, z) = (terms.select(f, x), terms.select(g, x));
        terms.eq(y, z)
    });
    let equal = terms.and(&[same_sum, same]);
    terms.or(&[above, less, equal])
}

/// Do `f` and `g` differ at a place that is none of these?
///
/// In the values, that it is one of these is replaced by what it is, false: often they are the same term then, also when
/// they are sums themselves.
pub fn differ_elsewhere(terms: &mut Terms, f: Term, g: Term, places: &[Term]) -> Term {
    somewhere(terms, f, |terms, x| {
        let no = terms.bool(false);
        let here = places.iter().map(|place| (terms.eq(x, *place), no));
        let here: FxHashMap<Term, Term> = here.filter(|(one, _)| *one != no).collect();
        let [y, z] = [f, g].map(|one| {
            let value = terms.select(one, x);
            terms.replace(value, &here)
        });
        let mut parts = vec![differ(terms, y, z)];
        for &place in places {
            parts.push(differ(terms, x, place));
        }
        terms.and(&parts)
    })
}

/// [`Lemma::ButOne`](super::Lemma::ButOne) and [`Lemma::ButTwo`](super::Lemma::ButTwo).
pub fn but_places(terms: &mut Terms, (f, a): Summed, (g, b): Summed, places: &[Term]) -> Term {
    let elsewhere = differ_elsewhere(terms, f, g, places);
    let (mut left, mut right) = (a, b);
    for &place in places {
        let (y, z) = (terms.select(f, place), terms.select(g, place));
        left = terms.sub(left, y);
        right = terms.sub(right, z);
    }
    let mut parts = vec![elsewhere, terms.eq(left, right)];
    if let [t, u] = places {
        parts.push(terms.eq(*t, *u));
    }
    terms.or(&parts)
}

/// Is `h` something other than `f + g` somewhere?
pub fn not_added(terms: &mut Terms, h: Term, f: Term, g: Term) -> Term {
    somewhere(terms, h, |terms, x| {
        let (x, y, z) = (terms.select(h, x), terms.select(f, x), terms.select(g, x));
        let sum = terms.add(y, z);
        differ(terms, x, sum)
    })
}

/// [`Lemma::Added`](super::Lemma::Added).
pub fn added(terms: &mut Terms, (h, c): Summed, (f, a): Summed, (g, b): Summed) -> Term {
    let other = not_added(terms, h, f, g);
    let sum = terms.add(a, b);
    let same = terms.eq(c, sum);
    terms.or(&[other, same])
}

/// Two functions that are nowhere above one together have sums that are no more than `size` together, where
/// `size` is the number of places. [`Lemma::Below`](super::Lemma::Below) for their sum and the function that is
/// one everywhere.
pub fn share(terms: &mut Terms, (f, a): Summed, (g, b): Summed, size: Term) -> Term {
    let above = somewhere(terms, f, |terms, x| {
        let (y, z) = (terms.select(f, x), terms.select(g, x));
        let (both, one) = (terms.add(y, z), terms.int(1));
        terms.lt(one, both)
    });
    let sum = terms.add(a, b);
    let fits = terms.le(sum, size);
    terms.or(&[above, fits])
}

/// How many integers there are from `first` to before `end`.
pub fn length(terms: &mut Terms, first: Term, end: Term) -> Term {
    let zero = terms.int(0);
    let length = terms.sub(end, first);
    let some = terms.le(zero, length);
    terms.ite(some, length, zero)
}

/// A correspondence of places: where `f` is not zero, `to` leads to a place of `g` with the same value
/// and `back` leads back, and the other way round. This says that it is none.
pub fn not_corresponding(terms: &mut Terms, f: Term, g: Term, to: Term, back: Term) -> Term {
    let forth = not_led(terms, f, g, to, back);
    let other = not_led(terms, g, f, back, to);
    terms.or(&[forth, other])
}

fn not_led(terms: &mut Terms, f: Term, g: Term, to: Term, back: Term) -> Term {
    somewhere(terms, f, |terms, x| {
        let (value, zero) = (terms.select(f, x), terms.int(0));
        let counts = differ(terms, value, zero);
        let there = terms.select(to, x);
        let held = terms.select(g, there);
        let other = differ(terms, held, value);
        let again = terms.select(back, there);
        let elsewhere = differ(terms, again, x);
        let wrong = terms.or(&[other, elsewhere]);
        terms.and(&[counts, wrong])
    })
}

/// [`Lemma::Renamed`](super::Lemma::Renamed).
pub fn renamed(terms: &mut Terms, (f, a): Summed, (g, b): Summed, to: Term, back: Term) -> Term {
    let not = not_corresponding(terms, f, g, to, back);
    let same = terms.eq(a, b);
    terms.or(&[not, same])
}

/// [`Lemma::Least`](super::Lemma::Least) and [`Lemma::Greatest`](super::Lemma::Greatest): `value` is that
/// member, or the set is empty.
pub fn extreme(terms: &mut Terms, set: Term, value: Term, least: bool) -> Term {
    let nothing = everywhere(terms, set, |terms, x| {
        let member = terms.select(set, x);
        terms.not(member)
    });
    let inside = terms.select(set, value);
    let none_beyond = everywhere(terms, set, |terms, x| {
        let member = terms.select(set, x);
        let bounded = if least {
            terms.le(value, x)
        } else {
            terms.le(x, value)
        };
        terms.implies(member, bounded)
    });
    let both = terms.and(&[inside, none_beyond]);
    terms.or(&[nothing, both])
}

/// [`Lemma::Remainder`](super::Lemma::Remainder): `a mod m`, when `m` is positive and `a` is at most one
/// `m` outside of the remainders, is `a`, `a - m` or `a + m`; and it is always a remainder.
pub fn remainder(terms: &mut Terms, a: Term, m: Term, remainder: Term) -> Term {
    let zero = terms.int(0);
    let positive = terms.lt(zero, m);
    let inside = within(terms, remainder, zero, m);
    let mut says = vec![inside];
    let minus = terms.sub(zero, m);
    let twice = terms.add(m, m);
    for (low, high, shift) in [(zero, m, 0), (m, twice, -1), (minus, zero, 1)] {
        let there = within(terms, a, low, high);
        let value = terms.plus(a, shift, m);
        let same = terms.eq(remainder, value);
        says.push(terms.implies(there, same));
    }
    let says = terms.and(&says);
    terms.implies(positive, says)
}

fn within(terms: &mut Terms, a: Term, low: Term, high: Term) -> Term {
    let from = terms.le(low, a);
    let to = terms.lt(a, high);
    terms.and(&[from, to])
}
