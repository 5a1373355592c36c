//! Ghost code: statements and variables that proofs read and executions do not.
//!
//! `let then = x;` in a procedure, with a global `x`, is there for proofs only, like what a layer introduces: it is what the
//! invariants of later yields may speak about. Whoever extracts a program leaves notes out, so nothing that a program does
//! may depend on one.
//!
//! Why sound. A note is an introduced variable that nobody else writes or reads, with one value: the code that takes it never
//! waits, never fails (it is shown that it has a value) and changes nothing that a program or an action sees. [Kragl20]
//! section 2.3, where introduction actions have results.

use crate::visit::{Visit, globals_read, walk};
use crate::{Block, Code, Expr, ExprKind, LocalId, Stmt, StmtKind};
use std::collections::BTreeSet;

/// The notes of a procedure: names of values that read globals, or other notes.
pub fn notes(code: &Code) -> BTreeSet<LocalId> {
    let mut finding = GhostFinder::default();
    loop {
        let before = finding.notes.len();
        finding.block(&code.body);
        if finding.notes.len() == before {
            return finding.notes;
        }
    }
}

/// The first of these that an expression reads.
pub fn note_read(expr: &Expr, notes: &BTreeSet<LocalId>) -> Option<LocalId> {
    let mut reading = GhostReads { notes, read: None };
    reading.expr(expr);
    reading.read
}

/// Leaves notes out.
pub fn remove_notes(block: &mut Block, notes: &BTreeSet<LocalId>) {
    block.retain(|stmt| !matches!(&stmt.kind, StmtKind::Let(local, _) if notes.contains(local)));
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
                remove_notes(yes, notes);
                remove_notes(no, notes);
            }
            StmtKind::Match(_, arms) => {
                let bodies = arms.iter_mut();
                bodies.for_each(|(_, body)| remove_notes(body, notes));
            }
            StmtKind::While(_, _, body) | StmtKind::For { body, .. } => remove_notes(body, notes),
            _ => {}
        }
    }
}

#[derive(Default)]
struct GhostFinder {
    notes: BTreeSet<LocalId>,
}

impl Visit for GhostFinder {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Let(local, value) = &stmt.kind
            && (!globals_read(value).is_empty() || note_read(value, &self.notes).is_some())
        {
            self.notes.insert(*local);
        }
        walk::stmt(self, stmt);
    }
}

struct GhostReads<'n> {
    notes: &'n BTreeSet<LocalId>,
    read: Option<LocalId>,
}

impl Visit for GhostReads<'_> {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Local(local) = &expr.kind
            && self.notes.contains(local)
        {
            self.read.get_or_insert(*local);
        }
        walk::expr(self, expr);
    }
}
