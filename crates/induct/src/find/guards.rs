//! The conditions in a song: what steps ask before they do something.
//!
//! Conjuncts of `assume` and `where`, and the conditions of `if`, that are about the state and members of sorts only. Where a step
//! keeps a local value in a variable, what it asked of the value is a condition on the variable.

use super::atoms::told_from_outside;
use plainsong_ir::build::{expr, global, index, local};
use plainsong_ir::visit::{conjuncts, each_stmt, free_locals, reads_state, replace, without_spans};
use plainsong_ir::{
    Access, BinOp, Binding, Block, Body, Claim, Domain, Expr, ExprKind, Local, LocalId, Quantifier,
    Root, Song, StmtKind, System, Ty, UnOp,
};
use std::collections::BTreeSet;

/// A condition, and the locals that it speaks about.
pub(crate) struct Guard {
    pub(crate) condition: Expr,
    pub(crate) locals: Vec<Local>,
}

/// The conditions of a song.
pub(crate) fn guards(song: &Song) -> Vec<Guard> {
    let mut all = Vec::new();
    match &song.system {
        System::Actions(actions) => {
            let whole = |root: &Root| match root {
                Root::Global(at) => Some(global(*at, &actions.globals[at.index()].ty)),
                _ => None,
            };
            for action in &actions.actions {
                closures(&mut all, &action.code.body, &action.code.locals);
                for condition in conditions(&action.code.body) {
                    for condition in of_what_is_kept(&action.code.body, condition, &whole) {
                        keep(&mut all, condition, &action.code.locals);
                    }
                }
            }
        }
        System::Voices(voices) => {
            for process in &voices.processes {
                let indices = song.families[process.family.index()].index.len();
                let own: Vec<Expr> = (0..indices)
                    .map(|at| local(LocalId::from(at), &process.locals[at].ty))
                    .collect();
                let vars = &song.families[process.family.index()].vars;
                let whole = |root: &Root| match root {
                    Root::Own(at) => Some(expr(ExprKind::Own(*at), vars[at.index()].ty.clone())),
                    _ => None,
                };
                let mut found = Vec::new();
                match &process.body {
                    Body::Handlers(handlers) => {
                        for handler in handlers {
                            let own = conditions(&handler.body).into_iter();
                            for one in own.chain(handler.accept.filter.clone()) {
                                found.extend(of_what_is_kept(&handler.body, one, &whole));
                            }
                        }
                    }
                    Body::Sequential(block) => found.extend(conditions(block)),
                }
                for mut condition in found {
                    told_from_outside(&mut condition, process.family, &own);
                    keep(&mut all, condition, &process.locals);
                }
            }
        }
        System::None => {}
    }
    for property in &song.properties {
        if let Claim::Always(claim) = &property.claim {
            parts_of_claim(&mut all, claim, &property.locals);
        }
    }
    all
}

/// That there is a member with which a step could be taken: all that the step asks about the member, where some of it is about all
/// members of something. A step whose effect does not tell the member leaves that behind.
fn closures(all: &mut Vec<Guard>, block: &Block, locals: &[Local]) {
    let conditions = conditions(block);
    let parts: Vec<&Expr> = conditions.iter().flat_map(conjuncts).collect();
    let members: BTreeSet<LocalId> = parts
        .iter()
        .filter(|part| matches!(part.kind, ExprKind::Quantifier(Quantifier::Forall, ..)))
        .flat_map(|part| free_locals(part))
        .filter(|one| matches!(locals[one.index()].ty, Ty::Sort(_)))
        .collect();
    for member in members {
        let about = parts
            .iter()
            .filter(|part| free_locals(part).contains(&member));
        let about = plainsong_ir::build::all(about.map(|part| (*part).clone()));
        let binding = Binding {
            domain: Domain::Type(locals[member.index()].ty.clone()),
            names: vec![member],
            filter: None,
        };
        let exists = ExprKind::Quantifier(Quantifier::Exists, vec![binding], Box::new(about));
        keep(all, plainsong_ir::build::proposition(exists), locals);
    }
}

/// What a claim joins to say what it says.
fn parts_of_claim(all: &mut Vec<Guard>, claim: &Expr, locals: &[Local]) {
    match &claim.kind {
        ExprKind::Quantifier(Quantifier::Forall, _, body) | ExprKind::Unary(UnOp::Not, body) => {
            parts_of_claim(all, body, locals);
        }
        ExprKind::Binary(BinOp::And | BinOp::Or | BinOp::Implies, one, other) => {
            parts_of_claim(all, one, locals);
            parts_of_claim(all, other, locals);
        }
        _ => keep(all, claim.clone(), locals),
    }
}

/// The conjuncts that are about members of sorts only.
fn keep(all: &mut Vec<Guard>, condition: Expr, locals: &[Local]) {
    for part in conjuncts(&condition) {
        let mut free = free_locals(part).into_iter();
        let is_about_members = free.all(|one| matches!(locals[one.index()].ty, Ty::Sort(_)));
        let is_known = all.iter().any(|one: &Guard| one.condition == *part);
        let reads_self = plainsong_ir::visit::any_expr(part, |one| {
            matches!(one.kind, ExprKind::SelfPid | ExprKind::Own(_))
        });
        let is_compound = matches!(
            part.kind,
            ExprKind::Quantifier(..)
                | ExprKind::Binary(..)
                | ExprKind::Match(..)
                | ExprKind::Call(..)
        );
        if is_about_members && !is_known && !reads_self && is_compound && speaks_of_values(part) {
            all.push(Guard {
                condition: part.clone(),
                locals: locals.to_vec(),
            });
        }
    }
}

/// Does it speak of the state, or of a parameter of the song?
fn speaks_of_values(part: &Expr) -> bool {
    let is_parameter = |one: &Expr| matches!(one.kind, ExprKind::Const(_));
    reads_state(part) || plainsong_ir::visit::any_expr(part, is_parameter)
}

fn conditions(block: &Block) -> Vec<Expr> {
    let mut found = Vec::new();
    each_stmt(block, |stmt| match &stmt.kind {
        StmtKind::Assume(condition) | StmtKind::If(condition, ..) => found.push(condition.clone()),
        StmtKind::LetChoice(choice) | StmtKind::AssignChoice(_, choice) => {
            found.extend(choice.filter.clone());
        }
        _ => {}
    });
    found
}

/// A condition, and what it says of each variable that a value which it speaks about is kept in.
fn of_what_is_kept(
    block: &Block,
    condition: Expr,
    whole: &dyn Fn(&Root) -> Option<Expr>,
) -> Vec<Expr> {
    let mut all = Vec::new();
    each_stmt(block, |stmt| {
        let StmtKind::Assign(place, value) = &stmt.kind else {
            return;
        };
        let is_simple = matches!(
            value.kind,
            ExprKind::Local(_) | ExprKind::Index(..) | ExprKind::Own(_) | ExprKind::Global(_)
        );
        let is_name = matches!(value.kind, ExprKind::Local(_)) && matches!(value.ty, Ty::Sort(_));
        let kept = place
            .path
            .iter()
            .try_fold(whole(&place.root), |whole, access| {
                let Access::Index(at) = access else {
                    return None;
                };
                Some(whole.map(|whole| index(whole, at.clone())))
            });
        let (true, false, Some(Some(kept))) = (is_simple, is_name, kept) else {
            return;
        };
        let value = without_spans(value);
        let mut other = condition.clone();
        replace(&mut other, |one| {
            (without_spans(one) == value).then(|| kept.clone())
        });
        if other != condition {
            all.push(other);
        }
    });
    all.push(condition);
    all
}
