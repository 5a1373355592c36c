//! Which expressions always have a value.

use super::any_expr;
use crate::{BinOp, Builtin, Expr, ExprKind, Ty};

/// May evaluating this expression fail where its parts do not? Of calls nothing is said.
pub fn may_fail_here(of: &Expr) -> bool {
    match &of.kind {
        ExprKind::Binary(BinOp::Div | BinOp::Rem, ..) | ExprKind::Narrow(_) => true,
        ExprKind::Index(whole, _) => matches!(whole.ty, Ty::Seq(_)),
        ExprKind::Method(method, parts) => match method {
            Builtin::Min
            | Builtin::Max
            | Builtin::First
            | Builtin::Last
            | Builtin::DropFirst
            | Builtin::DropLast
            | Builtin::Unwrap => true,
            Builtin::Update => matches!(parts[0].ty, Ty::Seq(_)),
            _ => false,
        },
        _ => false,
    }
}

/// Can it be evaluated in every state? Calls of functions count as able to fail.
pub fn is_total(of: &Expr) -> bool {
    let may_fail = |of: &Expr| may_fail_here(of) || matches!(of.kind, ExprKind::Call(..));
    !any_expr(of, may_fail)
}
