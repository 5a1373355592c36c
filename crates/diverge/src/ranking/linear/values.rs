//! Symbolic values: what is linear about a value, over variables that stand for what a handler begins with.
//!
//! A value has *features*, integers by which a ranking may measure it: the number itself, 1 for a flag that is set, 1 for the
//! variant that an enum has, 1 for an option that is filled and the number in it, the size of a set or sequence; of structs and tuples those of
//! their parts. [`features`] says them as expressions, [`Value::features`] as linear terms, in the same order.

use crate::terms::{both, expr, integer, method, number};
use plainsong_diagnostics::Span;
use plainsong_ir::build::proposition;
use plainsong_ir::{BinOp, Builtin, Expr, ExprKind, Pattern, PatternKind, Song, SortKind, Ty};
use std::collections::BTreeMap;

/// A linear term with integer coefficients.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Linear {
    pub(super) constant: i64,
    /// By variable; none is zero.
    pub(super) terms: BTreeMap<usize, i64>,
}

impl Linear {
    pub(super) fn number(constant: i64) -> Linear {
        Linear {
            constant,
            terms: BTreeMap::new(),
        }
    }

    pub(super) fn variable(at: usize) -> Linear {
        Linear {
            constant: 0,
            terms: BTreeMap::from([(at, 1)]),
        }
    }

    pub(super) fn plus(&self, other: &Linear) -> Linear {
        self.and(other, 1)
    }

    pub(super) fn minus(&self, other: &Linear) -> Linear {
        self.and(other, -1)
    }

    pub(super) fn and(&self, other: &Linear, factor: i64) -> Linear {
        let mut sum = self.clone();
        sum.constant = sum
            .constant
            .saturating_add(other.constant.saturating_mul(factor));
        for (at, by) in &other.terms {
            let entry = sum.terms.entry(*at).or_default();
            *entry = entry.saturating_add(by.saturating_mul(factor));
        }
        sum.terms.retain(|_, by| *by != 0);
        sum
    }

    pub(super) fn times(&self, factor: i64) -> Linear {
        Linear::default().and(self, factor)
    }

    /// Its value, if it is the same everywhere.
    pub(super) fn fixed(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }
}

/// What is known of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(Linear),
    /// 1 if it is true, 0 otherwise.
    Truth(Linear),
    /// For each variant 1 if it is this one, 0 otherwise.
    Variant(Vec<Linear>),
    /// 1 if it is filled, 0 otherwise; and what is in it, 0 where nothing is.
    Option(Linear, Box<Value>),
    /// How many elements a set, bag or sequence has.
    Size(Linear),
    /// Of a struct or tuple.
    Parts(Vec<Value>),
    Unknown,
}

impl Value {
    /// The features as linear terms.
    pub(super) fn features(&self) -> Vec<Linear> {
        match self {
            Value::Number(one) | Value::Truth(one) | Value::Size(one) => vec![one.clone()],
            Value::Variant(all) => all.clone(),
            Value::Option(filled, inner) => {
                let inner = match &**inner {
                    Value::Number(inner) => Some(inner.clone()),
                    _ => None,
                };
                [filled.clone()].into_iter().chain(inner).collect()
            }
            Value::Parts(parts) => parts.iter().flat_map(Value::features).collect(),
            Value::Unknown => Vec::new(),
        }
    }
}

/// Variables, and what is known of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Fresh {
    next: usize,
}

impl Fresh {
    pub(super) fn variable(&mut self) -> Linear {
        self.next += 1;
        Linear::variable(self.next - 1)
    }

    /// Any value of a type; `known` gets what is at least zero then.
    pub(super) fn value(&mut self, song: &Song, ty: &Ty, known: &mut Vec<Linear>) -> Value {
        let one = Linear::number(1);
        match ty {
            Ty::Int => Value::Number(self.variable()),
            Ty::Nat => {
                let number = self.variable();
                known.push(number.clone());
                Value::Number(number)
            }
            Ty::Sort(sort) => match song.sorts[sort.index()].kind {
                SortKind::Range(_) => Value::Number(self.variable()),
                SortKind::Identities { .. } => Value::Unknown,
            },
            Ty::Bool => {
                let truth = self.variable();
                known.extend([truth.clone(), one.minus(&truth)]);
                Value::Truth(truth)
            }
            Ty::Enum(which) => {
                let variants = &song.enums[which.index()].variants;
                let all: Vec<Linear> = variants.iter().map(|_| self.variable()).collect();
                let sum = all.iter().fold(Linear::default(), |sum, one| sum.plus(one));
                known.extend(all.iter().cloned());
                known.extend([one.minus(&sum), sum.minus(&one)]);
                Value::Variant(all)
            }
            Ty::Option(inner) => {
                let filled = self.variable();
                known.extend([filled.clone(), one.minus(&filled)]);
                let inner = match **inner {
                    Ty::Int | Ty::Nat => self.value(song, inner, known),
                    _ => Value::Unknown,
                };
                Value::Option(filled, Box::new(inner))
            }
            Ty::Set(_) | Ty::Bag(_) | Ty::Seq(_) => {
                let size = self.variable();
                known.push(size.clone());
                Value::Size(size)
            }
            Ty::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.value(song, part, known));
                Value::Parts(parts.collect())
            }
            Ty::Struct(which) => {
                let fields = song.structs[which.index()].fields.iter();
                let parts = fields.map(|(_, ty)| self.value(song, ty, known));
                Value::Parts(parts.collect())
            }
            Ty::Map(..) | Ty::Process => Value::Unknown,
        }
    }
}

/// The features of a value of a type, as expressions of type `int`.
pub(super) fn features(song: &Song, of: &Expr) -> Vec<Expr> {
    let as_number = |truth: Expr| {
        let kind = ExprKind::If(truth.into(), number(1).into(), number(0).into());
        expr(kind, Ty::Int)
    };
    match &of.ty {
        Ty::Int | Ty::Nat => vec![integer(of.clone())],
        Ty::Sort(sort) => match song.sorts[sort.index()].kind {
            SortKind::Range(_) => vec![integer(of.clone())],
            SortKind::Identities { .. } => Vec::new(),
        },
        Ty::Bool => vec![as_number(of.clone())],
        Ty::Enum(which) => {
            let variants = song.enums[which.index()].variants.iter().enumerate();
            variants
                .map(|(at, variant)| {
                    let anything = || Pattern {
                        kind: PatternKind::Wild,
                        span: Span::default(),
                    };
                    let fields = variant.fields.iter().map(|_| anything()).collect();
                    let pattern = Pattern {
                        kind: PatternKind::Variant(*which, at, fields),
                        span: Span::default(),
                    };
                    as_number(proposition(ExprKind::Is(of.clone().into(), pattern)))
                })
                .collect()
        }
        Ty::Option(inner) => {
            let filled = method(Builtin::IsSome, vec![of.clone()], Ty::Bool);
            let content = match **inner {
                Ty::Int | Ty::Nat => {
                    let nothing = expr(ExprKind::Int(0), (**inner).clone());
                    let content = vec![of.clone(), nothing];
                    Some(integer(method(
                        Builtin::UnwrapOr,
                        content,
                        (**inner).clone(),
                    )))
                }
                _ => None,
            };
            [as_number(filled)].into_iter().chain(content).collect()
        }
        Ty::Set(_) | Ty::Bag(_) | Ty::Seq(_) => {
            vec![integer(method(Builtin::Len, vec![of.clone()], Ty::Nat))]
        }
        Ty::Tuple(parts) => {
            let part = |(at, ty): (usize, &Ty)| {
                let part = expr(ExprKind::Project(of.clone().into(), at), ty.clone());
                features(song, &part)
            };
            parts.iter().enumerate().flat_map(part).collect()
        }
        Ty::Struct(which) => {
            let fields = song.structs[which.index()].fields.iter().enumerate();
            let part = |(at, (_, ty)): (usize, &(String, Ty))| {
                let part = expr(ExprKind::Field(of.clone().into(), at), ty.clone());
                features(song, &part)
            };
            fields.flat_map(part).collect()
        }
        Ty::Map(..) | Ty::Process => Vec::new(),
    }
}

/// Numbers times expressions, and a number, as one expression.
pub(super) fn combination(constant: i64, parts: &[(i64, Expr)]) -> Expr {
    let term = |factor: i64, one: &Expr| match factor {
        1 => one.clone(),
        _ => sum(BinOp::Mul, number(factor), one.clone()),
    };
    let positive = parts.iter().filter(|(factor, _)| *factor > 0);
    let positive = positive.map(|(factor, one)| term(*factor, one));
    let constants = (constant > 0).then(|| number(constant));
    let added = constants.into_iter().chain(positive);
    let all = added.reduce(|all, one| sum(BinOp::Add, all, one));
    let negative = parts.iter().filter(|(factor, _)| *factor < 0);
    let negative = negative.map(|(factor, one)| term(factor.saturating_neg(), one));
    let subtracted = (constant < 0).then(|| number(constant.saturating_neg()));
    let all = all.unwrap_or_else(|| number(0));
    let minus = |all, one| sum(BinOp::Sub, all, one);
    negative.chain(subtracted).fold(all, minus)
}

fn sum(op: BinOp, left: Expr, right: Expr) -> Expr {
    Expr {
        ty: Ty::Int,
        ..both(op, left, right)
    }
}
