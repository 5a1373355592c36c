//! Names of declared things: variants, fields, families and their variables.

use super::layout::{Doc, join, list, text};
use super::names::item_names;
use super::types::named;
use super::writer::Writer;
use crate::{EnumId, Expr, FamilyId, Song, StructId, VarId};

/// `Yes`, or `Vote::Yes` when another enum has a variant of that name.
pub fn variant_name(song: &Song, id: EnumId, variant: usize) -> String {
    let Some(decl) = song.enums.get(id.index()) else {
        return format!("enum_{}::variant_{variant}", id.0);
    };
    let Some(row) = decl.variants.get(variant) else {
        return format!("{}::variant_{variant}", decl.name);
    };
    if is_unique_variant(song, &row.name) {
        row.name.clone()
    } else {
        format!("{}::{}", decl.name, row.name)
    }
}

/// Has one enum a variant of this name, and is nothing else called so?
fn is_unique_variant(song: &Song, name: &str) -> bool {
    let variants = song.enums.iter().flat_map(|decl| &decl.variants);
    variants.filter(|variant| variant.name == name).count() == 1
        && !song.sorts.iter().any(|decl| decl.name == name)
        && !song.enums.iter().any(|decl| decl.name == name)
        && !song.structs.iter().any(|decl| decl.name == name)
        && !song.consts.iter().any(|decl| decl.name == name)
        && !song.functions.iter().any(|decl| decl.name == name)
        && !song
            .families
            .iter()
            .any(|decl| decl.name == name || decl.vars.iter().any(|var| var.name == name))
        && !song
            .actions()
            .is_some_and(|actions| actions.globals.iter().any(|global| global.name == name))
}

impl Writer<'_> {
    /// The name of a struct's field.
    pub(super) fn field_name(&self, id: StructId, at: usize) -> String {
        let decl = self.song.structs.get(id.index());
        let field = decl.and_then(|decl| decl.fields.get(at));
        field.map_or_else(|| format!("field_{at}"), |(name, _)| name.clone())
    }

    /// The name of a process or endpoint. In a property, an endpoint whose name other things have
    /// too is named with its choreography.
    pub(super) fn family_name(&self, id: FamilyId) -> String {
        let name = named(self.family_decl(id).map(|decl| &decl.name), "family", id.0);
        let line = self
            .song
            .lines
            .iter()
            .find(|line| line.endpoints.contains(&id));
        match line {
            Some(line) if self.in_property && !self.is_unique_endpoint(&name) => {
                format!("{}.{name}", line.name)
            }
            _ => name,
        }
    }

    fn is_unique_endpoint(&self, name: &str) -> bool {
        self.song
            .families
            .iter()
            .filter(|decl| decl.name == name)
            .count()
            == 1
            && !item_names(self.song).contains(name)
    }

    /// `db` or `db[d]`.
    pub(super) fn member(&mut self, id: FamilyId, index: &[Expr]) -> Doc {
        let name = self.family_name(id);
        if index.is_empty() {
            return text(name);
        }
        list(&format!("{name}["), self.exprs(index), "]", Doc::Break)
    }

    /// `db[d].outcome`.
    pub(super) fn var_of(&mut self, id: FamilyId, index: &[Expr], var: VarId) -> Doc {
        let variable = self.var_name(Some(id), var);
        join([self.member(id, index), text(format!(".{variable}"))])
    }

    /// The name of a state variable.
    pub(super) fn var_name(&self, family: Option<FamilyId>, var: VarId) -> String {
        let decl = family.and_then(|id| self.family_decl(id));
        let row = decl.and_then(|decl| decl.vars.get(var.index()));
        named(row.map(|row| &row.name), "var", var.0)
    }
}
