//! Can anybody wait where nothing can happen? What the text says about deadlocks.
//!
//! Statement. If [`why_nobody_waits`] gives a reason, no execution of the system comes to a deadlock, whatever the sizes and
//! values are.
//!
//! Why sound. Of processes, only a body that waits in a `receive`, and is no daemon, can be in a deadlock; while it waits in one
//! with a `timeout`, it can go on by itself. Of action systems, a state is a deadlock only if an async is pending and nothing can run: so
//! none is where no async is ever left, or where each that may be left can run whenever it is pending, because
//! its action waits for nothing. An action that fails is a failure, and no deadlock.
//!
//! NOT COVERED. What depends on values: an `assume` that is always true, a choice among a set that is never empty. Programs in layers.

use crate::build::{all, equal, expr, nat, not, proposition};
use crate::visit::{any_stmt, each_stmt, rename_locals};
use crate::{
    Action, ActionId, Actions, Binding, Block, Body, Choice, Domain, Expr, ExprKind, Function,
    Local, LocalId, PendingOf, Process, Quantifier, Song, StmtKind, System, Ty,
};
use std::collections::BTreeSet;

/// Why there is no deadlock, if the text says so.
pub fn why_nobody_waits(song: &Song) -> Option<&'static str> {
    match &song.system {
        System::Voices(voices) => {
            let all = |test: fn(&Process) -> bool| voices.processes.iter().all(test);
            match (all(may_wait_for_ever), all(never_stuck)) {
                (true, _) => {
                    Some("every process has handlers or is a daemon, and may wait for ever")
                }
                (false, true) => {
                    Some("whoever waits may wait for ever, or gives up at a `timeout`")
                }
                (false, false) => None,
            }
        }
        System::Actions(actions) if !actions.is_layered() => of_actions(song, actions),
        _ => None,
    }
}

fn may_wait_for_ever(process: &Process) -> bool {
    process.daemon || matches!(process.body, Body::Handlers(_))
}

/// May it wait for ever, or does it never wait without a timeout?
fn never_stuck(process: &Process) -> bool {
    let waits = |body: &Block| any_stmt(body, |one| waits_for_messages(&one.kind));
    match &process.body {
        Body::Sequential(body) => process.daemon || !waits(body),
        Body::Handlers(_) => true,
    }
}

fn waits_for_messages(kind: &StmtKind) -> bool {
    matches!(kind, StmtKind::Receive(_) | StmtKind::Select(_, None))
}

fn of_actions(song: &Song, actions: &Actions) -> Option<&'static str> {
    let left = asyncs(actions);
    if left.is_empty() {
        return Some("no async is ever pending");
    }
    let runs = |id: &ActionId| never_waits(&actions.actions[id.index()].code.body);
    let is_external = song.functions.iter().any(Function::is_external);
    let has_empty_type = song.enums.iter().any(|one| one.variants.is_empty());
    (!is_external && !has_empty_type && left.iter().all(runs))
        .then_some("every async can run whenever it is pending: its action waits for nothing")
}

/// What is true of a final state of an action system, among other things: no async is pending, and no action on offer can run of
/// which that is seen from what it begins with. The names that this needs are added to `locals`.
pub fn true_of_final_states(actions: &Actions, locals: &mut Vec<Local>) -> Vec<Expr> {
    let pending = asyncs(actions).into_iter().map(|id| {
        let count = expr(ExprKind::Pending(PendingOf::Action(id)), Ty::Nat);
        equal(count, nat(0))
    });
    let mut known: Vec<Expr> = pending.collect();
    let on_offer = actions.actions.iter().filter(|one| one.role.repeat);
    for action in on_offer {
        known.extend(cannot_run(action, locals));
    }
    known
}

/// That an action which only waits for what its first statements assume cannot run, whatever its arguments are.
fn cannot_run(action: &Action, locals: &mut Vec<Local>) -> Option<Expr> {
    let body = &action.code.body;
    let first = body.iter().map_while(|one| match &one.kind {
        StmtKind::Assume(condition) => Some(condition),
        _ => None,
    });
    let guards: Vec<&Expr> = first.collect();
    if !never_waits(&body[guards.len()..].to_vec()) {
        return None;
    }
    let before = locals.len();
    let parameters = &action.code.locals[..action.code.arity];
    locals.extend(action.code.locals.iter().cloned());
    let guards = guards.into_iter().map(|guard| {
        let mut guard = guard.clone();
        rename_locals(&mut guard, |name| LocalId::from(name.index() + before));
        guard
    });
    let stuck = not(all(guards));
    let bindings = parameters.iter().enumerate().map(|(at, row)| Binding {
        names: vec![LocalId::from(before + at)],
        domain: Domain::Type(row.ty.clone()),
        filter: None,
    });
    let bindings: Vec<Binding> = bindings.collect();
    Some(match bindings.is_empty() {
        true => stuck,
        false => proposition(ExprKind::Quantifier(
            Quantifier::Forall,
            bindings,
            Box::new(stuck),
        )),
    })
}

/// The actions of which an async may be pending.
fn asyncs(actions: &Actions) -> BTreeSet<ActionId> {
    let mut left = BTreeSet::new();
    let mut look = |block: &Block| {
        each_stmt(block, |one| {
            if let StmtKind::Async(id, _) = one.kind {
                left.insert(id);
            }
        });
    };
    actions.init.iter().for_each(|code| look(&code.body));
    let all = actions.actions.iter();
    all.for_each(|action| look(&action.code.body));
    left
}

/// Can the code of an action, or of a handler, run or fail in every state?
pub(crate) fn never_waits(code: &Block) -> bool {
    !any_stmt(code, |one| match &one.kind {
        StmtKind::LetChoice(choice) | StmtKind::AssignChoice(_, choice) => may_be_empty(choice),
        StmtKind::Assume(_) | StmtKind::While(..) => true,
        _ => false,
    })
}

/// A type has values; a set may have none, and a condition may leave none.
fn may_be_empty(choice: &Choice) -> bool {
    choice.filter.is_some() || !matches!(choice.domain, Domain::Type(_))
}
