//! Terms: numbers that are computed from others of which some are not known, and claims about them.
//!
//! `x + 1` of an unknown `x` is a term, so that two processes that compare the same number decide alike. Truth values
//! are never kept as terms: a comparison that is stored is one of two values. As a condition it is a [`Claim`], which
//! `rules/entail.rs` decides from others.

use crate::value::{Key, Value};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What a term does with its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Op {
    Add,
    Sub,
    Mul,
    Lt,
    Le,
    Eq,
    And,
    Or,
    Not,
}

/// A condition that is not decided, with what is known of its numbers by their types.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    pub(crate) holds: Value,
    pub(crate) given: Vec<Value>,
}

/// Larger terms are not kept.
const LARGEST: usize = 24;

/// A term, or what it comes to; nothing if it is too large.
pub(crate) fn term(op: Op, parts: Vec<Value>) -> Option<Value> {
    if let Some(value) = folded(op, &parts) {
        return Some(value);
    }
    let size: usize = parts.iter().map(size).sum();
    (size < LARGEST).then(|| Value::Term(op, parts.into()))
}

/// A term with other parts: what it comes to now.
pub(crate) fn again(op: Op, parts: Vec<Value>) -> Value {
    folded(op, &parts).unwrap_or_else(|| Value::Term(op, parts.into()))
}

/// The opposite of a claim.
pub(crate) fn not(claim: &Value) -> Value {
    again(Op::Not, vec![claim.clone()])
}

/// A number that is an unknown and a constant.
pub(crate) fn shifted(value: &Value) -> Option<(&crate::value::Unknown, i64)> {
    match value {
        Value::Unknown(unknown) => Some((unknown, 0)),
        Value::Term(Op::Add, parts) => match &parts[..] {
            [Value::Unknown(unknown), Value::Int(more)] => Some((unknown, *more)),
            _ => None,
        },
        _ => None,
    }
}

/// Is it made of numbers alone?
pub(crate) fn is_of_numbers(value: &Value) -> bool {
    match value {
        Value::Int(_) | Value::Unknown(_) | Value::Bool(_) => true,
        Value::Term(_, parts) => parts.iter().all(is_of_numbers),
        _ => false,
    }
}

/// Do two values have an unknown in common with one of these?
pub(crate) fn is_about(value: &Value, keys: &BTreeSet<Key>) -> bool {
    let mut inside = BTreeSet::new();
    value.unknowns(&mut inside);
    !inside.is_disjoint(keys)
}

fn size(value: &Value) -> usize {
    match value {
        Value::Term(_, parts) => 1 + parts.iter().map(size).sum::<usize>(),
        _ => 1,
    }
}

fn folded(op: Op, parts: &[Value]) -> Option<Value> {
    use Value::{Bool, Int};
    match (op, parts) {
        (Op::Add, [Int(x), Int(y)]) => x.checked_add(*y).map(Int),
        (Op::Sub, [Int(x), Int(y)]) => x.checked_sub(*y).map(Int),
        (Op::Mul, [Int(x), Int(y)]) => x.checked_mul(*y).map(Int),
        (Op::Lt, [Int(x), Int(y)]) => Some(Bool(x < y)),
        (Op::Le, [Int(x), Int(y)]) => Some(Bool(x <= y)),
        (Op::Eq, [x, y]) if x == y => Some(Bool(true)),
        (Op::Eq, [Int(x), Int(y)]) => Some(Bool(x == y)),
        (Op::Le, [x, y]) if x == y => Some(Bool(true)),
        (Op::Lt, [x, y]) if x == y => Some(Bool(false)),
        (Op::Add, [x, Int(0)] | [Int(0), x]) | (Op::Sub, [x, Int(0)]) => Some(x.clone()),
        (Op::Mul, [x, Int(1)] | [Int(1), x]) => Some(x.clone()),
        (Op::Add, [Int(x), y @ (Value::Unknown(_) | Value::Term(..))]) => {
            Some(again(Op::Add, vec![y.clone(), Int(*x)]))
        }
        (Op::Sub, [x, Int(y)]) => Some(again(Op::Add, vec![x.clone(), Int(y.checked_neg()?)])),
        (Op::Add, [Value::Term(Op::Add, inner), Int(y)]) => match &inner[..] {
            [x, Int(more)] => Some(again(Op::Add, vec![x.clone(), Int(more.checked_add(*y)?)])),
            _ => None,
        },
        (Op::Not, [Bool(truth)]) => Some(Bool(!truth)),
        (Op::Not, [Value::Term(Op::Not, inner)]) => Some(inner[0].clone()),
        (Op::Not, [Value::Term(Op::Lt, inner)]) => Some(turned(Op::Le, inner)),
        (Op::Not, [Value::Term(Op::Le, inner)]) => Some(turned(Op::Lt, inner)),
        (Op::And, [Bool(true), x] | [x, Bool(true)]) => Some(x.clone()),
        (Op::Or, [Bool(false), x] | [x, Bool(false)]) => Some(x.clone()),
        (Op::And, [Bool(false), _] | [_, Bool(false)]) => Some(Bool(false)),
        (Op::Or, [Bool(true), _] | [_, Bool(true)]) => Some(Bool(true)),
        _ => None,
    }
}

fn turned(op: Op, parts: &Rc<[Value]>) -> Value {
    again(op, parts.iter().rev().cloned().collect())
}
