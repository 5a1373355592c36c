//! Invariant templates for loops over ranges.
//!
//! In round `i` of `for i in 0..n`:
//!
//! - a counter is `i`;
//! - a set or bag to which each round adds `f(i)` has every `f(k)` with `k` below `i`, and a bag has `i` members;
//! - a bag from which each round takes one has `n - i` members; and if a loop before put every `f(k)` into it, each of them
//!   is still there, or where the round puts what it takes.
//!
//! They are only guesses: Houdini discharges each of them, or drops it.

use super::accumulator::{Instead, binary, bool, expr};
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{VisitMut, any_expr, free_locals, walk_mut};
use plainsong_ir::{
    BinOp, Binding, Block, Builtin, Domain, Expr, ExprKind, Local, LocalId, Place, Quantifier,
    Root, Stmt, StmtKind, Ty,
};

/// What a loop left in a bag: one value for each round.
pub(super) struct Left {
    bag: Expr,
    /// What round `name` left.
    value: Expr,
    name: LocalId,
    /// The rounds.
    range: Expr,
}

/// Candidates for one loop.
pub(super) fn of_rounds(
    name: LocalId,
    domain: &Domain,
    body: &Block,
    locals: &mut Vec<Local>,
    left: &mut Vec<Left>,
) -> Vec<Expr> {
    let Some(range) = from_zero(domain) else {
        return Vec::new();
    };
    let ty = locals[name.index()].ty.clone();
    let mut rounds = Rounds {
        name,
        ty,
        range,
        locals,
        said: Vec::new(),
        all: Vec::new(),
    };
    rounds.follow(body, left);
    // Names from inside of a round mean nothing at the head of the loop.
    let in_scope = |one: &Expr| free_locals(one).into_iter().all(|local| local == name);
    rounds.all.retain(in_scope);
    rounds.all
}

/// The range that a loop goes over, if it begins with 0.
fn from_zero(domain: &Domain) -> Option<&Expr> {
    let Domain::In(range) = domain else {
        return None;
    };
    match &range.kind {
        ExprKind::Range {
            start,
            inclusive: false,
            ..
        } if number(start) == Some(0) => Some(range),
        _ => None,
    }
}

fn number(value: &Expr) -> Option<i64> {
    match &value.kind {
        ExprKind::Int(number) => Some(*number),
        ExprKind::Widen(inner) | ExprKind::Narrow(inner) => number(inner),
        _ => None,
    }
}

struct Rounds<'a> {
    name: LocalId,
    ty: Ty,
    range: &'a Expr,
    locals: &'a mut Vec<Local>,
    /// Variables, and what they were assigned in the round.
    said: Vec<(Expr, Expr)>,
    all: Vec<Expr>,
}

impl Rounds<'_> {
    fn follow(&mut self, body: &[Stmt], left: &mut Vec<Left>) {
        for (at, stmt) in body.iter().enumerate() {
            match &stmt.kind {
                StmtKind::Assign(place, value) => {
                    let Some(var) = variable(place, &value.ty) else {
                        continue;
                    };
                    self.assigned(&var, value, &body[at + 1..], left);
                    let mut value = value.clone();
                    Said(&self.said).expr(&mut value);
                    self.forget(&var);
                    self.said.push((var, value));
                }
                StmtKind::AssignChoice(place, choice) => {
                    let ty = &self.locals[choice.local.index()].ty;
                    if let Some(var) = variable(place, ty) {
                        self.forget(&var);
                    }
                }
                StmtKind::LetChoice(_) | StmtKind::Let(..) | StmtKind::Assert(_) => {}
                // What happens in some rounds only says nothing about all of them.
                _ => self.said.clear(),
            }
        }
    }

    fn assigned(&mut self, var: &Expr, value: &Expr, then: &[Stmt], left: &mut Vec<Left>) {
        // A member that the round chooses has no name outside of it.
        if !free_locals(var).is_empty() {
            return;
        }
        match &value.kind {
            ExprKind::Method(Builtin::With, parts) if same(&parts[0], var) => {
                let mut one = parts[1].clone();
                Said(&self.said).expr(&mut one);
                if !free_locals(&one).into_iter().eq([self.name]) {
                    return;
                }
                let (name, about) = self.about_another(&one);
                let so_far = self.up_to_here();
                let inside = bool(ExprKind::Method(
                    Builtin::Contains,
                    vec![var.clone(), about],
                ));
                self.all.push(forall(name, so_far, inside));
                if matches!(var.ty, Ty::Bag(_)) {
                    self.all.push(binary(BinOp::Eq, size(var), self.round()));
                    left.push(Left {
                        bag: var.clone(),
                        value: one,
                        name: self.name,
                        range: self.range.clone(),
                    });
                }
            }
            ExprKind::Method(Builtin::Without, parts) if same(&parts[0], var) => {
                let ExprKind::Range { end, .. } = &self.range.kind else {
                    return;
                };
                let rest = ExprKind::Binary(
                    BinOp::Sub,
                    Box::new(int((**end).clone())),
                    Box::new(self.round()),
                );
                self.all
                    .push(binary(BinOp::Eq, size(var), expr(rest, Ty::Int)));
                self.taken(var, &parts[1], then, left);
            }
            ExprKind::Binary(BinOp::Add, old, one)
                if same(old.bare(), var) && number(one) == Some(1) =>
            {
                let counter = int(var.clone());
                self.all.push(binary(BinOp::Eq, counter, self.round()));
            }
            _ => {}
        }
    }

    /// Everything that was in a bag is there, or where the round puts what it takes.
    fn taken(&mut self, bag: &Expr, one: &Expr, then: &[Stmt], left: &[Left]) {
        let Some(there) = left.iter().rev().find(|left| same(&left.bag, bag)) else {
            return;
        };
        for stmt in then {
            let StmtKind::Assign(place, value) = &stmt.kind else {
                continue;
            };
            let Some(var) = variable(place, &value.ty) else {
                continue;
            };
            let ExprKind::Method(Builtin::With, parts) = &value.kind else {
                continue;
            };
            if !same(&parts[0], &var) || !same(&parts[1], one) {
                continue;
            }
            let name = self.new_name(there.name);
            let mut about = there.value.clone();
            Instead(there.name, name).expr(&mut about);
            let within = |all: &Expr| {
                let parts = vec![all.clone(), about.clone()];
                bool(ExprKind::Method(Builtin::Contains, parts))
            };
            let either = binary(BinOp::Or, within(bag), within(&var));
            self.all.push(forall(name, there.range.clone(), either));
        }
    }

    /// What is known of a variable, and what is said in terms of it, is so no more.
    fn forget(&mut self, var: &Expr) {
        let ExprKind::Of(family, _, which) = &var.kind else {
            return;
        };
        let is_it =
            |one: &Expr| matches!(&one.kind, ExprKind::Of(f, _, v) if (f, v) == (family, which));
        self.said
            .retain(|(var, value)| !is_it(var) && !mentions(value, &is_it));
    }

    /// The same about a round with another name.
    fn about_another(&mut self, about: &Expr) -> (LocalId, Expr) {
        let name = self.new_name(self.name);
        let mut about = about.clone();
        Instead(self.name, name).expr(&mut about);
        (name, about)
    }

    fn new_name(&mut self, like: LocalId) -> LocalId {
        let name = LocalId::from(self.locals.len());
        self.locals.push(Local {
            name: format!("k{}", self.locals.len()),
            ty: self.locals[like.index()].ty.clone(),
            mutable: false,
            span: Span::default(),
        });
        name
    }

    /// The number of the round.
    fn round(&self) -> Expr {
        int(expr(ExprKind::Local(self.name), self.ty.clone()))
    }

    /// The rounds before this one.
    fn up_to_here(&self) -> Expr {
        let mut range = self.range.clone();
        if let ExprKind::Range { end, .. } = &mut range.kind {
            let here = expr(ExprKind::Local(self.name), self.ty.clone());
            **end = match (&here.ty, &end.ty) {
                (Ty::Nat, Ty::Int) => int(here),
                (Ty::Int, Ty::Nat) => expr(ExprKind::Narrow(Box::new(here)), Ty::Nat),
                _ => here,
            };
        }
        range
    }
}

fn variable(place: &Place, ty: &Ty) -> Option<Expr> {
    match &place.root {
        Root::Of(family, index, var) if place.path.is_empty() => {
            Some(expr(ExprKind::Of(*family, index.clone(), *var), ty.clone()))
        }
        _ => None,
    }
}

fn forall(name: LocalId, range: Expr, about: Expr) -> Expr {
    let binding = Binding {
        names: vec![name],
        domain: Domain::In(range),
        filter: None,
    };
    bool(ExprKind::Quantifier(
        Quantifier::Forall,
        vec![binding],
        Box::new(about),
    ))
}

fn size(all: &Expr) -> Expr {
    let size = ExprKind::Method(Builtin::Len, vec![all.clone()]);
    int(expr(size, Ty::Nat))
}

fn int(value: Expr) -> Expr {
    match value.ty {
        Ty::Int => value,
        _ => expr(ExprKind::Widen(Box::new(value)), Ty::Int),
    }
}

/// Are they the same variable of an endpoint, wherever they stand in the text?
fn same(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Of(f, one, v), ExprKind::Of(g, other, w)) => {
            let mut index = one.iter().zip(other);
            (f, v, one.len()) == (g, w, other.len()) && index.all(|(a, b)| a.kind == b.kind)
        }
        _ => false,
    }
}

fn mentions(value: &Expr, what: &dyn Fn(&Expr) -> bool) -> bool {
    any_expr(value, what)
}

/// What variables were assigned, in their place.
struct Said<'a>(&'a [(Expr, Expr)]);

impl VisitMut for Said<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        let known = self.0.iter().find(|(var, _)| same(var, expr));
        if let Some((_, value)) = known {
            *expr = value.clone();
            return;
        }
        walk_mut::expr(self, expr);
    }
}
