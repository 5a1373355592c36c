//! `plainsong/step`: choosing what happens next, going back, other branches, beside the execution that refutes something.

use crate::client::{Client, URI, document};
use serde_json::{Value, json};

const SONG: &str = "\
sort Client;

message Hello(from: Client);

process server {
    var first: option<Client> = none;
    for c in Client {
        receive Hello(who) from any client;
        if first == none { first = some(who); }
    }
}

process client[c: Client] {
    send Hello(c) to server;
}

property never: always server.first == none;
";

fn step(client: &mut Client, more: Value) -> Value {
    let mut params = document();
    for (name, value) in more.as_object().expect("an object") {
        params[name] = value.clone();
    }
    client.ask("plainsong/step", params)
}

#[test]
fn steps_are_chosen_taken_back_and_branched() {
    let mut client = Client::new(json!({ "check": "off" }));
    client.open(SONG);
    let begun = step(
        &mut client,
        json!({ "sizes": { "Client": 2 }, "html": true }),
    );
    let page = begun["html"].as_str().expect("a page");
    assert!(page.starts_with("<!doctype html>") && page.contains("\"stepping\""));
    let choices = |answer: &Value, after: usize| -> Vec<(u64, String)> {
        let all = answer["book"]["stories"][0]["stepping"]["choices"][after].as_array();
        let all = all.expect("choices").iter();
        all.map(|one| {
            let words = one["words"].as_str().expect("words").to_owned();
            (one["position"].as_u64().expect("a position"), words)
        })
        .collect()
    };
    let first = choices(&begun, 0);
    assert_eq!(first.len(), 2, "each client may send: {first:?}");
    assert!(first[0].1.contains("client[0]"), "{first:?}");

    // One after the other, until nothing is left; what could have happened stays known.
    let mut path: Vec<u64> = Vec::new();
    loop {
        let now = step(&mut client, json!({ "path": path }));
        assert!(now["html"].is_null());
        assert_eq!(now["path"], json!(path));
        assert_eq!(choices(&now, 0), first);
        let story = &now["book"]["stories"][0];
        let events = story["runs"][0]["events"].as_array().expect("events");
        assert_eq!(events.len(), path.len());
        match choices(&now, path.len()).first() {
            Some((position, _)) => path.push(*position),
            None => {
                assert_eq!(story["runs"][0]["ending"]["verdict"], "fine");
                let truth = &story["runs"][0]["truths"][0];
                assert_eq!(truth["property"], "never");
                assert_eq!(
                    truth["holds"].as_array().expect("values").last(),
                    Some(&json!(false))
                );
                break;
            }
        }
    }
    assert_eq!(path.len(), 4, "two messages are sent and received");
    let branch = step(&mut client, json!({ "path": [first[1].0] }));
    let event = &branch["book"]["stories"][0]["runs"][0]["events"][0];
    assert_eq!(event["label"], "Hello(Client#1)");

    // What is not possible is told; so is what is no song.
    let mut params = document();
    params["path"] = json!([99]);
    let refused = client.refusal("plainsong/step", params);
    assert!(refused.contains("99"), "{refused}");
    client.replace("process {");
    let refused = client.refusal("plainsong/step", document());
    assert!(refused.contains("mistakes"), "{refused}");
    client.end();
}

#[test]
fn steps_stand_beside_the_execution_that_refutes() {
    let mut client = Client::new(json!({ "check": "save", "timeout": 60 }));
    client.open(SONG);
    while !client
        .diagnostics()
        .iter()
        .any(|one| one["code"] == "refuted")
    {}
    let whole = step(&mut client, json!({ "refuting": "never" }));
    let path = whole["path"].as_array().expect("a path").clone();
    assert!(!path.is_empty());
    let story = &whole["book"]["stories"][0];
    assert_eq!(story["runs"].as_array().expect("runs").len(), 2);
    assert_eq!(story["compared"]["names"][1], "the failing execution");
    let begun = step(&mut client, json!({ "refuting": "never", "path": [] }));
    assert_eq!(begun["path"], json!([]));
    let mut params = json!({ "textDocument": { "uri": URI }, "refuting": "no_deadlock" });
    let refused = client.refusal("plainsong/step", params.clone());
    assert!(
        refused.contains("no execution that refutes `no_deadlock`"),
        "{refused}"
    );
    client.replace(&format!("{SONG}\n"));
    params["refuting"] = json!("never");
    let refused = client.refusal("plainsong/step", params);
    assert!(refused.contains("changed"), "{refused}");
    client.end();
}
