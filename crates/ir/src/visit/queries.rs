//! Questions about expressions and places.

use super::{Visit, walk};
use crate::{BinOp, Expr, ExprKind, FamilyId, GlobalId, LocalId, Place, Root, VarId};
use std::collections::BTreeSet;

/// The locals an expression reads and does not bind itself.
pub fn free_locals(expr: &Expr) -> BTreeSet<LocalId> {
    let reads = Reads::of(expr);
    &reads.used - &reads.bound
}

/// The processes or endpoints whose variables an expression reads by name.
pub fn families_read(expr: &Expr) -> BTreeSet<FamilyId> {
    Reads::of(expr)
        .endpoints
        .into_iter()
        .map(|(family, _, _)| family)
        .collect()
}

/// Every reading of a variable of a named process or endpoint (which, its indices, the variable),
/// outer before inner.
pub fn endpoints_read(expr: &Expr) -> Vec<(FamilyId, Vec<Expr>, VarId)> {
    Reads::of(expr).endpoints
}

/// The global variables an expression reads.
pub fn globals_read(expr: &Expr) -> BTreeSet<GlobalId> {
    Reads::of(expr).globals
}

/// The endpoint that owns a place, with its indices; `None` when the place belongs to the code it
/// stands in, or to everyone.
pub fn owner(place: &Place) -> Option<(FamilyId, &[Expr])> {
    match &place.root {
        Root::Of(family, index, _) => Some((*family, index)),
        Root::Local(_) | Root::Own(_) | Root::Global(_) => None,
    }
}

#[derive(Default)]
struct Reads {
    used: BTreeSet<LocalId>,
    bound: BTreeSet<LocalId>,
    endpoints: Vec<(FamilyId, Vec<Expr>, VarId)>,
    globals: BTreeSet<GlobalId>,
}

impl Reads {
    fn of(expr: &Expr) -> Reads {
        let mut reads = Reads::default();
        reads.expr(expr);
        reads
    }
}

impl Visit for Reads {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Of(family, index, var) => {
                self.endpoints.push((*family, index.clone(), *var));
            }
            ExprKind::Global(global) => {
                self.globals.insert(*global);
            }
            _ => {}
        }
        walk::expr(self, expr);
    }

    fn uses(&mut self, local: &LocalId) {
        self.used.insert(*local);
    }

    fn binds(&mut self, local: &LocalId) {
        self.bound.insert(*local);
    }
}

/// The parts of a conjunction, from left to right.
pub fn conjuncts(of: &Expr) -> Vec<&Expr> {
    match &of.kind {
        ExprKind::Binary(BinOp::And, a, b) => [conjuncts(a), conjuncts(b)].concat(),
        _ => vec![of],
    }
}

/// Does it count what is pending?
pub fn reads_pending(of: &Expr) -> bool {
    struct Finds(bool);
    impl Visit for Finds {
        fn expr(&mut self, of: &Expr) {
            self.0 |= matches!(of.kind, ExprKind::Pending(_) | ExprKind::PendingOf(..));
            walk::expr(self, of);
        }
    }
    let mut finds = Finds(false);
    finds.expr(of);
    finds.0
}
