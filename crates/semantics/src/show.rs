//! Values as text, in the user's names.

use crate::instance::Instance;
use crate::value::{Pid, Value};
use plainsong_ir::Ty;
use plainsong_ir::print::variant_name;
use std::borrow::Cow;

/// The text of `value`, which is of type `ty`.
///
/// Identities of sort `Db` are `Db#0`, `Db#1` wherever they are values, in payloads as in reasons; in the
/// name of a process, as in the source, only the number is written:
/// `db[0]`. A variant is written as short as the source may write it: `Away`, and `Place::Away` only where
/// something else is called `Away`, too.
pub fn show(instance: &Instance, value: &Value, ty: &Ty) -> String {
    let song = instance.song();
    match (value, ty) {
        (Value::Bool(truth), _) => truth.to_string(),
        (Value::Int(int), _) => int.to_string(),
        (Value::Id(number), Ty::Sort(id)) => format!("{}#{number}", song.sorts[id.index()].name),
        (Value::Process(pid), _) => process(instance, *pid),
        (Value::None, _) => "none".to_owned(),
        (Value::Some(inner), Ty::Option(ty)) => format!("some({})", show(instance, inner, ty)),
        (Value::Tuple(parts), Ty::Tuple(types)) => {
            format!("({})", all(instance, parts, types))
        }
        (Value::Tuple(parts), Ty::Struct(id)) => {
            let decl = &song.structs[id.index()];
            let fields = decl
                .fields
                .iter()
                .zip(parts.iter())
                .map(|((name, ty), part)| format!("{name}: {}", show(instance, part, ty)));
            format!(
                "{} {{ {} }}",
                decl.name,
                fields.collect::<Vec<_>>().join(", ")
            )
        }
        (Value::Variant(variant, payload), Ty::Enum(id)) => {
            let name = variant_name(song, *id, *variant as usize);
            let fields = &song.enums[id.index()].variants[*variant as usize].fields;
            call(instance, &name, payload, fields)
        }
        (Value::Set(elements), Ty::Set(ty)) => format!("{{{}}}", each(instance, elements, ty)),
        (Value::Bag(elements), Ty::Bag(ty)) => format!("bag {{{}}}", each(instance, elements, ty)),
        (Value::Seq(elements), Ty::Seq(ty)) => format!("[{}]", each(instance, elements, ty)),
        (Value::Map(pairs), Ty::Map(key_ty, value_ty)) => {
            let pairs = pairs.iter().map(|(key, value)| {
                let key = show(instance, key, key_ty);
                format!("{key} => {}", show(instance, value, value_ty))
            });
            format!("map {{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        (value, ty) => panic!("a value is of its type: {value:?} is not a {ty:?}"),
    }
}

/// Do two texts of values of the same type say the same?
///
/// `Away` becomes `Place::Away` when another enum gets such a variant, so the name of the enum does not count.
/// The type says which enum is meant, so nothing else becomes alike.
pub(crate) fn is_alike(left: &str, right: &str) -> bool {
    left == right || unqualified(left) == unqualified(right)
}

/// The text without the names of enums before `::`.
fn unqualified(text: &str) -> Cow<'_, str> {
    let mut parts = text.split("::");
    let first = parts.next().unwrap_or_default();
    if first.len() == text.len() {
        return Cow::Borrowed(text);
    }
    let mut short = first.to_owned();
    for part in parts {
        let name = short.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
        short.truncate(name.len());
        short += part;
    }
    Cow::Owned(short)
}

/// `Name`, or `Name(a, b)` when there are arguments.
pub(crate) fn call<'t>(
    instance: &Instance,
    name: &str,
    arguments: &[Value],
    types: impl IntoIterator<Item = &'t Ty>,
) -> String {
    if arguments.is_empty() {
        return name.to_owned();
    }
    format!("{name}({})", all(instance, arguments, types))
}

/// The name of a process: `init`, `coordinator`, `db[0]`.
pub fn process(instance: &Instance, pid: Pid) -> String {
    match pid.member() {
        None => "init".to_owned(),
        Some(row) => instance.members()[row].name.clone(),
    }
}

/// The name of a member: the family's, with indices in brackets.
pub(crate) fn member(instance: &Instance, family: &str, index: &[Value], types: &[&Ty]) -> String {
    if index.is_empty() {
        return family.to_owned();
    }
    let index = index
        .iter()
        .zip(types)
        .map(|(value, ty)| in_brackets(instance, value, ty));
    format!("{family}[{}]", index.collect::<Vec<_>>().join(", "))
}

/// The text of an index: identities are only numbers there.
pub(crate) fn in_brackets(instance: &Instance, value: &Value, ty: &Ty) -> String {
    match (value, ty) {
        (Value::Id(number), _) => number.to_string(),
        _ => show(instance, value, ty),
    }
}

fn all<'t>(
    instance: &Instance,
    values: &[Value],
    types: impl IntoIterator<Item = &'t Ty>,
) -> String {
    let texts = values
        .iter()
        .zip(types)
        .map(|(value, ty)| show(instance, value, ty));
    texts.collect::<Vec<_>>().join(", ")
}

fn each(instance: &Instance, values: &[Value], ty: &Ty) -> String {
    values
        .iter()
        .map(|value| show(instance, value, ty))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_an_enum_does_not_count() {
        assert!(is_alike("Go(Place::Away(3), {1})", "Go(Away(3), {1})"));
        assert!(is_alike("[A::X, B_1::Y]", "[X, Y]"));
        assert!(is_alike("x = A::X", "x = X"));
        assert!(!is_alike("Go(Away(3))", "Go(Home)"));
        assert!(!is_alike("Go(A::Away)", "Gone(Away)"));
        assert!(is_alike("Go", "Go"));
    }
}
