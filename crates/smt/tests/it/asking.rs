//! What can be asked, and what comes back.

use crate::stage::{between, query, solvers, z3};
use plainsong_smt::{
    Cancel, Limits, Outcome, Places, Pool, PoolSize, Query, Reason, Setup, Sexpr, Solvers, Strategy,
};
use std::time::{Duration, Instant};

fn ask(query: &Query) -> Outcome {
    solvers(None, None).ask(query, &Cancel::default()).outcome
}

#[test]
fn values_come_in_the_order_of_the_terms() {
    let mut query = query(
        "values",
        "(declare-const $x Int) (declare-const $b Bool) (assert (= $x (- 7))) (assert $b)",
    );
    query.ask.values = vec![
        Sexpr::name("b"),
        Sexpr::call("+", [Sexpr::name("x"), Sexpr::int(1)]),
        Sexpr::name("x"),
    ];
    let values = vec![Sexpr::bool(true), Sexpr::int(-6), Sexpr::int(-7)];
    let model = None;
    assert_eq!(ask(&query), Outcome::Sat { values, model });
}

#[test]
fn names_that_are_words_of_solvers_are_only_names() {
    for name in [
        "pto",
        "and",
        "Int",
        "check-sat",
        "|",
        "with space",
        "é",
        "_",
        "0x",
        "select",
    ] {
        let mut query = query(name, "");
        let symbol = || Sexpr::name(name);
        query.commands = vec![
            Sexpr::call("declare-const", [symbol(), Sexpr::word("Int")]),
            Sexpr::call("assert", [Sexpr::call("=", [symbol(), Sexpr::int(5)])]),
        ];
        query.ask.model = true;
        let Outcome::Sat {
            model: Some(model), ..
        } = ask(&query)
        else {
            panic!("{name}: no model");
        };
        let definitions = model.as_list().expect("definitions");
        let defined = definitions
            .iter()
            .filter_map(|one| one.arguments_of("define-fun"));
        let names: Vec<_> = defined.filter_map(|one| one.first()?.as_name()).collect();
        assert_eq!(names, [name]);
    }
}

#[test]
fn a_core_names_what_was_needed() {
    let mut query = query(
        "core",
        "(declare-const $x Int)
         (assert (! (> $x 1) :named $low)) (assert (! (< $x 9) :named $far)) (assert (! (< $x 0) :named $high))",
    );
    query.ask.core = true;
    query.ask.values = vec![Sexpr::name("x")];
    let core = vec![Sexpr::name("high"), Sexpr::name("low")];
    assert_eq!(ask(&query), Outcome::Unsat { core });
    query.commands.pop();
    assert!(matches!(ask(&query), Outcome::Sat { .. }));
}

/// A declaration that the solver refuses must not leave a verdict about the rest.
#[test]
fn a_query_that_is_refused_in_part_has_no_verdict() {
    for script in [
        "(assert false) (assert $undeclared)",
        "(declare-const $x Nonsense) (assert false)",
        "(frobnicate) (assert false)",
    ] {
        let outcome = ask(&query("refused", script));
        assert!(
            matches!(outcome, Outcome::Unknown(Reason::Rejected(_))),
            "{outcome:?}"
        );
    }
    let mut unknown_option = between(0, 0);
    unknown_option.options = vec![("no.such.option".to_owned(), "1".to_owned())];
    let outcome = ask(&unknown_option);
    assert!(
        matches!(outcome, Outcome::Unknown(Reason::Rejected(_))),
        "{outcome:?}"
    );
}

/// Multiplication of unknowns: nobody finishes this.
fn endless() -> Query {
    query(
        "endless",
        "(declare-const a Int) (declare-const b Int) (declare-const c Int)
         (assert (and (> a 2) (> b 2) (> c 2) (= (+ (* a a a) (* b b b)) (* c c c))))",
    )
}

#[test]
fn limits_end_what_does_not_end() {
    let pool = Pool::new(z3(), PoolSize::default());
    let limit = |resource, time| Limits { resource, time };
    let minute = Duration::from_secs(60);
    let mut query = endless();
    query.limits = limit(50_000, minute);
    let by_resource = pool.ask(&query, &Cancel::default());
    assert_eq!(by_resource.outcome, Outcome::Unknown(Reason::Resource));
    let again = pool.ask(&query, &Cancel::default());
    assert_eq!(again.resource, by_resource.resource, "the limit is exact");

    let moment = Duration::from_millis(300);
    query.limits = limit(u64::MAX, moment);
    let by_time = pool.ask(&query, &Cancel::default());
    assert_eq!(by_time.outcome, Outcome::Unknown(Reason::Time(moment)));
    assert!(by_time.time < Duration::from_secs(20), "{:?}", by_time.time);
    // The next one is served as if nothing had happened.
    assert!(pool.ask(&between(3, 4), &Cancel::default()).is_unsat());
}

#[test]
fn a_solver_that_needs_too_much_memory_is_stopped() {
    let size = PoolSize {
        processes: 1,
        memory_mb: 20,
    };
    let pool = Pool::new(z3(), size);
    let mut script = String::from("(declare-fun f (Int) Int)\n");
    for at in 0..40_000 {
        script.push_str(&format!(
            "(assert (> (f (+ {at} (f {at}))) (f (* 3 (f {at})))))\n"
        ));
    }
    let mut query = query("large", &script);
    query.limits.resource = u64::MAX;
    let outcome = pool.ask(&query, &Cancel::default()).outcome;
    assert_eq!(outcome, Outcome::Unknown(Reason::Memory));
    assert!(pool.ask(&between(3, 4), &Cancel::default()).is_unsat());
}

#[test]
fn whoever_waits_can_be_called_off() {
    let pool = Pool::new(
        z3(),
        PoolSize {
            processes: 1,
            memory_mb: 500,
        },
    );
    let cancel = Cancel::default();
    let mut query = endless();
    query.limits.resource = u64::MAX;
    let begin = Instant::now();
    std::thread::scope(|scope| {
        // The second one waits for the process that the first one keeps busy.
        let both = [(); 2].map(|()| scope.spawn(|| pool.ask(&query, &cancel)));
        std::thread::sleep(Duration::from_millis(200));
        cancel.cancel();
        for one in both {
            let answer = one.join().expect("no panic");
            assert_eq!(answer.outcome, Outcome::Unknown(Reason::Cancelled));
        }
    });
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn without_a_solver_nothing_is_known_and_the_reason_says_what_to_do() {
    let solvers = Solvers::new(Setup {
        places: Places {
            named: Some("/no/such/solver".into()),
            ..Places::default()
        },
        ..Setup::default()
    });
    for answer in solvers.ask_all(&[between(0, 0), between(0, 9)], &Cancel::default()) {
        match answer.outcome {
            Outcome::Unknown(Reason::NoSolver(why)) => {
                assert!(
                    why.contains("PLAINSONG_Z3") && why.contains("unset"),
                    "{why}"
                );
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn both_strategies_of_one_process_keep_their_settings() {
    let pool = Pool::new(
        z3(),
        PoolSize {
            processes: 1,
            memory_mb: 500,
        },
    );
    for _ in 0..3 {
        for strategy in [Strategy::Plain, Strategy::Automatic] {
            let mut query = between(1, 3);
            query.strategy = strategy;
            assert!(pool.ask(&query, &Cancel::default()).is_sat());
        }
    }
}
