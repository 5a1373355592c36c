//! Expressions as the front end would build them: conversions between numbers exactly where it
//! inserts them.

use plainsong_ir::finite::is_number;
use plainsong_ir::{BinOp, ConstId, Expr, ExprKind, Song, Ty};

/// An expression without a place in a text.
pub(super) fn expr(kind: ExprKind, ty: Ty) -> Expr {
    Expr {
        kind,
        ty,
        span: Default::default(),
    }
}

/// An integer literal of type `int`.
pub(super) fn int(value: i64) -> Expr {
    expr(ExprKind::Int(value), Ty::Int)
}

/// `true` or `false`.
pub(super) fn boolean(value: bool) -> Expr {
    expr(ExprKind::Bool(value), Ty::Bool)
}

/// A constant or parameter.
pub(super) fn constant(song: &Song, id: ConstId) -> Expr {
    expr(ExprKind::Const(id), song.consts[id.index()].ty.clone())
}

/// A number as an `int`.
pub(super) fn widen(value: Expr) -> Expr {
    if value.ty == Ty::Int {
        return value;
    }
    expr(ExprKind::Widen(Box::new(value)), Ty::Int)
}

/// A value where one of type `wanted` is wanted: the same type, or both are numbers.
pub(super) fn convert(value: Expr, wanted: &Ty) -> Expr {
    if value.ty == *wanted {
        return value;
    }
    let wide = widen(value);
    if *wanted == Ty::Int {
        return wide;
    }
    expr(ExprKind::Narrow(Box::new(wide)), wanted.clone())
}

/// `a op b` for numbers that were written without a wanted type.
pub(super) fn arithmetic(op: BinOp, a: Expr, b: Expr) -> Expr {
    let (a, b) = if op == BinOp::Sub {
        (a, b)
    } else {
        with_literals(a, b)
    };
    let nat = op != BinOp::Sub && a.ty == Ty::Nat && b.ty == Ty::Nat;
    let (a, b) = if nat { (a, b) } else { (widen(a), widen(b)) };
    let ty = a.ty.clone();
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty)
}

/// `a op b` for a comparison or equality of values that were written without a wanted type.
pub(super) fn comparison(song: &Song, op: BinOp, a: Expr, b: Expr) -> Expr {
    let (a, b) = if is_number(song, &a.ty) {
        with_literals(a, b)
    } else {
        (a, b)
    };
    let (a, b) = if a.ty == b.ty {
        (a, b)
    } else {
        (widen(a), widen(b))
    };
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), Ty::Bool)
}

/// A literal next to a `nat` is one.
fn with_literals(mut a: Expr, mut b: Expr) -> (Expr, Expr) {
    let is_literal = |side: &Expr| matches!(side.kind, ExprKind::Int(_));
    if is_literal(&a) && !is_literal(&b) && b.ty == Ty::Nat {
        a.ty = Ty::Nat;
    } else if is_literal(&b) && !is_literal(&a) && a.ty == Ty::Nat {
        b.ty = Ty::Nat;
    }
    (a, b)
}

/// Would the type that is wanted of a number change how the expression is read?
pub(super) fn follows(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Int(_) | ExprKind::If(..) | ExprKind::Match(..) => true,
        ExprKind::Old(inner) => follows(inner),
        _ => false,
    }
}

/// Does the text of an expression take its type from the other side of an operator?
pub(super) fn adapts(value: &Expr) -> bool {
    matches!(
        value.kind,
        ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::None
            | ExprKind::Some(_)
            | ExprKind::Tuple(_)
            | ExprKind::Literal(_)
    )
}
