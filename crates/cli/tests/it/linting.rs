//! Every rule for choreographies that has a fix: its code, what `--fix` makes of a song, and that nothing is left to
//! say then, while what was promised is still proved.

use crate::stage::Stage;

/// A code, a song that breaks the rule, and lines that `--fix` writes.
type Rule = (&'static str, &'static str, &'static [&'static str]);

const RULES: &[Rule] = &[
    (
        "mixed-endpoints",
        "choreography sum(x: int, y: int) {
    endpoint a { var v: int = x; }
    endpoint b { var v: int = y; }
    ensures a.v == x + y;
    a.v = a.v + b.v;
}
",
        &["a.v_of_b = b.v;", "a.v = a.v + a.v_of_b;"],
    ),
    // Condition 4 of the paper: an argument of a function.
    (
        "mixed-endpoints",
        "fn larger(x: int, y: int) -> int { if x > y { x } else { y } }
choreography most(x: int, y: int) {
    endpoint a { var v: int = x; }
    endpoint b { var v: int = y; }
    ensures a.v >= y && a.v >= x;
    a.v = larger(a.v, b.v);
}
",
        &["a.v_of_b = b.v;", "a.v = larger(a.v, a.v_of_b);"],
    ),
    (
        "mixed-guard",
        "choreography compare(x: int, y: int) {
    endpoint a { var v: int = x; var won: bool = false; }
    endpoint b { var v: int = y; var lost: bool = false; }
    ensures a.won == (x > y) && b.lost == (x > y);
    if a.v > b.v { a.won = true; b.lost = true; }
}
",
        &[
            "a.go = a.v > a.v_of_b;",
            "b.go_2 = a.go;",
            "if a.go && b.go_2",
        ],
    ),
    (
        "uninformed-endpoint",
        "choreography tell(x: int) {
    endpoint a { var v: int = x; }
    endpoint c { var w: int = 0; }
    ensures x > 0 ==> c.w == 1;
    if a.v > 0 { c.w = 1; }
}
",
        &["c.go = a.v > 0;", "if a.v > 0 && c.go"],
    ),
    // One level deeper.
    (
        "uninformed-endpoint",
        "choreography deeper(x: int) {
    endpoint a { var v: int = x; }
    endpoint b { var v: int = x; }
    endpoint c { var w: int = 0; }
    ensures x > 1 ==> c.w == 1;
    if a.v > 0 && b.v > 0 { if a.v > 1 { c.w = 1; } }
}
",
        &["c.go_2 = a.v > 0;", "if a.v > 0 && b.v > 0 && c.go_2"],
    ),
    (
        "hidden-index",
        "sort Server;
choreography lead(k: Server) {
    endpoint a { var leader: Server = k; }
    endpoint server[s: Server] { var leads: bool = false; }
    ensures forall s: Server :: server[s].leads == (s == k);
    server[a.leader].leads = true;
}
",
        &[
            "for m in Server {",
            "server[m].go = a.leader == m;",
            "server[m].leads = true;",
        ],
    ),
    (
        "foreign-argument",
        "choreography put(k: bool) {
    endpoint b { var v: bool = choose bool; }
    ensures b.v == k;
    b.v = k;
}
choreography caller(x: bool) {
    endpoint a { var f: bool = x; }
    endpoint b { var v: bool = false; }
    ensures b.v == x;
    call put(a.f);
}
",
        &[
            "b.go = a.f;",
            "if a.f && b.go {",
            "call put(true)",
            "call put(false)",
        ],
    ),
    // Of a number there are too many values to try. The name of the argument means something already.
    (
        "foreign-argument",
        "choreography put(k: int) {
    endpoint b { var v: int = choose int; }
    ensures b.v == k + 1;
    let more = k + 1;
    b.v = more;
}
choreography caller(x: int) {
    endpoint a { var f: int = x; }
    endpoint c { var v: int = 0; }
    ensures c.v == x + 2 && a.f == x + 1;
    let k = x + 1;
    call put(a.f + 1) with c as b;
    a.f = k;
}
",
        &["let k_2 = a.f + 1;", "let more = k_2 + 1;", "c.v = more;"],
    ),
    // The call writes what the argument reads.
    (
        "foreign-argument",
        "choreography swap(k: nat) {
    endpoint a { var v: nat = choose nat; }
    endpoint b { var v: nat = choose nat; }
    a.v = b.v;
    b.v = k;
}
choreography caller(x: nat, y: nat) {
    endpoint a { var v: nat = x; }
    endpoint b { var v: nat = y; }
    ensures a.v == y && b.v == x;
    call swap(a.v);
}
",
        &["let k = a.v;", "a.v = b.v;", "b.v = k;"],
    ),
    // Who plays is known to one only.
    (
        "foreign-argument",
        "sort Node;
choreography mark() {
    endpoint b { var v: bool = choose bool; }
    ensures b.v;
    b.v = true;
}
choreography caller(k: Node) {
    endpoint a { var next: Node = k; }
    endpoint node[n: Node] { var v: bool = false; }
    ensures node[k].v;
    call mark() with node[a.next] as b;
}
",
        &[
            "for m in Node {",
            "if a.next == m && node[m].go {",
            "call mark() with node[m] as b;",
        ],
    ),
];

#[test]
fn every_rule_with_a_fix_is_kept_after_it() {
    for (code, song, lines) in RULES {
        let stage = Stage::with(song);
        let told = stage.run(&["project", "a.song"]);
        let said = format!("[{code}]");
        assert!(told.err.contains(&said), "{code}: {}{song}", told.err);
        assert!(told.err.contains("--> a.song:"), "{code}: {}", told.err);
        let fixed = stage.run(&["check", "a.song", "--fix"]).exits(0);
        let mended = std::fs::read_to_string(stage.path("a.song")).expect("it is there");
        for line in *lines {
            assert!(mended.contains(line), "{code}: no `{line}`\n{mended}");
        }
        assert!(!fixed.out.contains("unknown"), "{code}: {}", fixed.out);
        // What was called may be called no longer.
        let line: &[&str] = match song.contains("choreography caller") {
            true => &["--line", "caller"],
            false => &[],
        };
        let project = [&["project", "a.song"], line].concat();
        let again = stage.run(&project).exits(0);
        assert_eq!(again.err, "", "{code}\n{mended}");
        assert!(
            again.out.contains("all in the text"),
            "{code}: {}",
            again.out
        );
        let again = stage.run(&[&project[..], &["--fix"]].concat()).exits(0);
        assert!(
            again.out.contains("nothing to fix"),
            "{code}: {}",
            again.out
        );
    }
}

/// Where a fix would change what is meant, there is none, and the song stays as it is.
#[test]
fn what_the_call_may_change_is_not_asked_again() {
    let songs = [
        // What `put` requires would no longer be asked for; a loop says what holds when the call began; a guess at a name
        // is only a guess.
        "choreography put(k: int) {
    endpoint b { var v: int = choose int; }
    while b.v < k invariant b.v >= old(b.v) { b.v += 1; }
}
choreography caller(x: int) {
    endpoint a { var f: int = x; }
    endpoint b { var v: int = 0; }
    call put(a.f);
}
",
        "choreography put(k: int) {
    endpoint b { var v: int = choose int; }
    requires k > 0;
    b.v = k;
}
choreography caller(x: int) {
    endpoint a { var f: int = x; }
    endpoint b { var v: int = 0; }
    call put(a.f);
}
",
        "choreography line(price: int) {
    endpoint a { var f: int = 0; }
    a.f = prize;
}
",
    ];
    for song in songs {
        let stage = Stage::with(song);
        stage.run(&["check", "a.song", "--fix"]).exits(3);
        let text = std::fs::read_to_string(stage.path("a.song")).expect("it is there");
        assert_eq!(text, song);
    }
}
