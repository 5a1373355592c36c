//! `match` and `is`: the arms, and whether they cover every value.

use super::Lowering;
use super::codes::matching::{MISSING_CASE, UNREACHABLE_ARM};
use super::exhaustive::{Shapes, uncovered};
use super::expressions::Branches;
use super::fit::Wanted;
use crate::ast::{self, AstNode};
use crate::types::{UNKNOWN, is_unknown};
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{EnumId, Expr, ExprKind, FamilyId, Pattern, StructId, Ty};

impl Lowering<'_> {
    /// `match e { pattern => value, … }`; the wanted type decides, else the first arm.
    pub(crate) fn match_expr(&mut self, e: &ast::MatchExpr, wanted: Wanted) -> Expr {
        let span = e.span();
        let Some(subject) = e.subject() else {
            return self.wrong(span);
        };
        let subject = self.expr(&subject, None);
        let errors = self.errors;
        let mut branches = Branches::new(wanted);
        let mut arms = Vec::new();
        for arm in e.arms() {
            let mark = self.unit.enter();
            let pattern = self.pattern(arm.pattern(), &subject.ty, arm.span());
            let value = match arm.value() {
                Some(value) => self.branch(&value, &mut branches),
                None => self.wrong(arm.span()),
            };
            self.unit.leave(mark);
            arms.push((pattern, value));
        }
        if self.errors == errors {
            let patterns: Vec<&Pattern> = arms.iter().map(|(pattern, _)| pattern).collect();
            self.cover(&subject, &patterns);
        }
        let ty = branches.ty.unwrap_or(UNKNOWN);
        Expr {
            kind: ExprKind::Match(Box::new(subject), arms),
            ty,
            span,
        }
    }

    /// `e is pattern`
    pub(crate) fn is(&mut self, e: &ast::IsExpr) -> Expr {
        let span = e.span();
        let Some(subject) = e.subject() else {
            return self.wrong(span);
        };
        let subject = self.expr(&subject, None);
        let mark = self.unit.enter();
        let pattern = self.pattern(e.pattern(), &subject.ty, span);
        self.unit.leave(mark);
        Expr {
            kind: ExprKind::Is(Box::new(subject), pattern),
            ty: Ty::Bool,
            span,
        }
    }

    /// Reports values that no arm covers and arms that no value reaches.
    pub(crate) fn cover(&mut self, subject: &Expr, arms: &[&Pattern]) {
        let ty = self.resolved(&subject.ty);
        if is_unknown(&ty) {
            return;
        }
        let mut steps = self.match_steps;
        match uncovered(self, &ty, arms, None, &mut steps) {
            Ok(None) if arms.is_empty() => self.missing_case(subject, "_"),
            Ok(None) => {}
            Ok(Some(example)) => self.missing_case(subject, &example),
            Err(_) => self.too_complex(subject.span),
        }
        for at in 1..arms.len() {
            if uncovered(self, &ty, &arms[..at], Some(arms[at]), &mut steps) == Ok(None) {
                self.unreachable_arm(arms[at]);
            }
        }
        self.match_steps = steps;
    }

    fn missing_case(&mut self, subject: &Expr, example: &str) {
        let (message, help) = if example == "_" {
            (
                "this match does not cover every value".to_owned(),
                "add `_ => …` for the values that remain".to_owned(),
            )
        } else {
            (
                format!("this match does not cover `{example}`"),
                format!("add `{example} => …`, or `_ => …` for all that remain"),
            )
        };
        let shown = self.show(&subject.ty);
        self.report(
            Diagnostic::error(&MISSING_CASE, subject.span, message)
                .label(format!("of type {shown}"))
                .help(help),
        );
    }

    fn too_complex(&mut self, span: Span) {
        self.report(
            Diagnostic::error(&MISSING_CASE, span, "this match is too large to be checked")
                .help("split it, or end it with `_ => …`"),
        );
    }

    fn unreachable_arm(&mut self, arm: &Pattern) {
        self.report(
            Diagnostic::warning(
                &UNREACHABLE_ARM,
                arm.span,
                format!(
                    "{} is never reached: the arms above cover it",
                    self.quote(arm.span)
                ),
            )
            .help("move it up, or remove it"),
        );
    }
}

impl Shapes for Lowering<'_> {
    fn variants(&self, id: EnumId) -> Vec<(&str, &[Ty])> {
        let variants = self.types.enums[id.index()].variants.iter();
        variants
            .map(|variant| (variant.name.as_str(), variant.fields.as_slice()))
            .collect()
    }

    fn fields(&self, id: StructId) -> (&str, &[(String, Ty)]) {
        let decl = &self.types.structs[id.index()];
        (&decl.name, &decl.fields)
    }

    fn families(&self) -> Vec<(FamilyId, &str, Vec<Ty>)> {
        let processes = self.families[..self.process_count].iter().enumerate();
        processes
            .map(|(at, family)| {
                let types = family
                    .index
                    .iter()
                    .map(|binder| binder.ty.clone())
                    .collect();
                (FamilyId::from(at), family.name.as_str(), types)
            })
            .collect()
    }
}
