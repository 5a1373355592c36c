//! Views of operators, prefix, infix and postfix.

use plainsong_diagnostics::Span;

use super::patterns::integer;
use super::{
    ArgList, Expr, Name, Pattern, child, child_after, children, has, name, nodes, token,
    token_span, tokens,
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
    /// `in`
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

impl PrefixExpr {
    /// The operator.
    pub fn op(&self) -> PrefixOp {
        if has(&self.syntax, SyntaxKind::Bang) {
            PrefixOp::Not
        } else {
            PrefixOp::Negate
        }
    }

    /// Its operand.
    pub fn operand(&self) -> Option<Expr> {
        child(&self.syntax)
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

    /// The operand on the left.
    pub fn left(&self) -> Option<Expr> {
        child(&self.syntax)
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
    /// `..=`?
    pub fn is_inclusive(&self) -> bool {
        has(&self.syntax, SyntaxKind::DotDotEq)
    }

    /// The first integer.
    pub fn start(&self) -> Option<Expr> {
        child(&self.syntax)
    }

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

impl IsExpr {
    /// What is looked at.
    pub fn subject(&self) -> Option<Expr> {
        child(&self.syntax)
    }

    /// What it is compared with.
    pub fn pattern(&self) -> Option<Pattern> {
        child(&self.syntax)
    }
}

impl FieldExpr {
    /// What has the field.
    pub fn base(&self) -> Option<Expr> {
        child(&self.syntax)
    }

    /// The field.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }
}

impl TupleFieldExpr {
    /// The tuple.
    pub fn base(&self) -> Option<Expr> {
        child(&self.syntax)
    }

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
    /// A sequence, a map or a family of processes.
    pub fn base(&self) -> Option<Expr> {
        child(&self.syntax)
    }

    /// The indices in order.
    pub fn indices(&self) -> impl Iterator<Item = Expr> + use<> {
        child::<IndexList>(&self.syntax)
            .into_iter()
            .flat_map(|list| children(&list.syntax))
    }
}

impl CallExpr {
    /// The function or variant.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// Its arguments.
    pub fn arguments(&self) -> Option<ArgList> {
        child(&self.syntax)
    }
}

impl MethodExpr {
    /// What the method is called on.
    pub fn receiver(&self) -> Option<Expr> {
        child(&self.syntax)
    }

    /// The method.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// Its arguments.
    pub fn arguments(&self) -> Option<ArgList> {
        child(&self.syntax)
    }
}
