//! After syntax errors: what was understood is checked, and nothing is reported that follows from
//! what was not.

use plainsong_syntax::compile;

fn codes(text: &str) -> Vec<&'static str> {
    compile(text)
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code.name)
        .collect()
}

#[test]
fn names_of_a_broken_item_count_as_declared() {
    let text =
        "sort Node ordred;\nmessage M(n: Node) via;\nprocess p { receive M(n); assert n == n; }";
    assert!(
        codes(text).iter().all(|code| *code == "unexpected-token"),
        "{:?}",
        codes(text)
    );
}

#[test]
fn sound_items_beside_a_broken_one_are_checked() {
    let found = codes("fn f( -> int { 1 }\nfn g() -> int { true }");
    assert!(found.contains(&"unexpected-token"), "{found:?}");
    assert!(found.contains(&"type-mismatch"), "{found:?}");
}

#[test]
fn a_misspelt_keyword_does_not_make_its_name_unknown() {
    let found = codes("proces server { }\nmessage M;\nprocess p { send M to server; }");
    assert!(!found.contains(&"unknown-name"), "{found:?}");
}

#[test]
fn warnings_about_messages_wait_for_a_sound_file() {
    let found = codes("message M;\nprocess p { receive M\n");
    assert!(!found.contains(&"never-sent"), "{found:?}");
}

#[test]
fn an_unknown_name_silences_what_depends_on_it() {
    for text in [
        "fn f() -> int { let x = nowhere; x + x.y - x[1].z.len() }",
        "process p { var n = nowhere; n = n + 1; if n { n = true; } assert n; }",
        "fn f() -> int { nowhere(none, {}, []).field }",
        "process p { for x in nowhere { assert x; assert x == 1; } }",
        "fn f() -> int { match nowhere { some(x) => x + 1, Yes(y) => y, (a, b) => a } }",
        "fn f() -> bool { forall x in nowhere :: x.a < x.b && {x} == {} }",
    ] {
        assert_eq!(codes(text), ["unknown-name"], "{text}");
    }
}

#[test]
fn a_mismatch_settles_what_was_open() {
    assert_eq!(
        codes("fn f(n: int) -> bool { n == none }"),
        ["type-mismatch"]
    );
    assert_eq!(
        codes("fn f(n: int) -> bool { let x: int = {}; x == n }"),
        ["type-mismatch"]
    );
    assert_eq!(
        codes("process p { assert true; var x = 1; x = none; }"),
        ["type-mismatch"]
    );
}
