//! Operators and methods on sets, bags, sequences, maps and options.

use super::eval::{Undefined, number};
use super::value::Value;
use plainsong_ir::Builtin;
use std::collections::BTreeMap;

/// The bag of the given elements.
pub(super) fn bag(elements: impl IntoIterator<Item = Value>) -> Value {
    let mut counts = BTreeMap::new();
    for element in elements {
        *counts.entry(element).or_insert(0) += 1;
    }
    Value::Bag(counts)
}

/// How many elements, repeated ones as often as they occur.
pub(super) fn len(collection: &Value) -> usize {
    match collection {
        Value::Set(elements) => elements.len(),
        Value::Bag(elements) => elements.values().sum(),
        Value::Seq(elements) => elements.len(),
        other => unreachable!("{other:?} has no elements"),
    }
}

pub(super) fn contains(collection: &Value, element: &Value) -> bool {
    match collection {
        Value::Set(elements) => elements.contains(element),
        Value::Bag(elements) => elements.contains_key(element),
        Value::Seq(elements) => elements.contains(element),
        other => unreachable!("{other:?} has no elements"),
    }
}

/// `a | b`.
pub(super) fn union(left: Value, right: Value) -> Value {
    match (left, right) {
        (Value::Set(left), Value::Set(right)) => Value::Set(left.union(&right).cloned().collect()),
        (left @ Value::Bag(_), right @ Value::Bag(_)) => {
            bag(elements(left).into_iter().chain(elements(right)))
        }
        other => unreachable!("{other:?} have no union"),
    }
}

/// `a & b`.
pub(super) fn intersection(left: Value, right: Value) -> Value {
    match (left, right) {
        (Value::Set(left), Value::Set(right)) => {
            Value::Set(left.intersection(&right).cloned().collect())
        }
        other => unreachable!("{other:?} have no intersection"),
    }
}

/// `a - b` of sets and bags.
pub(super) fn difference(left: Value, right: Value) -> Value {
    elements(right).iter().fold(left, without)
}

/// `a + b` of sequences.
pub(super) fn join(left: Value, right: Value) -> Value {
    Value::Seq(elements(left).into_iter().chain(elements(right)).collect())
}

/// `m[k]`, `s[i]`.
pub(super) fn index(whole: &Value, at: &Value) -> Result<Value, Undefined> {
    let found = match (whole, at) {
        (Value::Map(entries), key) => entries.get(key),
        (Value::Seq(elements), Value::Int(n)) => {
            usize::try_from(*n).ok().and_then(|n| elements.get(n))
        }
        other => unreachable!("{other:?} cannot be indexed"),
    };
    found
        .cloned()
        .ok_or_else(|| Undefined(format!("no element at {at:?}")))
}

/// `whole.update(at, value)`.
pub(super) fn update(whole: Value, at: Value, value: Value) -> Result<Value, Undefined> {
    match whole {
        Value::Map(mut entries) => {
            entries.insert(at, value);
            Ok(Value::Map(entries))
        }
        Value::Seq(mut elements) => {
            let position = usize::try_from(number(at)).ok();
            let slot = position.and_then(|position| elements.get_mut(position));
            *slot.ok_or_else(|| out_of_range("update"))? = value;
            Ok(Value::Seq(elements))
        }
        other => unreachable!("{other:?} cannot be updated"),
    }
}

/// A built-in method; the receiver is the first argument.
pub(super) fn method(method: Builtin, arguments: Vec<Value>) -> Result<Value, Undefined> {
    let mut arguments = arguments.into_iter();
    let receiver = arguments.next().expect("a method has a receiver");
    let mut argument = || arguments.next().expect("a method has its arguments");
    Ok(match method {
        Builtin::Len => Value::Int(len(&receiver) as i128),
        Builtin::IsEmpty => Value::Bool(len(&receiver) == 0),
        Builtin::Contains => Value::Bool(contains(&receiver, &argument())),
        Builtin::With => with(receiver, argument()),
        Builtin::Without => without(receiver, &argument()),
        Builtin::Min => elements(receiver)
            .into_iter()
            .min()
            .ok_or_else(|| empty("min"))?,
        Builtin::Max => elements(receiver)
            .into_iter()
            .max()
            .ok_or_else(|| empty("max"))?,
        Builtin::Subset => {
            let whole = argument();
            Value::Bool(
                elements(receiver)
                    .iter()
                    .all(|element| contains(&whole, element)),
            )
        }
        Builtin::Count => {
            let wanted = argument();
            Value::Int(elements(receiver).iter().filter(|v| **v == wanted).count() as i128)
        }
        Builtin::ToSet => Value::Set(elements(receiver).into_iter().collect()),
        Builtin::ToBag => bag(elements(receiver)),
        Builtin::First => elements(receiver)
            .first()
            .cloned()
            .ok_or_else(|| empty("first"))?,
        Builtin::Last => elements(receiver)
            .last()
            .cloned()
            .ok_or_else(|| empty("last"))?,
        Builtin::Push => Value::Seq([elements(receiver), vec![argument()]].concat()),
        Builtin::DropFirst => {
            let elements = elements(receiver);
            Value::Seq(
                elements
                    .split_first()
                    .ok_or_else(|| empty("drop_first"))?
                    .1
                    .to_vec(),
            )
        }
        Builtin::DropLast => {
            let elements = elements(receiver);
            Value::Seq(
                elements
                    .split_last()
                    .ok_or_else(|| empty("drop_last"))?
                    .1
                    .to_vec(),
            )
        }
        Builtin::Update => {
            let at = argument();
            update(receiver, at, argument())?
        }
        Builtin::IsSome => Value::Bool(optional(receiver).is_some()),
        Builtin::IsNone => Value::Bool(optional(receiver).is_none()),
        Builtin::Unwrap => optional(receiver).ok_or_else(|| empty("unwrap"))?,
        Builtin::UnwrapOr => {
            let default = argument();
            optional(receiver).unwrap_or(default)
        }
    })
}

/// Elements in order, repeated ones as often as they occur.
fn elements(collection: Value) -> Vec<Value> {
    match collection {
        Value::Set(elements) => elements.into_iter().collect(),
        Value::Bag(elements) => elements
            .into_iter()
            .flat_map(|(v, n)| std::iter::repeat_n(v, n))
            .collect(),
        Value::Seq(elements) => elements,
        other => unreachable!("{other:?} has no elements"),
    }
}

fn with(collection: Value, element: Value) -> Value {
    match collection {
        Value::Set(mut elements) => {
            elements.insert(element);
            Value::Set(elements)
        }
        collection => bag(elements(collection).into_iter().chain([element])),
    }
}

fn without(collection: Value, element: &Value) -> Value {
    match collection {
        Value::Set(mut elements) => {
            elements.remove(element);
            Value::Set(elements)
        }
        collection => {
            let mut elements = elements(collection);
            if let Some(at) = elements.iter().position(|v| v == element) {
                elements.remove(at);
            }
            bag(elements)
        }
    }
}

fn optional(value: Value) -> Option<Value> {
    match value {
        Value::Option(inner) => inner.map(|inner| *inner),
        other => unreachable!("{other:?} is not an option"),
    }
}

fn empty(method: &str) -> Undefined {
    Undefined(format!("`{method}` of nothing"))
}

fn out_of_range(method: &str) -> Undefined {
    Undefined(format!("`{method}` out of range"))
}
