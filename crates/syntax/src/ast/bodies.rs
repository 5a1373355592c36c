//! Views of processes and choreographies.

use super::{
    Accept, AstNode, BinderList, Block, CoversClause, DecreasesClause, Expr, Name, Stmt, VarDecl,
    child, children, has, name, nodes,
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
    /// `requires`
    Requires,
    /// `ensures`
    Ensures,
}

impl ProcessItem {
    /// `daemon`?
    pub fn is_daemon(&self) -> bool {
        has(&self.syntax, SyntaxKind::DaemonKw)
    }

    /// The process or family.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// The indices of a family.
    pub fn indices(&self) -> Option<BinderList> {
        child(&self.syntax)
    }

    /// What stands in its braces.
    pub fn body(&self) -> Option<ProcessBody> {
        child(&self.syntax)
    }
}

impl ProcessBody {
    /// The `var`s that come first: the process's state.
    pub fn state(&self) -> impl Iterator<Item = VarDecl> + use<> {
        let state = self.syntax.children().take_while(is_state);
        state.filter_map(VarDecl::cast)
    }

    /// `decreases`.
    pub fn decreases(&self) -> impl Iterator<Item = DecreasesClause> + use<> {
        children(&self.syntax)
    }

    /// `covers`.
    pub fn covers(&self) -> impl Iterator<Item = CoversClause> + use<> {
        children(&self.syntax)
    }

    /// The statements after the state.
    pub fn statements(&self) -> impl Iterator<Item = Stmt> + use<> {
        let after = self.syntax.children().skip_while(is_state);
        after.filter_map(Stmt::cast)
    }

    /// The handlers.
    pub fn handlers(&self) -> impl Iterator<Item = Handler> + use<> {
        children(&self.syntax)
    }
}

impl Handler {
    /// Which messages it takes.
    pub fn accept(&self) -> Option<Accept> {
        child(&self.syntax)
    }

    /// What it does.
    pub fn block(&self) -> Option<Block> {
        child(&self.syntax)
    }
}

impl ChoreographyItem {
    /// The choreography.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// Its parameters.
    pub fn binders(&self) -> Option<BinderList> {
        child(&self.syntax)
    }

    /// What stands in its braces.
    pub fn body(&self) -> Option<ChoreographyBody> {
        child(&self.syntax)
    }
}

impl ChoreographyBody {
    /// The endpoints in order.
    pub fn endpoints(&self) -> impl Iterator<Item = Endpoint> + use<> {
        children(&self.syntax)
    }

    /// The contracts in order.
    pub fn contracts(&self) -> impl Iterator<Item = Contract> + use<> {
        children(&self.syntax)
    }

    /// The statements in order.
    pub fn statements(&self) -> impl Iterator<Item = Stmt> + use<> {
        children(&self.syntax)
    }
}

fn is_state(node: &SyntaxNode) -> bool {
    matches!(
        node.kind(),
        SyntaxKind::VarDecl | SyntaxKind::DecreasesClause | SyntaxKind::CoversClause
    )
}

impl Endpoint {
    /// The endpoint or family.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// The indices of a family.
    pub fn indices(&self) -> Option<BinderList> {
        child(&self.syntax)
    }

    /// Its variables.
    pub fn state(&self) -> impl Iterator<Item = VarDecl> + use<> {
        children(&self.syntax)
    }
}

impl LemmaItem {
    /// The lemma.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// Its parameters.
    pub fn binders(&self) -> Option<BinderList> {
        child(&self.syntax)
    }

    /// `requires` and `ensures`.
    pub fn contracts(&self) -> impl Iterator<Item = Contract> + use<> {
        children(&self.syntax)
    }

    /// `decreases`.
    pub fn decreases(&self) -> impl Iterator<Item = DecreasesClause> + use<> {
        children(&self.syntax)
    }

    /// Its proof.
    pub fn block(&self) -> Option<Block> {
        child(&self.syntax)
    }
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

    /// What holds.
    pub fn condition(&self) -> Option<Expr> {
        child(&self.syntax)
    }
}
