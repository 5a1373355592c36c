//! Normal forms that templates are read off, so that rewriting a program without changing it does not lose candidates.
//!
//! - `x = if c { a } else { b };` is gone through as `if c { x = a; } else { x = b; }`, and a branch that assigns a variable to
//!   itself as one that does nothing;
//! - a call of a function without contract, calls and names of its own is gone through as what it returns;
//! - `!!e` as `e`.
//!
//! What comes of it are guesses: Houdini discharges each of them, or drops it.

use plainsong_ir::build::{not, stmt};
use plainsong_ir::visit::{any_expr, replace};
use plainsong_ir::{Block, Expr, ExprKind, Function, Place, Root, Song, StmtKind, UnOp};

/// What is assigned, with calls as what they return.
pub(super) fn unfolded(song: &Song, value: &Expr) -> Expr {
    let mut value = value.clone();
    replace(&mut value, |one| {
        let ExprKind::Call(function, arguments) = &one.kind else {
            return None;
        };
        let function = &song.functions[function.index()];
        let mut body = function.body.clone().filter(|_| is_plain(function))?;
        replace(&mut body, |one| match one.kind {
            ExprKind::Local(name) => arguments.get(name.index()).cloned(),
            _ => None,
        });
        Some(body)
    });
    value
}

fn is_plain(function: &Function) -> bool {
    let is_call = |one: &Expr| matches!(one.kind, ExprKind::Call(..));
    let body = function.body.as_ref();
    function.locals.len() == function.arity && body.is_some_and(|body| !any_expr(body, is_call))
}

/// The branches of an assignment of a conditional value: the condition, and a block for each.
pub(super) fn branches(place: &Place, value: &Expr) -> Option<(Expr, Block, Block)> {
    let ExprKind::If(condition, yes, no) = &value.bare().kind else {
        return None;
    };
    let block = |value: &Expr| match is_at(place, value) {
        true => Block::default(),
        false => vec![stmt(StmtKind::Assign(place.clone(), value.clone()))],
    };
    Some(((**condition).clone(), block(yes), block(no)))
}

/// Is it the value of the place?
fn is_at(place: &Place, value: &Expr) -> bool {
    match (&place.root, &value.bare().kind) {
        (Root::Of(family, index, var), ExprKind::Of(other, indices, same)) => {
            place.path.is_empty() && (family, index, var) == (other, indices, same)
        }
        _ => false,
    }
}

/// The opposite of a condition.
pub(super) fn opposite(condition: &Expr) -> Expr {
    match &condition.kind {
        ExprKind::Unary(UnOp::Not, inner) => (**inner).clone(),
        _ => not(condition.clone()),
    }
}
