//! Saved executions for people and for other tools.

use crate::songs;
use crate::stage::Stage;
use serde_json::Value;

/// A refuted property, saved as `out/a.same.trace`.
fn stage() -> Stage {
    let stage = Stage::with(songs::RACE);
    stage.run(&["check", "a.song"]).exits(1);
    stage
}

#[test]
fn a_picture_lies_beside_every_trace() {
    let refuted = [
        (songs::RACE, "same"),
        (songs::DEADLOCK, "no_deadlock"),
        (songs::ASSERTION, "assertions"),
        (songs::ACTIONS, "never_held"),
    ];
    for (song, property) in refuted {
        let stage = Stage::with(song);
        stage.run(&["check", "a.song"]).exits(1);
        let picture = stage.read(&format!("out/a.{property}.svg"));
        assert!(picture.starts_with("<svg "), "{picture}");
        assert!(picture.contains(property), "{picture}");
    }
}

#[test]
fn an_execution_that_is_fine_is_saved_with_its_picture_too() {
    let stage = Stage::with(songs::FINE);
    let ran = stage
        .run(&["sim", "a.song", "--seed", "1", "--out", "there"])
        .exits(0);
    assert!(ran.out.contains("saved: there/a.sim.trace"), "{}", ran.out);
    assert!(stage.read("there/a.sim.svg").contains("Hello(Client#0)"));
    let again = stage.run(&["replay", "there/a.sim.trace"]).exits(0);
    assert!(again.out.contains("it terminated"), "{}", again.out);
    let shown = stage.run(&["show", "there/a.sim.trace"]).exits(0);
    assert!(shown.out.contains("-- Hello(Client#0) "), "{}", shown.out);
}

#[test]
fn every_format_has_something_to_say() {
    let stage = stage();
    let show = |format: &str| {
        stage
            .run(&["show", "out/a.same.trace", "--as", format])
            .exits(0)
            .out
    };
    assert!(show("text").contains("<-- Hello("), "{}", show("text"));
    assert!(show("html").starts_with("<!doctype html>"));
    assert!(show("svg").starts_with("<svg "));
    assert!(show("mermaid").starts_with("sequenceDiagram\n"));
    assert!(show("plantuml").starts_with("@startuml\n"));
    assert!(show("shiviz").contains("\nserver {\"client"));
    let itf: Value = serde_json::from_str(&show("itf")).expect("JSON");
    assert_eq!(itf["vars"][0], "server.first");
    let json: Value = serde_json::from_str(&show("json")).expect("JSON");
    assert_eq!(json["property"], "same");
}

#[test]
fn what_decided_it_is_said_and_holds_up() {
    let stage = Stage::with(songs::OVERTAKES);
    let ran = stage.run(&["check", "a.song"]).exits(1);
    let race = "customer received Reply from worker; had it received Closed from desk instead, \
                quiet would hold";
    assert!(
        ran.out.contains(&format!("race:        {race}")),
        "{}",
        ran.out
    );
    let shown = stage.run(&["show", "out/a.quiet.trace"]).exits(0);
    assert!(
        shown.out.contains(&format!("race: {race}")),
        "{}",
        shown.out
    );
    let explored = stage.run(&["explore", "a.song"]).exits(1);
    assert!(explored.out.contains(race), "{}", explored.out);
}

#[test]
fn into_a_folder_under_the_name_of_the_trace() {
    let stage = stage();
    let formats = [
        ("text", "a.same.txt"),
        ("html", "a.same.html"),
        ("svg", "a.same.svg"),
        ("mermaid", "a.same.mmd"),
        ("plantuml", "a.same.puml"),
        ("itf", "a.same.itf.json"),
        ("shiviz", "a.same.log"),
        ("json", "a.same.json"),
    ];
    for (format, name) in formats {
        let arguments = ["show", "out/a.same.trace", "--as", format, "--out", "there"];
        let ran = stage.run(&arguments).exits(0);
        assert_eq!(ran.out, format!("there/{name}\n"));
        assert!(!stage.read(&format!("there/{name}")).is_empty());
    }
}

#[test]
fn without_its_song_a_trace_is_shown_with_a_note() {
    let stage = stage();
    stage.write("a.song", songs::FINE);
    let ran = stage.run(&["show", "out/a.same.trace"]).exits(0);
    assert!(
        ran.out
            .contains("note: the song no longer follows this execution"),
        "{}",
        ran.out
    );
    std::fs::remove_file(stage.path("a.song")).expect("removed");
    let ran = stage.run(&["show", "out/a.same.trace"]).exits(0);
    assert!(
        ran.out.contains("note: the song was not found"),
        "{}",
        ran.out
    );
    let ran = stage
        .run(&["show", "out/a.same.trace", "--as", "html"])
        .exits(0);
    assert!(ran.out.contains("the song was not found"));
    stage
        .run(&["show", "out/a.same.trace", "--song", "none.song"])
        .exits(3);
}

#[test]
fn two_traces_side_by_side() {
    let stage = stage();
    let diff = |other: &str| stage.run(&["diff", "out/a.same.trace", other]);
    let same = diff("out/a.same.trace").exits(0).out;
    assert!(
        same.contains("every process does the same in both"),
        "{same}"
    );
    for seed in 0..10 {
        let seed = seed.to_string();
        stage.run(&["sim", "a.song", "--seed", &seed, "--out", "other"]);
        let ran = diff("other/a.sim.trace").exits(1);
        assert!(ran.out.contains("left ends:   c = "), "{}", ran.out);
        if ran.out.contains("first difference: event 1 of server") {
            assert!(ran.out.contains("> server receives Hello("), "{}", ran.out);
            return;
        }
    }
    panic!("one of ten random executions has the other order");
}

#[test]
fn a_failure_at_many_processes_is_shown_at_few() {
    let stage = Stage::with(songs::RACE);
    let arguments = [
        "check",
        "a.song",
        "--size",
        "Client=4",
        "--property",
        "same",
    ];
    let ran = stage.run(&arguments).exits(1);
    assert!(
        ran.out.contains("same                   Client=4"),
        "{}",
        ran.out
    );
    assert!(
        ran.out
            .contains("shrunk from 8 events at Client=4 to 4 at Client=2"),
        "{}",
        ran.out
    );
    let again = stage.run(&["replay", "out/a.same.trace"]).exits(1);
    assert!(again.out.contains("Client=2"), "{}", again.out);
}

/// Reason, picture, who waits, what is left over and what decided it do not depend on who found it.
#[test]
fn every_engine_shows_the_same() {
    for song in [
        songs::RACE,
        songs::OVERTAKES,
        songs::DEADLOCK,
        songs::ASSERTION,
    ] {
        let stage = Stage::with(song);
        let told = |verb: &str| {
            let out = stage.run(&[verb, "a.song"]).exits(1).out;
            let start = out.find("\nREFUTED ").expect("a refutation");
            out[start..].to_owned()
        };
        assert_eq!(told("check"), told("explore"));
    }
}

/// A ledger with accounts inside of branches inside of a bank.
const BANK: &str = "\
sort Branch;
size Branch = 2;

struct Account { owner: nat, balance: nat, notes: seq<nat> }
struct Office { accounts: map<Branch, Account>, open: set<Branch>, last: option<Account> }

var bank: map<Branch, Office> = map b: Branch => Office {
    accounts: map c: Branch => Account { owner: 1, balance: 20, notes: [1] },
    open: {b},
    last: some(Account { owner: 9, balance: 0, notes: [] }),
};

action Pay(b: Branch) { bank[b].accounts[b].balance = 25; async Note(b); }
action Note(b: Branch) { bank[b].accounts[b].notes = bank[b].accounts[b].notes.push(7); async Close(b); }
action Close(b: Branch) {
    for c in Branch { bank[b].open = bank[b].open.with(c); }
    bank[b].last = some(Account { owner: 9, balance: 5, notes: [] });
}

init { let b = choose Branch; async Pay(b); }

property small: always forall b: Branch :: bank[b].last.unwrap().balance < 5;
";

/// Of a struct in a map in a struct in a map, only the field that changed is told, everywhere.
#[test]
fn only_what_changed_is_told_at_any_depth() {
    let stage = Stage::with(BANK);
    let ran = stage.run(&["check", "a.song"]).exits(1);
    let shown = stage.run(&["show", "out/a.small.trace"]).exits(0);
    let replayed = stage.run(&["replay", "out/a.small.trace"]).exits(1);
    for out in [&ran.out, &shown.out, &replayed.out] {
        for part in [
            "bank[Branch#0].accounts[Branch#0].balance = 25",
            "bank[Branch#0].accounts[Branch#0].notes += [7]",
            "bank[Branch#0].open += {Branch#1}",
            "bank[Branch#0].last.unwrap().balance = 5   (was 0)",
        ] {
            assert!(out.contains(part), "{part}: {out}");
        }
        assert!(!out.contains("Office {"), "{out}");
        assert!(!out.contains("owner"), "{out}");
    }
    let run = ["sim", "a.song", "--seed", "1", "--out", "one"];
    stage.run(&run).exits(1);
    let one = stage.run(&["show", "one/a.sim.trace"]).out;
    assert!(one.contains("].balance = 25   (was 20)"), "{one}");
    assert!(!one.contains("Office {"), "{one}");
    let page = stage.run(&["show", "out/a.small.trace", "--as", "html"]);
    let part = "bank[Branch#0].accounts[Branch#0].balance = 25   (was 20)";
    assert!(page.out.contains(part), "{}", page.out);
}

/// Where two executions end in other values, only the parts that differ are put side by side.
#[test]
fn two_ends_differ_in_parts() {
    let stage = Stage::with(&BANK.replace("async Note(b);", "maybe { async Note(b); }"));
    let mut ends = Vec::new();
    for seed in 1..20 {
        let (seed, out) = (seed.to_string(), format!("o{seed}"));
        let run = ["sim", "a.song", "--seed", &seed, "--out", &out];
        stage.run(&run);
        let saved = format!("{out}/a.sim.trace");
        let ran = stage.run(&["show", &saved]);
        let is_first = ran.out.contains("bank[Branch#0]");
        let is_long = ran.out.contains("Close(");
        if is_first && !ends.iter().any(|(known, _)| *known == is_long) {
            ends.push((is_long, format!("{out}/a.sim.trace")));
        }
    }
    ends.sort();
    let [(false, short), (true, long)] = &ends[..] else {
        panic!("both ends should be among the first: {ends:?}");
    };
    let diff = stage.run(&["diff", short, long]).exits(1).out;
    assert!(
        diff.contains("bank[Branch#0].last.unwrap().balance = 0   right: 5"),
        "{diff}"
    );
    assert!(
        diff.contains("bank[Branch#0].open: only right {Branch#1}"),
        "{diff}"
    );
    assert!(!diff.contains("Office {"), "{diff}");
}

/// The trace of one song stays when another one is checked, whatever it is called and wherever it lies.
#[test]
fn a_trace_of_another_song_is_not_overwritten() {
    let stage = Stage::with(songs::RACE);
    std::fs::create_dir(stage.path("sub")).expect("a folder");
    for other in ["b.song", "sub/a.song"] {
        stage.write(other, songs::RACE);
        let first = stage.run(&["check", "./a.song"]).exits(1).out;
        assert!(first.contains("trace out/a.same.trace"), "{first}");
        let before = stage.read("out/a.same.trace");
        let second = stage.run(&["check", other]).exits(1).out;
        let own = match other {
            "b.song" => "out/b.same.trace",
            _ => "out/a.same-2.trace",
        };
        assert!(second.contains(&format!("trace {own}")), "{second}");
        assert_eq!(stage.read("out/a.same.trace"), before);
        assert!(stage.read(own).contains(other), "{own}");
        let again = stage.run(&["check", other]).exits(1).out;
        assert!(again.contains(&format!("trace {own}")), "{again}");
    }
}
