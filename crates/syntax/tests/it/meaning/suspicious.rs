//! Accepted programs with one warning, at a marked place.

use super::{Marked, check_marked};
use plainsong_syntax::compile;

const ROWS: &[(&str, &str)] = &[
    ("never-sent", "message «M»; process p { receive M; }"),
    ("never-received", "message «M»; process p { send M to p; }"),
    ("unused-message", "message «M»; process p { }"),
    ("unused-local", "process p { let «x» = 1; }"),
    (
        "unused-local",
        "process p { assert true; var «x» = 1; x += 1; }",
    ),
    ("unused-local", "fn f() -> int { let «x» = 1; 2 }"),
    (
        "unreachable-statement",
        "process p { loop { break; «assert true;» } }",
    ),
    (
        "unreachable-statement",
        "process p { loop { } «assert true;» assert false; }",
    ),
    (
        "unreachable-statement",
        "process p { while true { } «assert true;» }",
    ),
    (
        "unreachable-statement",
        "process p { loop { if true { break; } else { continue; } «assert true;» } }",
    ),
    (
        "unreachable-arm",
        "fn f(n: int) -> int { match n { _ => 1, «0» => 2 } }",
    ),
    (
        "unreachable-arm",
        "fn f(o: option<bool>) -> int { match o { none => 1, some(_) => 2, «some(true)» => 3 } }",
    ),
    (
        "like-a-variant",
        "enum V { Yes, No } fn f(v: V) -> int { match v { Yes => 1, «Noo» => 2 } }",
    ),
    (
        "like-a-variant",
        "process server { } fn f(p: process) -> bool { p is «Server» }",
    ),
    (
        "overlapping-handlers",
        "message M; process p { on M { } on «M from any p» { } } init { send M to p; }",
    ),
    (
        "idle-daemon",
        "message M; «daemon» process p { on M { } } init { send M to p; }",
    ),
    ("idle-daemon", "«daemon» process p { loop { } }"),
];

#[test]
fn warnings() {
    check_marked(ROWS);
}

#[test]
fn a_warning_does_not_reject() {
    for (_, marked) in ROWS {
        assert!(
            compile(&Marked::new(marked).text).song.is_some(),
            "{marked}"
        );
    }
}

#[test]
fn names_that_begin_with_an_underscore_may_be_unused() {
    super::compile_clean("process p { let _x = 1; for i in 0..3 { } }");
}
