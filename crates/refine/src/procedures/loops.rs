//! Loops in procedures.
//!
//! Statement. What a loop assigns has any value at its head that its invariants allow; they hold when it is
//! reached and after each round. Two kinds, told apart at each layer:
//!
//! - A loop in whose body nothing yields is part of a stretch. Its invariants may speak about globals, at the
//!   procedure's own layer; globals that its actions write have any value at the head. With a `decreases`,
//!   that is a natural number that decreases in each round in which every `maybe` takes its first half.
//! - A loop that yields in its body yields whenever it begins a round, with the invariants of the `yield`
//!   that its body begins with, if it does. A round that leads to another one changes nothing that is seen
//!   from above; one that leaves the loop may.
//!
//! Why sound. Induction over rounds: the head stands for the beginning of any of them. In a loop that
//! yields, whether something seen has changed is the same at each beginning, so it is what it was
//! when the loop was reached; a stretch of an earlier round in which the action could have happened unseen is
//! forgotten, which asks for more.
//!
//! *Coming to an end.* Behind the commit point a loop has to be able to come to its end, from wherever it is; it need not do
//! so whatever it chooses. The program in which each `maybe` takes its first half is one that may be taken from any point
//! on: there nothing waits (what waits is no left mover), so the round ends, and all further ones make the measure
//! smaller. The second half puts the end off. [Kragl20] section 4.5, where the first halves are the restriction.
//!
//! Source. [Kragl20] section 3.4. DIFFERS. There no round changes anything; here the last one may, so that a
//! loop around compare-and-swap needs no recursion.
//!
//! A loop that only starts threads starts one for each element ([`super::asyncs`]).
//!
//! NOT COVERED, and said so: other loops that do not yield and start threads with requirements, or that refine
//! actions.

use super::{Jump, Path, ProcedureWalk, Wanted, actions};
use crate::atomicity::yields;
use crate::layer_program::{Meant, is_seen, meant, moves_here};
use crate::read_write_sets::Footprint;
use plainsong_diagnostics::Span;
use plainsong_ir::ghost::{note_read, notes};
use plainsong_ir::visit::{Visit, globals_read, walk};
use plainsong_ir::{
    Actions, Block, Callee, Domain, Expr, ExprKind, GlobalId, InvariantCall, LocalId, LoopClauses,
    Place, ProcedureId, Root, Stmt, StmtKind, Ty,
};
use plainsong_prove::lower::{Env, Lowering, Store, Unsupported};
use plainsong_prove::symbolic_execution::SymbolicExecution;
use plainsong_prove::term::Term;
use plainsong_prove::theory::Result;
use std::collections::BTreeSet;
use std::rc::Rc;

/// When there is another round.
pub(super) enum GoesOn<'s> {
    /// While a condition holds.
    While(&'s Expr),
    /// For each element of something, which the name stands for.
    For {
        local: LocalId,
        ty: Ty,
        /// The collection that was listed, if not a whole type.
        listed: Option<(Ty, Term)>,
        filter: Option<&'s Expr>,
    },
}

impl ProcedureWalk<'_> {
    /// What a `for` goes through, listed once.
    pub(super) fn elements<'s>(
        &mut self,
        path: &mut Path,
        local: LocalId,
        domain: &Domain,
        filter: Option<&'s Expr>,
    ) -> Result<GoesOn<'s>> {
        let song = self.song.clone();
        let ty = self.decl(&song).code.locals[local.index()].ty.clone();
        let listed = match domain {
            Domain::Type(_) => None,
            Domain::In(collection) => {
                let value = self.read(path, collection)?;
                Some((collection.ty.clone(), value))
            }
        };
        Ok(GoesOn::For {
            local,
            ty,
            listed,
            filter,
        })
    }

    /// A loop: the paths that leave it.
    pub(super) fn repeated(
        &mut self,
        path: Path,
        goes_on: &GoesOn<'_>,
        clauses: &LoopClauses,
        body: &Block,
        span: Span,
    ) -> Result<Vec<Path>> {
        let song = self.song.clone();
        let left = match yields(actions(&song), body, self.layer) {
            true => self.with_yields(path, goes_on, clauses, body, span)?,
            false => self.without_yields(path, goes_on, clauses, body, span)?,
        };
        let left = left.into_iter().map(|path| Path { jump: None, ..path });
        Ok(left.collect())
    }

    fn without_yields(
        &mut self,
        path: Path,
        goes_on: &GoesOn<'_>,
        clauses: &LoopClauses,
        body: &Block,
        span: Span,
    ) -> Result<Vec<Path>> {
        let reached = Rc::new(path.env.store.clone());
        self.promised(&path, clauses, Some(&reached), "before the first round")?;
        let mut head = path;
        self.forget(&mut head, body, true)?;
        let holds = self.says_of_loop(&head, clauses, Some(&reached))?;
        head.known.extend(holds.into_iter().map(|(_, holds)| holds));
        let (owed, created) = (head.owed.len(), head.created.len());
        let put_off = head.put_off;
        let (exit, inside) = self.round(head, goes_on)?;
        let mut left: Vec<Path> = exit.into_iter().collect();
        let Some(mut inside) = inside else {
            return Ok(left);
        };
        let measure = self.measure(&mut inside, clauses)?;
        inside.put_off = false;
        for mut end in self.block(inside, body)? {
            if end.jump == Some(Jump::Break) {
                end.put_off |= put_off;
                left.push(end);
                continue;
            }
            if end.owed.len() > owed {
                let message =
                    "a thread that requires something is started in a loop without a `yield`";
                return Err(Unsupported::new(span, message));
            }
            if end.created.len() > created && self.refines_here() {
                let message =
                    "asyncs that are created in a loop are covered where it does nothing else";
                return Err(Unsupported::new(span, message));
            }
            self.promised(&end, clauses, Some(&reached), "after a round")?;
            if !end.put_off {
                self.decreased(&mut end, clauses, &measure)?;
            }
        }
        Ok(left)
    }

    fn with_yields(
        &mut self,
        path: Path,
        goes_on: &GoesOn<'_>,
        clauses: &LoopClauses,
        body: &Block,
        span: Span,
    ) -> Result<Vec<Path>> {
        self.only_locals(clauses)?;
        self.promised(&path, clauses, None, "before the first round")?;
        let (exit, entered) = self.round(path, goes_on)?;
        let mut left: Vec<Path> = exit.into_iter().collect();
        let Some(mut entered) = entered else {
            return Ok(left);
        };
        let wanted = self.begins_with(&mut entered, body)?;
        self.stop(&mut entered, &wanted, span)?;
        let changed = entered.changed;
        let mut head = entered;
        self.forget(&mut head, body, false)?;
        let holds = self.says_of_loop(&head, clauses, None)?;
        head.known.extend(holds.into_iter().map(|(_, holds)| holds));
        let (_, inside) = self.round(head, goes_on)?;
        let Some(mut inside) = inside else {
            return Ok(left);
        };
        let wanted = self.begins_with(&mut inside, body)?;
        self.resume(&mut inside)?;
        self.rely_on(&mut inside, &wanted)?;
        for mut end in self.block(inside, body)? {
            if end.jump.take() == Some(Jump::Break) {
                left.push(end);
                continue;
            }
            self.promised(&end, clauses, None, "after a round")?;
            let (exit, again) = self.round(end, goes_on)?;
            left.extend(exit);
            if let Some(mut again) = again {
                let wanted = self.begins_with(&mut again, body)?;
                self.stop(&mut again, &wanted, span)?;
                let same = self.theory.terms.implies(again.changed, changed);
                let told = "a round that is followed by another one changes nothing that is seen \
                            from above";
                self.oblige(&again, "refine/change-in-a-loop", span, told, same);
            }
        }
        Ok(left)
    }

    /// The path that leaves the loop at its head, and the one that begins a round.
    fn round(
        &mut self,
        mut path: Path,
        goes_on: &GoesOn<'_>,
    ) -> Result<(Option<Path>, Option<Path>)> {
        match goes_on {
            GoesOn::While(condition) => {
                let holds = self.read(&mut path, condition)?;
                let not = self.theory.terms.not(holds);
                let mut exit = path.clone();
                exit.known.push(not);
                path.known.push(holds);
                let endless = condition.kind == ExprKind::Bool(true);
                Ok(((!endless).then_some(exit), Some(path)))
            }
            GoesOn::For {
                local,
                ty,
                listed,
                filter,
            } => {
                let exit = path.clone();
                let (value, valid) = self.theory.arbitrary("element", ty, Span::default())?;
                path.known.push(valid);
                if let Some((collection, whole)) = listed {
                    let mut lowering = Lowering::new(self.theory, Env::default());
                    let member = lowering.is_member(collection, *whole, ty, value)?;
                    path.known.push(member);
                }
                path.env.locals.insert(*local, value);
                if let Some(filter) = filter {
                    let passes = self.read(&mut path, filter)?;
                    path.known.push(passes);
                }
                Ok((Some(exit), Some(path)))
            }
        }
    }

    /// The invariants of the `yield` that a body begins with.
    fn begins_with(&mut self, path: &mut Path, body: &Block) -> Result<Vec<Wanted>> {
        match body.first().map(|stmt| &stmt.kind) {
            Some(StmtKind::Yield(calls)) => {
                let calls: Vec<&InvariantCall> = calls.iter().collect();
                self.wanted(path, &calls)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// What a loop writes may have changed: locals that it assigns and, if wanted, globals.
    fn forget(&mut self, path: &mut Path, body: &Block, globals: bool) -> Result<()> {
        let song = self.song.clone();
        let mut written = Written::new(actions(&song), self.layer, self.refines_here());
        written.block(body);
        for local in written.locals {
            if path.env.locals.contains_key(&local) {
                let row = &self.decl(&song).code.locals[local.index()];
                let (value, valid) = self.theory.arbitrary(&row.name, &row.ty, row.span)?;
                path.known.push(valid);
                path.env.locals.insert(local, value);
            }
        }
        match globals {
            true => self.forget_globals(path, &written.globals),
            false => Ok(()),
        }
    }

    /// These globals have any value.
    pub(super) fn forget_globals(
        &mut self,
        path: &mut Path,
        globals: &BTreeSet<GlobalId>,
    ) -> Result<()> {
        let song = self.song.clone();
        for &id in globals {
            let global = &actions(&song).globals[id.index()];
            if is_seen(global.layers, self.layer) {
                let (value, valid) =
                    self.theory
                        .arbitrary(&global.name, &global.ty, global.span)?;
                path.known.push(valid);
                path.env.store.globals.insert(id, value);
            }
        }
        Ok(())
    }

    /// Each invariant of a loop that says something at this layer: that it is defined, and true. What is
    /// `old` are the globals when the loop was reached.
    fn says_of_loop(
        &mut self,
        path: &Path,
        clauses: &LoopClauses,
        old: Option<&Rc<Store>>,
    ) -> Result<Vec<(Span, Term)>> {
        let mut all = Vec::new();
        let notes = notes(&self.decl(&self.song).code);
        for invariant in &clauses.invariants {
            let of_proofs =
                !globals_read(invariant).is_empty() || note_read(invariant, &notes).is_some();
            if !self.refines_here() && of_proofs {
                continue;
            }
            all.push((invariant.span, self.stated(path, invariant, old)?));
        }
        Ok(all)
    }

    fn promised(
        &mut self,
        path: &Path,
        clauses: &LoopClauses,
        old: Option<&Rc<Store>>,
        when: &str,
    ) -> Result<()> {
        for (span, holds) in self.says_of_loop(path, clauses, old)? {
            let told = format!("this invariant holds {when}");
            self.oblige(path, "loop/invariant", span, &told, holds);
        }
        Ok(())
    }

    fn only_locals(&self, clauses: &LoopClauses) -> Result<()> {
        let of_globals = |one: &&Expr| !globals_read(one).is_empty();
        match clauses.invariants.iter().find(of_globals) {
            Some(one) if self.refines_here() => Err(Unsupported::new(
                one.span,
                "the loop yields, so others may change what its invariant says about globals: begin \
                 its body with `yield` of an invariant that others keep",
            )),
            _ => Ok(()),
        }
    }

    fn measure(&mut self, path: &mut Path, clauses: &LoopClauses) -> Result<Vec<Term>> {
        let values = self.named(path, &clauses.decreases)?;
        if let ([measure], [value]) = (&*clauses.decreases, &*values) {
            let zero = self.theory.terms.int(0);
            let natural = self.theory.terms.le(zero, *value);
            let told = "what decreases is not negative when a round begins";
            self.oblige(path, "loop/decreases", measure.span, told, natural);
        }
        Ok(values)
    }

    fn decreased(&mut self, path: &mut Path, clauses: &LoopClauses, before: &[Term]) -> Result<()> {
        if let [measure, ..] = &*clauses.decreases {
            let values = self.named(path, &clauses.decreases)?;
            let smaller = self.theory.terms.precedes(&values, before);
            let told = "the measure decreases in each round";
            self.oblige(path, "loop/decreases", measure.span, told, smaller);
        }
        Ok(())
    }
}

/// What code writes at a layer, itself and by what it calls.
pub(super) struct Written<'s> {
    actions: &'s Actions,
    layer: u32,
    /// Are assignments to introduced variables there?
    introduces: bool,
    locals: BTreeSet<LocalId>,
    pub(super) globals: BTreeSet<GlobalId>,
    /// The procedures that move and are called: their locals are their own.
    pub(super) called: BTreeSet<ProcedureId>,
}

impl<'s> Written<'s> {
    pub(super) fn new(actions: &'s Actions, layer: u32, introduces: bool) -> Self {
        Written {
            actions,
            layer,
            introduces,
            locals: BTreeSet::new(),
            globals: BTreeSet::new(),
            called: BTreeSet::new(),
        }
    }

    fn call(&mut self, callee: Callee) {
        match meant(self.actions, callee, self.layer) {
            Meant::Action(id) => {
                let footprint = Footprint::of(&self.actions.actions[id.index()]);
                self.globals.extend(footprint.writes);
            }
            Meant::Procedure(id) if self.called.insert(id) => self.procedure(id),
            Meant::Procedure(_) | Meant::Nothing => {}
        }
    }

    /// What the body of a procedure writes, if it is one step here. Any other is a yield.
    pub(super) fn procedure(&mut self, id: ProcedureId) {
        let actions = self.actions;
        let procedure = &actions.procedures[id.index()];
        if moves_here(procedure, self.layer).is_some() {
            let own = std::mem::take(&mut self.locals);
            self.block(&procedure.code.body);
            self.locals = own;
        }
    }
}

impl Visit for Written<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Call(_, call) => self.call(call.callee),
            StmtKind::Par(calls) => calls.iter().for_each(|call| self.call(call.callee)),
            // Done at once where it is synchronized.
            StmtKind::Spawn(id, _) => self.call(Callee::Procedure(*id)),
            _ => {}
        }
        walk::stmt(self, stmt);
    }

    fn place(&mut self, place: &Place) {
        match place.root {
            Root::Local(local) => _ = self.locals.insert(local),
            Root::Global(global) if self.introduces => _ = self.globals.insert(global),
            _ => {}
        }
        walk::place(self, place);
    }
}
