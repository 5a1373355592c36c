//! Statements in which nobody acts: who keeps them, and who leaves them out.

use plainsong_project::{Options, project};

const ENDPOINTS: &str = "sort S;
choreography line(n: int) {
    endpoint a { var x: int = 0; var f: bool = false; }
    endpoint b { var x: int = 0; var f: bool = false; }
    endpoint c { var x: int = 0; var f: bool = false; }
    endpoint s[i: S] { var x: int = 0; var f: bool = false; }
";

/// The processes in whose code the text occurs.
fn having(body: &str, text: &str) -> Vec<&'static str> {
    let song = format!("{ENDPOINTS}{body}\n}}\n");
    let compiled = plainsong_syntax::compile(&song);
    let song = compiled
        .song
        .unwrap_or_else(|| panic!("{:?}\n{song}", compiled.diagnostics));
    let projection = project(&song, 0, &Options::default());
    let voices = projection.unwrap_or_else(|problems| panic!("{body}: {problems:?}"));
    let voices = plainsong_ir::print::song(&voices.song);
    let code = |name: &str| {
        let at = voices.find(&format!("process {name}"));
        let code = &voices[at.expect("there is such a process")..];
        code[..code.find("\n}").unwrap_or(code.len())].to_owned()
    };
    let all = ["a", "b", "c", "s"];
    all.into_iter()
        .filter(|name| code(name).contains(text))
        .collect()
}

/// Who decides waits, and nobody else; who has to know whether to wait is told.
#[test]
fn loops_without_actions_are_kept_by_who_decides() {
    let empty = |body: &str, who: &[&str]| assert_eq!(having(body, "while"), who, "{body}");
    empty("while a.f {}", &["a"]);
    empty("while a.f && b.f {}", &["a", "b"]);
    empty("while a.f { assert a.x == b.x; }", &["a"]);
    empty("while a.f { let _k = a.x; }", &["a"]);
    empty("while n > 0 {}", &["a"]);
    empty("for i in S { while s[i].f {} }", &["s"]);
    empty("while c.f && (forall i: S :: s[i].f) {}", &["c", "s"]);
    empty("if a.f { while b.f {} }", &["b"]);
    // Somebody acts in it: the others who decide need not go round.
    empty("while a.f && b.f { a.f = false; }", &["a"]);
    let told = "if a.f { while b.f {} }";
    assert_eq!(having(told, "receive Branch"), ["b"]);
}

/// All who could end it go round together.
#[test]
fn loops_that_are_left_are_kept_by_all_who_know() {
    let left = |body: &str, who: &[&str]| {
        assert_eq!(having(body, "break"), who, "{body}");
    };
    left("while a.f { if a.x > 3 { break; } }", &["a"]);
    left("while a.f { if b.x > 3 { break; } }", &["a", "b"]);
    left(
        "while a.f && b.f { let _k = a.x; if a.x > 3 { break; } }",
        &["a"],
    );
    left("while n > 0 { if c.x > 3 { break; } }", &["c"]);
    left("while n > 0 { if n > 3 { break; } }", &["a"]);
    left("while true { maybe { break; } }", &["a"]);
}

/// Who is not told when a loop is left asserts nothing in it.
#[test]
fn claims_of_who_does_not_know_of_a_break_are_left_out() {
    let claim = "while a.f && b.f { assert b.x == 0; if a.x > 3 { break; } a.x += 1; }";
    assert!(having(claim, "assert").is_empty());
    let claim = "for i in 0..3 { assert b.x == 0; if a.x > 3 { break; } a.x += 1; }";
    assert!(having(claim, "assert").is_empty());
    let claim = "while a.f && b.f { assert b.x == 0; a.x += 1; }";
    assert_eq!(having(claim, "assert"), ["b"]);
}

/// Behind what may never be passed nobody fails who has not heard that it was.
#[test]
fn who_could_fail_is_told_that_a_statement_was_passed() {
    let told = |body: &str, who: &[&str]| {
        assert_eq!(having(body, "receive Passed"), who, "{body}");
    };
    told("while a.f {} c.x = 10 / c.x;", &["c"]);
    told("while a.f { a.x = 1 - a.x; } c.x = 10 / c.x;", &["c"]);
    told("assume a.f; c.x = 10 / c.x;", &["c"]);
    told("while a.f {} for i in S { s[i].x = 10 / s[i].x; }", &["s"]);
    told("for i in S { while s[i].f {} } c.x = 10 / c.x;", &["c"]);
    told("if b.f { while a.f {} } c.x = 10 / c.x;", &["c"]);
    // In the next round, too.
    told("for i in 0..3 { c.x = 10 / c.x; while a.f {} }", &["c"]);
    // Of every member that waits, too.
    told(
        "for i in S { while s[i].f {} s[i].x = 10 / s[i].x; }",
        &["s"],
    );
    // Who cannot fail need not know, nor who hears of it anyway, nor anybody if it surely ends.
    told("while a.f {} c.x = c.x + 10 / 2;", &[]);
    told("while a.f {} c.x = a.x; c.x = 10 / c.x;", &[]);
    told("while a.f {} b.x = a.x; c.x = b.x; c.x = 10 / c.x;", &[]);
    told(
        "while a.f {} for i in S { s[i].x = a.x; } for i in S { s[i].x = 10 / s[i].x; }",
        &[],
    );
    told("while a.f decreases a.x { a.x -= 1; } c.x = 10 / c.x;", &[]);
    told("while a.f {} a.x = 10 / a.x;", &[]);
    // But not what was sent before it, or by somebody who has not heard.
    told("b.x = a.x; while a.f {} c.x = b.x; c.x = 10 / c.x;", &["c"]);
    told("while a.f {} if b.f { c.x = a.x; } c.x = 10 / c.x;", &["c"]);
}

/// For an assertion nobody is told anything: it is left to the line.
#[test]
fn assertions_that_come_too_early_are_left_to_the_line() {
    let asserts = |body: &str, who: &[&str]| assert_eq!(having(body, "assert"), who, "{body}");
    asserts("while a.f {} assert c.x == 0;", &[]);
    asserts("assume a.f; assert c.x == 0;", &[]);
    asserts("while a.f {} assert a.x == 0;", &["a"]);
    asserts("while a.f {} c.x = a.x; assert c.x == 0;", &["c"]);
    asserts(
        "while a.f decreases a.x { a.x -= 1; } assert c.x == 0;",
        &["c"],
    );
}

/// A `break` that is nobody's cannot be left out.
#[test]
fn a_break_by_nobody_is_an_error() {
    let text = "sort S;\nchoreography line() {\n    endpoint s[i: S] { var x: int = 0; }\n    while true { maybe { break; } }\n}\n";
    let song = plainsong_syntax::compile(text).song.expect("it compiles");
    let problems = project(&song, 0, &Options::default()).expect_err("nobody is named");
    assert_eq!(problems[0].code.name, "nobody-decides");
}

/// What might have no value is evaluated, whether or not somebody reads it: the line does so.
#[test]
fn what_may_fail_is_evaluated() {
    let divides = |body: &str, who: &[&str]| assert_eq!(having(body, "10 / x"), who, "{body}");
    divides("let _k = 10 / b.x;", &["b"]);
    divides("if 10 / b.x > 1 {}", &["b"]);
    divides("match 10 / b.x > 1 { true => {} false => {} }", &["b"]);
    divides("while a.f { let _k = 10 / a.x; }", &["a"]);
}
