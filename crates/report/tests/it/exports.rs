//! Executions for other tools.

use crate::scenes;
use expect_test::{Expect, expect};
use plainsong_diagnostics::Span;
use plainsong_report::trace_file::{Header, SavedTrace};
use plainsong_report::{Page, Text, html, itf, json, mermaid, plantuml, shiviz, svg};
use plainsong_semantics::trace::{Ending, Trace};
use serde_json::Value;

fn saved(trace: Trace) -> SavedTrace {
    let header = Header {
        tool: "plainsong 0.1.0".to_owned(),
        file: "demo.song".to_owned(),
        property: Some("agreement".to_owned()),
        ..Header::default()
    };
    SavedTrace { header, trace }
}

fn every_scene() -> Vec<Trace> {
    vec![
        scenes::late_commit(),
        scenes::crossing(),
        scenes::handlers(),
        scenes::deadlock(),
        scenes::actions(),
        scenes::swap(),
        scenes::crowd(),
    ]
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(text);
}

#[test]
fn mermaid_draws_messages_as_arrows_and_the_rest_as_notes() {
    check(
        &mermaid(&scenes::late_commit()),
        expect![[r#"
        sequenceDiagram
            participant p0 as coordinator
            participant p1 as db[0]
            participant p2 as db[1]
            p0->>p1: Prepare
            Note over p1: db[0]: yes = true
            p0->>p2: Prepare
            Note over p2: db[1]: yes = false
            p2->>p0: Vote(false)
            p1->>p0: Vote(true)
            Note over p0: coordinator.commit = true
            p0->>p1: Decide(true)
            Note over p1: db[0].outcome = some(true)
            p0->>p2: Decide(true)
            Note over p2: here: the assertion fails
    "#]],
    );
    check(
        &mermaid(&scenes::crossing()),
        expect![[r#"
        sequenceDiagram
            participant p0 as left
            participant p1 as right
            p0-)p1: Hello(1) #35;1
            p1->>p0: Hello(2)
            p0-->>p1: Hello(1) #35;1
    "#]],
    );
}

#[test]
fn plantuml_likewise() {
    check(
        &plantuml(&scenes::handlers()),
        expect![[r#"
        @startuml
        hide footbox
        participant init
        participant "node[0]" as p0
        participant "node[1]" as p1
        participant "node[2]" as p2
        note over init : init
        note over init : root = 0
        init -> p0 : Search(0)
        p0 -> p2 : Search(0)
        p0 -> p1 : Search(0)
        p0 -> p0 : Adopt(0)
        note over p0 : node[0].parent = some(0)
        @enduml
    "#]],
    );
}

#[test]
fn a_change_is_a_note_over_the_one_whose_it_is() {
    let mut scene = scenes::Scene::new(&["left", "right"]);
    let number = scene.send(0, 1, "Hello(1)");
    let taken = scene.receive(number);
    taken.choices.push("loud = true".to_owned());
    taken.changes.push(scenes::change("right.got", "0", "1"));
    let mut trace = scene.end(Ending::Final);
    let sent = &mut trace.events[0];
    sent.changes
        .push(scenes::change("left.sent", "false", "true"));
    check(
        &mermaid(&trace),
        expect![[r#"
        sequenceDiagram
            participant p0 as left
            participant p1 as right
            p0->>p1: Hello(1)
            Note over p0: left.sent = true
            Note over p1: right: loud = true
            Note over p1: right.got = 1
    "#]],
    );
    check(
        &plantuml(&trace),
        expect![[r#"
        @startuml
        hide footbox
        participant "left" as p0
        participant "right" as p1
        p0 -> p1 : Hello(1)
        note over p0 : left.sent = true
        note over p1 : right: loud = true\nright.got = 1
        @enduml
    "#]],
    );
}

#[test]
fn shiviz_gets_vector_clocks() {
    check(
        &shiviz(&scenes::crossing()),
        expect![[r#"
        (?<event>.*)\n(?<host>\S*) (?<clock>{.*})

        send Hello(1) to right
        left {"left":1}
        send Hello(2) to left
        right {"right":1}
        receive Hello(2) from right
        left {"left":2,"right":1}
        receive Hello(1) from left
        right {"left":1,"right":2}
    "#]],
    );
}

#[test]
fn itf_has_a_state_at_the_start_and_after_each_event() {
    let trace = scenes::late_commit();
    let object: Value = serde_json::from_str(&itf(&saved(trace.clone()))).expect("JSON");
    assert_eq!(object["#meta"]["format"], "ITF");
    let states = object["states"].as_array().expect("states");
    assert_eq!(states.len(), trace.events.len() + 1);
    let outcome = &states[states.len() - 1]["db[0].outcome"];
    assert_eq!(outcome["tag"], "some");
    assert_eq!(outcome["value"], true);
    assert_eq!(states[0]["db[0].outcome"]["tag"], "none");
    let vars: Vec<&str> = object["vars"]
        .as_array()
        .expect("vars")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    for state in states {
        let known = vars.iter().filter(|name| state.get(**name).is_some());
        assert!(known.count() >= 2, "{state}");
    }
    assert!(object.get("loop").is_none());
}

#[test]
fn itf_says_where_a_loop_begins() {
    let mut trace = scenes::actions();
    trace.ending = Ending::Violated {
        property: "quiet".to_owned(),
        span: Span::new(0, 1),
        why: "repeats for ever: the last 2 events lead back to where they began".to_owned(),
    };
    let object: Value = serde_json::from_str(&itf(&saved(trace))).expect("JSON");
    assert_eq!(object["loop"], 1);
}

#[test]
fn json_has_everything_by_name() {
    for trace in every_scene() {
        let object: Value = serde_json::from_str(&json(&saved(trace.clone()))).expect("JSON");
        assert_eq!(object["schema"], 1);
        let events = object["events"].as_array().expect("events");
        assert_eq!(events.len(), trace.events.len());
        let left = object["undelivered"].as_array().expect("messages");
        assert_eq!(left.len(), trace.undelivered.len());
    }
    let object: Value = serde_json::from_str(&json(&saved(scenes::deadlock()))).expect("JSON");
    assert_eq!(object["ending"]["waiting"][1]["lane"], "server");
}

#[test]
fn every_trace_has_a_small_picture_that_is_well_formed() {
    for trace in every_scene() {
        let picture = svg("a < b & \"c\"", &trace);
        assert!(picture.starts_with("<svg "), "{picture}");
        assert!(picture.contains("a &lt; b &amp; &quot;c&quot;"));
        assert!(picture.len() < 16_000, "{} bytes", picture.len());
        assert_eq!(balance(&picture), 0, "{picture}");
        for lane in &trace.lanes {
            assert!(picture.contains(&format!(">{lane}</text>")), "{lane}");
        }
    }
    let picture = svg("", &scenes::late_commit());
    for label in [
        "Vote(true)",
        "Vote(false)",
        "Decide(true)",
        "here: the assertion fails",
    ] {
        assert!(picture.contains(label), "{label}");
    }
}

/// Elements opened and not closed.
fn balance(xml: &str) -> i64 {
    let mut open = 0;
    for tag in xml.split('<').skip(1) {
        let tag = &tag[..tag.find('>').expect("a tag ends")];
        open += match (tag.starts_with('/'), tag.ends_with('/')) {
            (true, _) => -1,
            (false, true) => 0,
            (false, false) => 1,
        };
        assert!(open >= 0, "closed before it was opened: {tag}");
    }
    open
}

#[test]
fn a_page_carries_its_story_and_fetches_nothing() {
    let saved = saved(scenes::late_commit());
    let text = "process a {} // </script><script>alert(1)</script>\n";
    let page = html(&Page {
        saved: &saved,
        source: Some(Text {
            name: "demo.song",
            text,
        }),
        truths: &[],
        race: None,
        other_truths: &[],
        note: None,
    });
    assert!(page.contains("<title>agreement \u{2013} demo.song</title>"));
    assert!(!page.contains("alert(1)</script>"), "text stays text");
    assert_eq!(page.matches("<script").count(), 2);
    for address in ["src=", "href=", "@import", "url(", "fetch(", "https://"] {
        assert!(!page.contains(address), "{address}");
    }
    let start = page.find("id=\"story\">").expect("a story") + "id=\"story\">".len();
    let end = start + page[start..].find("</script>").expect("it ends");
    let story: Value = serde_json::from_str(&page[start..end]).expect("JSON");
    let story = &story["stories"][0];
    assert_eq!(story["source"][0], text.trim_end());
    assert_eq!(story["runs"][0]["lanes"][1], "db[0]");
    assert_eq!(story["runs"][0]["ending"]["verdict"], "REFUTED");
}
