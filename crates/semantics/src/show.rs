//! Values as text, in the user's names.

use crate::instance::Instance;
use crate::value::{Pid, Value};
use plainsong_ir::Ty;

/// The text of `value`, which is of type `ty`.
///
/// Identities of sort `Db` are `Db#0`, `Db#1` wherever they are values, in payloads as in reasons; in the
/// name of a process, as in the source, only the number is written:
/// `db[0]`.
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
            let decl = &song.enums[id.index()];
            let variant = &decl.variants[*variant as usize];
            let name = format!("{}::{}", decl.name, variant.name);
            call(instance, &name, payload, &variant.fields)
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
