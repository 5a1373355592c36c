//! Views of expressions: leaves, collections and scopes. Operators are in `operators.rs`.

use super::patterns::{LiteralValue, integer};
use super::types::domain;
use super::{
    BinaryExpr, CallExpr, Domain, FieldExpr, IndexExpr, IsExpr, LetStmt, MethodExpr, Name, Pattern,
    PrefixExpr, PrimitiveType, RangeExpr, TupleFieldExpr, Type, WhereClause, child, child_after,
    children, choices, has, name, names, nodes, tokens,
};
use crate::kinds::SyntaxKind;

nodes! {
    /// An integer, `true` or `false`.
    Literal = Literal;
    /// A bare name.
    NameExpr = NameExpr;
    /// `self`
    SelfExpr = SelfExpr;
    /// `none`
    NoneExpr = NoneExpr;
    /// `some(e)`
    SomeExpr = SomeExpr;
    /// `bool` as the set of its members.
    TypeExpr = TypeExpr;
    /// `(e)`
    ParenExpr = ParenExpr;
    /// `(e, f, …)`
    TupleExpr = TupleExpr;
    /// `{e, f, …}`
    SetExpr = SetExpr;
    /// `bag {e, f, …}`
    BagExpr = BagExpr;
    /// `[e, f, …]`
    SeqExpr = SeqExpr;
    /// `{ x in S where p }`
    FilterComprehension = FilterComprehension;
    /// `{ e for x in S where p }`
    SetComprehension = SetComprehension;
    /// `[ e for x in S where p ]`
    SeqComprehension = SeqComprehension;
    /// `map k: K => e`
    MapExpr = MapExpr;
    /// `Point { x: e, ..p }`
    StructExpr = StructExpr;
    /// `x: e` in a struct literal.
    FieldInit = FieldInit;
    /// `..p` in a struct literal.
    StructBase = StructBase;
    /// `Enum::Variant` or `Enum::Variant(e)`
    PathExpr = PathExpr;
    /// `(e, …)` after a name.
    ArgList = ArgList;
    /// `if c { a } else { b }`
    IfExpr = IfExpr;
    /// `match e { pattern => a, … }`
    MatchExpr = MatchExpr;
    /// `pattern => a`
    MatchArm = MatchArm;
    /// `forall`, `exists`, `count` or `sum` with its bindings and body.
    QuantifierExpr = QuantifierExpr;
    /// `x, y: T where p` or `x in S where p`
    Binding = Binding;
    /// `old(e)`
    OldExpr = OldExpr;
    /// `pending(M)` or `pending()`
    PendingExpr = PendingExpr;
    /// `{ let x = e; f }` where a branch or the body of a function stands.
    BlockExpr = BlockExpr;
}

choices! {
    /// An expression; the module header of `ast` groups them.
    Expr {
        /// An integer, `true` or `false`.
        Literal(Literal),
        /// A bare name.
        Name(NameExpr),
        /// `l + r`, `l in r`, …
        Binary(BinaryExpr),
        /// `e.f`
        Field(FieldExpr),
        /// `e[i]`
        Index(IndexExpr),
        /// `f(e)`
        Call(CallExpr),
        /// `e.m(f)`
        Method(MethodExpr),
        /// `(e)`
        Paren(ParenExpr),
        /// `!e`, `-e`
        Prefix(PrefixExpr),
        /// `e is pattern`
        Is(IsExpr),
        /// `a..b`, `a..=b`
        Range(RangeExpr),
        /// `self`
        SelfPid(SelfExpr),
        /// `none`
        None(NoneExpr),
        /// `some(e)`
        Some(SomeExpr),
        /// `bool` as the set of its members.
        Type(TypeExpr),
        /// `Enum::Variant`
        Path(PathExpr),
        /// `(e, f)`
        Tuple(TupleExpr),
        /// `e.0`
        TupleField(TupleFieldExpr),
        /// `{e, f}`
        Set(SetExpr),
        /// `bag {e, f}`
        Bag(BagExpr),
        /// `[e, f]`
        Seq(SeqExpr),
        /// `{ x in S where p }`
        Filter(FilterComprehension),
        /// `{ e for x in S }`
        SetComprehension(SetComprehension),
        /// `[ e for x in S ]`
        SeqComprehension(SeqComprehension),
        /// `map k: K => e`
        Map(MapExpr),
        /// `Point { x: e }`
        Struct(StructExpr),
        /// `if c { a } else { b }`
        If(IfExpr),
        /// `match e { … }`
        Match(MatchExpr),
        /// `forall x: T :: p`
        Quantifier(QuantifierExpr),
        /// `old(e)`
        Old(OldExpr),
        /// `pending(M)`
        Pending(PendingExpr),
        /// `{ let x = e; f }`
        Block(BlockExpr),
    }
}

/// Which quantifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// `forall`
    Forall,
    /// `exists`
    Exists,
    /// `count`
    Count,
    /// `sum`
    Sum,
}

impl Literal {
    /// Its value; nothing when the integer is too large.
    pub fn value(&self) -> Option<LiteralValue> {
        let token = tokens(&self.syntax).next()?;
        match token.kind() {
            SyntaxKind::TrueKw => Some(LiteralValue::Bool(true)),
            SyntaxKind::FalseKw => Some(LiteralValue::Bool(false)),
            _ => integer(token.text()).map(LiteralValue::Int),
        }
    }
}

impl NameExpr {
    /// The name.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }
}

impl SomeExpr {
    /// The value inside.
    pub fn inner(&self) -> Option<Expr> {
        child(&self.syntax)
    }
}

impl TypeExpr {
    /// The type whose members are meant.
    pub fn ty(&self) -> Option<PrimitiveType> {
        child(&self.syntax)
    }
}

impl ParenExpr {
    /// What is in the parentheses.
    pub fn inner(&self) -> Option<Expr> {
        child(&self.syntax)
    }
}

impl TupleExpr {
    /// The components in order.
    pub fn components(&self) -> impl Iterator<Item = Expr> + use<> {
        children(&self.syntax)
    }
}

impl SetExpr {
    /// The elements as written.
    pub fn elements(&self) -> impl Iterator<Item = Expr> + use<> {
        children(&self.syntax)
    }
}

impl BagExpr {
    /// The elements as written.
    pub fn elements(&self) -> impl Iterator<Item = Expr> + use<> {
        children(&self.syntax)
    }
}

impl SeqExpr {
    /// The elements in order.
    pub fn elements(&self) -> impl Iterator<Item = Expr> + use<> {
        children(&self.syntax)
    }
}

impl FilterComprehension {
    /// `x in S where p`
    pub fn binding(&self) -> Option<Binding> {
        child(&self.syntax)
    }
}

impl SetComprehension {
    /// What each element becomes.
    pub fn element(&self) -> Option<Expr> {
        child(&self.syntax)
    }

    /// `x in S where p`, one or more.
    pub fn bindings(&self) -> impl Iterator<Item = Binding> + use<> {
        children(&self.syntax)
    }
}

impl SeqComprehension {
    /// What each element becomes.
    pub fn element(&self) -> Option<Expr> {
        child(&self.syntax)
    }

    /// `x in S where p`, one or more.
    pub fn bindings(&self) -> impl Iterator<Item = Binding> + use<> {
        children(&self.syntax)
    }
}

impl MapExpr {
    /// The name of the key.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// The type of the keys.
    pub fn key_type(&self) -> Option<Type> {
        child(&self.syntax)
    }

    /// The value for each key.
    pub fn value(&self) -> Option<Expr> {
        child(&self.syntax)
    }
}

impl StructExpr {
    /// The struct.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// The fields that are given.
    pub fn fields(&self) -> impl Iterator<Item = FieldInit> + use<> {
        children(&self.syntax)
    }

    /// Where the other fields come from.
    pub fn base(&self) -> Option<StructBase> {
        child(&self.syntax)
    }
}

impl FieldInit {
    /// The field.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// Its value.
    pub fn value(&self) -> Option<Expr> {
        child(&self.syntax)
    }
}

impl StructBase {
    /// The struct that gives the other fields.
    pub fn value(&self) -> Option<Expr> {
        child(&self.syntax)
    }
}

impl PathExpr {
    /// The enum.
    pub fn enum_name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// The variant.
    pub fn variant(&self) -> Option<Name> {
        names(&self.syntax).nth(1)
    }

    /// What it carries; nothing when there are no parentheses.
    pub fn arguments(&self) -> Option<ArgList> {
        child(&self.syntax)
    }
}

impl ArgList {
    /// The arguments in order.
    pub fn arguments(&self) -> impl Iterator<Item = Expr> + use<> {
        children(&self.syntax)
    }
}

impl IfExpr {
    /// The condition.
    pub fn condition(&self) -> Option<Expr> {
        child(&self.syntax).filter(|first| !matches!(first, Expr::Block(_)))
    }

    /// The value when it holds.
    pub fn then_branch(&self) -> Option<BlockExpr> {
        child(&self.syntax)
    }

    /// The value when it does not: a block or another `if`.
    pub fn else_branch(&self) -> Option<Expr> {
        child_after(&self.syntax, SyntaxKind::ElseKw)
    }
}

impl MatchExpr {
    /// What is looked at.
    pub fn subject(&self) -> Option<Expr> {
        child(&self.syntax)
    }

    /// The cases in order.
    pub fn arms(&self) -> impl Iterator<Item = MatchArm> + use<> {
        children(&self.syntax)
    }
}

impl MatchArm {
    /// When.
    pub fn pattern(&self) -> Option<Pattern> {
        child(&self.syntax)
    }

    /// The value then.
    pub fn value(&self) -> Option<Expr> {
        child(&self.syntax)
    }
}

impl QuantifierExpr {
    /// Which one.
    pub fn quantifier(&self) -> Option<Quantifier> {
        tokens(&self.syntax).find_map(|token| match token.kind() {
            SyntaxKind::ForallKw => Some(Quantifier::Forall),
            SyntaxKind::ExistsKw => Some(Quantifier::Exists),
            SyntaxKind::CountKw => Some(Quantifier::Count),
            SyntaxKind::SumKw => Some(Quantifier::Sum),
            _ => None,
        })
    }

    /// The variables with what they range over, in groups.
    pub fn bindings(&self) -> impl Iterator<Item = Binding> + use<> {
        children(&self.syntax)
    }

    /// What follows `::`.
    pub fn body(&self) -> Option<Expr> {
        child_after(&self.syntax, SyntaxKind::ColonColon)
    }
}

impl Binding {
    /// The variables.
    pub fn names(&self) -> impl Iterator<Item = Name> + use<> {
        names(&self.syntax)
    }

    /// `: T`
    pub fn ty(&self) -> Option<Type> {
        if has(&self.syntax, SyntaxKind::Colon) {
            child(&self.syntax)
        } else {
            None
        }
    }

    /// `in S`
    pub fn domain(&self) -> Option<Domain> {
        if has(&self.syntax, SyntaxKind::InKw) {
            domain(&self.syntax)
        } else {
            None
        }
    }

    /// `where p`
    pub fn filter(&self) -> Option<WhereClause> {
        child(&self.syntax)
    }
}

impl OldExpr {
    /// What is evaluated at the start.
    pub fn inner(&self) -> Option<Expr> {
        child(&self.syntax)
    }
}

impl PendingExpr {
    /// The message or action that is counted; everything when it is missing.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// The arguments, when only asyncs with these are counted.
    pub fn arguments(&self) -> Option<ArgList> {
        child(&self.syntax)
    }

    /// To whom, when it is a message.
    pub fn to(&self) -> Option<Expr> {
        child_after(&self.syntax, SyntaxKind::ToKw)
    }

    /// From whom, when it is a message and that matters.
    pub fn from(&self) -> Option<Expr> {
        child_after(&self.syntax, SyntaxKind::FromKw)
    }
}

impl BlockExpr {
    /// The names given first.
    pub fn lets(&self) -> impl Iterator<Item = LetStmt> + use<> {
        children(&self.syntax)
    }

    /// The value.
    pub fn value(&self) -> Option<Expr> {
        child(&self.syntax)
    }
}

impl Expr {
    /// The expression without the parentheses around it.
    #[must_use]
    pub fn without_parens(self) -> Option<Expr> {
        let mut expr = self;
        while let Expr::Paren(paren) = expr {
            expr = paren.inner()?;
        }
        Some(expr)
    }

    /// The name, if the expression is a bare one.
    pub fn as_name(&self) -> Option<Name> {
        match self {
            Expr::Name(name) => name.name(),
            _ => None,
        }
    }
}
