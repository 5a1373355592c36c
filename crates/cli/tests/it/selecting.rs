//! Which properties, and which engine.

use crate::songs;
use crate::stage::Stage;

fn checked(arguments: &[&str]) -> Vec<String> {
    let stage = Stage::with(songs::RACE);
    let ran = stage.run(&[&["check", "a.song"], arguments].concat());
    ran.out
        .lines()
        .filter(|line| {
            let verdicts = ["  proved   ", "  holds   ", "  REFUTED   "];
            verdicts.iter().any(|verdict| line.starts_with(verdict))
        })
        .filter_map(|line| line.split_whitespace().nth(1))
        .map(str::to_owned)
        .collect()
}

#[test]
fn by_name_and_by_pattern() {
    assert_eq!(
        checked(&[]),
        ["assertions", "no_deadlock", "some_order", "same"]
    );
    assert_eq!(checked(&["--property", "same"]), ["same"]);
    assert_eq!(
        checked(&["--property", "same", "--property", "no_deadlock"]),
        ["no_deadlock", "same"]
    );
    assert_eq!(checked(&["--match", "^s"]), ["some_order", "same"]);
    assert_eq!(checked(&["--match", "^s", "--property", "same"]), ["same"]);
}

#[test]
fn what_is_not_selected_does_not_count() {
    let stage = Stage::with(songs::RACE);
    stage
        .run(&["check", "a.song", "--property", "some_order"])
        .exits(0);
    stage.write("b.song", songs::FINE);
    let ran = stage
        .run(&["check", "a.song", "b.song", "--property", "all_done"])
        .exits(0);
    assert!(
        !ran.out.contains("a.song"),
        "nothing was asked of it: {}",
        ran.out
    );
}

#[test]
fn a_list() {
    let ran = Stage::with(songs::RACE)
        .run(&["check", "a.song", "--list", "--match", "same|dead"])
        .exits(0);
    let names: Vec<&str> = ran
        .out
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(names, ["a.song", "no_deadlock", "same"]);
    assert!(ran.out.contains("finally"), "{}", ran.out);
}

#[test]
fn the_engine_a_property_asks_for() {
    let song = songs::BY_ANOTHER.replace("by refine", "by refine, explore");
    let ran = Stage::with(&song).run(&["check", "a.song"]).exits(0);
    let line = ran
        .out
        .lines()
        .find(|line| line.contains(" got "))
        .expect("its line");
    assert!(
        line.contains("explore") && line.contains("1 execution"),
        "{line}"
    );
    assert!(
        ran.out.contains("states"),
        "the others are answered as usual: {}",
        ran.out
    );
}

#[test]
fn choreographies_are_properties_of_their_own_name() {
    let stage = Stage::with(songs::LINE);
    let ran = stage.run(&["check", "a.song"]).exits(0);
    assert!(ran.out.contains("proved     swap "), "{}", ran.out);
    let broken = songs::LINE.replace("b.v = a.t;", "b.v = b.t;");
    let ran = Stage::with(&broken)
        .run(&["check", "a.song", "--property", "swap"])
        .exits(1);
    assert!(ran.out.contains("REFUTED    swap "), "{}", ran.out);
}
