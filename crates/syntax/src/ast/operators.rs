//! Views of operators, prefix, infix and postfix.

use plainsong_diagnostics::Span;

use super::patterns::integer;
use super::{
    ArgList, Expr, Pattern, accessors, child, child_after, children, has, nodes, token, token_span,
    tokens,
};
use crate::kinds::{SyntaxKind, SyntaxToken};

nodes! {
    /// `!e` or `-e`
    PrefixExpr = PrefixExpr;
    /// An operator between two operands.
    BinaryExpr = BinaryExpr;
    /// `a..b`, `a..=b`; in a sort also `a..`.
    RangeExpr = RangeExpr;
    /// `e is pattern`
    IsExpr = IsExpr;
    /// `e.f`
    FieldExpr = FieldExpr;
    /// `e.0`
    TupleFieldExpr = TupleFieldExpr;
    /// `e[i, …]`
    IndexExpr = IndexExpr;
    /// `[i, …]` after an expression.
    IndexList = IndexList;
    /// `f(e, …)`: a function, or a variant by its bare name.
    CallExpr = CallExpr;
    /// `e.m(f, …)`
    MethodExpr = MethodExpr;
}

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrefixOp {
    /// `!`
    Not,
    /// `-`
    Negate,
}

/// An operator between its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `<==>`
    Iff,
    /// `==>`
    Implies,
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    In,
    /// `|`
    Union,
    /// `&`
    Intersect,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
}

accessors! {
    PrefixExpr {
        operand: Expr;
    }
    BinaryExpr {
        /// The operand on the left.
        left: Expr;
    }
    RangeExpr {
        /// `..=`?
        is_inclusive: {DotDotEq};
        /// The first integer.
        start: Expr;
    }
    IsExpr {
        /// What is looked at.
        subject: Expr;
        /// What it is compared with.
        pattern: Pattern;
    }
    FieldExpr {
        /// What has the field.
        base: Expr;
        /// The field.
        name: Name;
    }
    TupleFieldExpr {
        /// The tuple.
        base: Expr;
    }
    IndexExpr {
        /// A sequence, a map or a family of processes.
        base: Expr;
    }
    CallExpr {
        /// The function or variant.
        name: Name;
        arguments: ArgList;
    }
    MethodExpr {
        /// What the method is called on.
        receiver: Expr;
        /// The method.
        name: Name;
        arguments: ArgList;
    }
}

impl PrefixExpr {
    /// The operator.
    pub fn op(&self) -> PrefixOp {
        if has(&self.syntax, SyntaxKind::Bang) {
            PrefixOp::Not
        } else {
            PrefixOp::Negate
        }
    }
}

impl BinaryExpr {
    /// The operator.
    pub fn op(&self) -> Option<BinaryOp> {
        self.op_token().and_then(|token| binary_op(token.kind()))
    }

    /// Where the operator is.
    pub fn op_span(&self) -> Option<Span> {
        self.op_token().map(|token| token_span(&token))
    }

    /// The operand on the right.
    pub fn right(&self) -> Option<Expr> {
        child_after(&self.syntax, self.op_token()?.kind())
    }

    fn op_token(&self) -> Option<SyntaxToken> {
        tokens(&self.syntax).find(|token| binary_op(token.kind()).is_some())
    }
}

fn binary_op(kind: SyntaxKind) -> Option<BinaryOp> {
    Some(match kind {
        SyntaxKind::IffOp => BinaryOp::Iff,
        SyntaxKind::ImpliesOp => BinaryOp::Implies,
        SyntaxKind::OrOp => BinaryOp::Or,
        SyntaxKind::AndOp => BinaryOp::And,
        SyntaxKind::EqEq => BinaryOp::Equal,
        SyntaxKind::NotEq => BinaryOp::NotEqual,
        SyntaxKind::Lt => BinaryOp::Less,
        SyntaxKind::LtEq => BinaryOp::LessOrEqual,
        SyntaxKind::Gt => BinaryOp::Greater,
        SyntaxKind::GtEq => BinaryOp::GreaterOrEqual,
        SyntaxKind::InKw => BinaryOp::In,
        SyntaxKind::Pipe => BinaryOp::Union,
        SyntaxKind::Amp => BinaryOp::Intersect,
        SyntaxKind::Plus => BinaryOp::Add,
        SyntaxKind::Minus => BinaryOp::Subtract,
        SyntaxKind::Star => BinaryOp::Multiply,
        SyntaxKind::Slash => BinaryOp::Divide,
        SyntaxKind::Percent => BinaryOp::Remainder,
        _ => return None,
    })
}

impl RangeExpr {
    /// The end; only a sort may leave it out.
    pub fn end(&self) -> Option<Expr> {
        let dots = if self.is_inclusive() {
            SyntaxKind::DotDotEq
        } else {
            SyntaxKind::DotDot
        };
        child_after(&self.syntax, dots)
    }
}

impl TupleFieldExpr {
    /// Which component, from 0.
    pub fn index(&self) -> Option<usize> {
        integer(token(&self.syntax, SyntaxKind::Int)?.text())?
            .try_into()
            .ok()
    }

    /// Where the number is.
    pub fn index_span(&self) -> Option<Span> {
        token(&self.syntax, SyntaxKind::Int).map(|token| token_span(&token))
    }
}

impl IndexExpr {
    /// The indices in order.
    pub fn indices(&self) -> impl Iterator<Item = Expr> + use<> {
        child::<IndexList>(&self.syntax)
            .into_iter()
            .flat_map(|list| children(&list.syntax))
    }
}
