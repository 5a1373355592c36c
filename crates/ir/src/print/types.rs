//! Types as written in the text.

use crate::{Song, Ty};

/// A type.
pub(super) fn ty(song: &Song, ty: &Ty) -> String {
    let of = |inner: &Ty| self::ty(song, inner);
    match ty {
        Ty::Bool => "bool".to_owned(),
        Ty::Int => "int".to_owned(),
        Ty::Nat => "nat".to_owned(),
        Ty::Process => "process".to_owned(),
        Ty::Sort(id) => named(
            song.sorts.get(id.index()).map(|decl| &decl.name),
            "sort",
            id.0,
        ),
        Ty::Enum(id) => named(
            song.enums.get(id.index()).map(|decl| &decl.name),
            "enum",
            id.0,
        ),
        Ty::Struct(id) => named(
            song.structs.get(id.index()).map(|decl| &decl.name),
            "struct",
            id.0,
        ),
        Ty::Tuple(parts) => {
            format!("({})", parts.iter().map(of).collect::<Vec<_>>().join(", "))
        }
        Ty::Option(inner) => format!("option<{}>", of(inner)),
        Ty::Set(inner) => format!("set<{}>", of(inner)),
        Ty::Bag(inner) => format!("bag<{}>", of(inner)),
        Ty::Seq(inner) => format!("seq<{}>", of(inner)),
        Ty::Map(key, value) => format!("map<{}, {}>", of(key), of(value)),
    }
}

/// A declared name, or a stand-in for one that the tables do not have.
pub(super) fn named(name: Option<&String>, kind: &str, number: u32) -> String {
    name.cloned().unwrap_or_else(|| format!("{kind}_{number}"))
}
