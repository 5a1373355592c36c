//! Views of layers, procedures and invariants.

use super::patterns::integer;
use super::{
    ArgList, Binder, BinderList, Block, BlockExpr, Contract, DecreasesClause, Expr, Name, Stmt,
    accessors, child, child_after, children, has, name, names, nodes, tokens,
};
use crate::kinds::{SyntaxKind, SyntaxNode};

nodes! {
    /// `invariant inv(…) @ 1 { e }`
    InvariantItem = InvariantItem;
    /// `procedure p(…) @ 1 refines A { … }`
    ProcedureItem = ProcedureItem;
    /// `-> r: T`
    ResultDecl = ResultDecl;
    /// `@ 0..1`
    LayerClause = LayerClause;
    RefinesClause = RefinesClause;
    /// `synchronizes p, …`
    SynchronizesClause = SynchronizesClause;
    /// `preserves inv(…), …`
    InvariantUse = InvariantUse;
    /// `inv(…)`
    InvariantCall = InvariantCall;
    /// `call f(…);`
    CallStmt = CallStmt;
    /// `call f(…)`
    Called = Called;
    /// `with left as a`
    Cast = Cast;
    /// `left as a`
    Player = Player;
    /// `par { … }`
    ParStmt = ParStmt;
    /// `use lemma(…);`
    UseStmt = UseStmt;
    /// `yield inv(…);`
    YieldStmt = YieldStmt;
    /// `layers machine, lock;`
    LayersItem = LayersItem;
    /// `commute A(x) then B(y) with v = e;`
    CommuteItem = CommuteItem;
    /// `A(x) choosing v`
    CommuteSide = CommuteSide;
    /// `v = e`
    Witness = Witness;
}

/// How a layer is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayerBound {
    /// As a number; `None` for one that is too large.
    Number(Option<u32>),
    Name(String),
}

/// Which ends of a procedure a clause speaks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseKind {
    Requires,
    Ensures,
    Preserves,
}

accessors! {
    InvariantItem {
        /// The invariant.
        name: Name;
        /// Its parameters.
        binders: BinderList;
        layers: LayerClause;
        /// What holds.
        body: BlockExpr;
    }
    ProcedureItem {
        /// The procedure.
        name: Name;
        /// Its parameters.
        binders: BinderList;
        result: ResultDecl;
        layers: LayerClause;
        /// `requires` and `ensures` of one that moves.
        contracts: [Contract];
        decreases: [DecreasesClause];
        /// Invariants at entry and exit.
        uses: [InvariantUse];
        /// What it does.
        block: Block;
    }
    LayersItem {
        /// The names, from layer 1 on.
        names: [Name];
    }
    CommuteItem {
        /// The first action, and the second.
        sides: [CommuteSide];
        /// What is chosen in the other order.
        witnesses: [Witness];
    }
    Witness {
        /// The choice.
        name: Name;
        /// What is chosen instead.
        value: Expr;
    }
    ResultDecl {
        /// Its name and type.
        binder: Binder;
    }
    InvariantUse {
        calls: [InvariantCall];
    }
    InvariantCall {
        /// The invariant.
        name: Name;
        arguments: ArgList;
    }
    CallStmt {
        /// The call.
        called: Called;
    }
    Player {
        /// The endpoint of the caller.
        who: Expr;
        /// The endpoint that it plays.
        played: Name;
    }
    Called {
        /// The action or procedure.
        name: Name;
        arguments: ArgList;
    }
    UseStmt {
        /// The lemma.
        name: Name;
        arguments: ArgList;
    }
    YieldStmt {
        /// What holds there.
        calls: [InvariantCall];
    }
}

impl ProcedureItem {
    /// The action it refines.
    pub fn refines(&self) -> Option<Name> {
        refined(&self.syntax)
    }

    /// The procedures whose asyncs are thought to be done at once.
    pub fn synchronizes(&self) -> Vec<Name> {
        let clause = child::<SynchronizesClause>(&self.syntax);
        clause.map_or(Vec::new(), |clause| names(&clause.syntax).collect())
    }

    /// How it moves.
    pub fn mover(&self) -> Option<SyntaxKind> {
        super::items::mover(&self.syntax)
    }
}

/// The action after `refines`.
pub(super) fn refined(syntax: &SyntaxNode) -> Option<Name> {
    child::<RefinesClause>(syntax).and_then(|clause| name(&clause.syntax))
}

impl CommuteSide {
    /// The action, and names for its arguments.
    pub fn names(&self) -> Vec<Name> {
        let chosen = self.chosen().len();
        let all: Vec<Name> = names(&self.syntax).collect();
        let count = all.len() - chosen;
        all.into_iter().take(count).collect()
    }

    /// Names for what it chooses.
    pub fn chosen(&self) -> Vec<Name> {
        let mut tokens = tokens(&self.syntax);
        let from = tokens.find(|token| token.kind() == SyntaxKind::ChoosingKw);
        let Some(from) = from else {
            return Vec::new();
        };
        let from = u32::from(from.text_range().start());
        let behind = names(&self.syntax).filter(|name| name.span().start > from);
        behind.collect()
    }
}

impl LayerClause {
    /// The first and the last as written.
    pub fn bounds(&self) -> Vec<LayerBound> {
        let written = tokens(&self.syntax).filter_map(|token| match token.kind() {
            SyntaxKind::Int => {
                let number = integer(token.text()).and_then(|int| u32::try_from(int).ok());
                Some(LayerBound::Number(number))
            }
            SyntaxKind::Ident => Some(LayerBound::Name(token.text().to_owned())),
            _ => None,
        });
        written.collect()
    }
}

impl InvariantUse {
    /// Which ends it speaks about.
    pub fn kind(&self) -> UseKind {
        if has(&self.syntax, SyntaxKind::RequiresKw) {
            UseKind::Requires
        } else if has(&self.syntax, SyntaxKind::EnsuresKw) {
            UseKind::Ensures
        } else {
            UseKind::Preserves
        }
    }
}

impl CallStmt {
    /// Who plays whom.
    pub fn players(&self) -> impl Iterator<Item = Player> + use<> {
        let cast: Option<Cast> = child(&self.syntax);
        cast.into_iter().flat_map(|cast| children(&cast.syntax))
    }
}

impl Called {
    /// To whom, when it is a message.
    pub fn to(&self) -> Option<Expr> {
        child_after(&self.syntax, SyntaxKind::ToKw)
    }

    /// From whom, when it is a message and that matters.
    pub fn from(&self) -> Option<Expr> {
        child_after(&self.syntax, SyntaxKind::FromKw)
    }
}

impl ParStmt {
    /// What is done at once.
    pub fn statements(&self) -> impl Iterator<Item = Stmt> + use<> {
        let block: Option<Block> = child(&self.syntax);
        block.into_iter().flat_map(|block| block.statements())
    }
}
