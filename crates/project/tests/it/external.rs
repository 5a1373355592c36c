//! Who makes a call of an external function, and which calls nobody can be said to make.

use plainsong_diagnostics::Diagnostic;
use plainsong_project::{Options, project};

const ENDPOINTS: &str = "sort S;
extern fn ask(n: int) -> bool ensures true;
extern fn pick(n: int) -> int ensures true;
fn twice(n: int) -> int { 2 * pick(n) }
choreography line(n: int) {
    endpoint a { var x: int = 0; var f: bool = false; }
    endpoint b { var x: int = 0; var f: bool = false; }
    endpoint s[i: S] { var x: int = 0; var f: bool = false; }
";

/// The processes as text, or the places of calls that are refused.
fn projected(body: &str) -> Result<String, Vec<String>> {
    let text = format!("{ENDPOINTS}{body}\n}}\n");
    let compiled = plainsong_syntax::compile(&text);
    let song = compiled
        .song
        .unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics));
    match project(&song, 0, &Options::default()) {
        Ok(projection) => Ok(plainsong_ir::print::song(&projection.song)),
        Err(problems) => {
            let errors = problems.iter().filter(|one| one.is_error());
            let is_it = |one: &&Diagnostic| one.code.name == "unplaced-call";
            let (calls, others): (Vec<_>, Vec<_>) = errors.partition(is_it);
            assert!(others.is_empty(), "{body}: {others:?}");
            assert!(calls.iter().all(|one| one.help.is_some()), "{calls:?}");
            let place = |one: &&Diagnostic| one.primary.span.slice(&text).to_owned();
            Err(calls.iter().map(place).collect())
        }
    }
}

/// The code of one process.
#[track_caller]
fn process<'v>(voices: &'v str, name: &str) -> &'v str {
    let start = format!("process {name}");
    let at = voices.find(&start).expect("there is such a process");
    let code = &voices[at..];
    &code[..code.find("\n}").unwrap_or(code.len())]
}

/// Is a call made by the first, and not by the second?
#[track_caller]
fn made_by(body: &str, call: &str, (caller, other): (&str, &str)) {
    let voices = projected(body).unwrap_or_else(|calls| panic!("{body}: refused {calls:?}"));
    assert!(process(&voices, caller).contains(call), "{body}\n{voices}");
    assert!(
        !process(&voices, other).contains("pick("),
        "{body}\n{voices}"
    );
    assert!(
        !process(&voices, other).contains("ask("),
        "{body}\n{voices}"
    );
    assert!(
        !process(&voices, other).contains("twice("),
        "{body}\n{voices}"
    );
}

#[test]
fn a_call_is_made_where_its_data_are() {
    let of_b = ("b", "a");
    made_by("a.x = pick(b.x);", "pick(x)", of_b);
    made_by("a.x = a.x + pick(b.x);", "pick(x)", of_b);
    made_by("a.x = a.x + twice(b.x + n);", "twice(x + n)", of_b);
    made_by("a.f = ask(b.x) && a.f;", "ask(x)", of_b);
    made_by("let k = pick(b.x); a.x = k;", "pick(x)", of_b);
    made_by("if ask(b.x) { a.x = 1; }", "ask(x)", of_b);
    made_by("while ask(b.x) { a.x = 1; }", "ask(x)", of_b);
    made_by("requires ask(b.x); a.x = 1;", "ask(x)", of_b);
    made_by(
        "match pick(b.x) > 0 { true => { a.x = 1; } false => {} }",
        "pick(x)",
        of_b,
    );
    made_by(
        "for i in S { a.f = a.f && s[i].f; s[i].x = pick(s[i].x); }",
        "pick(x)",
        ("s[i", "a"),
    );
}

#[test]
fn a_call_about_nobody_is_made_by_the_only_one_that_takes_part() {
    let of_b = ("b", "a");
    made_by("b.x = pick(n);", "pick(n)", of_b);
    made_by("b.x = choose 0..3 where ask(x);", "ask(", of_b);
    made_by("if ask(n) { b.x = 1; }", "ask(n)", of_b);
    made_by("if b.f && ask(n) { b.x = 1; a.x = 2; }", "ask(n)", of_b);
    made_by("for i in 0..n where ask(i) { b.x = i; }", "ask(i)", of_b);
    made_by(
        "for i in S { if ask(n) { s[i].x = 1; } }",
        "ask(n)",
        ("s[i", "a"),
    );
}

#[test]
fn a_call_that_is_nobodys_is_refused() {
    let refused = |body: &str, call: &str| {
        assert_eq!(projected(body), Err(vec![call.to_owned()]), "{body}");
    };
    // Several endpoints would make it.
    refused("if ask(n) { a.x = 1; b.x = 2; }", "ask(n)");
    refused("if a.f && b.f && ask(n) { a.x = 1; b.x = 2; }", "ask(n)");
    refused("while ask(n) {}", "ask(n)");
    refused("let k = pick(n); a.x = k;", "pick(n)");
    refused(
        "match pick(n) > 0 { true => { a.x = 1; } false => {} }",
        "pick(n)",
    );
    refused("for i in 0..pick(n) { a.x = i; }", "pick(n)");
    refused(
        "for i in S { if ask(n) { s[i].x = 1; a.x = 1; } }",
        "ask(n)",
    );
    refused("assume ask(n);", "ask(n)");
    refused("requires ask(n);", "ask(n)");
    refused("requires n > 0 && twice(n) > 1; a.x = n;", "twice(n)");
    // It is as much the one's as the other's.
    refused("a.x = pick(a.x + b.x);", "pick(a.x + b.x)");
    refused("a.x = b.x + pick(n);", "pick(n)");
    refused("a.x = a.x + b.x + twice(n);", "twice(n)");
    refused("if a.x + b.x > pick(n) { a.x = 1; }", "pick(n)");
    refused("a.f = forall i: S :: ask(s[i].x);", "ask(s[i].x)");
    // Who would make it does not know whether the line does.
    refused("a.f = a.f && ask(b.x);", "ask(b.x)");
    refused("a.x = if a.f { pick(b.x) } else { 0 };", "pick(b.x)");
    refused("a.x = sum i in 0..a.x :: pick(b.x + i);", "pick(b.x + i)");
}

/// Nobody checks it while the processes run, so nobody makes the call; it is checked in the line.
#[test]
fn an_assertion_about_nobody_makes_no_call() {
    let voices = projected("a.x = 1; assert ask(n) || true; b.x = a.x;").expect("it can be");
    assert!(
        !voices[voices.find("process").unwrap_or(0)..].contains("ask("),
        "{voices}"
    );
}

const PLACED: &str = "sort S;
extern fn ask at a(n: int) -> int ensures true;
extern fn tell at s(n: int) -> int ensures true;
fn twice(n: int) -> int { 2 * ask(n) }
choreography part() {
    endpoint player { var x: int = choose int; }
    player.x = roll(player.x);
}
extern fn roll at player(n: int) -> int ensures true;
choreography line(n: int) {
    endpoint a { var x: int = 0; }
    endpoint b { in limit: int; var x: int = 0; }
    endpoint s[i: S] { var x: int = 0; }
";

/// The processes as text, or what is wrong with the calls.
fn placed(body: &str) -> Result<String, Vec<(String, String)>> {
    let text = format!("{PLACED}{body}\n}}\n");
    let compiled = plainsong_syntax::compile(&text);
    let song = compiled
        .song
        .unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics));
    match project(&song, 1, &Options::default()) {
        Ok(projection) => Ok(plainsong_ir::print::song(&projection.song)),
        Err(problems) => {
            let told = |one: &Diagnostic| {
                assert_eq!(one.code.name, "misplaced-call", "{body}: {one:?}");
                (
                    one.primary.span.slice(&text).to_owned(),
                    one.message.clone(),
                )
            };
            Err(problems
                .iter()
                .filter(|one| one.is_error())
                .map(told)
                .collect())
        }
    }
}

/// Who runs a function is said, and nobody else calls it.
#[test]
fn a_call_is_made_by_the_endpoint_that_runs_the_function() {
    let made = |body: &str| placed(body).unwrap_or_else(|why| panic!("{body}: {why:?}"));
    made("a.x = ask(n);");
    made("b.x = ask(a.x); a.x = twice(a.x);");
    made("for i in S { s[i].x = tell(s[i].x); b.x = tell(s[i].x); }");
    let voices = made("call part() with b as player;");
    // The endpoint of the part is called otherwise here.
    assert!(voices.contains("extern fn roll(n_1: int)"), "{voices}");
    assert!(voices.contains("extern fn ask at a(n_1: int)"), "{voices}");
    assert!(voices.contains("in limit: int;"), "{voices}");
    let again = plainsong_syntax::compile(&voices);
    assert!(again.song.is_some(), "{:?}", again.diagnostics);
}

#[test]
fn a_call_of_a_function_that_another_one_runs_is_refused() {
    let refused = |body: &str, call: &str, who: &str| {
        let wrong = placed(body).expect_err(body);
        assert_eq!(wrong.len(), 1, "{body}: {wrong:?}");
        assert_eq!(wrong[0].0, call, "{body}");
        assert!(wrong[0].1.starts_with(who), "{body}: {wrong:?}");
    };
    refused(
        "b.x = ask(n);",
        "ask(n)",
        "`b` would make this call of `ask`, which `a` runs",
    );
    refused("a.x = ask(b.x);", "ask(b.x)", "`b` would");
    refused("b.x = twice(b.x);", "twice(b.x)", "`b` would");
    refused(
        "a.x = tell(a.x);",
        "tell(a.x)",
        "`a` would make this call of `tell`, which `s` runs",
    );
    refused(
        "for i in S { s[i].x = ask(s[i].x); }",
        "ask(s[i].x)",
        "`s` would",
    );
    refused("if ask(b.x) > 0 { a.x = 1; }", "ask(b.x)", "`b` would");
    refused(
        "while ask(b.limit) > 0 { b.x = 1; }",
        "ask(b.limit)",
        "`b` would",
    );
    refused("b.x = roll(b.x);", "roll(b.x)", "`b` would");
    refused("requires ask(b.x) > 0; a.x = 1;", "ask(b.x)", "`b` would");
    refused(
        "match ask(b.x) > 0 { true => { a.x = 1; } false => {} }",
        "ask(b.x)",
        "`b` would",
    );
}
