//! Expressions and statements that programs and obligations are written with.

pub(crate) use plainsong_ir::build::{
    all, assign, binary as both, empty, equal, expr, filled, global, index, int as number, local,
    method, name as named, none, not, some, stmt, truth, unwrapped, widened as integer, with,
};
use plainsong_ir::{Expr, ExprKind, FamilyId, Ty, VarId};

pub(crate) fn zero() -> Expr {
    plainsong_ir::build::nat(0)
}

pub(crate) fn of(family: FamilyId, var: VarId, ty: Ty) -> Expr {
    expr(ExprKind::Of(family, Vec::new(), var), ty)
}
