//! `check` gives the strongest verdict that an engine has, and tells who was asked.

use crate::songs;
use crate::stage::Stage;
use serde_json::Value;

/// The assertion holds up to five voters, and what is counted is right provided that it does.
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
fn what_is_proved_for_any_size_is_told_with_who_was_asked() {
    let stage = Stage::with(songs::FINE);
    let ran = stage.run(&["check", "a.song", "-v"]).exits(0);
    for told in [
        "proved     all_done               any size      sequentialize",
        "tried: states, ",
        "holds with Client=2",
        "tried: sequentialize, ",
    ] {
        assert!(ran.out.contains(told), "{told}:\n{}", ran.out);
    }
    let ran = stage.run(&["check", "a.song", "--json"]).exits(0);
    let records = ran.out.lines().map(serde_json::from_str::<Value>);
    let records: Vec<Value> = records.map(|record| record.expect("JSON")).collect();
    let all_done = records
        .iter()
        .find(|record| record["property"] == "all_done");
    let tried = &all_done.expect("a verdict")["tried"];
    assert_eq!(tried[0]["engine"], "states");
    assert_eq!(tried[0]["bound"]["Client"], 2);
    assert_eq!(tried[1]["engine"], "sequentialize");
    assert_eq!(tried[1]["verdict"], "proved");
}

#[test]
fn who_asks_about_instances_gets_no_proof() {
    let stage = Stage::with(songs::FINE);
    for asked in [
        &["--size", "Client=2"][..],
        &["--bound", "nat=3"],
        &["--symmetry"],
        &["--delivery", "all"],
        &["--grow", "--timeout", "0.2"],
    ] {
        let ran = stage.run(&[&["check", "a.song"], asked].concat()).exits(0);
        assert!(!ran.out.contains("proved"), "{asked:?}\n{}", ran.out);
    }
}

#[test]
fn what_is_refuted_is_asked_of_no_prover() {
    let ran = Stage::with(songs::RACE)
        .run(&["check", "a.song", "-v"])
        .exits(1);
    let mut lines = ran
        .out
        .lines()
        .skip_while(|line| !line.starts_with("    same: "));
    assert!(lines.next().is_some(), "{}", ran.out);
    let mut about = lines.take_while(|line| line.starts_with("      "));
    assert!(
        !about.any(|line| line.contains("sequentialize")),
        "{}",
        ran.out
    );
}

#[test]
fn a_proof_that_rests_on_something_bounded_does_not_replace_what_holds() {
    let stage = Stage::with(ASSERTED);
    let prover = ["sequentialize", "a.song", "--property", "small"];
    let ran = stage.run(&prover).exits(2);
    assert!(ran.out.contains("provided `assertions`"), "{}", ran.out);
    let ran = stage.run(&["check", "a.song"]).exits(0);
    assert!(ran.out.contains("holds      assertions"), "{}", ran.out);
    assert!(ran.out.contains("holds      small"), "{}", ran.out);
    assert!(!ran.out.contains("provided"), "{}", ran.out);
}

#[test]
fn effort_says_how_long() {
    let stage = Stage::with(songs::WATCHED);
    let said = |level: &str| stage.run(&["check", "a.song", "--effort", level]);
    let further = "nothing wrong at Client=3 either";
    let quick = said("quick").exits(0);
    assert!(!quick.out.contains(further), "{}", quick.out);
    assert!(
        quick.out.contains("proved     no_deadlock"),
        "{}",
        quick.out
    );
    for level in ["normal", "thorough"] {
        let ran = said(level).exits(0);
        assert!(ran.out.contains(further), "{}", ran.out);
    }
    let wrong = said("hasty").exits(3);
    assert!(
        wrong.err.contains("quick, normal, thorough"),
        "{}",
        wrong.err
    );
    let other = stage.run(&["explore", "a.song", "--effort", "quick"]);
    assert_eq!(other.code, 3, "only `check` has levels");
}

/// The most ordinary program there is: a request is repeated until it is answered.
const RETRY: &str = "\
message Req;
message Ack;
fault lose Req <= 1;
process client {
    var done: bool = false;
    while !done {
        send Req to server;
        receive { Ack => { done = true; } timeout => {} }
    }
}
daemon process server { loop { receive Req from client; send Ack to client; } }
property ok: finally client.done;
property few: always pending(Req) <= 40;
";

#[test]
fn what_the_tool_says_leads_from_a_loop_without_an_end_to_verdicts() {
    let stage = Stage::with(RETRY);
    let few = "first-states=500,growing-states=700,first-executions=50";
    let ran = stage.run(&["check", "a.song", "--bound", few]).exits(2);
    for told in [
        "proved     assertions             any size",
        "proved     no_deadlock            any size",
        "proved     ok                     any size      induct",
        "unknown    few ",
        "30 `Req` from client to server are in flight; `--bound pending=3` searches",
    ] {
        assert!(ran.out.contains(told), "{told}:\n{}", ran.out);
    }
    let ran = stage.run(&["check", "a.song", "--bound", "pending=3"]);
    let ran = ran.exits(0);
    for told in [
        "proved     no_deadlock            any size",
        "proved     ok                     any size",
        "holds      few                    constraint=pending<=3",
    ] {
        assert!(ran.out.contains(told), "{told}:\n{}", ran.out);
    }
}

/// A claim that fails after more states than are looked at first.
const LATE: &str = "\
sort Node;
var token: nat = 0;
repeat action Next(n: Node) {
    token += 1;
}
property early: always token < 40;
";

/// A solver that takes a question, and never answers.
#[cfg(unix)]
const BUSY: &str = "#!/bin/sh
if [ \"$1\" = --version ]; then echo 'Z3 version 4.15.4 - 64 bit'; exit; fi
read -r line
while :; do sleep 1; done
";

#[cfg(unix)]
#[test]
fn a_refutation_ends_the_proofs() {
    use std::os::unix::fs::PermissionsExt as _;
    let stage = Stage::with(LATE);
    stage.write("solver", BUSY);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(stage.path("solver"), executable).expect("it can be executed");
    let check = [
        "check",
        "a.song",
        "--property",
        "early",
        "--bound",
        "first-states=5",
        "--no-cache",
        "-v",
    ];
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        return;
    }
    let mut command = stage.command(&check);
    let command = command.env("PLAINSONG_Z3", stage.path("solver"));
    let ran = plainsong_children::output(command).expect("it runs");
    let ran = crate::stage::finished(ran).exits(1);
    let told = "unknown: given up: it was refuted meanwhile";
    assert!(ran.out.contains(told), "{}", ran.out);
    assert!(ran.out.contains("REFUTED    early"), "{}", ran.out);
}

#[test]
fn what_is_done_side_by_side_says_the_same() {
    let stage = Stage::with(LATE);
    let check = [
        "check",
        "a.song",
        "--bound",
        "first-states=5",
        "--json",
        "--no-cache",
    ];
    let verdicts = |jobs: &[&str]| {
        let ran = stage.run(&[&check[..], jobs].concat()).exits(1);
        crate::resuming::verdicts(&ran)
    };
    assert_eq!(verdicts(&[]), verdicts(&["--jobs", "1"]));
}
