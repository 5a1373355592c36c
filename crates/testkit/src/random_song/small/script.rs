//! The statements of one process, from its share of the plan.

use super::plan::{Plan, Step};
use super::{FLAG, LOG, Small};
use crate::random_song::normal::{self, expr};
use crate::random_song::stmts::stmt;
use plainsong_ir::{
    Accept, BinOp, Block, Builtin, Choice, Domain, Expr, ExprKind, FamilyId, LocalId, MessageId,
    Place, Root, Source, Stmt, StmtKind, Ty, UnOp, VarId,
};

/// What a process does for one step of the plan.
#[derive(Clone, Copy)]
enum Act {
    Send(Step),
    /// From a family, or from `init`.
    Receive(MessageId, Option<FamilyId>),
}

impl Small {
    /// The body of a process.
    pub(super) fn script(&mut self, family: FamilyId, plan: &Plan) -> Block {
        let mut acts = self.acts(family, plan);
        for at in 1..acts.len() {
            if self.composer.dice.once_in(5) {
                acts.swap(at - 1, at);
            }
        }
        let mut body = Vec::new();
        for act in acts {
            match act {
                Act::Send(step) => self.sending(step, &mut body),
                Act::Receive(message, from) => self.receiving(message, from, &mut body),
            }
            if self.composer.dice.once_in(8) {
                body.push(self.remark());
            }
        }
        body
    }

    fn acts(&self, family: FamilyId, plan: &Plan) -> Vec<Act> {
        let mut acts = Vec::new();
        if let Some((message, to)) = plan.first
            && to == family
        {
            acts.push(Act::Receive(message, None));
        }
        for step in &plan.steps {
            if step.from == family {
                acts.push(Act::Send(*step));
            }
            if step.to == family {
                let senders = if step.like_itself {
                    1
                } else {
                    self.members[step.from.index()]
                };
                let receive = Act::Receive(step.message, Some(step.from));
                acts.extend(std::iter::repeat_n(receive, senders));
            }
        }
        acts
    }

    /// A send, perhaps only under a condition.
    fn sending(&mut self, step: Step, body: &mut Block) {
        if self.composer.dice.once_in(4) {
            body.push(self.choice());
        }
        let only = step.like_itself.then(|| {
            let index = &self.composer.song.families[step.from.index()].index[0];
            self.like(expr(ExprKind::Local(LocalId(0)), index.ty.clone()))
        });
        let sends = self.sends(step.message, step.to, only.clone());
        match self.composer.dice.below(7) {
            0 => body.push(stmt(StmtKind::Maybe(sends, Vec::new()))),
            1 => {
                let other = self.sends(step.message, step.to, only);
                body.push(stmt(StmtKind::Maybe(sends, other)));
            }
            2 => {
                let condition = self.value(&Ty::Bool);
                body.push(stmt(StmtKind::If(condition, sends, Vec::new())));
            }
            _ => body.extend(sends),
        }
    }

    /// An index like the sender's own: the same, or the other one where that can be said.
    fn like(&mut self, own: Expr) -> Expr {
        if own.ty == Ty::Bool && self.composer.dice.once_in(2) {
            return expr(ExprKind::Unary(UnOp::Not, Box::new(own)), Ty::Bool);
        }
        own
    }

    /// A receive of some kind, and what is done with the value.
    fn receiving(&mut self, message: MessageId, from: Option<FamilyId>, body: &mut Block) {
        if !self.composer.dice.once_in(3) {
            let (accept, note) = self.accept(message, from);
            body.push(stmt(StmtKind::Receive(accept)));
            body.extend(note);
            return;
        }
        let mut arms = vec![self.arm(message, from)];
        if self.composer.dice.once_in(2) {
            let other = self.some_message();
            arms.push(self.arm(other, None));
        }
        let timeout = self.composer.dice.once_in(2).then(|| vec![self.flip()]);
        body.push(stmt(StmtKind::Select(arms, timeout)));
    }

    fn arm(&mut self, message: MessageId, from: Option<FamilyId>) -> (Accept, Block) {
        let before = self.composer.scope.visible.len();
        let (accept, note) = self.accept(message, from);
        self.composer.scope.visible.truncate(before);
        (accept, note)
    }

    /// What is accepted, and a note of it in the log.
    pub(super) fn accept(&mut self, message: MessageId, from: Option<FamilyId>) -> (Accept, Block) {
        let payload = self.payload(message);
        let slot = payload.clone().map(|ty| self.composer.bind_fresh(ty));
        let source = self.source(from);
        let value = slot
            .zip(payload)
            .map(|(slot, ty)| expr(ExprKind::Local(slot), ty));
        let filter = match &value {
            Some(value) if self.composer.dice.once_in(4) => Some(self.about(value)),
            _ => None,
        };
        let slots = slot.into_iter().map(Some).collect();
        let noted = match (&source, value) {
            (Source::Family(_, named, _), _)
                if self.is_truth(named) && self.composer.dice.once_in(2) =>
            {
                expr(ExprKind::Local(named[0]), Ty::Bool)
            }
            (_, Some(value)) => self.about(&value),
            (_, None) => normal::boolean(true),
        };
        let note = vec![self.log(noted)];
        (
            Accept {
                message,
                slots,
                source,
                filter,
                span: Default::default(),
            },
            note,
        )
    }

    /// Is there one name, of a truth value?
    fn is_truth(&self, names: &[LocalId]) -> bool {
        matches!(names, [one] if self.composer.scope.locals[one.index()].ty == Ty::Bool)
    }

    fn source(&mut self, from: Option<FamilyId>) -> Source {
        let Some(family) = from else {
            return Source::Anyone(None);
        };
        let index = self.composer.song.families[family.index()]
            .index
            .first()
            .cloned();
        match (self.composer.dice.below(5), index) {
            (0, _) => Source::Anyone(None),
            (1, None) => Source::Family(family, vec![], None),
            (_, None) => Source::Process(expr(ExprKind::Pid(family, vec![]), Ty::Process)),
            (1, Some(row)) => {
                let local = self.composer.bind_fresh(row.ty);
                Source::Family(family, vec![local], None)
            }
            (2, Some(row)) if row.ty == Ty::Bool => {
                let one = normal::boolean(self.composer.dice.once_in(2));
                Source::Process(expr(ExprKind::Pid(family, vec![one]), Ty::Process))
            }
            (3, Some(_)) => {
                let who = self.composer.bind_fresh(Ty::Process);
                Source::Family(family, vec![], Some(who))
            }
            _ => Source::Family(family, vec![], None),
        }
    }

    /// A condition about a value that was received.
    fn about(&mut self, value: &Expr) -> Expr {
        match &value.ty {
            Ty::Enum(id) => {
                let variants = self.composer.song.enums[id.index()].variants.len();
                let at = self.composer.dice.below(variants);
                let variant = expr(ExprKind::Variant(*id, at, vec![]), value.ty.clone());
                let op = *self.composer.dice.pick(&[BinOp::Eq, BinOp::Ne]);
                normal::comparison(&self.composer.song, op, value.clone(), variant)
            }
            _ if self.composer.dice.once_in(3) => expr(
                ExprKind::Unary(UnOp::Not, Box::new(value.clone())),
                Ty::Bool,
            ),
            _ => value.clone(),
        }
    }

    /// A truth value or colour to send.
    pub(super) fn value(&mut self, ty: &Ty) -> Expr {
        if self.composer.dice.once_in(3)
            && let Some(leaf) = self.composer.leaf(ty)
        {
            return leaf;
        }
        match ty {
            Ty::Enum(id) => {
                let variants = self.composer.song.enums[id.index()].variants.len();
                let at = self.composer.dice.below(variants);
                expr(ExprKind::Variant(*id, at, vec![]), ty.clone())
            }
            _ => normal::boolean(self.composer.dice.once_in(2)),
        }
    }

    /// `let x = choose bool;`
    fn choice(&mut self) -> Stmt {
        let local = self.composer.bind_fresh(Ty::Bool);
        let domain = Domain::Type(Ty::Bool);
        stmt(StmtKind::LetChoice(Choice {
            local,
            domain,
            filter: None,
        }))
    }

    /// `log = log.push(value);`
    fn log(&mut self, value: Expr) -> Stmt {
        let ty = Ty::Seq(Box::new(Ty::Bool));
        let log = expr(ExprKind::Own(LOG), ty.clone());
        let longer = expr(ExprKind::Method(Builtin::Push, vec![log, value]), ty);
        assign(LOG, longer)
    }

    /// `flag = !flag;`
    fn flip(&mut self) -> Stmt {
        let flag = expr(ExprKind::Own(FLAG), Ty::Bool);
        assign(
            FLAG,
            expr(ExprKind::Unary(UnOp::Not, Box::new(flag)), Ty::Bool),
        )
    }

    /// A statement that only looks at the state, or changes it a little.
    fn remark(&mut self) -> Stmt {
        let log = expr(ExprKind::Own(LOG), Ty::Seq(Box::new(Ty::Bool)));
        let len = expr(ExprKind::Method(Builtin::Len, vec![log]), Ty::Nat);
        let bound = normal::int(self.composer.dice.between(1, 3) as i64);
        let condition = normal::comparison(&self.composer.song, BinOp::Le, len, bound);
        match self.composer.dice.below(4) {
            0 => stmt(StmtKind::Assert(condition)),
            1 => stmt(StmtKind::Assume(condition)),
            2 => {
                let flip = vec![self.flip()];
                stmt(StmtKind::If(condition, flip, Vec::new()))
            }
            _ => self.flip(),
        }
    }
}

fn assign(var: VarId, value: Expr) -> Stmt {
    let place = Place {
        root: Root::Own(var),
        path: Vec::new(),
        span: Default::default(),
    };
    stmt(StmtKind::Assign(place, value))
}
