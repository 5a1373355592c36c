//! `plainsong test`: songs as a test suite.

use crate::songs;
use crate::stage::Stage;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

fn suite() -> Stage {
    let stage = Stage::new();
    std::fs::create_dir_all(stage.path("s/deep")).expect("folders");
    let right = format!(
        "// What: fine.\n// expect check(Client=2): holds\n{}",
        songs::FINE
    );
    stage.write("s/right.song", right);
    let wrong = format!(
        "// What: a race.\n// expect check(Client=2): holds\n{}",
        songs::RACE
    );
    stage.write("s/deep/wrong.song", wrong);
    let named = format!("// expect check(Client=2): same refuted\n{}", songs::RACE);
    stage.write("s/deep/named.song", named);
    stage.write("s/silent.song", songs::FINE);
    stage
}

#[test]
fn a_folder_is_a_suite_and_failures_come_last() {
    let stage = suite();
    let ran = stage.run(&["test", "s"]).exits(1);
    let told: Vec<&str> = ran.out.lines().take(4).collect();
    let order = [
        "deep/named.song",
        "deep/wrong.song",
        "right.song",
        "silent.song",
    ];
    for (line, name) in told.iter().zip(order) {
        assert!(line.contains(name), "{line}");
    }
    assert!(
        told[0].starts_with("ok ") && told[1].starts_with("FAILED"),
        "{}",
        ran.out
    );
    assert!(
        told[3].contains("no expectations: nothing may be refuted (3 fine"),
        "{}",
        ran.out
    );
    let (_, failures) = ran.out.split_once("failures:").expect("failures");
    assert!(
        failures.contains("   2 | // expect check(Client=2): holds"),
        "{failures}"
    );
    assert!(
        failures.contains("= `same` should be holds, but it is refuted"),
        "{failures}"
    );
    assert!(!failures.contains("named.song"), "{failures}");
    assert!(
        ran.out.contains("3 passed, 1 failed: 4 songs in "),
        "{}",
        ran.out
    );
}

#[test]
fn the_number_of_workers_makes_no_difference() {
    let stage = suite();
    let run = |jobs: &str| {
        let ran = stage.run(&["test", "s", "--jobs", jobs, "--json"]).exits(1);
        let lines = ran.out.lines().map(|line| match line.find(",\"seconds\"") {
            Some(at) => line[..at].to_owned(),
            None => line.to_owned(),
        });
        lines.collect::<Vec<_>>()
    };
    let one = run("1");
    assert_eq!(one, run("3"));
    assert!(
        one.last().is_some_and(|line| line.contains("\"exit\":1")),
        "{one:?}"
    );
    assert_eq!(
        one.iter()
            .filter(|line| line.contains("\"event\":\"test\""))
            .count(),
        4
    );
}

#[test]
fn a_song_without_expectations_fails_when_something_is_refuted_or_wrong() {
    let stage = Stage::with(songs::RACE);
    let ran = stage.run(&["test"]).exits(1);
    assert!(
        ran.out.contains("`same` is refuted: c = Client#"),
        "{}",
        ran.out
    );
    stage.write("a.song", "process p { send Nothing to q; }");
    let ran = stage.run(&["test", "-q"]).exits(1);
    assert!(ran.out.contains("= error["), "{}", ran.out);
    stage.write("a.song", "// expect chekc: holds\n");
    stage.run(&["test"]).exits(1);
}

#[test]
fn filters_reports_and_what_is_refused() {
    let stage = suite();
    let ran = stage
        .run(&["test", "s", "--filter", "right", "--junit", "j.xml"])
        .exits(0);
    assert!(
        ran.out.contains("1 passed, 0 failed: 1 song in"),
        "{}",
        ran.out
    );
    assert!(stage.read("j.xml").contains("right.song"));
    let both = ["test", "s", "--junit", "j.xml", "--sarif", "s.sarif"];
    stage.run(&both).exits(1);
    let sarif = stage.read("s.sarif");
    let parts = ["\"expectation\"", "\"startLine\": 2", "`same`"];
    assert!(parts.iter().all(|part| sarif.contains(part)), "{sarif}");
    let junit = stage.read("j.xml");
    assert!(
        junit.contains("failures=\"1\"") && junit.contains("line 2: `same`"),
        "{junit}"
    );
    stage.run(&["test", "s", "--filter", "nowhere"]).exits(3);
    stage.run(&["test", "missing"]).exits(1);
    std::fs::create_dir(stage.path("empty")).expect("a folder");
    stage.run(&["test", "empty"]).exits(3);
}

#[test]
fn check_takes_folders() {
    let stage = suite();
    let ran = stage.run(&["check", "s/deep", "s/right.song"]).exits(1);
    for name in ["s/deep/named.song", "s/deep/wrong.song", "s/right.song"] {
        assert!(ran.out.contains(name), "{name}: {}", ran.out);
    }
    assert!(!ran.out.contains("silent"), "{}", ran.out);
}

#[test]
fn what_changes_is_run_again() {
    let stage = suite();
    let mut child = stage
        .command(&["test", "s", "--watch"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut until = |part: &str| {
        let mut seen = Vec::new();
        for line in lines.by_ref() {
            let line = line.expect("text");
            let is_last = line.contains(part);
            seen.push(line);
            if is_last {
                break;
            }
        }
        seen.join("\n")
    };
    let first = until("watching");
    assert!(first.contains("3 passed, 1 failed: 4 songs"), "{first}");
    let mended = format!("// expect check(Client=2): same refuted\n{}", songs::RACE);
    stage.write("s/deep/wrong.song", mended);
    let again = until("watching");
    assert!(again.contains("1 passed, 0 failed: 1 song in"), "{again}");
    child.kill().expect("it ends");
    child.wait().expect("it ended");
}
