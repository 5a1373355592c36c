//! Saved traces.

use crate::scenes;
use expect_test::expect;
use plainsong_report::trace_file::{Header, SavedTrace, hash, read, write};
use plainsong_semantics::trace::Trace;
use std::collections::BTreeMap;

fn saved(trace: Trace) -> SavedTrace {
    let header = Header {
        tool: "plainsong 0.1.0".to_owned(),
        file: "folder with\ttab/demo.song".to_owned(),
        hash: hash("sort Db;"),
        property: Some("agreement".to_owned()),
        sizes: BTreeMap::from([("Db".to_owned(), 2)]),
        limits: BTreeMap::from([("int".to_owned(), "-2..=2".to_owned())]),
        delivery: Some("fifo".to_owned()),
        seed: Some(7),
    };
    SavedTrace { header, trace }
}

#[test]
fn what_is_written_is_read_back() {
    let scenes = [
        scenes::late_commit(),
        scenes::crossing(),
        scenes::handlers(),
        scenes::deadlock(),
        scenes::actions(),
        scenes::swap(),
        scenes::crowd(),
    ];
    for scene in scenes {
        let saved = saved(scene);
        assert_eq!(read(&write(&saved)), Ok(saved));
    }
}

#[test]
fn one_event_per_line() {
    expect![[r#"
        plainsong trace  1
        tool  plainsong 0.1.0
        file  folder with\ttab/demo.song
        hash  091a4c9eb069eeba
        property  agreement
        size  Db  2
        limit  int  -2..=2
        delivery  fifo
        seed  7
        lane  node[0]
        lane  node[1]
        lane  node[2]
        event  -  1  init  init  -  3..7  step  0  choice  root = 0  sends  0  Search(0)  -  node[0]
        event  node[0]  1  handle  Search(0)  -  3..7  step  1  message  0  sends  1  Adopt(0)  node[0]  node[0]  sends  2  Search(0)  node[0]  node[1]  sends  3  Search(0)  node[0]  node[2]
        event  node[2]  1  handle  Search(0)  node[0]  3..7  step  2  message  3
        event  node[0]  2  handle  Adopt(0)  node[0]  3..7  step  3  message  1  change  node[0].parent  none  some(0)
        event  node[1]  1  handle  Search(0)  node[0]  3..7  step  4  message  2  sends  4  Search(1)  node[1]  node[2]
        end  cut
        undelivered  4  Search(1)  node[1]  node[2]
    "#]].assert_eq(&write(&saved(scenes::handlers())).replace('\t', "  "));
}

#[test]
fn damage_is_named_with_its_line() {
    let text = write(&saved(scenes::late_commit()));
    let error = |text: &str| read(text).expect_err("it is damaged").to_string();
    expect!["line 1: the trace has no `end` line"].assert_eq(&error(""));
    expect!["line 1: this is not a saved trace"].assert_eq(&error("\u{1}garbage\n\u{2}"));
    expect!["line 1: version 9 of the format is not known, only 1"]
        .assert_eq(&error(&text.replace("trace\t1", "trace\t9")));
    expect!["line 17: `swallow` is not a kind of event"]
        .assert_eq(&error(&text.replace("\treceive\t", "\tswallow\t")));
    expect!["line 15: `db[1]` has no `lane` line"]
        .assert_eq(&error(&text.replace("lane\tdb[1]\n", "")));
    let cut = text.rfind("end\t").expect("there is an end");
    expect!["line 26: the trace has no `end` line"].assert_eq(&error(&text[..cut]));
    for end in (0..text.len()).step_by(7) {
        let _ = read(&text[..end]);
    }
}
