//! Transfers: who has a value sends it, who needs it receives it. Where both may be the same member
//! of a family, it takes its own value instead.

use super::conditions::{When, and_not};
use super::{Voice, simplify};
use crate::core::{Gather, Item};
use crate::locate::key;
use crate::owner::Owner;
use crate::terms::{everything, local, pid, some, stmt};
use plainsong_diagnostics::Span;
use plainsong_ir::{
    Accept, Access, Block, Expr, LocalId, LoopClauses, MessageId, Place, Source, Stmt, StmtKind,
};

impl Voice<'_> {
    pub(super) fn obtain(&mut self, to: &Owner, items: &[Item], then: &Stmt, out: &mut Block) {
        for item in items {
            let sender = self.when(&item.from);
            let receiver = self.when(to);
            self.under(and_not(sender, receiver), out, |voice, out| {
                let value = voice.expr(&item.value);
                let send = voice.send(item.message, value, to, then.span);
                out.push(send);
            });
        }
        let receiver = self.when(to);
        let is_plain = matches!(receiver, When::Always)
            && items.iter().all(|item| item.from.family != self.family);
        let binds = matches!(then.kind, StmtKind::Let(..) | StmtKind::LetChoice(_));
        if binds && !is_plain && !matches!(receiver, When::Never) {
            let name = match &then.kind {
                StmtKind::Let(name, _) => *name,
                StmtKind::LetChoice(choice) => choice.local,
                _ => return,
            };
            let place = self.declare(name, then.span, out);
            return self.under(receiver, out, |voice, out| {
                voice.receive_all(items, then, Some((name, place)), out);
            });
        }
        self.under(receiver, out, |voice, out| {
            voice.receive_all(items, then, None, out);
        });
    }

    /// Receives what is still to come, then does `then`, into a declared name if it binds one.
    fn receive_all(
        &mut self,
        items: &[Item],
        then: &Stmt,
        into: Option<(LocalId, Place)>,
        out: &mut Block,
    ) {
        let Some((item, rest)) = items.split_first() else {
            let then = match into {
                None => self.stmt(then),
                Some((name, place)) => self.store(then, name, place),
            };
            return out.push(then);
        };
        let span = then.span;
        match self.when(&item.from) {
            When::Always => {
                let value = self.expr(&item.value);
                let name = self.bind(item.local);
                out.push(stmt(StmtKind::Let(name, value), span));
                self.receive_all(rest, then, into, out);
            }
            When::Never => {
                let receive = self.receive(item.message, &item.from, item.local, span);
                out.push(receive);
                self.receive_all(rest, then, into, out);
            }
            When::If(condition) => {
                let value = self.expr(&item.value);
                let name = self.bind(item.local);
                let mut mine = vec![stmt(StmtKind::Let(name, value), span)];
                self.receive_all(rest, then, into.clone(), &mut mine);
                let mut others = vec![self.receive(item.message, &item.from, item.local, span)];
                self.receive_all(rest, then, into, &mut others);
                out.push(stmt(StmtKind::If(condition, mine, others), span));
            }
        }
    }

    /// A statement that binds a name, as an assignment to the one that was declared for it.
    pub(super) fn store(&mut self, then: &Stmt, name: LocalId, place: Place) -> Stmt {
        let declared = self.names.get(&name).copied();
        let stored = match &then.kind {
            StmtKind::Let(_, value) => {
                let value = self.expr(value);
                stmt(StmtKind::Assign(place, self.wrap(name, value)), then.span)
            }
            StmtKind::LetChoice(choice) => {
                let candidate = self.plain(name);
                self.names.insert(name, (candidate, false));
                let choice = self.choice(choice, candidate);
                match declared {
                    Some((_, true)) => self.chosen_into(place, choice, then.span),
                    _ => stmt(StmtKind::AssignChoice(place, choice), then.span),
                }
            }
            _ => self.stmt(then),
        };
        self.names.extend(declared.map(|row| (name, row)));
        stored
    }

    pub(super) fn gather(&mut self, gather: &Gather, out: &mut Block) {
        let span = Span::default();
        let from_here = gather.from.family == self.family;
        let receiver = self.when(&gather.to);
        if from_here {
            // One round of the loop over all members is a member's own.
            let indices: Vec<Expr> = (0..gather.keys.len()).map(|at| self.me(at)).collect();
            for (key, index) in gather.keys.iter().zip(&indices) {
                if let plainsong_ir::ExprKind::Local(me) = index.kind {
                    self.names.insert(*key, (me, false));
                }
            }
            self.under(
                and_not(When::Always, receiver.clone()),
                out,
                |voice, out| {
                    let value = voice.expr(&gather.value);
                    let send = voice.send(gather.message, value, &gather.to, span);
                    out.push(send);
                },
            );
        }
        if matches!(receiver, When::Never) {
            return;
        }
        let place = self.declare(gather.map, span, out);
        self.under(receiver, out, |voice, out| {
            let block = voice.gather_each(gather, 0, &place);
            out.extend(block);
        });
    }

    /// The loops over the indices of the members, from the one at `depth` inwards.
    fn gather_each(&mut self, gather: &Gather, depth: usize, place: &Place) -> Block {
        let span = Span::default();
        let Some(name) = gather.keys.get(depth) else {
            return self.gather_one(gather, place);
        };
        let ty = self.score.locals[name.index()].ty.clone();
        let local = self.bind(*name);
        let body = self.gather_each(gather, depth + 1, place);
        let kind = StmtKind::For {
            local,
            domain: everything(&ty),
            filter: None,
            clauses: LoopClauses::default(),
            body,
        };
        vec![stmt(kind, span)]
    }

    fn gather_one(&mut self, gather: &Gather, map: &Place) -> Block {
        let span = Span::default();
        let keys = gather.keys.iter().map(|name| self.read(*name)).collect();
        let mut place = map.clone();
        place.path.push(Access::Index(key(keys)));
        let is_wrapped = {
            let plainsong_ir::Ty::Map(_, stored) = &self.score.locals[gather.map.index()].ty else {
                unreachable!("values are gathered into a map");
            };
            **stored != gather.value.ty
        };
        let keep = |value: Expr| match is_wrapped {
            true => some(value),
            false => value,
        };
        let receive = self.receive(gather.message, &gather.from, gather.local, span);
        let received = self.read(gather.local);
        let theirs = vec![
            receive,
            stmt(StmtKind::Assign(place.clone(), keep(received)), span),
        ];
        match self.when(&gather.from) {
            When::Never => theirs,
            When::Always => {
                let value = self.expr(&gather.value);
                vec![stmt(StmtKind::Assign(place, keep(value)), span)]
            }
            When::If(condition) => {
                let value = self.expr(&gather.value);
                let mine = vec![stmt(StmtKind::Assign(place, keep(value)), span)];
                vec![stmt(StmtKind::If(condition, mine, theirs), span)]
            }
        }
    }

    pub(super) fn send(&mut self, message: MessageId, value: Expr, to: &Owner, span: Span) -> Stmt {
        let address = self.address(to);
        stmt(StmtKind::Send(message, vec![value], address), span)
    }

    pub(super) fn receive(
        &mut self,
        message: MessageId,
        from: &Owner,
        name: LocalId,
        span: Span,
    ) -> Stmt {
        let source = Source::Process(self.address(from));
        let slots = vec![Some(self.bind(name))];
        let accept = Accept {
            message,
            slots,
            source,
            filter: None,
            span,
        };
        stmt(StmtKind::Receive(accept), span)
    }

    pub(super) fn address(&mut self, of: &Owner) -> Expr {
        let index = of.index.iter().map(|index| self.expr(index)).collect();
        pid(self.score.families[&of.family], index)
    }

    /// A local as an assignable place with the value of another.
    pub(super) fn copy(&self, place: Place, from: LocalId, span: Span) -> Stmt {
        let ty = self.locals[from.index()].ty.clone();
        stmt(StmtKind::Assign(place, local(from, &ty)), span)
    }

    /// Statements under a condition, joined with what stands before under the same one.
    pub(super) fn joined(&self, out: &mut Block, condition: Expr, block: Block) {
        simplify::push_under(out, condition, block);
    }
}
