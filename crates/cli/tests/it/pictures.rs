//! What a check looks like, from end to end.

use crate::songs;
use crate::stage::Stage;
use expect_test::expect;

#[test]
fn a_race() {
    let ran = Stage::with(songs::RACE).run(&["check", "a.song"]).exits(1);
    expect![[""]].assert_eq(&ran.timeless());
}

#[test]
fn a_deadlock() {
    let ran = Stage::with(songs::DEADLOCK).run(&["check", "a.song"]).exits(1);
    expect![[""]].assert_eq(&ran.timeless());
}

#[test]
fn a_failed_assertion() {
    let ran = Stage::with(songs::ASSERTION).run(&["check", "a.song"]).exits(1);
    expect![[""]].assert_eq(&ran.timeless());
}

#[test]
fn actions() {
    let ran = Stage::with(songs::ACTIONS).run(&["check", "a.song"]).exits(1);
    expect![[""]].assert_eq(&ran.timeless());
}

#[test]
fn colours_only_where_they_are_wanted() {
    let stage = Stage::with(songs::RACE);
    assert!(!stage.run(&["check", "a.song"]).out.contains('\u{1b}'));
    assert!(stage.run(&["check", "a.song", "--color", "always"]).out.contains("\u{1b}["));
    let slip = Stage::with(songs::SLIP);
    assert!(!slip.run(&["check", "a.song", "--color", "never"]).err.contains('\u{1b}'));
    assert!(slip.run(&["check", "a.song", "--color", "always"]).err.contains("\u{1b}["));
}
