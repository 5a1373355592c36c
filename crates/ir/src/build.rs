//! Building expressions and statements that nobody wrote. They stand nowhere in the text until [`Expr::at`] or
//! [`Stmt::at`] says where.

use crate::{
    Access, BinOp, Binding, Builtin, Domain, Expr, ExprKind, GlobalId, Local, LocalId, Place,
    Quantifier, Root, Stmt, StmtKind, Ty, UnOp,
};
use plainsong_diagnostics::Span;

impl Expr {
    /// The same expression, standing there; its parts stay where they are.
    #[must_use]
    pub fn at(self, span: Span) -> Expr {
        Expr { span, ..self }
    }

    /// Without conversions between numbers around it.
    pub fn bare(&self) -> &Expr {
        match &self.kind {
            ExprKind::Widen(inner) | ExprKind::Narrow(inner) => inner.bare(),
            _ => self,
        }
    }
}

impl Stmt {
    /// The same statement, standing there; its parts stay where they are.
    #[must_use]
    pub fn at(self, span: Span) -> Stmt {
        Stmt { span, ..self }
    }
}

/// An expression of a type.
pub fn expr(kind: ExprKind, ty: Ty) -> Expr {
    let span = Span::default();
    Expr { kind, ty, span }
}

/// A statement.
pub fn stmt(kind: StmtKind) -> Stmt {
    let span = Span::default();
    Stmt { kind, span }
}

/// A truth value of some kind.
pub fn proposition(kind: ExprKind) -> Expr {
    expr(kind, Ty::Bool)
}

/// `true` or `false`.
pub fn truth(value: bool) -> Expr {
    proposition(ExprKind::Bool(value))
}

pub fn int(value: i64) -> Expr {
    expr(ExprKind::Int(value), Ty::Int)
}

pub fn nat(value: i64) -> Expr {
    expr(ExprKind::Int(value), Ty::Nat)
}

/// A number as an `int`.
pub fn widened(number: Expr) -> Expr {
    match number.ty {
        Ty::Int => number,
        _ => expr(ExprKind::Widen(Box::new(number)), Ty::Int),
    }
}

/// A name.
pub fn local(local: LocalId, ty: &Ty) -> Expr {
    expr(ExprKind::Local(local), ty.clone())
}

/// A global variable.
pub fn global(global: GlobalId, ty: &Ty) -> Expr {
    expr(ExprKind::Global(global), ty.clone())
}

/// `!inner`.
pub fn not(inner: Expr) -> Expr {
    proposition(ExprKind::Unary(UnOp::Not, Box::new(inner)))
}

/// A comparison or a connective.
pub fn binary(op: BinOp, left: Expr, right: Expr) -> Expr {
    proposition(ExprKind::Binary(op, Box::new(left), Box::new(right)))
}

/// An operation on numbers or collections, of the type of its left side.
pub fn operation(op: BinOp, left: Expr, right: Expr) -> Expr {
    let ty = left.ty.clone();
    expr(ExprKind::Binary(op, Box::new(left), Box::new(right)), ty)
}

/// `left == right`.
pub fn equal(left: Expr, right: Expr) -> Expr {
    binary(BinOp::Eq, left, right)
}

/// All of these; `true` when there are none.
pub fn all(parts: impl IntoIterator<Item = Expr>) -> Expr {
    let joined = parts
        .into_iter()
        .reduce(|one, other| binary(BinOp::And, one, other));
    joined.unwrap_or_else(|| truth(true))
}

/// `none` of an option type.
pub fn none(ty: &Ty) -> Expr {
    expr(ExprKind::None, ty.clone())
}

/// `some(inner)`.
pub fn some(inner: Expr) -> Expr {
    let ty = Ty::Option(Box::new(inner.ty.clone()));
    expr(ExprKind::Some(Box::new(inner)), ty)
}

/// `option.unwrap()`.
pub fn unwrapped(option: Expr) -> Expr {
    let ty = match &option.ty {
        Ty::Option(inner) => (**inner).clone(),
        other => other.clone(),
    };
    method(Builtin::Unwrap, vec![option], ty)
}

/// `option == none`.
pub fn empty(option: Expr) -> Expr {
    let none = none(&option.ty);
    equal(option, none)
}

/// `option != none`.
pub fn filled(option: Expr) -> Expr {
    let none = none(&option.ty);
    binary(BinOp::Ne, option, none)
}

pub fn method(builtin: Builtin, arguments: Vec<Expr>, ty: Ty) -> Expr {
    expr(ExprKind::Method(builtin, arguments), ty)
}

/// A set or bag with one element more.
pub fn with(set: Expr, element: Expr) -> Expr {
    let ty = set.ty.clone();
    method(Builtin::With, vec![set, element], ty)
}

/// `whole[at]`.
pub fn index(whole: Expr, at: Expr) -> Expr {
    let ty = match &whole.ty {
        Ty::Map(_, value) => (**value).clone(),
        Ty::Seq(element) => (**element).clone(),
        other => other.clone(),
    };
    expr(ExprKind::Index(Box::new(whole), Box::new(at)), ty)
}

/// The set of all values of a finite type.
pub fn all_of(ty: &Ty) -> Expr {
    expr(ExprKind::All(ty.clone()), Ty::Set(Box::new(ty.clone())))
}

/// `forall` or `exists` over the values of a type that a filter leaves.
pub fn quantified(
    quantifier: Quantifier,
    name: LocalId,
    ty: &Ty,
    filter: Option<Expr>,
    body: Expr,
) -> Expr {
    let binding = Binding {
        names: vec![name],
        domain: Domain::Type(ty.clone()),
        filter,
    };
    proposition(ExprKind::Quantifier(
        quantifier,
        vec![binding],
        Box::new(body),
    ))
}

/// `place = value;`
pub fn assign(root: Root, path: Vec<Access>, value: Expr) -> Stmt {
    let span = Span::default();
    stmt(StmtKind::Assign(Place { root, path, span }, value))
}

/// A name that cannot be assigned.
pub fn name(name: &str, ty: &Ty) -> Local {
    Local {
        name: name.to_owned(),
        ty: ty.clone(),
        mutable: false,
        span: Span::default(),
    }
}
