//! Values as leaves and back.

use crate::interner::Interner;
use crate::shape::{Kind, Listed, Shape};
use plainsong_semantics::value::Value;
use std::sync::Arc;

/// Appends the leaves of `value`.
pub(crate) fn encode(shape: &Shape, value: &Value, interner: &mut Interner, out: &mut Vec<u64>) {
    match (&shape.kind, value) {
        (Kind::Bool, Value::Bool(truth)) => out.push(u64::from(*truth)),
        (Kind::Id(_), Value::Id(id)) => out.push(u64::from(*id)),
        (Kind::Int | Kind::Nat | Kind::Range(..), Value::Int(int)) => out.push(*int as u64),
        (Kind::Tuple(parts), Value::Tuple(values)) => encode_all(parts, values, interner, out),
        (Kind::Option(inner), Value::None) => {
            out.push(0);
            out.extend(inner.blanks());
        }
        (Kind::Option(inner), Value::Some(value)) => {
            out.push(1);
            encode(inner, value, interner, out);
        }
        (Kind::Enum(variants), Value::Variant(variant, payload)) => {
            out.push(u64::from(*variant));
            for (at, parts) in variants.iter().enumerate() {
                if at == *variant as usize {
                    encode_all(parts, payload, interner, out);
                } else {
                    parts.iter().for_each(|part| out.extend(part.blanks()));
                }
            }
        }
        (Kind::Set(listed), Value::Set(elements)) => {
            let bit = |element: &Value| 1u64 << listed.place(element);
            out.push(elements.iter().map(bit).fold(0, |mask, bit| mask | bit));
        }
        (Kind::Bag(listed), Value::Bag(elements)) => {
            let first = out.len();
            out.resize(first + listed.values.len(), 0);
            for element in elements.iter() {
                out[first + listed.place(element)] += 1;
            }
        }
        (Kind::Map(_, shape), Value::Map(pairs)) => {
            for (_, value) in pairs.iter() {
                encode(shape, value, interner, out);
            }
        }
        (Kind::Opaque, value) => out.push(interner.number(value)),
        (kind, value) => panic!("{value:?} is not a value of the shape {kind:?}"),
    }
}

/// The value with these leaves; none when there is no value in some place that should have one.
pub(crate) fn decode(shape: &Shape, leaves: &[u64], interner: &Interner) -> Option<Value> {
    Some(match &shape.kind {
        Kind::Bool => Value::Bool(leaves[0] != 0),
        Kind::Id(_) => Value::Id(leaves[0] as u32),
        Kind::Int | Kind::Nat | Kind::Range(..) => Value::Int(leaves[0] as i64),
        Kind::Tuple(parts) => Value::Tuple(decode_all(parts, leaves, interner)?),
        Kind::Option(_) if leaves[0] == 0 => Value::None,
        Kind::Option(inner) => Value::some(decode(inner, &leaves[1..], interner)?),
        Kind::Enum(variants) => {
            let variant = leaves[0] as usize;
            let payload = &leaves[Shape::payload(variants, variant)..];
            Value::Variant(
                variant as u32,
                decode_all(&variants[variant], payload, interner)?,
            )
        }
        Kind::Set(listed) => {
            let chosen = listed.values.iter().enumerate();
            let chosen = chosen.filter(|(at, _)| leaves[0] >> at & 1 == 1);
            Value::Set(chosen.map(|(_, element)| element.clone()).collect())
        }
        Kind::Bag(listed) => {
            let counted = listed.values.iter().zip(leaves);
            let copies =
                counted.flat_map(|(element, count)| std::iter::repeat_n(element, *count as usize));
            Value::Bag(copies.cloned().collect())
        }
        Kind::Map(keys, value) => {
            let pairs = keys.values.iter().enumerate().map(|(at, key)| {
                let value = decode(value, &leaves[at * value.width..], interner)?;
                Some((key.clone(), value))
            });
            Value::Map(pairs.collect::<Option<_>>()?)
        }
        Kind::Opaque => interner.value(leaves[0])?,
    })
}

fn encode_all(parts: &[Arc<Shape>], values: &[Value], interner: &mut Interner, out: &mut Vec<u64>) {
    for (part, value) in parts.iter().zip(values) {
        encode(part, value, interner, out);
    }
}

fn decode_all(parts: &[Arc<Shape>], leaves: &[u64], interner: &Interner) -> Option<Arc<[Value]>> {
    let mut first = 0;
    let one = |part: &Arc<Shape>| {
        let value = decode(part, &leaves[first..], interner);
        first += part.width;
        value
    };
    parts.iter().map(one).collect()
}

impl Listed {
    /// The number of an element.
    pub(crate) fn place(&self, element: &Value) -> usize {
        match self.values.binary_search(element) {
            Ok(place) => place,
            Err(_) => panic!("{element:?} is not a value of its type"),
        }
    }
}
