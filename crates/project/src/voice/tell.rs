//! Telling: one endpoint sends the value of a local to those who need it.

use super::Voice;
use super::conditions::{When, and_not};
use crate::owner::{Owner, Who};
use crate::terms::{not, pid, stmt};
use plainsong_diagnostics::Span;
use plainsong_ir::{Block, Expr, FamilyId, LocalId, LoopClauses, MessageId, Place, Root, StmtKind};

impl Voice<'_> {
    pub(super) fn tell(
        &mut self,
        from: &Owner,
        to: &[(Who, MessageId)],
        name: LocalId,
        out: &mut Block,
    ) {
        let teller = self.when(from);
        let sends = self.sends(from, to, name);
        self.under(teller.clone(), out, |_, out| out.extend(sends));
        for (who, message) in to {
            let hearer = match who {
                Who::Family(family) if *family == self.family => When::Always,
                Who::Family(_) => When::Never,
                Who::One(owner) => self.when(owner),
            };
            self.hear(and_not(hearer, teller.clone()), from, *message, name, out);
        }
    }

    fn hear(
        &mut self,
        when: When,
        from: &Owner,
        message: MessageId,
        name: LocalId,
        out: &mut Block,
    ) {
        let span = Span::default();
        match when {
            When::Never => {}
            When::Always => {
                let receive = self.receive(message, from, name, span);
                out.push(receive);
            }
            When::If(condition) => {
                // Who tells has it already, and others of the family have to have the name, too.
                let declared = self.names.get(&name).copied();
                let place = match declared {
                    Some((id, _)) if self.locals[id.index()].mutable => Place {
                        root: Root::Local(id),
                        path: Vec::new(),
                        span,
                    },
                    _ => self.declare(name, span, out),
                };
                let kept = self.names[&name];
                let receive = self.receive(message, from, name, span);
                let heard = self.names[&name].0;
                self.names.insert(name, kept);
                let block = vec![receive, self.copy(place, heard, span)];
                self.joined(out, condition, block);
            }
        }
    }

    fn sends(&mut self, from: &Owner, to: &[(Who, MessageId)], name: LocalId) -> Block {
        if from.family != self.family {
            return Vec::new();
        }
        let mut out = Vec::new();
        for (who, message) in to {
            match who {
                Who::One(owner) => {
                    let value = self.read(name);
                    let send = self.send(*message, value, owner, Span::default());
                    match self.when(owner) {
                        When::Never => out.push(send),
                        When::Always => {}
                        When::If(me) => self.joined(&mut out, not(me), vec![send]),
                    }
                }
                Who::Family(family) => out.extend(self.send_to_all(*family, *message, name)),
            }
        }
        out
    }

    /// To every member of a family but the teller itself.
    fn send_to_all(&mut self, family: FamilyId, message: MessageId, name: LocalId) -> Block {
        let span = Span::default();
        let binders = self.score.song.families[family.index()].index.clone();
        let names: Vec<LocalId> = binders
            .iter()
            .map(|binder| self.add(&binder.name, &binder.ty, false))
            .collect();
        let index: Vec<Expr> = names
            .iter()
            .zip(&binders)
            .map(|(id, binder)| crate::terms::local(*id, &binder.ty))
            .collect();
        let value = self.read(name);
        let address = pid(self.score.families[&family], index.clone());
        let mut block = vec![stmt(StmtKind::Send(message, vec![value], address), span)];
        if family == self.family && !index.is_empty() {
            let parts = index.into_iter().enumerate();
            let me = parts.map(|(at, index)| crate::terms::equal(index, self.me(at)));
            let other = not(super::conjunction(me.collect()));
            block = vec![stmt(StmtKind::If(other, block, Vec::new()), span)];
        }
        for (id, binder) in names.iter().zip(&binders).rev() {
            let kind = StmtKind::For {
                local: *id,
                domain: crate::terms::everything(&binder.ty),
                filter: None,
                clauses: LoopClauses::default(),
                body: block,
            };
            block = vec![stmt(kind, span)];
        }
        block
    }
}
