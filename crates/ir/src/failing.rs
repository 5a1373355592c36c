//! Can anything in a system fail?
//!
//! An execution fails where an `assert`, an invariant of a loop or a measure does not hold, where a function is called
//! that requires something, or where an operation has no result. Where none of these stands in the code, nothing fails,
//! whatever the sizes and values are, and nobody has to look at executions.
//!
//! Statement. If [`place_that_may_fail`] finds nothing, no execution of the system fails an assertion or comes to an
//! operation without a result.
//!
//! NOT COVERED. What depends on values: a division by something that happens not to be zero counts as able to fail.
//! Of conversions to `nat` it is seen from the types that sums, products and numbers of elements are not negative.

use crate::visit::{Visit, may_fail_here, walk};
use crate::{
    Access, BinOp, Block, Body, Contract, Expr, ExprKind, FnId, LoopClauses, Place, Song,
    StartValue, Stmt, StmtKind, System, Ty,
};
use plainsong_diagnostics::Span;
use std::collections::BTreeSet;

/// The first place in the code of the system where something may fail; nothing if nothing can.
pub fn place_that_may_fail(song: &Song) -> Option<Span> {
    let mut failing = FailureSearch {
        song,
        inside: BTreeSet::new(),
        found: None,
    };
    match &song.system {
        System::None => {}
        System::Voices(voices) => {
            for process in &voices.processes {
                let vars = &song.families[process.family.index()].vars;
                vars.iter().for_each(|var| failing.start(&var.start));
                match &process.body {
                    Body::Sequential(block) => failing.block(block),
                    Body::Handlers(all) => all.iter().for_each(|handler| {
                        failing.accept(&handler.accept);
                        failing.block(&handler.body);
                    }),
                }
            }
            voices
                .init
                .iter()
                .for_each(|code| failing.block(&code.body));
        }
        System::Actions(actions) => {
            actions
                .globals
                .iter()
                .for_each(|one| failing.start(&one.start));
            actions
                .actions
                .iter()
                .for_each(|one| failing.block(&one.code.body));
            for one in &actions.procedures {
                failing.note(one.contract != Contract::default(), one.span);
                failing.block(&one.code.body);
            }
            actions
                .init
                .iter()
                .for_each(|code| failing.block(&code.body));
        }
    }
    failing.found
}

/// Is the value of an expression never negative, whatever its variables are?
pub fn is_never_negative(of: &Expr) -> bool {
    match &of.kind {
        ExprKind::Int(number) => *number >= 0,
        ExprKind::Widen(inner) => inner.ty == Ty::Nat || is_never_negative(inner),
        ExprKind::Binary(BinOp::Add | BinOp::Mul, left, right) => {
            is_never_negative(left) && is_never_negative(right)
        }
        ExprKind::If(_, yes, no) => is_never_negative(yes) && is_never_negative(no),
        ExprKind::Narrow(_) => of.ty == Ty::Nat,
        _ => of.ty == Ty::Nat,
    }
}

struct FailureSearch<'a> {
    song: &'a Song,
    /// The functions in whose bodies this is.
    inside: BTreeSet<FnId>,
    found: Option<Span>,
}

impl FailureSearch<'_> {
    fn note(&mut self, may_fail: bool, span: Span) {
        if may_fail {
            self.found.get_or_insert(span);
        }
    }

    fn start(&mut self, start: &StartValue) {
        match start {
            StartValue::Value(value) => self.expr(value),
            StartValue::Choice(choice) => self.choice(choice),
        }
    }

    /// Does a call fail, or may it? One that comes back to itself, and one of something that is not written here, may.
    fn call(&mut self, function: FnId, span: Span) {
        let decl = &self.song.functions[function.index()];
        let promises = decl.contract != Contract::default();
        let Some(body) = decl.body.as_ref().filter(|_| !promises) else {
            return self.note(true, span);
        };
        if !self.inside.insert(function) {
            return self.note(true, span);
        }
        self.expr(body);
        self.inside.remove(&function);
    }
}

impl Visit for FailureSearch<'_> {
    fn expr(&mut self, of: &Expr) {
        let may_fail = match &of.kind {
            ExprKind::Narrow(inner) => !(of.ty == Ty::Nat && is_never_negative(inner)),
            ExprKind::Binary(BinOp::Div | BinOp::Rem, _, by) => !is_other_than_zero(by),
            ExprKind::Call(function, _) => {
                self.call(*function, of.span);
                false
            }
            _ => may_fail_here(of),
        };
        self.note(may_fail, of.span);
        if self.found.is_none() {
            walk::expr(self, of);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let may_fail = matches!(
            stmt.kind,
            StmtKind::Assert(_) | StmtKind::Use(_) | StmtKind::Part(_)
        );
        self.note(may_fail, stmt.span);
        if let StmtKind::While(_, clauses, _) | StmtKind::For { clauses, .. } = &stmt.kind {
            self.note(*clauses != LoopClauses::default(), stmt.span);
        }
        walk::stmt(self, stmt);
    }

    fn block(&mut self, block: &Block) {
        if self.found.is_none() {
            walk::block(self, block);
        }
    }

    fn place(&mut self, place: &Place) {
        // Keys of maps are of finite types, and all there; positions of sequences may be outside.
        let is_position = |access: &Access| match access {
            Access::Index(at) => matches!(at.ty, Ty::Int | Ty::Nat),
            _ => false,
        };
        self.note(place.path.iter().any(is_position), place.span);
        walk::place(self, place);
    }
}

fn is_other_than_zero(by: &Expr) -> bool {
    match &by.kind {
        ExprKind::Int(number) => *number != 0,
        ExprKind::Widen(inner) | ExprKind::Narrow(inner) => is_other_than_zero(inner),
        _ => false,
    }
}
