//! Code of processes as code of actions: variables, names and messages.

use super::{ActionBuilder, Refusal};
use crate::build::operation;
use crate::visit::{VisitMut, walk_mut};
use crate::{
    Access, ActionId, BinOp, Block, Expr, ExprKind, FamilyId, LocalId, PendingOf, Place, Root,
    Stmt, StmtKind, Ty,
};

/// The code of a process, or of `init`: variables of the process are entries of global maps, its names those of the
/// action, and messages that are sent become asyncs.
pub(super) struct CodeRewriter<'a, 's> {
    pub(super) builder: &'a ActionBuilder<'s>,
    /// The member whose code this is: family and indices. None for `init`.
    pub(super) member: Option<(FamilyId, Vec<Expr>)>,
    /// What stands for names bound outside of the body.
    pub(super) names: Vec<(LocalId, Expr)>,
    /// By how much other locals move.
    pub(super) by: usize,
    pub(super) refused: Option<Refusal>,
}

impl<'a, 's> CodeRewriter<'a, 's> {
    pub(super) fn of_init(builder: &'a ActionBuilder<'s>) -> Self {
        CodeRewriter {
            builder,
            member: None,
            names: Vec::new(),
            by: 0,
            refused: None,
        }
    }

    fn member(&self) -> (FamilyId, &[Expr]) {
        let (family, indices) = self.member.as_ref().expect("`init` has no variables");
        (*family, indices)
    }
}

impl VisitMut for CodeRewriter<'_, '_> {
    fn expr(&mut self, expr: &mut Expr) {
        match &expr.kind {
            ExprKind::Local(local) => {
                if let Some((_, value)) = self.names.iter().find(|(name, _)| name == local) {
                    *expr = value.clone();
                    return;
                }
            }
            ExprKind::Own(var) => {
                let (family, indices) = self.member();
                *expr = self.builder.entry(family, *var, indices, expr);
                return;
            }
            ExprKind::SelfPid => {
                let (family, indices) = self.member();
                expr.kind = ExprKind::Pid(family, indices.to_vec());
                return;
            }
            _ => {}
        }
        walk_mut::expr(self, expr);
    }

    fn place(&mut self, place: &mut Place) {
        walk_mut::place(self, place);
        if let Root::Own(var) = place.root {
            let (family, indices) = self.member();
            let own: Vec<Access> = indices.iter().cloned().map(Access::Index).collect();
            place.root = Root::Global(self.builder.global(family, var));
            place.path.splice(0..0, own);
        }
    }

    fn block(&mut self, block: &mut Block) {
        walk_mut::block(self, block);
        // Sends that are left are of messages that nobody handles.
        block.retain(|stmt| !matches!(stmt.kind, StmtKind::Send(..)));
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        walk_mut::stmt(self, stmt);
        if let StmtKind::Send(message, payload, address) = &stmt.kind {
            let sender = self.member.as_ref().map(|(_, indices)| &indices[..]);
            match self.builder.sent(sender, (*message, payload, address)) {
                Ok(Some(kind)) => stmt.kind = kind,
                Ok(None) => {}
                Err(why) => self.refused = Some(why),
            }
        }
    }

    fn binds(&mut self, local: &mut LocalId) {
        *local = LocalId::from(local.index() + self.by);
    }

    fn uses(&mut self, local: &mut LocalId) {
        *local = LocalId::from(local.index() + self.by);
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
                *expr = self.0.entry(*family, *var, indices, expr);
            }
            ExprKind::Crashed(address) => {
                if let Some(crashed) = self.0.has_crashed(address) {
                    *expr = crashed.at(span);
                }
            }
            ExprKind::Pending(PendingOf::Message(message)) => {
                let rows = self.0.rows.iter().enumerate();
                let own = rows.filter(|(_, row)| row.message == *message);
                let counts = own.map(|(number, _)| Expr {
                    kind: ExprKind::Pending(PendingOf::Action(ActionId::from(number))),
                    ty: Ty::Nat,
                    span,
                });
                let sum = counts.reduce(|a, b| operation(BinOp::Add, a, b).at(span));
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
