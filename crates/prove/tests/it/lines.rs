//! Small choreographies, one for each rule: what is shown, and what must not be.

use crate::prover::open;

const NOTHING: Vec<String> = Vec::new();

#[test]
fn assignments_and_transfers() {
    let swap = |last: &str| {
        open(&format!(
            "choreography swap(x: int, y: int) {{
                endpoint a {{ var v: int = x; var t: int = 0; }}
                endpoint b {{ var v: int = y; var t: int = 0; }}
                ensures a.v == old(b.v) && b.v == old(a.v);
                a.t = a.v;
                b.t = b.v;
                a.v = b.t;
                b.v = {last};
            }}"
        ))
    };
    assert_eq!(swap("a.t"), NOTHING);
    assert_eq!(swap("b.t"), ["line/ensures: b.v == old(a.v)"]);
}

#[test]
fn definedness_of_every_operation() {
    let after = |statement: &str| {
        open(&format!(
            "choreography c(s: seq<int>, i: int, o: option<int>) {{
                endpoint me {{ var n: int = 0; var k: nat = 0; }}
                {statement}
            }}"
        ))
    };
    assert_eq!(after("me.n = s[i];"), ["expression/defined: s[i]"]);
    assert_eq!(after("if 0 <= i && i < s.len() { me.n = s[i]; }"), NOTHING);
    assert_eq!(after("me.n = 7 / i;"), ["expression/defined: 7 / i"]);
    assert_eq!(after("if i != 0 { me.n = 7 % i; }"), NOTHING);
    assert_eq!(
        after("me.n = o.unwrap();"),
        ["expression/defined: o.unwrap()"]
    );
    assert_eq!(after("if o is some(_) { me.n = o.unwrap(); }"), NOTHING);
    assert_eq!(after("me.k = i;"), ["expression/defined: i"]);
    assert_eq!(after("if i > 3 { me.k = i - 3; }"), NOTHING);
    assert_eq!(
        after("me.n = s.first();"),
        ["expression/defined: s.first()"]
    );
    assert_eq!(after("if !s.is_empty() { me.n = s.max(); }"), NOTHING);
}

#[test]
fn division_goes_towards_zero() {
    let claim = |claim: &str| {
        open(&format!(
            "choreography c(a: int, b: int) {{
                endpoint me {{ var n: int = 0; }}
                requires b != 0;
                assert {claim};
            }}"
        ))
    };
    assert_eq!(claim("a == (a / b) * b + a % b"), NOTHING);
    assert_eq!(
        claim("-7 / 2 == -3 && -7 % 2 == -1 && 7 / -2 == -3"),
        NOTHING
    );
    assert_eq!(claim("a % 2 >= 0"), ["statement/assert: a % 2 >= 0"]);
}

#[test]
fn branches_matches_choices() {
    let text = |bound: &str| {
        format!(
            "enum Kind {{ Plain, Twice(int) }}
            choreography c(k: Kind, x: int) {{
                endpoint me {{ var n: int = 0; }}
                requires x >= 0;
                requires match k {{ Twice(v) => v >= 0, Plain => true }};
                let extra = choose 0..3;
                match k {{
                    Twice(v) => {{ me.n = v + v; }}
                    Plain => {{ maybe {{ me.n = x; }} }}
                }}
                if me.n > 10 {{ me.n = 10; }}
                me.n += extra;
                assert me.n >= 0 && me.n <= {bound};
            }}"
        )
    };
    assert_eq!(open(&text("12")), NOTHING);
    assert_eq!(open(&text("11")), ["statement/assert: me.n <= 11"]);
}

#[test]
fn loops_need_invariants_that_are_kept() {
    let text = |invariant: &str, step: &str| {
        format!(
            "choreography c(n: nat) {{
                endpoint me {{ var i: int = 0; var s: int = 0; }}
                ensures me.s == 3 * n;
                while me.i < n invariant {invariant} decreases n - me.i {{
                    {step}
                    me.s = me.s + 3;
                }}
            }}"
        )
    };
    let good = "me.i <= n && me.s == 3 * me.i";
    assert_eq!(open(&text(good, "me.i = me.i + 1;")), NOTHING);
    let weak = open(&text("me.i <= n", "me.i = me.i + 1;"));
    assert_eq!(weak, ["line/ensures: me.s == 3 * n"]);
    let stuck = open(&text("me.i <= n", ""));
    assert!(
        stuck.contains(&"loop/decreases: n - me.i".to_owned()),
        "{stuck:?}"
    );
    let wrong = open(&text("me.s == 1", "me.i = me.i + 1;"));
    assert!(
        wrong.contains(&"loop/established: me.s == 1".to_owned()),
        "{wrong:?}"
    );
    assert!(
        wrong.contains(&"loop/maintained: me.s == 1".to_owned()),
        "{wrong:?}"
    );
}

#[test]
fn families_for_every_size() {
    let text = |target: &str| {
        format!(
            "sort Db;
            choreography c(vote: map<Db, bool>) {{
                endpoint boss {{ var commit: bool = false; }}
                endpoint db[d: Db] {{ var yes: bool = vote[d]; var done: bool = false; }}
                ensures forall d: Db :: db[d].done ==> old(db[d].yes);
                ensures boss.commit ==> forall d: Db :: db[d].done;
                boss.commit = forall d: Db :: db[d].yes;
                for d in Db {{ db[d].done = {target}; }}
            }}"
        )
    };
    assert_eq!(open(&text("boss.commit")), NOTHING);
    assert_eq!(open(&text("boss.commit || db[d].yes")), NOTHING);
    let wrong = open(&text("true"));
    assert_eq!(
        wrong,
        ["line/ensures: forall d: Db :: db[d].done ==> old(db[d].yes)"]
    );
}

#[test]
fn a_contradiction_is_noticed() {
    let text = "choreography c(n: int) {
        endpoint me { var m: int = 0; }
        requires n > 0;
        requires n < 0;
        assert me.m == 1;
    }";
    assert_eq!(open(text), ["vacuity/reachable: n > 0"]);
}
