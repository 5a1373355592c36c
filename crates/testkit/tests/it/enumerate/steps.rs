//! Starts, ends, failures, assumptions, daemons and handlers.

use super::executions;
use crate::build::*;
use plainsong_ir::{BinOp, Domain, FamilyId, LocalId, Root, Source, StartValue, Ty};
use plainsong_testkit::enumerate::{Event, Halt, Stopped, Value, Why};
use std::collections::BTreeSet;

fn outcomes(found: &plainsong_testkit::enumerate::Executions, name: &str) -> BTreeSet<String> {
    found
        .outcomes
        .iter()
        .map(|outcome| outcome[name].text.clone())
        .collect()
}

fn texts(expected: &[&str]) -> BTreeSet<String> {
    expected.iter().map(ToString::to_string).collect()
}

#[test]
fn logs_say_who_did_what() {
    let mut band = Band::new(&["r", "s"]);
    band.init(vec![send(0, 0)]);
    band.body(
        0,
        vec![receive(from(1)), receive(any()), poll(any(), vec![])],
    );
    band.body(
        1,
        vec![maybe(vec![], vec![assume(truth(false))]), send(0, 0)],
    );
    let found = executions(&band.done(), None);
    assert_eq!(found.names, ["init", "r", "s"]);
    let received = |from| Event::Received { from, index: 0 };
    let chose = |b| Event::Chose(Value::Bool(b));
    let expected = vec![
        vec![Event::Sent],
        vec![received(2), received(0), Event::TimedOut],
        vec![chose(true), Event::Sent],
    ];
    assert_eq!(found.complete, BTreeSet::from([expected]));
    let halt = Halt {
        who: 2,
        step: vec![chose(false)],
        why: Why::CutOff,
    };
    let cut = Stopped {
        logs: vec![vec![Event::Sent], vec![], vec![]],
        halts: vec![halt],
    };
    assert_eq!(found.discarded, BTreeSet::from([cut]));
}

#[test]
fn state_variables_start_with_each_value_they_may() {
    let mut band = Band::new(&["p"]);
    let small = choice(
        0,
        Domain::In(range(0, 5)),
        Some(binary(BinOp::Lt, name(0), int(3))),
    );
    let v = band.var(0, Ty::Int, StartValue::Choice(small));
    let more = binary(BinOp::Add, own(v, Ty::Int), int(10));
    band.var(0, Ty::Int, StartValue::Value(more));
    let found = executions(&band.done(), None);
    assert_eq!(found.complete.len(), 3);
    assert_eq!(outcomes(&found, "p.v1"), texts(&["10", "11", "12"]));
}

#[test]
fn the_others_go_on_after_a_failure() {
    let mut band = Band::new(&["r", "a", "b"]);
    band.body(
        0,
        vec![receive(named(0)), assert(is(name(0), 1)), send(0, 1)],
    );
    band.body(1, vec![send(1, 0)]);
    band.body(2, vec![send(2, 0), maybe(vec![], vec![])]);
    let found = executions(&band.done(), None);
    assert_eq!(
        (
            found.complete.len(),
            found.blocked.len(),
            found.failed.len()
        ),
        (2, 0, 2)
    );
    for failed in &found.failed {
        let step = vec![Event::Received { from: 3, index: 0 }];
        let why = Why::Failed("assertion".to_string());
        assert_eq!(failed.halts, [Halt { who: 1, step, why }]);
        assert_eq!(
            (
                failed.logs[1].len(),
                failed.logs[2].len(),
                failed.logs[3].len()
            ),
            (0, 1, 2)
        );
    }
}

#[test]
fn a_step_that_fails_sends_nothing() {
    for (between, expected) in [(vec![], 1), (vec![send(0, 1)], 2)] {
        let mut band = Band::new(&["r", "s"]);
        band.body(0, vec![poll(any(), vec![])]);
        band.body(
            1,
            [vec![send(0, 0)], between, vec![assert(truth(false))]].concat(),
        );
        let found = executions(&band.done(), None);
        assert_eq!((found.complete.len(), found.failed.len()), (0, expected));
    }
}

#[test]
fn a_failure_counts_more_than_an_assumption() {
    let mut band = Band::new(&["p", "q"]);
    band.body(0, vec![maybe(vec![], vec![assume(truth(false))])]);
    band.body(1, vec![maybe(vec![], vec![assert(truth(false))])]);
    let found = executions(&band.done(), None);
    let numbers = (
        found.complete.len(),
        found.failed.len(),
        found.discarded.len(),
    );
    assert_eq!(numbers, (1, 2, 1));
}

#[test]
fn undefined_operations_fail_wherever_they_stand() {
    let bad = || binary(BinOp::Div, int(1), int(0));
    let condition = || is(bad(), 0);
    let alone = |body| {
        let mut band = Band::new(&["p", "q"]);
        band.body(0, body);
        band.body(1, vec![send(0, 0)]);
        let found = executions(&band.done(), None);
        (found.complete.len(), found.failed.len())
    };
    assert_eq!(alone(vec![assume(condition())]), (0, 1));
    assert_eq!(alone(vec![send_kind(M, bad(), pid(1))]), (0, 1));
    assert_eq!(alone(vec![when(condition(), vec![])]), (0, 1));
    assert_eq!(alone(vec![repeat(condition(), vec![])]), (0, 1));
    assert_eq!(
        alone(vec![choose(0, Domain::In(range(0, 2)), Some(condition()))]),
        (0, 1)
    );
    let filter = accept(M, None, Source::Anyone(None), Some(condition()));
    assert_eq!(alone(vec![receive(filter)]), (0, 1));
    let mut band = Band::new(&["p"]);
    band.var(0, Ty::Int, StartValue::Value(bad()));
    assert_eq!(executions(&band.done(), None).failed.len(), 1);
    let mut band = Band::new(&["p"]);
    band.init(vec![assume(condition())]);
    assert_eq!(executions(&band.done(), None).failed.len(), 1);
}

#[test]
fn computing_for_ever_is_a_failure() {
    let mut band = Band::new(&["p"]);
    band.body(0, vec![repeat(truth(true), vec![])]);
    assert_eq!(executions(&band.done(), None).failed.len(), 1);
}

#[test]
fn an_empty_choice_discards() {
    let mut band = Band::new(&["p"]);
    band.body(0, vec![choose(0, Domain::In(range(0, 0)), None)]);
    let found = executions(&band.done(), None);
    assert_eq!((found.complete.len(), found.discarded.len()), (0, 1));
    let mut band = Band::new(&["p"]);
    band.init(vec![
        choose(0, Domain::In(range(0, 2)), None),
        assume(is(name(0), 1)),
    ]);
    let found = executions(&band.done(), None);
    assert_eq!((found.complete.len(), found.discarded.len()), (1, 1));
}

#[test]
fn a_daemon_may_wait_and_others_may_not() {
    for (daemon, expected) in [(true, (1, 0)), (false, (0, 1))] {
        let mut band = Band::new(&["server", "client"]);
        band.body(0, vec![repeat(truth(true), vec![receive(any())])]);
        band.body(1, vec![send(0, 0)]);
        if daemon {
            band.daemon(0);
        }
        let found = executions(&band.done(), None);
        assert_eq!((found.complete.len(), found.blocked.len()), expected);
    }
}

#[test]
fn the_sender_is_known() {
    let mut band = Band::new(&["r"]);
    band.family("f", &[Ty::Bool]);
    let v = band.var(0, Ty::Process, StartValue::Value(pid(0)));
    let w = band.var(0, Ty::Bool, StartValue::Value(truth(false)));
    let source = Source::Family(FamilyId(1), vec![LocalId(0)], Some(LocalId(1)));
    let first = accept(M, None, source, Some(typed(0, Ty::Bool)));
    let second = accept(M, None, Source::Anyone(Some(LocalId(2))), None);
    band.body(
        0,
        vec![
            receive(first),
            set(Root::Own(w), typed(0, Ty::Bool)),
            receive(second),
            set(Root::Own(v), typed(2, Ty::Process)),
        ],
    );
    band.body(1, vec![send(0, 0)]);
    band.init(vec![send(0, 0)]);
    let found = executions(&band.done(), None);
    assert_eq!(outcomes(&found, "r.v1"), texts(&["true"]));
    assert_eq!(outcomes(&found, "r.v0"), texts(&["f[false]", "init"]));
}

#[test]
fn nobody_can_send_to_init() {
    let mut band = Band::new(&["r"]);
    band.init(vec![send(0, 0)]);
    let who = accept(M, None, Source::Anyone(Some(LocalId(0))), None);
    band.body(
        0,
        vec![receive(who), send_kind(M, int(0), typed(0, Ty::Process))],
    );
    assert_eq!(executions(&band.done(), None).failed.len(), 1);
}

#[test]
fn handlers_run_as_a_whole_and_leave_what_they_do_not_accept() {
    let mut band = Band::new(&["r"]);
    let v = band.var(0, Ty::Int, StartValue::Value(int(0)));
    let add = |n| set(Root::Own(v), binary(BinOp::Add, own(v, Ty::Int), n));
    let filter = binary(BinOp::Gt, name(0), own(v, Ty::Int));
    let greater = accept(M, Some(0), Source::Anyone(None), Some(filter));
    band.handlers(0, vec![(greater, vec![add(name(0))])]);
    band.init(vec![send(1, 0), send(2, 0)]);
    let found = executions(&band.done(), None);
    // 1 then 2 gives 3; after 2, 1 is never accepted and stays: that is no deadlock.
    assert_eq!((found.complete.len(), found.blocked.len()), (2, 0));
    assert_eq!(outcomes(&found, "r.v0"), texts(&["2", "3"]));
}

#[test]
fn an_assumption_in_a_handler_means_not_now() {
    let mut band = Band::new(&["r"]);
    let v = band.var(0, Ty::Int, StartValue::Value(int(0)));
    let next = assume(binary(
        BinOp::Eq,
        name(0),
        binary(BinOp::Add, own(v, Ty::Int), int(1)),
    ));
    let undone = set(Root::Own(v), int(100));
    let done = set(Root::Own(v), name(0));
    band.handlers(
        0,
        vec![(
            named(0),
            vec![undone, set(Root::Own(v), int(0)), next, done],
        )],
    );
    band.init(vec![send(3, 0), send(2, 0), send(1, 0)]);
    let found = executions(&band.done(), None);
    // Only 1 can be handled: the variable is 0 again whenever the assumption is made.
    assert_eq!((found.complete.len(), found.discarded.len()), (1, 0));
    assert_eq!(outcomes(&found, "r.v0"), texts(&["1"]));
}

#[test]
fn handlers_send_and_choose() {
    let mut band = Band::new(&["r", "s"]);
    let again = send_kind(M, binary(BinOp::Sub, name(0), int(1)), pid(1));
    let positive = binary(BinOp::Gt, name(0), int(0));
    band.handlers(
        0,
        vec![(named(0), vec![when(positive.clone(), vec![again.clone()])])],
    );
    let back = send_kind(M, binary(BinOp::Sub, name(0), int(1)), pid(0));
    band.handlers(
        1,
        vec![(
            named(0),
            vec![when(positive, vec![maybe(vec![back], vec![])])],
        )],
    );
    band.init(vec![send(4, 0)]);
    // 4 → 3 → (stop | 2 → 1 → (stop | 0)).
    assert_eq!(executions(&band.done(), None).complete.len(), 3);
}

#[test]
fn the_first_arm_that_accepts_a_message_takes_it() {
    for handlers in [false, true] {
        let mut band = Band::new(&["r", "s"]);
        let v = band.var(0, Ty::Int, StartValue::Value(int(0)));
        let put = |n| vec![set(Root::Own(v), int(n))];
        let arms = vec![(only(8), put(3)), (only(7), put(1)), (any(), put(2))];
        if handlers {
            band.handlers(0, arms);
        } else {
            band.body(0, vec![select(arms, None)]);
        }
        band.body(1, vec![send(7, 0)]);
        assert_eq!(
            outcomes(&executions(&band.done(), None), "r.v0"),
            texts(&["1"])
        );
    }
}
