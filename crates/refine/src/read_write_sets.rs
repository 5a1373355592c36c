//! Read and write sets of an action.
//!
//! Two actions of which neither writes what the other touches commute; a gate that reads nothing that is
//! written is kept. So most pairs need no solver.

use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Action, Expr, ExprKind, GlobalId, Place, Root, Stmt, StmtKind};
use std::collections::BTreeSet;

/// The globals that an action reads and writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Read somewhere; also those of which only a part is written.
    pub reads: BTreeSet<GlobalId>,
    /// Written somewhere.
    pub writes: BTreeSet<GlobalId>,
    /// Are asyncs created?
    pub creates: bool,
    /// May it block?
    pub blocks: bool,
}

impl Footprint {
    pub fn of(action: &Action) -> Footprint {
        let mut footprint = Footprint::default();
        action
            .code
            .body
            .iter()
            .for_each(|stmt| footprint.stmt(stmt));
        footprint
    }

    /// Everything it touches.
    pub fn all(&self) -> BTreeSet<GlobalId> {
        &self.reads | &self.writes
    }

    /// Does it write nothing that the other touches?
    pub fn leaves_alone(&self, other: &Footprint) -> bool {
        self.writes.is_disjoint(&other.all())
    }

    /// Does it write nothing that the other reads?
    pub fn unread_by(&self, other: &Footprint) -> bool {
        self.writes.is_disjoint(&other.reads)
    }
}

impl Visit for Footprint {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Global(id) = &expr.kind {
            self.reads.insert(*id);
        }
        walk::expr(self, expr);
    }

    fn place(&mut self, place: &Place) {
        if let Root::Global(id) = place.root {
            self.writes.insert(id);
            if !place.path.is_empty() {
                self.reads.insert(id);
            }
        }
        walk::place(self, place);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.creates |= matches!(stmt.kind, StmtKind::Async(..) | StmtKind::Spawn(..));
        self.blocks |= matches!(
            stmt.kind,
            StmtKind::Assume(_) | StmtKind::LetChoice(_) | StmtKind::AssignChoice(..)
        );
        walk::stmt(self, stmt);
    }
}
