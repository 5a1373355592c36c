//! Small expressions that projection writes, and questions about expressions.

use plainsong_diagnostics::Span;
pub(crate) use plainsong_ir::build::{int, local, truth};
use plainsong_ir::visit::{Visit, may_fail_here, replace, walk};
pub(crate) use plainsong_ir::visit::{conjuncts, is_total, locals_used, without_spans};
use plainsong_ir::{
    BinOp, Builtin, Domain, Expr, ExprKind, FamilyId, LocalId, Song, Stmt, StmtKind, Ty, UnOp,
};

pub(crate) fn expr(kind: ExprKind, ty: Ty, span: Span) -> Expr {
    Expr { kind, ty, span }
}

pub(crate) fn stmt(kind: StmtKind, span: Span) -> Stmt {
    Stmt { kind, span }
}

pub(crate) fn not(inner: Expr) -> Expr {
    let span = inner.span;
    match inner.kind {
        ExprKind::Unary(UnOp::Not, inner) => *inner,
        ExprKind::Binary(BinOp::Eq, a, b) => binary(BinOp::Ne, *a, *b),
        ExprKind::Binary(BinOp::Ne, a, b) => binary(BinOp::Eq, *a, *b),
        ExprKind::Bool(value) => truth(!value),
        kind => {
            let inner = expr(kind, Ty::Bool, span);
            expr(ExprKind::Unary(UnOp::Not, Box::new(inner)), Ty::Bool, span)
        }
    }
}

/// What holds where a condition does not; comparisons of numbers are turned around.
pub(crate) fn refuted(of: &Expr) -> Expr {
    if let ExprKind::Binary(op, a, b) = &of.kind
        && matches!(a.ty, Ty::Int | Ty::Nat | Ty::Sort(_))
        && let Some(op) = turned(*op)
    {
        return binary(op, (**a).clone(), (**b).clone());
    }
    not(of.clone())
}

fn turned(op: BinOp) -> Option<BinOp> {
    Some(match op {
        BinOp::Lt => BinOp::Ge,
        BinOp::Le => BinOp::Gt,
        BinOp::Gt => BinOp::Le,
        BinOp::Ge => BinOp::Lt,
        _ => return None,
    })
}

pub(crate) fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    let span = a.span;
    expr(
        ExprKind::Binary(op, Box::new(a), Box::new(b)),
        Ty::Bool,
        span,
    )
}

pub(crate) fn equal(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Eq, a, b)
}

/// `a && b && …`; `true` when there is nothing.
pub(crate) fn all(parts: Vec<Expr>) -> Expr {
    let mut parts = parts.into_iter();
    let first = parts.next().unwrap_or_else(|| truth(true));
    parts.fold(first, |a, b| binary(BinOp::And, a, b))
}

pub(crate) fn either(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Or, a, b)
}

pub(crate) fn some(inner: Expr) -> Expr {
    let (ty, span) = (Ty::Option(Box::new(inner.ty.clone())), inner.span);
    expr(ExprKind::Some(Box::new(inner)), ty, span)
}

pub(crate) fn unwrap(inner: Expr, ty: Ty) -> Expr {
    let span = inner.span;
    expr(ExprKind::Method(Builtin::Unwrap, vec![inner]), ty, span)
}

pub(crate) fn pid(family: FamilyId, index: Vec<Expr>) -> Expr {
    expr(ExprKind::Pid(family, index), Ty::Process, Span::default())
}

/// All members of a finite type, as a loop visits them.
pub(crate) fn everything(ty: &Ty) -> Domain {
    let set = Ty::Set(Box::new(ty.clone()));
    Domain::In(expr(ExprKind::All(ty.clone()), set, Span::default()))
}

/// A closed expression of a type, if the type has one that does not depend on sizes; `fresh` makes
/// the names it binds.
pub(crate) fn default_of(
    song: &Song,
    ty: &Ty,
    fresh: &mut dyn FnMut(&str, &Ty) -> LocalId,
) -> Option<Expr> {
    let kind = match ty {
        Ty::Bool => ExprKind::Bool(false),
        Ty::Int | Ty::Nat => ExprKind::Int(0),
        Ty::Option(_) => ExprKind::None,
        Ty::Set(_) | Ty::Bag(_) | Ty::Seq(_) => ExprKind::Literal(Vec::new()),
        Ty::Sort(_) | Ty::Process => return None,
        Ty::Tuple(parts) => ExprKind::Tuple(defaults(song, parts.iter(), fresh)?),
        Ty::Struct(id) => {
            let fields = song.structs[id.index()].fields.iter().map(|(_, ty)| ty);
            ExprKind::Struct(*id, defaults(song, fields, fresh)?)
        }
        Ty::Enum(id) => {
            let fields = &song.enums[id.index()].variants.first()?.fields;
            ExprKind::Variant(*id, 0, defaults(song, fields.iter(), fresh)?)
        }
        Ty::Map(key, value) => {
            let value = default_of(song, value, fresh)?;
            ExprKind::MapOf(fresh("k", key), Box::new(value))
        }
    };
    Some(expr(kind, ty.clone(), Span::default()))
}

/// A value of a type, also of types whose values depend on sizes: the first member of a sort.
pub(crate) fn first_of(
    song: &Song,
    ty: &Ty,
    fresh: &mut dyn FnMut(&str, &Ty) -> LocalId,
) -> Option<Expr> {
    let Ty::Sort(_) = ty else {
        return default_of(song, ty, fresh);
    };
    let set = Ty::Set(Box::new(ty.clone()));
    let all = expr(ExprKind::All(ty.clone()), set, Span::default());
    let kind = ExprKind::Method(Builtin::Min, vec![all]);
    Some(expr(kind, ty.clone(), Span::default()))
}

fn defaults<'a>(
    song: &Song,
    types: impl Iterator<Item = &'a Ty>,
    fresh: &mut dyn FnMut(&str, &Ty) -> LocalId,
) -> Option<Vec<Expr>> {
    types.map(|ty| default_of(song, ty, fresh)).collect()
}

/// Can a value be missing? A number that is divided by a positive one is there; functions may want something.
pub(crate) fn can_fail(of: &Expr) -> bool {
    struct Fails(bool);
    impl Visit for Fails {
        fn expr(&mut self, of: &Expr) {
            if let ExprKind::Binary(BinOp::Div | BinOp::Rem, a, b) = &of.kind
                && matches!(b.kind, ExprKind::Int(by) if by > 0)
            {
                return self.expr(a);
            }
            self.0 |= may_fail_here(of) || matches!(of.kind, ExprKind::Call(..));
            walk::expr(self, of);
        }
    }
    let mut fails = Fails(false);
    fails.expr(of);
    fails.0
}

/// Puts an expression in the place of each reading of some locals.
pub(crate) fn replace_locals(of: &mut Expr, with: &dyn Fn(LocalId) -> Option<Expr>) {
    replace(of, |of| match of.kind {
        ExprKind::Local(local) => with(local),
        _ => None,
    });
}
