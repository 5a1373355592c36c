//! Runs that are stopped and go on later.

use crate::songs;
use crate::stage::{Ran, Stage, finished};
use plainsong_report::trace_file::hash;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

/// Executions are visited to the end, however many there are.
const ONLY_EXECUTIONS: &str = "first-executions=1000000000";

const GO_ON: [&str; 3] = ["explore", "--resume", "out/explore.resume"];

/// The verdicts of a run as they are in the stream, without what differs from run to run.
pub(crate) fn verdicts(ran: &Ran) -> Vec<String> {
    let lines = ran.out.lines().filter(|line| line.contains("\"verdict\""));
    let without_time = |line: &str| {
        let mut parts = line.split("\"seconds\":");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |before, after| {
            before + after.trim_start_matches(|c: char| c.is_ascii_digit() || ".e-".contains(c))
        })
    };
    let lines = lines.filter(|line| !line.contains("summary"));
    lines.map(without_time).collect()
}

#[test]
fn the_totals_of_several_runs_are_those_of_one() {
    let stage = Stage::with(songs::RACE);
    let explore = ["explore", "a.song", "--size", "Client=3..5"];
    let whole = stage.run(&[&explore[..], &["--json"]].concat()).exits(1);
    let first = stage.run(&[&explore[..], &["--bound", "states=20"]].concat());
    let first = first.exits(1);
    assert!(
        first
            .out
            .ends_with("to go on: plainsong explore --resume out/explore.resume\n"),
        "{}",
        first.out
    );
    let mut last = stage.run(&[&GO_ON[..], &["--jobs", "2"]].concat()).exits(1);
    assert!(last.out.contains(" in the first "), "{}", last.out);
    while stage.path("out/explore.resume").exists() {
        last = stage.run(&[&GO_ON[..], &["--json"]].concat()).exits(1);
    }
    assert_eq!(verdicts(&last), verdicts(&whole));
    assert!(!stage.path("out/explore.resume").exists());
}

#[test]
fn under_every_delivery_model() {
    let stage = Stage::with(songs::FINE);
    let explore = [
        "explore",
        "a.song",
        "--size",
        "Client=4",
        "--delivery",
        "all",
    ];
    let whole = stage.run(&[&explore[..], &["--json"]].concat()).exits(0);
    let stopped = [&explore[..], &["--bound", "states=20", "--json"]].concat();
    let stopped = stage.run(&stopped).exits(2);
    assert!(
        stopped
            .out
            .contains("\"resume\":\"out/explore.resume\",\"exit\":2"),
        "{}",
        stopped.out
    );
    let rest = stage.run(&[&GO_ON[..], &["--json"]].concat()).exits(0);
    assert_eq!(verdicts(&rest), verdicts(&whole));
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_file_to_go_on_from() {
    for verb in ["explore", "check"] {
        stopped_and_gone_on(verb);
    }
}

#[cfg(unix)]
fn stopped_and_gone_on(verb: &str) {
    let file = format!("out/{verb}.resume");
    let stage = Stage::with(songs::WATCHED);
    let mut child = stage
        .command(&[
            verb,
            "a.song",
            "--size",
            "Client=10",
            "--bound",
            ONLY_EXECUTIONS,
            "--no-reduce",
            "order",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let mut progress = BufReader::new(child.stderr.take().expect("a pipe"));
    // Until executions are visited: other engines may come first.
    let mut line = String::new();
    while !line.contains(" executions") {
        line.clear();
        let read = progress.read_line(&mut line).expect("a line");
        assert_ne!(read, 0, "it ended by itself");
    }
    let kill = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.expect("kill runs").success());
    let mut out = String::new();
    let mut stdout = child.stdout.take().expect("a pipe");
    stdout.read_to_string(&mut out).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(2), "{out}");
    assert!(
        out.contains("interrupted (nothing wrong in the first"),
        "{out}"
    );
    // `check` knows without a search that nothing in the song can fail.
    let open = if verb == "check" {
        "2 unknown, 1 fine."
    } else {
        "3 unknown."
    };
    let to_go_on = format!("{open}\nto go on: plainsong {verb} --resume {file}\n");
    assert!(out.ends_with(&to_go_on), "{out}");
    let other = if verb == "check" { "explore" } else { "check" };
    let refused = stage.run(&[other, "--resume", &file]).exits(3);
    let why = format!("is not of a run of `{other}`");
    assert!(refused.err.contains(&why), "{}", refused.err);
    let rest = stage.command(&[verb, "--resume", &file]).output();
    let rest = finished(rest.expect("it runs")).exits(0);
    assert!(
        rest.out.contains("3,628,800 executions, 0 blocked"),
        "{}",
        rest.out
    );
    assert!(!stage.path(&file).exists());
}

/// A song that has changed since is refused alone: the others go on.
#[test]
fn a_song_that_has_changed_does_not_stop_the_others() {
    let stage = Stage::with(songs::RACE);
    stage.write("b.song", songs::RACE);
    let explore = ["explore", "a.song", "b.song", "--size", "Client=4"];
    let stopped = [&explore[..], &["--bound", "states=5"]].concat();
    stage.run(&stopped).exits(1);
    let changed = format!("{}\n// Another text.\n", songs::RACE);
    stage.write("a.song", &changed);
    let ran = stage.run(&GO_ON).exits(3);
    assert!(
        ran.err.contains("a.song: the song has changed"),
        "{}",
        ran.err
    );
    assert!(ran.out.contains("b.song\n"), "{}", ran.out);
    assert!(ran.out.contains("REFUTED    same"), "{}", ran.out);
    assert!(!ran.out.contains("a.song\n"), "{}", ran.out);
}

#[test]
fn a_song_that_has_changed_is_refused() {
    let stage = Stage::with(songs::FINE);
    let explore = [
        "explore", "a.song", "--size", "Client=4", "--bound", "states=5",
    ];
    stage.run(&explore).exits(2);
    stage.write("a.song", format!("// More.\n{}", songs::FINE));
    let ran = stage.run(&GO_ON).exits(3);
    assert!(
        ran.err.contains("the song has changed since"),
        "{}",
        ran.err
    );
    assert!(stage.path("out/explore.resume").exists());
}

#[test]
fn what_is_no_such_file_is_refused() {
    let stage = Stage::with(songs::FINE);
    let ran = stage.run(&GO_ON).exits(3);
    assert!(
        ran.err.contains("cannot read out/explore.resume"),
        "{}",
        ran.err
    );
    let ran = stage.run(&["explore", "--resume", "a.song"]).exits(3);
    assert!(ran.err.contains("is no file to go on from"), "{}", ran.err);
    let ran = stage.run(&["explore", "a.song", "--resume", "b"]).exits(3);
    assert!(ran.err.contains("cannot be used with"), "{}", ran.err);
    let explore = [
        "explore", "a.song", "--size", "Client=4", "--bound", "states=5",
    ];
    stage.run(&explore).exits(2);
    let other = stage.read("out/explore.resume");
    let other = other.replace("\"executable\":", "\"executable\":null,\"was\":");
    stage.write("other", other);
    let ran = stage.run(&["explore", "--resume", "other"]).exits(3);
    assert!(
        ran.err.contains("another build of plainsong"),
        "{}",
        ran.err
    );
}

#[test]
fn places_that_do_not_exist_leave_it_unknown() {
    let stage = Stage::with(songs::FINE);
    let explore = [
        "explore", "a.song", "--size", "Client=4", "--bound", "states=5",
    ];
    stage.run(&explore).exits(2);
    let saved = stage.read("out/explore.resume");
    let at = saved.find("\"left\":[\"").expect("something is left") + 9;
    let other = format!("{}9 9 9 {}", &saved[..at], &saved[at..]);
    stage.write("other", &other);
    let ran = stage.run(&["explore", "--resume", "other"]).exits(3);
    assert!(ran.err.contains("other is damaged"), "{}", ran.err);
    let (json, _) = other.trim_end().rsplit_once('\n').expect("two lines");
    stage.write("other", format!("{json}\n{}\n", hash(json)));
    let ran = stage.run(&["explore", "--resume", "other"]).exits(2);
    assert!(
        ran.out
            .contains("what an earlier run has left is not there"),
        "{}",
        ran.out
    );
}
