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

#[test]
fn functions_that_are_changed_at_single_places() {
    let holds = |requires: &str, claim: &str| {
        let text = format!(
            "sort Id;
            sort Place = 0..;
            choreography c(m: map<Id, map<Id, int>>, r: map<Place, int>, a: Id, b: Id, p: Place) {{
                endpoint me {{ var n: int = 0; }}
                requires {requires};
                assert {claim};
            }}"
        );
        open(&text).is_empty()
    };
    let one_more = "(if i == a && j == b { 1 } else { 0 })";
    let both = format!("(sum i: Id, j: Id :: m[i][j] + {one_more})");
    let plain = "(sum i: Id, j: Id :: m[i][j])";
    assert!(holds("true", &format!("{both} == {plain} + 1")));
    assert!(!holds("true", &format!("{both} == {plain}")));
    // A place that is singled out twice, and one that counts only on a condition.
    assert!(holds(
        "true",
        "(sum i: Id :: (if i == a { 2 } else { 0 }) - (if i == b { 2 } else { 0 })) == 0"
    ));
    assert!(holds(
        "a != b",
        "(sum i: Id :: (if i == a && a == b { 1 } else { 0 })) == 0"
    ));
    assert!(!holds(
        "true",
        "(sum i: Id :: (if i == a && a == b { 1 } else { 0 })) == 0"
    ));
    // Numbers: what is equal to the place is solved for it, and it has to be one.
    let at = |place: &str| format!("(sum q: Place :: (if {place} {{ r[p] }} else {{ 0 }}))");
    assert!(holds("true", &format!("{} == r[p]", at("q == p"))));
    assert!(holds("p > 0", &format!("{} == r[p]", at("q + 1 == p"))));
    assert!(!holds("true", &format!("{} == r[p]", at("q + 1 == p"))));
    assert!(!holds("true", &format!("{} == r[p]", at("r[q] == p"))));
    assert!(!holds("true", &format!("{} == r[p]", at("2 * q == p"))));
    // Truth values are written out.
    assert!(holds(
        "true",
        "(sum i: Id, yes: bool :: m[i][if yes { a } else { b }]) == (sum i: Id :: m[i][a] + m[i][b])"
    ));
}
