//! Code of processes as code of actions: variables, names and messages.

use super::{ActionBuilder, at, binary};
use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{
    Access, ActionId, BinOp, Expr, ExprKind, FamilyId, LocalId, PendingOf, Place, Root, Stmt,
    StmtKind, Ty,
};

/// Code of a process: its own variables are entries of global maps, its names those of the action.
pub(super) struct Inside<'a, 's> {
    pub(super) making: &'a ActionBuilder<'s>,
    pub(super) family: FamilyId,
    /// The indices of the member whose code this is.
    pub(super) member: Vec<Expr>,
    /// What stands for names bound outside of the body.
    pub(super) names: Vec<(LocalId, Expr)>,
    /// By how much other locals move.
    pub(super) by: usize,
    pub(super) wrong: Option<String>,
}

impl VisitMut for Inside<'_, '_> {
    fn expr(&mut self, expr: &mut Expr) {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Local(local) => {
                if let Some((_, value)) = self.names.iter().find(|(name, _)| name == local) {
                    *expr = value.clone();
                    return;
                }
            }
            ExprKind::Own(var) => {
                let global = Expr {
                    kind: ExprKind::Global(self.making.global(self.family, *var)),
                    ty: self.making.global_ty(self.family, &expr.ty),
                    span,
                };
                *expr = at(global, &self.member);
                return;
            }
            ExprKind::SelfPid => {
                expr.kind = ExprKind::Pid(self.family, self.member.clone());
                return;
            }
            _ => {}
        }
        walk_mut::expr(self, expr);
    }

    fn place(&mut self, place: &mut Place) {
        walk_mut::place(self, place);
        if let Root::Own(var) = place.root {
            place.root = Root::Global(self.making.global(self.family, var));
            let own = self.member.iter().cloned().map(Access::Index);
            place.path.splice(0..0, own);
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        walk_mut::stmt(self, stmt);
        let mut sending = SendRewriter {
            making: self.making,
            sender: Some((self.family, self.member.clone())),
            wrong: None,
        };
        sending.send(stmt);
        self.wrong = self.wrong.take().or(sending.wrong);
    }

    fn binds(&mut self, local: &mut LocalId) {
        *local = LocalId::from(local.index() + self.by);
    }

    fn uses(&mut self, local: &mut LocalId) {
        *local = LocalId::from(local.index() + self.by);
    }
}

/// Messages that are sent become asyncs.
pub(super) struct SendRewriter<'a, 's> {
    pub(super) making: &'a ActionBuilder<'s>,
    pub(super) sender: Option<(FamilyId, Vec<Expr>)>,
    pub(super) wrong: Option<String>,
}

impl SendRewriter<'_, '_> {
    fn send(&mut self, stmt: &mut Stmt) {
        if let StmtKind::Send(message, payload, address) = &stmt.kind {
            let sender = self.sender.as_ref();
            let sender = sender.map(|(family, own)| (*family, &own[..]));
            match self.making.sent(sender, (*message, payload, address)) {
                Ok(kind) => stmt.kind = kind,
                Err(why) => self.wrong = Some(why),
            }
        }
    }
}

impl VisitMut for SendRewriter<'_, '_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        walk_mut::stmt(self, stmt);
        self.send(stmt);
    }
}

/// Code that speaks about all processes: schedules and properties.
pub(super) struct Outside<'a, 's>(pub(super) &'a ActionBuilder<'s>);

impl VisitMut for Outside<'_, '_> {
    fn expr(&mut self, expr: &mut Expr) {
        walk_mut::expr(self, expr);
        let span = expr.span;
        match &expr.kind {
            ExprKind::Of(family, indices, var) => {
                let global = Expr {
                    kind: ExprKind::Global(self.0.global(*family, *var)),
                    ty: self.0.global_ty(*family, &expr.ty),
                    span,
                };
                *expr = at(global, indices);
            }
            ExprKind::Pending(PendingOf::Message(message)) => {
                let rows = self.0.rows.iter().enumerate();
                let own = rows.filter(|(_, row)| row.message == *message);
                let counts = own.map(|(number, _)| Expr {
                    kind: ExprKind::Pending(PendingOf::Action(ActionId::from(number))),
                    ty: Ty::Nat,
                    span,
                });
                let sum = counts.reduce(|a, b| binary(BinOp::Add, a, b, Ty::Nat));
                *expr = sum.unwrap_or(Expr {
                    kind: ExprKind::Int(0),
                    ty: Ty::Nat,
                    span,
                });
            }
            _ => {}
        }
    }
}
