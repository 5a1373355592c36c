//! Conditional proofs: what rests on something that is not proved says so, and is no success.

use crate::stage::Stage;

const ASSERTED: &str = "\
sort Voter;
message Vote(n: nat);
process teller {
    var sum: nat = 0;
    for v in Voter {
        receive Vote(n) from any voter;
        sum += n;
    }
    assert sum <= 5;
}
process voter[v: Voter] {
    send Vote(1) to teller;
}
property small: finally teller.sum <= 5;
";

#[test]
fn a_proof_that_rests_on_an_open_assertion_is_conditional() {
    let stage = Stage::new();
    stage.write("votes.song", ASSERTED);
    let told = stage.run(&["sequentialize", "votes.song", "--property", "small"]);
    assert_eq!(told.code, 2, "{}", told.out);
    let row = told.out.lines().find(|row| row.contains("proved"));
    let row = row.unwrap_or_default();
    assert!(
        row.contains("small") && row.ends_with("provided `assertions`"),
        "{}",
        told.out
    );
    assert!(told.out.contains("1 conditional."), "{}", told.out);
    let told = stage.run(&["sequentialize", "votes.song", "--require", "proved"]);
    assert_eq!(told.code, 2, "{}", told.out);
    assert!(
        told.out.contains("2 rest on something that is not proved"),
        "{}",
        told.out
    );
}

#[test]
fn the_stream_and_the_files_for_build_servers_say_so_too() {
    let stage = Stage::new();
    stage.write("votes.song", ASSERTED);
    let arguments = [
        "sequentialize",
        "votes.song",
        "--property",
        "small",
        "--json",
        "--junit",
        "j.xml",
        "--sarif",
        "s.json",
    ];
    let told = stage.run(&arguments);
    assert!(
        told.out.contains("\"provided\":[\"assertions\"]"),
        "{}",
        told.out
    );
    assert!(told.out.contains("\"exit\":2"), "{}", told.out);
    let junit = stage.read("j.xml");
    assert!(
        junit.contains("proved only provided `assertions`"),
        "{junit}"
    );
    assert!(junit.contains("<error"), "{junit}");
    let sarif = stage.read("s.json");
    assert!(sarif.contains("\"kind\": \"open\""), "{sarif}");
    assert!(sarif.contains("small, provided `assertions`"), "{sarif}");
}

#[test]
fn with_its_condition_proved_it_is_a_proof() {
    let stage = Stage::new();
    stage.write(
        "votes.song",
        ASSERTED
            .replace("assert sum <= 5;", "assert sum <= Voter.len();")
            .replace("teller.sum <= 5", "teller.sum <= Voter.len()"),
    );
    let told = stage.run(&["sequentialize", "votes.song", "--property", "small"]);
    assert_eq!(told.code, 0, "{}", told.out);
    assert!(!told.out.contains("provided"), "{}", told.out);
}

#[test]
fn what_rests_on_a_false_invariant_is_conditional() {
    let stage = Stage::new();
    let text = "\
choreography count(n: nat) {
    endpoint me { var i: nat = 0; }
    while me.i < n invariant me.i <= 3 { me.i = me.i + 1; }
}
property small: finally count.me.i <= 3;
";
    stage.write("count.song", text);
    let told = stage.run(&["prove", "count.song", "--property", "small"]);
    assert_eq!(told.code, 2, "{}", told.out);
    assert!(told.out.contains("provided `count`"), "{}", told.out);
    assert!(
        told.out
            .contains("`count`, which this rests on, is refuted"),
        "{}",
        told.out
    );
    stage.write(
        "count.song",
        text.replace("<= 3", "<= n")
            .replace("count.me.i <= n", "count.me.i >= 0"),
    );
    let told = stage.run(&["prove", "count.song", "--property", "small"]);
    assert_eq!(told.code, 0, "{}", told.out);
}

#[test]
fn termination_that_rests_on_an_assertion_is_conditional() {
    let stage = Stage::new();
    let text = "\
sort Node;
message Again(k: nat);
process node[n: Node] {
    on Again(k) {
        assert k < 3;
        if k >= 3 { send Again(k) to node[n]; }
    }
}
init { for n in Node { send Again(2) to node[n]; } }
property quiet: eventually quiescent;
";
    stage.write("again.song", text);
    let told = stage.run(&["diverge", "again.song"]);
    assert_eq!(told.code, 2, "{}", told.out);
    assert!(told.out.contains("provided `assertions`"), "{}", told.out);
    // The measure needs no assertion: then neither does the proof.
    let less = text.replace("if k >= 3 { send Again(k)", "if k > 0 { send Again(k - 1)");
    stage.write("again.song", &less);
    let told = stage.run(&["diverge", "again.song"]);
    assert_eq!(told.code, 0, "{}", told.out);
}

#[test]
fn what_was_seen_to_hold_of_executions_that_do_not_fail_is_conditional() {
    let stage = Stage::new();
    stage.write("votes.song", ASSERTED);
    let told = stage.run(&[
        "explore",
        "votes.song",
        "--property",
        "small",
        "--size",
        "Voter=6",
    ]);
    assert_eq!(told.code, 2, "{}", told.out);
    assert!(told.out.contains("provided `assertions`"), "{}", told.out);
}

#[test]
fn open_obligations_of_layers_have_a_place_and_a_text() {
    let stage = Stage::new();
    let text = "\
param most: nat where most >= 1;
sort Slot = 0..most;
var used: map<Slot, bool> = map i: Slot => false @ 0..2;
atomic action LOOK(i: Slot) -> b: bool @ 1 { b = used[i]; }
atomic action FIND() -> r: int @ 2 { r = choose int where -1 <= r && r < most; }
procedure find() -> r: int @ 1 refines FIND {
    var i: int = 0;
    r = -1;
    while i < most {
        yield;
        let b = call LOOK(i);
        if b { r = i; break; }
        i = i + 1;
    }
}
procedure client() @ 2 { let _r = call find(); }
init { async client(); }
";
    stage.write("slots.song", text);
    let told = stage.run(&["refine", "slots.song"]);
    assert!(
        told.out.contains("open       find: slots.song:11:27: "),
        "{}",
        told.out
    );
    assert!(told.out.contains("(refine/failure): `i`"), "{}", told.out);
    assert!(
        !told.out.contains("has these values in some run"),
        "{}",
        told.out
    );
    let told = stage.run(&["refine", "slots.song", "--json"]);
    let place = "\"line\":11,\"column\":27,\"text\":\"i\"";
    assert!(told.out.contains(place), "{}", told.out);
}

/// With x = 1 the end is 2.
const BROKEN: &str = "\
choreography c(x: int) {
    endpoint e { var v: int = 0; }
    ensures e.v == 0;
    if x == 1 { e.v = 2; }
}
property q: finally e.v != 2;
";

#[test]
fn an_end_behind_a_refuted_promise_is_conditional() {
    let stage = Stage::new();
    stage.write("a.song", BROKEN);
    for verb in ["prove", "check", "explore"] {
        let told = stage.run(&[verb, "a.song", "--property", "q"]);
        assert_eq!(told.code, 2, "{verb}: {}", told.out);
        assert!(told.out.contains("provided"), "{verb}: {}", told.out);
        assert!(told.out.contains("`c`"), "{verb}: {}", told.out);
        let told = stage.run(&[verb, "a.song"]);
        assert_eq!(told.code, 1, "{verb}: {}", told.out);
        let is_row = |row: &&str| row.contains(" q ");
        let row = told.out.lines().find(is_row).unwrap_or_default();
        assert!(row.contains("provided `c`"), "{verb}: {}", told.out);
        assert!(!row.contains("assertions"), "{verb}: {}", told.out);
    }
    stage.write("a.song", BROKEN.replace("e.v = 2", "e.v = 0"));
    let told = stage.run(&["prove", "a.song", "--property", "q"]);
    assert_eq!(told.code, 0, "{}", told.out);
}
