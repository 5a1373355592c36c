//! `repeat action`: what may be said of an action that is always on offer.
//!
//! Such an action is enabled in every state after `init`, for all arguments, wherever its `assume`s pass. So it is never
//! left pending, its arguments can be listed, and it has no part in a program of layers or a schedule, which are
//! about asyncs.

use super::Lowering;
use super::codes::layers::REPEATED_ACTION;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Action, ActionId, Actions, Expr, ExprKind, PendingOf, Song, Stmt, StmtKind};

impl Lowering<'_> {
    /// Reports uses of actions that are always on offer as if they were left pending.
    pub(crate) fn repeats(&mut self, song: &Song) {
        let Some(actions) = song.actions() else {
            return;
        };
        let Some(first) = actions.repeated() else {
            return;
        };
        let mut found = Found {
            actions,
            diagnostics: Vec::new(),
        };
        actions.actions.iter().for_each(|one| found.action(one));
        let codes = actions.actions.iter().map(|action| &action.code);
        for code in codes.chain(&actions.init) {
            walk::block(&mut found, &code.body);
        }
        for property in &song.properties {
            for claim in property.claim.conditions() {
                found.expr(claim);
            }
        }
        let with = actions.procedures.iter().map(|one| (&one.name, one.span));
        for (name, span) in with {
            let message = format!(
                "a program in layers has no actions that are always on offer, but `{}` is one",
                first.name
            );
            let help = format!("write `procedure {name}` or `repeat action`, not both");
            found.wrong(span, message, &help);
        }
        for sequence in &actions.sequences {
            let message = format!(
                "a schedule is about pending asyncs, but `{}` is always on offer",
                first.name
            );
            found.wrong(sequence.span, message, "leave asyncs of it instead");
        }
        let diagnostics = found.diagnostics;
        diagnostics.into_iter().for_each(|one| self.report(one));
    }
}

struct Found<'s> {
    actions: &'s Actions,
    diagnostics: Vec<Diagnostic>,
}

impl Found<'_> {
    fn wrong(&mut self, span: Span, message: String, help: &str) {
        let diagnostic = Diagnostic::error(&REPEATED_ACTION, span, message).help(help);
        self.diagnostics.push(diagnostic);
    }

    fn action(&mut self, action: &Action) {
        let role = &action.role;
        if !role.repeat {
            return;
        }
        let what = match role {
            _ if role.result.is_some() => "a result",
            _ if !(role.linear.is_empty() && role.taken.is_empty() && role.given.is_empty()) => {
                "permissions"
            }
            _ if role.mover.is_some() => "a mover type",
            _ if role.layers.is_some() => "layers",
            _ if role.refines.is_some() => "an action that it refines",
            _ if !role.requires.is_empty() => "a premise",
            _ => return,
        };
        let message = format!(
            "`{}` is always on offer, and is never called: it has no use for {what}",
            action.name
        );
        self.wrong(action.span, message, "leave out `repeat`, or the rest");
    }

    fn repeated(&self, id: ActionId) -> Option<&Action> {
        let action = &self.actions.actions[id.index()];
        action.role.repeat.then_some(action)
    }
}

impl Visit for Found<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Async(id, _) = &stmt.kind
            && let Some(action) = self.repeated(*id)
        {
            let message = format!("`{}` is always on offer: it is never pending", action.name);
            let help = "leave out this `async`, or the `repeat` before the action";
            self.wrong(stmt.span, message, help);
        }
        walk::stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Pending(PendingOf::Action(id)) | ExprKind::PendingOf(id, _) = &expr.kind
            && let Some(action) = self.repeated(*id)
        {
            let message = format!("`{}` is always on offer: it is never pending", action.name);
            let help = "count something that the action changes instead";
            self.wrong(expr.span, message, help);
        }
        walk::expr(self, expr);
    }
}
