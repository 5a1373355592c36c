//! Children that compute and notice nothing, and parents that end in every way.
//!
//! The parent to be killed is this test binary itself, started again with the name of the one ignored test.
#![cfg(unix)]

use plainsong_children::{spawn, spawn_group};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Computes for ever and looks at nothing.
const BUSY: &str = "while :; do :; done";

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Is there such a process, and does it run?
fn lives(id: u32) -> bool {
    let asked = Command::new("ps")
        .args(["-o", "stat=", "-p", &id.to_string()])
        .output()
        .expect("there is `ps`");
    let state = String::from_utf8_lossy(&asked.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

#[track_caller]
fn is_gone_within_a_second(id: u32) {
    let begin = Instant::now();
    while lives(id) {
        let waited = begin.elapsed();
        assert!(waited < Duration::from_secs(1), "{id} lives on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Starts children as the variable says, tells their numbers, and waits to be killed.
#[test]
#[ignore = "started by the tests below, as a process to be killed"]
fn a_parent() {
    let Ok(children) = std::env::var("PLAINSONG_TEST_CHILDREN") else {
        return;
    };
    let nested = format!("sh -c '{BUSY}' & echo $! > /dev/fd/3; {BUSY}");
    let mut all = Vec::new();
    for kind in children.split(' ') {
        match kind {
            "child" => {
                // The thread that starts a child ends long before it.
                let start = || spawn(&mut shell(BUSY)).expect("a child");
                all.push(std::thread::spawn(start).join().expect("a thread"));
            }
            "group" => {
                let file = tempfile();
                let mut command = shell(&nested.replace("/dev/fd/3", &file));
                all.push(spawn_group(&mut command).expect("a group"));
                say(read_number(&file));
            }
            "ended" => drop(spawn(&mut shell(BUSY)).expect("a child")),
            "exits" => std::process::exit(0),
            _ => panic!("{kind}"),
        }
        if let Some(last) = all.last().filter(|_| kind != "ended") {
            say(last.id().expect("it runs"));
        }
    }
    say(0);
    std::thread::sleep(Duration::from_secs(60));
}

fn tempfile() -> String {
    let id = std::process::id();
    let path = std::env::temp_dir().join(format!("plainsong-children-{id}"));
    let _ = std::fs::remove_file(&path);
    path.display().to_string()
}

fn read_number(file: &str) -> u32 {
    let begin = Instant::now();
    loop {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if text.ends_with('\n') {
            let _ = std::fs::remove_file(file);
            return text.trim().parse().expect("a number");
        }
        assert!(begin.elapsed() < Duration::from_secs(10), "no number");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// To the test, past what the test harness captures.
fn say(number: u32) {
    use std::io::Write as _;
    writeln!(std::io::stderr(), "<{number}>").expect("somebody listens");
}

/// A parent with these children, and their numbers.
fn parent(children: &str) -> (Child, Vec<u32>) {
    let this = std::env::current_exe().expect("this test");
    let mut parent = Command::new(this)
        .args(["--ignored", "--exact", "a_parent", "--nocapture"])
        .env("PLAINSONG_TEST_CHILDREN", children)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut numbers = Vec::new();
    for line in BufReader::new(parent.stderr.take().expect("a pipe")).lines() {
        let line = line.expect("text");
        let number = line
            .strip_prefix('<')
            .and_then(|rest| rest.strip_suffix('>'));
        match number.and_then(|number| number.parse().ok()) {
            Some(0) => break,
            Some(number) => numbers.push(number),
            None => {}
        }
    }
    (parent, numbers)
}

fn signal(signal: &str, id: u32) {
    let sent = Command::new("kill")
        .args([signal, &id.to_string()])
        .status();
    assert!(sent.expect("there is `kill`").success());
}

#[test]
fn children_end_when_their_parent_is_killed() {
    let (mut parent, numbers) = parent("child ended child");
    assert_eq!(numbers.len(), 2);
    assert!(numbers.iter().all(|id| lives(*id)));
    parent.kill().expect("it runs");
    numbers.into_iter().for_each(is_gone_within_a_second);
    parent.wait().expect("it has ended");
}

#[test]
fn what_a_group_has_started_ends_too() {
    let (mut parent, numbers) = parent("group child");
    assert_eq!(numbers.len(), 3);
    assert!(numbers.iter().all(|id| lives(*id)));
    parent.kill().expect("it runs");
    numbers.into_iter().for_each(is_gone_within_a_second);
    parent.wait().expect("it has ended");
}

/// Ends without dropping anything.
#[test]
fn children_end_when_their_parent_exits() {
    let (mut parent, numbers) = parent("child child exits");
    assert_eq!(numbers.len(), 2);
    numbers.into_iter().for_each(is_gone_within_a_second);
    parent.wait().expect("it has ended");
}

/// Ctrl-C and its like reach the watchdog as well.
#[test]
fn a_signal_before_does_not_help() {
    let (mut parent, numbers) = parent("child");
    let watchdog = Command::new("ps")
        .args(["-A", "-o", "ppid=,pid=,args="])
        .output()
        .expect("there is `ps`");
    let text = String::from_utf8_lossy(&watchdog.stdout).into_owned();
    let is_its = |line: &&str| {
        let parent = parent.id().to_string();
        line.contains("plainsong-watchdog") && line.split_whitespace().next() == Some(&parent)
    };
    let line = text.lines().find(is_its);
    let line = line.unwrap_or_else(|| panic!("{text}"));
    let id = line
        .split_whitespace()
        .nth(1)
        .and_then(|id| id.parse().ok());
    let id = id.expect("a number");
    for name in ["-INT", "-TERM", "-HUP"] {
        signal(name, id);
    }
    std::thread::sleep(Duration::from_millis(50));
    assert!(lives(id), "the watchdog stays");
    parent.kill().expect("it runs");
    numbers.into_iter().for_each(is_gone_within_a_second);
    is_gone_within_a_second(id);
    parent.wait().expect("it has ended");
}

#[test]
fn a_child_that_is_dropped_ends() {
    let child = spawn(&mut shell(BUSY)).expect("a child");
    let id = child.id().expect("it runs");
    assert!(lives(id));
    drop(child);
    assert!(!lives(id));
    let group = spawn_group(&mut shell(BUSY)).expect("a group");
    let id = group.id().expect("it runs");
    drop(group);
    assert!(!lives(id));
}

#[test]
fn a_child_that_ends_says_how() {
    let mut command = shell("echo said; exit 3");
    let output = spawn(command.stdout(Stdio::piped())).expect("a child");
    let output = output.output().expect("it ends");
    assert_eq!(
        (output.status.code(), &output.stdout[..]),
        (Some(3), &b"said\n"[..])
    );
    let status = spawn(&mut shell("exit 4")).expect("a child").wait();
    assert_eq!(status.expect("it ends").code(), Some(4));
    let mut ended = spawn(&mut shell("exit 5")).expect("a child");
    while ended.try_wait().expect("it is known").is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(ended.end().expect("it ended").code(), Some(5));
    assert!(ended.end().is_err());
}
