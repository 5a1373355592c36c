//! Asyncs that procedures create.
//!
//! Statement. An async of a procedure that refines `B` is one of `B` one layer up. So the step that a procedure
//! gives way to creates as many asyncs of `B` with each arguments as the stretch did; those of procedures that
//! refine nothing are nothing there. A loop that only starts threads creates one for each element.
//!
//! *Synchronization*: asyncs of a procedure named after `synchronizes` are done where they are created, at the
//! procedure's own layer: there they are actions, of lower procedures, and these move left.
//!
//! Why sound. An async may run at any later time. As a left mover it can be moved to where it was created,
//! past the steps of all others; if it did not run before a failure, it can be inserted there, for it does not
//! block and hides no failure. As it is a single action it always comes to an end, so cooperation asks for
//! nothing more; loops behind a commit point have a measure ([`crate::atomicity`]). [Kragl20] sections 4.2, 4.3.
//!
//! Every async that is pending at a layer is thus one of a procedure of a lower layer that some procedure starts, and
//! [`super::pending`] shows what these keep.

use super::{Path, ProcedureWalk, actions};
use crate::layer_program::{Meant, action_at, meant, moves_here};
use crate::read_write_sets::Footprint;
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{
    Action, ActionId, Actions, Block, Call, Callee, Code, Expr, ExprKind, LocalId, Procedure,
    ProcedureId, Stmt, StmtKind,
};
use plainsong_prove::gated_actions::{Created, Gated, counted};
use plainsong_prove::lower::Unsupported;
use plainsong_prove::term::Term;
use plainsong_prove::theory::Result;
use std::collections::BTreeSet;

impl ProcedureWalk<'_> {
    /// `async p(…);`
    pub(super) fn spawn(
        &mut self,
        path: &mut Path,
        id: ProcedureId,
        arguments: &[Expr],
        span: Span,
    ) -> Result<()> {
        let song = self.song.clone();
        let callee = meant(actions(&song), Callee::Procedure(id), self.layer);
        if callee == Meant::Nothing {
            return Ok(());
        }
        let started = &actions(&song).procedures[id.index()];
        self.give_away(path, started, arguments);
        let arguments = self.values(path, arguments)?;
        if moves_here(started, self.layer).is_some() {
            self.moving_call(path, id, &arguments, span)?;
            return Ok(());
        }
        if let Some(action) = self.synchronized(id) {
            self.required(path, action, &arguments, span)?;
            self.act(path, action, &arguments, span)?;
            return Ok(());
        }
        let owed = self.clauses(path, id, &arguments, true)?;
        path.owed.extend(owed);
        if let Some(action) = started.refines {
            path.created.push(Created {
                condition: self.theory.terms.bool(true),
                action: action_at(actions(&song), action, self.layer + 1),
                arguments,
                each: Vec::new(),
            });
        }
        Ok(())
    }

    fn give_away(&self, path: &mut Path, started: &Procedure, arguments: &[Expr]) {
        for parameter in &started.linear {
            if let ExprKind::Local(local) = arguments[parameter.index()].kind {
                path.held.remove(&local);
            }
        }
    }

    /// The action that is done where a procedure is started, if it is synchronized here.
    fn synchronized(&self, id: ProcedureId) -> Option<ActionId> {
        let decl = self.decl(&self.song);
        let here = self.refines_here() && decl.synchronizes.contains(&id);
        let started = &actions(&self.song).procedures[id.index()];
        let action = started.refines.filter(|_| here)?;
        Some(action_at(actions(&self.song), action, self.layer))
    }

    /// `for x in D { async p(…); }`: one for each element. What is done at once, is done by one action after the
    /// other, so it is not covered here.
    pub(super) fn start_each(&mut self, path: &mut Path, stmt: &Stmt) -> Result<()> {
        let song = self.song.clone();
        let all = actions(&song);
        let mut starting = SpawnToAsync {
            actions: all,
            layer: self.layer + 1,
            started: BTreeSet::new(),
        };
        let mut counted = stmt.clone();
        starting.stmt(&mut counted);
        for id in &starting.started {
            let row = &all.procedures[id.index()];
            let message = if !row.linear.is_empty() {
                "permissions are not handed out in loops of procedures yet"
            } else if self.synchronized(*id).is_some() || moves_here(row, self.layer).is_some() {
                "asyncs of a loop are not synchronized yet"
            } else {
                continue;
            };
            return Err(Unsupported::new(stmt.span, message));
        }
        self.owe_each(path, std::slice::from_ref(stmt))?;
        let code = Code {
            arity: 0,
            locals: self.decl(&song).code.locals.clone(),
            body: vec![counted],
        };
        let arguments = self.all_locals(path, code.locals.len());
        let store = path.env.store.clone();
        let run = Gated::run(self.theory, &code, None, &store, &arguments, None)?;
        for part in &run.gate {
            self.may_not_fail(path, part.holds, part.span, "the arguments are defined");
        }
        path.created.extend(run.created);
        Ok(())
    }

    /// Owes what is required by all that is started, for any elements: more than those that there are.
    fn owe_each(&mut self, path: &mut Path, block: &[Stmt]) -> Result<()> {
        let song = self.song.clone();
        for stmt in block {
            match &stmt.kind {
                StmtKind::For { local, body, .. } => {
                    let row = &self.decl(&song).code.locals[local.index()];
                    let (element, _) = self.theory.arbitrary(&row.name, &row.ty, row.span)?;
                    let outside = path.env.locals.insert(*local, element);
                    self.owe_each(path, body)?;
                    path.env.locals.remove(local);
                    path.env.locals.extend(outside.map(|value| (*local, value)));
                }
                StmtKind::If(_, yes, no) => {
                    self.owe_each(path, yes)?;
                    self.owe_each(path, no)?;
                }
                StmtKind::Spawn(id, arguments) => {
                    let arguments = self.values(path, arguments)?;
                    let owed = self.clauses(path, *id, &arguments, true)?;
                    path.owed.extend(owed);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// An action that is called by its name leaves no asyncs behind: they would be threads of their own, at layers where
    /// nothing was shown about what they do to invariants ([`super::pending`]).
    pub(super) fn leaves_nothing(&self, call: &Call) -> Result<()> {
        let Callee::Action(id) = call.callee else {
            return Ok(());
        };
        let action = &actions(&self.song).actions[id.index()];
        match Footprint::of(action).creates {
            false => Ok(()),
            true => Err(Unsupported::new(
                call.span,
                "an action that creates asyncs is called by its name; let a procedure create them",
            )),
        }
    }

    pub(super) fn nothing_created(&mut self, created: &[Created]) -> Term {
        let terms = &mut self.theory.terms;
        let mut parts = Vec::new();
        for one in created {
            let mut none = terms.not(one.condition);
            for member in one.each.iter().rev() {
                none = terms.forall(*member, none);
            }
            parts.push(none);
        }
        terms.and(&parts)
    }

    /// Are the same asyncs created, and equally often? Action by action.
    pub(super) fn created_alike(&mut self, one: &[Created], two: &[Created]) -> Result<Vec<Term>> {
        let song = self.song.clone();
        let kinds = one.iter().chain(two).map(|created| created.action);
        let kinds: BTreeSet<ActionId> = kinds.collect();
        let mut parts = Vec::new();
        for id in kinds {
            let action: &Action = &actions(&song).actions[id.index()];
            let (mut keys, mut valid) = (Vec::new(), Vec::new());
            for row in &action.code.locals[..action.code.arity] {
                let (key, is_valid) = self.theory.arbitrary(&row.name, &row.ty, row.span)?;
                keys.push(key);
                valid.push(is_valid);
            }
            let counts = [one, two].map(|list| counted(self.theory, list, id, &keys));
            let terms = &mut self.theory.terms;
            let valid = terms.and(&valid);
            let equal = terms.eq(counts[0], counts[1]);
            let mut alike = terms.implies(valid, equal);
            for key in keys.into_iter().rev() {
                alike = terms.forall(key, alike);
            }
            parts.push(alike);
        }
        Ok(parts)
    }
}

/// Does the block only start threads, perhaps under conditions?
pub(super) fn only_starts(block: &Block) -> bool {
    !block.is_empty()
        && block.iter().all(|stmt| match &stmt.kind {
            StmtKind::Spawn(..) => true,
            StmtKind::If(_, yes, no) => only_starts(yes) && (no.is_empty() || only_starts(no)),
            StmtKind::For { body, .. } => only_starts(body),
            _ => false,
        })
}

/// Asyncs of procedures become those of their actions, or nothing.
struct SpawnToAsync<'s> {
    actions: &'s Actions,
    layer: u32,
    started: BTreeSet<ProcedureId>,
}

impl VisitMut for SpawnToAsync<'_> {
    fn block(&mut self, block: &mut Block) {
        walk_mut::block(self, block);
        let stmts = std::mem::take(block);
        for mut stmt in stmts {
            if let StmtKind::Spawn(id, arguments) = stmt.kind {
                self.started.insert(id);
                let Some(action) = self.actions.procedures[id.index()].refines else {
                    continue;
                };
                let action = action_at(self.actions, action, self.layer);
                stmt.kind = StmtKind::Async(action, arguments);
            }
            block.push(stmt);
        }
    }

    fn uses(&mut self, _: &mut LocalId) {}
}
