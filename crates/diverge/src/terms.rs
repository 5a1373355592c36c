//! Expressions and statements that programs and obligations are written with.

use plainsong_diagnostics::Span;
use plainsong_ir::{
    Access, BinOp, Builtin, Expr, ExprKind, FamilyId, GlobalId, Local, LocalId, Place, Root, Stmt,
    StmtKind, Ty, VarId,
};

pub(crate) fn stmt(kind: StmtKind) -> Stmt {
    Stmt {
        kind,
        span: Span::default(),
    }
}

pub(crate) fn expr(kind: ExprKind, ty: Ty) -> Expr {
    Expr {
        kind,
        ty,
        span: Span::default(),
    }
}

pub(crate) fn truth(truth: bool) -> Expr {
    expr(ExprKind::Bool(truth), Ty::Bool)
}

pub(crate) fn zero() -> Expr {
    expr(ExprKind::Int(0), Ty::Nat)
}

pub(crate) fn integer(number: Expr) -> Expr {
    match number.ty {
        Ty::Int => number,
        _ => expr(ExprKind::Widen(Box::new(number)), Ty::Int),
    }
}

pub(crate) fn none(ty: &Ty) -> Expr {
    expr(ExprKind::None, ty.clone())
}

pub(crate) fn not(inner: Expr) -> Expr {
    expr(
        ExprKind::Unary(plainsong_ir::UnOp::Not, Box::new(inner)),
        Ty::Bool,
    )
}

pub(crate) fn filled(option: Expr) -> Expr {
    let none = none(&option.ty);
    both(BinOp::Ne, option, none)
}

pub(crate) fn unwrapped(option: Expr) -> Expr {
    let ty = match &option.ty {
        Ty::Option(inner) => (**inner).clone(),
        other => other.clone(),
    };
    expr(
        ExprKind::Method(plainsong_ir::Builtin::Unwrap, vec![option]),
        ty,
    )
}

pub(crate) fn both(op: BinOp, left: Expr, right: Expr) -> Expr {
    expr(
        ExprKind::Binary(op, Box::new(left), Box::new(right)),
        Ty::Bool,
    )
}

pub(crate) fn of(family: FamilyId, var: VarId, ty: Ty) -> Expr {
    expr(ExprKind::Of(family, Vec::new(), var), ty)
}

pub(crate) fn local(local: LocalId, ty: &Ty) -> Expr {
    expr(ExprKind::Local(local), ty.clone())
}

pub(crate) fn global(global: GlobalId, ty: &Ty) -> Expr {
    expr(ExprKind::Global(global), ty.clone())
}

pub(crate) fn number(number: i64) -> Expr {
    expr(ExprKind::Int(number), Ty::Int)
}

pub(crate) fn some(inner: Expr) -> Expr {
    let ty = Ty::Option(Box::new(inner.ty.clone()));
    expr(ExprKind::Some(Box::new(inner)), ty)
}

pub(crate) fn index(whole: Expr, at: Expr) -> Expr {
    let ty = match &whole.ty {
        Ty::Map(_, value) => (**value).clone(),
        Ty::Seq(element) => (**element).clone(),
        other => other.clone(),
    };
    expr(ExprKind::Index(Box::new(whole), Box::new(at)), ty)
}

pub(crate) fn equal(left: Expr, right: Expr) -> Expr {
    both(BinOp::Eq, left, right)
}

/// An option that holds nothing.
pub(crate) fn empty(option: Expr) -> Expr {
    let none = none(&option.ty);
    both(BinOp::Eq, option, none)
}

/// All of these; `true` when there are none.
pub(crate) fn all(parts: impl IntoIterator<Item = Expr>) -> Expr {
    let joined = parts
        .into_iter()
        .reduce(|one, other| both(BinOp::And, one, other));
    joined.unwrap_or_else(|| truth(true))
}

pub(crate) fn method(builtin: Builtin, arguments: Vec<Expr>, ty: Ty) -> Expr {
    expr(ExprKind::Method(builtin, arguments), ty)
}

/// A set with one element more.
pub(crate) fn with(set: Expr, element: Expr) -> Expr {
    let ty = set.ty.clone();
    method(Builtin::With, vec![set, element], ty)
}

pub(crate) fn assign(root: Root, path: Vec<Access>, value: Expr) -> Stmt {
    let place = Place {
        root,
        path,
        span: Span::default(),
    };
    stmt(StmtKind::Assign(place, value))
}

/// A name that cannot be assigned.
pub(crate) fn named(name: &str, ty: &Ty) -> Local {
    Local {
        name: name.to_owned(),
        ty: ty.clone(),
        mutable: false,
        span: Span::default(),
    }
}
