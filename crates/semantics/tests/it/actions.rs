//! Action systems: gates, blocking, pending asyncs.

use crate::ask::*;
use crate::build::*;
use plainsong_ir::*;
use plainsong_semantics::executions::executions;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::replay::replay;
use plainsong_semantics::search::*;
use plainsong_semantics::simulate::simulate;
use plainsong_semantics::trace::{Ending, EventKind, FailureKind};

/// The lock of the reference; `blocks` is whether `Acquire` waits, `releases` whether it leaves a
/// release.
fn lock(blocks: bool, releases: bool) -> Builder {
    let mut b = Builder::default();
    let tid = b.sort("Tid");
    let owner = Ty::Option(Box::new(tid.clone()));
    b.global("owner", none(tid.clone()));
    let mut l = Locals::default();
    let t = l.add("t", tid.clone());
    let mut body = Vec::new();
    if blocks {
        body.push(assume(eq(global(0, owner.clone()), none(tid.clone()))));
    }
    body.push(set_global(0, some(l.read(t))));
    if releases {
        body.push(async_(1, vec![l.read(t)]));
    }
    b.action("Acquire", 1, l, body);
    let mut l = Locals::default();
    let t = l.add("t", tid.clone());
    let gate = assert(eq(global(0, owner.clone()), some(l.read(t))));
    b.action(
        "Release",
        1,
        l,
        vec![gate, set_global(0, none(tid.clone()))],
    );
    let mut l = Locals::default();
    let t = l.add("t", tid.clone());
    let body = vec![for_(t, all(tid.clone()), vec![async_(0, vec![l.read(t)])])];
    b.actions().init = Some(Code {
        arity: 0,
        locals: l.0,
        body,
    });
    let free = eq(global(0, owner), none(tid));
    b.property("free", Claim::Finally(free), Locals::default());
    b.property("rest", Claim::Quiescent { fair: false }, Locals::default());
    let releases = expr(ExprKind::Pending(PendingOf::Action(ActionId(1))), Ty::Nat);
    b.property(
        "one",
        Claim::Always(is(BinOp::Le, releases, int(1))),
        Locals::default(),
    );
    b
}

#[test]
fn a_blocking_lock_is_right() {
    let report = ask(&lock(true, true).instance(&[("Tid", 3)]));
    for name in ["assertions", "no_deadlock", "free", "rest", "one"] {
        holds(&report, name);
    }
    assert_eq!(report.coverage.received, ["Acquire", "Release"]);
    // Sets of waiting threads, with or without one holding: 2^3 + 3 * 2^2. The state before `init` does not count.
    assert_eq!(report.states, 8 + 12);
}

#[test]
fn without_blocking_the_gate_fails() {
    let report = ask(&lock(false, true).instance(&[]));
    let trace = refutation(&report, "assertions");
    assert_eq!(
        labels(trace),
        ["init", "Acquire(Tid#0)", "Acquire(Tid#1)", "Release(Tid#0)"]
    );
    let failure = failure(trace);
    assert_eq!(failure.kind, FailureKind::Assertion);
    assert_eq!(
        failure.message,
        "owner == some(t) is false: owner = some(Tid#1), t = Tid#0"
    );
    assert_eq!(trace.events[0].sends.len(), 2);
    assert_eq!(trace.events[1].kind, EventKind::Act);
    assert_eq!(trace.events[1].message, Some(0));
    assert_eq!(trace.events[1].sends[0].label, "Release(Tid#0)");
    assert_eq!(trace.lanes.len(), 0);
    refutation(&report, "one");
}

#[test]
fn without_release_the_second_waits_for_ever() {
    let report = ask(&lock(true, false).instance(&[]));
    let trace = refutation(&report, "no_deadlock");
    let Ending::Deadlock(waiting) = &trace.ending else {
        panic!()
    };
    assert_eq!((waiting.len(), waiting[0].lane), (1, None));
    assert_eq!(waiting[0].what, "Acquire(Tid#1)");
    assert_eq!(report.final_states, 0);
}

#[test]
fn the_only_thread_keeps_it() {
    let report = ask(&lock(true, false).instance(&[("Tid", 1)]));
    let trace = refutation(&report, "free");
    assert_eq!(why(trace), "owner == none is false: owner = some(Tid#0)");
    assert_eq!(trace.events[1].changes[0].variable, "owner");
}

#[test]
fn equal_asyncs_are_interchangeable_but_all_run() {
    let mut b = Builder::default();
    b.global("n", int(0));
    b.action(
        "Add",
        0,
        Locals::default(),
        vec![set_global(0, plus(global(0, Ty::Int), int(1)))],
    );
    let body = vec![async_(0, vec![]), async_(0, vec![]), async_(0, vec![])];
    b.actions().init = Some(Code {
        arity: 0,
        locals: vec![],
        body,
    });
    let all_added = eq(global(0, Ty::Int), int(3));
    b.property("three", Claim::Finally(all_added), Locals::default());
    let instance = b.instance(&[]);
    let report = ask(&instance);
    holds(&report, "three");
    assert_eq!((report.states, report.steps), (4, 4));
    let machine = Machine::new(&instance, Subject::System);
    let trace = simulate(&machine, 9, 10);
    assert_eq!(replay(&machine, &trace), Ok(()));
    let mut numbers: Vec<u64> = trace
        .events
        .iter()
        .filter_map(|event| event.message)
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 1, 2]);
    assert_eq!(
        executions(&machine, &Limits::default(), &mut Unwatched),
        None
    );
}

#[test]
fn blocked_branches_of_an_action_leave_the_others() {
    // The action chooses; only one choice passes the assumption.
    let mut b = Builder::default();
    b.global("x", int(0));
    let mut l = Locals::default();
    let n = l.add("n", Ty::Int);
    let body = vec![
        choose(n, Domain::Type(Ty::Int)),
        assume(eq(l.read(n), int(2))),
        set_global(0, l.read(n)),
    ];
    b.action("Pick", 0, l, body);
    b.actions().init = Some(Code {
        arity: 0,
        locals: vec![],
        body: vec![async_(0, vec![])],
    });
    b.property(
        "two",
        Claim::Finally(eq(global(0, Ty::Int), int(2))),
        Locals::default(),
    );
    let instance = b.instance(&[]);
    holds(&ask(&instance), "two");
    assert_eq!(instance.bound()["int"], "-2..=2");
}

#[test]
fn a_ping_pong_repeats_for_ever() {
    let mut b = Builder::default();
    b.global("n", int(0));
    let turn = |to| vec![set_global(0, int(to as i64)), async_(to, vec![])];
    b.action("Ping", 0, Locals::default(), turn(1));
    b.action("Pong", 0, Locals::default(), turn(0));
    b.actions().init = Some(Code {
        arity: 0,
        locals: vec![],
        body: vec![async_(0, vec![])],
    });
    b.property("rest", Claim::Quiescent { fair: false }, Locals::default());
    b.property(
        "rest_if_fair",
        Claim::Quiescent { fair: true },
        Locals::default(),
    );
    let report = ask(&b.instance(&[]));
    let trace = refutation(&report, "rest");
    assert_eq!(labels(trace), ["init", "Ping", "Pong"]);
    assert_eq!(
        why(trace),
        "repeats for ever: the last 2 events lead back to where they began"
    );
    assert!(
        matches!(answer(&report, "rest_if_fair"), Answer::Unknown(reason) if reason.contains("diverge"))
    );
    holds(&report, "no_deadlock");
}

#[test]
fn globals_may_start_with_any_value_and_read_earlier_ones() {
    let mut b = Builder::default();
    b.global("x", yes());
    let mut l = Locals::default();
    let x = l.add("x", Ty::Bool);
    let choice = Choice {
        local: x,
        domain: Domain::Type(Ty::Bool),
        filter: None,
    };
    b.actions().globals[0].start = StartValue::Choice(choice);
    b.actions().globals[0].locals = l.0;
    b.global("y", not(global(0, Ty::Bool)));
    let differ = is(BinOp::Ne, global(0, Ty::Bool), global(1, Ty::Bool));
    b.property("differ", Claim::Always(differ), Locals::default());
    let report = ask(&b.instance(&[]));
    holds(&report, "differ");
    assert_eq!((report.states, report.final_states), (2, 2));
}

#[test]
fn an_undefined_start_is_a_failure() {
    let mut b = Builder::default();
    b.global("x", binary(BinOp::Div, int(1), int(0), Ty::Int));
    let report = ask(&b.instance(&[]));
    let trace = refutation(&report, "assertions");
    assert!(trace.events.is_empty());
    assert_eq!(failure(trace).message, "division by zero: 1 / 0");
}
