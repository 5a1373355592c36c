//! The facts about sums, as goals: each follows, and none of its neighbours that is false does.

use crate::prover::open;

fn holds(params: &str, requires: &str, claim: &str) -> bool {
    let text = format!(
        "choreography c({params}) {{
            endpoint me {{ var n: int = 0; }}
            requires {requires};
            assert {claim};
        }}"
    );
    let open = open(&text);
    assert!(
        open.iter().all(|one| one.starts_with("statement/assert")),
        "{open:?}"
    );
    open.is_empty()
}

#[test]
fn sizes_of_sets() {
    let sets = "a: set<int>, b: set<int>, x: int";
    assert!(holds(sets, "true", "a.len() >= 0"));
    assert!(holds(sets, "a.is_empty()", "a.len() == 0"));
    assert!(holds(sets, "a.len() == 0", "!(x in a)"));
    assert!(holds(sets, "!(x in a)", "a.with(x).len() == a.len() + 1"));
    assert!(holds(sets, "x in a", "a.with(x).len() == a.len()"));
    assert!(holds(sets, "x in a", "a.without(x).len() == a.len() - 1"));
    assert!(holds(sets, "a.subset(b)", "a.len() <= b.len()"));
    assert!(holds(sets, "a.subset(b) && a.len() == b.len()", "a == b"));
    assert!(holds(
        sets,
        "(a & b).is_empty()",
        "(a | b).len() == a.len() + b.len()"
    ));
    assert!(!holds(sets, "true", "(a | b).len() == a.len() + b.len()"));
    assert!(!holds(sets, "a.len() == b.len()", "a == b"));
    assert!(!holds(sets, "true", "a.with(x).len() == a.len() + 1"));
}

#[test]
fn sizes_of_ranges_and_sorts() {
    let ints = "a: int, b: int";
    assert!(holds(ints, "a <= b", "(a..b).len() == b - a"));
    assert!(holds(ints, "b < a", "(a..b).len() == 0"));
    assert!(!holds(ints, "true", "(a..b).len() == b - a"));
}

#[test]
fn sums_over_ranges() {
    let row = "s: seq<int>, n: int, x: int";
    let inside = "0 <= n && n < s.len()";
    assert!(holds(
        row,
        inside,
        "(sum i in 0..(n + 1) :: s[i]) == (sum i in 0..n :: s[i]) + s[n]"
    ));
    assert!(holds(
        row,
        inside,
        "(sum i in 0..s.len() :: s.update(n, x)[i]) == (sum i in 0..s.len() :: s[i]) - s[n] + x"
    ));
    assert!(holds(row, "true", "(sum i in 0..0 :: s[i]) == 0"));
    assert!(!holds(
        row,
        inside,
        "(sum i in 0..(n + 1) :: s[i]) == (sum i in 0..n :: s[i]) + x"
    ));
}

#[test]
fn bags_and_sequences() {
    let both = "b: bag<int>, s: seq<int>, x: int";
    assert!(holds(both, "true", "b.with(x).len() == b.len() + 1"));
    assert!(holds(both, "x in b", "b.without(x).len() == b.len() - 1"));
    assert!(holds(
        both,
        "true",
        "s.push(x).to_bag() == s.to_bag().with(x)"
    ));
    assert!(holds(both, "true", "s.push(x).drop_last() == s"));
    assert!(holds(both, "true", "([x] + s).drop_first() == s"));
    assert!(!holds(both, "true", "s.push(x).to_bag() == s.to_bag()"));
    assert!(!holds(both, "x in b", "b.without(x).len() == b.len()"));
}
