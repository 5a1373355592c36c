//! Refutations and plain executions.

use crate::{plain, scenes};
use expect_test::{Expect, expect};
use plainsong_report::{Answer, Text, counterexample, execution};
use plainsong_semantics::trace::Trace;
use plainsong_semantics::verdict::Verdict;
use std::collections::BTreeMap;

const SOURCE: Text<'static> = Text {
    name: "demo.song",
    text: "sort Db;\nprocess client {\n}\nprocess server {\n}\n",
};

pub(crate) fn refuted(property: &str, trace: Trace) -> Answer {
    Answer {
        file: "demo.song".to_owned(),
        engine: "states".to_owned(),
        seconds: 0.0213,
        verdict: Verdict {
            states: Some(12_480),
            trace: Some(trace),
            ..Verdict::refuted(
                property,
                BTreeMap::from([("Db".to_owned(), "2".to_owned())]),
                "the assertion fails",
            )
        },
        cached: 0,
        trace_path: Some(format!("out/{property}.trace")),
        account: None,
        declared: None,
        tried: Vec::new(),
        next: None,
        seed: None,
    }
}

fn check(property: &str, trace: Trace, expected: Expect) {
    expected.assert_eq(&plain(&counterexample(SOURCE, &refuted(property, trace))));
}

#[test]
fn a_failed_assertion() {
    check(
        "assertions",
        scenes::late_commit(),
        expect![[r#"
            REFUTED assertions   demo.song:1:5
              db[1]: the assertion fails: c ==> yes is false: c = true, yes = false

                coordinator            db[0]   db[1]
                     |-- Prepare ------->|       |   db[0]: yes = true
                     |-- Prepare --------------->|   db[1]: yes = false
                     |<----------- Vote(false) --|
                     |<---- Vote(true) --|       |
                     |-- Decide(true) -->|       |
                     |-- Decide(true) ---------->|   <- here: the assertion fails

              state:       db[0].outcome = some(true)   (was none)
                           coordinator.commit = true   (was false)
              replay: plainsong replay out/assertions.trace      as a test: ... --to-test
        "#]],
    );
}

#[test]
fn a_deadlock() {
    check(
        "no_deadlock",
        scenes::deadlock(),
        expect![[r#"
            REFUTED no_deadlock   demo.song:2:2
              nothing can happen, and client waits for Welcome from server (line 2), server waits for Bye from any client (line 4)

                client       server
                   |-- Hello ...|

              waiting:     client waits for Welcome from server (line 2)
                           server waits for Bye from any client (line 4)
              undelivered: Hello from client to server
              replay: plainsong replay out/no_deadlock.trace      as a test: ... --to-test
        "#]],
    );
}

#[test]
fn a_violated_property_of_actions() {
    check(
        "held",
        scenes::actions(),
        expect![[r#"
            REFUTED held   demo.song:1:1
              owner != none is false: owner = none

                1  init         leaves Acquire(0), leaves Acquire(1)
                2  Acquire(1)   leaves Release(1), owner = some(1)
                3  Release(1)   owner = none   <- here: held is false

              replay: plainsong replay out/held.trace      as a test: ... --to-test
        "#]],
    );
}

#[test]
fn an_execution_on_its_own() {
    expect![[r#"
        demo.song
            init            node[0]          node[1]   node[2]
              * init           |                |         |   root = 0
              |-- Search(0) -->|                |         |
              |                |-- Search(0) ------------>|
              |                |-- Search(0) -->|         |
              |                |-- Adopt(0) -> self       |

          undelivered: Search(1) from node[1] to node[2]
          state:       node[0].parent = some(0)   (was none)
          stopped by the limit on steps
    "#]]
    .assert_eq(&format!(
        "demo.song\n{}",
        plain(&execution(SOURCE, &scenes::handlers(), &[]))
    ));
}
