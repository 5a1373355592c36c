//! Procedures that move: one step at their own layer, known by a contract.
//!
//! Statement. A procedure `p` declared `left`, `right` or `both` does not yield at its layer, and each of its steps is of that
//! kind ([`crate::atomicity`]). Where it is called, what it `requires` holds; behind it, the globals that it writes, itself or
//! through others that it calls, are anything that it `ensures`, and all others are what they were. Its body, followed alone
//! from any state in which it may be called, does not fail and ends with what it ensures. If it moves left and calls
//! itself, in the second half of no `maybe`, what it `decreases` decreases.
//!
//! Why sound. It is called by procedures of its own layer only, and is gone above with them. So the program of that layer is
//! the one in which each call is the body: a stretch without yields, in which nobody else is seen to act. There a
//! contract is worth as much as in a sequential program. That the body may be one step of its kind follows as for
//! any stretch: all of its steps move the same way. Behind a commit point it has to be able to come to an end: its loops have
//! measures, and so has its calling itself; calls of others that move do not lead back to it. As for loops
//! ([`super::loops`]) that is asked of the program in which each `maybe` takes its first half: wherever an execution is,
//! it may go on like that, and what it still has to call comes to an end from any state in which it may be called.
//!
//! *Synchronization*. Where its caller `synchronizes` it, `async p(…)` is the same as a call: all of its steps move left, past
//! those of others, to where it was started, the first one first. It does not block and comes to an end, so what is not
//! done when something fails can be done before. [Kragl20] sections 2.5 and 4.2.
//!
//! NOT COVERED. Asyncs that are left behind by a procedure that moves, and arms of a `par`.

use super::loops::Written;
use super::{Path, ProcedureWalk, actions};
use crate::layer_program::moves_here;
use plainsong_diagnostics::Span;
use plainsong_ir::{Contract, Expr, GlobalId, LocalId, Mover, ProcedureId};
use plainsong_prove::lower::{Env, Lowering, Store, Unsupported};
use plainsong_prove::term::Term;
use plainsong_prove::theory::Result;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Where a procedure that moves began.
#[derive(Clone, Debug)]
pub(super) struct EntryState {
    /// The values of its parameters.
    locals: Vec<(LocalId, Term)>,
    store: Rc<Store>,
    measures: Vec<Term>,
}

impl ProcedureWalk<'_> {
    /// Is the procedure that is followed one step here?
    pub(super) fn is_moving(&self) -> bool {
        moves_here(self.decl(&self.song), self.layer).is_some()
    }

    /// Relies on what is required, and remembers where it began.
    pub(super) fn begin_moving(&mut self, path: &mut Path) -> Result<()> {
        let song = self.song.clone();
        let contract = &self.decl(&song).contract;
        for condition in &contract.requires {
            let holds = self.stated(path, condition, None)?;
            path.known.push(holds);
        }
        let measures = self.named(path, &contract.decreases)?;
        let locals = path.env.locals.iter();
        path.begun = Some(EntryState {
            locals: locals.map(|(local, value)| (*local, *value)).collect(),
            store: Rc::new(path.env.store.clone()),
            measures,
        });
        Ok(())
    }

    /// The end: what it ensures holds, and nothing is left behind.
    pub(super) fn end_moving(&mut self, path: &Path) -> Result<()> {
        let song = self.song.clone();
        let decl = self.decl(&song);
        if !path.created.is_empty() || !path.owed.is_empty() {
            let message = "a procedure that moves and leaves asyncs behind is not covered";
            return Err(Unsupported::new(decl.span, message));
        }
        let Some(begun) = &path.begun else {
            return Ok(());
        };
        let mut end = path.clone();
        end.env.locals.extend(begun.locals.iter().copied());
        for condition in &decl.contract.ensures {
            let holds = self.stated(&end, condition, Some(&begun.store))?;
            self.oblige(
                path,
                "moving/ensures",
                condition.span,
                "this holds at the end",
                holds,
            );
        }
        Ok(())
    }

    /// A call: the result, if there is one.
    pub(super) fn moving_call(
        &mut self,
        path: &mut Path,
        id: ProcedureId,
        arguments: &[Term],
        span: Span,
    ) -> Result<Option<Term>> {
        self.in_callee(path, arguments, |this, path| {
            this.by_contract(path, id, span)
        })
    }

    /// What is known behind a call, where names are the callee's.
    fn by_contract(
        &mut self,
        path: &mut Path,
        id: ProcedureId,
        span: Span,
    ) -> Result<Option<Term>> {
        let song = self.song.clone();
        let callee = &actions(&song).procedures[id.index()];
        let Contract {
            requires,
            ensures,
            decreases,
            ..
        } = &callee.contract;
        for condition in requires {
            let holds = self.stated(path, condition, None)?;
            let told = format!("what `{}` requires holds here", callee.name);
            self.oblige(path, "moving/requires", span, &told, holds);
            path.known.push(holds);
        }
        let measures = self.named(path, decreases)?;
        self.gets_less(path, id, &measures, span);
        let before = Rc::new(path.env.store.clone());
        self.forget_globals(path, &self.writes_of(id))?;
        let mut result = None;
        if let Some(local) = callee.result {
            let row = &callee.code.locals[local.index()];
            let (value, valid) = self.theory.arbitrary(&row.name, &row.ty, row.span)?;
            path.known.push(valid);
            path.env.locals.insert(local, value);
            result = Some(value);
        }
        for condition in ensures {
            let holds = self.stated(path, condition, Some(&before))?;
            path.known.push(holds);
        }
        Ok(result)
    }

    /// If the callee leads back to the procedure that is followed, and that moves left, its measure is smaller.
    fn gets_less(&mut self, path: &Path, id: ProcedureId, measures: &[Term], span: Span) {
        let song = self.song.clone();
        let Some(begun) = &path.begun else { return };
        let is_left = self.decl(&song).mover.is_some_and(Mover::is_left);
        let mut written = Written::new(actions(&song), self.layer, true);
        written.procedure(id);
        let leads_back = id == self.procedure || written.called.contains(&self.procedure);
        // With the first half of every `maybe`, it does not come here.
        if !is_left || !leads_back || path.put_off {
            return;
        }
        let goal = match measures.len() == begun.measures.len() && !measures.is_empty() {
            true => self.theory.terms.precedes(measures, &begun.measures),
            false => self.theory.terms.bool(false),
        };
        let callee = &actions(&song).procedures[id.index()].name;
        let told = format!("what decreases is smaller for `{callee}`");
        self.oblige(path, "moving/decreases", span, &told, goal);
    }

    /// The globals that a procedure that moves writes, itself or through others.
    fn writes_of(&self, id: ProcedureId) -> BTreeSet<GlobalId> {
        let mut written = Written::new(actions(&self.song), self.layer, true);
        written.procedure(id);
        written.globals
    }

    /// That a condition is defined, and true.
    pub(super) fn stated(
        &mut self,
        path: &Path,
        condition: &Expr,
        old: Option<&Rc<Store>>,
    ) -> Result {
        let env = Env {
            old: old.cloned(),
            ..path.env.clone()
        };
        let mut lowering = Lowering::new(self.theory, env);
        let holds = lowering.expr(condition)?;
        let definedness = std::mem::take(&mut lowering.definedness);
        let mut parts: Vec<Term> = definedness.iter().map(|one| one.condition).collect();
        parts.push(holds);
        Ok(self.theory.terms.and(&parts))
    }
}
