//! Processes with handlers.

use crate::ask::*;
use crate::build::*;
use plainsong_ir::*;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::search::*;
use plainsong_semantics::simulate::simulate;
use plainsong_semantics::trace::{Ending, EventKind};

/// The spanning tree of the design; with `mended`, adoption happens in the same step.
fn spanning_tree(mended: bool) -> Builder {
    let mut b = Builder::default();
    let node_sort = b.sort("Node");
    let search = b.message("Search", &[("from", node_sort.clone())], None);
    let adopt = b.message("Adopt", &[("parent", node_sort.clone())], None);
    let node = b.family(
        "node",
        &[("n", node_sort.clone())],
        &[("parent", none(node_sort.clone()))],
    );
    let mut l = b.locals(node);
    let n = LocalId(0);
    let [from, m, p] = ["from", "m", "p"].map(|name| l.add(name, node_sort.clone()));
    let parent = Ty::Option(Box::new(node_sort.clone()));
    let others = and(
        is(BinOp::Ne, l.read(m), l.read(n)),
        is(BinOp::Ne, l.read(m), l.read(from)),
    );
    let spread = stmt(StmtKind::For {
        local: m,
        domain: Domain::In(all(node_sort.clone())),
        filter: Some(others),
        clauses: LoopClauses::default(),
        body: vec![stmt(StmtKind::Maybe(
            vec![send(search, vec![l.read(n)], pid(node, vec![l.read(m)]))],
            vec![],
        ))],
    });
    let adoption = if mended {
        set_own(0, some(l.read(from)))
    } else {
        send(adopt, vec![l.read(from)], pid(node, vec![l.read(n)]))
    };
    let on_search = vec![if_(
        eq(own(0, parent.clone()), none(node_sort.clone())),
        vec![adoption, spread],
        vec![],
    )];
    let on_adopt = vec![set_own(0, some(l.read(p)))];
    let handlers = vec![
        Handler {
            accept: accept(search, &[Some(from)], anyone()),
            body: on_search,
        },
        Handler {
            accept: accept(adopt, &[Some(p)], anyone()),
            body: on_adopt,
        },
    ];
    b.process(node, l, false, Body::Handlers(handlers));
    let mut l = Locals::default();
    let root = l.add("root", node_sort.clone());
    let init = vec![
        choose(root, Domain::Type(node_sort)),
        send(search, vec![l.read(root)], pid(node, vec![l.read(root)])),
    ];
    b.voices().init = Some(Code {
        arity: 0,
        locals: l.0,
        body: init,
    });
    b.property("quiet", Claim::Quiescent { fair: false }, Locals::default());
    b.property(
        "quiet_if_fair",
        Claim::Quiescent { fair: true },
        Locals::default(),
    );
    b
}

#[test]
fn the_mended_spanning_tree_comes_to_rest() {
    let report = ask(&spanning_tree(true).instance(&[("Node", 3)]));
    for name in ["quiet", "quiet_if_fair", "assertions", "no_deadlock"] {
        holds(&report, name);
    }
    assert_eq!(report.coverage.never_received, ["Adopt"]);
    assert_eq!(report.coverage.missed.len(), 1);
}

#[test]
fn the_broken_spanning_tree_has_no_end_of_states() {
    let instance = spanning_tree(false).instance(&[("Node", 3)]);
    let query = &Query::all(instance.song())[0];
    let report = search(
        &instance,
        query,
        &Limits {
            states: 2_000,
            ..Limits::default()
        },
        &mut Unwatched,
    );
    assert_eq!(report.completeness, Completeness::StateLimit);
    let verdicts = report.verdicts(&instance.bound());
    let quiet = verdicts
        .iter()
        .find(|verdict| verdict.property == "quiet")
        .unwrap();
    assert_eq!(
        quiet.outcome,
        plainsong_semantics::verdict::Outcome::Unknown
    );
    assert_eq!(quiet.reason, "not refuted in 2000 states: the limit");
}

#[test]
fn a_handler_is_one_step_with_everything_it_sends() {
    let instance = spanning_tree(true).instance(&[("Node", 3)]);
    let machine = Machine::new(&instance, Subject::System);
    let trace = simulate(&machine, 5, 50);
    assert_eq!(trace.ending, Ending::Final);
    let init = &trace.events[0];
    assert_eq!(
        (init.kind, init.lane, &*init.label),
        (EventKind::Init, None, "init")
    );
    let root = init.choices[0].strip_prefix("root = Node#").unwrap();
    assert_eq!(init.sends[0].label, format!("Search(Node#{root})"));
    assert_eq!(init.sends[0].from, None);
    let first = &trace.events[1];
    assert_eq!(
        (first.kind, first.peer, first.message),
        (EventKind::Handle, None, Some(0))
    );
    assert_eq!(first.changes[0].after, format!("some(Node#{root})"));
    assert!(
        first
            .choices
            .iter()
            .all(|choice| choice.starts_with("maybe: "))
    );
    assert_eq!(
        first
            .choices
            .iter()
            .filter(|one| **one == "maybe: done")
            .count(),
        first.sends.len()
    );
}

/// A lock: `on Take where free`, or the same with an `assume`, which blocks as well.
fn lock(by_where: bool) -> Builder {
    let mut b = Builder::default();
    let client = b.sort("Client");
    let take = b.message("Take", &[("c", client.clone())], None);
    let give = b.message("Give", &[], None);
    let server = b.family(
        "server",
        &[],
        &[("holder", none(client.clone())), ("turns", int(0))],
    );
    let mut l = Locals::default();
    let c = l.add("c", client.clone());
    let ty = Ty::Option(Box::new(client.clone()));
    let free = || eq(own(0, ty.clone()), none(client.clone()));
    let mut on_take = accept(take, &[Some(c)], anyone());
    let mut body = Vec::new();
    if by_where {
        on_take.filter = Some(free());
    } else {
        body.push(assume(free()));
    }
    body.extend([
        assert(free()),
        set_own(0, some(l.read(c))),
        set_own(1, plus(own(1, Ty::Int), int(1))),
        send(give, vec![], pid(server, vec![])),
    ]);
    let handlers = vec![
        Handler {
            accept: on_take,
            body,
        },
        Handler {
            accept: accept(give, &[], anyone()),
            body: vec![set_own(0, none(client.clone()))],
        },
    ];
    b.process(server, l, false, Body::Handlers(handlers));
    let mut l = Locals::default();
    let each = l.add("c", client.clone());
    let init = vec![for_(
        each,
        all(client),
        vec![send(take, vec![l.read(each)], pid(server, vec![]))],
    )];
    b.voices().init = Some(Code {
        arity: 0,
        locals: l.0,
        body: init,
    });
    let turns = eq(of(server, vec![], 1, Ty::Int), int(3));
    b.property(
        "everyone_had_a_turn",
        Claim::Finally(turns),
        Locals::default(),
    );
    let nothing = expr(ExprKind::Pending(PendingOf::All), Ty::Nat);
    b.property(
        "nothing_left",
        Claim::Finally(eq(nothing, int(0))),
        Locals::default(),
    );
    let takes = expr(ExprKind::Pending(PendingOf::Message(take)), Ty::Nat);
    b.property(
        "few",
        Claim::Always(is(BinOp::Lt, takes, int(3))),
        Locals::default(),
    );
    b
}

#[test]
fn where_and_assume_leave_a_message_waiting() {
    for by_where in [true, false] {
        let report = ask(&lock(by_where).instance(&[("Client", 3)]));
        for name in [
            "assertions",
            "no_deadlock",
            "everyone_had_a_turn",
            "nothing_left",
        ] {
            holds(&report, name);
        }
        let trace = refutation(&report, "few");
        assert_eq!(why(trace), "pending(Take) < 3 is false: pending(Take) = 3");
    }
}

#[test]
fn messages_that_no_handler_accepts_are_left_over_without_a_deadlock() {
    let mut b = Builder::default();
    let m = b.message("M", &[], None);
    let n = b.message("N", &[], None);
    let p = b.family("p", &[], &[]);
    let handler = Handler {
        accept: accept(n, &[], anyone()),
        body: vec![],
    };
    b.process(p, Locals::default(), false, Body::Handlers(vec![handler]));
    let init = vec![send(m, vec![], pid(p, vec![]))];
    b.voices().init = Some(Code {
        arity: 0,
        locals: vec![],
        body: init,
    });
    let report = ask(&b.instance(&[]));
    holds(&report, "no_deadlock");
    assert_eq!(report.undelivered, ["M to p"]);
    assert_eq!(report.coverage.never_received, ["M", "N"]);
}

#[test]
fn an_assume_in_init_discards_the_start() {
    let mut b = Builder::default();
    let p = b.family("p", &[], &[]);
    b.process(p, Locals::default(), false, Body::Handlers(vec![]));
    b.voices().init = Some(Code {
        arity: 0,
        locals: vec![],
        body: vec![assume(no())],
    });
    let report = ask(&b.instance(&[]));
    assert_eq!((report.states, report.final_states), (0, 0));
    holds(&report, "no_deadlock");
}

#[test]
fn a_failure_in_a_handler_names_the_message() {
    let mut b = Builder::default();
    let m = b.message("M", &[("ok", Ty::Bool)], None);
    let p = b.family("p", &[], &[("seen", int(0))]);
    let mut l = Locals::default();
    let ok = l.add("ok", Ty::Bool);
    let body = vec![set_own(0, int(1)), assert(l.read(ok)), set_own(0, int(2))];
    let handler = Handler {
        accept: accept(m, &[Some(ok)], anyone()),
        body,
    };
    b.process(p, l, false, Body::Handlers(vec![handler]));
    let init = [yes(), no()]
        .map(|ok| send(m, vec![ok], pid(p, vec![])))
        .to_vec();
    b.voices().init = Some(Code {
        arity: 0,
        locals: vec![],
        body: init,
    });
    let report = ask(&b.instance(&[]));
    let trace = refutation(&report, "assertions");
    assert_eq!(labels(trace), ["init", "M(false)"]);
    assert_eq!(failure(trace).message, "ok is false");
    assert_eq!(trace.events[1].changes[0].after, "1");
    assert_eq!(trace.undelivered.len(), 1);
}
