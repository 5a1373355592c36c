//! The JSON stream: every line an object, the last one complete.

use crate::songs;
use crate::stage::{Ran, Stage};
use serde_json::Value;

fn stream(ran: &Ran) -> Vec<Value> {
    let parse =
        |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    ran.out.lines().map(parse).collect()
}

fn of<'a>(stream: &'a [Value], event: &str) -> Vec<&'a Value> {
    stream
        .iter()
        .filter(|record| record["event"] == event)
        .collect()
}

#[track_caller]
fn complete(ran: &Ran, code: i32) -> Vec<Value> {
    let stream = stream(ran);
    let first = stream.first().expect("a first line");
    assert_eq!(
        (&first["event"], &first["schema"]),
        (&"start".into(), &1.into())
    );
    let last = stream.last().expect("a last line");
    assert_eq!(
        (&last["event"], &last["exit"]),
        (&"summary".into(), &code.into())
    );
    let verdicts: Vec<Value> = of(&stream, "verdict").into_iter().cloned().collect();
    assert_eq!(last["verdicts"], Value::from(verdicts));
    stream
}

#[test]
fn a_verdict_has_all_its_fields() {
    let stage = Stage::with(songs::RACE);
    let ran = stage
        .run(&["check", "a.song", "--json", "--size", "Client=3"])
        .exits(1);
    let stream = complete(&ran, 1);
    let same = *of(&stream, "verdict")
        .iter()
        .find(|record| record["property"] == "same")
        .expect("same");
    assert_eq!(same["file"], "a.song");
    assert_eq!(same["engine"], "states");
    assert_eq!(same["verdict"], "refuted");
    assert_eq!(same["bound"], serde_json::json!({"Client": 3}));
    assert_eq!(same["trace"], "out/a.same.trace");
    assert!(
        same["reason"]
            .as_str()
            .expect("a sentence")
            .contains("server.first")
    );
    assert!(same["seconds"].is_f64() && same["states"].is_u64());
    let holds = *of(&stream, "verdict")
        .iter()
        .find(|record| record["property"] == "some_order")
        .expect("it");
    assert_eq!(holds["verdict"], "holds");
    assert!(holds.get("trace").is_none());
    assert_eq!(of(&stream, "covered").len(), 1);
    assert_eq!(ran.err, "");
}

#[test]
fn rejected_input_is_in_the_stream_too() {
    let stage = Stage::with(songs::SLIP);
    let stream = complete(&stage.run(&["check", "a.song", "--json"]).exits(3), 3);
    let diagnostic = of(&stream, "diagnostic")[0];
    assert_eq!(diagnostic["code"], "unknown-name");
    assert_eq!(
        (
            &diagnostic["labels"][0]["line"],
            &diagnostic["labels"][0]["column"]
        ),
        (&8.into(), &19.into())
    );
    let stream = complete(&stage.run(&["check", "none.song", "--json"]).exits(3), 3);
    assert_eq!(of(&stream, "error")[0]["file"], "none.song");
}

#[test]
fn unknown_properties_are_in_the_stream_too() {
    let stage = Stage::with(songs::FINE);
    let ran = stage
        .run(&["check", "a.song", "--json", "--property", "all_dnoe"])
        .exits(3);
    let stream = complete(&ran, 3);
    assert_eq!(of(&stream, "error")[0]["help"], "did you mean `all_done`?");
}

#[test]
fn no_files_is_a_complete_stream() {
    let ran = Stage::new().run(&["check", "--json"]).exits(3);
    complete(&ran, 3);
}

#[test]
fn several_files() {
    let stage = Stage::with(songs::FINE);
    stage.write("b.song", songs::RACE);
    let stream = complete(
        &stage.run(&["check", "a.song", "b.song", "--json"]).exits(1),
        1,
    );
    assert_eq!(stream[0]["files"], serde_json::json!(["a.song", "b.song"]));
    let traces: Vec<&Value> = of(&stream, "verdict")
        .into_iter()
        .filter_map(|one| one.get("trace"))
        .collect();
    assert_eq!(traces, ["out/b.same.trace"]);
}

#[test]
fn long_work_reports_progress() {
    let stage = Stage::with(songs::ENDLESS);
    let ran = stage
        .run(&["check", "a.song", "--json", "--timeout", "2.5"])
        .exits(2);
    let stream = complete(&ran, 2);
    let progress = of(&stream, "progress");
    assert!(!progress.is_empty());
    assert!(progress[0]["states"].as_u64().expect("a number") > 0);
    let quiet = stage
        .run(&["check", "a.song", "--json", "-q", "--timeout", "1.5"])
        .exits(2);
    assert!(of(&complete(&quiet, 2), "progress").is_empty());
}

#[test]
fn an_execution_step_by_step() {
    let stage = Stage::with(songs::FINE);
    let stream = complete(
        &stage
            .run(&["sim", "a.song", "--seed", "1", "--json"])
            .exits(0),
        0,
    );
    let execution = of(&stream, "execution")[0];
    assert_eq!(execution["ending"], "final");
    assert_eq!(execution["seed"], 1);
    let kinds: Vec<&Value> = execution["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|step| &step["kind"])
        .collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "receive").count(), 2);
}

#[test]
fn properties_are_listed() {
    let stage = Stage::with(songs::FINE);
    let stream = complete(
        &stage.run(&["check", "a.song", "--json", "--list"]).exits(0),
        0,
    );
    let names: Vec<&Value> = of(&stream, "property")
        .into_iter()
        .map(|one| &one["property"])
        .collect();
    assert_eq!(names, ["assertions", "no_deadlock", "all_done"]);
}
