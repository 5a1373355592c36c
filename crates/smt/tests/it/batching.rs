//! Many queries at once.

use crate::stage::{between, pool, query, solvers};
use plainsong_smt::{Cancel, Outcome, Query, Reason, Sexpr, Strategy};

#[test]
fn each_query_of_a_batch_gets_its_own_answer() {
    let queries: Vec<Query> = (0..150).map(|at| between(at, at + 1 + at % 3)).collect();
    let answers = solvers(None, None).ask_all(&queries, &Cancel::default());
    assert_eq!(answers.len(), queries.len());
    for (at, answer) in (0..).zip(&answers) {
        match &answer.outcome {
            Outcome::Unsat { .. } => assert_eq!(at % 3, 0),
            Outcome::Sat { values, .. } => {
                let value = values[0].as_int().expect("a number");
                assert!(
                    at % 3 != 0 && value > at && value < at + 1 + at % 3,
                    "{value}"
                );
            }
            other => panic!("{at}: {other:?}"),
        }
        assert!(answer.resource.is_some_and(|units| units > 0), "{answer:?}");
    }
}

/// The same name means something else in the next query, and nothing remains of the one before.
#[test]
fn queries_of_a_batch_do_not_see_each_other() {
    let scripts = [
        "(declare-const $x Bool) (assert $x) (assert (not $x))",
        "(declare-datatypes (($T 0)) ((($A) ($B ($x Int))))) (declare-const $t $T) (assert (not (= $t $t)))",
        "(declare-fun $x (Int) Int) (assert (> ($x 1) ($x 1)))",
        "(assert (! false :named $n))",
        "(declare-const $n Int)",
        "(declare-datatypes (($T 0)) ((($C)))) (declare-const $t $T) (declare-const $u $T) (assert (not (= $t $u)))",
        "(assert $x)",
        "(declare-const $x Int) (assert (= $x 1))",
    ];
    let queries: Vec<Query> = scripts.iter().map(|script| query("one", script)).collect();
    let queries: Vec<&Query> = queries.iter().collect();
    let answers = pool(1).ask_all(&queries, &Cancel::default());
    let verdicts: Vec<&str> = answers
        .iter()
        .map(|answer| match answer.outcome {
            Outcome::Unsat { .. } => "unsat",
            Outcome::Sat { .. } => "sat",
            Outcome::Unknown(_) => "unknown",
        })
        .collect();
    let expected = [
        "unsat", "unsat", "unsat", "unsat", "sat", "unsat", "unknown", "sat",
    ];
    assert_eq!(verdicts, expected);
}

#[test]
fn a_batch_tells_cores() {
    let queries: Vec<Query> = ["a", "b", "c"]
        .map(|name| {
            let mut query = query(name, "");
            let named = |term, name: &str| {
                let named = [term, Sexpr::word(":named"), Sexpr::name(name)];
                Sexpr::call("assert", [Sexpr::call("!", named)])
            };
            query.commands = vec![
                named(Sexpr::bool(true), "idle"),
                named(Sexpr::bool(false), name),
            ];
            query.ask.core = true;
            query
        })
        .into();
    let answers = solvers(None, None).ask_all(&queries, &Cancel::default());
    for (answer, name) in answers.into_iter().zip(["a", "b", "c"]) {
        let core = vec![Sexpr::name(name)];
        assert_eq!(answer.outcome, Outcome::Unsat { core });
    }
}

/// What matching alone does not show is given up in a batch, and shown by asking otherwise.
#[test]
fn an_attempt_that_is_undecided_is_left_at_that() {
    let script = "(declare-fun $f (Int) Int) (assert (forall (($x Int)) (> ($f $x) $x))) \
                  (assert (forall (($x Int)) (< $x 5)))";
    let with = |strategy| {
        let mut one = query("attempt", script);
        one.strategy = strategy;
        one.limits.resource = 100_000;
        one
    };
    let pool = pool(1);
    let cancel = Cancel::default();
    let attempts: Vec<Query> = (0..3).map(|_| with(Strategy::Matching)).collect();
    let attempts: Vec<&Query> = attempts.iter().collect();
    for answer in pool.ask_all(&attempts, &cancel) {
        assert!(
            matches!(answer.outcome, Outcome::Unknown(Reason::Incomplete(_))),
            "{answer:?}"
        );
    }
    assert!(pool.ask(&with(Strategy::Direct), &cancel).is_unsat());
}
