//! Delivery order: what may be relied on when messages overtake each other.
//!
//! Everything else here assumes that of the messages of one process to another, a receive takes the oldest that it
//! waits for. Each ordered model keeps to that, but says nothing about messages of another model, so a receive of several
//! kinds waits for kinds of one model. Kinds that are delivered in any order are received alone, and no process
//! sends two of them to the same one: then there is no order to rely on.

use crate::{Refused, not_covered, refuse};
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Block, Body, Delivery, Domain, Expr, ExprKind, FamilyId, LocalId, MessageId, Process, Song,
    Stmt, StmtKind, Ty, Voices,
};

/// Refuses songs in which the order of messages could matter and is not known.
pub(crate) fn is_kept(song: &Song, voices: &Voices) -> Result<(), Refused> {
    for process in &voices.processes {
        let Body::Sequential(body) = &process.body else {
            continue;
        };
        let mut receives = Receives {
            voices,
            mixed: false,
        };
        body.iter().for_each(|stmt| receives.stmt(stmt));
        if receives.mixed {
            return refuse("a receive waits for kinds that have no order among them");
        }
        for (at, message) in voices.messages.iter().enumerate() {
            if message.delivery != Some(Delivery::Unordered) {
                continue;
            }
            for receiver in &voices.processes {
                let channel = Channel {
                    song,
                    from: process,
                    to: receiver.family,
                    message: MessageId::from(at),
                };
                if channel.carries(body) > 1 {
                    return refuse(format!(
                        "several `{}` may be in flight in any order",
                        message.name
                    ));
                }
            }
        }
    }
    Ok(())
}

/// Rings and chains: everything in order.
pub(crate) fn nothing_overtakes(voices: &Voices) -> Result<(), Refused> {
    let mut messages = voices.messages.iter();
    match messages.any(|message| message.delivery == Some(Delivery::Unordered)) {
        true => not_covered("unordered delivery is not covered"),
        false => Ok(()),
    }
}

struct Receives<'a> {
    voices: &'a Voices,
    mixed: bool,
}

impl Visit for Receives<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Select(arms, _) = &stmt.kind {
            let model = |message: MessageId| {
                let declared = self.voices.messages[message.index()].delivery;
                declared.unwrap_or(Delivery::Fifo)
            };
            let models: Vec<Delivery> = arms.iter().map(|(one, _)| model(one.message)).collect();
            self.mixed |= models.len() > 1
                && (models.contains(&Delivery::Unordered)
                    || models.iter().any(|model| *model != models[0]));
        }
        walk::stmt(self, stmt);
    }
}

/// Messages of a kind from a process of one family to one of another.
struct Channel<'a> {
    song: &'a Song,
    from: &'a Process,
    to: FamilyId,
    message: MessageId,
}

impl Channel<'_> {
    /// How many may be sent on one path: none, one, or more.
    fn carries(&self, block: &Block) -> u8 {
        let each = block.iter().map(|stmt| self.sent_by(stmt));
        each.fold(0, |all, one| (all + one).min(2))
    }

    fn sent_by(&self, stmt: &Stmt) -> u8 {
        let repeated = |body: &Block| if self.carries(body) > 0 { 2 } else { 0 };
        match &stmt.kind {
            StmtKind::Send(message, _, address) => {
                u8::from(*message == self.message && self.reaches(address))
            }
            StmtKind::While(_, _, body) => repeated(body),
            StmtKind::For {
                local,
                domain,
                body,
                ..
            } => match self.goes_over_receivers(domain) && self.sends_to(body, *local) {
                true => self.carries(body),
                false => repeated(body),
            },
            StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
                self.carries(yes).max(self.carries(no))
            }
            StmtKind::Match(_, arms) => {
                let each = arms.iter().map(|(_, block)| self.carries(block));
                each.max().unwrap_or(0)
            }
            StmtKind::Select(arms, late) => {
                let each = arms.iter().map(|(_, block)| block).chain(late);
                each.map(|block| self.carries(block)).max().unwrap_or(0)
            }
            _ => 0,
        }
    }

    fn reaches(&self, address: &Expr) -> bool {
        match &address.kind {
            ExprKind::Pid(family, _) => *family == self.to,
            ExprKind::SelfPid => self.from.family == self.to,
            _ => true,
        }
    }

    fn goes_over_receivers(&self, domain: &Domain) -> bool {
        let ty = match domain {
            Domain::Type(ty) => ty,
            Domain::In(expr) => match &expr.kind {
                ExprKind::All(ty) => ty,
                _ => return false,
            },
        };
        let index = &self.song.families[self.to.index()].index;
        matches!(ty, Ty::Sort(_)) && matches!(&index[..], [one] if one.ty == *ty)
    }

    /// Does every message of the kind that a block sends go to the member with this name?
    fn sends_to(&self, block: &Block, name: LocalId) -> bool {
        struct Sends {
            message: MessageId,
            name: LocalId,
            all: bool,
        }
        impl Visit for Sends {
            fn stmt(&mut self, stmt: &Stmt) {
                if let StmtKind::Send(message, _, address) = &stmt.kind
                    && *message == self.message
                {
                    self.all &= matches!(&address.kind, ExprKind::Pid(_, index)
                        if matches!(&index[..], [one] if one.kind == ExprKind::Local(self.name)));
                }
                walk::stmt(self, stmt);
            }
        }
        let mut sends = Sends {
            message: self.message,
            name,
            all: true,
        };
        block.iter().for_each(|stmt| sends.stmt(stmt));
        sends.all
    }
}
