//! Names are declared where they get their value.
//!
//! What a member may be told is declared before the condition under which it is told, because others of its family go
//! on without it. Where nothing behind that condition reads the name, the declaration belongs inside; and a name
//! that begins there with what was received, or with anything else that is computed later, needs no value before. So a
//! loop of which only one round is a member's own can be seen to be that round.

use super::simplify::{Put, is_fixed};
use crate::terms::{is_total, local, locals_used};
use plainsong_ir::visit::{VisitMut, any_place, free_locals};
use plainsong_ir::{Block, Expr, ExprKind, LocalId, Root, Stmt, StmtKind};

/// The block with its declarations inside of the conditions behind them, where that is possible.
pub(super) fn settle(mut block: Block) -> Block {
    for at in (0..block.len()).rev() {
        if sinks(&block[at..]) {
            let declaration = block.remove(at);
            if let StmtKind::If(_, then, _) = &mut block[at].kind {
                then.insert(0, declaration);
                *then = settle(std::mem::take(then));
            }
        } else if let Some((name, received)) = received(&block[at..]) {
            block.remove(at + 2);
            block.remove(at);
            let mut put = Put {
                local: name,
                value: &received,
            };
            block[at..].iter_mut().for_each(|one| put.stmt(one));
        } else if let Some((behind, begin)) = begins_later(&block[at..]) {
            block[at + behind].kind = begin;
            block.remove(at);
        } else if let Some((behind, name, chosen)) = chosen_later(&block[at..]) {
            let StmtKind::AssignChoice(_, choice) = &block[at + behind].kind else {
                unreachable!("that is what was looked for")
            };
            block[at + behind].kind = StmtKind::LetChoice(choice.clone());
            let mut put = Put {
                local: name,
                value: &chosen,
            };
            block[at + behind + 1..]
                .iter_mut()
                .for_each(|one| put.stmt(one));
            block.remove(at);
        }
    }
    block
}

/// `var x = 0; …; x = e;`, where nothing before reads or changes `x`: how far behind that is, and the declaration that
/// can stand there.
fn begins_later(block: &[Stmt]) -> Option<(usize, StmtKind)> {
    let (declaration, rest) = block.split_first()?;
    let StmtKind::Let(name, value) = &declaration.kind else {
        return None;
    };
    let uses = |one: &Stmt| locals_used(std::slice::from_ref(one)).contains(name);
    let behind = rest.iter().position(uses)?;
    let StmtKind::Assign(place, begin) = &rest[behind].kind else {
        return None;
    };
    let is_whole =
        matches!(place.root, Root::Local(target) if target == *name) && place.path.is_empty();
    (is_whole && !free_locals(begin).contains(name) && is_fixed(value) && is_total(value))
        .then(|| (behind + 1, StmtKind::Let(*name, begin.clone())))
}

/// `var x = 0; …; x = choose …;`, where nothing before reads or changes `x`, and nothing behind changes it: how far behind
/// that is, `x`, and the name of what is chosen as an expression.
fn chosen_later(block: &[Stmt]) -> Option<(usize, LocalId, Expr)> {
    let (declaration, rest) = block.split_first()?;
    let StmtKind::Let(name, value) = &declaration.kind else {
        return None;
    };
    let uses = |one: &Stmt| locals_used(std::slice::from_ref(one)).contains(name);
    let behind = rest.iter().position(uses)?;
    let StmtKind::AssignChoice(place, choice) = &rest[behind].kind else {
        return None;
    };
    let is_whole =
        matches!(place.root, Root::Local(target) if target == *name) && place.path.is_empty();
    let bare = Stmt {
        kind: StmtKind::LetChoice(choice.clone()),
        span: rest[behind].span,
    };
    let stays = !uses(&bare) && !is_assigned(*name, &rest[behind + 1..]);
    (is_whole && stays && is_fixed(value) && is_total(value))
        .then(|| (behind + 1, *name, local(choice.local, &value.ty)))
}

/// `var x = 0; if c { … }`, and nothing but the block reads or changes `x`.
fn sinks(block: &[Stmt]) -> bool {
    let [declaration, conditional, rest @ ..] = block else {
        return false;
    };
    let StmtKind::Let(name, value) = &declaration.kind else {
        return false;
    };
    let StmtKind::If(condition, _, otherwise) = &conditional.kind else {
        return false;
    };
    is_fixed(value)
        && is_total(value)
        && otherwise.is_empty()
        && !free_locals(condition).contains(name)
        && !locals_used(rest).contains(name)
}

/// `var x = 0; receive M(y) from …; x = y;`, where `x` is not changed any more and `y` not read: `x`, and `y` as an
/// expression.
fn received(block: &[Stmt]) -> Option<(LocalId, Expr)> {
    let [declaration, receive, assignment, rest @ ..] = block else {
        return None;
    };
    let StmtKind::Let(name, value) = &declaration.kind else {
        return None;
    };
    let StmtKind::Receive(accept) = &receive.kind else {
        return None;
    };
    let StmtKind::Assign(place, heard) = &assignment.kind else {
        return None;
    };
    let (Root::Local(target), ExprKind::Local(from)) = (&place.root, &heard.kind) else {
        return None;
    };
    let is_plain = target == name
        && place.path.is_empty()
        && accept.filter.is_none()
        && accept.slots[..] == [Some(*from)]
        && !locals_used(std::slice::from_ref(receive)).contains(name);
    let stays = !locals_used(rest).contains(from) && !is_assigned(*name, rest);
    (is_plain && stays && is_fixed(value) && is_total(value))
        .then(|| (*name, local(*from, &heard.ty)))
}

/// Is a name changed in there?
pub(super) fn is_assigned(name: LocalId, block: &[Stmt]) -> bool {
    any_place(block, |place| place.root == Root::Local(name))
}
