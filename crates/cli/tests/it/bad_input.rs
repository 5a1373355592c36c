//! Bad input of every kind: a clear message, exit code 3, no panic.

use crate::songs;
use crate::stage::Stage;

#[track_caller]
fn refused(stage: &Stage, arguments: &[&str], parts: &[&str]) {
    let ran = stage.run(arguments).exits(3);
    for part in parts {
        assert!(
            ran.err.contains(part),
            "{part:?} is missing in\n{}",
            ran.err
        );
    }
}

#[test]
fn files_that_are_none() {
    let stage = Stage::with(songs::FINE);
    refused(
        &stage,
        &["check", "b.song"],
        &[
            "error: b.song: there is no such file",
            "did you mean `a.song`?",
        ],
    );
    refused(&stage, &["sim", "."], &["this is a folder", "a.song"]);
    stage.write("b.song", b"\x00\xff\xfe\x80");
    for verb in ["check", "sim", "fmt", "dump", "explore"] {
        refused(
            &stage,
            &[verb, "b.song"],
            &["b.song: this is not UTF-8 text"],
        );
    }
    let file = std::fs::File::create(stage.path("large.song")).expect("made");
    file.set_len(33 * 1024 * 1024).expect("sparse");
    refused(&stage, &["check", "large.song"], &["larger than 32 MB"]);
}

#[test]
fn no_files_at_all() {
    refused(
        &Stage::new(),
        &["check"],
        &["there is no `.song` file here", "plainsong new"],
    );
    refused(&Stage::new(), &["fmt"], &["there is no `.song` file here"]);
    Stage::with(songs::FINE).run(&["check"]).exits(0);
}

#[test]
fn nothing_to_check() {
    let stage = Stage::with("sort Db;\n");
    refused(&stage, &["check", "a.song"], &["nothing to check"]);
    refused(&stage, &["sim", "a.song"], &["nothing to run"]);
    refused(
        &Stage::with(""),
        &["check", "a.song"],
        &["nothing to check"],
    );
}

#[test]
fn unknown_properties_and_patterns() {
    let stage = Stage::with(songs::RACE);
    refused(
        &stage,
        &["check", "a.song", "--property", "some_ordre"],
        &[
            "there is no property `some_ordre`",
            "did you mean `some_order`?",
        ],
    );
    refused(
        &stage,
        &["check", "a.song", "--property", "zebra"],
        &["there is `assertions`, `no_deadlock`, `same`, `some_order`"],
    );
    refused(
        &stage,
        &["check", "a.song", "--match", "^z"],
        &["no property matches `^z`"],
    );
    refused(
        &stage,
        &["check", "a.song", "--match", "("],
        &["is not a regular expression"],
    );
}

#[test]
fn sizes_that_cannot_be() {
    let stage = Stage::with(songs::FINE);
    let size = |size: &str, parts: &[&str]| {
        for verb in ["check", "explore", "sim"] {
            refused(&stage, &[verb, "a.song", "--size", size], parts);
        }
    };
    size(
        "Clinet=2",
        &[
            "there is no sort or parameter `Clinet`",
            "did you mean `Client`?",
        ],
    );
    size(
        "Client=0",
        &["`Client` needs at least one member", "--size Client=2"],
    );
    size("Client=-1", &["needs at least one member"]);
    for nonsense in ["Client", "Client=", "Client=two", "Client=4..2", "=2"] {
        size(nonsense, &["--size"]);
    }
    refused(
        &stage,
        &["check", "a.song", "--size", "Client=1..999999999"],
        &["combinations"],
    );
    refused(
        &stage,
        &["sim", "a.song", "--size", "Client=1..2"],
        &["one execution has one size"],
    );
    refused(
        &stage,
        &["check", "a.song", "--bound", "depth=3"],
        &["there is no bound `depth`"],
    );
}

#[test]
fn a_size_that_follows_from_bounds() {
    let song = format!("sort Slot = 0..3;\n\n{}", songs::FINE);
    refused(
        &Stage::with(&song),
        &["check", "a.song", "--size", "Slot=2"],
        &["the size its bounds give it"],
    );
}

#[test]
fn a_delivery_model_where_nothing_is_sent() {
    let stage = Stage::with(songs::ACTIONS);
    refused(
        &stage,
        &["check", "a.song", "--delivery", "fifo"],
        &["nothing here sends messages"],
    );
    refused(
        &stage,
        &["check", "a.song", "--delivery", "pigeon"],
        &["unordered", "mailbox"],
    );
}

#[test]
fn garbage_that_is_text() {
    let garbage = "\u{0}\u{1}\u{7f}}}}{{{ process ::: ≠ receive \u{10ffff} on on on";
    let stage = Stage::with(garbage);
    for verb in ["check", "sim", "fmt", "dump", "explore"] {
        let ran = stage.run(&[verb, "a.song"]).exits(3);
        assert!(ran.err.contains("error["), "{verb}: {}", ran.err);
    }
    assert_eq!(
        stage.read("a.song"),
        garbage,
        "fmt changes nothing it does not understand"
    );
}

#[test]
fn deep_nesting() {
    let stage = Stage::new();
    for (open, close) in [
        ("(", ")"),
        ("!", ""),
        ("-", ""),
        ("{", "}"),
        ("if true { ", " } else { 1 }"),
    ] {
        let depth = 100_000;
        let expression = format!("{}1{}", open.repeat(depth), close.repeat(depth));
        stage.write("a.song", format!("const X: int = {expression};\n"));
        for verb in ["check", "fmt", "dump"] {
            stage.run(&[verb, "a.song"]).exits(3);
        }
    }
    let depth = 50_000;
    let blocks = format!("{}{}", "if true { ".repeat(depth), "} ".repeat(depth));
    stage.write("a.song", format!("process p {{ {blocks} }}\n"));
    stage.run(&["check", "a.song"]).exits(3);
}

#[test]
fn ten_megabytes() {
    let stage = Stage::new();
    let function = |number: usize| format!("fn f{number}(a: int) -> int {{ a + {number} }}\n");
    let mut song = songs::FINE.to_owned();
    let mut number = 0;
    while song.len() < 10_000_000 {
        song.push_str(&function(number));
        number += 1;
    }
    stage.write("a.song", &song);
    stage.run(&["check", "a.song"]).exits(0);
    stage.write("a.song", "x".repeat(10_000_000));
    stage.run(&["check", "a.song"]).exits(3);
    stage.write("a.song", "é ( ".repeat(2_000_000));
    let ran = stage.run(&["check", "a.song"]).exits(3);
    assert!(
        ran.err.len() < 1_000_000,
        "{} bytes of complaints",
        ran.err.len()
    );
}

#[cfg(unix)]
#[test]
fn an_output_folder_that_cannot_be() {
    let stage = Stage::with(songs::RACE);
    stage.write("out", "a file, not a folder");
    refused(
        &stage,
        &["check", "a.song"],
        &["cannot write out/a.same.trace", "--out"],
    );
}

#[test]
fn what_is_rejected_leaves_no_certificate() {
    let song = "sort Node;\n\nmessage Go;\n\nprocess node[n: Node] {\n    on Go {}\n}\n\ninit {\n    \
                let first = choose Node;\n    send Go to node[first];\n}\n\nproperty quiet: eventually quiescent;\n";
    let stage = Stage::with(song);
    let diverge = ["diverge", "a.song", "--certificate", "c.json", "--size"];
    refused(
        &stage,
        &[&diverge[..], &["Nodde=3"]].concat(),
        &["there is no sort or parameter `Nodde`"],
    );
    assert!(!stage.path("c.json").exists());
    stage.run(&[&diverge[..], &["Node=3"]].concat()).exits(0);
    let ran = stage.run(&["recheck", "c.json"]).exits(0);
    assert!(ran.out.contains("with Node=3 terminates"), "{}", ran.out);
}

#[test]
fn a_studio_of_no_folder_is_refused() {
    let stage = Stage::with(songs::RACE);
    refused(
        &stage,
        &["studio", "a.song"],
        &["a.song is not a folder", "plainsong studio DIR"],
    );
}
