//! Values, and how they are written in outcomes.

use super::Held;
use plainsong_ir::{Binder, FamilyId, Song, Ty};
use std::collections::{BTreeMap, BTreeSet};

/// A value. Its type is known from where it stands, so values of different sorts or enums need not
/// differ. The order is the one in which `for` visits the members of a set.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// `true`, `false`.
    Bool(bool),
    /// An `int`, a `nat` or a member of an integer-range sort.
    Int(i128),
    /// A member of a sort of identities, counted from 0.
    Member(usize),
    /// The sender of what `init` sends; nobody's address.
    Init,
    /// The identity of a process.
    Process(FamilyId, Vec<Value>),
    /// A variant of an enum, by position, with its payload.
    Variant(usize, Vec<Value>),
    /// A struct, field by field.
    Record(Vec<Value>),
    Tuple(Vec<Value>),
    /// `none` or `some(v)`.
    Option(Option<Box<Value>>),
    Set(BTreeSet<Value>),
    /// A multiset: how often each element occurs, never zero.
    Bag(BTreeMap<Value, usize>),
    /// A sequence.
    Seq(Vec<Value>),
    /// A total map.
    Map(BTreeMap<Value, Value>),
}

/// What a variable of type `ty` with this value holds.
pub(super) fn held(song: &Song, ty: &Ty, value: &Value) -> Held {
    Held {
        value: value.clone(),
        text: text(song, ty, value),
    }
}

/// `value` of type `ty` in the notation of traces: as an expression of the language where there is
/// one, identities as `Db#0`, maps as `map {k => v}`. Equal texts mean equal values.
pub(super) fn text(song: &Song, ty: &Ty, value: &Value) -> String {
    match (ty, value) {
        (_, Value::Bool(b)) => b.to_string(),
        (_, Value::Int(n)) => n.to_string(),
        (Ty::Sort(id), Value::Member(n)) => format!("{}#{n}", song.sorts[id.index()].name),
        (_, Value::Init) => "init".to_string(),
        (_, Value::Process(family, index)) => process_text(song, *family, index),
        (Ty::Enum(id), Value::Variant(at, payload)) => {
            let declared = &song.enums[id.index()];
            let variant = &declared.variants[*at];
            let parts = payload
                .iter()
                .zip(&variant.fields)
                .map(|(v, t)| text(song, t, v));
            let name = plainsong_ir::print::variant_name(song, *id, *at);
            if payload.is_empty() {
                name
            } else {
                format!("{name}({})", joined(parts.collect()))
            }
        }
        (Ty::Struct(id), Value::Record(fields)) => {
            let declared = &song.structs[id.index()];
            let parts = fields.iter().zip(&declared.fields);
            let parts = parts.map(|(v, (name, t))| format!("{name}: {}", text(song, t, v)));
            format!("{} {{ {} }}", declared.name, joined(parts.collect()))
        }
        (Ty::Tuple(types), Value::Tuple(parts)) => {
            let parts = parts.iter().zip(types).map(|(v, t)| text(song, t, v));
            format!("({})", joined(parts.collect()))
        }
        (_, Value::Option(None)) => "none".to_string(),
        (Ty::Option(inner), Value::Option(Some(v))) => format!("some({})", text(song, inner, v)),
        (Ty::Set(t), Value::Set(elements)) => {
            format!(
                "{{{}}}",
                joined(elements.iter().map(|v| text(song, t, v)).collect())
            )
        }
        (Ty::Bag(t), Value::Bag(elements)) => {
            let repeated = elements
                .iter()
                .flat_map(|(v, n)| std::iter::repeat_n(v, *n));
            format!(
                "bag {{{}}}",
                joined(repeated.map(|v| text(song, t, v)).collect())
            )
        }
        (Ty::Seq(t), Value::Seq(elements)) => {
            format!(
                "[{}]",
                joined(elements.iter().map(|v| text(song, t, v)).collect())
            )
        }
        (Ty::Map(k, t), Value::Map(entries)) => {
            let parts = entries
                .iter()
                .map(|(x, v)| format!("{} => {}", text(song, k, x), text(song, t, v)));
            format!("map {{{}}}", joined(parts.collect()))
        }
        (ty, value) => unreachable!("{value:?} is not a value of {ty:?}"),
    }
}

/// `db[0]`, `coordinator`.
pub(super) fn process_text(song: &Song, family: FamilyId, index: &[Value]) -> String {
    let family = &song.families[family.index()];
    if index.is_empty() {
        return family.name.clone();
    }
    let part = |(value, binder): (&Value, &Binder)| match value {
        Value::Member(n) => n.to_string(),
        value => text(song, &binder.ty, value),
    };
    let parts = index.iter().zip(&family.index).map(part);
    format!("{}[{}]", family.name, joined(parts.collect()))
}

fn joined(parts: Vec<String>) -> String {
    parts.join(", ")
}
