//! Each condition that soundness rests on: without it, something false is shown.

use crate::shown;
use plainsong_induct::Condition;

/// For each condition a song, and what is false in it, and proved only without the condition.
const TRAPS: [(Condition, &str, &str); 7] = [
    (
        Condition::Initiation,
        "var x: int = 1; repeat action Same() { x = x; } property zero: always x == 0;",
        "zero",
    ),
    (
        Condition::EveryStepKind,
        "var x: int = 0; repeat action Same() { x = x; } repeat action Up() { x += 1; }
         property zero: always x == 0;",
        "zero",
    ),
    (
        Condition::Defined,
        "var s: seq<int> = [1]; repeat action Clear() { s = []; }
         property first: always s[0] == s[0];",
        "first",
    ),
    (
        Condition::NoCircle,
        "var x: bool = true; var y: bool = true; repeat action Clear() { x = false; y = false; }
         property one: always x; property other: always x && y;",
        "one",
    ),
    (
        Condition::Reopened,
        "var x: int = 0; var y: int = 0; repeat action Up() { x += 1; } repeat action Copy() { y = x; }
         property still: always x == 0; property copied: always y == 0;",
        "copied",
    ),
    (
        Condition::Created,
        "var sent: bool = false; repeat action Send() { sent = true; async Take(); } action Take() { }
         property nothing: always pending(Take()) == 0;",
        "nothing",
    ),
    (
        Condition::Gates,
        "var x: int = 0; repeat action Up() { x += 1; assert x < 3; } property same: always x == x;",
        "assertions",
    ),
];

#[test]
fn without_one_of_the_conditions_something_false_is_shown() {
    for condition in Condition::ALL {
        let (_, text, wrong) = TRAPS
            .iter()
            .find(|(of, ..)| *of == condition)
            .unwrap_or_else(|| panic!("no trap for {condition:?}"));
        let with = shown(text, None);
        assert!(
            !with.iter().any(|name| name == wrong),
            "{condition:?}: {with:?}"
        );
        let without = shown(text, Some(condition));
        assert!(
            without.iter().any(|name| name == wrong),
            "{condition:?}: {without:?}"
        );
    }
}
