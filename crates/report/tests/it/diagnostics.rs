//! Diagnostics on the terminal and in the stream.

use crate::plain;
use expect_test::expect;
use plainsong_diagnostics::{Diagnostic, Span, declare_codes};
use plainsong_report::{Text, diagnostic, diagnostics, stream};

declare_codes! {
    /// A name nothing declares.
    UNKNOWN_NAME = "unknown-name", "a name is used but not declared", "…";
}

const SOURCE: Text<'static> = Text {
    name: "demo.song",
    text: "message Vote(yes: bool);\n\nprocess coordinator {\n    receive Vot(yes) from any db;\n}\n",
};

fn misspelt() -> Diagnostic {
    let start = SOURCE.text.find("Vot(").expect("it is there") as u32;
    Diagnostic::error(
        &UNKNOWN_NAME,
        Span::new(start, start + 3),
        "there is no message `Vot`",
    )
    .label("not declared")
    .also(Span::new(8, 12), "`Vote` is declared here")
    .help("did you mean `Vote`?")
    .fix(
        "write `Vote`",
        vec![(Span::new(start, start + 3), "Vote".to_owned())],
    )
}

#[test]
fn labels_help_and_fix() {
    expect![[r#"
        error[unknown-name]: there is no message `Vot`
         --> demo.song:4:13
          |
        1 | message Vote(yes: bool);
          |         ---- `Vote` is declared here
        ...
        4 |     receive Vot(yes) from any db;
          |             ^^^ not declared
          |
          = help: did you mean `Vote`?
        help: write `Vote`
          |
        4 |     receive Vote(yes) from any db;
          |                +"#]]
    .assert_eq(&plain(&diagnostic(SOURCE, &misspelt())));
}

#[test]
fn the_same_as_json() {
    expect![[r#"
        {"event":"diagnostic","file":"demo.song","code":"unknown-name","severity":"error","message":"there is no message `Vot`","labels":[{"start":60,"end":63,"line":4,"column":13,"text":"not declared"},{"start":8,"end":12,"line":1,"column":9,"text":"`Vote` is declared here"}],"help":"did you mean `Vote`?","fix":{"title":"write `Vote`","edits":[{"start":60,"end":63,"text":"Vote"}]}}
    "#]].assert_eq(&stream::diagnostic(SOURCE, &misspelt()).line());
}

#[test]
fn places_outside_the_text_and_inside_a_character_do_not_matter() {
    let source = Text {
        name: "é.song",
        text: "é",
    };
    for (start, end) in [(0, 0), (1, 1), (1, 900), (2, 2), (900, 901), (5, 3)] {
        let odd = Diagnostic::warning(&UNKNOWN_NAME, Span::new(start, end), "odd")
            .also(Span::new(700, 2), "odder")
            .fix("mend it", vec![(Span::new(start, end), "x".to_owned())]);
        assert!(plain(&diagnostic(source, &odd)).contains("warning[unknown-name]: odd"));
    }
}

#[test]
fn many_are_counted_and_huge_lines_are_cut() {
    let text = "x".repeat(3_000_000);
    let source = Text {
        name: "huge.song",
        text: &text,
    };
    let one = |at: u32| Diagnostic::error(&UNKNOWN_NAME, Span::new(at, at + 1), "there is no `x`");
    let all: Vec<Diagnostic> = (0..200).map(|number| one(number * 10_000)).collect();
    let shown = plain(&diagnostics(source, &all));
    assert!(shown.ends_with("… and 150 more in huge.song\n\n"));
    assert!(shown.len() < 100_000, "{} bytes", shown.len());
}
