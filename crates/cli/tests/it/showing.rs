//! Saved executions for people and for other tools.

use crate::songs;
use crate::stage::Stage;
use serde_json::Value;

/// A refuted property, saved as `out/same.trace`.
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
        let picture = stage.read(&format!("out/{property}.svg"));
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
    assert!(ran.out.contains("saved: there/sim.trace"), "{}", ran.out);
    assert!(stage.read("there/sim.svg").contains("Hello(Client#0)"));
    let again = stage.run(&["replay", "there/sim.trace"]).exits(0);
    assert!(again.out.contains("it came to rest"), "{}", again.out);
    let shown = stage.run(&["show", "there/sim.trace"]).exits(0);
    assert!(shown.out.contains("-- Hello(Client#0) "), "{}", shown.out);
}

#[test]
fn every_format_has_something_to_say() {
    let stage = stage();
    let show = |format: &str| {
        stage
            .run(&["show", "out/same.trace", "--as", format])
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
    let shown = stage.run(&["show", "out/quiet.trace"]).exits(0);
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
        ("text", "same.txt"),
        ("html", "same.html"),
        ("svg", "same.svg"),
        ("mermaid", "same.mmd"),
        ("plantuml", "same.puml"),
        ("itf", "same.itf.json"),
        ("shiviz", "same.log"),
        ("json", "same.json"),
    ];
    for (format, name) in formats {
        let arguments = ["show", "out/same.trace", "--as", format, "--out", "there"];
        let ran = stage.run(&arguments).exits(0);
        assert_eq!(ran.out, format!("there/{name}\n"));
        assert!(!stage.read(&format!("there/{name}")).is_empty());
    }
}

#[test]
fn without_its_song_a_trace_is_shown_with_a_note() {
    let stage = stage();
    stage.write("a.song", songs::FINE);
    let ran = stage.run(&["show", "out/same.trace"]).exits(0);
    assert!(
        ran.out
            .contains("note: the song no longer follows this execution"),
        "{}",
        ran.out
    );
    std::fs::remove_file(stage.path("a.song")).expect("removed");
    let ran = stage.run(&["show", "out/same.trace"]).exits(0);
    assert!(
        ran.out.contains("note: the song was not found"),
        "{}",
        ran.out
    );
    let ran = stage
        .run(&["show", "out/same.trace", "--as", "html"])
        .exits(0);
    assert!(ran.out.contains("the song was not found"));
    stage
        .run(&["show", "out/same.trace", "--song", "none.song"])
        .exits(3);
}

#[test]
fn two_traces_side_by_side() {
    let stage = stage();
    let diff = |other: &str| stage.run(&["diff", "out/same.trace", other]);
    let same = diff("out/same.trace").exits(0).out;
    assert!(
        same.contains("every process does the same in both"),
        "{same}"
    );
    for seed in 0..10 {
        let seed = seed.to_string();
        stage.run(&["sim", "a.song", "--seed", &seed, "--out", "other"]);
        let ran = diff("other/sim.trace").exits(1);
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
    let again = stage.run(&["replay", "out/same.trace"]).exits(1);
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
