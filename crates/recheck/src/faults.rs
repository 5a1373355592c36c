//! Messages that are lost and processes that crash: who has to be ready for it.
//!
//! Statement. A message is lossy if a fault loses its kind or its sender may crash. Every receive of a lossy kind has a
//! timeout, or is what a daemon waits for at the head of its loop. Then a loss is a timeout of whoever waits, which is
//! possible at any time (`receive.rs`), or a message to a daemon that was never sent (`steps.rs`).
//!
//! Why sound. Whoever waits for what is lost does what it does for what is late. A process that crashes is, for all
//! others, one whose messages are lost from then on. Budgets are not looked at: more losses are more behaviour.

use crate::position::{every, first_deed, is_endless};
use crate::race::{Sends, waits};
use crate::{Refused, not_covered, refuse};
use plainsong_ir::{Body, FamilyId, FaultKind, MessageId, Process, Stmt, StmtKind, Voices};
use std::collections::BTreeSet;

/// What may be lost.
#[derive(Default)]
pub(crate) struct Faults {
    kinds: BTreeSet<MessageId>,
    crashing: BTreeSet<FamilyId>,
    /// What daemons wait for at the heads of their loops.
    heads: BTreeSet<(FamilyId, MessageId)>,
    /// Is a receive given up anywhere?
    timeouts: bool,
}

impl Faults {
    /// Reads the faults; refuses receives that are not ready for them.
    pub(crate) fn of(voices: &Voices, sends: &Sends) -> Result<Faults, Refused> {
        let mut faults = Faults::default();
        for fault in &voices.faults {
            match fault.kind {
                FaultKind::Lose(message) => drop(faults.kinds.insert(message)),
                FaultKind::Crash(family) => drop(faults.crashing.insert(family)),
                FaultKind::Restart(_) | FaultKind::Duplicate(_) => {
                    return not_covered(format!("`fault {}`: not covered", fault.kind.name()));
                }
            }
        }
        let mut lossy = faults.kinds.clone();
        for family in &faults.crashing {
            lossy.extend(sends.kinds(*family));
        }
        for process in &voices.processes {
            faults.is_ready(process, &lossy)?;
        }
        Ok(faults)
    }

    /// May a message be lost in flight to a daemon that waits for it at the head of its loop?
    pub(crate) fn may_miss(&self, from: FamilyId, to: FamilyId, message: MessageId) -> bool {
        (self.kinds.contains(&message) || self.crashing.contains(&from))
            && self.heads.contains(&(to, message))
    }

    /// Does everything arrive, and does everybody wait until it does?
    pub(crate) fn are_none(&self) -> bool {
        self.kinds.is_empty() && self.crashing.is_empty() && !self.timeouts
    }

    /// May messages be left over?
    pub(crate) fn may_leave(&self) -> bool {
        self.timeouts || !self.crashing.is_empty()
    }

    fn is_ready(&mut self, process: &Process, lossy: &BTreeSet<MessageId>) -> Result<(), Refused> {
        let Body::Sequential(body) = &process.body else {
            return Ok(());
        };
        let head = head(process.daemon, body);
        let mut all = Vec::new();
        every(body, &mut all);
        for stmt in all {
            let Some(waits) = waits(stmt) else { continue };
            let is_head = head.is_some_and(|head| std::ptr::eq(head, stmt));
            if is_head {
                let kinds = waits.arms.iter().map(|(accept, _)| accept.message);
                self.heads.extend(kinds.map(|kind| (process.family, kind)));
            }
            if waits.timeout.is_some() {
                self.timeouts = true;
                if process.daemon {
                    return not_covered("timeouts of daemons: not covered");
                }
                continue;
            }
            let mut kinds = waits.arms.iter().map(|(accept, _)| accept.message);
            if !is_head && kinds.any(|kind| lossy.contains(&kind)) {
                return refuse("a process waits for what may be lost");
            }
        }
        Ok(())
    }
}

/// The receive that a daemon's loop begins with.
fn head(daemon: bool, body: &[Stmt]) -> Option<&Stmt> {
    let last = body.last().filter(|last| daemon && is_endless(last))?;
    let StmtKind::While(_, _, body) = &last.kind else {
        return None;
    };
    let first = first_deed(body)?;
    waits(first).is_some().then_some(first)
}
