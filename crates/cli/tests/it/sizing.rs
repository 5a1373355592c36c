//! Sizes: the command line beats `at` beats `size` beats the default.

use crate::songs;
use crate::stage::Stage;

fn line(song: &str, arguments: &[&str], property: &str) -> String {
    let stage = Stage::with(song);
    let ran = stage.run(&[&["check", "a.song", "-v"], arguments].concat());
    let found = ran
        .out
        .lines()
        .find(|line| line.contains(&format!(" {property} ")));
    found
        .unwrap_or_else(|| panic!("no {property} in\n{}\n{}", ran.out, ran.err))
        .to_owned()
}

#[test]
fn who_decides() {
    let file = format!("size Client = 3;\n\n{}", songs::FINE);
    let at = file.replace("property all_done:", "property all_done at Client = 1:");
    assert!(line(songs::FINE, &[], "all_done").contains("Client=2"));
    assert!(line(&file, &[], "all_done").contains("Client=3"));
    assert!(line(&at, &[], "all_done").contains("Client=1"));
    assert!(line(&at, &[], "no_deadlock").contains("Client=3"));
    assert!(line(&at, &["--size", "Client=4"], "all_done").contains("Client=4"));
}

#[test]
fn verbose_says_where_each_came_from() {
    let stage = Stage::with(songs::FINE);
    let ran = stage.run(&["check", "a.song", "-v"]).exits(0);
    assert!(ran.out.contains("Client=2 by default"), "{}", ran.out);
    let ran = stage
        .run(&["check", "a.song", "-v", "--size", "Client=3"])
        .exits(0);
    assert!(ran.out.contains("Client=3 from --size"), "{}", ran.out);
}

#[test]
fn a_range_is_tried_in_ascending_order_up_to_the_first_refutation() {
    assert!(line(songs::RACE, &["--size", "Client=1..3"], "some_order").contains("Client=1..=3"));
    let refuted = line(songs::RACE, &["--size", "Client=1..9"], "same");
    assert!(
        refuted.contains("REFUTED") && refuted.contains("Client=2 "),
        "{refuted}"
    );
}

#[test]
fn several_sizes_at_once() {
    let song = songs::FINE.replace("sort Client;", "sort Client;\nsort Extra;");
    let line = line(&song, &["--size", "Client=1,Extra=3"], "all_done");
    assert!(line.contains("Client=1, Extra=3"), "{line}");
}

#[test]
fn windows_of_integers_are_part_of_the_bound() {
    let line = |arguments: &[&str]| line(songs::LINE, arguments, "swap");
    assert!(line(&[]).contains("int=-2..=2"));
    assert!(line(&["--bound", "int=-1..1"]).contains("int=-1..=1"));
}
