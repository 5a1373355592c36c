//! Views of statements.

use super::types::domain;
use super::{
    AsyncStmt, CallStmt, Called, Choose, Domain, Expr, LayerClause, Name, ParStmt, Pattern,
    ReceiveChoice, ReceiveStmt, SendStmt, Type, UseStmt, WhereClause, YieldStmt, child,
    child_after, children, choices, has, name, names, nodes, tokens,
};
use crate::kinds::SyntaxKind;

nodes! {
    /// `{ statement* }`
    Block = Block;
    /// `let x: T = e;`
    LetStmt = LetStmt;
    /// `var x: T = e;`, as a statement, a state variable or a global.
    VarDecl = VarDecl;
    /// `target = e;`, `target += e;`, …
    AssignStmt = AssignStmt;
    /// `if c { … } else …`
    IfStmt = IfStmt;
    /// `match e { pattern => { … } … }`
    MatchStmt = MatchStmt;
    /// `pattern => { … }`
    MatchStmtArm = MatchStmtArm;
    /// `while c … { … }`
    WhileStmt = WhileStmt;
    /// `for x in S … { … }`
    ForStmt = ForStmt;
    /// `loop … { … }`
    LoopStmt = LoopStmt;
    /// `break;`
    BreakStmt = BreakStmt;
    /// `continue;`
    ContinueStmt = ContinueStmt;
    /// `maybe { … } else { … }`
    MaybeStmt = MaybeStmt;
    /// `assert e;`
    AssertStmt = AssertStmt;
    /// `assume e;`
    AssumeStmt = AssumeStmt;
    /// `invariant e`
    InvariantClause = InvariantClause;
    /// `decreases e`
    DecreasesClause = DecreasesClause;
    /// `covers e`
    CoversClause = CoversClause;
}

choices! {
    /// A statement.
    Stmt {
        /// `let x = e;`
        Let(LetStmt),
        /// `var x = e;`
        Var(VarDecl),
        /// `x = e;`
        Assign(AssignStmt),
        /// `if c { … }`
        If(IfStmt),
        /// `match e { … }`
        Match(MatchStmt),
        /// `while c { … }`
        While(WhileStmt),
        /// `for x in S { … }`
        For(ForStmt),
        /// `loop { … }`
        Loop(LoopStmt),
        /// `break;`
        Break(BreakStmt),
        /// `continue;`
        Continue(ContinueStmt),
        /// `maybe { … }`
        Maybe(MaybeStmt),
        /// `assert e;`
        Assert(AssertStmt),
        /// `assume e;`
        Assume(AssumeStmt),
        /// `send M to p;`
        Send(SendStmt),
        /// `receive M;`
        Receive(ReceiveStmt),
        /// `receive { … }`
        ReceiveChoice(ReceiveChoice),
        /// `async A();`
        Async(AsyncStmt),
        /// `call f();`
        Call(CallStmt),
        /// `par { … }`
        Par(ParStmt),
        /// `use lemma();`
        Use(UseStmt),
        /// `yield inv();`
        Yield(YieldStmt),
    }

    /// What is done when the condition of an `if` does not hold.
    ElseBranch {
        /// `else { … }`
        Block(Block),
        /// `else if …`
        If(IfStmt),
    }

    /// What a name is given: a value or a choice.
    Initial {
        /// `choose …`
        Choose(Choose),
        /// `call f(…)`
        Called(Called),
        /// An expression.
        Expr(Expr),
    }
}

/// How an assignment combines the old value with the new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignOp {
    /// `=`
    Set,
    /// `+=`
    Add,
    /// `-=`
    Subtract,
    /// `*=`
    Multiply,
    /// `|=`
    Union,
    /// `&=`
    Intersect,
}

impl Block {
    /// The statements in order.
    pub fn statements(&self) -> impl Iterator<Item = Stmt> + use<> {
        children(&self.syntax)
    }
}

impl LetStmt {
    /// The name being defined.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// How the value is taken apart, if it is.
    pub fn pattern(&self) -> Option<Pattern> {
        child(&self.syntax)
    }

    /// Its type, if written.
    pub fn ty(&self) -> Option<Type> {
        child(&self.syntax)
    }

    /// Its value.
    pub fn initial(&self) -> Option<Initial> {
        child(&self.syntax)
    }
}

impl VarDecl {
    /// `durable`?
    pub fn is_durable(&self) -> bool {
        has(&self.syntax, SyntaxKind::DurableKw)
    }

    /// `linear`?
    pub fn is_linear(&self) -> bool {
        has(&self.syntax, SyntaxKind::LinearKw)
    }

    /// The part of the permissions of its elements that it holds: `as Left`.
    pub fn share(&self) -> Option<Name> {
        let is_shared = has(&self.syntax, SyntaxKind::AsKw);
        names(&self.syntax).nth(1).filter(|_| is_shared)
    }

    /// The layers at which it is introduced and hidden.
    pub fn layers(&self) -> Option<LayerClause> {
        child(&self.syntax)
    }

    /// The variable.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// Its type, if written.
    pub fn ty(&self) -> Option<Type> {
        child(&self.syntax)
    }

    /// Its first value.
    pub fn initial(&self) -> Option<Initial> {
        child(&self.syntax)
    }
}

impl AssignStmt {
    /// What is assigned to: a name, field, component or entry.
    pub fn target(&self) -> Option<Expr> {
        child(&self.syntax)
    }

    /// The operator.
    pub fn op(&self) -> Option<AssignOp> {
        tokens(&self.syntax).find_map(|token| assign_op(token.kind()))
    }

    /// The new value.
    pub fn value(&self) -> Option<Initial> {
        let operator = tokens(&self.syntax).find(|token| assign_op(token.kind()).is_some())?;
        child_after(&self.syntax, operator.kind())
    }
}

fn assign_op(kind: SyntaxKind) -> Option<AssignOp> {
    Some(match kind {
        SyntaxKind::Eq => AssignOp::Set,
        SyntaxKind::PlusEq => AssignOp::Add,
        SyntaxKind::MinusEq => AssignOp::Subtract,
        SyntaxKind::StarEq => AssignOp::Multiply,
        SyntaxKind::PipeEq => AssignOp::Union,
        SyntaxKind::AmpEq => AssignOp::Intersect,
        _ => return None,
    })
}

impl IfStmt {
    /// The condition.
    pub fn condition(&self) -> Option<Expr> {
        child(&self.syntax)
    }

    /// What is done when it holds.
    pub fn then_block(&self) -> Option<Block> {
        child(&self.syntax)
    }

    /// What is done when it does not, if anything.
    pub fn else_branch(&self) -> Option<ElseBranch> {
        child_after(&self.syntax, SyntaxKind::ElseKw)
    }
}

impl MatchStmt {
    /// What is looked at.
    pub fn subject(&self) -> Option<Expr> {
        child(&self.syntax)
    }

    /// The cases in order.
    pub fn arms(&self) -> impl Iterator<Item = MatchStmtArm> + use<> {
        children(&self.syntax)
    }
}

impl MatchStmtArm {
    /// When.
    pub fn pattern(&self) -> Option<Pattern> {
        child(&self.syntax)
    }

    /// What.
    pub fn block(&self) -> Option<Block> {
        child(&self.syntax)
    }
}

impl WhileStmt {
    /// The condition.
    pub fn condition(&self) -> Option<Expr> {
        child(&self.syntax)
    }

    /// What holds before each round.
    pub fn invariants(&self) -> impl Iterator<Item = InvariantClause> + use<> {
        children(&self.syntax)
    }

    /// What gets smaller with each round.
    pub fn decreases(&self) -> impl Iterator<Item = DecreasesClause> + use<> {
        children(&self.syntax)
    }

    /// The body.
    pub fn block(&self) -> Option<Block> {
        child(&self.syntax)
    }
}

impl ForStmt {
    /// The element of this round.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// What is visited.
    pub fn domain(&self) -> Option<Domain> {
        domain(&self.syntax)
    }

    /// Which elements are not skipped.
    pub fn filter(&self) -> Option<WhereClause> {
        child(&self.syntax)
    }

    /// What holds before each round.
    pub fn invariants(&self) -> impl Iterator<Item = InvariantClause> + use<> {
        children(&self.syntax)
    }

    /// What gets smaller with each round.
    pub fn decreases(&self) -> impl Iterator<Item = DecreasesClause> + use<> {
        children(&self.syntax)
    }

    /// The body.
    pub fn block(&self) -> Option<Block> {
        child(&self.syntax)
    }
}

impl LoopStmt {
    /// What holds before each round.
    pub fn invariants(&self) -> impl Iterator<Item = InvariantClause> + use<> {
        children(&self.syntax)
    }

    /// What gets smaller with each round.
    pub fn decreases(&self) -> impl Iterator<Item = DecreasesClause> + use<> {
        children(&self.syntax)
    }

    /// The body.
    pub fn block(&self) -> Option<Block> {
        child(&self.syntax)
    }
}

impl MaybeStmt {
    /// What may be done.
    pub fn block(&self) -> Option<Block> {
        child(&self.syntax)
    }

    /// What is done otherwise, if anything.
    pub fn else_block(&self) -> Option<Block> {
        child_after(&self.syntax, SyntaxKind::ElseKw)
    }
}

impl AssertStmt {
    /// What must hold.
    pub fn condition(&self) -> Option<Expr> {
        child(&self.syntax)
    }
}

impl AssumeStmt {
    /// What is taken to hold.
    pub fn condition(&self) -> Option<Expr> {
        child(&self.syntax)
    }
}

impl InvariantClause {
    /// What holds before each round.
    pub fn condition(&self) -> Option<Expr> {
        child(&self.syntax)
    }
}

impl CoversClause {
    /// What holds between an earlier one and one that covers it.
    pub fn condition(&self) -> Option<Expr> {
        child(&self.syntax)
    }
}

impl DecreasesClause {
    /// What gets smaller, the most important first.
    pub fn measures(&self) -> impl Iterator<Item = Expr> + use<> {
        children(&self.syntax)
    }
}
