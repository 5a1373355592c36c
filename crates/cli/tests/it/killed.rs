//! Runs that are killed at random times and go on: the totals are those of a run that was not disturbed.
//!
//! `PLAINSONG_KILLS=100` kills a hundred runs of each kind instead of a few.

use crate::resuming::verdicts;
use crate::songs;
use crate::stage::{Ran, Stage, finished};
use std::process::Stdio;
use std::time::Duration;

/// As often as writing costs little.
const OFTEN: (&str, &str) = ("PLAINSONG_CHECKPOINT", "0.01");

fn kills() -> u64 {
    let said = std::env::var("PLAINSONG_KILLS").ok();
    said.and_then(|number| number.parse().ok()).unwrap_or(3)
}

/// Runs until it ends, killed after some time as often as `kills` says; how often it went on from a file.
fn killed(stage: &Stage, verb: &str, arguments: &[&str], seed: u64, kills: u32) -> (Ran, u32) {
    let file = format!("out/{verb}.resume");
    let go_on = [verb, "--resume", &file, "--json"];
    let mut times = 0;
    for round in 0..=kills {
        let is_there = stage.path(&file).exists();
        times += u32::from(is_there);
        let mut command = match is_there {
            true => stage.command(&go_on),
            false => stage.command(arguments),
        };
        command.env(OFTEN.0, OFTEN.1);
        if round == kills {
            return (finished(command.output().expect("it runs")), times);
        }
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut child = child.expect("the command runs");
        let random = (seed * 31 + u64::from(round) + 7).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        std::thread::sleep(Duration::from_millis(150 + random % 700));
        let is_over = child.try_wait().expect("it can be asked").is_some();
        // SIGKILL: nothing is left to the process.
        let _ = child.kill();
        child.wait().expect("it ends");
        if is_over && !stage.path(&file).exists() {
            // It was faster than the clock.
            return (
                finished(stage.command(arguments).output().expect("it runs")),
                times,
            );
        }
    }
    unreachable!("the last round returns")
}

/// What a run says in the end is what it says undisturbed, however often it was killed.
fn ends_alike(verb: &str, song: &str, arguments: &[&str]) {
    let stage = Stage::with(song);
    let command = [&[verb, "a.song", "--json"], arguments].concat();
    let whole = stage.run(&command);
    assert!(whole.code < 3, "{whole:?}");
    let mut times = 0;
    for seed in 0..kills() {
        let (last, went_on) = killed(&stage, verb, &command, seed, 3);
        assert_eq!(last.code, whole.code, "{last:?}");
        assert_eq!(verdicts(&last), verdicts(&whole), "{arguments:?} {seed}");
        assert!(!stage.path(&format!("out/{verb}.resume")).exists());
        times += went_on;
    }
    assert!(times > 0, "nothing was written on the way");
}

/// All executions are visited, however many there are.
const ONLY_EXECUTIONS: [&str; 2] = ["--bound", "first-executions=1000000000"];

#[test]
fn executions_that_were_visited_count_once() {
    let sizes = ["--size", "Client=9"];
    ends_alike(
        "explore",
        songs::WATCHED,
        &[&sizes[..], &ONLY_EXECUTIONS].concat(),
    );
    // More states than `check` looks at first.
    let sizes = ["--size", "Client=9", "--bound", "first-states=1000"];
    ends_alike(
        "check",
        songs::WATCHED,
        &[&sizes[..], &ONLY_EXECUTIONS].concat(),
    );
}

#[test]
fn several_workers_are_stopped_for_it_and_go_on() {
    let sizes = ["--size", "Client=9", "--jobs", "2"];
    ends_alike(
        "explore",
        songs::WATCHED,
        &[&sizes[..], &ONLY_EXECUTIONS].concat(),
    );
}

#[test]
fn what_is_refuted_stays_so() {
    let song = format!("{}property few: always server.seen < 4;\n", songs::WATCHED);
    let sizes = ["--size", "Client=9"];
    ends_alike("explore", &song, &[&sizes[..], &ONLY_EXECUTIONS].concat());
}

/// Processes with many states, of which nothing is dropped: everybody answers everybody.
const TALK: &str = "\
sort Peer;
param Times: nat where Times >= 1;
size Times = 5;

message Ask(from: Peer);
message Reply(from: Peer);

process peer[p: Peer] {
    var heard: nat = 0;
    var asked: set<Peer> = {};

    on Ask(q) {
        asked = asked.with(q);
        send Reply(p) to peer[q];
    }

    on Reply(q) {
        heard += 1;
    }
}

init {
    for p in Peer {
        for q in Peer {
            for k in 0..Times {
                send Ask(p) to peer[q];
            }
        }
    }
}

property few: always forall p: Peer :: peer[p].heard <= Times * Peer.len();
";

#[test]
fn states_that_were_searched_count_once() {
    let sizes = ["--size", "Peer=2", "--bound", "first-states=100"];
    let few = ["--bound", "first-executions=10"];
    ends_alike("explore", TALK, &[&sizes[..], &few].concat());
    ends_alike("check", TALK, &[&sizes[..], &few].concat());
}

/// What was kept of a search and damaged since is not gone on from: it begins again, and says so.
#[test]
fn a_damaged_search_begins_again() {
    let stage = Stage::with(TALK);
    let explore = [
        "explore",
        "a.song",
        "--json",
        "--size",
        "Peer=2",
        "--bound",
        "first-executions=10",
    ];
    let whole = stage.run(&explore).exits(0);
    let mut child = stage
        .command(&explore)
        .env(OFTEN.0, OFTEN.1)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command runs");
    let states = stage.path("out/explore.states");
    while !stage.path("out/explore.resume").exists() || !states.exists() {
        assert_eq!(child.try_wait().expect("it can be asked"), None);
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    child.wait().expect("it ends");
    let mut bytes = std::fs::read(&states).expect("it is there");
    let at = bytes.len() * 2 / 3;
    bytes[at] ^= 1;
    std::fs::write(&states, bytes).expect("it is written");
    let ran = stage.run(&["explore", "--resume", "out/explore.resume", "--json"]);
    let ran = ran.exits(0);
    assert_eq!(verdicts(&ran), verdicts(&whole));
    let note = "note: out/explore.states was not gone on from: it is damaged";
    assert!(ran.err.contains(note), "{}", ran.err);
    assert!(!states.exists());
}

/// Whatever is changed in the file by accident: it is refused, and nothing is counted.
#[test]
fn a_damaged_file_is_refused() {
    let stage = Stage::with(songs::FINE);
    let explore = [
        "explore", "a.song", "--size", "Client=4", "--bound", "states=5",
    ];
    stage.run(&explore).exits(2);
    let saved = stage.read("out/explore.resume").into_bytes();
    for at in (0..saved.len()).step_by(saved.len() / 40) {
        let mut flipped = saved.clone();
        flipped[at] ^= 1;
        stage.write("other", &flipped);
        let ran = stage.run(&["explore", "--resume", "other"]).exits(3);
        assert!(!ran.out.contains("holds"), "{}", ran.out);
        stage.write("other", &saved[..at]);
        stage.run(&["explore", "--resume", "other"]).exits(3);
    }
}

/// Where nothing can be written the run goes on, and says so.
#[test]
fn a_folder_that_cannot_be_written_is_told() {
    let stage = Stage::with(songs::WATCHED);
    stage.write("out", "no folder");
    let explore = ["explore", "a.song", "--size", "Client=8"];
    let mut command = stage.command(&[&explore[..], &ONLY_EXECUTIONS].concat());
    let ran = finished(command.env(OFTEN.0, OFTEN.1).output().expect("it runs"));
    let ran = ran.exits(0);
    assert!(
        ran.err.contains(
            "note: the run could not be written down on the way: cannot write out/explore.resume"
        ),
        "{}",
        ran.err
    );
}
