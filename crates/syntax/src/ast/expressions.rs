//! Views of expressions: leaves, collections and scopes. Operators are in `operators.rs`.

use super::patterns::{LiteralValue, integer};
use super::types::domain;
use super::{
    BinaryExpr, CallExpr, Domain, FieldExpr, IndexExpr, IsExpr, LetStmt, MethodExpr, Name, Pattern,
    PrefixExpr, PrimitiveType, RangeExpr, TupleFieldExpr, Type, WhereClause, accessors, child,
    child_after, choices, has, names, nodes, tokens,
};
use crate::kinds::SyntaxKind;

nodes! {
    /// An integer, `true` or `false`.
    Literal = Literal;
    /// A bare name.
    NameExpr = NameExpr;
    SelfExpr = SelfExpr;
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
        SelfPid(SelfExpr),
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    Forall,
    Exists,
    Count,
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

accessors! {
    NameExpr {
        name: Name;
    }
    SomeExpr {
        /// The value inside.
        inner: Expr;
    }
    TypeExpr {
        /// The type whose members are meant.
        ty: PrimitiveType;
    }
    ParenExpr {
        /// What is in the parentheses.
        inner: Expr;
    }
    TupleExpr {
        /// The components in order.
        components: [Expr];
    }
    SetExpr {
        /// The elements as written.
        elements: [Expr];
    }
    BagExpr {
        /// The elements as written.
        elements: [Expr];
    }
    SeqExpr {
        /// The elements in order.
        elements: [Expr];
    }
    FilterComprehension {
        /// `x in S where p`
        binding: Binding;
    }
    SetComprehension {
        /// What each element becomes.
        element: Expr;
        /// `x in S where p`, one or more.
        bindings: [Binding];
    }
    SeqComprehension {
        /// What each element becomes.
        element: Expr;
        /// `x in S where p`, one or more.
        bindings: [Binding];
    }
    MapExpr {
        /// The name of the key.
        name: Name;
        /// The type of the keys.
        key_type: Type;
        /// The value for each key.
        value: Expr;
    }
    StructExpr {
        /// The struct.
        name: Name;
        /// The fields that are given.
        fields: [FieldInit];
        /// Where the other fields come from.
        base: StructBase;
    }
    FieldInit {
        /// The field.
        name: Name;
        value: Expr;
    }
    StructBase {
        /// The struct that gives the other fields.
        value: Expr;
    }
    PathExpr {
        enum_name: Name;
        /// What it carries; nothing when there are no parentheses.
        arguments: ArgList;
    }
    ArgList {
        /// The arguments in order.
        arguments: [Expr];
    }
    IfExpr {
        /// The value when it holds.
        then_branch: BlockExpr;
    }
    MatchExpr {
        /// What is looked at.
        subject: Expr;
        /// The cases in order.
        arms: [MatchArm];
    }
    MatchArm {
        /// When.
        pattern: Pattern;
        /// The value then.
        value: Expr;
    }
    QuantifierExpr {
        /// The variables with what they range over, in groups.
        bindings: [Binding];
    }
    Binding {
        /// The variables.
        names: [Name];
        /// `where p`
        filter: WhereClause;
    }
    OldExpr {
        /// What is evaluated at the start.
        inner: Expr;
    }
    PendingExpr {
        /// The message or action that is counted; everything when it is missing.
        name: Name;
        /// The arguments, when only asyncs with these are counted.
        arguments: ArgList;
    }
    BlockExpr {
        /// The names given first.
        lets: [LetStmt];
        value: Expr;
    }
}

impl PathExpr {
    pub fn variant(&self) -> Option<Name> {
        names(&self.syntax).nth(1)
    }
}

impl IfExpr {
    pub fn condition(&self) -> Option<Expr> {
        child(&self.syntax).filter(|first| !matches!(first, Expr::Block(_)))
    }

    /// The value when it does not: a block or another `if`.
    pub fn else_branch(&self) -> Option<Expr> {
        child_after(&self.syntax, SyntaxKind::ElseKw)
    }
}

impl QuantifierExpr {
    pub fn quantifier(&self) -> Option<Quantifier> {
        tokens(&self.syntax).find_map(|token| match token.kind() {
            SyntaxKind::ForallKw => Some(Quantifier::Forall),
            SyntaxKind::ExistsKw => Some(Quantifier::Exists),
            SyntaxKind::CountKw => Some(Quantifier::Count),
            SyntaxKind::SumKw => Some(Quantifier::Sum),
            _ => None,
        })
    }

    /// What follows `::`.
    pub fn body(&self) -> Option<Expr> {
        child_after(&self.syntax, SyntaxKind::ColonColon)
    }
}

impl Binding {
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
}

impl PendingExpr {
    /// To whom, when it is a message.
    pub fn to(&self) -> Option<Expr> {
        child_after(&self.syntax, SyntaxKind::ToKw)
    }

    /// From whom, when it is a message and that matters.
    pub fn from(&self) -> Option<Expr> {
        child_after(&self.syntax, SyntaxKind::FromKw)
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
