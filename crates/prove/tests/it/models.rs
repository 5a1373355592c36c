//! Instances that are chosen by models, and by nothing else.

use crate::prover::open_in;

/// The step of instances by models.
const ALONE: (usize, Option<usize>) = (4, Some(5));

/// Those of instances by their shape.
const BY_SHAPE: (usize, Option<usize>) = (2, Some(4));

/// Nothing is read at `m`, so nothing suggests it; only the values do.
fn nowhere_below(requires: &str) -> String {
    format!(
        "choreography nowhere(s: seq<bool>, m: int, p: int, q: bool) {{
    endpoint me {{ var x: int = 0; }}
    requires 0 <= m && m < s.len() && 0 <= p && p < s.len() && s[p] == q;
    requires forall i in 0..s.len() :: s[i] || i < m;
    requires forall i in 0..s.len() :: {requires};
    ensures me.x == 1;
}}"
    )
}

#[test]
fn terms_that_nothing_is_read_at() {
    let text = nowhere_below("!s[i]");
    let open = |(skipped, steps)| open_in(&text, skipped, steps);
    let goal = "line/ensures: me.x == 1".to_owned();
    assert!(open(BY_SHAPE).contains(&goal), "{:?}", open(BY_SHAPE));
    assert!(!open(ALONE).contains(&goal), "{:?}", open(ALONE));
}

#[test]
fn what_does_not_follow_stays_open() {
    let text = nowhere_below("!s[i] || i == m");
    let (skipped, steps) = ALONE;
    assert_eq!(open_in(&text, skipped, steps).len(), 1);
}

#[test]
fn loops_over_a_sequence() {
    let text = r"choreography maximum(s: seq<int>) {
    endpoint me { var best: int = 0; }
    requires !s.is_empty();
    ensures forall i in 0..s.len() :: s[i] <= me.best;
    me.best = s[0];
    for i in 1..s.len()
        invariant forall j in 0..i :: s[j] <= me.best
    {
        if s[i] > me.best { me.best = s[i]; }
    }
}";
    let (skipped, steps) = ALONE;
    assert_eq!(open_in(text, skipped, steps), Vec::<String>::new());
}
