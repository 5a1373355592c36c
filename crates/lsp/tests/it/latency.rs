//! How long typing has to wait: diagnostics of a song of 2,000 lines after a change.

use crate::client::Client;
use serde_json::json;
use std::time::{Duration, Instant};

/// A song of many parts that are all alike.
fn long_song(lines: usize) -> String {
    let mut text = String::from("sort Db;\n\n");
    let mut part = 0;
    while text.lines().count() < lines {
        text.push_str(&format!(
            "\
message Prepare{part};
message Vote{part}(yes: bool);
message Decide{part}(commit: bool);

process coordinator{part} {{
    var commit: bool = true;
    for d in Db {{ send Prepare{part} to db{part}[d]; }}
    for d in Db {{
        receive Vote{part}(yes) from any db{part};
        commit = commit && yes;
    }}
    for d in Db {{ send Decide{part}(commit) to db{part}[d]; }}
}}

process db{part}[d: Db] {{
    var outcome: option<bool> = none;
    receive Prepare{part} from coordinator{part};
    let yes = choose bool;
    send Vote{part}(yes) to coordinator{part};
    receive Decide{part}(c) from coordinator{part};
    assert c ==> yes;
    outcome = some(c);
}}

property agreement{part}: finally forall a, b: Db :: db{part}[a].outcome == db{part}[b].outcome;

"
        ));
        part += 1;
    }
    text
}

#[test]
fn diagnostics_of_two_thousand_lines_come_at_once() {
    let text = long_song(2_000);
    let mut client = Client::new(json!({ "check": "off" }));
    client.open(&text);
    assert_eq!(client.diagnostics().len(), 0);
    let place = json!({ "line": 1000, "character": 0 });
    let mut slowest = Duration::ZERO;
    let mut whole = Duration::ZERO;
    for round in 0..10 {
        let typed = if round % 2 == 0 { "x" } else { "" };
        let end = json!({ "line": 1000, "character": 1 - typed.len() });
        let began = Instant::now();
        client.change(json!([{ "range": { "start": place, "end": end }, "text": typed }]));
        let found = client.diagnostics().len();
        let took = began.elapsed();
        assert_eq!(found > 0, round % 2 == 0);
        slowest = slowest.max(took);
        whole += took;
    }
    let average = whole / 10;
    // Without optimization, and beside other tests, there is no more to say than that it is no matter of minutes.
    let most = match cfg!(debug_assertions) {
        true => Duration::from_secs(2),
        false => Duration::from_millis(50),
    };
    assert!(
        average < most,
        "{average:?} on average, {slowest:?} at most"
    );
    client.end();
}
