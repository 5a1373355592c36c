//! What is repaired, at which cost, and what is an error.

use plainsong_diagnostics::Diagnostic;
use plainsong_project::{Options, project};

const ENDPOINTS: &str = "sort S;\nchoreography line(p: bool) {
    endpoint a { var x: int = 0; var f: bool = p; var o: option<int> = none; }
    endpoint b { var x: int = 0; var f: bool = p; var o: option<int> = none; }
    endpoint c { var x: int = 0; var f: bool = p; var o: option<int> = none; }
    endpoint s[i: S] { var x: int = 0; var f: bool = p; }
";

/// Codes with the text they point at, and the number of added messages.
fn found(body: &str, strict: bool) -> (Vec<(&'static str, String)>, Option<usize>) {
    let text = format!("{ENDPOINTS}{body}\n}}\n");
    let compiled = plainsong_syntax::compile(&text);
    let song = compiled
        .song
        .unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics));
    let options = Options {
        strict,
        decide: false,
    };
    let (notes, added) = match project(&song, 0, &options) {
        Ok(projection) => (projection.notes, Some(projection.added_messages)),
        Err(problems) => (problems, None),
    };
    let pointed = |note: &Diagnostic| note.primary.span.slice(&text).to_owned();
    (
        notes
            .iter()
            .map(|note| (note.code.name, pointed(note)))
            .collect(),
        added,
    )
}

#[track_caller]
fn check(body: &str, codes: &[(&'static str, &str)], added: Option<usize>) {
    let (notes, count) = found(body, false);
    let notes: Vec<(&str, &str)> = notes.iter().map(|(code, at)| (*code, &**at)).collect();
    assert_eq!((notes, count), (codes.to_vec(), added), "{body}");
}

/// Sends, stores and conditions of somebody who is not told: each costs the messages that tell it, and no more.
#[test]
fn who_acts_without_knowing_is_told() {
    let uninformed = |at: &'static str| [("uninformed-endpoint", at)];
    // A condition of another endpoint inside.
    check(
        "if a.f { if b.f { b.x = 1; } }",
        &uninformed("a.f"),
        Some(1),
    );
    // A send, a store.
    check("if a.f { a.x = b.x; }", &uninformed("a.f"), Some(1));
    check("if a.f { b.x = 1; }", &uninformed("a.f"), Some(1));
    // A loop of two, in which a third one acts; before every round it is told.
    check(
        "while a.f && b.f { c.x = 1; a.f = false; b.f = false; }",
        &uninformed("a.f && b.f"),
        Some(1),
    );
    // One level deeper, and in the other branch.
    check(
        "while a.f && b.f { if a.x > 0 && b.x > 0 { c.x = 1; } a.f = false; b.f = false; }",
        &[
            ("uninformed-endpoint", "a.f && b.f"),
            ("uninformed-endpoint", "a.x > 0 && b.x > 0"),
        ],
        Some(2),
    );
    check(
        "if a.f && b.f { a.x = 1; } else { c.x = 1; }",
        &uninformed("a.f && b.f"),
        Some(1),
    );
}

#[test]
fn a_choreography_without_endpoints_has_no_voices() {
    let compiled = plainsong_syntax::compile("choreography c(x: int) { ensures x == x; }");
    let song = compiled.song.expect("it is a song");
    let problems = project(&song, 0, &Options::default()).map(|_| ());
    let problems = problems.expect_err("there is nobody");
    assert_eq!(problems[0].code.name, "no-endpoints");
}

#[test]
fn what_the_rules_allow_costs_nothing() {
    check("a.x = 5;", &[], Some(0));
    check("b.x = a.x + 4;", &[], Some(0));
    check(
        "if a.x == 5 && b.x == 9 { a.x = 1; b.x = 2; }",
        &[],
        Some(0),
    );
    check("while a.f && b.f && a.x < 3 { a.x = b.x; }", &[], Some(0));
    check("for i in S { s[i].x = a.x; }", &[], Some(0));
    check("if p { c.x = 1; }", &[], Some(0));
    check("if a.f { a.x = 1; }", &[], Some(0));
    check("if a.f && b.f { a.x = 1; }", &[], Some(0));
}

#[test]
fn a_statement_of_several_endpoints_is_brought_together() {
    check(
        "a.x = a.x + b.x;",
        &[("mixed-endpoints", "a.x = a.x + b.x;")],
        Some(1),
    );
    check(
        "a.x = b.x + c.x;",
        &[("mixed-endpoints", "a.x = b.x + c.x;")],
        Some(2),
    );
    check(
        "a.x = a.x + b.x * b.x;",
        &[("mixed-endpoints", "a.x = a.x + b.x * b.x;")],
        Some(1),
    );
    // What can fail is sent as its variables: here the option, once.
    check(
        "a.x = a.x + b.o.unwrap();",
        &[("mixed-endpoints", "a.x = a.x + b.o.unwrap();")],
        Some(1),
    );
    let gather = "a.f = forall i: S :: s[i].f;";
    check(gather, &[("mixed-endpoints", gather)], Some(1));
}

#[test]
fn a_condition_of_several_endpoints_has_a_decider() {
    check(
        "if a.x + 4 == b.x { a.x = 1; }",
        &[("mixed-guard", "a.x + 4 == b.x")],
        Some(1),
    );
    check(
        "if a.x < b.x { a.x = 1; b.x = 1; c.x = 1; }",
        &[("mixed-guard", "a.x < b.x")],
        Some(3),
    );
    // The second conjunct is not evaluated when the first is false.
    check(
        "if a.f && b.o.unwrap() > 0 { a.x = 1; b.x = 2; }",
        &[("mixed-guard", "a.f && b.o.unwrap() > 0")],
        Some(2),
    );
}

#[test]
fn who_acts_has_to_know() {
    check(
        "if a.f { b.x = 1; }",
        &[("uninformed-endpoint", "a.f")],
        Some(1),
    );
    check(
        "if a.f { a.x = 1; } else { c.x = 1; }",
        &[("uninformed-endpoint", "a.f")],
        Some(1),
    );
    check(
        "if a.f { b.x = c.x; }",
        &[("uninformed-endpoint", "a.f")],
        Some(2),
    );
    check(
        "while a.f && b.f { c.x = 1; }",
        &[("uninformed-endpoint", "a.f && b.f")],
        Some(1),
    );
    check(
        "while a.f { if a.f { c.x = 1; } }",
        &[
            ("uninformed-endpoint", "a.f"),
            ("uninformed-endpoint", "a.f"),
        ],
        Some(2),
    );
    check(
        "if a.f { for i in S { s[i].x = 1; } }",
        &[("uninformed-endpoint", "a.f")],
        Some(1),
    );
    check(
        "maybe { a.x = 1; b.x = 1; }",
        &[("uninformed-endpoint", "maybe { a.x = 1; b.x = 1; }")],
        Some(1),
    );
}

#[test]
fn what_cannot_be_repaired_is_an_error() {
    let sort = "endpoint leader { var who: option<S> = none; }";
    let text = ENDPOINTS.replace(
        "    endpoint a {",
        &format!("    {sort}\n    endpoint a {{"),
    );
    let text =
        format!("{text}match leader.who {{ none => {{}} some(w) => {{ s[w].x = 1; }} }}\n}}\n");
    let song = plainsong_syntax::compile(&text).song.expect("it compiles");
    let problems = project(&song, 0, &Options::default()).expect_err("no server knows");
    let is_it = |problem: &Diagnostic| problem.is_error() && problem.code.name == "hidden-index";
    assert!(problems.iter().any(is_it), "{problems:?}");
    let only_families = "sort S;\nchoreography line() {\n    endpoint s[i: S] { var x: int = 0; }\n    maybe { for i in S { s[i].x = 1; } }\n}\n";
    let song = plainsong_syntax::compile(only_families)
        .song
        .expect("it compiles");
    let problems = project(&song, 0, &Options::default()).expect_err("nobody is named");
    let is_it = |problem: &Diagnostic| problem.is_error() && problem.code.name == "nobody-decides";
    assert!(problems.iter().any(is_it), "{problems:?}");
}

#[test]
fn the_papers_conditions_can_be_had_literally() {
    for body in [
        "a.x = a.x + b.x;",
        "if a.x < b.x { a.x = 1; }",
        "if a.f { b.x = 1; }",
        "if a.f && b.f { a.x = 1; }",
        "let k = 1;\na.x = k;",
    ] {
        assert_eq!(found(body, true).1, None, "{body}");
    }
    assert_eq!(found("a.x = b.x;", true), (Vec::new(), Some(0)));
}
