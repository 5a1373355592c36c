//! A run that is killed leaves no solver behind, however busy that is.
//!
//! `PLAINSONG_KILLS=100` kills a hundred runs by each signal.
#![cfg(target_os = "linux")]

use crate::stage::Stage;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Something for a solver.
const LEMMA: &str = "lemma between(n: int) requires n > 3 ensures n * 2 > 6 {}\n";

/// A solver that reads a first line, and then computes for ever and looks at nothing.
const BUSY: &str = "#!/bin/sh
if [ \"$1\" = --version ]; then echo 'Z3 version 4.15.4 - 64 bit'; exit; fi
echo $$ >> numbers
read -r line
while :; do :; done
";

/// The state of a process, if there is one.
fn state(number: u32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

fn lives(number: u32) -> bool {
    state(number).is_some_and(|state| state != 'Z')
}

/// A run that waits for busy solvers, and their numbers.
#[expect(
    clippy::zombie_processes,
    reason = "it is waited for by whoever gets it; a test that fails ends anyway"
)]
fn waiting(stage: &Stage, arguments: &[&str]) -> (Child, Vec<u32>) {
    stage.write("solver", BUSY);
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(stage.path("solver"), executable).expect("it can be executed");
    let child = stage
        .command(arguments)
        .env("PLAINSONG_Z3", stage.path("solver"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    let begin = Instant::now();
    loop {
        let text = fs::read_to_string(stage.path("numbers")).unwrap_or_default();
        let numbers: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
        if !numbers.is_empty() && numbers.iter().any(|number| state(*number) == Some('R')) {
            return (child, numbers);
        }
        assert!(begin.elapsed() < Duration::from_secs(20), "no solver");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn kill_leaves_no_solver_behind() {
    let rounds = std::env::var("PLAINSONG_KILLS").ok();
    let rounds = rounds.and_then(|number| number.parse().ok()).unwrap_or(1);
    let signals = ["-KILL", "-TERM", "-INT"].into_iter();
    for signal in signals.flat_map(|signal| std::iter::repeat_n(signal, rounds)) {
        let stage = Stage::with(LEMMA);
        let (mut child, _) = waiting(&stage, &["prove", "a.song", "--no-cache"]);
        let sent = std::process::Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status();
        assert!(sent.expect("kill runs").success());
        let begin = Instant::now();
        loop {
            let text = fs::read_to_string(stage.path("numbers")).unwrap_or_default();
            let mut numbers = text.lines().filter_map(|line| line.parse().ok());
            if !numbers.any(lives) && begin.elapsed() > Duration::from_millis(200) {
                break;
            }
            // Ctrl-C is waited for: a verdict is given first.
            let most = if signal == "-INT" { 5 } else { 1 };
            let waited = begin.elapsed();
            assert!(
                waited < Duration::from_secs(most),
                "{signal}: a solver lives"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        child.wait().expect("it ends");
    }
}
