//! Sorts, enums, structs, constants, parameters and functions.

use super::Lowering;
use super::codes::declarations::{
    BINDING_IN_BOUND, EMPTY_ENUM, EXTERNAL_MEASURE, INFINITE_TYPE, RUN_NOWHERE,
};
use super::codes::suspicions::NOTHING_PROMISED;
use super::fit::Why;
use super::signatures::name_and_span;
use super::unit::{Binder, Home};
use crate::ast::{self, AstNode};
use crate::names::Item;
use crate::names::declare::{ConstOrParam, Declarations, declared_twice};
use crate::types::{Members, Sort, UNKNOWN};
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::components::components_of;
use plainsong_ir::visit::VisitMut;
use plainsong_ir::{
    Const, ConstId, EnumDecl, Expr, FnId, Function, Range, RangeEnd, SortDecl, SortKind,
    StructDecl, Ty, Variant,
};
use std::collections::HashMap;

impl Lowering<'_> {
    /// Fills the tables of sorts, enums and structs.
    pub(crate) fn declare_types(&mut self, items: &Declarations) {
        for item in &items.sorts {
            let (name, span) = name_and_span(item.name());
            self.types.sorts.push(Sort {
                name,
                span,
                members: members(item),
            });
        }
        for item in &items.enums {
            let decl = self.enumeration(item);
            self.types.enums.push(decl);
        }
        for item in &items.structs {
            let decl = self.structure(item);
            self.types.structs.push(decl);
        }
        for circle in self.types.close() {
            self.infinite(&circle.members);
        }
        self.types_known = true;
        self.check_map_keys();
    }

    fn enumeration(&mut self, item: &ast::EnumItem) -> EnumDecl {
        let (name, span) = name_and_span(item.name());
        let mut seen = HashMap::new();
        let mut variants = Vec::new();
        for variant in item.variants() {
            let Some(variant_name) = variant.name() else {
                continue;
            };
            self.distinct(&variant_name, "a variant of this enum", &mut seen);
            let fields = variant.payload().map(|ty| self.ty(&ty)).collect();
            variants.push(Variant {
                name: variant_name.text().to_owned(),
                fields,
            });
        }
        if variants.is_empty() {
            let message = format!("the enum `{name}` has no variants");
            self.report(
                Diagnostic::error(&EMPTY_ENUM, span, message).help("add at least one variant"),
            );
        }
        let splits = item.splits().map(|ty| self.ty(&ty));
        EnumDecl {
            name,
            splits,
            variants,
            span,
        }
    }

    fn structure(&mut self, item: &ast::StructItem) -> StructDecl {
        let (name, span) = name_and_span(item.name());
        let mut seen = HashMap::new();
        let mut positions = HashMap::new();
        let mut fields = Vec::new();
        for field in item.fields() {
            let Some(field_name) = field.name() else {
                continue;
            };
            self.distinct(&field_name, "a field of this struct", &mut seen);
            positions
                .entry(field_name.text().to_owned())
                .or_insert(fields.len());
            let ty = field.ty().map_or(UNKNOWN, |ty| self.ty(&ty));
            fields.push((field_name.text().to_owned(), ty));
        }
        self.names.fields.push(positions);
        StructDecl { name, fields, span }
    }

    /// Reports a name that was seen before in the same list.
    pub(crate) fn distinct(
        &mut self,
        name: &ast::Name,
        what: &str,
        seen: &mut HashMap<String, Span>,
    ) {
        match seen.get(name.text()) {
            Some(&earlier) => self.report(declared_twice(name, what, earlier)),
            None => _ = seen.insert(name.text().to_owned(), name.span()),
        }
    }

    fn infinite(&mut self, members: &[(String, Span)]) {
        let [(first, span), others @ ..] = members else {
            return;
        };
        let mut diagnostic = match others {
            [] => Diagnostic::error(&INFINITE_TYPE, *span, format!("`{first}` contains itself")),
            _ => {
                let names: Vec<String> = members
                    .iter()
                    .map(|(name, _)| format!("`{name}`"))
                    .collect();
                let message = format!("{} contain each other in a circle", names.join(", "));
                Diagnostic::error(&INFINITE_TYPE, *span, message)
            }
        };
        for (name, span) in others {
            diagnostic = diagnostic.also(*span, format!("`{name}` is in the circle"));
        }
        self.report(diagnostic.help(
            "its values would have no end; refer to other values by the member of a sort, and keep \
             them in a map",
        ));
    }

    /// The sorts with their bounds.
    pub(crate) fn sorts(&mut self, items: &[ast::SortItem]) -> Vec<SortDecl> {
        let mut sorts = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let kind = match item.range() {
                Some(range) => SortKind::Range(self.bounds(&range)),
                None => SortKind::Identities {
                    ordered: item.is_ordered(),
                },
            };
            let Sort { name, span, .. } = &self.types.sorts[at];
            sorts.push(SortDecl {
                name: name.clone(),
                kind,
                span: *span,
            });
        }
        sorts
    }

    fn bounds(&mut self, range: &ast::RangeExpr) -> Range {
        let start = self.bound(range.start(), range.span());
        let end = match range.end() {
            None => RangeEnd::Open,
            Some(end) if range.is_inclusive() => {
                RangeEnd::With(self.bound(Some(end), range.span()))
            }
            Some(end) => RangeEnd::Before(self.bound(Some(end), range.span())),
        };
        Range { start, end }
    }

    fn bound(&mut self, written: Option<ast::Expr>, span: Span) -> Expr {
        let Some(written) = written else {
            return self.wrong(span);
        };
        self.begin(Home::Bound);
        let mut bound = self.check(&written, &Ty::Int, Why::Word(".."));
        let locals = self.finish_expr(&mut bound);
        if let Some(local) = locals.first() {
            let message = format!(
                "the bound of a sort cannot bind names, and this binds `{}`",
                local.name
            );
            self.report(
                Diagnostic::error(&BINDING_IN_BOUND, written.span(), message)
                    .help("give the bound a name of its own: `const N: int = …;`"),
            );
        }
        bound
    }

    /// The constants and parameters, each checked after those it mentions.
    pub(crate) fn constants(&mut self, items: &[ConstOrParam]) -> Vec<Const> {
        let edges: Vec<Vec<usize>> = items.iter().map(|item| self.mentioned(item)).collect();
        let mut done: Vec<Option<Const>> = items.iter().map(|_| None).collect();
        for at in components_of(&edges).into_iter().flatten() {
            done[at] = Some(self.constant(ConstId::from(at), &items[at]));
        }
        done.into_iter().flatten().collect()
    }

    /// The constants whose names occur in the value; more than it depends on, if names are hidden.
    fn mentioned(&self, item: &ConstOrParam) -> Vec<usize> {
        let ConstOrParam::Const(item) = item else {
            return Vec::new();
        };
        let names = item.value().into_iter().flat_map(|value| {
            value
                .syntax()
                .descendants()
                .filter_map(ast::NameExpr::cast)
                .collect::<Vec<_>>()
        });
        names
            .filter_map(|name| match self.names.item(name.name()?.text()) {
                Some(Item::Const(id)) => Some(id.index()),
                _ => None,
            })
            .collect()
    }

    fn constant(&mut self, id: ConstId, item: &ConstOrParam) -> Const {
        let (value, constraint, locals) = match item {
            ConstOrParam::Const(item) => {
                self.begin(Home::Constant);
                let mut value = self.const_value(id, item);
                let locals = self.finish_expr(&mut value);
                let row = &mut self.consts[id.index()];
                row.ty.get_or_insert_with(|| value.ty.clone());
                (Some(value), None, locals)
            }
            ConstOrParam::Param(item) => {
                self.begin(Home::Condition);
                let mut constraint = item.filter().map(|filter| self.filter(&filter));
                let locals = match &mut constraint {
                    Some(constraint) => self.finish_expr(constraint),
                    None => Vec::new(),
                };
                (None, constraint, locals)
            }
        };
        let row = &self.consts[id.index()];
        let ty = row.ty.clone().unwrap_or(UNKNOWN);
        Const {
            name: row.name.clone(),
            ty,
            value,
            constraint,
            locals,
            span: row.span,
        }
    }

    fn const_value(&mut self, id: ConstId, item: &ast::ConstItem) -> Expr {
        let Some(written) = item.value() else {
            return self.wrong(item.span());
        };
        match self.consts[id.index()].ty.clone() {
            Some(ty) => self.check(&written, &ty, Why::Const(id)),
            None => self.expr(&written, None),
        }
    }

    /// The functions with their bodies.
    pub(crate) fn function_bodies(&mut self, items: &[ast::FnItem]) -> Vec<Function> {
        items
            .iter()
            .enumerate()
            .map(|(at, item)| self.function(FnId::from(at), item))
            .collect()
    }

    fn function(&mut self, id: FnId, item: &ast::FnItem) -> Function {
        self.begin(Home::Function);
        let written = item.binders();
        let params = self.functions[id.index()].params.clone();
        self.bind_parameters(&params, written.as_ref(), Binder::Parameter);
        let result = self.functions[id.index()].result.clone();
        let mut body = match item.body() {
            Some(body) => Some(self.check(&ast::Expr::Block(body), &result, Why::Result(id))),
            None if item.is_external() => None,
            None => Some(self.wrong(item.span())),
        };
        let mut contract = self.function_contract(item, &result);
        if let (true, Some(clause)) = (item.is_external(), item.decreases().next()) {
            let message = "an external function decreases nothing: what it computes is not known";
            let diagnostic = Diagnostic::error(&EXTERNAL_MEASURE, clause.span(), message);
            self.report(diagnostic.help("leave it out, or give the function a body"));
        }
        if item.is_external() && contract.ensures.is_empty() {
            let span = self.functions[id.index()].span;
            let message = "nothing is known of what this function returns";
            let help = "say what its callers may rely on: `ensures result >= 0`";
            self.report(Diagnostic::warning(&NOTHING_PROMISED, span, message).help(help));
        }
        let locals = self.finish(|filler| {
            let conditions = contract.requires.iter_mut().chain(&mut contract.ensures);
            conditions
                .chain(&mut contract.decreases)
                .chain(&mut body)
                .for_each(|expr| filler.expr(expr));
        });
        let at = item.role().and_then(|role| self.runner(item, &role));
        let signature = &self.functions[id.index()];
        Function {
            at,
            name: signature.name.clone(),
            arity: params.len(),
            locals,
            contract,
            result,
            body,
            span: signature.span,
        }
    }

    /// The process or endpoint that runs an external function.
    fn runner(&mut self, item: &ast::FnItem, role: &ast::Name) -> Option<String> {
        if !item.is_external() {
            let message = "a function with a body is computed wherever it is called";
            let diagnostic = Diagnostic::error(&RUN_NOWHERE, role.span(), message);
            self.report(
                diagnostic.help("only external functions are run by somebody: leave out `at`"),
            );
            return None;
        }
        let known: Vec<String> = self.families.iter().map(|one| one.name.clone()).collect();
        if !known.iter().any(|name| name == role.text()) {
            let message = format!("there is no process or endpoint `{}`", role.text());
            let diagnostic = Diagnostic::error(&RUN_NOWHERE, role.span(), message);
            let known = known.iter().map(String::as_str);
            let diagnostic = self.suggest(diagnostic, role, known);
            self.report(diagnostic);
        }
        Some(role.text().to_owned())
    }

    /// Makes parameters or indices the first locals of the unit.
    pub(crate) fn bind_parameters(
        &mut self,
        params: &[plainsong_ir::Binder],
        written: Option<&ast::BinderList>,
        binder: Binder,
    ) {
        let names = written
            .into_iter()
            .flat_map(ast::BinderList::binders)
            .filter_map(|b| b.name());
        for (param, name) in params.iter().zip(names) {
            self.unit
                .bind(&param.name, param.ty.clone(), binder, name.span());
        }
    }
}

fn members(item: &ast::SortItem) -> Members {
    match item.range() {
        Some(range) if range.end().is_none() => Members::OpenRange,
        Some(_) => Members::BoundedRange,
        None if item.is_ordered() => Members::Ordered,
        None => Members::Unordered,
    }
}
