//! Late messages: can a process send a kind of message before it hears from certain others?
//!
//! Statement. On every path of the code, each send of the kind comes after a receive from one of them. A receive
//! that a `break` or `continue` may go past does not count: what comes behind the loop is looked at as well.
//!
//! Why it matters. A receive from any member that should deal with each member once must not see a second
//! message of a member early (condition S7; traps `s1`, `d1`, and `d1` behind a `break`).

use super::Engine;
use crate::part::{BlockId, OpKind, Place};
use crate::value::{Comp, Role};
use plainsong_ir::{Accept, ExprKind, FamilyId, MessageId, Source};
use std::collections::BTreeSet;

impl Engine<'_> {
    /// Does everything of this kind that is sent from here on wait for one of `others`?
    pub(super) fn is_late_free(
        &self,
        family: FamilyId,
        place: &Place,
        message: MessageId,
        others: &BTreeSet<Comp>,
    ) -> bool {
        for frame in place.0.iter().rev() {
            match self.path(family, frame.block, frame.at as usize, message, others) {
                Path::Waits => return true,
                Path::Sends => return false,
                Path::Neither => {}
            }
        }
        true
    }

    /// May a block leave the loop that it stands in, or begin the next round of it?
    fn leaves(&self, family: FamilyId, block: BlockId) -> bool {
        let ops = self.score.parts[&family].blocks[block.0 as usize].iter();
        ops.into_iter().any(|op| match &op.kind {
            OpKind::Break | OpKind::Continue | OpKind::Unless(_) => true,
            OpKind::Loop(_) | OpKind::For { .. } => false,
            _ => op
                .blocks()
                .into_iter()
                .any(|block| self.leaves(family, block)),
        })
    }

    fn path(
        &self,
        family: FamilyId,
        block: BlockId,
        from: usize,
        message: MessageId,
        others: &BTreeSet<Comp>,
    ) -> Path {
        // May the loop have been left before what comes next?
        let mut left = false;
        let waits = |left: bool| match left {
            true => Path::Neither,
            false => Path::Waits,
        };
        for op in &self.score.parts[&family].blocks[block.0 as usize][from..] {
            match &op.kind {
                OpKind::Receive(accept) if self.is_from(accept, others) => return waits(left),
                OpKind::Select {
                    arms,
                    timeout: None,
                } if arms.iter().all(|(accept, _)| self.is_from(accept, others)) => {
                    return waits(left);
                }
                OpKind::Send(sent, ..) if *sent == message => return Path::Sends,
                OpKind::Break | OpKind::Continue | OpKind::Unless(_) => left = true,
                _ => {}
            }
            for block in op.blocks() {
                if let Path::Sends = self.path(family, block, 0, message, others) {
                    return Path::Sends;
                }
                let is_loop = matches!(op.kind, OpKind::Loop(_) | OpKind::For { .. });
                left |= !is_loop && self.leaves(family, block);
            }
        }
        Path::Neither
    }

    /// Does a receive certainly take its message from one of `others`?
    fn is_from(&self, accept: &Accept, others: &BTreeSet<Comp>) -> bool {
        let sender = match &accept.source {
            Source::Process(process) => match &process.kind {
                ExprKind::Pid(family, index) if index.is_empty() => Some(*family),
                _ => None,
            },
            _ => self.senders.get(&accept.span).copied(),
        };
        let single = |family| Comp {
            family,
            role: Role::Single,
        };
        sender.is_some_and(|family| others.contains(&single(family)))
    }
}

enum Path {
    Waits,
    Sends,
    Neither,
}
