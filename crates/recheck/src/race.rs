//! From whom a receive can take its message.
//!
//! A receive that does not name its sender is fine when all sends that may reach it are in one single process, or
//! in another family: then the outcomes are permutations of each other, if each member is taken once. That is checked
//! of every round, whichever of the member's statements send (`each.rs`, `late.rs`). A daemon may also be asked by
//! different processes that are none: its rounds are conversations with one of them (`receive.rs`).

use crate::{Refused, refuse};
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Accept, Block, Body, Expr, ExprKind, FamilyId, MessageId, Song, Source, Stmt, StmtKind,
};
use std::collections::{BTreeMap, BTreeSet};

/// Who may have sent what an open receive takes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Senders {
    /// One single process.
    One(FamilyId),
    /// Any member of a family.
    Any(FamilyId),
    /// Any process of these.
    Clients(BTreeSet<FamilyId>),
}

/// The kinds that a statement waits for, each with the block that it leads to, and the block of its timeout.
pub(crate) struct Waits<'a> {
    pub(crate) arms: Vec<(&'a Accept, Option<&'a Block>)>,
    pub(crate) timeout: Option<&'a Block>,
}

/// What a statement waits for; nothing if it is no receive.
pub(crate) fn waits(stmt: &Stmt) -> Option<Waits<'_>> {
    match &stmt.kind {
        StmtKind::Receive(accept) => Some(Waits {
            arms: vec![(accept, None)],
            timeout: None,
        }),
        StmtKind::Select(arms, timeout) => Some(Waits {
            arms: arms
                .iter()
                .map(|(accept, block)| (accept, Some(block)))
                .collect(),
            timeout: timeout.as_ref(),
        }),
        _ => None,
    }
}

impl<'a> Waits<'a> {
    /// The kinds.
    pub(crate) fn accepts(&self) -> Vec<&'a Accept> {
        self.arms.iter().map(|(accept, _)| *accept).collect()
    }
}

/// A send statement.
struct Send {
    sender: FamilyId,
    message: MessageId,
    /// Nothing when the address is a variable.
    to: Option<FamilyId>,
}

/// All send statements of a song, and which families are daemons.
#[derive(Default)]
pub(crate) struct Sends {
    all: Vec<Send>,
    daemons: BTreeMap<FamilyId, bool>,
}

impl Sends {
    pub(crate) fn of(song: &Song) -> Sends {
        let mut sends = Sends::default();
        for process in song.voices().map_or(&[][..], |voices| &voices.processes) {
            sends.daemons.insert(process.family, process.daemon);
            if let Body::Sequential(body) = &process.body {
                let mut looking = SendCollector {
                    family: process.family,
                    sends: &mut sends.all,
                };
                looking.block(body);
            }
        }
        sends
    }

    /// Does a family send a kind at all?
    pub(crate) fn sends(&self, family: FamilyId, message: MessageId) -> bool {
        let mut all = self.all.iter();
        all.any(|send| send.sender == family && send.message == message)
    }

    /// Every kind that a family sends.
    pub(crate) fn kinds(&self, family: FamilyId) -> impl Iterator<Item = MessageId> {
        let all = self.all.iter();
        all.filter(move |send| send.sender == family)
            .map(|send| send.message)
    }

    /// Who sends what an open receive of `receiver` takes, of all its kinds together.
    pub(crate) fn senders(
        &self,
        song: &Song,
        receiver: FamilyId,
        accepts: &[&Accept],
    ) -> Result<Senders, Refused> {
        let is_single = |family: FamilyId| song.families[family.index()].index.is_empty();
        let mut found = BTreeSet::new();
        for accept in accepts {
            let named = match &accept.source {
                Source::Process(_) => {
                    return refuse("a receive names the sender of some of its kinds only");
                }
                Source::Family(family, ..) => Some(*family),
                Source::Anyone(_) => None,
            };
            let reaching = self.all.iter().filter(|send| {
                send.message == accept.message
                    && send.to.is_none_or(|to| to == receiver)
                    && (send.sender != receiver || !is_single(receiver))
                    && named.is_none_or(|named| send.sender == named)
            });
            let reaching: BTreeSet<FamilyId> = reaching.map(|send| send.sender).collect();
            if named.is_some() && reaching.is_empty() {
                return refuse("a kind is wanted from a family that does not send it");
            }
            found.extend(reaching);
        }
        let is_narrower =
            |accept: &&Accept| matches!(accept.source, Source::Family(..)) && found.len() > 1;
        if accepts.iter().any(is_narrower) {
            return refuse("kinds of a receive come from different processes");
        }
        let mut each = found.iter();
        match (each.next(), each.next()) {
            (None, _) => refuse("nothing sends what a receive takes"),
            (Some(one), None) if is_single(*one) => Ok(Senders::One(*one)),
            (Some(one), None) if *one != receiver => Ok(Senders::Any(*one)),
            (Some(_), Some(_))
                if self.daemons[&receiver] && found.iter().all(|one| !self.daemons[one]) =>
            {
                Ok(Senders::Clients(found))
            }
            _ => refuse("a receive can be served by different sends"),
        }
    }

    /// Does a statement certainly hear from one of these single processes?
    pub(crate) fn hears(
        &self,
        song: &Song,
        receiver: FamilyId,
        stmt: &Stmt,
        from: &BTreeSet<FamilyId>,
    ) -> bool {
        let Some(Waits {
            arms,
            timeout: None,
        }) = waits(stmt)
        else {
            return false;
        };
        let accepts: Vec<&Accept> = arms.iter().map(|(accept, _)| *accept).collect();
        let named = accepts.iter().all(|accept| match &accept.source {
            Source::Process(process) => matches!(&process.kind, ExprKind::Pid(family, index)
                if index.is_empty() && from.contains(family)),
            _ => false,
        });
        named
            || matches!(self.senders(song, receiver, &accepts), Ok(Senders::One(family))
                if from.contains(&family))
    }
}

struct SendCollector<'s> {
    family: FamilyId,
    sends: &'s mut Vec<Send>,
}

impl Visit for SendCollector<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Send(message, _, address) = &stmt.kind {
            self.sends.push(Send {
                sender: self.family,
                message: *message,
                to: destination(self.family, address),
            });
        }
        walk::stmt(self, stmt);
    }
}

fn destination(own: FamilyId, address: &Expr) -> Option<FamilyId> {
    match &address.kind {
        ExprKind::Pid(family, _) => Some(*family),
        ExprKind::SelfPid => Some(own),
        _ => None,
    }
}
