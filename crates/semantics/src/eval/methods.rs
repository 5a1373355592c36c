//! Built-in methods.

use super::collections::without;
use super::{Eval, Result};
use crate::failure::undefined;
use crate::value::Value;
use plainsong_diagnostics::Span;
use plainsong_ir::{Builtin, Expr};

impl Eval<'_> {
    pub(super) fn method(
        &mut self,
        method: Builtin,
        arguments: &[Expr],
        span: Span,
        locals: &mut [Value],
    ) -> Result {
        let values = self.exprs(arguments, locals)?;
        let (receiver, rest) = values.split_first().expect("a method has a receiver");
        match (method, receiver) {
            (Builtin::IsSome, _) => Ok(Value::Bool(*receiver != Value::None)),
            (Builtin::IsNone, _) => Ok(Value::Bool(*receiver == Value::None)),
            (Builtin::Unwrap, Value::Some(inner)) => Ok((**inner).clone()),
            (Builtin::Unwrap, _) => Err(undefined(span, "unwrap of none")),
            (Builtin::UnwrapOr, Value::Some(inner)) => Ok((**inner).clone()),
            (Builtin::UnwrapOr, _) => Ok(rest[0].clone()),
            (Builtin::Update, _) => {
                self.put(receiver, &rest[0], &arguments[1].ty, rest[1].clone(), span)
            }
            (Builtin::First | Builtin::Last | Builtin::DropFirst | Builtin::DropLast, _) => {
                at_an_end(method, receiver.elements(), span)
            }
            (Builtin::Min | Builtin::Max, _) => extreme(method, receiver, span),
            _ => Ok(total(method, receiver, rest)),
        }
    }
}

/// Methods that always have a result.
fn total(method: Builtin, receiver: &Value, rest: &[Value]) -> Value {
    let elements = receiver.elements();
    match method {
        Builtin::Len => Value::Int(elements.len() as i64),
        Builtin::IsEmpty => Value::Bool(elements.is_empty()),
        Builtin::Contains => Value::Bool(elements.contains(&rest[0])),
        Builtin::With => with(receiver, &rest[0]),
        Builtin::Without => match elements.binary_search(&rest[0]) {
            Ok(place) => like(receiver, without(elements, place)),
            Err(_) => receiver.clone(),
        },
        Builtin::Subset => {
            let all = rest[0].elements();
            Value::Bool(
                elements
                    .iter()
                    .all(|element| all.binary_search(element).is_ok()),
            )
        }
        Builtin::Count => Value::Int(
            elements
                .iter()
                .filter(|element| **element == rest[0])
                .count() as i64,
        ),
        Builtin::ToSet => Value::set(elements.to_vec()),
        Builtin::ToBag => Value::bag(elements.to_vec()),
        Builtin::Push => Value::Seq(elements.iter().chain([&rest[0]]).cloned().collect()),
        other => panic!("{other:?} is evaluated elsewhere"),
    }
}

fn with(receiver: &Value, element: &Value) -> Value {
    let elements = receiver.elements();
    match (receiver, elements.binary_search(element)) {
        (Value::Set(_), Ok(_)) => receiver.clone(),
        (_, Ok(place) | Err(place)) => {
            let mut more = elements.to_vec();
            more.insert(place, element.clone());
            like(receiver, more)
        }
    }
}

/// Sorted elements as a collection of the receiver's kind.
fn like(receiver: &Value, elements: Vec<Value>) -> Value {
    match receiver {
        Value::Bag(_) => Value::Bag(elements.into()),
        _ => Value::Set(elements.into()),
    }
}

fn at_an_end(method: Builtin, elements: &[Value], span: Span) -> Result {
    let (name, value) = match method {
        Builtin::First => ("first", elements.first().cloned()),
        Builtin::Last => ("last", elements.last().cloned()),
        Builtin::DropFirst => (
            "drop_first",
            elements
                .split_first()
                .map(|(_, rest)| Value::Seq(rest.into())),
        ),
        _ => (
            "drop_last",
            elements
                .split_last()
                .map(|(_, rest)| Value::Seq(rest.into())),
        ),
    };
    value.ok_or_else(|| undefined(span, format!("{name} of an empty sequence")))
}

fn extreme(method: Builtin, receiver: &Value, span: Span) -> Result {
    let elements = receiver.elements();
    let (name, value) = match method {
        Builtin::Min => ("min", elements.iter().min()),
        _ => ("max", elements.iter().max()),
    };
    let kind = match receiver {
        Value::Set(_) => "set",
        Value::Bag(_) => "bag",
        _ => "sequence",
    };
    value
        .cloned()
        .ok_or_else(|| undefined(span, format!("{name} of an empty {kind}")))
}
