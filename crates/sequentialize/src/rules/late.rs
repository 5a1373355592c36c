//! Late messages: can a process send a kind of message before it hears from certain others?
//!
//! Statement. On every path of the code, each send of the kind comes after a receive from one of them.
//!
//! Why it matters. A receive from any member that should deal with each member once must not see a second
//! message of a member early (condition S7; traps `s1`, `d1`).

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

    fn path(
        &self,
        family: FamilyId,
        block: BlockId,
        from: usize,
        message: MessageId,
        others: &BTreeSet<Comp>,
    ) -> Path {
        for op in &self.score.parts[&family].blocks[block.0 as usize][from..] {
            match &op.kind {
                OpKind::Receive(accept) if self.is_from(accept, others) => return Path::Waits,
                OpKind::Select {
                    arms,
                    timeout: None,
                } if arms.iter().all(|(accept, _)| self.is_from(accept, others)) => {
                    return Path::Waits;
                }
                OpKind::Send(sent, ..) if *sent == message => return Path::Sends,
                _ => {}
            }
            for block in op.blocks() {
                if let Path::Sends = self.path(family, block, 0, message, others) {
                    return Path::Sends;
                }
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
