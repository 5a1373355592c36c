//! Walks by closure: look at every expression, statement or place of some code, ask whether one satisfies a test, or put
//! others in their stead. For what needs more than a closure there is [`Visit`].

use super::{Visit, VisitMut, walk, walk_mut};
use crate::{Expr, ExprKind, LocalId, Pattern, Place, Stmt};
use std::collections::BTreeSet;

/// Code that can be walked: an expression, a pattern, a place, a statement, statements in sequence.
pub trait Node {
    /// Hands it to a visitor.
    fn accept(&self, visitor: &mut impl Visit);
    /// Hands it to a visitor that may change it.
    fn accept_mut(&mut self, visitor: &mut impl VisitMut);
}

impl Node for Expr {
    fn accept(&self, visitor: &mut impl Visit) {
        visitor.expr(self);
    }

    fn accept_mut(&mut self, visitor: &mut impl VisitMut) {
        visitor.expr(self);
    }
}

impl Node for Stmt {
    fn accept(&self, visitor: &mut impl Visit) {
        visitor.stmt(self);
    }

    fn accept_mut(&mut self, visitor: &mut impl VisitMut) {
        visitor.stmt(self);
    }
}

impl Node for Place {
    fn accept(&self, visitor: &mut impl Visit) {
        visitor.place(self);
    }

    fn accept_mut(&mut self, visitor: &mut impl VisitMut) {
        visitor.place(self);
    }
}

impl Node for Pattern {
    fn accept(&self, visitor: &mut impl Visit) {
        visitor.pattern(self);
    }

    fn accept_mut(&mut self, visitor: &mut impl VisitMut) {
        visitor.pattern(self);
    }
}

impl Node for [Stmt] {
    fn accept(&self, visitor: &mut impl Visit) {
        self.iter().for_each(|stmt| visitor.stmt(stmt));
    }

    fn accept_mut(&mut self, visitor: &mut impl VisitMut) {
        self.iter_mut().for_each(|stmt| visitor.stmt(stmt));
    }
}

impl Node for Vec<Stmt> {
    fn accept(&self, visitor: &mut impl Visit) {
        visitor.block(self);
    }

    fn accept_mut(&mut self, visitor: &mut impl VisitMut) {
        visitor.block(self);
    }
}

/// Looks at every expression, outer before inner.
pub fn each_expr<N: Node + ?Sized>(node: &N, look: impl FnMut(&Expr)) {
    struct Each<F>(F);
    impl<F: FnMut(&Expr)> Visit for Each<F> {
        fn expr(&mut self, expr: &Expr) {
            (self.0)(expr);
            walk::expr(self, expr);
        }
    }
    node.accept(&mut Each(look));
}

/// Looks at every statement, outer before inner.
pub fn each_stmt<N: Node + ?Sized>(node: &N, look: impl FnMut(&Stmt)) {
    struct Each<F>(F);
    impl<F: FnMut(&Stmt)> Visit for Each<F> {
        fn stmt(&mut self, stmt: &Stmt) {
            (self.0)(stmt);
            walk::stmt(self, stmt);
        }
    }
    node.accept(&mut Each(look));
}

/// Looks at every place that is written to.
pub fn each_place<N: Node + ?Sized>(node: &N, look: impl FnMut(&Place)) {
    struct Each<F>(F);
    impl<F: FnMut(&Place)> Visit for Each<F> {
        fn place(&mut self, place: &Place) {
            (self.0)(place);
            walk::place(self, place);
        }
    }
    node.accept(&mut Each(look));
}

/// Does an expression in it satisfy the test?
pub fn any_expr<N: Node + ?Sized>(node: &N, mut test: impl FnMut(&Expr) -> bool) -> bool {
    let mut found = false;
    each_expr(node, |expr| found = found || test(expr));
    found
}

/// Does a statement in it satisfy the test?
pub fn any_stmt<N: Node + ?Sized>(node: &N, mut test: impl FnMut(&Stmt) -> bool) -> bool {
    let mut found = false;
    each_stmt(node, |stmt| found = found || test(stmt));
    found
}

/// Does a place in it that is written to satisfy the test?
pub fn any_place<N: Node + ?Sized>(node: &N, mut test: impl FnMut(&Place) -> bool) -> bool {
    let mut found = false;
    each_place(node, |place| found = found || test(place));
    found
}

/// The names that are bound in it.
pub fn locals_bound<N: Node + ?Sized>(node: &N) -> BTreeSet<LocalId> {
    let mut names = Names::default();
    node.accept(&mut names);
    names.bound
}

/// The names that are read or assigned in it.
pub fn locals_used<N: Node + ?Sized>(node: &N) -> BTreeSet<LocalId> {
    let mut names = Names::default();
    node.accept(&mut names);
    names.used
}

/// The locals that an expression reads and does not bind itself.
pub fn free_locals(expr: &Expr) -> BTreeSet<LocalId> {
    locals_free(expr)
}

/// The locals that are read or assigned in it, and not bound.
pub(crate) fn locals_free<N: Node + ?Sized>(node: &N) -> BTreeSet<LocalId> {
    let mut names = Names::default();
    node.accept(&mut names);
    &names.used - &names.bound
}

#[derive(Default)]
struct Names {
    used: BTreeSet<LocalId>,
    bound: BTreeSet<LocalId>,
}

impl Visit for Names {
    fn uses(&mut self, local: &LocalId) {
        self.used.insert(*local);
    }

    fn binds(&mut self, local: &LocalId) {
        self.bound.insert(*local);
    }
}

/// Does it mean the same everywhere: no variable, no process, no name but those it binds itself?
pub fn is_closed(expr: &Expr) -> bool {
    let reads = |expr: &Expr| {
        matches!(
            expr.kind,
            ExprKind::Own(_) | ExprKind::Of(..) | ExprKind::Global(_) | ExprKind::SelfPid
        )
    };
    !any_expr(expr, reads) && free_locals(expr).is_empty()
}

/// Puts others in the place of expressions, where there is one; what was put there is not looked into.
pub fn replace<N: Node + ?Sized>(node: &mut N, with: impl FnMut(&Expr) -> Option<Expr>) {
    struct Replace<F>(F);
    impl<F: FnMut(&Expr) -> Option<Expr>> VisitMut for Replace<F> {
        fn expr(&mut self, expr: &mut Expr) {
            match (self.0)(expr) {
                Some(new) => *expr = new,
                None => walk_mut::expr(self, expr),
            }
        }
    }
    node.accept_mut(&mut Replace(with));
}

/// Changes every expression, outer before inner.
pub fn change_exprs<N: Node + ?Sized>(node: &mut N, change: impl FnMut(&mut Expr)) {
    struct Change<F>(F);
    impl<F: FnMut(&mut Expr)> VisitMut for Change<F> {
        fn expr(&mut self, expr: &mut Expr) {
            (self.0)(expr);
            walk_mut::expr(self, expr);
        }
    }
    node.accept_mut(&mut Change(change));
}

/// Adds a number to every local.
pub fn shift_locals<N: Node + ?Sized>(node: &mut N, by: usize) {
    rename_locals(node, |local| LocalId::from(local.index() + by));
}

/// Gives names other numbers, both where they are bound and where they are used.
pub fn rename_locals<N: Node + ?Sized>(node: &mut N, rename: impl FnMut(LocalId) -> LocalId) {
    struct Rename<F>(F);
    impl<F: FnMut(LocalId) -> LocalId> VisitMut for Rename<F> {
        fn uses(&mut self, local: &mut LocalId) {
            *local = (self.0)(*local);
        }

        fn binds(&mut self, local: &mut LocalId) {
            *local = (self.0)(*local);
        }
    }
    node.accept_mut(&mut Rename(rename));
}
