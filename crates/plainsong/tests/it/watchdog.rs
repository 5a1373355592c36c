//! Processes that never stop: those that do something are stopped, the others are named.

use crate::endurance::{alone, is_alone};
use plainsong::{
    End, Explorer, Limit, Verdict, current, receive, send, spawn, spawn_named, try_receive,
};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

/// What a test of this program says first on standard error that contains a word, run in a process of
/// its own that is ended then.
fn first_words_of(test: &str, word: &'static str) -> Option<String> {
    let mut child = alone(test).stderr(Stdio::piped()).spawn().unwrap();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    let (said, heard) = mpsc::channel();
    std::thread::spawn(move || {
        for line in stderr.lines().map_while(Result::ok) {
            if line.contains(word) {
                let _ = said.send(line);
                return;
            }
        }
    });
    let words = heard.recv_timeout(Duration::from_secs(120)).ok();
    child.kill().unwrap();
    child.wait().unwrap();
    words
}

#[test]
fn a_process_that_loops_without_an_operation_is_named() {
    let words = first_words_of("watchdog::alone_spinner", "plainsong: ");
    let words = words.expect("it is said who hangs");
    assert!(
        words.starts_with("plainsong: `spinner` has been running for "),
        "{words}"
    );
}

#[test]
#[ignore = "run by a_process_that_loops_without_an_operation_is_named"]
fn alone_spinner() {
    if !is_alone() {
        return;
    }
    let explorer = Explorer::new().patience(Duration::from_millis(500));
    let explorer = explorer.limit_time(Duration::from_secs(1));
    drop(explorer.run(|| {
        let spinner = spawn_named("spinner", || {
            receive::<()>();
            loop {
                std::hint::spin_loop();
            }
        });
        send(spinner.process(), ());
    }));
}

#[test]
fn a_process_that_blocks_on_a_real_lock_is_named() {
    let words = first_words_of("watchdog::alone_blocked", "plainsong: ");
    let words = words.expect("it is said who hangs");
    assert!(words.contains("`client#2` has been running"), "{words}");
}

#[test]
#[ignore = "run by a_process_that_blocks_on_a_real_lock_is_named"]
fn alone_blocked() {
    if !is_alone() {
        return;
    }
    let explorer = Explorer::new().patience(Duration::from_millis(500));
    drop(explorer.jobs(2).run(|| {
        let lock: &std::sync::Mutex<()> = Box::leak(Box::default());
        let main = current();
        for _ in 0..2 {
            spawn_named("client", move || {
                let _guard = lock.lock();
                send(main, ());
                receive::<()>();
            });
        }
        receive::<()>();
        receive::<()>();
    }));
}

#[test]
fn a_loop_with_operations_ends_at_the_limit_and_its_line_is_named() {
    let programs: [(fn(), &str); 3] = [
        (
            || {
                let main = current();
                loop {
                    send(main, 1);
                }
            },
            "`main`",
        ),
        (
            || {
                spawn_named("poller", || while try_receive::<()>().is_none() {});
            },
            "`poller`",
        ),
        (
            || {
                let main = current();
                spawn_named("babbler", move || {
                    loop {
                        spawn(move || send(main, ()));
                    }
                });
            },
            "`babbler`",
        ),
    ];
    for (program, who) in programs {
        for jobs in [1, 2] {
            let whole = Explorer::new().jobs(jobs).limit_events(300).run(program);
            assert_eq!(whole.end, End::Limit(Limit::Events));
            assert_eq!(whole.verdict, Verdict::Unknown, "endless is not wrong");
            let note = &whole.notes[0];
            assert!(
                note.contains(who) && note.contains("watchdog.rs:"),
                "{note}"
            );
            let each = Explorer::new()
                .jobs(jobs)
                .limit_events_per_process(100)
                .run(program);
            assert_eq!(each.end, End::Limit(Limit::Events));
            let note = &each.notes[0];
            assert!(
                note.contains(who) && note.contains("watchdog.rs:"),
                "{note}"
            );
        }
    }
}
