//! Can a process send a kind of message before it hears from certain others?

use crate::code::{Position, blocks};
use crate::race::Sends;
use plainsong_ir::{FamilyId, MessageId, Song, Stmt, StmtKind};
use std::collections::BTreeSet;

/// What a process waits for, if it does.
pub(crate) struct Waiting<'s> {
    pub(crate) song: &'s Song,
    pub(crate) sends: &'s Sends,
    /// The process.
    pub(crate) family: FamilyId,
    /// The kind of message that must not come.
    pub(crate) message: MessageId,
    /// The single processes of which it has to hear one first.
    pub(crate) from: BTreeSet<FamilyId>,
}

#[derive(PartialEq)]
enum Found {
    Hears,
    Sends,
    Neither,
}

impl Waiting<'_> {
    /// Does every send of the kind, from this position on, come after a receive from one of them?
    pub(crate) fn holds(&self, position: &Position<'_>) -> bool {
        for rest in position.remaining() {
            match self.along(rest) {
                Found::Hears => return true,
                Found::Sends => return false,
                Found::Neither => {}
            }
        }
        true
    }

    /// A receive counts only if no `break` or `continue` goes past it: what comes behind the loop is looked at next.
    fn along(&self, stmts: &[Stmt]) -> Found {
        let mut passed = false;
        for stmt in stmts {
            if self.sends.hears(self.song, self.family, stmt, &self.from) {
                return if passed { Found::Neither } else { Found::Hears };
            }
            if matches!(&stmt.kind, StmtKind::Send(message, ..) if *message == self.message) {
                return Found::Sends;
            }
            for block in blocks(stmt) {
                if self.along(block) == Found::Sends {
                    return Found::Sends;
                }
            }
            passed |= goes_past(stmt);
        }
        Found::Neither
    }
}

/// May a statement leave the loop that it stands in, or begin its next round?
fn goes_past(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Break | StmtKind::Continue => true,
        StmtKind::While(..) | StmtKind::For { .. } => false,
        _ => blocks(stmt).into_iter().flatten().any(goes_past),
    }
}
