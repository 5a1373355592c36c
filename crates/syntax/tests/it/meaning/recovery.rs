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

/// Every program with one of its words misspelt where it first stands: all that goes wrong with it is
/// said once of each place.
#[test]
fn no_place_is_reported_twice() {
    for (path, text) in crate::corpus::songs("songs") {
        for misspelt in misspellings(&text) {
            let mut seen = std::collections::HashSet::new();
            for found in compile(&misspelt).diagnostics {
                let place = (found.code.name, found.primary.span);
                assert!(
                    seen.insert((place, found.message.clone())),
                    "{}: {} twice at `{}` in\n{misspelt}",
                    path.display(),
                    found.code.name,
                    found.primary.span.slice(&misspelt)
                );
            }
        }
    }
}

/// `text` with the first occurrence of one word changed, for each word behind the header.
fn misspellings(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let header = text.find("\n\n").unwrap_or(0);
    let (header, code) = text.split_at(header);
    let mut words: Vec<&str> = code
        .split(|c| !is_part(c))
        .filter(|word| word.starts_with(char::is_alphabetic))
        .collect();
    words.sort_unstable();
    words.dedup();
    words
        .into_iter()
        .map(|word| format!("{header}{}", code.replacen(word, "zzz", 1)))
        .collect()
}

#[test]
fn an_unknown_name_is_reported_at_each_of_its_places() {
    let text = "const A: nat = zork;\nprocess p { var v: nat = zork; assert v == zork + A; }";
    assert_eq!(codes(text), ["unknown-name"; 3]);
}
