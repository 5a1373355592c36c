//! Losses: messages that are lost, processes that crash, and who has to be ready for it.
//!
//! Statement. A message is *lossy* if a fault loses its kind, or if its sender may crash. Every receive of a
//! lossy message must have a `timeout`, or be what a daemon waits for at the head of its loop; then a loss is
//! the timeout of whoever waits (`rules/timeout.rs`), or a message to a daemon that was never sent
//! (`rules/send.rs`). Budgets are not looked at.
//!
//! Why sound. A timeout may be taken at any time, so whoever waits for a message that is lost does what it would
//! do for one that is late; more losses than the budget allows are more behaviour. A process that crashes is,
//! for all others, one whose messages are lost from then on: whatever it receives afterwards nobody sees, and
//! nobody waits for it at the end. So every execution with a crash is, for the processes that go on, one with
//! losses. A loss without a timeout is a deadlock, and is said to be one.
//!
//! Source. `docs/CONDITIONS.md`, extensions. NOT COVERED. Restarts, copies of messages, timeouts of daemons: a
//! message that comes too late would be taken for one of the next round.

use crate::process_code::{BlockId, Op, OpKind, Part};
use crate::stuck::{Obstacle, Stuck};
use crate::voices_to_parts::Score;
use plainsong_ir::{FamilyId, Fault, FaultKind, MessageId};
use std::collections::BTreeSet;

/// What may be lost, or come too late.
#[derive(Clone, Debug, Default)]
pub(crate) struct Losses {
    kinds: BTreeSet<MessageId>,
    crashing: BTreeSet<FamilyId>,
    /// What daemons wait for at the heads of their loops.
    heads: BTreeSet<(FamilyId, MessageId)>,
    /// Is there a timeout somewhere?
    pub(crate) timeouts: bool,
}

impl Losses {
    /// May a message of this sender be lost?
    pub(crate) fn may_lose(&self, sender: FamilyId, message: MessageId) -> bool {
        self.kinds.contains(&message) || self.crashing.contains(&sender)
    }

    /// May it be lost in flight to a daemon that waits for it at the head of its loop?
    pub(crate) fn may_miss(&self, sender: FamilyId, to: FamilyId, message: MessageId) -> bool {
        self.may_lose(sender, message) && self.heads.contains(&(to, message))
    }

    /// May messages be left over in the end?
    pub(crate) fn may_leave(&self) -> bool {
        self.timeouts || !self.crashing.is_empty()
    }

    /// Does nothing go wrong?
    pub(crate) fn is_none(&self) -> bool {
        self.kinds.is_empty() && self.crashing.is_empty() && !self.timeouts
    }

    /// May a process stop where it is?
    pub(crate) fn may_crash(&self) -> bool {
        !self.crashing.is_empty()
    }
}

/// Refuses faults that have no rule.
pub(crate) fn check_faults(faults: &[Fault]) -> Result<(), Stuck> {
    for fault in faults {
        if let FaultKind::Restart(_) | FaultKind::Duplicate(_) = fault.kind {
            let sentence = format!("`fault {}` is not covered", fault.kind.name());
            return Err(
                Stuck::new(Obstacle::NotCovered, fault.span, sentence).help("ask `explore`")
            );
        }
    }
    Ok(())
}

/// What may be lost; an obstacle where somebody waits for it without a timeout.
pub(crate) fn losses(score: &Score<'_>) -> Result<Losses, Stuck> {
    let mut losses = Losses::default();
    for fault in &score.voices.faults {
        match fault.kind {
            FaultKind::Lose(message) => drop(losses.kinds.insert(message)),
            FaultKind::Crash(family) => drop(losses.crashing.insert(family)),
            FaultKind::Restart(_) | FaultKind::Duplicate(_) => {}
        }
    }
    for part in score.parts.values() {
        if let Some(op) = head(part) {
            let kinds = op.kind.accepts().into_iter();
            losses
                .heads
                .extend(kinds.map(|accept| (part.family, accept.message)));
        }
    }
    let mut lossy = losses.kinds.clone();
    for family in &losses.crashing {
        let ops = score.parts[family].ops(BlockId::ENTRY);
        lossy.extend(ops.into_iter().filter_map(|op| match op.kind {
            OpKind::Send(message, ..) => Some(message),
            _ => None,
        }));
    }
    for part in score.parts.values() {
        losses.timeouts |= is_ready_for(score, part, &lossy)?;
    }
    Ok(losses)
}

/// Has everybody who waits for what may be lost a timeout? Whether there are timeouts at all.
fn is_ready_for(
    score: &Score<'_>,
    part: &Part<'_>,
    lossy: &BTreeSet<MessageId>,
) -> Result<bool, Stuck> {
    let mut timeouts = false;
    let head = head(part).map(|op| op.span);
    for op in part.ops(BlockId::ENTRY) {
        if let OpKind::Select {
            timeout: Some(_), ..
        } = op.kind
        {
            timeouts = true;
            if part.daemon {
                let sentence = format!("`{}` is a daemon with a timeout", score.name(part.family));
                return Err(Stuck::new(Obstacle::NotCovered, op.span, sentence));
            }
            continue;
        }
        let accepts = op.kind.accepts();
        let lost = accepts.iter().find(|one| lossy.contains(&one.message));
        if let Some(lost) = lost
            && head != Some(op.span)
        {
            let what = &score.voices.messages[lost.message.index()].name;
            let who = score.name(part.family);
            let sentence = format!("`{who}` waits for `{what}`, which may be lost");
            return Err(Stuck::new(Obstacle::Blocked, op.span, sentence)
                .help("give the receive a `timeout`"));
        }
    }
    Ok(timeouts)
}

/// The receive that a daemon's loop begins with.
fn head<'p, 'a>(part: &'p Part<'a>) -> Option<&'p Op<'a>> {
    let last = part.blocks[BlockId::ENTRY.0 as usize].last()?;
    let OpKind::Loop(body) = last.kind else {
        return None;
    };
    let ops = part.blocks[body.0 as usize].iter();
    let mut ops = ops.skip_while(|op| is_local(&op.kind));
    ops.next()
        .filter(|op| part.daemon && !op.kind.accepts().is_empty())
}

/// Does it come before the first communication of a round, whatever happens?
fn is_local(kind: &OpKind<'_>) -> bool {
    matches!(
        kind,
        OpKind::Set(..) | OpKind::Choose(..) | OpKind::Assert(_) | OpKind::Assume(_)
    )
}
