//! Views of statements.

use super::types::domain;
use super::{
    AsyncStmt, CallStmt, Called, Choose, Domain, Expr, LayerClause, Name, ParStmt, Pattern,
    ReceiveChoice, ReceiveStmt, SendStmt, Type, UseStmt, WhereClause, YieldStmt, accessors,
    child_after, choices, has, names, nodes, tokens,
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

accessors! {
    Block {
        /// The statements in order.
        statements: [Stmt];
    }
    LetStmt {
        /// The name being defined.
        name: Name;
        /// How the value is taken apart, if it is.
        pattern: Pattern;
        /// Its type, if written.
        ty: Type;
        /// Its value.
        initial: Initial;
    }
    VarDecl {
        is_durable: {DurableKw};
        is_input: {InKw};
        /// Which values an input may have.
        filter: WhereClause;
        is_linear: {LinearKw};
        /// The layers at which it is introduced and hidden.
        layers: LayerClause;
        /// The variable.
        name: Name;
        /// Its type, if written.
        ty: Type;
        /// Its first value.
        initial: Initial;
    }
    AssignStmt {
        /// What is assigned to: a name, field, component or entry.
        target: Expr;
    }
    IfStmt {
        condition: Expr;
        /// What is done when it holds.
        then_block: Block;
    }
    MatchStmt {
        /// What is looked at.
        subject: Expr;
        /// The cases in order.
        arms: [MatchStmtArm];
    }
    MatchStmtArm {
        /// When.
        pattern: Pattern;
        block: Block;
    }
    WhileStmt {
        condition: Expr;
        /// What holds before each round.
        invariants: [InvariantClause];
        /// What decreases with each round.
        decreases: [DecreasesClause];
        /// The body.
        block: Block;
    }
    ForStmt {
        /// The element of this round.
        name: Name;
        /// Which elements are not skipped.
        filter: WhereClause;
        /// What holds before each round.
        invariants: [InvariantClause];
        /// What decreases with each round.
        decreases: [DecreasesClause];
        /// The body.
        block: Block;
    }
    LoopStmt {
        /// What holds before each round.
        invariants: [InvariantClause];
        /// What decreases with each round.
        decreases: [DecreasesClause];
        /// The body.
        block: Block;
    }
    MaybeStmt {
        /// What may be done.
        block: Block;
        is_fair: {FairKw};
    }
    AssertStmt {
        /// What must hold.
        condition: Expr;
    }
    AssumeStmt {
        /// What is taken to hold.
        condition: Expr;
    }
    InvariantClause {
        /// What holds before each round.
        condition: Expr;
    }
    CoversClause {
        /// What holds between an earlier one and one that covers it.
        condition: Expr;
    }
    DecreasesClause {
        /// What decreases, the most important first.
        measures: [Expr];
    }
}

impl VarDecl {
    /// The part of the permissions of its elements that it holds: `as Left`.
    pub fn share(&self) -> Option<Name> {
        let is_shared = has(&self.syntax, SyntaxKind::AsKw);
        names(&self.syntax).nth(1).filter(|_| is_shared)
    }
}

impl AssignStmt {
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
    /// What is done when it does not, if anything.
    pub fn else_branch(&self) -> Option<ElseBranch> {
        child_after(&self.syntax, SyntaxKind::ElseKw)
    }
}

impl ForStmt {
    /// What is visited.
    pub fn domain(&self) -> Option<Domain> {
        domain(&self.syntax)
    }
}

impl MaybeStmt {
    /// What is done otherwise, if anything.
    pub fn else_block(&self) -> Option<Block> {
        child_after(&self.syntax, SyntaxKind::ElseKw)
    }
}
