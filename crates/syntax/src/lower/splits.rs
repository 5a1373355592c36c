//! Permissions that are split: `enum Half splits Id { Left(Id), Right(Id) }`.
//!
//! Statement. A permission of type `Id` is made of the permissions `Left(i)` and `Right(i)`. Each variant has the value
//! that is split, and nothing else; so the parts of different values are different, and a value has all of them or
//! shares them with nobody. A type is split once, and parts are not split again. A variable with `as Left` holds
//! that part of its elements only.
//!
//! Why sound. The parts of a value are as many permissions of the enum's type, all different: variants are
//! injective and disjoint. That nothing is doubled when parts are taken apart or put together is shown of each action
//! by `plainsong-refine`.

use super::Lowering;
use super::codes::layers::PERMISSION;
use crate::ast;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::permission::split_by;
use plainsong_ir::{EnumDecl, EnumId, Ty};
use std::collections::BTreeSet;

impl Lowering<'_> {
    /// The part of its elements that a variable holds.
    pub(super) fn share(&mut self, item: &ast::VarDecl, ty: &Ty) -> Option<(EnumId, usize)> {
        let name = item.share()?;
        let split = ty.element().and_then(|of| split_by(&self.types.enums, of));
        let Some(id) = split else {
            let help = "write `enum Half splits Id { Left(Id), Right(Id) }` for a variable of type `set<Id>`";
            self.is_no_split(name.span(), "the elements have no parts", help);
            return None;
        };
        let variants = &self.types.enums[id.index()].variants;
        let at = variants.iter().position(|one| one.name == name.text());
        if at.is_none() {
            let message = format!("`{}` is no part of the elements", name.text());
            let help = format!("name a variant of `{}`", self.types.enums[id.index()].name);
            self.is_no_split(name.span(), &message, &help);
        }
        at.map(|at| (id, at))
    }

    /// Reports enums that split no permission.
    pub(super) fn splits(&mut self, enums: &[EnumDecl]) {
        let mut seen = BTreeSet::new();
        for decl in enums {
            let Some(of) = &decl.splits else { continue };
            let fits = |fields: &[Ty]| matches!(fields, [field] if field == of);
            if !decl.variants.iter().all(|one| fits(&one.fields)) {
                let message = "every part has the value that is split, and nothing else";
                let help = "write `enum Half splits Id { Left(Id), Right(Id) }`";
                self.is_no_split(decl.span, message, help);
            }
            if let Ty::Enum(id) = of
                && enums[id.index()].splits.is_some()
            {
                let help = "let one enum have all parts";
                self.is_no_split(decl.span, "a part of a permission is not split again", help);
            }
            if !seen.insert(of.clone()) {
                let help = "let one enum have all parts";
                self.is_no_split(decl.span, "another enum splits this type", help);
            }
        }
    }

    fn is_no_split(&mut self, span: Span, message: &str, help: &str) {
        self.report(Diagnostic::error(&PERMISSION, span, message).help(help));
    }
}
