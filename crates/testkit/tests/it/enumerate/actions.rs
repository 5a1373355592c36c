//! Action systems.

use super::{row, states_at};
use crate::build::*;
use plainsong_diagnostics::Span;
use plainsong_ir::{
    Action, ActionId, Actions, BinOp, Code, Domain, ExprKind, Global, GlobalId, Root, Song,
    SortDecl, SortId, SortKind, StartValue, StmtKind, System, Ty,
};
use std::collections::BTreeSet;

/// The lock of the book: each of `Tid` acquires and releases. `broken` forgets to wait.
fn lock(broken: bool) -> Song {
    let tid = Ty::Sort(SortId(0));
    let owner_ty = Ty::Option(Box::new(tid.clone()));
    let span = Span::default();
    let owner = || expr(ExprKind::Global(GlobalId(0)), owner_ty.clone());
    let nobody = || expr(ExprKind::None, owner_ty.clone());
    let me = || typed(0, tid.clone());
    let mine = || expr(ExprKind::Some(Box::new(me())), owner_ty.clone());
    let take = |value| set(Root::Global(GlobalId(0)), value);
    let free = assume(binary(BinOp::Eq, owner(), nobody()));
    let leave = |action, argument| stmt(StmtKind::Async(ActionId(action), vec![argument]));
    let wait = if broken { vec![] } else { vec![free] };
    let acquire = [wait, vec![take(mine()), leave(1, me())]].concat();
    let release = vec![assert(binary(BinOp::Eq, owner(), mine())), take(nobody())];
    let action = |name: &str, body| {
        let code = Code {
            arity: 1,
            locals: vec![row(tid.clone())],
            body,
        };
        Action {
            name: name.to_string(),
            code,
            role: Default::default(),
            span,
        }
    };
    let start = vec![for_each(0, Domain::Type(tid.clone()), vec![leave(0, me())])];
    let kind = SortKind::Identities { ordered: false };
    Song {
        sorts: vec![SortDecl {
            name: "Tid".to_string(),
            kind,
            span,
        }],
        system: System::Actions(Actions {
            globals: vec![Global {
                name: "owner".to_string(),
                ty: owner_ty.clone(),
                start: StartValue::Value(nobody()),
                locals: vec![],
                linear: false,
                share: None,
                layers: None,
                span,
            }],
            actions: vec![action("Acquire", acquire), action("Release", release)],
            init: Some(Code {
                arity: 0,
                locals: vec![row(tid.clone())],
                body: start,
            }),
            ..Actions::default()
        }),
        ..Song::default()
    }
}

#[test]
fn a_lock_is_free_in_the_end() {
    let found = states_at(&lock(false), &[("Tid", 3)]);
    assert_eq!(found.finals.len(), 1);
    assert_eq!(found.finals.first().expect("one")["owner"].text, "none");
    // Who still waits (8 sets) and, if anybody has been served, who holds it: 8 + 3 * 4.
    assert_eq!(found.states, 20);
    assert!(found.deadlocks.is_empty() && found.failures.is_empty());
}

#[test]
fn a_lock_that_does_not_wait_fails() {
    let found = states_at(&lock(true), &[("Tid", 2)]);
    assert_eq!(found.failures, BTreeSet::from(["assertion".to_string()]));
    assert!(states_at(&lock(true), &[("Tid", 1)]).failures.is_empty());
}

#[test]
fn blocked_asyncs_are_a_deadlock() {
    let mut song = lock(false);
    let System::Actions(actions) = &mut song.system else {
        unreachable!("a lock is actions")
    };
    actions.actions[1].code.body.truncate(1);
    let found = states_at(&song, &[("Tid", 2)]);
    let pending: Vec<_> = found
        .deadlocks
        .iter()
        .map(|(_, pending)| pending.join(";"))
        .collect();
    assert_eq!(pending, ["Acquire(Tid#1)", "Acquire(Tid#0)"]);
    assert!(found.finals.is_empty() && found.failures.is_empty());
}
