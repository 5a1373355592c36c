//! Literals, options, tuples and collections.

use super::Lowering;
use super::fit::{Wanted, Why};
use crate::ast::{self, AstNode, LiteralValue};
use plainsong_diagnostics::Span;
use plainsong_ir::{Collection, Expr, ExprKind, Ty};

impl Lowering<'_> {
    /// An integer, `true` or `false`. An integer is a `nat` where one is wanted, else an `int`.
    pub(crate) fn literal(&mut self, literal: &ast::Literal, wanted: Wanted) -> Expr {
        let span = literal.span();
        match literal.value() {
            Some(LiteralValue::Bool(value)) => Expr {
                kind: ExprKind::Bool(value),
                ty: Ty::Bool,
                span,
            },
            Some(LiteralValue::Int(value)) => {
                let nat = self.wanted_type(wanted) == Some(Ty::Nat);
                let ty = if nat { Ty::Nat } else { Ty::Int };
                Expr {
                    kind: ExprKind::Int(value),
                    ty,
                    span,
                }
            }
            None => self.wrong(span),
        }
    }

    pub(crate) fn none(&mut self, span: Span, wanted: Wanted) -> Expr {
        let inner = match self.wanted_type(wanted) {
            Some(Ty::Option(inner)) => *inner,
            _ => self.unit.holes.fresh(span),
        };
        Expr {
            kind: ExprKind::None,
            ty: Ty::Option(Box::new(inner)),
            span,
        }
    }

    /// `some(e)`
    pub(crate) fn some(&mut self, some: &ast::SomeExpr, wanted: Wanted) -> Expr {
        let span = some.span();
        let Some(inner) = some.inner() else {
            return self.wrong(span);
        };
        let inner = match self.wanted_type(wanted) {
            Some(Ty::Option(wanted)) => self.check(&inner, &wanted, Why::Here),
            _ => self.expr(&inner, None),
        };
        let ty = Ty::Option(Box::new(inner.ty.clone()));
        Expr {
            kind: ExprKind::Some(Box::new(inner)),
            ty,
            span,
        }
    }

    /// `(a, b)`
    pub(crate) fn tuple(&mut self, tuple: &ast::TupleExpr, wanted: Wanted) -> Expr {
        let wanted = match self.wanted_type(wanted) {
            Some(Ty::Tuple(tys)) if tys.len() == tuple.components().count() => Some(tys),
            _ => None,
        };
        let mut parts = Vec::new();
        for (at, component) in tuple.components().enumerate() {
            parts.push(match &wanted {
                Some(tys) => self.check(&component, &tys[at], Why::Here),
                None => self.expr(&component, None),
            });
        }
        let ty = Ty::Tuple(parts.iter().map(|part| part.ty.clone()).collect());
        Expr {
            kind: ExprKind::Tuple(parts),
            ty,
            span: tuple.span(),
        }
    }

    /// `{a, b}`, `bag {a, b}` or `[a, b]`. The wanted type decides, else the first element.
    pub(crate) fn collection(
        &mut self,
        kind: Collection,
        elements: impl Iterator<Item = ast::Expr>,
        span: Span,
        wanted: Wanted,
    ) -> Expr {
        let mut element_ty = self.wanted_element(kind, wanted);
        let mut first = None;
        let mut values = Vec::new();
        for element in elements {
            let value = match (&element_ty, first) {
                (Some(ty), None) => self.check(&element, ty, Why::Here),
                (Some(ty), Some(first)) => {
                    self.check(&element, ty, Why::First("the first element", first))
                }
                (None, _) => {
                    let value = self.expr(&element, None);
                    element_ty = Some(value.ty.clone());
                    first = Some(value.span);
                    value
                }
            };
            values.push(value);
        }
        let element_ty = element_ty.unwrap_or_else(|| self.unit.holes.fresh(span));
        Expr {
            kind: ExprKind::Literal(values),
            ty: collection_of(kind, element_ty),
            span,
        }
    }

    /// The type of elements that a place wants, if it wants this kind of collection.
    pub(crate) fn wanted_element(&self, kind: Collection, wanted: Wanted) -> Option<Ty> {
        let wanted = self.wanted_type(wanted)?;
        (Collection::of(&wanted) == Some(kind)).then(|| wanted.element().cloned())?
    }
}

/// The collection type over `element`.
pub(crate) fn collection_of(kind: Collection, element: Ty) -> Ty {
    match kind {
        Collection::Set => Ty::Set(Box::new(element)),
        Collection::Bag => Ty::Bag(Box::new(element)),
        Collection::Seq => Ty::Seq(Box::new(element)),
    }
}
