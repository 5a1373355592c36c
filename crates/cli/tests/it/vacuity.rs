//! What took no part: statements, messages, premises.

use crate::stage::Stage;

const IDLE: &str = "\
message Ask(n: nat);
message Reply(n: nat);
message Refuse(why: nat);

process server {
    var served: nat = 0;
    receive Ask(n) from client;
    assert n > 5 ==> served > 0;
    if n == 0 {
        send Refuse(n) to client;
    } else {
        send Reply(n) to client;
        served += 1;
    }
}

process client {
    var got: option<nat> = none;
    send Ask(1) to server;
    receive {
        Reply(n) from server => {
            got = some(n);
        }
        Refuse(_) => {}
    }
}

property big: finally client.got == some(7) ==> server.served == 0;
property early: always forall n in {1, 2} where client.got == some(n + 8) :: server.served > 3;
property nested: finally client.got != none ==> (server.served == 2 ==> client.got == some(2));
property fine: finally client.got == some(1) ==> server.served == 1;
";

const NOTES: [&str; 4] = [
    "note       assertions: the premise `n > 5` was never true",
    "note       big: the premise `client.got == some(7)` was never true",
    "note       early: the premise `client.got == some(n + 8)` was never true",
    "note       nested: the premise `server.served == 2` was never true",
];

#[test]
fn premises_that_are_never_true_are_notes() {
    let stage = Stage::with(IDLE);
    for verb in ["check", "explore"] {
        let ran = stage.run(&[verb, "a.song"]).exits(0);
        for note in NOTES {
            assert!(ran.out.contains(note), "{verb}: {note}\n{}", ran.out);
        }
        let notes = ran.out.matches("  note  ").count();
        assert_eq!(notes, NOTES.len(), "{verb}\n{}", ran.out);
    }
}

#[test]
fn what_was_never_executed_or_sent_is_part_of_the_coverage() {
    let stage = Stage::with(IDLE);
    for verb in ["check", "explore"] {
        let ran = stage.run(&[verb, "a.song"]).exits(0);
        let covered = "covered    8 of 9 statements, 2 of 3 message kinds; never executed: a.song:10; \
                       never sent: Refuse";
        assert!(ran.out.contains(covered), "{verb}\n{}", ran.out);
        let ran = stage.run(&[verb, "a.song", "--json"]).exits(0);
        for field in [
            "\"never_sent\":[\"Refuse\"]",
            "\"never_taken\":[]",
            "\"never_true\":[\"`n > 5` (a.song:8)\"",
            "\"notes\":[\"the premise `client.got == some(7)` was never true\"]",
        ] {
            assert!(ran.out.contains(field), "{verb}: {field}\n{}", ran.out);
        }
    }
}

#[test]
fn a_premise_that_is_true_at_some_size_is_no_note() {
    let song = "\
sort Node;

message Hello;

process node[n: Node] {
    for m in Node where m != n {
        send Hello to node[m];
    }
    for m in Node where m != n {
        receive Hello from node[m];
    }
}

property others: finally forall a, b: Node where a != b :: true;
";
    let stage = Stage::with(song);
    let out = |size: &str| stage.run(&["check", "a.song", "--size", size]).exits(0).out;
    assert!(out("Node=1").contains("others: the premise `a != b` was never true"));
    assert!(!out("Node=1..2").contains("never true"));
}

#[test]
fn what_is_sent_and_never_taken_is_said() {
    let song = "\
message Job;
message Stop;

process boss {
    send Job to worker;
    send Stop to worker;
}

process worker {
    receive Job;
    if false {
        receive Stop;
    }
}
";
    let ran = Stage::with(song).run(&["explore", "a.song"]).exits(0);
    assert!(
        ran.out.contains("sent but never taken: Stop"),
        "{}",
        ran.out
    );
}

#[test]
fn action_systems_say_nothing_that_is_false() {
    let song = "\
var n: int = 0;

action First() {
    assert n == 0 ==> n < 1;
    n = 1;
    async Second();
}

action Second() {
    assert n == 1 ==> n > 0;
}

action Third() {
    async Third();
}

init {
    async First();
}

property fine: finally n == 1 ==> n > 0;
";
    let stage = Stage::with(song);
    for verb in ["check", "explore"] {
        let ran = stage.run(&[verb, "a.song"]).exits(0);
        assert!(!ran.out.contains("was never true"), "{verb}\n{}", ran.out);
        assert!(
            ran.out.contains("never sent: Third\n"),
            "{verb}\n{}",
            ran.out
        );
    }
}

#[test]
fn vacuous_verdicts_are_marked_and_not_enough_where_something_is_required() {
    let stage = Stage::with(IDLE);
    let ran = stage.run(&["explore", "a.song", "--json"]).exits(0);
    assert_eq!(
        ran.out.lines().filter(|line| is_marked(line)).count(),
        4,
        "{}",
        ran.out
    );
    let ran = stage
        .run(&["explore", "a.song", "--require", "untrusted"])
        .exits(2);
    let line = ran.out.lines().find(|line| line.contains(" big "));
    assert!(
        line.is_some_and(|line| line.contains(" vacuous ")),
        "{}",
        ran.out
    );
    let line = ran.out.lines().find(|line| line.contains(" fine "));
    assert!(
        line.is_some_and(|line| !line.contains("vacuous")),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("--require: 4 are vacuous."), "{}", ran.out);
    let asked = [
        "explore",
        "a.song",
        "--require",
        "untrusted",
        "--property",
        "fine",
    ];
    stage.run(&asked).exits(0);
}

fn is_marked(line: &str) -> bool {
    line.starts_with("{\"event\":\"verdict\"") && line.contains("\"vacuous\":true")
}

/// `small` holds because of what is assumed.
const TRUSTING: &str = "\
message Hello(n: nat);

process a {
    let n = choose nat;
    assume n < 2;
    send Hello(n) to b;
}

process b {
    var got: nat = 0;
    receive Hello(n) from a;
    got = n;
}

property small: finally b.got < 2;
";

#[test]
fn what_is_trusted_is_not_enough_where_nothing_may_be() {
    let stage = Stage::with(TRUSTING);
    stage.run(&["check", "a.song"]).exits(0);
    let ran = stage
        .run(&["check", "a.song", "--require", "untrusted", "-v"])
        .exits(2);
    assert!(ran.out.contains("trust what is not checked"), "{}", ran.out);
    assert!(ran.out.contains("trusted: `assume n < 2`"), "{}", ran.out);
    assert!(ran.out.contains("rests on: "), "{}", ran.out);
    let ran = stage.run(&[
        "check",
        "a.song",
        "--require",
        "untrusted",
        "--junit",
        "j.xml",
    ]);
    assert_eq!(ran.code, 2);
    assert!(stage.read("j.xml").contains("trusts what is not checked"));
    let plain = Stage::with(crate::songs::FINE);
    plain
        .run(&["check", "a.song", "--require", "untrusted,proved"])
        .exits(0);
}

/// Two members are too few for three different ones: what is proved for every size is asked for a case at the next one.
#[test]
fn a_proof_is_not_vacuous_where_a_larger_size_has_a_case() {
    let text = "\
sort Node;
var heard: map<Node, nat> = map n: Node => 0;
repeat action Hear(n: Node) { heard[n] = 1; }
property three: always forall a, b, c: Node :: a != b && b != c && a != c ==> heard[a] + heard[b] >= heard[a];
property none_is: always forall a: Node :: heard[a] > 5 ==> heard[a] > 4;
";
    let said = Stage::with(text).run(&["check", "a.song"]).out;
    let line = |name: &str| said.lines().find(|line| line.contains(name)).unwrap();
    assert!(line("three").starts_with("  proved"), "{said}");
    assert!(!line("three").contains("vacuous"), "{said}");
    assert!(line("none_is").contains("vacuous"), "{said}");
    assert!(!said.contains("was never true`: `a != b"), "{said}");
}
