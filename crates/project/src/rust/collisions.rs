//! Names that are different in a song and the same in Rust.
//!
//! `node` and `Node` would be one module, `total` and `Total` one field. Generated code keeps the words of the song, so
//! they are refused rather than numbered.

use super::Emit;
use super::names::snake;
use crate::names::camel;
use plainsong_diagnostics::Span;
use std::collections::BTreeMap;

/// Refuses names that would become one.
pub(super) fn collisions(emit: &Emit<'_>) {
    let song = emit.song;
    let families = song.families.iter().map(|one| (&*one.name, one.span));
    apart(emit, families, &snake);
    for family in &song.families {
        let vars = family.vars.iter().map(|var| (&*var.name, var.span));
        apart(emit, vars, &snake);
    }
    let functions = song.functions.iter().map(|one| (&*one.name, one.span));
    apart(emit, functions, &snake);
    let sorts = song.sorts.iter().map(|one| (&*one.name, one.span));
    apart(emit, sorts, &snake);
    let enums = song.enums.iter().map(|one| (&*one.name, one.span));
    let structs = song.structs.iter().map(|one| (&*one.name, one.span));
    apart(emit, enums.chain(structs), &|name| emit.type_name(name));
    for decl in &song.enums {
        let variants = decl.variants.iter().map(|one| (&*one.name, decl.span));
        apart(emit, variants, &camel);
    }
    for decl in &song.structs {
        let fields = decl.fields.iter().map(|(name, _)| (&**name, decl.span));
        apart(emit, fields, &snake);
    }
}

fn apart<'s>(
    emit: &Emit<'_>,
    names: impl Iterator<Item = (&'s str, Span)>,
    in_rust: &dyn Fn(&str) -> String,
) {
    let mut known: BTreeMap<String, &str> = BTreeMap::new();
    for (name, span) in names {
        let new = in_rust(name);
        if let Some(other) = known.get(&new) {
            emit.refuse(
                span,
                &format!("`{other}` and `{name}` would both be `{new}` in Rust"),
            );
        }
        known.insert(new, name);
    }
}
