//! Can a process send a kind of message before it hears from certain others?
//!
//! What it may do next is followed along the code, out of blocks, back to the heads of loops and out of them by
//! `break`, as far as it gets without a receive from one of them. A receive whose message waits already is no obstacle.

use crate::position::Position;
use crate::race::{Sends, waits};
use plainsong_ir::{ExprKind, FamilyId, MessageId, Song, Stmt, StmtKind};
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
    /// Kinds that wait from them already.
    pub(crate) waiting: BTreeSet<MessageId>,
}

/// How a stretch of code can be left; `None` if it sends the kind.
#[derive(Clone, Copy, Default)]
struct Exits {
    end: bool,
    outside: bool,
    again: bool,
}

impl Waiting<'_> {
    /// Does every send of the kind, from this position on, come after a receive from one of them?
    pub(crate) fn holds(&self, position: &Position<'_>) -> bool {
        let mut exits = Exits {
            end: true,
            ..Exits::default()
        };
        // Is the loop that a frame is the body of the statement at hand of the frame below?
        let mut of_loop = false;
        for (rest, is_loop) in position.frames() {
            let mut next = Exits::default();
            let (here, behind) = match of_loop {
                true => (exits.end || exits.again, exits.outside),
                false => {
                    (next.outside, next.again) = (exits.outside, exits.again);
                    (exits.end, false)
                }
            };
            let behind = behind.then(|| &rest[1.min(rest.len())..]);
            for part in here.then_some(rest).into_iter().chain(behind) {
                let Some(found) = self.along(part) else {
                    return false;
                };
                next.end |= found.end;
                next.outside |= found.outside;
                next.again |= found.again;
            }
            exits = next;
            of_loop = is_loop;
        }
        true
    }

    fn along(&self, stmts: &[Stmt]) -> Option<Exits> {
        let mut exits = Exits::default();
        for stmt in stmts {
            if self.hears(stmt) {
                return Some(exits);
            }
            match &stmt.kind {
                StmtKind::Send(message, ..) if *message == self.message => return None,
                StmtKind::Break => {
                    exits.outside = true;
                    return Some(exits);
                }
                StmtKind::Continue => {
                    exits.again = true;
                    return Some(exits);
                }
                StmtKind::While(condition, _, body) => {
                    let inside = self.along(body)?;
                    if condition.kind == ExprKind::Bool(true) && !inside.outside {
                        return Some(exits);
                    }
                }
                StmtKind::For { body, .. } => drop(self.along(body)?),
                _ => {
                    let mut any = false;
                    let mut goes_on = false;
                    for block in crate::position::blocks(stmt) {
                        any = true;
                        let inside = self.along(block)?;
                        exits.outside |= inside.outside;
                        exits.again |= inside.again;
                        goes_on |= inside.end;
                    }
                    if any && !goes_on {
                        return Some(exits);
                    }
                }
            }
        }
        exits.end = true;
        Some(exits)
    }

    fn hears(&self, stmt: &Stmt) -> bool {
        let kinds = waits(stmt).map_or(Vec::new(), |waits| waits.accepts());
        let old = kinds
            .iter()
            .any(|accept| self.waiting.contains(&accept.message));
        !old && self.sends.hears(self.song, self.family, stmt, &self.from)
    }
}
