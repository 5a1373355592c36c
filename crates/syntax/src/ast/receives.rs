//! Views of communication: what is sent, what is accepted and from whom.

use super::{
    ArgList, Block, Expr, Name, WhereClause, child, child_after, children, has, name, names, nodes,
};
use crate::kinds::SyntaxKind;

nodes! {
    /// `send M(e) to p;`
    SendStmt = SendStmt;
    /// `async A(e);`
    AsyncStmt = AsyncStmt;
    /// `receive M(x) from p where c;`
    ReceiveStmt = ReceiveStmt;
    /// `receive { M(x) => { … } timeout => { … } }`
    ReceiveChoice = ReceiveChoice;
    /// `M(x) from p where c => { … }`
    ReceiveArm = ReceiveArm;
    /// `timeout => { … }`
    TimeoutArm = TimeoutArm;
    /// `M(x) from p where c`: which messages are taken.
    Accept = Accept;
    /// `(x, _)` of an accepted message or `[i]` of its sender.
    SlotList = SlotList;
    /// One fresh name or `_`.
    Slot = Slot;
    /// `from …`
    Source = Source;
}

impl SendStmt {
    /// The message.
    pub fn message(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// What it carries; nothing when there are no parentheses.
    pub fn arguments(&self) -> Option<ArgList> {
        child(&self.syntax)
    }

    /// The address.
    pub fn address(&self) -> Option<Expr> {
        child_after(&self.syntax, SyntaxKind::ToKw)
    }
}

impl AsyncStmt {
    /// The action.
    pub fn action(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// Its arguments.
    pub fn arguments(&self) -> Option<ArgList> {
        child(&self.syntax)
    }
}

impl ReceiveStmt {
    /// Which message is taken.
    pub fn accept(&self) -> Option<Accept> {
        child(&self.syntax)
    }
}

impl ReceiveChoice {
    /// The alternatives in order.
    pub fn arms(&self) -> impl Iterator<Item = ReceiveArm> + use<> {
        children(&self.syntax)
    }

    /// What may be done without a message, if anything.
    pub fn timeout(&self) -> Option<TimeoutArm> {
        child(&self.syntax)
    }
}

impl ReceiveArm {
    /// Which message is taken.
    pub fn accept(&self) -> Option<Accept> {
        child(&self.syntax)
    }

    /// What is done then.
    pub fn block(&self) -> Option<Block> {
        child(&self.syntax)
    }
}

impl TimeoutArm {
    /// What is done then.
    pub fn block(&self) -> Option<Block> {
        child(&self.syntax)
    }
}

impl Accept {
    /// The message.
    pub fn message(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// Names for what it carries; nothing when there are no parentheses.
    pub fn slots(&self) -> Option<SlotList> {
        child(&self.syntax)
    }

    /// From whom; anyone when it is missing.
    pub fn source(&self) -> Option<Source> {
        child(&self.syntax)
    }

    /// Which of these messages.
    pub fn filter(&self) -> Option<WhereClause> {
        child(&self.syntax)
    }
}

impl SlotList {
    /// The names in order.
    pub fn slots(&self) -> impl Iterator<Item = Slot> + use<> {
        children(&self.syntax)
    }
}

impl Slot {
    /// The fresh name; nothing for `_`.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }
}

impl Source {
    /// Is it `from any …`?
    pub fn is_any(&self) -> bool {
        has(&self.syntax, SyntaxKind::AnyKw)
    }

    /// `from any family …`: the family.
    pub fn family(&self) -> Option<Name> {
        let binder = self.binder();
        names(&self.syntax)
            .next()
            .filter(|name| Some(name) != binder.as_ref())
    }

    /// `from any family[x, …]`: names for the sender's indices.
    pub fn indices(&self) -> Option<SlotList> {
        child(&self.syntax)
    }

    /// `… as who`: a name for the sender.
    pub fn binder(&self) -> Option<Name> {
        if has(&self.syntax, SyntaxKind::AsKw) {
            names(&self.syntax).last()
        } else {
            None
        }
    }

    /// `from p`: the one process.
    pub fn process(&self) -> Option<Expr> {
        child(&self.syntax)
    }
}
