//! The first five minutes.

use crate::stage::Stage;
use std::time::{Duration, Instant};

#[test]
fn a_new_project_has_one_mistake_and_is_checked_within_a_second() {
    let stage = Stage::new();
    let ran = stage.run(&["new", "demo"]).exits(0);
    assert!(ran.out.contains("cd demo"), "{}", ran.out);
    assert!(
        stage
            .read("demo/README.md")
            .contains("plainsong sim demo.song")
    );
    stage.run_in("demo", &["fmt", "--check"]).exits(0);
    let began = Instant::now();
    let ran = stage.run_in("demo", &["check"]).exits(1);
    assert!(
        began.elapsed() < Duration::from_secs(1),
        "{:?}",
        began.elapsed()
    );
    assert!(ran.out.contains("proved     agreement"), "{}", ran.out);
    assert!(ran.out.contains("REFUTED    unanimous"), "{}", ran.out);
    assert!(ran.out.contains("1 refuted, 3 fine."), "{}", ran.out);
    assert_eq!(ran.err, "");
}

#[test]
fn mending_the_mistake_makes_it_green() {
    let stage = Stage::new();
    stage.run(&["new", "demo"]).exits(0);
    let mended = stage
        .read("demo/demo.song")
        .replace("commit = yes;", "commit = commit && yes;");
    stage.write("demo/demo.song", mended);
    stage.run_in("demo", &["check"]).exits(0);
    stage.run_in("demo", &["check", "--size", "Db=3"]).exits(0);
}

#[test]
fn nothing_is_overwritten_and_names_are_plain() {
    let stage = Stage::new();
    stage.run(&["new", "demo"]).exits(0);
    let before = stage.read("demo/demo.song");
    let ran = stage.run(&["new", "demo"]).exits(3);
    assert!(ran.err.contains("is there already"), "{}", ran.err);
    assert_eq!(stage.read("demo/demo.song"), before);
    for name in ["a b", "", ".", "..", "x/..", "é"] {
        stage.run(&["new", name]).exits(3);
    }
    stage.run(&["new", "deep/er-2"]).exits(0);
    assert!(stage.path("deep/er-2/er-2.song").exists());
}
