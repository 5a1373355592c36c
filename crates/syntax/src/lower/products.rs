//! Comprehensions over several names.
//!
//! `{ e for x in S, y in T where p }` is the comprehension over one name that takes every tuple of the types of the names:
//! `{ match t { (x, y) => e } for t in (A, B) where match t { (x, y) => x in S && y in T && p } }`. So nothing behind the type
//! check has to know of it. What the names range over may speak of the names before.
//!
//! NOT COVERED. Names of infinite types (`x in 0..n`): there are no tuples to list. A sequence over several sequences: their
//! order would be lost.

use super::Lowering;
use super::codes::types::BAD_OPERAND;
use super::unit::Binder;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{
    BinOp, Binding, Collection, Domain, Expr, ExprKind, LocalId, Pattern, PatternKind, Ty,
};

impl Lowering<'_> {
    /// The binding of one name, and the body, of a comprehension over several.
    pub(crate) fn over_tuples(
        &mut self,
        kind: Collection,
        bindings: Vec<(Binding, Span)>,
        body: Expr,
        span: Span,
    ) -> (Binding, Expr) {
        let (mut names, mut types, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
        for (binding, at) in bindings {
            for local in &binding.names {
                let ty = self.unit.locals[local.index()].ty.clone();
                self.want_finite(&ty, at, "a name beside others in a comprehension");
                names.push(*local);
                types.push(ty);
            }
            if let (Domain::In(set), Some(local)) = (binding.domain, binding.names.first()) {
                if kind == Collection::Seq && matches!(set.ty, Ty::Seq(_) | Ty::Bag(_)) {
                    let message = "a sequence over several names takes them in the order of sets";
                    let help = "write a function for each name, or take the elements of a set";
                    let diagnostic = Diagnostic::error(&BAD_OPERAND, set.span, message);
                    self.report(diagnostic.help(help));
                }
                let ty = types.last().cloned().unwrap_or(Ty::Bool);
                let member = of(ExprKind::Local(*local), ty, at);
                let test = ExprKind::Binary(BinOp::In, Box::new(member), Box::new(set));
                conditions.push(of(test, Ty::Bool, at));
            }
            conditions.extend(binding.filter);
        }
        let tuple = Ty::Tuple(types.clone());
        let each = self
            .unit
            .add("each", tuple.clone(), Binder::Quantifier, span);
        let tested: Vec<LocalId> = names
            .iter()
            .zip(&types)
            .map(|(local, ty)| {
                let name = self.unit.locals[local.index()].name.clone();
                self.unit.add(&name, ty.clone(), Binder::Quantifier, span)
            })
            .collect();
        let filter = conditions.into_iter().reduce(|all, one| {
            let both = ExprKind::Binary(BinOp::And, Box::new(all), Box::new(one));
            of(both, Ty::Bool, span)
        });
        let taken_apart = |locals: &[LocalId], value: Expr| {
            let bind = |local: &LocalId| Pattern {
                kind: PatternKind::Bind(*local),
                span,
            };
            let pattern = Pattern {
                kind: PatternKind::Tuple(locals.iter().map(bind).collect()),
                span,
            };
            let ty = value.ty.clone();
            let subject = of(ExprKind::Local(each), tuple.clone(), span);
            of(
                ExprKind::Match(Box::new(subject), vec![(pattern, value)]),
                ty,
                span,
            )
        };
        let filter = filter.map(|mut filter| {
            Renamed(&names, &tested).expr(&mut filter);
            taken_apart(&tested, filter)
        });
        let binding = Binding {
            names: vec![each],
            domain: Domain::Type(tuple.clone()),
            filter,
        };
        (binding, taken_apart(&names, body))
    }
}

fn of(kind: ExprKind, ty: Ty, span: Span) -> Expr {
    Expr { kind, ty, span }
}

/// Names that are others elsewhere.
struct Renamed<'a>(&'a [LocalId], &'a [LocalId]);

impl VisitMut for Renamed<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Local(local) = &mut expr.kind
            && let Some(at) = self.0.iter().position(|known| known == local)
        {
            *local = self.1[at];
        }
        walk_mut::expr(self, expr);
    }
}
