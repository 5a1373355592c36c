//! Choreographies.

use crate::ask::*;
use crate::build::*;
use plainsong_ir::*;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::replay::replay;
use plainsong_semantics::search::*;
use plainsong_semantics::simulate::simulate;
use plainsong_semantics::trace::{Ending, EventKind, FailureKind};

const LINE: Subject = Subject::Line(0);

/// `swap(x: int, y: int)` of the reference; with `broken`, the last statement is missing.
fn swap(broken: bool) -> Builder {
    let mut b = Builder::default();
    let params = || {
        let mut l = Locals::default();
        l.add("x", Ty::Int);
        l.add("y", Ty::Int);
        l
    };
    let endpoint = |b: &mut Builder, name: &str, param: usize| {
        let start = expr(ExprKind::Local(param.into()), Ty::Int);
        let family = b.family(name, &[], &[("v", start), ("t", int(0))]);
        for var in &mut b.song.families[family.index()].vars {
            var.locals = params().0;
        }
        family
    };
    let (ea, eb) = (endpoint(&mut b, "a", 0), endpoint(&mut b, "b", 1));
    let read = |family, var| of(family, vec![], var, Ty::Int);
    let put = |family, var: usize, value| set(Root::Of(family, vec![], var.into()), value);
    let mut body = vec![
        put(ea, 1, read(ea, 0)),
        put(eb, 1, read(eb, 0)),
        put(ea, 0, read(eb, 1)),
        put(eb, 0, read(ea, 1)),
    ];
    if broken {
        body.pop();
    }
    let l = params();
    let old = |inner: Expr| expr(ExprKind::Old(Box::new(inner)), Ty::Int);
    let swapped = and(
        eq(read(ea, 0), old(read(eb, 0))),
        eq(read(eb, 0), old(read(ea, 0))),
    );
    b.song.lines.push(Choreography {
        name: "swap".to_owned(),
        endpoints: vec![ea, eb],
        requires: vec![is(BinOp::Lt, l.read(LocalId(0)), l.read(LocalId(1)))],
        ensures: vec![swapped],
        code: Code {
            arity: 2,
            locals: l.0,
            body,
        },
        kind: Default::default(),
        span: span(),
    });
    b
}

#[test]
fn swap_keeps_its_promise() {
    let instance = swap(false).instance(&[]);
    let report = ask_about(&instance, LINE);
    holds(&report, "swap");
    holds(&report, "assertions");
    // Ten pairs x < y of five values, five states each.
    assert_eq!(
        (report.states, report.final_states, report.depth),
        (50, 10, 4)
    );
    assert_eq!(instance.bound()["int"], "-2..=2");
    assert_eq!(report.coverage.missed, []);
}

#[test]
fn half_a_swap_does_not() {
    let report = ask_about(&swap(true).instance(&[]), LINE);
    let trace = refutation(&report, "swap");
    let failure = failure(trace);
    assert_eq!(failure.kind, FailureKind::Contract);
    assert_eq!(
        failure.message,
        "ensures b.v == old(a.v) is false: b.v = -1, old(a.v) = -2"
    );
    holds(&report, "assertions");
    let start: Vec<String> = trace
        .start
        .iter()
        .map(|one| format!("{} = {}", one.variable, one.after))
        .collect();
    assert_eq!(
        start,
        [
            "x = -2", "y = -1", "a.v = -2", "a.t = 0", "b.v = -1", "b.t = 0"
        ]
    );
}

#[test]
fn assignments_are_local_or_transfers() {
    let machine = Machine::new(&swap(false).instance(&[]), LINE);
    let trace = simulate(&machine, 1, 100);
    assert_eq!(trace.ending, Ending::Final);
    assert_eq!(trace.lanes, ["a", "b"]);
    let told: Vec<_> = trace
        .events
        .iter()
        .map(|event| (event.lane, event.kind, &*event.label, event.peer))
        .collect();
    assert_eq!(
        told,
        [
            (Some(0), EventKind::Local, "a.t = a.v", None),
            (Some(1), EventKind::Local, "b.t = b.v", None),
            (Some(0), EventKind::Transfer, "a.v = b.t", Some(1)),
            (Some(1), EventKind::Transfer, "b.v = a.t", Some(0)),
        ]
    );
    assert_eq!(replay(&machine, &trace), Ok(()));
}

/// A counter that goes up to `n`, with an invariant; servers that are told in the end.
fn count_up(invariant: fn(Expr, Expr) -> Expr) -> Builder {
    let mut b = Builder::default();
    let server_sort = b.sort("Server");
    let counter = b.family("counter", &[], &[("n", int(0))]);
    let server = b.family("server", &[("i", server_sort.clone())], &[("told", int(0))]);
    let mut l = Locals::default();
    let (limit, i) = (l.add("limit", Ty::Nat), l.add("i", server_sort.clone()));
    let n = || of(counter, vec![], 0, Ty::Int);
    let widened = |local: Expr| expr(ExprKind::Widen(Box::new(local)), Ty::Int);
    let clauses = LoopClauses {
        invariants: vec![invariant(n(), widened(l.read(limit)))],
        decreases: Vec::new(),
    };
    let body = vec![
        stmt(StmtKind::While(
            is(BinOp::Lt, n(), widened(l.read(limit))),
            clauses,
            vec![set(Root::Of(counter, vec![], VarId(0)), plus(n(), int(1)))],
        )),
        for_(
            i,
            all(server_sort.clone()),
            vec![
                set(Root::Of(server, vec![l.read(i)], VarId(0)), n()),
                assert(eq(
                    of(server, vec![l.read(i)], 0, Ty::Int),
                    widened(l.read(limit)),
                )),
            ],
        ),
    ];
    b.song.lines.push(Choreography {
        name: "count".to_owned(),
        endpoints: vec![counter, server],
        requires: vec![],
        ensures: vec![],
        code: Code {
            arity: 1,
            locals: l.0,
            body,
        },
        kind: Default::default(),
        span: span(),
    });
    let mut l = Locals::default();
    let i = l.add("i", server_sort.clone());
    let told = is(BinOp::Le, of(server, vec![l.read(i)], 0, Ty::Int), int(2));
    let few = quantified(
        Quantifier::Forall,
        vec![binding(&[i], Domain::Type(server_sort))],
        told,
    );
    b.property("few", Claim::Always(few), l);
    b.property("rest", Claim::Quiescent { fair: false }, Locals::default());
    b
}

#[test]
fn loops_run_and_their_invariants_are_checked_before_and_after() {
    let report = ask_about(
        &count_up(|n, limit| is(BinOp::Le, n, limit)).instance(&[]),
        LINE,
    );
    for name in ["count", "assertions", "rest"] {
        holds(&report, name);
    }
    let trace = refutation(&report, "few");
    assert_eq!(
        why(trace),
        "i = Server#0: server[0].told <= 2 is false: server[0].told = 3"
    );
    let last = trace.events.last().unwrap();
    assert_eq!(
        (&*last.label, last.kind),
        ("server[0].told = counter.n", EventKind::Transfer)
    );
    // Only the check after the last round sees that n reaches the limit.
    let report = ask_about(
        &count_up(|n, limit| is(BinOp::Lt, n, limit)).instance(&[]),
        LINE,
    );
    let trace = refutation(&report, "count");
    assert_eq!(
        failure(trace).message,
        "invariant counter.n < limit is false: counter.n = 0, limit = 0"
    );
    assert_eq!(labels(trace), ["start"]);
}

#[test]
fn an_assertion_in_a_line_counts_as_an_assertion() {
    let mut b = swap(false);
    b.song.lines[0].code.body.push(assert(no()));
    let report = ask_about(&b.instance(&[]), LINE);
    assert_eq!(
        failure(refutation(&report, "assertions")).kind,
        FailureKind::Assertion
    );
    holds(&report, "swap");
}

#[test]
fn a_line_may_choose_and_discard() {
    let mut b = Builder::default();
    let a = b.family("a", &[], &[("v", int(0))]);
    let mut l = Locals::default();
    let v = l.add("v", Ty::Int);
    let place = Place {
        root: Root::Of(a, vec![], VarId(0)),
        path: vec![],
        span: span(),
    };
    let choice = Choice {
        local: v,
        domain: Domain::Type(Ty::Int),
        filter: None,
    };
    let body = vec![
        stmt(StmtKind::AssignChoice(place, choice)),
        assume(is(BinOp::Gt, of(a, vec![], 0, Ty::Int), int(0))),
    ];
    b.song.lines.push(Choreography {
        name: "choose".to_owned(),
        endpoints: vec![a],
        requires: vec![],
        ensures: vec![is(BinOp::Ge, of(a, vec![], 0, Ty::Int), int(1))],
        code: Code {
            arity: 0,
            locals: l.0,
            body,
        },
        kind: Default::default(),
        span: span(),
    });
    let instance = b.instance(&[]);
    let report = ask_about(&instance, LINE);
    holds(&report, "choose");
    assert_eq!(report.final_states, 2);
    let trace = simulate(&Machine::new(&instance, LINE), 0, 10);
    assert_eq!(trace.events[0].label, "a.v = choose");
    assert!(trace.events[0].choices[0].starts_with("v = "));
}

#[test]
fn properties_belong_to_what_they_speak_about() {
    let mut b = swap(false);
    let small = is(BinOp::Le, of(FamilyId(0), vec![], 0, Ty::Int), int(2));
    b.property("small", Claim::Always(small), Locals::default());
    let m = b.message("M", &[], None);
    let p = b.family("p", &[], &[]);
    b.body(p, Locals::default(), vec![send(m, vec![], pid(p, vec![]))]);
    let one = is(
        BinOp::Le,
        expr(ExprKind::Pending(PendingOf::All), Ty::Nat),
        int(1),
    );
    b.property("one", Claim::Always(one), Locals::default());
    let instance = b.instance(&[]);
    let queries = Query::all(instance.song());
    let names = |at: usize| -> Vec<String> {
        let Query { subject, checks } = &queries[at];
        checks
            .iter()
            .map(|check| check.name(instance.song(), *subject).0)
            .collect()
    };
    assert_eq!(names(0), ["assertions", "no_deadlock", "one"]);
    assert_eq!(names(1), ["swap", "assertions", "small"]);
    holds(&ask(&instance), "one");
    holds(&ask_about(&instance, LINE), "small");
    assert_eq!(instance.lanes(LINE), 1..3);
}
