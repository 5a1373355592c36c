//! From whom a receive can take its message.
//!
//! A receive that does not name its sender is fine when all sends that may reach it are in one single process, or
//! in another family: then the outcomes are permutations of each other, if each member is taken once. That is checked
//! of every round, whichever of the member's statements send (`round.rs`, `late.rs`).

use crate::{Refused, refuse};
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Accept, Body, Expr, ExprKind, FamilyId, MessageId, Song, Source, Stmt, StmtKind,
};

/// A send statement.
struct Send {
    sender: FamilyId,
    message: MessageId,
    /// Nothing when the address is a variable.
    to: Option<FamilyId>,
}

/// All send statements of a song.
#[derive(Default)]
pub(crate) struct Sends(Vec<Send>);

impl Sends {
    pub(crate) fn of(song: &Song) -> Sends {
        let mut sends = Sends::default();
        for process in song.voices().map_or(&[][..], |voices| &voices.processes) {
            if let Body::Sequential(body) = &process.body {
                let mut looking = Looking {
                    family: process.family,
                    sends: &mut sends,
                };
                looking.block(body);
            }
        }
        sends
    }

    /// The family that sends what an open receive of `receiver` takes.
    pub(crate) fn sender(
        &self,
        song: &Song,
        receiver: FamilyId,
        accept: &Accept,
    ) -> Result<FamilyId, Refused> {
        let named = match &accept.source {
            Source::Family(family, ..) => Some(*family),
            _ => None,
        };
        let is_single = |family: FamilyId| song.families[family.index()].index.is_empty();
        let reaching = |send: &&Send| {
            send.message == accept.message
                && send.to.is_none_or(|to| to == receiver)
                && (send.sender != receiver || !is_single(receiver))
                && named.is_none_or(|named| send.sender == named)
        };
        let all: Vec<&Send> = self.0.iter().filter(reaching).collect();
        let Some(first) = all.first() else {
            return refuse("nothing sends what a receive takes");
        };
        let one = all.iter().all(|send| send.sender == first.sender);
        let is_fine = is_single(first.sender) || first.sender != receiver;
        match one && is_fine {
            true => Ok(first.sender),
            false => refuse("a receive can be served by different sends"),
        }
    }
}

struct Looking<'s> {
    family: FamilyId,
    sends: &'s mut Sends,
}

impl Visit for Looking<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Send(message, _, address) = &stmt.kind {
            self.sends.0.push(Send {
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
