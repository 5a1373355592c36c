//! Measure templates: numbers of a process that may decrease, by the types of its variables.
//!
//! A number; how far an integer is from something fixed that it is compared with, from below or above; a flag that is set, or cleared;
//! an option that is filled; a set that decreases, or that grows within a finite type; how far an enumeration is from
//! its last variant, or from its first. A number that is negative counts as 0, so an integer that has passed its limit
//! may go on.

use super::handlers;
use crate::terms::{both, equal, expr, filled, integer, method, number};
use plainsong_ir::finite::is_finite;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{BinOp, Builtin, Expr, ExprKind, Place, Root, Song, Ty, VarId};

/// A number that may decrease.
#[derive(Clone)]
pub struct Number {
    /// What it is, in the words of the process.
    pub(super) level: Expr,
    /// How it decreases: `left` of `node` decreases.
    pub words: String,
}

/// The numbers of the variables that handlers of a process write.
pub(super) fn numbers(song: &Song, process: usize) -> Vec<Number> {
    let voices = song.voices().expect("voices");
    let family = &song.families[voices.processes[process].family.index()];
    let mut written = Written(Vec::new());
    for handler in handlers(voices, process) {
        written.block(&handler.body);
    }
    let mut all = Vec::new();
    for (at, var) in family.vars.iter().enumerate() {
        let at = VarId::from(at);
        if !written.0.contains(&at) {
            continue;
        }
        let name = format!("`{}` of `{}`", var.name, family.name);
        let forms = forms(song, process, at, &var.ty).into_iter();
        all.extend(forms.map(|(level, words)| Number {
            level,
            words: format!("{name} {words}"),
        }));
    }
    all
}

/// What a variable may be measured by, and how that decreases.
fn forms(song: &Song, process: usize, var: VarId, ty: &Ty) -> Vec<(Expr, &'static str)> {
    let own = expr(ExprKind::Own(var), ty.clone());
    match ty {
        Ty::Bool => vec![
            (choice(own.clone(), number(0), number(1)), "is set"),
            (choice(own, number(1), number(0)), "is cleared"),
        ],
        Ty::Option(_) => vec![(choice(filled(own), number(0), number(1)), "is filled")],
        Ty::Nat | Ty::Int => {
            // One more, for those that may reach it.
            let beyond = |from: Expr, to: Expr| {
                let beyond = sum(BinOp::Add, integer(from), number(1));
                let left = sum(BinOp::Sub, beyond, integer(to));
                (left, "comes nearer to its limit")
            };
            let limits = limits(song, process, var);
            let up = limits
                .iter()
                .map(|limit| beyond(limit.clone(), own.clone()));
            // A natural number that decreases needs no limit but 0.
            let below = limits.iter().filter(|_| *ty == Ty::Int);
            let down = below.map(|limit| beyond(own.clone(), limit.clone()));
            let less = std::iter::once((own.clone(), "decreases"));
            less.chain(up).chain(down).collect()
        }
        Ty::Set(element) => {
            let size = |set: Expr| integer(method(Builtin::Len, vec![set], Ty::Nat));
            let smaller = (size(own.clone()), "decreases");
            let grows = is_finite(song, element).then(|| {
                let everything = expr(ExprKind::All((**element).clone()), ty.clone());
                let missing = sum(BinOp::Sub, size(everything), size(own));
                (missing, "grows")
            });
            [smaller].into_iter().chain(grows).collect()
        }
        Ty::Enum(which) => {
            let variants = &song.enums[which.index()].variants;
            if variants.len() < 2 || variants.iter().any(|one| !one.fields.is_empty()) {
                return Vec::new();
            }
            let last = variants.len() - 1;
            let place = |from: fn(usize, usize) -> usize| {
                let start = number(from(last, last) as i64);
                (0..last).rev().fold(start, |rest, at| {
                    let variant = ExprKind::Variant(*which, at, Vec::new());
                    let is_it = equal(own.clone(), expr(variant, ty.clone()));
                    choice(is_it, number(from(at, last) as i64), rest)
                })
            };
            vec![
                (place(|at, last| last - at), "moves on"),
                (place(|at, _| at), "moves back"),
            ]
        }
        _ => Vec::new(),
    }
}

fn choice(condition: Expr, yes: Expr, no: Expr) -> Expr {
    let kind = ExprKind::If(condition.into(), yes.into(), no.into());
    expr(kind, Ty::Int)
}

fn sum(op: BinOp, left: Expr, right: Expr) -> Expr {
    Expr {
        ty: Ty::Int,
        ..both(op, left, right)
    }
}

/// The fixed numbers that a variable is compared with.
fn limits(song: &Song, process: usize, var: VarId) -> Vec<Expr> {
    let mut limits = Limits {
        var,
        found: Vec::new(),
    };
    for handler in handlers(song.voices().expect("voices"), process) {
        limits.block(&handler.body);
    }
    limits.found
}

struct Limits {
    var: VarId,
    found: Vec<Expr>,
}

impl Visit for Limits {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Binary(_, left, right) = &expr.kind {
            for (one, other) in [(left, right), (right, left)] {
                let limit = other.bare();
                let is_number = matches!(limit.ty, Ty::Int | Ty::Nat);
                if one.bare().kind == ExprKind::Own(self.var) && is_number && is_fixed(limit) {
                    let known = self.found.iter().any(|known| known.kind == limit.kind);
                    if !known {
                        self.found.push(limit.clone());
                    }
                }
            }
        }
        walk::expr(self, expr);
    }
}

/// Is an expression the same in every state: numbers, constants, parameters, and how many members sorts have?
fn is_fixed(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Const(_) | ExprKind::All(_) => true,
        ExprKind::Widen(inner) | ExprKind::Narrow(inner) | ExprKind::Unary(_, inner) => {
            is_fixed(inner)
        }
        ExprKind::Binary(_, left, right) => is_fixed(left) && is_fixed(right),
        ExprKind::Method(Builtin::Len, all) => all.iter().all(is_fixed),
        _ => false,
    }
}

/// The variables of the process that are written.
pub(super) struct Written(pub(super) Vec<VarId>);

impl Visit for Written {
    fn place(&mut self, place: &Place) {
        if let Root::Own(var) = place.root {
            self.0.push(var);
        }
        walk::place(self, place);
    }
}
