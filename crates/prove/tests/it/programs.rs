//! Classic sequential programs, proved as they stand.

use crate::prover::open;

#[test]
fn search() {
    let text = r"choreography search(s: seq<int>, x: int) {
    endpoint me { var lo: int = 0; var hi: int = s.len(); var at: option<int> = none; }
    requires forall a, b in 0..s.len() where a <= b :: s[a] <= s[b];
    ensures me.at is none ==> forall i in 0..s.len() :: s[i] != x;
    ensures me.at is some(_) ==> me.at.unwrap() in 0..s.len() && s[me.at.unwrap()] == x;
    while me.lo < me.hi && me.at == none
        invariant 0 <= me.lo && me.lo <= me.hi && me.hi <= s.len()
        invariant forall i in 0..me.lo :: s[i] < x
        invariant forall i in me.hi..s.len() :: s[i] > x
        invariant me.at is some(_) ==> me.at.unwrap() in 0..s.len() && s[me.at.unwrap()] == x
        decreases if me.at == none { me.hi - me.lo + 1 } else { 0 }
    {
        let mid = (me.lo + me.hi) / 2;
        if s[mid] == x { me.at = some(mid); }
        else if s[mid] < x { me.lo = mid + 1; }
        else { me.hi = mid; }
    }
}";
    assert_eq!(open(text), Vec::<String>::new());
}

#[test]
fn maximum() {
    let text = r"choreography maximum(s: seq<int>) {
    endpoint me { var best: int = 0; }
    requires !s.is_empty();
    ensures me.best in s && forall x in s :: x <= me.best;
    me.best = s[0];
    for i in 1..s.len()
        invariant exists j in 0..i :: s[j] == me.best
        invariant forall j in 0..i :: s[j] <= me.best
    {
        if s[i] > me.best { me.best = s[i]; }
    }
}";
    assert_eq!(open(text), Vec::<String>::new());
}

#[test]
fn unite() {
    let text = r"choreography unite(a: seq<int>, b: seq<int>) {
    endpoint me { var u: set<int> = {}; }
    ensures me.u == a.to_set() | b.to_set();
    for i in 0..a.len() invariant me.u == { a[j] for j in 0..i } {
        me.u = me.u.with(a[i]);
    }
    for i in 0..b.len() invariant me.u == a.to_set() | { b[j] for j in 0..i } {
        me.u = me.u.with(b[i]);
    }
}";
    assert_eq!(open(text), Vec::<String>::new());
}

#[test]
fn reverse() {
    let text = r"choreography reverse(s: seq<int>) {
    endpoint me { var r: seq<int> = []; }
    ensures me.r.len() == s.len() && forall i in 0..s.len() :: me.r[i] == s[s.len() - 1 - i];
    for i in 0..s.len()
        invariant me.r.len() == i
        invariant forall k in 0..i :: me.r[k] == s[s.len() - 1 - k]
    {
        me.r = me.r.push(s[s.len() - 1 - i]);
    }
}";
    assert_eq!(open(text), Vec::<String>::new());
}

#[test]
fn root() {
    let text = r"choreography root(n: nat) {
    endpoint me { var r: int = 0; }
    ensures me.r * me.r <= n && n < (me.r + 1) * (me.r + 1);
    while (me.r + 1) * (me.r + 1) <= n
        invariant me.r >= 0 && me.r * me.r <= n
        decreases n - me.r
    {
        me.r = me.r + 1;
    }
}";
    assert_eq!(open(text), Vec::<String>::new());
}

#[test]
fn distinct() {
    let text = r"choreography distinct(s: seq<int>) {
    endpoint me { var seen: set<int> = {}; var twice: bool = false; }
    ensures me.twice <==> exists i, j in 0..s.len() :: i < j && s[i] == s[j];
    for i in 0..s.len()
        invariant me.seen == { s[j] for j in 0..i }
        invariant me.twice <==> exists j, k in 0..i :: j < k && s[j] == s[k]
    {
        if s[i] in me.seen { me.twice = true; }
        me.seen = me.seen.with(s[i]);
    }
}";
    assert_eq!(open(text), Vec::<String>::new());
}

#[test]
fn sorting() {
    let text = r"choreography sorting(given: seq<int>) {
        endpoint me { var s: seq<int> = given; var j: int = 0; }
        ensures forall a, b in 0..me.s.len() where a <= b :: me.s[a] <= me.s[b];
        ensures me.s.to_bag() == given.to_bag();
        for i in 0..given.len()
            invariant me.s.len() == given.len()
            invariant forall a, b in 0..i where a <= b :: me.s[a] <= me.s[b]
            invariant me.s.to_bag() == given.to_bag()
        {
            me.j = i;
            while me.j > 0 && me.s[me.j - 1] > me.s[me.j]
                invariant 0 <= me.j && me.j <= i
                invariant me.s.len() == given.len()
                invariant forall a, b in 0..(i + 1) where a <= b && b != me.j :: me.s[a] <= me.s[b]
                invariant forall b in (me.j + 1)..(i + 1) :: me.s[me.j] <= me.s[b]
                invariant me.s.to_bag() == given.to_bag()
                decreases me.j
            {
                let t = me.s[me.j];
                me.s = me.s.update(me.j, me.s[me.j - 1]).update(me.j - 1, t);
                me.j = me.j - 1;
            }
        }
    }";
    assert_eq!(open(text), Vec::<String>::new());
}
