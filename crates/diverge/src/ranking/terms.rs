//! Expressions and statements that obligations are written with.

use plainsong_diagnostics::Span;
use plainsong_ir::{BinOp, Expr, ExprKind, FamilyId, Stmt, StmtKind, Ty, VarId};

pub(super) fn stmt(kind: StmtKind) -> Stmt {
    Stmt {
        kind,
        span: Span::default(),
    }
}

pub(super) fn expr(kind: ExprKind, ty: Ty) -> Expr {
    Expr {
        kind,
        ty,
        span: Span::default(),
    }
}

pub(super) fn truth(truth: bool) -> Expr {
    expr(ExprKind::Bool(truth), Ty::Bool)
}

pub(super) fn zero() -> Expr {
    expr(ExprKind::Int(0), Ty::Nat)
}

pub(super) fn integer(number: Expr) -> Expr {
    match number.ty {
        Ty::Int => number,
        _ => expr(ExprKind::Widen(Box::new(number)), Ty::Int),
    }
}

pub(super) fn none(ty: &Ty) -> Expr {
    expr(ExprKind::None, ty.clone())
}

pub(super) fn not(inner: Expr) -> Expr {
    expr(
        ExprKind::Unary(plainsong_ir::UnOp::Not, Box::new(inner)),
        Ty::Bool,
    )
}

pub(super) fn filled(option: Expr) -> Expr {
    let none = none(&option.ty);
    both(BinOp::Ne, option, none)
}

pub(super) fn unwrapped(option: Expr) -> Expr {
    let ty = match &option.ty {
        Ty::Option(inner) => (**inner).clone(),
        other => other.clone(),
    };
    expr(
        ExprKind::Method(plainsong_ir::Builtin::Unwrap, vec![option]),
        ty,
    )
}

pub(super) fn both(op: BinOp, left: Expr, right: Expr) -> Expr {
    expr(
        ExprKind::Binary(op, Box::new(left), Box::new(right)),
        Ty::Bool,
    )
}

pub(super) fn of(family: FamilyId, var: VarId, ty: Ty) -> Expr {
    expr(ExprKind::Of(family, Vec::new(), var), ty)
}
