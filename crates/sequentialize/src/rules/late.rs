//! Late messages: can a process send a kind of message before it hears from certain others?
//!
//! Statement. On every path of the code from a place on, each send of the kind comes after a receive from one of them.
//! A receive counts only where its message cannot wait already: what was sent before is no answer. A path goes where
//! the code goes: out of a block, back to the head of a loop, and by `break` behind it.
//!
//! Why it matters. A receive from any member that should deal with each member once must not see a second
//! message of a member early (condition S7; traps `s1`, `d1`, `d2` and `d3` behind a `break`, `d4` after an old answer).

use super::Engine;
use crate::process_code::{BlockId, OpKind, Place};
use crate::state::QueuedMessage;
use crate::value::{Chan, Comp, Role};
use plainsong_ir::{Accept, ExprKind, FamilyId, MessageId, Source};
use std::collections::{BTreeMap, BTreeSet};

/// Whose receives count, for a process of this family.
pub(super) struct RelevantReceives<'o> {
    family: FamilyId,
    others: &'o BTreeSet<Comp>,
    /// Kinds that wait from them already.
    old: BTreeSet<MessageId>,
}

/// Where a path may come without having heard anything.
#[derive(Clone, Copy, Default)]
struct Reach {
    /// To a send of the kind.
    sends: bool,
    /// To the end of the block.
    end: bool,
    /// To a `break` out of the block.
    breaks: bool,
    /// To a `continue` out of the block.
    continues: bool,
}

impl Reach {
    fn and(self, other: Reach) -> Reach {
        Reach {
            sends: self.sends || other.sends,
            end: self.end || other.end,
            breaks: self.breaks || other.breaks,
            continues: self.continues || other.continues,
        }
    }
}

impl<'o> RelevantReceives<'o> {
    /// Of a process, when these messages wait.
    pub(super) fn of(
        comp: Comp,
        others: &'o BTreeSet<Comp>,
        queues: &BTreeMap<Chan, Vec<QueuedMessage>>,
    ) -> RelevantReceives<'o> {
        let old = queues
            .keys()
            .filter(|chan| chan.to == comp && others.contains(&chan.from));
        RelevantReceives {
            family: comp.family,
            others,
            old: old.map(|chan| chan.message).collect(),
        }
    }

    /// Of nobody: no receive counts.
    pub(super) fn nobody(family: FamilyId, none: &'o BTreeSet<Comp>) -> RelevantReceives<'o> {
        RelevantReceives {
            family,
            others: none,
            old: BTreeSet::new(),
        }
    }
}

impl Engine<'_> {
    /// Does everything of this kind that is sent from a place on wait to hear from one of them?
    pub(super) fn is_late_free(
        &self,
        hearing: &RelevantReceives<'_>,
        place: &Place,
        message: MessageId,
    ) -> bool {
        // Where the next frame is entered: at its statement, and behind it.
        let (mut at_it, mut behind) = (true, false);
        let (mut breaks, mut continues) = (false, false);
        for frame in place.0.iter().rev() {
            let mut reach = Reach::default();
            let at = frame.at as usize;
            if at_it {
                reach = reach.and(self.reach(hearing, frame.block, at, message));
            }
            if behind {
                reach = reach.and(self.reach(hearing, frame.block, at + 1, message));
            }
            if reach.sends {
                return false;
            }
            breaks |= reach.breaks;
            continues |= reach.continues;
            (at_it, behind) = (reach.end, false);
            if frame.looped {
                // The loop itself is the statement of the frame below.
                (at_it, behind) = (reach.end || continues, breaks);
                (breaks, continues) = (false, false);
            }
        }
        true
    }

    fn reach(
        &self,
        hearing: &RelevantReceives<'_>,
        block: BlockId,
        from: usize,
        message: MessageId,
    ) -> Reach {
        let mut all = Reach::default();
        let ops = &self.score.parts[&hearing.family].blocks[block.0 as usize];
        for op in ops.iter().skip(from) {
            let under = op.blocks().into_iter();
            let under = || {
                let each = under.clone();
                let each = each.map(|block| self.reach(hearing, block, 0, message));
                each.fold(Reach::default(), Reach::and)
            };
            let goes_on = match &op.kind {
                OpKind::Receive(accept) => !self.hears(hearing, accept),
                OpKind::Select {
                    arms,
                    timeout: None,
                } if arms.iter().all(|(accept, _)| self.hears(hearing, accept)) => false,
                OpKind::Send(sent, ..) if *sent == message => {
                    all.sends = true;
                    false
                }
                OpKind::Break => {
                    all.breaks = true;
                    false
                }
                OpKind::Continue => {
                    all.continues = true;
                    false
                }
                OpKind::Unless(_) => {
                    all.breaks = true;
                    true
                }
                OpKind::Loop(_) => {
                    let body = under();
                    all.sends |= body.sends;
                    body.breaks
                }
                OpKind::For { .. } => {
                    all.sends |= under().sends;
                    true
                }
                OpKind::If(..) | OpKind::Maybe(..) | OpKind::Match(..) | OpKind::Select { .. } => {
                    let inside = under();
                    all = all.and(Reach {
                        end: false,
                        ..inside
                    });
                    inside.end
                }
                _ => true,
            };
            if !goes_on {
                return all;
            }
        }
        all.end = true;
        all
    }

    /// Does a receive certainly take a message that one of them sends from now on?
    fn hears(&self, hearing: &RelevantReceives<'_>, accept: &Accept) -> bool {
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
        !hearing.old.contains(&accept.message)
            && sender.is_some_and(|family| hearing.others.contains(&single(family)))
    }
}
