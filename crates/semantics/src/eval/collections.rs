//! Sets, bags, sequences and maps: what operators, methods and assignments share.

use super::{Eval, Result};
use crate::failure::undefined;
use crate::show::show;
use crate::value::Value;
use plainsong_diagnostics::Span;
use plainsong_ir::{Expr, Ty};
use std::cmp::Ordering;

impl Eval<'_> {
    /// `p` with some parts replaced.
    pub(super) fn update(
        &mut self,
        base: &Expr,
        changes: &[(usize, Expr)],
        locals: &mut [Value],
    ) -> Result {
        let mut parts = self.expr(base, locals)?.parts().to_vec();
        for (part, value) in changes {
            parts[*part] = self.expr(value, locals)?;
        }
        Ok(Value::Tuple(parts.into()))
    }

    /// `m[k]`, `s[i]`.
    pub(crate) fn index(&self, whole: &Value, at: &Value, key: &Ty, span: Span) -> Result {
        match whole {
            Value::Map(pairs) => {
                let place = self.key_place(pairs, at, key, span)?;
                Ok(pairs[place].1.clone())
            }
            _ => {
                let elements = whole.elements();
                Ok(elements[seq_place(elements.len(), at.int(), span)?].clone())
            }
        }
    }

    /// The map or sequence `whole` with another value at one place.
    pub(crate) fn put(
        &self,
        whole: &Value,
        at: &Value,
        key: &Ty,
        value: Value,
        span: Span,
    ) -> Result {
        match whole {
            Value::Map(pairs) => {
                let place = self.key_place(pairs, at, key, span)?;
                let mut pairs = pairs.to_vec();
                pairs[place].1 = value;
                Ok(Value::Map(pairs.into()))
            }
            _ => {
                let elements = whole.elements();
                let place = seq_place(elements.len(), at.int(), span)?;
                Ok(Value::Seq(replace(elements, place, value).into()))
            }
        }
    }

    fn key_place(
        &self,
        pairs: &[(Value, Value)],
        at: &Value,
        key: &Ty,
        span: Span,
    ) -> Result<usize> {
        pairs
            .binary_search_by(|(known, _)| known.cmp(at))
            .map_err(|_| {
                undefined(
                    span,
                    format!("{} is not a key of this map", show(self.instance, at, key)),
                )
            })
    }
}

/// `elements` with another one at `place`.
fn replace(elements: &[Value], place: usize, value: Value) -> Vec<Value> {
    let mut elements = elements.to_vec();
    elements[place] = value;
    elements
}

/// `elements` without the one at `place`.
pub(super) fn without(elements: &[Value], place: usize) -> Vec<Value> {
    let mut elements = elements.to_vec();
    elements.remove(place);
    elements
}

/// The place of index `at` in a sequence.
pub(super) fn seq_place(length: usize, at: i64, span: Span) -> Result<usize> {
    usize::try_from(at)
        .ok()
        .filter(|place| *place < length)
        .ok_or_else(|| {
            undefined(
                span,
                format!("index {at} is outside a sequence of length {length}"),
            )
        })
}

/// Union of sets, sum of bags.
pub(super) fn union(a: &Value, b: &Value) -> Value {
    let all = a
        .elements()
        .iter()
        .chain(b.elements().iter())
        .cloned()
        .collect();
    match a {
        Value::Bag(_) => Value::bag(all),
        _ => Value::set(all),
    }
}

/// What two sets have in common.
pub(super) fn intersection(a: &Value, b: &Value) -> Value {
    let others = b.elements();
    let both = a
        .elements()
        .iter()
        .filter(|element| others.binary_search(element).is_ok());
    Value::Set(both.cloned().collect())
}

/// What is in one set and not in the other.
pub(super) fn set_difference(a: &Value, b: &Value) -> Value {
    let others = b.elements();
    let rest = a
        .elements()
        .iter()
        .filter(|element| others.binary_search(element).is_err());
    Value::Set(rest.cloned().collect())
}

/// One occurrence less for each occurrence in the other bag.
pub(super) fn bag_difference(a: &Value, b: &Value) -> Value {
    let mut rest = Vec::new();
    let mut others = b.elements().iter().peekable();
    for element in a.elements().iter() {
        while others.next_if(|other| *other < element).is_some() {}
        if others
            .next_if(|other| (*other).cmp(element) == Ordering::Equal)
            .is_none()
        {
            rest.push(element.clone());
        }
    }
    Value::Bag(rest.into())
}
