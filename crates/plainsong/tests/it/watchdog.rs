//! Processes that never stop: those that do something are stopped, the others are named.

use crate::endurance::{alone, is_alone};
use plainsong::{
    End, Explorer, Limit, Verdict, choose, current, receive, send, spawn, spawn_named, try_receive,
};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
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

/// What a test of this program says on standard error, and how it ends, run in a process of its own.
fn last_words_of(test: &str) -> (String, Option<i32>, Duration) {
    let started = std::time::Instant::now();
    let output = alone(test).stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (said, output.status.code(), started.elapsed())
}

#[test]
fn a_process_that_spins_past_the_time_limit_ends_the_program_with_a_report() {
    let (said, code, time) = last_words_of("watchdog::alone_late_spinner");
    assert_eq!(code, Some(101), "{said}");
    assert!(said.contains("found before"), "{said}");
    assert!(said.contains("REFUTED: time limit reached"), "{said}");
    let line = "`spinner` runs without an operation after the operation at crates/plainsong/tests/it/watchdog.rs:";
    assert!(said.contains(line), "{said}");
    assert!(time < Duration::from_secs(30), "{time:?}");
}

#[test]
#[ignore = "run by a_process_that_spins_past_the_time_limit_ends_the_program_with_a_report"]
fn alone_late_spinner() {
    if !is_alone() {
        return;
    }
    let explorer = Explorer::new().limit_time(Duration::from_secs(1));
    drop(explorer.keep_going(true).run(|| {
        let spinner = spawn_named("spinner", || {
            receive::<()>();
            loop {
                std::hint::spin_loop();
            }
        });
        assert!(!choose([true, false]), "found before");
        send(spinner.process(), ());
    }));
}

#[test]
fn an_execution_without_an_end_stops_at_the_time_limit() {
    for jobs in [1, 2] {
        let explorer = Explorer::new().jobs(jobs).limit_events(usize::MAX);
        let report = explorer.limit_time(Duration::from_millis(200)).run(|| {
            spawn(|| while try_receive::<()>().is_none() {});
        });
        assert_eq!(report.end, End::Limit(Limit::Time));
        assert_eq!(report.verdict, Verdict::Unknown);
        assert!(report.seconds < 10.0, "{report}");
    }
}

#[test]
fn an_execution_without_an_end_stops_when_it_is_cancelled() {
    let cancel = Arc::new(AtomicBool::new(false));
    let later = Arc::clone(&cancel);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        later.store(true, Ordering::Relaxed);
    });
    let explorer = Explorer::new().limit_events(usize::MAX).cancel(cancel);
    let report = explorer.run(|| {
        spawn(|| while try_receive::<()>().is_none() {});
    });
    assert_eq!(report.end, End::Cancelled);
}
