//! Expressions: pure, typed, with the place they came from.

use crate::{
    ActionId, ConstId, EnumId, FamilyId, FnId, GlobalId, LocalId, MessageId, StructId, Ty, VarId,
};
use plainsong_diagnostics::Span;

/// An expression. Two are equal if they say the same, wherever they stand in the text.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    /// Its type.
    pub ty: Ty,
    /// Where it stands in the text.
    pub span: Span,
}

impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        self.kind == other.kind && self.ty == other.ty
    }
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `true`, `false`.
    Bool(bool),
    /// An integer; its type is `int`, `nat` or an integer-range sort.
    ///
    /// The checker makes literals of the narrower types only when the value certainly fits `nat`;
    /// for range sorts the literal is an `int` under [`ExprKind::Narrow`].
    Int(i64),
    /// A parameter, bound name or local variable of the enclosing code.
    Local(LocalId),
    /// A state variable of the process whose code this is.
    Own(VarId),
    /// A state variable of a named process or endpoint: `db[a].outcome`.
    Of(FamilyId, Vec<Expr>, VarId),
    /// A global variable of an action system.
    Global(GlobalId),
    /// A constant or parameter.
    Const(ConstId),
    /// The set of all values of a finite type: `Db` in `Db.len()`. Its own type is `set<T>`.
    All(Ty),
    /// The identity of a process: `coordinator`, `db[d]`.
    Pid(FamilyId, Vec<Expr>),
    /// The identity of the process whose code this is.
    SelfPid,
    /// `!e`, `-e`.
    Unary(UnOp, Box<Expr>),
    /// `a op b`; both sides have the same type except for `in`.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `a..b` or `a..=b`: a set of integers.
    Range {
        /// First.
        start: Box<Expr>,
        /// Last, or one past it.
        end: Box<Expr>,
        /// Is `end` a member?
        inclusive: bool,
    },
    /// `if c { a } else { b }`.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `match e { … }`; the patterns cover every value.
    Match(Box<Expr>, Vec<(Pattern, Expr)>),
    /// `e is pattern`; names bound by the pattern are not visible outside.
    Is(Box<Expr>, Pattern),
    /// `{ let x = value; body }`.
    Let(LocalId, Box<Expr>, Box<Expr>),
    /// `(a, b)`.
    Tuple(Vec<Expr>),
    /// `t.0`.
    Project(Box<Expr>, usize),
    /// `Point { x: 1, y: 2 }`: all fields, in declaration order.
    Struct(StructId, Vec<Expr>),
    /// `p.x`, by position.
    Field(Box<Expr>, usize),
    /// `Point { x: 5, ..p }`: `p` with some fields replaced (position, value), ascending.
    Update(Box<Expr>, Vec<(usize, Expr)>),
    /// `Reply::Value(a, b)`, by position.
    Variant(EnumId, usize, Vec<Expr>),
    None,
    /// `some(e)`.
    Some(Box<Expr>),
    /// `{a, b}`, `bag {a, b}` or `[a, b]`, as the type says.
    Literal(Vec<Expr>),
    /// `{ e for x in S where p }` (set) or `[ e for … ]` (sequence), as the type says. The binding
    /// has one name. `{ x in S where p }` is the one whose body is `x` itself.
    Comprehension(Box<Binding>, Box<Expr>),
    /// `map x: K => e`.
    MapOf(LocalId, Box<Expr>),
    /// `m[k]` of a map, `s[i]` of a sequence.
    Index(Box<Expr>, Box<Expr>),
    /// A built-in method; the receiver is the first argument.
    Method(Builtin, Vec<Expr>),
    /// A call of a pure function.
    Call(FnId, Vec<Expr>),
    /// `forall`, `exists`, `count`, `sum`.
    Quantifier(Quantifier, Vec<Binding>, Box<Expr>),
    /// `old(e)` in a choreography's contract or invariant.
    Old(Box<Expr>),
    /// `crashed(p)` in a property: has this process crashed, and not restarted?
    Crashed(Box<Expr>),
    /// `pending(M)` in a property or schedule.
    Pending(PendingOf),
    /// `pending(A(e))` in a property or schedule: asyncs of an action with these arguments.
    PendingOf(ActionId, Vec<Expr>),
    /// A `nat` or integer-range member where an `int` is wanted; never fails.
    Widen(Box<Expr>),
    /// An `int` where a `nat` or integer-range member is wanted; a failure when it is outside.
    Narrow(Box<Expr>),
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnOp {
    /// `!`.
    Not,
    /// `-`, on `int`.
    Neg,
}

/// Infix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinOp {
    /// `&&`, does not look at the right side when the left decides.
    And,
    /// `||`, likewise.
    Or,
    /// `==>`, likewise.
    Implies,
    /// `<==>`.
    Iff,
    /// `==`, on any type.
    Eq,
    /// `!=`.
    Ne,
    /// `<`, on numbers and ordered sorts.
    Lt,
    /// `<=`.
    Le,
    /// `>`.
    Gt,
    /// `>=`.
    Ge,
    /// `+`: numbers (`int`, or `nat` when both sides are), sequences.
    Add,
    /// `-`: `int` (numbers are widened first), sets, bags.
    Sub,
    /// `*`: numbers, like `+`.
    Mul,
    /// `/`, towards zero: numbers, like `+`; a failure when the divisor is zero.
    Div,
    /// `%`, sign of the dividend; likewise.
    Rem,
    /// `|`: union of sets, sum of bags.
    Union,
    /// `&`: intersection of sets.
    Inter,
    /// `x in s`: membership in a set, bag or sequence.
    In,
}

/// Built-in methods. The receiver counts as the first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Builtin {
    /// Set, bag, seq: how many elements (`nat`).
    Len,
    /// Set, bag, seq.
    IsEmpty,
    /// Set, bag, seq: membership.
    Contains,
    /// Set, bag: one element more.
    With,
    /// Set, bag: one occurrence less, if there.
    Without,
    /// Set, bag, seq of numbers or ordered identities: least; a failure when empty.
    Min,
    /// Greatest, likewise.
    Max,
    /// Set: is it a subset of the argument?
    Subset,
    /// Bag: how often (`nat`).
    Count,
    /// Bag, seq: the set of its elements.
    ToSet,
    /// Seq: the bag of its elements.
    ToBag,
    /// Seq: a failure when empty.
    First,
    /// Seq: a failure when empty.
    Last,
    /// Seq: one more at the end.
    Push,
    /// Seq without its first; a failure when empty.
    DropFirst,
    /// Seq without its last; a failure when empty.
    DropLast,
    /// Seq (index, value; a failure when out of range) and map (key, value).
    Update,
    /// Option.
    IsSome,
    /// Option.
    IsNone,
    /// Option: a failure on `none`.
    Unwrap,
    /// Option: the value or the argument.
    UnwrapOr,
}

impl Builtin {
    /// As written after the dot.
    pub fn name(self) -> &'static str {
        match self {
            Builtin::Len => "len",
            Builtin::IsEmpty => "is_empty",
            Builtin::Contains => "contains",
            Builtin::With => "with",
            Builtin::Without => "without",
            Builtin::Min => "min",
            Builtin::Max => "max",
            Builtin::Subset => "subset",
            Builtin::Count => "count",
            Builtin::ToSet => "to_set",
            Builtin::ToBag => "to_bag",
            Builtin::First => "first",
            Builtin::Last => "last",
            Builtin::Push => "push",
            Builtin::DropFirst => "drop_first",
            Builtin::DropLast => "drop_last",
            Builtin::Update => "update",
            Builtin::IsSome => "is_some",
            Builtin::IsNone => "is_none",
            Builtin::Unwrap => "unwrap",
            Builtin::UnwrapOr => "unwrap_or",
        }
    }
}

/// What a quantifier makes of the values of its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// All are true.
    Forall,
    /// Some is true.
    Exists,
    /// How many are true (`nat`).
    Count,
    /// The sum (`int`, or `nat` when the body is).
    Sum,
}

/// Names that range over a domain: `a, b: Db where a != b`.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// The names, at least one; each ranges over the whole domain.
    pub names: Vec<LocalId>,
    /// What they range over.
    pub domain: Domain,
    /// Which combinations count; sees all of `names`.
    pub filter: Option<Expr>,
}

/// What a bound name ranges over.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// All values of a type: `x: T`, or `choose T`.
    Type(Ty),
    /// The elements of a set, bag or sequence: `x in S`. A name of a type in that place is
    /// [`ExprKind::All`].
    In(Expr),
}

/// What `pending(…)` counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PendingOf {
    /// Every undelivered message, or every pending async.
    All,
    /// Undelivered messages of one kind.
    Message(MessageId),
    /// Pending asyncs of one action.
    Action(ActionId),
}

/// Which collection a literal or comprehension of some type builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Collection {
    /// `set<T>`.
    Set,
    /// `bag<T>`.
    Bag,
    /// `seq<T>`.
    Seq,
}

impl Collection {
    /// The collection that `ty` is, if it is one.
    pub fn of(ty: &Ty) -> Option<Collection> {
        match ty {
            Ty::Set(_) => Some(Collection::Set),
            Ty::Bag(_) => Some(Collection::Bag),
            Ty::Seq(_) => Some(Collection::Seq),
            _ => None,
        }
    }
}

/// A pattern. Two are equal if they match the same, wherever they stand in the text.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub kind: PatternKind,
    /// Where it stands in the text.
    pub span: Span,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.kind == other.kind
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum PatternKind {
    Wild,
    /// A name: matches everything and binds it.
    Bind(LocalId),
    /// `true`, `false`.
    Bool(bool),
    /// An integer.
    Int(i64),
    None,
    /// `some(p)`.
    Some(Box<Pattern>),
    /// `(p, q)`.
    Tuple(Vec<Pattern>),
    /// `Reply::Value(p, q)`, by position.
    Variant(EnumId, usize, Vec<Pattern>),
    /// `Entry { term, value: v }`: one pattern per field, in declaration order.
    Struct(StructId, Vec<Pattern>),
    /// `client[c]`: the members of a family; each index is a pattern.
    Pid(FamilyId, Vec<Pattern>),
}
