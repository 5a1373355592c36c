//! Voices as a person would write them.
//!
//! - Neighbours under the same condition on names that do not change are joined.
//! - `for s in S { if s == me { B } }` is `B` for `me`, when every member of `S` is visited once:
//!   the other rounds do nothing.
//! - Names are declared where they get their value ([`settle`]).
//! - Conditions that always hold, names that nobody reads and loops that do nothing are left out; what might have no
//!   value is evaluated all the same.

use super::settle::{is_assigned, settle};
use crate::locate::leaves as leaves_loop;
use crate::terms::{all, can_fail, conjuncts, expr, locals_used, replace_locals, some, stmt};
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{Visit, VisitMut, any_expr, free_locals, walk, walk_mut};
use plainsong_ir::{
    BinOp, Block, Builtin, Domain, Expr, ExprKind, Local, LocalId, LoopClauses, Place, Root, Stmt,
    StmtKind, Ty, UnOp,
};
use std::collections::BTreeSet;

/// Adds statements under a condition on names that do not change.
pub(super) fn push_under(out: &mut Block, condition: Expr, block: Block) {
    if let Some(Stmt {
        kind: StmtKind::If(last, then, otherwise),
        ..
    }) = out.last_mut()
        && otherwise.is_empty()
        && *last == condition
        && !leaves_loop(then)
    {
        return then.extend(block);
    }
    let span = block.first().map_or(Span::default(), |one| one.span);
    out.push(stmt(StmtKind::If(condition, block, Vec::new()), span));
}

/// Is a `break` or `continue` of the loop around it in there?
pub(super) fn leaves(block: &[Stmt]) -> bool {
    leaves_loop(block)
}

/// Does it change nothing but the way through itself?
pub(super) fn is_idle(block: &[Stmt]) -> bool {
    block.iter().all(|one| match &one.kind {
        StmtKind::Let(..) | StmtKind::Break | StmtKind::Continue => true,
        StmtKind::If(_, then, otherwise) => is_idle(then) && is_idle(otherwise),
        StmtKind::Match(_, arms) => arms.iter().all(|(_, block)| is_idle(block)),
        StmtKind::For { body, .. } => is_idle(body),
        _ => false,
    })
}

/// Can the loop with this body be left out here? Who only asserts something in one that is left is not told when that
/// is, and would assert it too often.
pub(super) fn does_nothing(body: &[Stmt], is_left: bool) -> bool {
    body.iter().all(|one| match &one.kind {
        StmtKind::Assert(_) => is_left,
        StmtKind::If(_, then, otherwise) => {
            does_nothing(then, is_left) && does_nothing(otherwise, is_left)
        }
        StmtKind::Match(_, arms) => arms.iter().all(|(_, arm)| does_nothing(arm, is_left)),
        StmtKind::For { body, .. } => does_nothing(body, is_left),
        _ => is_idle(std::slice::from_ref(one)),
    })
}

/// A loop over elements, or the one round of it that does something.
pub(super) fn for_each(
    local: LocalId,
    domain: Domain,
    filter: Option<Expr>,
    body: Block,
    span: Span,
    locals: &[Local],
    out: &mut Block,
) {
    let body = tidy(body);
    if let Some((value, mut conditions, mut block)) =
        only_round(local, &body, &locals[local.index()].ty)
        && let Some(member) = member(&value, &domain)
    {
        let put = |of: &mut Expr| {
            let value = value.clone();
            replace_locals(of, &move |name| (name == local).then(|| value.clone()));
        };
        conditions.splice(0..0, member.into_iter().chain(filter));
        conditions.iter_mut().for_each(put);
        Put {
            local,
            value: &value,
        }
        .block(&mut block);
        return match conditions.is_empty() {
            true => out.extend(block),
            false => push_under(out, all(conditions), block),
        };
    }
    let kind = StmtKind::For {
        local,
        domain,
        filter,
        clauses: LoopClauses::default(),
        body,
    };
    out.push(stmt(kind, span));
}

/// The value of the loop's variable in the only round that does something, what else that round
/// depends on, and what it does.
fn only_round(local: LocalId, body: &[Stmt], ty: &Ty) -> Option<(Expr, Vec<Expr>, Block)> {
    let [
        Stmt {
            kind: StmtKind::If(condition, then, otherwise),
            ..
        },
    ] = body
    else {
        return None;
    };
    if !otherwise.is_empty() || leaves_loop(then) {
        return None;
    }
    let parts = conjuncts(condition);
    let at = parts
        .iter()
        .position(|part| fixed(local, part, ty).is_some())?;
    let value = fixed(local, parts[at], ty)?;
    let mut others: Vec<Expr> = parts.into_iter().cloned().collect();
    others.remove(at);
    Some((value, others, then.clone()))
}

/// The value that `part` demands of the loop's variable.
fn fixed(local: LocalId, part: &Expr, ty: &Ty) -> Option<Expr> {
    let ExprKind::Binary(BinOp::Eq, a, b) = &part.kind else {
        return None;
    };
    if free_locals(b).contains(&local) {
        return None;
    }
    match &a.kind {
        ExprKind::Local(name) if *name == local && b.ty == *ty => Some((**b).clone()),
        _ => None,
    }
}

/// Under which condition a value is visited by a loop over `domain`, once; `None` if that is not
/// known to be once.
fn member(value: &Expr, domain: &Domain) -> Option<Option<Expr>> {
    match domain {
        Domain::Type(_) => Some(None),
        Domain::In(set) if matches!(set.kind, ExprKind::All(_)) => Some(None),
        Domain::In(set) if matches!(set.ty, Ty::Set(_)) => {
            let kind = ExprKind::Binary(BinOp::In, Box::new(value.clone()), Box::new(set.clone()));
            Some(Some(expr(kind, Ty::Bool, set.span)))
        }
        Domain::In(_) => None,
    }
}

/// Puts a value in the place of a name.
pub(super) struct Put<'a> {
    pub(super) local: LocalId,
    pub(super) value: &'a Expr,
}

impl VisitMut for Put<'_> {
    fn expr(&mut self, of: &mut Expr) {
        if matches!(of.kind, ExprKind::Local(name) if name == self.local) {
            *of = self.value.clone();
            return;
        }
        walk_mut::expr(self, of);
    }
}

/// Without what does nothing.
pub(super) fn tidy(block: Block) -> Block {
    let mut out: Block = Vec::new();
    for mut one in block {
        match &mut one.kind {
            StmtKind::If(condition, then, otherwise) => {
                let (then, otherwise) =
                    (tidy(std::mem::take(then)), tidy(std::mem::take(otherwise)));
                let condition = fold(condition);
                match (&condition.kind, then.is_empty(), otherwise.is_empty()) {
                    (ExprKind::Bool(true), ..) => out.extend(then),
                    (ExprKind::Bool(false), ..) => out.extend(otherwise),
                    (_, true, true) => {}
                    (_, true, false) => {
                        push_under(&mut out, fold(&crate::terms::not(condition)), otherwise);
                    }
                    (_, false, true) if is_fixed(&condition) => {
                        push_under(&mut out, condition, then);
                    }
                    _ => {
                        one.kind = StmtKind::If(condition, then, otherwise);
                        out.push(one);
                    }
                }
                continue;
            }
            StmtKind::Match(_, arms) => {
                for (_, arm) in arms {
                    *arm = tidy(std::mem::take(arm));
                }
            }
            StmtKind::While(_, _, body) | StmtKind::For { body, .. } => {
                *body = tidy(std::mem::take(body));
            }
            StmtKind::Maybe(then, otherwise) => {
                *then = tidy(std::mem::take(then));
                *otherwise = tidy(std::mem::take(otherwise));
            }
            _ => {}
        }
        out.push(one);
    }
    joined(settle(unread(out)))
}

/// With neighbours under the same condition joined.
fn joined(block: Block) -> Block {
    let mut out: Block = Vec::new();
    for one in block {
        match one.kind {
            StmtKind::If(condition, then, otherwise)
                if otherwise.is_empty() && goes_on_under(&out, &condition) =>
            {
                push_under(&mut out, condition, then);
            }
            _ => out.push(one),
        }
    }
    out
}

/// Is the last statement under the same condition, and does it change nothing that this reads?
fn goes_on_under(out: &[Stmt], condition: &Expr) -> bool {
    let Some(StmtKind::If(last, then, _)) = out.last().map(|one| &one.kind) else {
        return false;
    };
    last == condition
        && is_of_names(condition)
        && free_locals(condition).is_disjoint(&locals_changed(then))
}

/// The names that get a value in a block, new ones included.
fn locals_changed(block: &[Stmt]) -> BTreeSet<LocalId> {
    struct Changed(BTreeSet<LocalId>);
    impl Visit for Changed {
        fn binds(&mut self, local: &LocalId) {
            self.0.insert(*local);
        }

        fn place(&mut self, place: &Place) {
            if let Root::Local(local) = place.root {
                self.0.insert(local);
            }
            walk::place(self, place);
        }
    }
    let mut changed = Changed(BTreeSet::new());
    block.iter().for_each(|one| changed.stmt(one));
    changed.0
}

/// Does a condition read only names that do not change?
pub(super) fn is_fixed(condition: &Expr) -> bool {
    is_of_names(condition) && free_locals(condition).is_empty()
}

/// Does a condition read no variables?
fn is_of_names(condition: &Expr) -> bool {
    !any_expr(condition, |of| matches!(of.kind, ExprKind::Own(_)))
}

/// Without names that nothing after them reads. What is computed from variables and might have no value is evaluated all
/// the same: the line does it, and ends there if it has none.
fn unread(block: Block) -> Block {
    let mut kept: Vec<Stmt> = Vec::new();
    for one in block.into_iter().rev() {
        match &one.kind {
            StmtKind::Let(name, value) if !locals_used(&kept).contains(name) => {
                kept.extend(evaluated(value));
            }
            _ => kept.push(one),
        }
    }
    kept.reverse();
    kept
}

/// Without variables that get values and are never read, as what somebody is only told to have been told. A truth value
/// that was just assigned is read as itself.
pub(super) fn without_unread_variables(block: Block) -> Block {
    struct Read(BTreeSet<LocalId>);
    impl Visit for Read {
        fn expr(&mut self, of: &Expr) {
            if let ExprKind::Local(name) = of.kind {
                self.0.insert(name);
            }
            walk::expr(self, of);
        }
    }
    struct Drop<'a>(&'a BTreeSet<LocalId>);
    impl VisitMut for Drop<'_> {
        fn block(&mut self, block: &mut Block) {
            block.retain(|one| match &one.kind {
                StmtKind::Let(name, value) => self.0.contains(name) || can_fail(value),
                StmtKind::Assign(place, value) => match place.root {
                    Root::Local(name) => self.0.contains(&name) || can_fail(value),
                    _ => true,
                },
                _ => true,
            });
            walk_mut::block(self, block);
        }
    }
    struct Literal;
    impl VisitMut for Literal {
        fn block(&mut self, block: &mut Block) {
            for at in 0..block.len() {
                if let StmtKind::Assign(place, value) = &block[at].kind
                    && let (Root::Local(local), true) = (&place.root, place.path.is_empty())
                    && matches!(value.kind, ExprKind::Bool(_))
                    && !is_assigned(*local, &block[at + 1..])
                {
                    let (local, value) = (*local, value.clone());
                    let mut put = Put {
                        local,
                        value: &value,
                    };
                    block[at + 1..].iter_mut().for_each(|one| put.stmt(one));
                }
            }
            walk_mut::block(self, block);
        }
    }
    let mut block = block;
    Literal.block(&mut block);
    let mut read = Read(BTreeSet::new());
    block.iter().for_each(|one| read.stmt(one));
    Drop(&read.0).block(&mut block);
    block
}

/// A statement that evaluates an expression and does nothing else, unless it surely has a value or is about nobody's state.
pub(super) fn evaluated(value: &Expr) -> Option<Stmt> {
    if is_of_names(value) || !can_fail(value) {
        return None;
    }
    let span = value.span;
    let there = ExprKind::Method(Builtin::IsSome, vec![some(value.clone())]);
    Some(stmt(StmtKind::Assert(expr(there, Ty::Bool, span)), span))
}

/// Comparisons of a name with itself are true.
fn fold(condition: &Expr) -> Expr {
    let mut parts = Vec::new();
    for part in conjuncts(condition) {
        match truth_of(part) {
            Some(true) => {}
            Some(false) => return crate::terms::truth(false),
            None => parts.push(part.clone()),
        }
    }
    all(parts)
}

fn truth_of(part: &Expr) -> Option<bool> {
    match &part.kind {
        ExprKind::Bool(value) => Some(*value),
        ExprKind::Binary(BinOp::Eq, a, b) if is_name(a) && a == b => Some(true),
        ExprKind::Binary(BinOp::Ne, a, b) if is_name(a) && a == b => Some(false),
        ExprKind::Unary(UnOp::Not, inner) => match fold(inner).kind {
            ExprKind::Bool(value) => Some(!value),
            _ => None,
        },
        _ => None,
    }
}

fn is_name(of: &Expr) -> bool {
    matches!(of.kind, ExprKind::Local(_))
}
