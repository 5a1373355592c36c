//! Result lines.

use crate::counterexamples::refuted;
use crate::{plain, scenes};
use expect_test::expect;
use plainsong_report::{Answer, Coverage, file_lines, summary_line};
use plainsong_semantics::verdict::{Outcome, Verdict};

fn answer(property: &str, outcome: Outcome, engine: &str, seconds: f64) -> Answer {
    let verdict = Verdict {
        outcome,
        ..Verdict::unknown(property, "")
    };
    Answer {
        file: "two_phase.song".to_owned(),
        engine: engine.to_owned(),
        seconds,
        verdict,
        cached: 0,
        trace_path: None,
        account: None,
        declared: None,
        tried: Vec::new(),
        next: None,
        seed: None,
    }
}

fn one_of_each() -> Vec<Answer> {
    let mut holds = answer("votes_counted", Outcome::Holds, "explore", 0.31);
    holds.verdict.bound.insert("Db".to_owned(), "4".to_owned());
    holds.verdict.executions = Some(384);
    holds.verdict.blocked = Some(0);
    let mut unknown = answer("always_quiet", Outcome::Unknown, "diverge", 10.0);
    unknown.verdict.reason = "time limit; see --timeout".to_owned();
    vec![
        answer("no_deadlock", Outcome::Proved, "sequentialize", 0.04),
        holds,
        refuted("no_late_commit", scenes::late_commit()),
        unknown,
    ]
}

#[test]
fn columns_are_aligned_and_refuted_is_loud() {
    let coverage = Coverage {
        statements: 27,
        all_statements: 28,
        kinds: 6,
        all_kinds: 6,
        kind_noun: "message kind",
        never: vec!["two_phase.song:31".to_owned()],
        ..Coverage::default()
    };
    let lines = plain(&file_lines(
        "two_phase.song",
        &one_of_each(),
        Some(&coverage),
    ));
    let summary = summary_line(&one_of_each(), 0);
    expect![[r#"
        two_phase.song
          proved     no_deadlock            any size      sequentialize   0.04 s
          holds      votes_counted          Db=4          explore         0.31 s   384 executions, 0 blocked
          REFUTED    no_late_commit         Db=2          states          0.02 s   6 messages   trace out/no_late_commit.trace
          unknown    always_quiet           -             diverge        10.00 s   time limit; see --timeout
          covered    27 of 28 statements, 6 of 6 message kinds; never executed: two_phase.song:31
        1 refuted, 1 unknown, 2 fine.    replay: plainsong replay out/no_late_commit.trace
    "#]].assert_eq(&format!("{lines}{summary}"));
}

#[test]
fn rejected_files_are_counted_and_places_are_few() {
    expect![[r#"
        2 files rejected.
    "#]]
    .assert_eq(&summary_line(&[], 2));
    let coverage = Coverage {
        statements: 1,
        all_statements: 6,
        kinds: 1,
        all_kinds: 1,
        kind_noun: "action",
        never: (1..=5).map(|line| format!("a.song:{line}")).collect(),
        ..Coverage::default()
    };
    expect![[r#"
        a.song
          covered    1 of 6 statements, 1 of 1 actions; never executed: a.song:1, a.song:2, a.song:3 and 2 more
    "#]].assert_eq(&plain(&file_lines("a.song", &[], Some(&coverage))));
}
