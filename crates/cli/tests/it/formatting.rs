//! `fmt` and `dump`.

use crate::songs;
use crate::stage::Stage;

const UGLY: &str = "sort   Db ;message Hello;  // a comment\nprocess a{receive Hello;}\n";

#[test]
fn files_are_formatted_in_place_and_stay_so() {
    let stage = Stage::with(UGLY);
    stage.run(&["fmt", "--check", "a.song"]).exits(1);
    assert_eq!(stage.read("a.song"), UGLY, "--check changes nothing");
    let ran = stage.run(&["fmt", "a.song"]).exits(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
    let formatted = stage.read("a.song");
    assert_ne!(formatted, UGLY);
    assert!(formatted.contains("// a comment"), "{formatted}");
    stage.run(&["fmt", "--check", "a.song"]).exits(0);
    stage.run(&["fmt", "a.song"]).exits(0);
    assert_eq!(stage.read("a.song"), formatted);
}

#[test]
fn what_would_change_is_named() {
    let stage = Stage::with(UGLY);
    stage.write("b.song", songs::FINE);
    let ran = stage.run(&["fmt", "--check"]).exits(1);
    assert_eq!(ran.out, "a.song is not formatted\n");
}

#[test]
fn to_standard_output_and_from_standard_input() {
    let stage = Stage::with(UGLY);
    let printed = stage.run(&["fmt", "--stdout", "a.song"]).exits(0).out;
    assert_eq!(stage.read("a.song"), UGLY);
    assert_eq!(stage.run_with(&["fmt", "-"], UGLY).exits(0).out, printed);
    stage.run(&["fmt", "a.song"]).exits(0);
    assert_eq!(stage.read("a.song"), printed);
}

#[test]
fn a_file_with_mistakes_is_left_alone() {
    let broken = "process a { send Hello to ; }\n";
    let stage = Stage::with(broken);
    stage.write("b.song", UGLY);
    let ran = stage.run(&["fmt", "a.song", "b.song"]).exits(3);
    assert!(ran.err.contains("error["), "{}", ran.err);
    assert_eq!(stage.read("a.song"), broken);
    assert_ne!(stage.read("b.song"), UGLY, "the others are formatted");
}

#[test]
fn a_dump_is_a_song_that_means_the_same() {
    let all = [
        songs::FINE,
        songs::RACE,
        songs::DEADLOCK,
        songs::ASSERTION,
        songs::ACTIONS,
        songs::LINE,
    ];
    for song in all {
        let stage = Stage::with(song);
        let dump = stage.run(&["dump", "a.song"]).exits(0).out;
        assert_eq!(stage.run_with(&["dump", "-"], &dump).exits(0).out, dump);
        let verdicts = |ran: crate::stage::Ran| {
            let words = |line: &str| {
                line.split_whitespace()
                    .take(2)
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            let lines = ran
                .out
                .lines()
                .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
            lines.map(words).collect::<Vec<_>>()
        };
        assert_eq!(
            verdicts(stage.run(&["check", "a.song"])).len(),
            verdicts(stage.run_with(&["check", "-"], &dump)).len()
        );
    }
}
