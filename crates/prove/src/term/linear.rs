//! Integer arithmetic in a normal form: a constant and terms with coefficients.
//!
//! Sums are flattened, equal parts are collected and constants folded, so `i + 1 - 1` is `i` and
//! `n <= i` and `n - i <= 0` talk about the same parts. Numbers that would not fit 64 bits are left
//! as they are written.

use super::{Op, Sort, Term, Terms};
use std::collections::BTreeMap;

/// A constant and parts with their coefficients, none of which is zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linear {
    pub constant: i64,
    /// Coefficients by part.
    pub parts: BTreeMap<Term, i64>,
}

impl Linear {
    /// `self + factor * other`, unless numbers grow too big.
    pub fn plus(&self, factor: i64, other: &Linear) -> Option<Linear> {
        let mut sum = self.clone();
        sum.constant = sum
            .constant
            .checked_add(factor.checked_mul(other.constant)?)?;
        for (&part, &coefficient) in &other.parts {
            let entry = sum.parts.entry(part).or_insert(0);
            *entry = entry.checked_add(factor.checked_mul(coefficient)?)?;
            if *entry == 0 {
                sum.parts.remove(&part);
            }
        }
        Some(sum)
    }
}

impl Terms {
    /// An integer term as a linear sum; what is not one is a part of its own.
    pub fn linear(&self, term: Term) -> Linear {
        let sum = match self.op(term) {
            Op::Int(constant) => Some(Linear {
                constant,
                parts: BTreeMap::new(),
            }),
            Op::Scale(factor) => Linear::default().plus(factor, &self.linear(self.args(term)[0])),
            Op::Add => self
                .args(term)
                .iter()
                .try_fold(Linear::default(), |sum, arg| {
                    sum.plus(1, &self.linear(*arg))
                }),
            _ => None,
        };
        sum.unwrap_or_else(|| Linear {
            constant: 0,
            parts: BTreeMap::from([(term, 1)]),
        })
    }

    /// The term of a linear sum.
    pub fn of_linear(&mut self, sum: &Linear) -> Term {
        let mut args = Vec::new();
        for (&part, &coefficient) in &sum.parts {
            args.push(match coefficient {
                1 => part,
                _ => self.node(Op::Scale(coefficient), &[part], Sort::INT),
            });
        }
        if sum.constant != 0 || args.is_empty() {
            args.push(self.int(sum.constant));
        }
        match args[..] {
            [only] => only,
            _ => self.node(Op::Add, &args, Sort::INT),
        }
    }

    /// `a + factor * b`.
    pub fn plus(&mut self, a: Term, factor: i64, b: Term) -> Term {
        match self.linear(a).plus(factor, &self.linear(b)) {
            Some(sum) => self.of_linear(&sum),
            None => {
                let scaled = self.node(Op::Scale(factor), &[b], Sort::INT);
                self.node(Op::Add, &[a, scaled], Sort::INT)
            }
        }
    }

    /// `a + b`.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.plus(a, 1, b)
    }

    /// `a - b`.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        self.plus(a, -1, b)
    }

    /// `a + constant`.
    pub fn offset(&mut self, a: Term, constant: i64) -> Term {
        let constant = self.int(constant);
        self.add(a, constant)
    }

    /// `a * b`.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        let zero = self.int(0);
        match (self.op(a), self.op(b)) {
            (Op::Int(factor), _) => self.plus(zero, factor, b),
            (_, Op::Int(factor)) => self.plus(zero, factor, a),
            _ => {
                let (a, b) = (a.min(b), a.max(b));
                self.node(Op::Mul, &[a, b], Sort::INT)
            }
        }
    }

    /// `a <= b`.
    pub fn le(&mut self, a: Term, b: Term) -> Term {
        if let Some(difference) = self.linear(b).plus(-1, &self.linear(a))
            && difference.parts.is_empty()
        {
            return self.bool(difference.constant >= 0);
        }
        self.node(Op::Le, &[a, b], Sort::BOOL)
    }

    /// `a < b`.
    pub fn lt(&mut self, a: Term, b: Term) -> Term {
        let next = self.offset(a, 1);
        self.le(next, b)
    }
}
