//! `plainsong sequentialize`: proofs for every size, the line, and what is said when there is none.

use crate::stage::Stage;

const GATHER: &str = "\
sort Q;

message Hello(who: Q);

process p {
    var last: option<Q> = none;
    for q in Q {
        receive Hello(who) from any member;
        last = some(who);
    }
}

process member[q: Q] {
    send Hello(q) to p;
}

property nothing_left: finally pending() == 0;
property heard: finally p.last != none;
";

#[test]
fn a_proof_has_no_bound_and_is_fine() {
    let stage = Stage::with(GATHER);
    let ran = stage
        .run(&[
            "sequentialize",
            "a.song",
            "--property",
            "no_deadlock",
            "--json",
        ])
        .exits(0);
    let verdict = ran.out.lines().find(|line| line.contains("\"verdict\""));
    let verdict = verdict.expect("there is a verdict");
    assert!(
        verdict.contains("\"verdict\":\"proved\",\"bound\":{}"),
        "{verdict}"
    );
    stage
        .run(&[
            "sequentialize",
            "a.song",
            "--property",
            "nothing_left",
            "--require",
            "proved",
        ])
        .exits(0);
}

#[test]
fn what_is_not_proved_on_the_line_is_unknown_and_says_how_far_it_was_explored() {
    let stage = Stage::with(GATHER);
    let ran = stage
        .run(&["sequentialize", "a.song", "--property", "heard"])
        .exits(2);
    assert!(
        ran.out.contains("there is a line for every size"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("nothing wrong with Q=1..=3"),
        "{}",
        ran.out
    );
}

#[test]
fn the_line_is_printed() {
    let stage = Stage::with(GATHER);
    let ran = stage
        .run(&[
            "sequentialize",
            "a.song",
            "--property",
            "no_deadlock",
            "--emit",
        ])
        .exits(0);
    let line = "    for q in Q {\n        p.who = q;\n        p.last = some(p.who);\n    }\n";
    assert!(ran.out.contains(line), "{}", ran.out);
}

#[test]
fn a_bug_is_shown_at_the_smallest_size_that_has_it() {
    let song = GATHER.replace("send Hello(q) to p;", "receive Hello(_) from p;");
    let ran = Stage::with(&song).run(&["sequentialize", "a.song", "--property", "no_deadlock"]);
    let ran = ran.exits(1);
    assert!(ran.out.contains("Q=1"), "{}", ran.out);
}

#[test]
fn a_construct_without_a_rule_is_named_with_its_line() {
    let song = GATHER.replace("from any member;", "from any member where who == who;");
    let ran = Stage::with(&song).run(&["sequentialize", "a.song", "--property", "no_deadlock"]);
    let ran = ran.exits(2);
    let said = "[not-covered]: a receive with `where` is not covered (line 8)";
    assert!(ran.out.contains(said), "{}", ran.out);
}

#[test]
fn without_a_line_there_is_what_was_found_and_what_remains() {
    let song = GATHER.replace(
        "    send Hello(q) to p;",
        "    send Hello(q) to p;\n    receive Hello(_) from p;",
    );
    let ran = Stage::with(&song).run(&[
        "sequentialize",
        "a.song",
        "--property",
        "no_deadlock",
        "--emit",
    ]);
    let ran = ran.exits(1);
    for part in [
        "// Remains: every member of `member` waits for `Hello`",
        "// As far as it goes:\nchoreography line() {",
        "        p.last = some(p.who);",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
}

/// An assumption, a choice that may have no candidate, and an assertion that nobody decided.
const TAKES_FOR_GRANTED: &str = "\
sort Q;
message Bid(n: int);

process p {
    for q in Q {
        receive Bid(n) from any member;
        assert n * n > 1;
    }
}

process member[q: Q] {
    let n = choose int where n > 1;
    let sober = choose bool;
    assume sober;
    send Bid(n) to p;
}
";

#[test]
fn a_proof_says_what_it_rests_on() {
    let stage = Stage::with(TAKES_FOR_GRANTED);
    let asked = [
        "sequentialize",
        "a.song",
        "--property",
        "no_deadlock",
        "--json",
    ];
    let ran = stage.run(&asked).exits(2);
    for trusted in [
        "`assume sober` is trusted",
        "`choose … where n > 1` is trusted to have a candidate",
        "\"provided\":[\"assertions\"]",
    ] {
        assert!(ran.out.contains(trusted), "{}", ran.out);
    }
    let stage = Stage::with(GATHER);
    let ran = stage.run(&asked).exits(0);
    assert!(!ran.out.contains("trusted"), "{}", ran.out);
    assert!(!ran.out.contains("provided"), "{}", ran.out);
}

/// The server counts, so with two clients one of them fails before the end; with one client nobody does.
#[test]
fn sizes_at_which_nothing_comes_to_its_end_are_named() {
    let song = "\
sort Client;
message Ask;
message Answer(number: nat);
daemon process server {
    var asked: nat = 0;
    loop {
        receive Ask from any client[c];
        asked += 1;
        send Answer(asked) to client[c];
    }
}
process client[c: Client] {
    var got: nat = 0;
    send Ask to server;
    receive Answer(number) from server;
    got = number;
    assert number == 1;
}
property all: finally forall c: Client :: client[c].got == 1;
";
    let ran = Stage::with(song).run(&["sequentialize", "a.song"]);
    let note = "all: no execution with Client=2 or Client=3 comes to its end, so there was nothing to check there";
    assert!(ran.out.contains(note), "{}", ran.out);
}
