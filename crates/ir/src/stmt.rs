//! Statements, shared by all forms; [`validate`](crate::validate) says which may stand where.

use crate::{
    ActionId, Domain, Expr, FamilyId, GlobalId, InvariantCall, LocalId, MessageId, Pattern,
    ProcedureId, VarId,
};
use plainsong_diagnostics::Span;

/// Statements in sequence.
pub type Block = Vec<Stmt>;

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    pub kind: StmtKind,
    /// Where it stands in the text.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `let x = e;` or, when the local is mutable, `var x = e;`.
    Let(LocalId, Expr),
    /// `let x = choose …;` or `var x = choose …;`: the local is [`Choice::local`].
    LetChoice(Choice),
    /// `place = e;`
    Assign(Place, Expr),
    /// `place = choose …;`: the candidate is [`Choice::local`], named like the place's root.
    AssignChoice(Place, Choice),
    /// `if c { … } else { … }`.
    If(Expr, Block, Block),
    /// `match e { … }`; the patterns cover every value.
    Match(Expr, Vec<(Pattern, Block)>),
    /// `while c … { … }`; `loop` is `while true`.
    While(Expr, LoopClauses, Block),
    /// `for x in D where p … { … }`.
    For {
        /// The name that takes each element in turn.
        local: LocalId,
        /// The elements, evaluated once.
        domain: Domain,
        /// Elements for which it is false are skipped.
        filter: Option<Expr>,
        /// Invariants and measure.
        clauses: LoopClauses,
        /// What is done for each.
        body: Block,
    },
    /// `break;` out of the innermost loop.
    Break,
    /// `continue;` with the next round of the innermost loop.
    Continue,
    /// `maybe { … } else { … }`: one or the other, freely.
    Maybe(Block, Block),
    /// `assert e;`
    Assert(Expr),
    /// `assume e;`
    Assume(Expr),
    /// `send M(args) to address;` (voices only).
    Send(MessageId, Vec<Expr>, Expr),
    /// `receive M(x) …;`: the names it binds live to the end of the block (bodies only).
    Receive(Accept),
    /// `receive { … => … timeout => … }` (bodies only).
    Select(Vec<(Accept, Block)>, Option<Block>),
    /// `async A(args);` (actions only).
    Async(ActionId, Vec<Expr>),
    /// `async p(args);` of a procedure (`init` and procedures only).
    Spawn(ProcedureId, Vec<Expr>),
    /// `call f(args);` or `let x = call f(args);` (procedures only).
    Call(Option<LocalId>, Call),
    /// `par { call f(args); … }`: all of them, interleaved; goes on when all are done (procedures
    /// only).
    Par(Vec<Call>),
    /// `use lemma(args);`: what the lemma says holds (lines only).
    Use(Use),
    /// `call line(args) with …;`: a choreography as a part of another (lines only).
    Part(Box<Part>),
    /// `yield inv(args), …;`: others may act here, and these hold (procedures only).
    Yield(Vec<InvariantCall>),
}

/// `lemma(args)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// Into [`Song::lines`](crate::Song::lines).
    pub lemma: usize,
    pub arguments: Vec<Expr>,
}

/// A choreography that is called by another one.
///
/// The fields behind `cast` follow from those before ([`sub_choreography::unfold`](crate::sub_choreography::unfold)): what the
/// called one says, with its endpoints replaced by those who play them. Whoever runs or projects the call
/// does `start` and `body`; whoever proves it shows `requires` and relies on `ensures`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Into [`Song::lines`](crate::Song::lines).
    pub line: usize,
    /// Its arguments; no endpoint's state is read in them.
    pub arguments: Vec<Expr>,
    /// Who plays its endpoints, in their order.
    pub cast: Vec<Player>,
    /// The parameters get their values, then the variables that start with one.
    pub start: Block,
    /// What holds when it begins: no endpoint plays two roles, and what it requires.
    pub requires: Vec<Expr>,
    /// What holds when it has ended; `old` speaks of where it began.
    pub ensures: Vec<Expr>,
    /// What is done, without the annotations of its loops.
    pub body: Block,
}

/// Who plays an endpoint of a part: `left`, `node[i]`, or a whole family.
#[derive(Clone, Debug, PartialEq)]
pub struct Player {
    /// The endpoint or family.
    pub family: FamilyId,
    /// Which member; empty for a single endpoint, and for a family that plays a family.
    pub member: Vec<Expr>,
}

/// `f(args)` of an action or a procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub callee: Callee,
    pub arguments: Vec<Expr>,
    /// Where it stands in the text.
    pub span: Span,
}

/// What can be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Callee {
    /// An action: one step.
    Action(ActionId),
    Procedure(ProcedureId),
}

/// A free choice of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The name of the candidate, visible in `filter`.
    pub local: LocalId,
    /// What to choose from.
    pub domain: Domain,
    /// Which candidates are allowed.
    pub filter: Option<Expr>,
}

/// Annotations of a loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoopClauses {
    /// `invariant e`, in order.
    pub invariants: Vec<Expr>,
    /// `decreases e`.
    pub decreases: Vec<Expr>,
}

/// What an assignment writes to: a variable, or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The variable.
    pub root: Root,
    /// The way to the part, from the outside in.
    pub path: Vec<Access>,
    /// Where it stands in the text.
    pub span: Span,
}

/// A variable that can be assigned.
#[derive(Clone, Debug, PartialEq)]
pub enum Root {
    /// A mutable local.
    Local(LocalId),
    /// A state variable of the process whose code this is.
    Own(VarId),
    /// A variable of an endpoint (lines only).
    Of(FamilyId, Vec<Expr>, VarId),
    /// A global variable (actions only).
    Global(GlobalId),
}

/// One step into a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Access {
    /// `.name` of a struct, by position.
    Field(usize),
    /// `.0` of a tuple.
    Project(usize),
    /// `[e]` of a map or sequence.
    Index(Expr),
}

/// Which messages a receive or handler accepts, and the names it gives to their parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Accept {
    /// The kind of message.
    pub message: MessageId,
    /// A name for each part of the payload, or none; as long as the message has fields.
    pub slots: Vec<Option<LocalId>>,
    pub source: Source,
    /// Only if; sees the names bound by `slots` and `source`.
    pub filter: Option<Expr>,
    /// Where it stands in the text.
    pub span: Span,
}

/// From whom a message is accepted.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Nothing said, or `from any [as who]`.
    Anyone(Option<LocalId>),
    /// `from any db`, `from any db[d]`, `from any db as who`: indices are named all or none.
    Family(FamilyId, Vec<LocalId>, Option<LocalId>),
    /// `from e`: exactly this process.
    Process(Expr),
}
