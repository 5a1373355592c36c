//! Who calls whom: functions among each other, lemmas among each other.
//!
//! A call *comes back* if what is called can lead to another call of the caller. Only such calls need a
//! measure that decreases; without them every chain of calls ends by itself.

use crate::sub_choreography::parts_in;
use crate::visit::{Visit, walk};
use crate::{Expr, ExprKind, FnId, Song, Stmt, StmtKind};
use std::collections::BTreeSet;

/// The functions that a function calls, in its body or in its contract: a proof about it may rest on all
/// of them.
pub fn called(song: &Song, function: FnId) -> BTreeSet<FnId> {
    let Some(decl) = song.functions.get(function.index()) else {
        return BTreeSet::new();
    };
    let contract = &decl.contract;
    let conditions = contract.requires.iter().chain(&contract.ensures);
    called_in(conditions.chain(&contract.decreases).chain(&decl.body))
}

/// The functions that expressions call.
pub fn called_in<'e>(exprs: impl IntoIterator<Item = &'e Expr>) -> BTreeSet<FnId> {
    let mut calls = Calls::default();
    exprs.into_iter().for_each(|expr| calls.expr(expr));
    calls.functions
}

/// The lemmas that the proof of a line uses.
pub fn used(song: &Song, line: usize) -> BTreeSet<usize> {
    let mut calls = Calls::default();
    if let Some(decl) = song.lines.get(line) {
        calls.block(&decl.code.body);
    }
    calls.lemmas
}

/// The choreographies that a line calls.
pub fn parts(song: &Song, line: usize) -> BTreeSet<usize> {
    let lines = song.lines.get(line).into_iter();
    let parts = lines.flat_map(|line| parts_in(&line.code.body));
    parts.map(|part| part.line).collect()
}

/// All functions that a function and it call in a circle; none if it does not call itself.
pub fn circle(song: &Song, function: FnId) -> BTreeSet<FnId> {
    let reached = reached(function, |from| called(song, from));
    let back = |to: &FnId| self::reached(*to, |from| called(song, from)).contains(&function);
    reached.into_iter().filter(back).collect()
}

/// Does the use of lemma `to` in the proof of lemma `from` come back to `from`?
pub fn comes_back(song: &Song, from: usize, to: usize) -> bool {
    from == to || reached(to, |line| used(song, line)).contains(&from)
}

/// Everything that can be reached in one step or more.
fn reached<T: Copy + Ord>(from: T, next: impl Fn(T) -> BTreeSet<T>) -> BTreeSet<T> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<T> = next(from).into_iter().collect();
    while let Some(one) = open.pop() {
        if seen.insert(one) {
            open.extend(next(one));
        }
    }
    seen
}

#[derive(Default)]
struct Calls {
    functions: BTreeSet<FnId>,
    lemmas: BTreeSet<usize>,
}

impl Visit for Calls {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Call(function, _) = &expr.kind {
            self.functions.insert(*function);
        }
        walk::expr(self, expr);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Use(used) = &stmt.kind {
            self.lemmas.insert(used.lemma);
        }
        walk::stmt(self, stmt);
    }
}
