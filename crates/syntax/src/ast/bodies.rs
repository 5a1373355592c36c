//! Views of processes and choreographies.

use super::{
    Accept, AstNode, BinderList, Block, CoversClause, DecreasesClause, Expr, Stmt, VarDecl,
    accessors, has, nodes,
};
use crate::kinds::{SyntaxKind, SyntaxNode};

nodes! {
    /// `process db[d: Db] { … }`
    ProcessItem = ProcessItem;
    /// What stands in the braces of a process.
    ProcessBody = ProcessBody;
    /// `on M(x) from p where c { … }`
    Handler = Handler;
    /// `choreography swap(x: int) { … }`
    ChoreographyItem = ChoreographyItem;
    /// What stands in the braces of a choreography.
    ChoreographyBody = ChoreographyBody;
    /// `endpoint a[i: I] { var … }`
    Endpoint = Endpoint;
    /// `requires e;` or `ensures e;`
    Contract = Contract;
    /// `lemma l(x: int) ensures e { … }`
    LemmaItem = LemmaItem;
}

/// Which condition a contract states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContractKind {
    Requires,
    Ensures,
}

accessors! {
    ProcessItem {
        is_daemon: {DaemonKw};
        is_fair: {FairKw};
        is_strong: {StrongKw};
        is_unfair: {UnfairKw};
        /// The process or family.
        name: Name;
        /// The indices of a family.
        indices: BinderList;
        /// What stands in its braces.
        body: ProcessBody;
    }
    ProcessBody {
        decreases: [DecreasesClause];
        covers: [CoversClause];
        handlers: [Handler];
    }
    Handler {
        /// Which messages it takes.
        accept: Accept;
        /// What it does.
        block: Block;
    }
    ChoreographyItem {
        /// The choreography.
        name: Name;
        /// Its parameters.
        binders: BinderList;
        /// What stands in its braces.
        body: ChoreographyBody;
    }
    ChoreographyBody {
        /// The endpoints in order.
        endpoints: [Endpoint];
        /// The contracts in order.
        contracts: [Contract];
        /// The statements in order.
        statements: [Stmt];
    }
    Endpoint {
        /// The endpoint or family.
        name: Name;
        /// The indices of a family.
        indices: BinderList;
        /// Its variables.
        state: [VarDecl];
    }
    LemmaItem {
        /// The lemma.
        name: Name;
        /// Its parameters.
        binders: BinderList;
        /// `requires` and `ensures`.
        contracts: [Contract];
        decreases: [DecreasesClause];
        /// Its proof.
        block: Block;
    }
    Contract {
        /// What holds.
        condition: Expr;
    }
}

impl ProcessBody {
    /// The `var`s that come first: the process's state.
    pub fn state(&self) -> impl Iterator<Item = VarDecl> + use<> {
        let state = self.syntax.children().take_while(is_state);
        state.filter_map(VarDecl::cast)
    }

    /// The statements after the state.
    pub fn statements(&self) -> impl Iterator<Item = Stmt> + use<> {
        let after = self.syntax.children().skip_while(is_state);
        after.filter_map(Stmt::cast)
    }
}

fn is_state(node: &SyntaxNode) -> bool {
    matches!(
        node.kind(),
        SyntaxKind::VarDecl | SyntaxKind::DecreasesClause | SyntaxKind::CoversClause
    )
}

impl Contract {
    /// Before or after.
    pub fn kind(&self) -> ContractKind {
        if has(&self.syntax, SyntaxKind::EnsuresKw) {
            ContractKind::Ensures
        } else {
            ContractKind::Requires
        }
    }
}
