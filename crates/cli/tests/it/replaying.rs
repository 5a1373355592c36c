//! Saved traces.

use crate::songs;
use crate::stage::Stage;

#[test]
fn a_refutation_is_saved_and_replays() {
    let broken_line = songs::LINE.replace("b.v = a.t;", "b.v = b.t;");
    let refuted = [
        (songs::RACE, "same"),
        (songs::DEADLOCK, "no_deadlock"),
        (songs::ASSERTION, "assertions"),
        (songs::ACTIONS, "never_held"),
        (&broken_line, "swap"),
    ];
    for (song, property) in refuted {
        let stage = Stage::with(song);
        let ran = stage.run(&["check", "a.song"]).exits(1);
        let path = format!("out/a.{property}.trace");
        assert!(
            ran.out
                .contains(&format!("replay: plainsong replay {path}")),
            "{}",
            ran.out
        );
        assert!(stage.read(&path).starts_with("plainsong trace\t1\n"));
        let again = stage.run(&["replay", &path]).exits(1);
        assert!(
            again.out.starts_with(&format!("a.song  {property}")),
            "{}",
            again.out
        );
    }
}

/// Processes that have nothing to do with it are added: they come to their end by themselves.
#[test]
fn an_unrelated_edit_changes_nothing() {
    const STRANGERS: &str = "
message Hey;
process stranger { send Hey to friend; }
process friend { receive Hey from stranger; }
";
    for (song, property) in [(songs::RACE, "same"), (songs::DEADLOCK, "no_deadlock")] {
        let stage = Stage::with(song);
        stage.run(&["check", "a.song"]).exits(1);
        stage.write("a.song", format!("{song}{STRANGERS}"));
        let path = format!("out/a.{property}.trace");
        let ran = stage.run(&["replay", &path]).exits(1);
        assert!(ran.out.contains("still follows it"), "{}", ran.out);
    }
}

#[test]
fn a_property_that_is_gone_is_named() {
    let stage = Stage::with(songs::RACE);
    stage.run(&["check", "a.song"]).exits(1);
    let renamed = songs::RACE.replace("property same", "property alike");
    stage.write("a.song", renamed);
    let ran = stage.run(&["replay", "out/a.same.trace"]).exits(3);
    let gone = "the song has no property `same` any more";
    assert!(ran.err.contains(gone), "{}", ran.err);
}

/// A trace knows its song from any folder; if it is not there, one is told what to say.
#[test]
fn the_song_is_found_from_elsewhere() {
    let stage = Stage::with(songs::RACE);
    stage.run(&["check", "a.song"]).exits(1);
    let ran = stage.run_in("out", &["replay", "a.same.trace"]).exits(3);
    assert!(ran.err.contains("`--song FILE` says where"), "{}", ran.err);
    let trace = stage.path("out/a.same.trace");
    let trace = trace.to_str().expect("a path in Unicode");
    stage.run_in("out", &["replay", trace]).exits(1);
}

#[test]
fn parameters_that_nobody_chose_are_saved_too() {
    let song = "\
sort Node = 0..2;

param N: nat where N >= 1;
param rank: map<Node, bool> where !rank[0] && N < 3;

process a {
    assert rank[1] ==> N < 2;
}
";
    let stage = Stage::with(song);
    stage.run(&["check", "a.song"]).exits(1);
    let ran = stage.run(&["replay", "out/a.assertions.trace"]).exits(1);
    assert!(ran.out.contains("N = 2"), "{}", ran.out);
}

#[test]
fn the_same_picture_again() {
    let stage = Stage::with(songs::RACE);
    let checked = stage
        .run(&["check", "a.song", "--size", "Client=3"])
        .exits(1)
        .out;
    let replayed = stage.run(&["replay", "out/a.same.trace"]).exits(1).out;
    let picture = |text: &str| {
        text.lines()
            .filter(|line| line.contains('|'))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert!(!picture(&replayed).is_empty());
    assert_eq!(picture(&checked), picture(&replayed));
}

#[test]
fn a_changed_song_parts_from_the_trace() {
    let stage = Stage::with(songs::RACE);
    stage.run(&["check", "a.song"]).exits(1);
    stage.write("a.song", songs::RACE.replace("Hello", "Hi"));
    let ran = stage.run(&["replay", "out/a.same.trace"]).exits(2);
    assert!(
        ran.out.contains("the song has changed since"),
        "{}",
        ran.out
    );
    stage.write("b.song", songs::RACE);
    stage
        .run(&["replay", "out/a.same.trace", "--song", "b.song"])
        .exits(1);
}

#[test]
fn what_is_no_trace_is_refused() {
    let stage = Stage::with(songs::RACE);
    let ran = stage.run(&["replay", "a.song"]).exits(3);
    assert!(
        ran.err
            .contains("a.song: line 1: this is not a saved trace"),
        "{}",
        ran.err
    );
    stage.run(&["replay", "none.trace"]).exits(3);
}

#[test]
fn another_folder() {
    let stage = Stage::with(songs::RACE);
    let ran = stage
        .run(&["check", "a.song", "--out", "some/where"])
        .exits(1);
    assert!(
        ran.out.contains("trace some/where/a.same.trace"),
        "{}",
        ran.out
    );
    assert!(stage.path("some/where/a.same.trace").exists());
    assert!(!stage.path("out").exists());
}

#[test]
fn unrelated_edits_do_not_matter() {
    let refuted = [
        (songs::RACE, "same"),
        (songs::OVERTAKES, "quiet"),
        (songs::DEADLOCK, "no_deadlock"),
        (songs::ASSERTION, "assertions"),
        (songs::ACTIONS, "never_held"),
    ];
    for (song, property) in refuted {
        let stage = Stage::with(song);
        stage.run(&["check", "a.song"]).exits(1);
        let mut edited = format!("// A comment that moves everything.\n\n{song}");
        if song.contains("process") {
            edited = format!(
                "{edited}\nprocess another {{\n    var idle: bool = true;\n    \
                 idle = false;\n}}\n\nproperty more: always true;\n"
            );
        }
        stage.write("a.song", edited);
        let trace = format!("out/a.{property}.trace");
        let ran = stage.run(&["replay", &trace]);
        // A process that still has something to do would hide a deadlock or an end; it starts first.
        assert_eq!(ran.code, 1, "{property}: {}{}", ran.out, ran.err);
        assert!(ran.out.contains("still follows it"), "{}", ran.out);
        let shown = stage.run(&["show", &trace]).exits(0);
        assert!(shown.out.contains("still follows"), "{}", shown.out);
    }
}

#[test]
fn the_first_event_that_is_no_longer_possible_is_named() {
    let stage = Stage::with(songs::OVERTAKES);
    stage.run(&["check", "a.song"]).exits(1);
    let mended = songs::OVERTAKES.replace("send Reply to customer;", "send Closed to customer;");
    stage.write("a.song", mended);
    let ran = stage.run(&["replay", "out/a.quiet.trace"]).exits(2);
    let named = "event 5: `worker sends Reply to customer` is not possible here any more; what is: \
                 `worker sends Closed to customer`";
    assert!(ran.out.contains(named), "{}", ran.out);
}

#[test]
fn a_refutation_becomes_a_test_that_fails_until_it_is_mended() {
    let stage = Stage::with(songs::OVERTAKES);
    stage.run(&["check", "a.song"]).exits(1);
    let test = stage
        .run(&["replay", "out/a.quiet.trace", "--to-test"])
        .exits(0)
        .out;
    assert!(test.contains("fn quiet_stays_mended() {"), "{test}");
    stage.write("test.rs", test);
    let built = std::process::Command::new("rustc")
        .args(["--test", "--edition", "2024", "test.rs", "-o", "it"])
        .env("CARGO_MANIFEST_DIR", stage.path(""))
        .current_dir(stage.path(""))
        .status()
        .expect("there is a compiler");
    assert!(built.success());
    let passes = || {
        let mut test = std::process::Command::new(stage.path("it"));
        let test = test.env("PLAINSONG", env!("CARGO_BIN_EXE_plainsong"));
        test.output().expect("it runs").status.success()
    };
    assert!(!passes(), "the song is as broken as before");
    let told = songs::OVERTAKES.replace("told = true;", "");
    stage.write("a.song", told);
    assert!(passes(), "it ends well now");
    stage.run(&["sim", "a.song", "--seed", "1", "--out", "o"]);
    stage
        .run(&["replay", "o/a.sim.trace", "--to-test"])
        .exits(3);
}

#[test]
fn a_trace_with_faults_is_taken_again() {
    let stage = Stage::with(include_str!(
        "../../../../songs/language/fault-crash-and-restart.song"
    ));
    let ran = stage.run(&["explore", "a.song"]).exits(1);
    assert!(ran.out.contains("* crashes"), "{}", ran.out);
    for trace in ["out/a.no_deadlock.trace", "out/a.never_forgets.trace"] {
        let ran = stage.run(&["replay", trace]).exits(1);
        assert!(!ran.out.contains("no longer"), "{}", ran.out);
    }
}

/// Two who send a ball to and fro.
const BALL: &str = "\
message Ball;

process left {
    on Ball { send Ball to right; }
}

process right {
    on Ball { send Ball to left; }
}

init { send Ball to left; }

property quiet: eventually quiescent fair;
";

#[test]
fn what_never_rests_still_replays_beside_a_process_that_takes_no_part() {
    let stage = Stage::with(BALL);
    stage
        .run(&["check", "a.song", "--property", "quiet"])
        .exits(1);
    for more in [
        "process idle { var q: int = 3; }",
        "message Never;\ndaemon process waits { loop { receive Never; } }",
    ] {
        // A fair cycle does not pass over somebody who could begin.
        stage.write("a.song", format!("{BALL}\n{more}\n"));
        let ran = stage.run(&["replay", "out/a.quiet.trace"]);
        assert_eq!(ran.code, 1, "{more}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn a_variant_that_gets_a_namesake_is_still_the_same() {
    let song = "\
enum Place { Home, Away }

message Go(place: Place);

process a {
    let place = choose Place;
    send Go(place) to b;
}

process b {
    var at: Place = Home;
    receive Go(place) from a;
    at = place;
}

property stays: finally b.at == Home;
";
    let stage = Stage::with(song);
    let ran = stage.run(&["check", "a.song"]).exits(1);
    assert!(
        ran.out.contains("b.at == Home is false: b.at = Away"),
        "{}",
        ran.out
    );
    let edited = song
        .replace("Home;", "Place::Home;")
        .replace("== Home", "== Place::Home");
    stage.write("a.song", format!("enum Trip {{ Home, Away }}\n{edited}"));
    let ran = stage.run(&["replay", "out/a.stays.trace"]).exits(1);
    assert!(ran.out.contains("b.at = Place::Away"), "{}", ran.out);
}

/// A cycle that rests on what the song declares is a cycle only where that is still compatible: the events are the same in all
/// of these songs.
#[test]
fn a_period_by_covers_is_shown_again() {
    const PAUSES: &str = "message Timeout;
process client {
    var pause: nat = 1;
    var waited: nat = 0;
    covers pause >= old(pause) && waited >= old(waited);
    on Timeout {
        waited = waited + pause;
        pause = pause * 2;
        if waited >= 0 { send Timeout to client; }
    }
}
init { send Timeout to client; }
property quiet: eventually quiescent;
";
    let stage = Stage::with(PAUSES);
    let ran = stage.run(&["diverge", "a.song"]).exits(1);
    assert!(ran.out.contains("as `covers` says"), "{}", ran.out);
    let again = stage.run(&["replay", "out/a.quiet.trace"]).exits(1);
    assert!(again.out.starts_with("a.song  quiet"), "{}", again.out);
    for changed in [
        PAUSES.replace("waited >= 0 {", "waited < 1000 {"),
        PAUSES.replace(
            "    covers pause >= old(pause) && waited >= old(waited);\n",
            "",
        ),
    ] {
        stage.write("a.song", changed);
        let ran = stage.run(&["replay", "out/a.quiet.trace"]).exits(2);
        let ending = "everything happens as before, but it does not end like this any more";
        assert!(ran.out.contains(ending), "{}", ran.out);
    }
}
