//! Views of communication: what is sent, what is accepted and from whom.

use super::{ArgList, Block, Expr, Name, WhereClause, accessors, child_after, has, names, nodes};
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

accessors! {
    SendStmt {
        message: Name;
        /// What it carries; nothing when there are no parentheses.
        arguments: ArgList;
    }
    AsyncStmt {
        action: Name;
        arguments: ArgList;
    }
    ReceiveStmt {
        /// Which message is taken.
        accept: Accept;
    }
    ReceiveChoice {
        /// The alternatives in order.
        arms: [ReceiveArm];
        /// What may be done without a message, if anything.
        timeout: TimeoutArm;
    }
    ReceiveArm {
        /// Which message is taken.
        accept: Accept;
        /// What is done then.
        block: Block;
    }
    TimeoutArm {
        /// What is done then.
        block: Block;
    }
    Accept {
        message: Name;
        /// Names for what it carries; nothing when there are no parentheses.
        slots: SlotList;
        /// From whom; anyone when it is missing.
        source: Source;
        /// Which of these messages.
        filter: WhereClause;
    }
    SlotList {
        /// The names in order.
        slots: [Slot];
    }
    Slot {
        /// The fresh name; nothing for `_`.
        name: Name;
    }
    Source {
        /// Is it `from any …`?
        is_any: {AnyKw};
        /// `from any family[x, …]`: names for the sender's indices.
        indices: SlotList;
        /// `from p`: the one process.
        process: Expr;
    }
}

impl SendStmt {
    pub fn address(&self) -> Option<Expr> {
        child_after(&self.syntax, SyntaxKind::ToKw)
    }
}

impl Source {
    /// `from any family …`: the family.
    pub fn family(&self) -> Option<Name> {
        let binder = self.binder();
        names(&self.syntax)
            .next()
            .filter(|name| Some(name) != binder.as_ref())
    }

    /// `… as who`: a name for the sender.
    pub fn binder(&self) -> Option<Name> {
        if has(&self.syntax, SyntaxKind::AsKw) {
            names(&self.syntax).last()
        } else {
            None
        }
    }
}
