//! How tightly each expression binds, as in the language reference (section 3), times ten.

use crate::{BinOp, Collection, Expr, ExprKind, Ty};

/// `forall`, `map`, … reach as far right as possible; `if` and `match` are kept apart like them.
pub(super) const OPEN: u8 = 10;
/// `==`, `<`, `in`, `is`.
pub(super) const COMPARE: u8 = 60;
/// What may follow `in`.
pub(super) const DOMAIN: u8 = 70;
/// `a..b`, between `&` and `+`.
pub(super) const RANGE: u8 = 85;
/// `!`, `-`.
pub(super) const PREFIX: u8 = 110;
/// What a dot, an index or an argument list may follow.
pub(super) const POSTFIX: u8 = 120;

/// How an operator is written and where it stands among the others.
pub(super) struct Operator {
    /// As written.
    pub(super) symbol: &'static str,
    pub(super) level: u8,
    /// What its left side must at least have.
    pub(super) left: u8,
    /// What its right side must at least have.
    pub(super) right: u8,
}

/// An infix operator.
pub(super) fn operator(op: BinOp) -> Operator {
    let left = |symbol, level| Operator {
        symbol,
        level,
        left: level,
        right: level + 1,
    };
    let apart = |symbol| Operator {
        symbol,
        level: COMPARE,
        left: COMPARE + 1,
        right: COMPARE + 1,
    };
    match op {
        BinOp::Iff => left("<==>", 20),
        BinOp::Implies => Operator {
            symbol: "==>",
            level: 30,
            left: 31,
            right: 30,
        },
        BinOp::Or => left("||", 40),
        BinOp::And => left("&&", 50),
        BinOp::Eq => apart("=="),
        BinOp::Ne => apart("!="),
        BinOp::Lt => apart("<"),
        BinOp::Le => apart("<="),
        BinOp::Gt => apart(">"),
        BinOp::Ge => apart(">="),
        BinOp::In => apart("in"),
        BinOp::Union => left("|", 70),
        BinOp::Inter => left("&", 80),
        BinOp::Add => left("+", 90),
        BinOp::Sub => left("-", 90),
        BinOp::Mul => left("*", 100),
        BinOp::Div => left("/", 100),
        BinOp::Rem => left("%", 100),
    }
}

/// The level of an expression; conversions are invisible.
pub(super) fn level(expr: &Expr) -> u8 {
    match &expr.bare().kind {
        ExprKind::Quantifier(..)
        | ExprKind::MapOf(..)
        | ExprKind::If(..)
        | ExprKind::Match(..)
        | ExprKind::Let(..) => OPEN,
        ExprKind::Binary(op, _, _) => operator(*op).level,
        ExprKind::Is(..) => COMPARE,
        ExprKind::Range { .. } => RANGE,
        ExprKind::Unary(..) => PREFIX,
        ExprKind::Int(value) if *value < 0 => PREFIX,
        _ => POSTFIX,
    }
}

/// Does the text of an expression tell its type when nothing around it wants one? When in doubt no.
pub(super) fn tells_its_type(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) => expr.ty == Ty::Int,
        ExprKind::None | ExprKind::Widen(_) | ExprKind::Narrow(_) => false,
        ExprKind::Tuple(parts) => parts.iter().all(tells_its_type),
        ExprKind::Literal(elements) => elements.first().is_some_and(tells_its_type),
        ExprKind::If(_, value, _) => tells_its_type(value),
        ExprKind::Binary(_, a, b) if Collection::of(&expr.ty).is_some() => {
            tells_its_type(a) && tells_its_type(b)
        }
        // Methods that give a value of the receiver's type.
        ExprKind::Method(_, arguments) => arguments
            .first()
            .is_none_or(|first| first.ty != expr.ty || tells_its_type(first)),
        ExprKind::Match(_, arms) => arms.first().is_some_and(|(_, value)| tells_its_type(value)),
        ExprKind::Some(inner)
        | ExprKind::Old(inner)
        | ExprKind::Crashed(inner)
        | ExprKind::Let(_, _, inner)
        | ExprKind::Comprehension(_, inner)
        | ExprKind::MapOf(_, inner) => tells_its_type(inner),
        _ => true,
    }
}
