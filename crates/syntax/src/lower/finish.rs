//! The end of a unit: every hole is replaced, and what was left open is reported.

use super::Lowering;
use super::codes::suspicions::UNUSED_LOCAL;
use super::codes::types::{CANNOT_INFER, TYPE_TOO_LARGE};
use super::unit::{Binder, Unit};
use crate::types::holes::Unsolved;
use crate::types::{Holes, UNKNOWN, is_hole};
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{Block, Expr, Local, StartValue, Ty};

impl Lowering<'_> {
    /// Ends a unit that is one expression; returns its locals.
    pub(crate) fn finish_expr(&mut self, expr: &mut Expr) -> Vec<Local> {
        self.finish(|filler| filler.expr(expr))
    }

    /// Ends a unit that is the first value of a variable.
    pub(crate) fn finish_start(&mut self, start: &mut StartValue) -> Vec<Local> {
        self.finish(|filler| walk_mut::start(filler, start))
    }

    /// Ends a unit of statements.
    pub(crate) fn finish_block(&mut self, block: &mut Block) -> Vec<Local> {
        self.finish(|filler| walk_mut::block(filler, block))
    }

    /// Ends a unit whose pieces `visit` hands to the visitor.
    pub(crate) fn finish(&mut self, visit: impl FnOnce(&mut Filler)) -> Vec<Local> {
        let mut unit = std::mem::take(&mut self.unit);
        if !unit.holes.is_empty() || self.recorded.is_some() {
            for unsolved in unit.holes.give_up() {
                self.unsolved(&unsolved);
            }
            let mut filler = Filler {
                holes: &unit.holes,
                too_large: None,
                seen: self.recorded.is_some().then(Vec::new),
            };
            visit(&mut filler);
            for local in &mut unit.locals {
                filler.fill(&mut local.ty, local.span);
            }
            for (span, ty) in &mut unit.noted {
                filler.fill(ty, *span);
            }
            let seen = filler.seen.take();
            if let Some(span) = filler.too_large {
                self.too_large(span);
            }
            if let (Some(recorded), Some(seen)) = (&mut self.recorded, seen) {
                recorded.extend(seen);
            }
        }
        if self.errors == unit.errors_before {
            self.unused(&unit);
        }
        unit.locals
    }

    fn unsolved(&mut self, unsolved: &Unsolved) {
        let text = unsolved.origin.slice(self.text);
        let (what, example) = match text.bytes().next() {
            Some(b'n') => ("option", "option<int>"),
            Some(b'[') => ("sequence", "seq<int>"),
            Some(b'b') => ("bag", "bag<int>"),
            _ => ("set", "set<int>"),
        };
        let message = format!("nothing says what this {what} is of");
        self.report(
            Diagnostic::error(&CANNOT_INFER, unsolved.origin, message).help(format!(
                "write the type where it is declared, for example `: {example}`"
            )),
        );
    }

    /// The type of what stands at `span`, where its outermost constructor must be known.
    pub(crate) fn known_type(&mut self, ty: &Ty, span: Span) -> Ty {
        let ty = self.shallow(ty);
        if !is_hole(&ty) {
            return ty;
        }
        self.unit.holes.drown(&ty);
        let message = format!("the type of {} is not known here", self.quote(span));
        self.report(
            Diagnostic::error(&CANNOT_INFER, span, message)
                .help("write the type where the value comes from, for example `: option<int>`"),
        );
        UNKNOWN
    }

    /// Reports a type that has outgrown all use; those that grow out of it are not worth a word.
    pub(crate) fn too_large(&mut self, span: Span) {
        if std::mem::replace(&mut self.too_large_reported, true) {
            return;
        }
        self.report(
            Diagnostic::error(
                &TYPE_TOO_LARGE,
                span,
                "the type of this has become too large",
            )
            .help("declare a struct instead of nesting tuples and collections"),
        );
    }

    fn unused(&mut self, unit: &Unit) {
        for (at, local) in unit.locals.iter().enumerate() {
            let declared = matches!(unit.binders[at], Binder::Let | Binder::Var);
            if declared && !unit.read[at] && !local.name.starts_with('_') {
                let name = &local.name;
                self.report(
                    Diagnostic::warning(
                        &UNUSED_LOCAL,
                        local.span,
                        format!("`{name}` is never read"),
                    )
                    .help(format!("remove it, or call it `_{name}` if this is meant"))
                    .fix(
                        format!("call it `_{name}`"),
                        vec![(local.span, format!("_{name}"))],
                    ),
                );
            }
        }
    }
}

/// Replaces holes by what they were solved with.
pub(crate) struct Filler<'h> {
    holes: &'h Holes,
    too_large: Option<Span>,
    /// What has which type, where that is recorded.
    seen: Option<Vec<(Span, Ty)>>,
}

impl Filler<'_> {
    fn fill(&mut self, ty: &mut Ty, span: Span) {
        match self.holes.resolve(ty) {
            Ok(whole) => *ty = whole,
            Err(_) => {
                *ty = UNKNOWN;
                self.too_large.get_or_insert(span);
            }
        }
        if let Some(seen) = &mut self.seen {
            seen.push((span, ty.clone()));
        }
    }
}

impl VisitMut for Filler<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        self.fill(&mut expr.ty, expr.span);
        walk_mut::expr(self, expr);
    }
}
