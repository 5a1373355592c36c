//! Code of a handler in one of two runs, and what can be seen in it.

use Run::{Earlier, Later};
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{Visit, VisitMut, walk, walk_mut};
use plainsong_ir::{Block, Expr, ExprKind, FamilyId, LocalId, Place, Root, Stmt, StmtKind};
use std::collections::BTreeSet;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Run {
    Earlier,
    Later,
}

/// Code of a process as code of one of the two endpoints.
pub(super) struct Moved {
    pub(super) by: usize,
    pub(super) me: FamilyId,
    pub(super) run: Run,
    /// For what the later run does without a place in the text.
    pub(super) place: Span,
}

impl VisitMut for Moved {
    fn span(&mut self, span: &mut Span) {
        match self.run {
            Earlier => *span = Span::default(),
            Later if *span == Span::default() => *span = self.place,
            Later => {}
        }
    }

    fn binds(&mut self, local: &mut LocalId) {
        *local = LocalId::from(local.index() + self.by);
    }

    fn uses(&mut self, local: &mut LocalId) {
        *local = LocalId::from(local.index() + self.by);
    }

    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Own(var) = expr.kind {
            expr.kind = ExprKind::Of(self.me, Vec::new(), var);
        }
        walk_mut::expr(self, expr);
    }

    /// What the earlier run knows, the later one has to show.
    fn stmt(&mut self, stmt: &mut Stmt) {
        walk_mut::stmt(self, stmt);
        if let StmtKind::Assert(condition) | StmtKind::Assume(condition) = &stmt.kind {
            let condition = condition.clone();
            stmt.kind = match self.run {
                Earlier => StmtKind::Assume(condition),
                Later => StmtKind::Assert(condition),
            };
        }
    }

    fn place(&mut self, place: &mut Place) {
        if let Root::Own(var) = place.root {
            place.root = Root::Of(self.me, Vec::new(), var);
        }
        walk_mut::place(self, place);
    }
}

/// Is nothing sent, chosen or repeated in a statement? Then each run goes its own way through it.
pub(super) fn is_local(one: &Stmt) -> bool {
    let all = |block: &Block| block.iter().all(is_local);
    match &one.kind {
        StmtKind::Let(..) | StmtKind::Assign(..) | StmtKind::Assert(_) | StmtKind::Assume(_) => {
            true
        }
        StmtKind::If(_, yes, no) => all(yes) && all(no),
        StmtKind::Match(_, arms) => arms.iter().all(|(_, body)| all(body)),
        _ => false,
    }
}

/// Conditions that are asserted or assumed.
#[derive(Default)]
pub(super) struct Asked(pub(super) Vec<(Span, Expr)>);

impl Visit for Asked {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Assert(condition) | StmtKind::Assume(condition) = &stmt.kind {
            self.0.push((stmt.span, condition.clone()));
        }
        walk::stmt(self, stmt);
    }
}

/// Takes expressions out of the text: that they are defined is nobody's to show.
pub(super) struct Nowhere;

impl VisitMut for Nowhere {
    fn span(&mut self, span: &mut Span) {
        *span = Span::default();
    }
}

/// What statements write.
#[derive(Default)]
pub(super) struct Written {
    pub(super) own: bool,
    pub(super) locals: BTreeSet<LocalId>,
    /// What they bind themselves.
    pub(super) bound: BTreeSet<LocalId>,
}

impl Visit for Written {
    fn binds(&mut self, local: &LocalId) {
        self.bound.insert(*local);
    }

    fn place(&mut self, place: &Place) {
        match place.root {
            Root::Own(_) => self.own = true,
            Root::Local(local) => drop(self.locals.insert(local)),
            _ => {}
        }
        walk::place(self, place);
    }
}
