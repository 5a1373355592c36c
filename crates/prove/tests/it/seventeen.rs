//! Two-phase commit with seventeen servers, each written out: proved, and its broken twins refuted by runs
//! that make every choice alike.
//!
//! The text is made here: as a song it would be explored and projected by everybody, at some cost.

use crate::prover::open;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Answer, Check, Limits, Query, Unwatched, dive};
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::sync::Arc;

const SERVERS: usize = 17;

#[test]
fn commit_of_seventeen_is_proved() {
    assert_eq!(open(&text(" && ", SERVERS)), Vec::<String>::new());
}

#[test]
fn one_yes_is_not_enough() {
    assert!(is_refuted(&text(" || ", SERVERS)));
}

#[test]
fn every_server_hears_the_decision() {
    assert!(is_refuted(&text(" && ", SERVERS - 1)));
}

#[test]
fn what_is_right_is_not_refuted() {
    assert!(!is_refuted(&text(" && ", SERVERS)));
}

/// Is there a run against it among a few?
fn is_refuted(text: &str) -> bool {
    let song = plainsong_syntax::compile(text).song.expect("it compiles");
    let instances = Instance::all(Arc::new(song), &Sizes::new(), &Bounds::default());
    let query = Query {
        subject: Subject::Line(0),
        checks: vec![Check::Contract],
    };
    let limits = Limits {
        states: 5_000,
        ..Limits::default()
    };
    let report = dive(&instances.expect("one")[0], &query, &limits, &mut Unwatched);
    matches!(report.findings[0].answer, Answer::Refuted(_))
}

/// The protocol: the votes are combined by `with`, and the first `told` servers hear the decision.
fn text(with: &str, told: usize) -> String {
    let each = |line: &dyn Fn(usize) -> String| -> String {
        (1..=SERVERS).map(|at| line(at) + "\n").collect()
    };
    let all = |between: &str, first: &str, part: &dyn Fn(usize) -> String| -> String {
        let parts = (1..=SERVERS).map(part);
        std::iter::once(first.to_owned())
            .filter(|first| !first.is_empty())
            .chain(parts)
            .collect::<Vec<_>>()
            .join(between)
    };
    let votes = each(&|at| format!("var vote_{at}: bool = false;"));
    let servers = each(&|at| {
        format!(
            "endpoint s_{at} {{
                var vote: bool = false; var flag: bool = false; var state: State = State::Initial;
            }}"
        )
    });
    let promises = each(&|at| format!("ensures s_{at}.state == State::Committed && s_{at}.vote;"));
    let invariants = each(&|at| {
        format!(
            "invariant c.flag ==> s_{at}.state == State::Committed
             invariant c.flag ==> c.vote_{at} && s_{at}.vote"
        )
    });
    let vote = each(&|at| format!("s_{at}.vote = choose bool; c.vote_{at} = s_{at}.vote;"));
    let tell = each(&|at| match at <= told {
        true => format!("s_{at}.flag = c.flag;"),
        false => String::new(),
    });
    format!(
        "enum State {{ Initial, Committed, Aborted }}
        choreography commit() {{
            endpoint c {{ var flag: bool = false; {votes} }}
            {servers} {promises}
            while {} {invariants} {{
                {vote}
                c.flag = {};
                {tell}
                if {} {{ {} }} else {{ {} }}
            }}
        }}",
        all(" && ", "!c.flag", &|at| format!("!s_{at}.flag")),
        all(with, "", &|at| format!("c.vote_{at}")),
        all(" && ", "c.flag", &|at| format!("s_{at}.flag")),
        each(&|at| format!("s_{at}.state = State::Committed;")),
        each(&|at| format!("s_{at}.state = State::Aborted;")),
    )
}
