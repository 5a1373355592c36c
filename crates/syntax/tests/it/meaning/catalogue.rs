//! The catalogue of codes.

use plainsong_syntax::all_codes;
use std::collections::BTreeSet;

#[test]
fn names_are_unique_and_well_formed() {
    let codes = all_codes();
    let names: BTreeSet<&str> = codes.iter().map(|code| code.name).collect();
    assert_eq!(names.len(), codes.len(), "a name is used twice");
    for name in names {
        assert!(
            name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'),
            "{name}"
        );
    }
}

#[test]
fn every_code_explains_itself() {
    for code in all_codes() {
        assert!(!code.title.ends_with('.'), "{}: {}", code.name, code.title);
        let words = code.explanation.split_whitespace().count();
        assert!(
            words >= 10,
            "{} explains itself in {words} words",
            code.name
        );
        assert_eq!(
            code.explanation.matches("```").count() % 2,
            0,
            "{}",
            code.name
        );
    }
}
