//! Questions about expressions and places.

use super::{any_expr, each_expr};
use crate::{BinOp, Expr, ExprKind, FamilyId, GlobalId, Place, Root, VarId};
use std::collections::BTreeSet;

/// The processes or endpoints whose variables an expression reads by name.
pub fn families_read(expr: &Expr) -> BTreeSet<FamilyId> {
    let all = endpoints_read(expr).into_iter();
    all.map(|(family, _, _)| family).collect()
}

/// Every reading of a variable of a named process or endpoint (which, its indices, the variable),
/// outer before inner.
pub fn endpoints_read(expr: &Expr) -> Vec<(FamilyId, Vec<Expr>, VarId)> {
    let mut found = Vec::new();
    each_expr(expr, |expr| {
        if let ExprKind::Of(family, index, var) = &expr.kind {
            found.push((*family, index.clone(), *var));
        }
    });
    found
}

/// The global variables an expression reads.
pub fn globals_read(expr: &Expr) -> BTreeSet<GlobalId> {
    let mut found = BTreeSet::new();
    each_expr(expr, |expr| {
        if let ExprKind::Global(global) = expr.kind {
            found.insert(global);
        }
    });
    found
}

/// The endpoint that owns a place, with its indices; `None` when the place belongs to the code it
/// stands in, or to everyone.
pub fn owner(place: &Place) -> Option<(FamilyId, &[Expr])> {
    match &place.root {
        Root::Of(family, index, _) => Some((*family, index)),
        Root::Local(_) | Root::Own(_) | Root::Global(_) => None,
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
    any_expr(of, |of| {
        matches!(of.kind, ExprKind::Pending(_) | ExprKind::PendingOf(..))
    })
}

/// Does it read anything that steps change: variables, what is pending, who has crashed?
pub fn reads_state(of: &Expr) -> bool {
    any_expr(of, |of| {
        matches!(
            of.kind,
            ExprKind::Own(_)
                | ExprKind::Of(..)
                | ExprKind::Global(_)
                | ExprKind::Pending(_)
                | ExprKind::PendingOf(..)
                | ExprKind::Crashed(_)
        )
    })
}

/// Does it ask whether a process has crashed?
pub fn reads_crashed(of: &Expr) -> bool {
    any_expr(of, |of| matches!(of.kind, ExprKind::Crashed(_)))
}
