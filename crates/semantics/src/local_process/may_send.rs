//! May-send analysis: to whom a process may still send.
//!
//! An over-approximation, from the text alone: every send that can be reached from where the process
//! stands, whatever conditions say, and every member of the family that its address names. A name
//! bound by `from any db as who` stands for a `db`; any other address may be anybody's.

use super::{Part, Parts};
use crate::code::{FlatCode, OpKind};
use crate::machine::Subject;
use crate::voices::VoiceSystem;
use plainsong_ir::{Accept, Expr, ExprKind, FamilyId, LocalId, Source};
use std::collections::HashMap;

/// Processes, as bits.
pub type Lanes = u64;

/// The most processes that have a bit each.
pub const MOST_LANES: usize = Lanes::BITS as usize;

/// For each code and each of its instructions, to whom messages are sent from there on.
#[derive(Debug)]
pub(super) struct Outlook(Vec<Vec<Addressees>>);

/// To whom messages are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Addressees {
    lanes: Lanes,
    /// Does the process send to itself?
    itself: bool,
}

impl Addressees {
    fn and(self, more: Addressees) -> Self {
        Addressees {
            lanes: self.lanes | more.lanes,
            itself: self.itself | more.itself,
        }
    }
}

impl Outlook {
    pub(super) fn new(system: &VoiceSystem) -> Self {
        let codes = system.all_codes();
        Outlook(
            codes
                .map(|(code, accept)| outlook(system, code, accept))
                .collect(),
        )
    }
}

impl Parts {
    /// The processes to which a process may still send; meaningful for up to [`MOST_LANES`] processes
    /// without faults.
    pub fn may_send_to(&self, lane: usize, part: &Part) -> Lanes {
        let codes = self.system().codes_at(lane).into_iter();
        let found = codes.filter_map(|code| self.outlook.0[code].get(part.0.pc).copied());
        let all = found.fold(Addressees::default(), Addressees::and);
        all.lanes | u64::from(all.itself) << lane.min(MOST_LANES - 1)
    }
}

/// To whom messages are sent from each instruction on.
fn outlook(system: &VoiceSystem, code: &FlatCode, accept: Option<&Accept>) -> Vec<Addressees> {
    let senders = senders(code, accept);
    let mut found = vec![Addressees::default(); code.ops.len() + 1];
    loop {
        let mut is_new = false;
        for (at, op) in code.ops.iter().enumerate().rev() {
            let own = match &op.kind {
                OpKind::Send(_, _, to) => addressees(system, &senders, to),
                _ => Addressees::default(),
            };
            let later = next_ones(&op.kind, at).into_iter();
            let all = later.fold(own, |all, next| all.and(found[next]));
            is_new |= all != found[at];
            found[at] = all;
        }
        if !is_new {
            return found;
        }
    }
}

/// Where one goes from an instruction.
fn next_ones(op: &OpKind, at: usize) -> Vec<usize> {
    match op {
        OpKind::Jump(target) => vec![*target],
        OpKind::Unless(_, target) | OpKind::Maybe(target) => vec![at + 1, *target],
        OpKind::Next { exit, .. } => vec![at + 1, *exit],
        OpKind::Past { over, .. } => vec![at + 1, *over],
        OpKind::Match(_, arms) => {
            let arms = arms.iter().map(|(_, target)| *target);
            arms.chain([at + 1]).collect()
        }
        OpKind::Select(arms, timeout) => {
            let arms = arms.iter().map(|arm| arm.target);
            arms.chain(*timeout).collect()
        }
        _ => vec![at + 1],
    }
}

/// The names that stand for whoever sent a message, each with its family.
fn senders(code: &FlatCode, accept: Option<&Accept>) -> HashMap<LocalId, FamilyId> {
    let arms = code.ops.iter().flat_map(|op| match &op.kind {
        OpKind::Select(arms, _) => &arms[..],
        _ => &[],
    });
    let accepts = arms.map(|arm| &arm.accept).chain(accept);
    accepts
        .filter_map(|accept| match accept.source {
            Source::Family(family, _, Some(who)) => Some((who, family)),
            _ => None,
        })
        .collect()
}

fn addressees(
    system: &VoiceSystem,
    senders: &HashMap<LocalId, FamilyId>,
    address: &Expr,
) -> Addressees {
    let family = match &address.kind {
        ExprKind::SelfPid => {
            return Addressees {
                lanes: 0,
                itself: true,
            };
        }
        ExprKind::Pid(family, _) => Some(*family),
        ExprKind::Local(who) => senders.get(who).copied(),
        _ => None,
    };
    let instance = &system.instance;
    let members = &instance.members()[instance.lanes(Subject::System)];
    let is_meant = |of: FamilyId| family.is_none_or(|family| family == of);
    let lanes = members.iter().enumerate();
    let meant = lanes.filter(|(_, member)| is_meant(member.family));
    Addressees {
        lanes: meant.fold(0, |all, (lane, _)| all | 1 << lane.min(MOST_LANES - 1)),
        itself: false,
    }
}
