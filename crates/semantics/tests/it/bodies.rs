//! Processes with bodies: steps, ends, waiting, choices, failures.

use crate::ask::*;
use crate::build::*;
use crate::threads::{self, Op::*};
use plainsong_ir::*;
use plainsong_semantics::machine::{Machine, Status, Subject};
use plainsong_semantics::replay::replay;
use plainsong_semantics::search::*;
use plainsong_semantics::simulate::simulate;
use plainsong_semantics::trace::{Ending, EventKind, FailureKind};
use plainsong_semantics::verdict::Outcome;

/// One process without indices, with these variables.
fn alone(vars: &[(&str, Expr)], body: impl FnOnce(&mut Locals) -> Block) -> Builder {
    let mut b = Builder::default();
    let p = b.family("p", &[], vars);
    let mut locals = Locals::default();
    let body = body(&mut locals);
    b.body(p, locals, body);
    b
}

#[test]
fn nobody_waits_but_those_who_wait_for_each_other() {
    let threads = [vec![R, S(1, 0)], vec![Rf(0), S(0, 0)], vec![S(0, 7)]];
    let threads = [threads[0].clone(), threads[1].clone(), vec![]];
    let instance = threads::song(&threads, [None, None]).instance(&[]);
    let report = ask(&instance);
    let trace = refutation(&report, "no_deadlock");
    assert!(trace.events.is_empty());
    let Ending::Deadlock(waiting) = &trace.ending else {
        panic!()
    };
    let said: Vec<_> = waiting.iter().map(|one| (one.lane, &*one.what)).collect();
    assert_eq!(
        said,
        [(Some(0), "M or N"), (Some(1), "M from t0 or N from t0")]
    );
    let verdict = &report.verdicts(&instance.bound())[1];
    assert_eq!(verdict.outcome, Outcome::Refuted);
    assert_eq!(
        verdict.reason,
        "t0 waits for M or N; t1 waits for M from t0 or N from t0"
    );
}

#[test]
fn a_selective_receive_that_never_matches_says_what_it_wants() {
    let instance = threads::song(&[vec![Rt(3)], vec![S(0, 1)]], [None, None]).instance(&[]);
    let report = ask(&instance);
    let trace = refutation(&report, "no_deadlock");
    let Ending::Deadlock(waiting) = &trace.ending else {
        panic!()
    };
    assert_eq!(waiting[0].what, "M where x == 3 or N where x == 3");
    assert_eq!(trace.undelivered.len(), 1);
    assert_eq!(trace.undelivered[0].label, "M(1)");
    assert_eq!(
        (trace.undelivered[0].from, trace.undelivered[0].to),
        (Some(1), Some(0))
    );
}

#[test]
fn a_daemon_may_wait_for_ever() {
    for daemon in [true, false] {
        let mut b = Builder::default();
        let ping = b.message("Ping", &[], None);
        let server = b.family("server", &[], &[("served", int(0))]);
        let client = b.family("client", &[], &[]);
        let round = vec![
            receive(accept(ping, &[], anyone())),
            set_own(0, plus(own(0, Ty::Int), int(1))),
        ];
        b.process(
            server,
            Locals::default(),
            daemon,
            Body::Sequential(vec![while_(yes(), round)]),
        );
        b.body(
            client,
            Locals::default(),
            vec![send(ping, vec![], pid(server, vec![]))],
        );
        let served = eq(of(server, vec![], 0, Ty::Int), int(1));
        b.property("served", Claim::Finally(served), Locals::default());
        let report = ask(&b.instance(&[]));
        if daemon {
            holds(&report, "no_deadlock");
            holds(&report, "served");
            assert_eq!(report.final_states, 1);
        } else {
            refutation(&report, "no_deadlock");
        }
    }
}

#[test]
fn local_statements_before_the_first_communication_are_a_start_when_they_show() {
    // Changing a state variable shows; a local does not.
    let shows = alone(&[("x", int(0))], |_| vec![set_own(0, int(1))]).instance(&[]);
    let trace = simulate(&Machine::new(&shows, Subject::System), 0, 10);
    assert_eq!(trace.events.len(), 1);
    assert_eq!(
        (trace.events[0].kind, trace.events[0].lane),
        (EventKind::Start, Some(0))
    );
    let hidden = alone(&[], |l| {
        let n = l.add("n", Ty::Int);
        vec![let_(n, int(1))]
    });
    let trace = simulate(&Machine::new(&hidden.instance(&[]), Subject::System), 0, 10);
    assert_eq!((trace.events.len(), trace.ending), (0, Ending::Final));
    // So do choices and failures.
    let chooses = alone(&[], |l| {
        let n = l.add("n", Ty::Bool);
        vec![choose(n, Domain::Type(Ty::Bool))]
    });
    let machine = Machine::new(&chooses.instance(&[]), Subject::System);
    let trace = simulate(&machine, 0, 10);
    assert_eq!(trace.events[0].kind, EventKind::Start);
    assert!(trace.events[0].choices[0].starts_with("n = "));
    let fails = alone(&[], |_| vec![assert(no())]).instance(&[]);
    let report = ask(&fails);
    let trace = refutation(&report, "assertions");
    assert_eq!(labels(trace), ["start"]);
    assert_eq!(failure(trace).message, "false is false");
}

#[test]
fn always_is_checked_between_steps_only() {
    // x is 1 for a moment inside a step, and 2 between steps.
    let song = |claim: Expr| {
        let mut b = Builder::default();
        let ping = b.message("Ping", &[], None);
        let p = b.family("p", &[], &[("x", int(0))]);
        let body = vec![
            send(ping, vec![], pid(p, vec![])),
            set_own(0, int(1)),
            set_own(0, int(2)),
        ];
        b.body(p, Locals::default(), body);
        b.property("claim", Claim::Always(claim), Locals::default());
        b.instance(&[])
    };
    let x = || of(FamilyId(0), vec![], 0, Ty::Int);
    holds(&ask(&song(is(BinOp::Ne, x(), int(1)))), "claim");
    let report = ask(&song(is(BinOp::Ne, x(), int(2))));
    assert_eq!(
        why(refutation(&report, "claim")),
        "p.x != 2 is false: p.x = 2"
    );
    let report = ask(&song(is(BinOp::Ne, x(), int(0))));
    assert!(refutation(&report, "claim").events.is_empty());
    assert_eq!(report.undelivered, ["Ping to p"]);
}

#[test]
fn state_variables_may_start_with_any_value() {
    let mut b = alone(&[("x", int(0)), ("y", int(0))], |_| vec![]);
    let mut l = Locals::default();
    let candidate = l.add("x", Ty::Int);
    let odd = eq(
        binary(BinOp::Rem, l.read(candidate), int(2), Ty::Int),
        int(1),
    );
    let domain = Domain::In(range(0, 6));
    let choice = Choice {
        local: candidate,
        domain,
        filter: Some(odd),
    };
    let vars = &mut b.song.families[0].vars;
    vars[0].start = StartValue::Choice(choice);
    vars[0].locals = l.0;
    vars[1].start = StartValue::Value(plus(own(0, Ty::Int), int(1)));
    let y = of(FamilyId(0), vec![], 1, Ty::Int);
    b.property(
        "small",
        Claim::Always(is(BinOp::Lt, y, int(6))),
        Locals::default(),
    );
    let report = ask(&b.instance(&[]));
    assert_eq!(report.states, 3);
    let trace = refutation(&report, "small");
    assert_eq!(trace.start[1].after, "6");
}

#[test]
fn an_assume_in_a_body_discards_the_execution() {
    // Both coins are tossed; only heads are of interest, and tails are neither final nor a deadlock.
    let song = |cut: bool| {
        alone(&[("heads", no())], |l| {
            let coin = l.add("coin", Ty::Bool);
            let keep = if cut { l.read(coin) } else { yes() };
            vec![
                choose(coin, Domain::Type(Ty::Bool)),
                assume(keep),
                set_own(0, l.read(coin)),
            ]
        })
    };
    let claim = || Claim::Finally(of(FamilyId(0), vec![], 0, Ty::Bool));
    let mut b = song(true);
    b.property("heads", claim(), Locals::default());
    let report = ask(&b.instance(&[]));
    holds(&report, "heads");
    holds(&report, "no_deadlock");
    assert_eq!(report.final_states, 1);
    let mut b = song(false);
    b.property("heads", claim(), Locals::default());
    assert_eq!(
        why(refutation(&ask(&b.instance(&[])), "heads")),
        "p.heads is false: p.heads = false"
    );
}

#[test]
fn when_everything_is_discarded_nothing_is_final() {
    let instance = threads::song(&[vec![S(1, 0)], vec![R, Cut]], [None, None]).instance(&[]);
    let report = ask(&instance);
    holds(&report, "no_deadlock");
    assert_eq!((report.states, report.final_states), (2, 0));
    let machine = Machine::new(&instance, Subject::System);
    let trace = simulate(&machine, 0, 10);
    assert_eq!(trace.ending, Ending::Discarded);
    assert_eq!(replay(&machine, &trace), Ok(()));
    // A choice without candidates does the same.
    let empty = alone(&[], |l| {
        let n = l.add("n", Ty::Int);
        vec![choose(n, Domain::In(range(0, 0)))]
    });
    let machine = Machine::new(&empty.instance(&[]), Subject::System);
    let [start] = &machine.initial()[..] else {
        panic!()
    };
    let plainsong_semantics::machine::Outcome::Next(config) = start else {
        panic!()
    };
    assert_eq!(machine.status(config), Status::Discarded);
}

#[test]
fn undefined_operations_fail_like_assertions() {
    let song = alone(&[("x", int(0))], |_| {
        vec![set_own(
            0,
            binary(BinOp::Div, int(1), own(0, Ty::Int), Ty::Int),
        )]
    });
    let report = ask(&song.instance(&[]));
    let failure = failure(refutation(&report, "assertions"));
    assert_eq!(
        (failure.kind, &*failure.message),
        (FailureKind::Undefined, "division by zero: 1 / 0")
    );
}

#[test]
fn computing_for_ever_is_unknown_and_nothing_is_called_complete() {
    for endless in [
        vec![while_(yes(), vec![])],
        vec![while_(yes(), vec![stmt(StmtKind::Maybe(vec![], vec![]))])],
    ] {
        let mut b = alone(&[("x", int(0))], |_| endless);
        b.property("other", Claim::Always(yes()), Locals::default());
        let instance = b.instance(&[]);
        let report = ask(&instance);
        assert_eq!(
            report.completeness,
            Completeness::Resource("this computes for ever without communicating".to_owned())
        );
        for verdict in report.verdicts(&instance.bound()) {
            assert_eq!(verdict.outcome, Outcome::Unknown, "{}", verdict.property);
        }
    }
}

#[test]
fn an_integer_beyond_64_bits_is_unknown_not_refuted() {
    let song = alone(&[("x", int(i64::MAX))], |_| {
        vec![set_own(0, plus(own(0, Ty::Int), int(1)))]
    });
    let instance = song.instance(&[]);
    let verdicts = ask(&instance).verdicts(&instance.bound());
    assert_eq!(verdicts[0].property, "assertions");
    assert_eq!(verdicts[0].outcome, Outcome::Unknown);
    assert_eq!(verdicts[0].reason, "an integer grows beyond 64 bits");
}

#[test]
fn a_filter_that_fails_is_a_failure_but_only_of_what_could_be_taken() {
    // The second message would fail the filter, but the first has precedence.
    let song = |first: i64| {
        let mut b = Builder::default();
        let m = b.message("M", &[("n", Ty::Int)], None);
        let p = b.family("p", &[], &[]);
        let q = b.family("q", &[], &[]);
        let mut l = Locals::default();
        let n = l.add("n", Ty::Int);
        let mut picky = accept(m, &[Some(n)], anyone());
        picky.filter = Some(eq(binary(BinOp::Div, int(4), l.read(n), Ty::Int), int(2)));
        b.body(p, l, vec![receive(picky)]);
        let to_p = |n| send(m, vec![int(n)], pid(p, vec![]));
        b.body(q, Locals::default(), vec![to_p(first), to_p(0)]);
        b.instance(&[])
    };
    holds(&ask(&song(2)), "assertions");
    let report = ask(&song(4));
    let trace = refutation(&report, "assertions");
    assert_eq!(failure(trace).message, "division by zero: 4 / 0");
    assert_eq!(labels(trace).last(), Some(&"M(0)"));
}

#[test]
fn arms_take_precedence_in_order_and_bind_their_names() {
    let mut b = Builder::default();
    let db = b.sort("Db");
    let m = b.message("M", &[("n", Ty::Int)], None);
    let p = b.family("p", &[], &[("got", int(0)), ("first", no())]);
    let q = b.family("q", &[("d", db.clone())], &[]);
    let mut l = Locals::default();
    let [n, k] = ["n", "k"].map(|name| l.add(name, Ty::Int));
    let (d, who) = (l.add("d", db.clone()), l.add("who", Ty::Process));
    let mut big = accept(m, &[Some(n)], Source::Family(q, vec![d], Some(who)));
    big.filter = Some(and(
        is(BinOp::Ge, l.read(n), int(5)),
        eq(l.read(who), pid(q, vec![l.read(d)])),
    ));
    let any_other = accept(m, &[Some(k)], anyone());
    let arms = vec![
        (big, vec![set_own(0, l.read(n)), set_own(1, yes())]),
        (any_other, vec![set_own(0, l.read(k))]),
    ];
    b.body(p, l, vec![stmt(StmtKind::Select(arms, None))]);
    let mut l = b.locals(q);
    let n = l.add("n", Ty::Int);
    let body = vec![
        choose(n, Domain::In(range(4, 6))),
        send(m, vec![l.read(n)], pid(p, vec![])),
    ];
    b.body(q, l, body);
    let (got, first) = (of(p, vec![], 0, Ty::Int), of(p, vec![], 1, Ty::Bool));
    let claim = is(BinOp::Iff, first, eq(got, int(5)));
    b.property(
        "by_the_first_that_fits",
        Claim::Always(claim),
        Locals::default(),
    );
    let report = ask(&b.instance(&[]));
    holds(&report, "by_the_first_that_fits");
    assert_eq!(report.coverage.missed, []);
}

#[test]
fn messages_to_init_or_to_nobody_in_particular_stay() {
    let mut b = Builder::default();
    let m = b.message("M", &[], None);
    let p = b.family("p", &[], &[]);
    let mut l = Locals::default();
    let who = l.add("who", Ty::Process);
    let body = vec![
        receive(accept(m, &[], Source::Anyone(Some(who)))),
        send(m, vec![], l.read(who)),
    ];
    b.body(p, l, body);
    let init = vec![send(m, vec![], pid(p, vec![]))];
    b.voices().init = Some(Code {
        arity: 0,
        locals: vec![],
        body: init,
    });
    let report = ask(&b.instance(&[]));
    holds(&report, "no_deadlock");
    assert_eq!(report.undelivered, ["M to init"]);
}

#[test]
fn loops_break_continue_and_skip() {
    let mut b = Builder::default();
    let p = b.family("p", &[], &[("sum", int(0))]);
    let mut l = Locals::default();
    let (i, j) = (l.add("i", Ty::Int), l.add("j", Ty::Int));
    let add = |value: Expr| set_own(0, plus(own(0, Ty::Int), value));
    let inner = stmt(StmtKind::For {
        local: j,
        domain: Domain::In(range(0, 10)),
        filter: Some(is(BinOp::Gt, l.read(j), l.read(i))),
        clauses: LoopClauses::default(),
        body: vec![
            if_(eq(l.read(j), int(6)), vec![stmt(StmtKind::Break)], vec![]),
            if_(
                eq(l.read(j), int(4)),
                vec![stmt(StmtKind::Continue)],
                vec![],
            ),
            add(l.read(j)),
        ],
    });
    let counter = l.add("n", Ty::Int);
    let count_down = while_(
        is(BinOp::Gt, l.read(counter), int(0)),
        vec![
            set(Root::Local(counter), minus(l.read(counter), int(1))),
            add(int(100)),
        ],
    );
    let body = vec![
        for_(i, range(0, 4), vec![inner]),
        let_(counter, int(3)),
        count_down,
    ];
    b.body(p, l, body);
    // i = 0: 1+2+3+5; i = 1: 2+3+5; i = 2: 3+5; i = 3: 5; then 300.
    let claim = eq(of(p, vec![], 0, Ty::Int), int(11 + 10 + 8 + 5 + 300));
    b.property("sum", Claim::Finally(claim), Locals::default());
    holds(&ask(&b.instance(&[])), "sum");
}

#[test]
fn parts_of_variables_can_be_assigned() {
    let mut b = Builder::default();
    let db = b.sort("Db");
    b.song.structs.push(StructDecl {
        name: "Entry".to_owned(),
        fields: vec![("log".to_owned(), Ty::Seq(Box::new(Ty::Int)))],
        span: span(),
    });
    let entry = Ty::Struct(StructId(0));
    let table = Ty::Map(Box::new(db.clone()), Box::new(entry.clone()));
    let mut l = Locals::default();
    let k = l.add("k", db.clone());
    let seq = Ty::Seq(Box::new(Ty::Int));
    let log = expr(ExprKind::Literal(vec![int(1), int(2)]), seq.clone());
    let one = expr(ExprKind::Struct(StructId(0), vec![log]), entry.clone());
    let start = expr(ExprKind::MapOf(k, Box::new(one)), table.clone());
    let p = b.family("p", &[], &[("table", start)]);
    b.song.families[0].vars[0].locals = l.0;
    let mut l = Locals::default();
    let d = l.add("d", db.clone());
    let write = |l: &Locals, at: i64| {
        let path = vec![
            Access::Index(l.read(d)),
            Access::Field(0),
            Access::Index(int(at)),
        ];
        let place = Place {
            root: Root::Own(VarId(0)),
            path,
            span: span(),
        };
        stmt(StmtKind::Assign(place, int(9)))
    };
    let body = vec![
        choose(d, Domain::Type(db.clone())),
        write(&l, 1),
        write(&l, 2),
    ];
    b.body(p, l, body);
    let report = ask(&b.instance(&[]));
    let trace = refutation(&report, "assertions");
    assert_eq!(
        failure(trace).message,
        "index 2 is outside a sequence of length 2"
    );
    assert_eq!(
        trace.events[0].changes[0].after,
        "map {Db#0 => Entry { log: [1, 9] }, Db#1 => Entry { log: [1, 2] }}"
    );
}

#[test]
fn locals_out_of_scope_do_not_tell_states_apart() {
    let mut b = Builder::default();
    let m = b.message("M", &[], None);
    let p = b.family("p", &[], &[]);
    let mut l = Locals::default();
    let coin = l.add("coin", Ty::Bool);
    let to_me = || send(m, vec![], pid(p, vec![]));
    let body = vec![
        to_me(),
        if_(
            yes(),
            vec![choose(coin, Domain::Type(Ty::Bool)), to_me()],
            vec![],
        ),
        to_me(),
    ];
    b.body(p, l, body);
    // Before the first, before the second with either value, before the third, at the end.
    assert_eq!(ask(&b.instance(&[])).states, 5);
}
