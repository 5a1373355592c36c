//! Ctrl-C, readers that go away, progress.

use crate::songs;
use crate::stage::{Stage, finished};
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

#[cfg(unix)]
#[test]
fn ctrl_c_gives_a_partial_verdict() {
    let stage = Stage::with(songs::ENDLESS);
    let mut child = stage
        .command(&["check", "a.song", "--bound", "states=1000000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    // The first line of progress says that it is at work.
    let mut progress = BufReader::new(child.stderr.take().expect("a pipe"));
    progress.read_line(&mut String::new()).expect("a line");
    let began = Instant::now();
    let kill = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.expect("kill runs").success());
    let ran = finished(child.wait_with_output().expect("it ends")).exits(2);
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
    assert!(ran.out.contains("unknown    small"), "{}", ran.out);
    assert!(
        ran.out.contains("interrupted (nothing wrong in the first"),
        "{}",
        ran.out
    );
    assert!(ran.out.ends_with("3 unknown.\n"), "{}", ran.out);
}

/// The engine does not stop at once: with so many clients it is a while before it looks up.
#[cfg(unix)]
#[test]
fn a_second_ctrl_c_leaves_a_whole_summary() {
    let stage = Stage::with(songs::FINE);
    let mut child = stage
        .command(&["explore", "a.song", "--size", "Client=400", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command runs");
    let interrupt = |id: u32| {
        let kill = std::process::Command::new("kill")
            .args(["-INT", &id.to_string()])
            .status();
        assert!(kill.expect("kill runs").success());
    };
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    out.read_line(&mut String::new()).expect("the first event");
    std::thread::sleep(Duration::from_millis(700));
    interrupt(child.id());
    std::thread::sleep(Duration::from_millis(60));
    interrupt(child.id());
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(2));
    let last = rest.lines().last().unwrap_or_default();
    assert!(last.starts_with(r#"{"event":"summary""#), "{rest}");
    assert!(last.contains(r#""exit":2"#), "{rest}");
}

#[test]
fn a_time_limit_ends_a_long_range_of_sizes() {
    let stage = Stage::with(songs::FINE);
    let began = Instant::now();
    let ran = stage
        .run(&[
            "check",
            "a.song",
            "--size",
            "Client=1..9999",
            "--timeout",
            "1",
        ])
        .exits(2);
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
    assert!(
        ran.out.contains("time limit (1 s); see --timeout"),
        "{}",
        ran.out
    );
}

#[test]
fn a_reader_that_goes_away_is_no_reason_to_panic() {
    let stage = Stage::with(songs::RACE);
    for arguments in [
        &["check", "a.song", "--size", "Client=3"][..],
        &["explain", "--list"],
        &["--help"],
    ] {
        let mut child = stage
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command runs");
        drop(child.stdout.take());
        let status = child.wait().expect("it ends");
        let mut complaints = String::new();
        child
            .stderr
            .take()
            .expect("a pipe")
            .read_to_string(&mut complaints)
            .expect("text");
        assert_eq!(complaints, "");
        assert!(status.code().is_some_and(|code| code <= 1), "{status}");
    }
}

#[test]
fn progress_is_for_long_work_and_on_standard_error() {
    let stage = Stage::with(songs::ENDLESS);
    let ran = stage.run(&["check", "a.song", "--timeout", "1.5"]).exits(2);
    let first = ran.err.lines().next().expect("a line of progress");
    assert!(
        first.contains(" 3 properties") && first.contains("states"),
        "{first}"
    );
    assert!(
        !first.contains('\u{1b}') && !first.contains('\r'),
        "plain when nobody looks: {first}"
    );
    let ran = stage
        .run(&["check", "a.song", "--timeout", "1.5", "-q"])
        .exits(2);
    assert_eq!(ran.err, "");
    let ran = stage.run(&["check", "a.song", "--timeout", "0.3"]).exits(2);
    assert_eq!(ran.err, "");
}

#[test]
fn standard_input_is_a_file_too() {
    let stage = Stage::new();
    let ran = stage.run_with(&["check", "-"], songs::RACE).exits(1);
    assert!(ran.out.starts_with("<stdin>\n"), "{}", ran.out);
    assert!(
        ran.out.contains("trace out/stdin.same.trace"),
        "{}",
        ran.out
    );
    stage
        .run_with(&["sim", "-", "--seed", "1"], songs::FINE)
        .exits(0);
}
