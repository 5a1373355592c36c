//! `&&` and `||`, with bounds of a number as a range: `x >= 1 && x <= 6` is `(1..=6).contains(&x)`, as Clippy wants it.

use super::exprs::Scope;
use super::places::{Level, Piece};
use crate::terms::without_spans;
use plainsong_ir::{BinOp, Expr, ExprKind};

impl Scope<'_> {
    /// All parts of a conjunction or a disjunction, from left to right.
    pub(super) fn connected(&mut self, op: BinOp, a: &Expr, b: &Expr) -> Piece {
        let mut parts = Vec::new();
        flatten(op, a, &mut parts);
        flatten(op, b, &mut parts);
        let (sign, level) = match op {
            BinOp::And => (" && ", Level::And),
            _ => (" || ", Level::Or),
        };
        let mut texts: Vec<Piece> = Vec::new();
        let mut at = 0;
        while let Some(part) = parts.get(at) {
            let range = parts.get(at + 1).and_then(|next| range(op, part, next));
            match range {
                Some((range, of)) => {
                    let not = if op == BinOp::And { "" } else { "!" };
                    let of = self.expr(of).borrowed();
                    let text = format!("{not}({range}).contains({of})");
                    texts.push(Piece::new(text, Level::Prefix));
                    at += 2;
                }
                None => {
                    texts.push(self.expr(part));
                    at += 1;
                }
            }
        }
        if texts.len() == 1 {
            return texts.remove(0);
        }
        let texts: Vec<String> = texts.into_iter().map(|one| one.operand(level)).collect();
        Piece::new(texts.join(sign), level)
    }
}

fn flatten<'e>(op: BinOp, of: &'e Expr, parts: &mut Vec<&'e Expr>) {
    match &of.kind {
        ExprKind::Binary(inner, a, b) if *inner == op => {
            flatten(op, a, parts);
            flatten(op, b, parts);
        }
        _ => parts.push(of),
    }
}

/// The range between two bounds of one number: what is inside for `&&`, what is outside for `||`.
fn range<'e>(op: BinOp, one: &'e Expr, other: &'e Expr) -> Option<(String, &'e Expr)> {
    let (first, second) = (bound(one)?, bound(other)?);
    if without_spans(first.0) != without_spans(second.0) {
        return None;
    }
    let is_low = |sign: BinOp| match op {
        BinOp::And => sign == BinOp::Ge,
        _ => sign == BinOp::Lt,
    };
    let (low, high) = match (is_low(first.1), is_low(second.1)) {
        (true, false) => (first, second),
        (false, true) => (second, first),
        _ => return None,
    };
    let dots = match (op, high.1) {
        (BinOp::And, BinOp::Le) | (BinOp::Or, BinOp::Gt) => "..=",
        (BinOp::And, BinOp::Lt) | (BinOp::Or, BinOp::Ge) => "..",
        _ => return None,
    };
    (low.2 < high.2).then(|| (format!("{}{dots}{}", low.2, high.2), low.0))
}

/// `e < 3` as the number, the sign and the bound; also `3 > e`.
fn bound(of: &Expr) -> Option<(&Expr, BinOp, i64)> {
    let ExprKind::Binary(op, a, b) = &of.kind else {
        return None;
    };
    let turned = match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Le => BinOp::Ge,
        BinOp::Gt => BinOp::Lt,
        BinOp::Ge => BinOp::Le,
        _ => return None,
    };
    match (literal(a), literal(b)) {
        (None, Some(bound)) => Some((a, *op, bound)),
        (Some(bound), None) => Some((b, turned, bound)),
        _ => None,
    }
}

fn literal(of: &Expr) -> Option<i64> {
    match &of.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Widen(inner) => literal(inner),
        ExprKind::Unary(plainsong_ir::UnOp::Neg, inner) => literal(inner)?.checked_neg(),
        _ => None,
    }
}
