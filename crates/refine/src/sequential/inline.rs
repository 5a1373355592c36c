//! Code put into other code: its locals get numbers of their own, its parameters are the arguments.

use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{Block, Code, Expr, ExprKind, Local, LocalId};

/// The statements of `code` among `locals`, with these arguments for its parameters. Arguments read only
/// what the code does not write.
pub(crate) fn inlined(code: &Code, arguments: &[Expr], locals: &mut Vec<Local>) -> Block {
    let mut body = code.body.clone();
    let mut moving = ArgumentSubstitution {
        by: locals.len(),
        arguments,
    };
    locals.extend(code.locals.iter().cloned());
    walk_mut::block(&mut moving, &mut body);
    body
}

/// The same for an expression whose names are `from`.
pub(crate) fn inlined_expr(expr: &Expr, from: &[Local], locals: &mut Vec<Local>) -> Expr {
    let mut expr = expr.clone();
    let mut moving = ArgumentSubstitution {
        by: locals.len(),
        arguments: &[],
    };
    locals.extend(from.iter().cloned());
    moving.expr(&mut expr);
    expr
}

struct ArgumentSubstitution<'a> {
    by: usize,
    arguments: &'a [Expr],
}

impl VisitMut for ArgumentSubstitution<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Local(local) = &expr.kind
            && let Some(argument) = self.arguments.get(local.index())
        {
            *expr = argument.clone();
            return;
        }
        walk_mut::expr(self, expr);
    }

    fn binds(&mut self, local: &mut LocalId) {
        *local = LocalId::from(local.index() + self.by);
    }

    fn uses(&mut self, local: &mut LocalId) {
        *local = LocalId::from(local.index() + self.by);
    }
}
