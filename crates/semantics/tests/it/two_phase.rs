//! Two-phase commit, whole: executions, verdicts, words.

use crate::build::*;
use crate::threads::count;
use plainsong_ir::*;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::replay::replay;
use plainsong_semantics::search::*;
use plainsong_semantics::simulate::simulate;
use plainsong_semantics::trace::{Ending, EventKind, FailureKind};
use plainsong_semantics::verdict::Outcome;

/// The program of the design; with `broken`, the coordinator forgets the earlier votes.
fn two_phase(broken: bool) -> Builder {
    let mut b = Builder::default();
    let db = b.sort("Db");
    let prepare = b.message("Prepare", &[], None);
    let vote = b.message("Vote", &[("yes", Ty::Bool)], None);
    let decide = b.message("Decide", &[("commit", Ty::Bool)], None);
    let done = b.message("Done", &[], None);
    let coordinator = b.family("coordinator", &[], &[("commit", yes())]);
    let dbs = b.family("db", &[("d", db.clone())], &[("outcome", none(Ty::Bool))]);

    let mut l = b.locals(coordinator);
    let [d1, d2, d3, d4] = [(); 4].map(|()| l.add("d", db.clone()));
    let ballot = l.add("yes", Ty::Bool);
    let decision = if broken {
        l.read(ballot)
    } else {
        and(own(0, Ty::Bool), l.read(ballot))
    };
    let body = vec![
        for_(
            d1,
            all(db.clone()),
            vec![send(prepare, vec![], pid(dbs, vec![l.read(d1)]))],
        ),
        for_(
            d2,
            all(db.clone()),
            vec![
                receive(accept(vote, &[Some(ballot)], any(dbs))),
                set_own(0, decision),
            ],
        ),
        for_(
            d3,
            all(db.clone()),
            vec![send(
                decide,
                vec![own(0, Ty::Bool)],
                pid(dbs, vec![l.read(d3)]),
            )],
        ),
        for_(
            d4,
            all(db.clone()),
            vec![receive(accept(done, &[], any(dbs)))],
        ),
    ];
    b.body(coordinator, l, body);

    let mut l = b.locals(dbs);
    let (ballot, c) = (l.add("yes", Ty::Bool), l.add("c", Ty::Bool));
    let from_coordinator = || Source::Process(pid(coordinator, vec![]));
    let body = vec![
        receive(accept(prepare, &[], from_coordinator())),
        choose(ballot, Domain::Type(Ty::Bool)),
        send(vote, vec![l.read(ballot)], pid(coordinator, vec![])),
        receive(accept(decide, &[Some(c)], from_coordinator())),
        assert(implies(l.read(c), l.read(ballot))),
        set_own(0, some(l.read(c))),
        send(done, vec![], pid(coordinator, vec![])),
    ];
    b.body(dbs, l, body);

    let mut l = Locals::default();
    let (x, y) = (l.add("a", db.clone()), l.add("b", db.clone()));
    let outcome = |l: &Locals, at| of(dbs, vec![l.read(at)], 0, Ty::Option(Box::new(Ty::Bool)));
    let agree = eq(outcome(&l, x), outcome(&l, y));
    let bindings = vec![binding(&[x, y], Domain::Type(db))];
    let claim = Claim::Finally(quantified(Quantifier::Forall, bindings, agree));
    b.property("agreement", claim, l);
    b
}

fn run(instance: &Instance) -> SearchReport {
    let queries = Query::all(instance.song());
    assert_eq!(queries.len(), 1);
    search(instance, &queries[0], &Limits::default(), &mut Unwatched)
}

#[test]
fn has_288_executions_with_three_databases() {
    for (size, expected) in [(1, 2), (2, 16), (3, 288)] {
        let instance = two_phase(false).instance(&[("Db", size)]);
        let count = count(&instance);
        assert_eq!(
            (count.complete, count.blocked, count.failed),
            (expected, 0, 0)
        );
    }
}

#[test]
fn everything_holds_within_the_bound() {
    let instance = two_phase(false).instance(&[("Db", 3)]);
    let report = run(&instance);
    assert_eq!(report.completeness, Completeness::Complete);
    let verdicts = report.verdicts(&instance.bound());
    let names: Vec<&str> = verdicts.iter().map(|verdict| &*verdict.property).collect();
    assert_eq!(names, ["assertions", "no_deadlock", "agreement"]);
    for verdict in verdicts {
        assert_eq!(verdict.outcome, Outcome::Holds, "{}", verdict.reason);
        assert_eq!(verdict.bound["Db"], "3");
        assert_eq!(verdict.states, Some(report.states));
    }
    assert_eq!(report.coverage.missed, []);
    assert_eq!(
        report.coverage.received,
        ["Prepare", "Vote", "Decide", "Done"]
    );
    assert!(report.undelivered.is_empty());
}

#[test]
fn the_broken_twin_fails_with_the_shortest_trace() {
    let instance = two_phase(true).instance(&[]);
    let report = run(&instance);
    let Answer::Refuted(trace) = &report.findings[0].answer else {
        panic!("not refuted")
    };
    assert_eq!(trace.lanes, ["coordinator", "db[0]", "db[1]"]);
    let Ending::Failed(failure) = &trace.ending else {
        panic!("no failure")
    };
    assert_eq!(failure.kind, FailureKind::Assertion);
    assert_eq!(failure.message, "c ==> yes is false: c = true, yes = false");
    // Two prepares sent and received, two votes sent and received, one decision sent and received
    // (to db[0]: both are as near).
    let kinds: Vec<EventKind> = trace.events.iter().map(|event| event.kind).collect();
    let count = |wanted| kinds.iter().filter(|kind| **kind == wanted).count();
    assert_eq!((count(EventKind::Send), count(EventKind::Receive)), (5, 5));
    let last = trace.events.last().unwrap();
    assert_eq!(last.label, "Decide(true)");
    assert_eq!(last.peer, Some(0));
    assert_eq!(report.findings[1].answer, Answer::NotRefuted);
}

#[test]
fn events_say_who_what_and_how_it_changed() {
    let instance = two_phase(false).instance(&[("Db", 1)]);
    let machine = Machine::new(&instance, Subject::System);
    let trace = simulate(&machine, 7, 1_000);
    assert_eq!(trace.ending, Ending::Final);
    assert_eq!(trace.undelivered, []);
    let start: Vec<String> = trace
        .start
        .iter()
        .map(|one| format!("{} = {}", one.variable, one.after))
        .collect();
    assert_eq!(start, ["coordinator.commit = true", "db[0].outcome = none"]);
    let labels: Vec<&str> = trace.events.iter().map(|event| &*event.label).collect();
    let ballot = trace.events[1].choices[0].strip_prefix("yes = ").unwrap();
    assert_eq!(
        labels,
        [
            "Prepare",
            "Prepare",
            &format!("Vote({ballot})"),
            &format!("Vote({ballot})"),
            &format!("Decide({ballot})"),
            &format!("Decide({ballot})"),
            "Done",
            "Done",
        ]
    );
    let numbers: Vec<u64> = trace
        .events
        .iter()
        .filter_map(|event| event.message)
        .collect();
    assert_eq!(numbers, [0, 0, 1, 1, 2, 2, 3, 3]);
    let changes: Vec<String> = trace
        .events
        .iter()
        .flat_map(|event| &event.changes)
        .filter(|change| change.variable == "db[0].outcome")
        .map(|change| format!("{} -> {}", change.before, change.after))
        .collect();
    assert_eq!(changes, [format!("none -> some({ballot})")]);
}

#[test]
fn random_executions_are_the_same_for_the_same_seed_and_replay() {
    let instance = two_phase(true).instance(&[("Db", 3)]);
    let machine = Machine::new(&instance, Subject::System);
    let mut endings = [0, 0];
    for seed in 0..60 {
        let trace = simulate(&machine, seed, 1_000);
        assert_eq!(trace, simulate(&machine, seed, 1_000));
        assert_eq!(replay(&machine, &trace), Ok(()));
        match trace.ending {
            Ending::Final => endings[0] += 1,
            Ending::Failed(_) => endings[1] += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!(endings[0] > 5 && endings[1] > 5, "{endings:?}");
    let cut = simulate(&machine, 1, 4);
    assert_eq!((cut.events.len(), &cut.ending), (4, &Ending::Cut));
    assert_eq!(replay(&machine, &cut), Ok(()));
}

#[test]
fn a_changed_trace_does_not_replay() {
    let instance = two_phase(false).instance(&[]);
    let machine = Machine::new(&instance, Subject::System);
    let trace = simulate(&machine, 3, 1_000);
    let mut other = trace.clone();
    other.events[4].label = "Vote(perhaps)".to_owned();
    assert_eq!(replay(&machine, &other).unwrap_err().event, Some(4));
    let mut other = trace.clone();
    other.events[2].step = 99;
    assert_eq!(replay(&machine, &other).unwrap_err().event, Some(2));
    let mut other = trace.clone();
    other.events.pop();
    assert_eq!(replay(&machine, &other).unwrap_err().event, None);
    let mut other = trace.clone();
    other.start[0].after = "false".to_owned();
    assert_eq!(replay(&machine, &other).unwrap_err().event, None);
    let other_machine = Machine::new(&two_phase(false).instance(&[("Db", 3)]), Subject::System);
    assert!(replay(&other_machine, &trace).is_err());
}

#[test]
fn the_watch_and_the_limit_leave_things_unknown() {
    struct Impatient(u64);
    impl Watch for Impatient {
        fn keep_going(&mut self, progress: &Progress) -> bool {
            self.0 += 1;
            progress.states < 500
        }
    }
    let instance = two_phase(false).instance(&[("Db", 4)]);
    let query = &Query::all(instance.song())[0];
    let mut watch = Impatient(0);
    let report = search(&instance, query, &Limits::default(), &mut watch);
    assert_eq!(report.completeness, Completeness::Stopped);
    assert!(watch.0 >= 2);
    assert!(
        report
            .verdicts(&instance.bound())
            .iter()
            .all(|one| one.outcome == Outcome::Unknown)
    );
    let report = search(
        &instance,
        query,
        &Limits {
            states: 100,
            ..Limits::default()
        },
        &mut Unwatched,
    );
    assert_eq!(
        (report.completeness, report.states),
        (Completeness::StateLimit, 100)
    );
}
