//! Struct literals.

use super::Lowering;
use super::codes::names::DUPLICATE_NAME;
use super::codes::types::MISSING_FIELD;
use super::fit::Why;
use crate::ast::{self, AstNode};
use crate::names::Item;
use crate::types::UNKNOWN;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{Expr, ExprKind, StructId, Ty};
use std::collections::BTreeMap;

impl Lowering<'_> {
    /// `Point { x: 1, y: 2 }` or `Point { x: 5, ..p }`
    pub(crate) fn struct_literal(&mut self, e: &ast::StructExpr) -> Expr {
        let span = e.span();
        let Some(id) = e.name().and_then(|name| self.struct_named(&name)) else {
            self.ignore_fields(e);
            return self.wrong(span);
        };
        let given = self.given_fields(id, e);
        match e.base() {
            Some(base) => self.struct_update(id, given, &base, span),
            None => self.whole_struct(id, given, e),
        }
    }

    /// The struct of this name; reports when there is none.
    pub(crate) fn struct_named(&mut self, name: &ast::Name) -> Option<StructId> {
        match self.names.item(name.text()) {
            Some(Item::Struct(id)) => Some(id),
            _ => {
                self.unknown_struct(name);
                None
            }
        }
    }

    fn ignore_fields(&mut self, e: &ast::StructExpr) {
        for value in e.fields().filter_map(|field| field.value()) {
            self.check(&value, &UNKNOWN, Why::Here);
        }
    }

    /// The fields that are given, by position.
    fn given_fields(&mut self, id: StructId, e: &ast::StructExpr) -> BTreeMap<usize, Expr> {
        let mut given: BTreeMap<usize, Expr> = BTreeMap::new();
        let mut places: BTreeMap<usize, Span> = BTreeMap::new();
        for field in e.fields() {
            let (Some(name), Some(value)) = (field.name(), field.value()) else {
                continue;
            };
            let Some(&at) = self.names.fields[id.index()].get(name.text()) else {
                self.unknown_field(id, &name);
                self.check(&value, &UNKNOWN, Why::Here);
                continue;
            };
            let ty = self.types.structs[id.index()].fields[at].1.clone();
            let value = self.check(&value, &ty, Why::Field(id, at));
            if let Some(&earlier) = places.get(&at) {
                let message = format!("the field `{}` is given twice", name.text());
                self.report(
                    Diagnostic::error(&DUPLICATE_NAME, name.span(), message)
                        .also(earlier, "first given here")
                        .help("remove one of them"),
                );
            }
            places.insert(at, name.span());
            given.insert(at, value);
        }
        given
    }

    fn struct_update(
        &mut self,
        id: StructId,
        given: BTreeMap<usize, Expr>,
        base: &ast::StructBase,
        span: Span,
    ) -> Expr {
        let ty = Ty::Struct(id);
        let base = match base.value() {
            Some(value) => self.check(&value, &ty, Why::Word("..")),
            None => self.wrong(span),
        };
        if given.is_empty() {
            return base;
        }
        let changes = given.into_iter().collect();
        Expr {
            kind: ExprKind::Update(Box::new(base), changes),
            ty,
            span,
        }
    }

    fn whole_struct(
        &mut self,
        id: StructId,
        given: BTreeMap<usize, Expr>,
        e: &ast::StructExpr,
    ) -> Expr {
        let span = e.span();
        let decl = &self.types.structs[id.index()];
        let missing: Vec<String> = (0..decl.fields.len())
            .filter(|at| !given.contains_key(at))
            .map(|at| format!("`{}`", decl.fields[at].0))
            .collect();
        if !missing.is_empty() {
            let plural = if missing.len() == 1 {
                "the field"
            } else {
                "the fields"
            };
            let message = format!("`{}` also wants {plural} {}", decl.name, missing.join(", "));
            let at = e.name().map_or(span, |name| name.span());
            let diagnostic = Diagnostic::error(&MISSING_FIELD, at, message)
                .also(decl.span, format!("`{}` is declared here", decl.name))
                .help("give every field, or copy the others: `..other`");
            self.report(diagnostic);
        }
        let fields = given.into_values().collect();
        Expr {
            kind: ExprKind::Struct(id, fields),
            ty: Ty::Struct(id),
            span,
        }
    }
}
