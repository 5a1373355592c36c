//! Can a member send a kind of message before it hears from a process?

use crate::code::Position;
use crate::race::Sends;
use plainsong_ir::{Accept, ExprKind, FamilyId, MessageId, Song, Source, Stmt, StmtKind};

/// What the members wait for, if they do.
pub(crate) struct Waiting<'s> {
    pub(crate) song: &'s Song,
    pub(crate) sends: &'s Sends,
    /// The members.
    pub(crate) family: FamilyId,
    /// The kind of message that must not come.
    pub(crate) message: MessageId,
    /// The single process they have to hear from first.
    pub(crate) from: FamilyId,
}

#[derive(PartialEq)]
enum Found {
    Hears,
    Sends,
    Neither,
}

impl Waiting<'_> {
    /// Does every send of the kind, from this position on, come after a receive from the process?
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

    fn along(&self, stmts: &[Stmt]) -> Found {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Receive(accept) if self.hears(accept) => return Found::Hears,
                StmtKind::Send(message, ..) if *message == self.message => return Found::Sends,
                _ => {}
            }
            for block in blocks(stmt) {
                if self.along(block) == Found::Sends {
                    return Found::Sends;
                }
            }
        }
        Found::Neither
    }

    fn hears(&self, accept: &Accept) -> bool {
        match &accept.source {
            Source::Process(process) => {
                matches!(&process.kind, ExprKind::Pid(family, index)
                    if index.is_empty() && *family == self.from)
            }
            _ => self.sends.sender(self.song, self.family, accept) == Ok(self.from),
        }
    }
}

/// The blocks directly under a statement.
fn blocks(stmt: &Stmt) -> Vec<&[Stmt]> {
    match &stmt.kind {
        StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => vec![yes, no],
        StmtKind::Match(_, arms) => arms.iter().map(|(_, block)| &block[..]).collect(),
        StmtKind::While(_, _, body) | StmtKind::For { body, .. } => vec![body],
        StmtKind::Select(arms, timeout) => {
            let arms = arms.iter().map(|(_, block)| &block[..]);
            arms.chain(timeout.iter().map(|block| &block[..])).collect()
        }
        _ => Vec::new(),
    }
}
