//! The JSON stream.

use crate::counterexamples::refuted;
use crate::scenes;
use expect_test::expect;
use plainsong_report::stream::{self, Record, Start, Summary};

#[test]
fn the_first_and_the_last_line() {
    let start = Record::Start(Start {
        schema: stream::SCHEMA,
        tool: "plainsong 0.1.0".to_owned(),
        verb: "check".to_owned(),
        files: vec!["demo.song".to_owned()],
    });
    let verdict = stream::verdict(&refuted("agreement", scenes::late_commit()));
    let summary = Record::Summary(Summary {
        resume: None,
        verdicts: vec![verdict.clone()],
        exit: 1,
    });
    expect![[r#"
        {"event":"start","schema":1,"tool":"plainsong 0.1.0","verb":"check","files":["demo.song"]}
        {"event":"verdict","file":"demo.song","property":"agreement","engine":"states","verdict":"refuted","bound":{"Db":2},"reason":"the assertion fails","seconds":0.0213,"cached":false,"states":12480,"trace":"out/agreement.trace","events":12}
        {"event":"summary","verdicts":[{"event":"verdict","file":"demo.song","property":"agreement","engine":"states","verdict":"refuted","bound":{"Db":2},"reason":"the assertion fails","seconds":0.0213,"cached":false,"states":12480,"trace":"out/agreement.trace","events":12}],"exit":1}
    "#]].assert_eq(&format!(
        "{}{}{}",
        start.line(),
        verdict.line(),
        summary.line()
    ));
}
