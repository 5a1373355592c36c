//! Why something is not proved, and what a proof takes for granted.

use crate::stage::Stage;

const TOO_WEAK: &str = "\
choreography sum(n: nat) {
    endpoint me {
        var i: int = 0;
        var total: int = 0;
    }
    ensures me.total >= 0;
    while me.i < n invariant INVARIANT decreases n - me.i {
        me.total = me.total + me.i;
        me.i = me.i + 1;
    }
}
";

#[test]
fn a_state_that_the_invariant_should_not_allow_is_named_and_looked_up() {
    let stage = Stage::new();
    stage.write("weak.song", TOO_WEAK.replace("INVARIANT", "me.i <= n"));
    let told = stage.run(&["prove", "weak.song"]);
    for part in [
        "not inductive: at `while me.i < n` the invariants allow n = ",
        "from there ensures me.total >= 0 is false",
        "no run comes to that state",
        "the invariant is too weak",
        "me.total = 0; with n = ",
        "the invariant has to keep these",
    ] {
        assert!(told.out.contains(part), "{part}: {}", told.out);
    }
    let strong = "me.i <= n && me.i >= 0 && me.total >= 0";
    stage.write("strong.song", TOO_WEAK.replace("INVARIANT", strong));
    let told = stage.run(&["prove", "strong.song"]);
    assert!(!told.out.contains("not inductive"), "{}", told.out);
    assert!(told.out.contains("2 fine"), "{}", told.out);
}

#[test]
fn answers_of_several_machines_are_trusted_to_be_alike() {
    let stage = Stage::new();
    let song = |body: &str| {
        format!(
            "sort S;\nextern fn toss(n: nat) -> int ensures true;\nextern fn ask(n: nat, who: S) -> int ensures true;\n\
             fn twice(n: nat) -> int {{ 2 * toss(n) }}\n\
             choreography both(n: nat) {{\n    endpoint a {{ var r: int = 0; }}\n    endpoint b {{ var r: int = 0; }}\n    \
             endpoint s[i: S] {{ var r: int = 0; }}\n{body}\n}}\n"
        )
    };
    let alike = "is trusted to answer alike at";
    for (body, expected) in [
        (
            "ensures a.r == b.r; a.r = toss(n); b.r = toss(n);",
            "`toss` is trusted to answer alike at `a` and `b` where",
        ),
        (
            "ensures 2 * a.r == b.r; a.r = toss(n); b.r = twice(n);",
            "`toss` is trusted to answer alike at `a` and `b` where",
        ),
        (
            "ensures a.r == 0; for i in S invariant a.r == 0 { s[i].r = toss(n); }",
            "`toss` is trusted to answer alike at every `s` where",
        ),
        (
            "ensures a.r == b.r; if toss(n) > 0 { a.r = 1; b.r = a.r; }",
            "external functions are trusted to answer everybody alike: every endpoint that comes here would make this call",
        ),
        ("ensures a.r == b.r; a.r = toss(n); b.r = a.r;", ""),
        ("ensures a.r == a.r; for i in S { s[i].r = ask(n, i); }", ""),
    ] {
        stage.write("toss.song", song(body));
        // The second time from the cache.
        for _ in 0..2 {
            let told = stage.run(&["prove", "toss.song"]);
            assert!(told.out.contains("proved     both"), "{body}\n{}", told.out);
            match expected {
                "" => assert!(!told.out.contains(alike), "{body}\n{}", told.out),
                _ => assert!(told.out.contains(expected), "{body}\n{}", told.out),
            }
        }
    }
}

#[test]
fn contracts_of_external_functions_are_trusted_and_runs_choose_among_what_they_allow() {
    let stage = Stage::new();
    let text = "\
extern fn digest(n: int) -> int
    ensures result >= 0;
extern fn nothing(n: int) -> int
    ensures result > n && result < n;

lemma positive(n: int)
    ensures digest(n) >= 0
{}

lemma anything(n: int)
    ensures nothing(n) == 7
{}
";
    stage.write("external.song", text);
    let told = stage.run(&["prove", "external.song"]);
    for part in [
        "the contract of the external function `digest` is trusted",
        "the contract is refuted: nothing satisfies it for `nothing(",
    ] {
        assert!(told.out.contains(part), "{part}: {}", told.out);
    }
    assert!(told.out.contains("proved     positive"), "{}", told.out);
    assert!(told.out.contains("unknown    anything"), "{}", told.out);
    let told = stage.run(&["explore", "external.song"]);
    let row = |name: &str| {
        let mut rows = told.out.lines();
        let row = rows.find(|row| row.split_whitespace().nth(1) == Some(name));
        row.unwrap_or_default().trim().to_owned()
    };
    assert!(row("positive").starts_with("holds"), "{}", told.out);
    assert!(row("positive").contains("external=any"), "{}", told.out);
    assert!(row("anything").starts_with("unknown"), "{}", told.out);
    let part = "no value within the bounds satisfies the contract of `nothing`";
    assert!(row("anything").contains(part), "{}", told.out);
}

#[test]
fn code_that_nothing_reaches_and_contracts_that_nothing_satisfies_are_told() {
    let stage = Stage::new();
    let text = "\
choreography never_taken(n: int) {
    endpoint me {
        var i: int = 0;
    }
    requires n < 0;
    ensures me.i == 0;
    while me.i < n invariant me.i == 0 decreases n - me.i {
        me.i = me.i + 1;
    }
}

choreography impossible(n: int) {
    endpoint me {
        var i: int = 0;
    }
    requires n < 0 && n > 0;
    ensures me.i == 7;
}
";
    stage.write("vacuous.song", text);
    let told = stage.run(&["prove", "vacuous.song"]);
    for part in [
        "vacuous: no round of this loop is ever taken: `me.i < n`",
        "vacuous: nothing satisfies `requires`",
    ] {
        assert!(told.out.contains(part), "{part}: {}", told.out);
    }
    assert!(told.out.contains("4 fine"), "{}", told.out);
}

#[test]
fn a_branch_that_no_execution_takes_is_told_once() {
    let stage = Stage::new();
    let line = |requires: &str, body: &str| {
        format!(
            "choreography line(k: int, p: bool) {{
    endpoint a {{ var x: int = k; var y: int = 0; }}
    endpoint b {{ var x: int = k; var y: int = 0; }}
    requires {requires};
    ensures a.y >= 0;
    {body}
}}
"
        )
    };
    let never_false = "vacuous: this is never false where it is asked: ";
    let never_true = "vacuous: this is never true where it is asked: ";
    let both = "if a.x > 0 && b.x > 0 { a.y = 1; } else { b.y = 1; }";
    let inner = "if a.x < 0 && b.x < 0 { if p { a.y = 1; } else { b.y = 1; } }";
    let nobody = "nothing satisfies `requires`";
    let cases: [(&str, &str, &[&str]); 7] = [
        ("k > 0", both, &[never_false]),
        ("k < 0", both, &[never_true]),
        ("k < 2", both, &[]),
        // Nothing is done where there is no `else`.
        ("k > 0", "if a.x > 0 && b.x > 0 { a.y = 1; }", &[]),
        // What lies in a branch that nobody takes goes without saying, also behind an impossible beginning.
        ("k > 0", inner, &[never_true]),
        ("k > 0 && k < 0", both, &[nobody]),
        // Where several ways lead to a condition, one that takes the branch is enough.
        (
            "k > 0",
            "for i in 0..2 invariant a.y >= 0 { if i == 1 { a.y = 1; } else { b.y = 1; } }",
            &[],
        ),
    ];
    for (requires, body, notes) in cases {
        stage.write("a.song", line(requires, body));
        for verb in ["prove", "check"] {
            let told = stage.run(&[verb, "a.song"]).exits(0);
            let count = told.out.matches("vacuous: ").count();
            assert_eq!(count, notes.len(), "{requires} {body}: {}", told.out);
            for note in notes {
                assert!(told.out.contains(note), "{requires} {body}: {}", told.out);
            }
        }
    }
}

/// A number that no earlier run has seen: nothing about it is remembered.
fn unseen() -> u128 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.expect("after 1970").as_nanos()
}

const ASSUMES: &str = "\
choreography sum(n: nat) {
    endpoint me {
        var i: int = 0;
        var total: int = 0;
    }
    while me.i < n invariant me.i >= 0 && me.total >= 0 decreases n - me.i {
        me.total = me.total + me.i;
        me.i = me.i + 1;
    }
    assert me.total + NUMBER >= 0;
";

#[test]
fn what_is_vacuous_is_said_whether_the_rest_was_known_or_not() {
    let stage = Stage::new();
    let song = |number: u128, end: &str| {
        let text = ASSUMES.replace("NUMBER", &(number % 1_000_000_000_000).to_string());
        format!("{text}{end}}}\n")
    };
    let (one, other) = (unseen(), unseen() + 1);
    let assumption = "    assume me.total < 0;\n";
    // Everything but whether the assumption can hold is found again.
    stage.write("a.song", song(one, ""));
    stage.run(&["prove", "a.song"]).exits(0);
    stage.write("a.song", song(one, assumption));
    let notes = || {
        let told = stage.run(&["prove", "a.song"]).exits(0);
        let notes = told.out.lines().filter(|line| line.starts_with("  note"));
        notes.map(|line| format!("{line}\n")).collect::<String>()
    };
    let (edited, again) = (notes(), notes());
    stage.write("a.song", song(other, assumption));
    let cold = notes();
    assert!(
        cold.contains("vacuous: nothing satisfies this assumption here: `me.total < 0`"),
        "{cold}"
    );
    assert_eq!(edited, cold);
    assert_eq!(again, cold);
}

#[test]
fn a_second_solver_is_asked_about_refinement_too() {
    let stage = Stage::with(
        "\
sort Node;

var held: map<Node, int> = map n: Node => 0;

both action add(n: Node, by: int) { held[n] = held[n] + by; }
",
    );
    let plain = stage.run(&["refine", "a.song", "--json"]);
    assert!(!plain.out.contains("second solver"), "{}", plain.out);
    let told = stage.run(&["refine", "a.song", "--recheck", "--json"]);
    let said = "of all that is shown, a second solver says the same of ";
    assert!(told.out.contains(said), "{}", told.out);
    assert!(!told.out.contains("says the same of 0"), "{}", told.out);
}

/// The run that shows that a procedure is not its action tells of each step only the fields that changed.
#[test]
fn a_run_of_a_layer_tells_what_changed_at_any_depth() {
    let stage = Stage::with(
        "\
struct Cell { val: int, log: seq<int> }

sort Tid;
var m: map<Tid, Cell> = map t: Tid => Cell { val: 0, log: [1] } @ 0..2;
both action raise(linear t: Tid, by: int) @ 1 { m[t].val += by; m[t].log = m[t].log.push(by); }
procedure p(linear t: Tid) @ 1 refines TEN {
    call raise(t, 4);
    call raise(t, 5);
}
atomic action TEN(linear t: Tid) @ 2 { m[t].val += 10; m[t].log = m[t].log.push(4).push(5); }
init { for t in Tid { async p(t); } }
",
    );
    let ran = stage.run(&["refine", "a.song"]).exits(1);
    for step in [
        "raise(Tid#0, 4)  m[Tid#0].val = 4, m[Tid#0].log += [4]",
        "raise(Tid#0, 5)  m[Tid#0].val = 9, m[Tid#0].log += [5]",
    ] {
        assert!(ran.out.contains(step), "{}", ran.out);
    }
}

#[test]
fn the_program_of_a_layer_is_printed_by_number_and_by_name() {
    let stage = Stage::with(
        "\
layers machine, counter;

var x: int = 0 @ 0..counter;

both action add() -> now: int @ machine { x += 1; now = x; }

procedure inc() @ machine refines INC { let now = call add(); }

atomic action INC() @ counter { x += 1; }

procedure twice() @ counter { call inc(); yield; call inc(); }

init { async twice(); }
",
    );
    let by = |layer: &str| stage.run(&["refine", "a.song", "--emit", "--layer", layer]);
    let (named, numbered) = (by("counter"), by("2"));
    assert!(named.out.contains("call INC();"), "{}", named.out);
    let program = |told: &str| told.split_once("\n\n").map(|(_, text)| text.to_owned());
    assert_eq!(program(&named.out), program(&numbered.out));
    for wrong in ["0", "4", "counters"] {
        let told = by(wrong);
        assert_eq!(told.code, 3, "{}", told.out);
        let help = "the layers are 1 to 3; by name: machine, counter";
        assert!(told.err.contains(help), "{}", told.err);
    }
}

#[test]
fn every_obligation_of_a_refinement_is_explained_once() {
    let stage = Stage::with(
        "\
sort Tid;

linear var free: set<Tid> = Tid @ 0..1;

right action draw() -> linear t: Tid @ 1 { t = choose free; free = free.without(t); }

invariant fine() @ 1 { true }

procedure work() @ 1 preserves fine() { let t = call draw(); yield fine(); }

init { async work(); }
",
    );
    let told = stage.run(&["refine", "a.song", "--explain"]).exits(0).out;
    for part in [
        "draw: mover/commutativity: what `draw` and then `draw` of another thread lead to, the other order leads to",
        "work: yield/sequential: `work` at layer 1: `fine` holds here (line 9)",
        "work: permission/action: `draw` doubles no permission",
    ] {
        let lines = told.lines().filter(|line| line.contains(part));
        assert_eq!(lines.count(), 1, "{part}: {told}");
    }
    assert!(!told.contains("work, work"), "{told}");
}

#[test]
fn a_layer_that_does_more_is_shown_with_a_run() {
    let stage = Stage::with(
        "\
sort Tid;

var x: int = 0 @ 0..2;

atomic action rd() -> v: int @ 1 { v = x; }

atomic action wr(v: int) @ 1 { x = v; }

atomic action INC(linear t: Tid) @ 2 { x += 1; }

procedure inc(linear t: Tid) @ 1 refines INC {
    let v = call rd();
    yield;
    call wr(v + 1);
    yield;
    assert v >= 0;
}

init {
    for t in Tid { async inc(t); }
}
",
    );
    let told = stage.run(&["refine", "a.song"]).exits(1).out;
    let run = "
               1  inc(Tid#0)  rd()
               2  inc(Tid#1)  rd()
               3  inc(Tid#0)  wr(1)  x = 1
               4  inc(Tid#1)  wr(1)
             layer 2 ends with: x = 2
";
    assert!(told.contains(run), "{told}");
}
