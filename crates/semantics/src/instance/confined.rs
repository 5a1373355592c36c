//! Does the window decide that a choice has no value, or does its `where`?
//!
//! Statement. When no candidate passes the `where` of `choose T`, and this says that the candidates are all values that
//! could pass, then there is no value at all: the choice blocks, and that is what the program means. Otherwise the window
//! may be to blame, and nothing is known about what comes after.
//!
//! Why sound. A `where` is a conjunction. A conjunct without the chosen name that is false excludes every value. Conjuncts
//! `n < e`, `n >= e`, `n == e`, … in which `e` does not speak of `n` leave an interval; if every integer of it was a
//! candidate, every value that could pass was tried. Of `n in c`, the elements of `c` are all that could pass.
//! Values that were not tried may fail in a conjunct instead: what comes after one that is not total is not relied on.
//! NOT COVERED. Bounds under `||`, by arithmetic on the chosen name, or of parts of structured values.

use crate::eval::Eval;
use crate::value::Value;
use plainsong_ir::visit::{conjuncts, free_locals, is_total};
use plainsong_ir::{BinOp, Choice, Expr, ExprKind, LocalId, Ty};
use std::collections::BTreeSet;

/// Were all values that the `where` of a choice of type `ty` could allow among these, of which it allows none?
pub(crate) fn is_confined(
    eval: &mut Eval<'_>,
    choice: &Choice,
    ty: &Ty,
    tried: &[Value],
    slots: &mut [Value],
) -> bool {
    let Some(filter) = &choice.filter else {
        return false;
    };
    let is_tried: BTreeSet<&Value> = tried.iter().collect();
    let possible = possible(
        eval,
        &conjuncts(filter),
        (choice.local, ty),
        tried.len(),
        slots,
    );
    possible.is_some_and(|all| all.iter().all(|one| is_tried.contains(one)))
}

/// All values of a name that could pass these conjuncts, and perhaps some that cannot; none if there may be more than
/// `most`.
pub(crate) fn possible(
    eval: &mut Eval<'_>,
    conjuncts: &[&Expr],
    (local, ty): (LocalId, &Ty),
    most: usize,
    slots: &mut [Value],
) -> Option<Vec<Value>> {
    let (mut low, mut high) = match ty {
        Ty::Nat => (0, i64::MAX),
        _ => (i64::MIN, i64::MAX),
    };
    let is_number = matches!(ty, Ty::Int | Ty::Nat);
    let mut listed: Option<Vec<Value>> = None;
    let mut list = |all: Vec<Value>| {
        if listed.as_ref().is_none_or(|known| all.len() < known.len()) {
            listed = Some(all);
        }
    };
    for one in conjuncts {
        if !free_locals(one).contains(&local) {
            if matches!(eval.truth(one, slots), Ok(false)) {
                return Some(Vec::new());
            }
            continue;
        }
        let Some((op, with)) = comparison(one, local) else {
            match is_total(one) {
                true => continue,
                // A value that was not tried may fail here, before a later conjunct excludes it.
                false => break,
            }
        };
        // What is undefined for lack of an earlier conjunct bounds nothing.
        let Ok(with) = eval.expr(with, slots) else {
            continue;
        };
        match (op, &with) {
            (BinOp::In, collection) => list(collection.elements().to_vec()),
            (_, Value::Int(number)) if is_number => {
                let number = *number;
                match op {
                    BinOp::Lt => high = high.min(number.saturating_sub(1)),
                    BinOp::Le => high = high.min(number),
                    BinOp::Gt => low = low.max(number.saturating_add(1)),
                    BinOp::Ge => low = low.max(number),
                    BinOp::Eq => (low, high) = (low.max(number), high.min(number)),
                    _ => {}
                }
            }
            (BinOp::Eq, value) => list(vec![value.clone()]),
            _ => {}
        }
    }
    if is_number && i128::from(high) - i128::from(low) < most as i128 {
        list((low..=high).map(Value::Int).collect());
    }
    listed.filter(|all| all.len() <= most)
}

/// `local op expr` with nothing of the local in the expression, turned around where it stands on the right.
fn comparison(expr: &Expr, local: LocalId) -> Option<(BinOp, &Expr)> {
    let ExprKind::Binary(op, left, right) = &expr.kind else {
        return None;
    };
    let turned = match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Le => BinOp::Ge,
        BinOp::Gt => BinOp::Lt,
        BinOp::Ge => BinOp::Le,
        BinOp::Eq => BinOp::Eq,
        BinOp::In if is_local(left, local) => BinOp::In,
        _ => return None,
    };
    let (op, with) = match (is_local(left, local), is_local(right, local)) {
        (true, false) => (*op, right),
        (false, true) if *op != BinOp::In => (turned, left),
        _ => return None,
    };
    (!free_locals(with).contains(&local)).then_some((op, with))
}

fn is_local(expr: &Expr, local: LocalId) -> bool {
    match &expr.kind {
        ExprKind::Local(one) => *one == local,
        ExprKind::Widen(inner) => is_local(inner, local),
        _ => false,
    }
}
