//! A line as somebody would write it: without what putting code into code leaves behind.
//!
//! Statement. The statements do the same as before: blocks that are always taken are part of the one around, a name for
//! another name is that name, and loops and branches that do nothing are gone where evaluating them cannot fail.
//!
//! A name for an immutable one never differs from it, and a name is bound once in each table of locals, so nothing is
//! captured.

use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{Block, Domain, Expr, ExprKind, Local, LocalId, Stmt, StmtKind};
use std::collections::BTreeMap;

/// Tidies a block whose names are `locals`.
pub(super) fn tidy(block: &mut Block, locals: &[Local]) {
    let mut tidying = NameInliner {
        locals,
        names: BTreeMap::new(),
    };
    tidying.block(block);
}

struct NameInliner<'l> {
    locals: &'l [Local],
    /// What names stand for.
    names: BTreeMap<LocalId, Expr>,
}

impl NameInliner<'_> {
    /// Is it a name that always has the same value?
    fn is_fixed(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Local(local) => !self.locals[local.index()].mutable,
            ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Const(_) | ExprKind::None => true,
            ExprKind::Variant(_, _, parts) => parts.is_empty(),
            _ => false,
        }
    }

    fn statement(&mut self, stmt: Stmt, block: &mut Block) {
        match stmt.kind {
            StmtKind::Let(local, mut value)
                if self.is_fixed(&value) && !self.locals[local.index()].mutable =>
            {
                // What it names may be a name for another one itself.
                self.expr(&mut value);
                self.names.insert(local, value);
            }
            StmtKind::If(ref condition, ..) if condition.kind == ExprKind::Bool(true) => {
                let StmtKind::If(_, yes, _) = stmt.kind else {
                    return;
                };
                yes.into_iter().for_each(|one| self.statement(one, block));
            }
            kind => {
                let mut stmt = Stmt { kind, ..stmt };
                walk_mut::stmt(self, &mut stmt);
                if !does_nothing(&stmt) {
                    block.push(stmt);
                }
            }
        }
    }
}

impl VisitMut for NameInliner<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in std::mem::take(block) {
            self.statement(stmt, block);
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Local(local) = &expr.kind
            && let Some(value) = self.names.get(local)
        {
            let ty = expr.ty.clone();
            *expr = Expr {
                ty,
                ..value.clone()
            };
            return;
        }
        walk_mut::expr(self, expr);
    }
}

fn does_nothing(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Maybe(yes, no) => yes.is_empty() && no.is_empty(),
        StmtKind::For {
            domain,
            filter: None,
            body,
            ..
        } => {
            let whole = match domain {
                Domain::Type(_) => true,
                Domain::In(all) => matches!(all.kind, ExprKind::All(_)),
            };
            whole && body.is_empty()
        }
        _ => false,
    }
}
