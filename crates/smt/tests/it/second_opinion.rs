//! cvc5, from its libraries: what Z3 says is said by somebody else.

use crate::stage::{between, corpus, note, query, size, z3};
use plainsong_smt::{
    Cancel, Host, Kind, Opinion, Outcome, Places, Query, Reason, Setup, Sexpr, Solvers, Strategy,
};

fn solvers() -> Solvers {
    let host = Host {
        program: env!("CARGO_BIN_EXE_plainsong-cvc5").into(),
        arguments: Vec::new(),
    };
    Solvers::new(Setup {
        places: Places {
            named: Some(z3().program),
            ..Places::from_environment()
        },
        size: size(2),
        host: Some(host),
        ..Setup::default()
    })
}

fn asked(mut query: Query, strategy: Strategy) -> Query {
    query.strategy = strategy;
    query
}

#[test]
fn every_easy_verdict_of_the_corpus_is_confirmed() {
    let solvers = solvers();
    let cancel = Cancel::default();
    let mut confirmed = 0;
    for goal in corpus() {
        let known = note(&goal.text, "expect Plain").unwrap_or_default();
        if !known.starts_with("sat ") && !known.starts_with("unsat ") {
            continue;
        }
        let first = solvers.ask(&goal.query, &cancel);
        let mut query = goal.query.clone();
        query.limits.resource = 2_000_000;
        match solvers.recheck(&query, &first, &cancel) {
            Opinion::Same(second) => {
                assert!(second.resource.is_some_and(|units| units > 0), "{second:?}");
                assert_eq!(&*second.solver, "cvc5 1.4.2");
                confirmed += 1;
            }
            Opinion::Other(second) => panic!("{}: {second:?}", query.name),
            Opinion::None(reason) => {
                let is_modest = matches!(reason, Reason::Resource | Reason::Incomplete(_));
                assert!(is_modest, "{}: {reason}", query.name);
            }
        }
    }
    assert!(confirmed >= 9, "{confirmed} confirmed");
}

/// Queries for both solvers in one list.
#[test]
fn each_query_goes_to_its_solver() {
    let queries = [
        between(0, 1),
        asked(between(0, 1), Strategy::Enumerate),
        between(0, 2),
        asked(between(0, 2), Strategy::ModelBased),
    ];
    let answers = solvers().ask_all(&queries, &Cancel::default());
    let said: Vec<_> = answers
        .iter()
        .map(|one| (&*one.solver, one.is_sat()))
        .collect();
    let z3 = z3().title();
    let expected = [
        (&*z3, false),
        ("cvc5 1.4.2", false),
        (&*z3, true),
        ("cvc5 1.4.2", true),
    ];
    assert_eq!(said, expected);
}

/// Enumeration proves what Z3 leaves open.
#[test]
fn a_missing_witness_is_found_by_enumeration() {
    let goals = corpus();
    let goal = goals
        .iter()
        .find(|goal| goal.query.name == "reorder-over-states");
    let query = asked(
        goal.expect("it is there").query.clone(),
        Strategy::Enumerate,
    );
    let mut query = query;
    query.limits.resource = 2_000_000;
    let first = solvers().ask(&query, &Cancel::default());
    assert!(first.is_unsat(), "{first:?}");
    let second = solvers().ask(&query, &Cancel::default());
    assert_eq!(
        (first.outcome, first.resource),
        (second.outcome, second.resource)
    );
}

#[test]
fn values_models_and_cores_come_back_in_the_same_form() {
    let solvers = solvers();
    let cancel = Cancel::default();
    let mut with_values = asked(between(2, 4), Strategy::ModelBased);
    with_values.ask.model = true;
    let Outcome::Sat { values, model } = solvers.ask(&with_values, &cancel).outcome else {
        panic!("no values");
    };
    assert_eq!(values, [Sexpr::int(3)]);
    assert!(model.is_some());
    let mut core = asked(
        query(
            "core",
            "(assert (! false :named $f)) (assert (! true :named $t))",
        ),
        Strategy::Enumerate,
    );
    core.ask.core = true;
    let expected = Outcome::Unsat {
        core: vec![Sexpr::name("f")],
    };
    assert_eq!(solvers.ask(&core, &cancel).outcome, expected);
}

/// A word of separation logic, among others.
#[test]
fn names_that_are_words_of_cvc5_are_only_names() {
    for name in ["pto", "sep", "set.union", "bag", "seq.nth", "tuple", "é |"] {
        let mut query = asked(query(name, ""), Strategy::Enumerate);
        let symbol = || Sexpr::name(name);
        query.commands = vec![
            Sexpr::call("declare-const", [symbol(), Sexpr::word("Int")]),
            Sexpr::call("assert", [Sexpr::call("=", [symbol(), Sexpr::int(5)])]),
        ];
        query.ask.values = vec![symbol()];
        let answer = solvers().ask(&query, &Cancel::default());
        let values = vec![Sexpr::int(5)];
        assert_eq!(
            answer.outcome,
            Outcome::Sat {
                values,
                model: None
            },
            "{name}"
        );
    }
}

#[test]
fn limits_and_mistakes_are_not_verdicts() {
    let solvers = solvers();
    let ask = |query: Query| solvers.ask(&asked(query, Strategy::Enumerate), &Cancel::default());
    for mistake in [
        "(assert $undeclared)",
        "(frobnicate)",
        "(assert 1)",
        "(assert (= 1 $x))",
    ] {
        let outcome = ask(query("refused", &format!("(assert false) {mistake}"))).outcome;
        let is_rejected = matches!(outcome, Outcome::Unknown(Reason::Rejected(_)));
        assert!(is_rejected, "{mistake}: {outcome:?}");
    }
    let goals = corpus();
    let hard = goals
        .iter()
        .find(|goal| goal.query.name == "paxos-choosable-value");
    let mut hard = hard.expect("it is there").query.clone();
    hard.limits.resource = 100_000;
    assert_eq!(ask(hard).outcome, Outcome::Unknown(Reason::Resource));
}

#[test]
fn without_a_host_there_is_no_second_opinion() {
    let solvers = crate::stage::solvers(None, None);
    let cancel = Cancel::default();
    let first = solvers.ask(&between(0, 1), &cancel);
    let opinion = solvers.recheck(&between(0, 1), &first, &cancel);
    assert!(
        matches!(opinion, Opinion::None(Reason::NoSolver(_))),
        "{opinion:?}"
    );
    assert_eq!(Strategy::Enumerate.kind(), Kind::Cvc5);
}
