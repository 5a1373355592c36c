//! Programs that do not do the same twice are found out, with both source lines.

use plainsong::{
    Builder, Delivery, Explorer, FailureKind, Letter, Report, Restart, Verdict, choose, current,
    explore, messages, receive, send, spawn, spawn_named, try_receive,
};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

/// Explores with and without full restarts: both must notice.
fn found_out(program: impl Fn() + Send + Sync + Clone + 'static) -> Report {
    for restart in [Restart::Changed, Restart::All] {
        let report = Explorer::new().restart(restart).run(program.clone());
        assert_eq!(report.verdict, Verdict::Refuted, "{restart:?}: {report}");
        assert_eq!(
            report.failures[0].kind,
            FailureKind::NotDeterministic,
            "{report}"
        );
        names_its_line(&report);
    }
    let report = Explorer::new().run(program);
    assert_eq!(report.verdict, Verdict::Refuted);
    assert_eq!(
        report.restart,
        Restart::All,
        "full restarts were tried before giving up"
    );
    report
}

/// What was and what is, both with the line in this file, unless the process just ended.
fn names_its_line(report: &Report) {
    let text = message(report);
    for side in ["was:", "is: "] {
        let line = text.lines().find(|line| line.contains(side));
        let line = line.unwrap_or_else(|| panic!("no {side} in {text}"));
        let place = "tests/it/determinism.rs:";
        assert!(line.contains(place) || line.ends_with("the end"), "{text}");
    }
}

/// Something to explore, so that there is more than one execution.
fn race() {
    let main = current();
    for n in [1_u64, 2] {
        spawn(move || send(main, n));
    }
    receive::<u64>();
    receive::<u64>();
}

fn message(report: &Report) -> &str {
    &report.failures[0].message
}

#[test]
fn a_changed_tag() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let report = found_out(|| {
        race();
        let tag = RUNS.fetch_add(1, Ordering::Relaxed);
        Letter::new("x").tagged(tag).send(current());
    });
    let text = message(&report);
    assert!(text.contains("`main` does not do the same"), "{text}");
    assert!(text.contains("tagged"), "{text}");
    assert_eq!(text.matches("determinism.rs:").count(), 2, "{text}");
}

#[test]
fn a_changed_message() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let report = found_out(|| {
        race();
        send(current(), RUNS.fetch_add(1, Ordering::Relaxed));
    });
    assert!(message(&report).contains("to main"), "{report}");
}

#[test]
fn a_changed_join() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let report = found_out(|| {
        race();
        let children = ["a", "b"].map(|name| spawn_named(name, || {}));
        let at = RUNS.fetch_add(1, Ordering::Relaxed) % 2;
        children[at as usize].wait();
    });
    let text = message(&report);
    assert!(text.contains("join a") && text.contains("join b"), "{text}");
}

#[test]
fn a_changed_name() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let report = found_out(|| {
        race();
        spawn_named(
            format!("run {}", RUNS.fetch_add(1, Ordering::Relaxed)),
            || {},
        );
    });
    assert!(message(&report).contains("spawn `run "), "{report}");
}

#[test]
fn a_changed_daemon_flag() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let report = found_out(|| {
        race();
        let builder = Builder::new().name("d");
        if RUNS.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
            builder.daemon().spawn(|| {});
        } else {
            builder.spawn(|| {});
        }
    });
    assert!(message(&report).contains("as a daemon"), "{report}");
}

#[test]
fn a_changed_destination() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let report = found_out(|| {
        race();
        let children = ["a", "b"].map(|name| spawn_named(name, || {}).process());
        let at = RUNS.fetch_add(1, Ordering::Relaxed) % 2;
        send(children[at as usize], ());
    });
    let text = message(&report);
    assert!(
        text.contains("() to a") && text.contains("() to b"),
        "{text}"
    );
}

#[test]
fn a_changed_order_of_delivery() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let report = found_out(|| {
        race();
        let delivery = match RUNS.fetch_add(1, Ordering::Relaxed) % 2 {
            0 => Delivery::Causal,
            _ => Delivery::Mailbox,
        };
        Letter::new(()).via(delivery).send(current());
    });
    assert!(message(&report).contains("send ()"), "{report}");
}

#[test]
fn a_changed_receive() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let report = found_out(|| {
        race();
        let tag = RUNS.fetch_add(1, Ordering::Relaxed);
        messages::<u64>().tagged(tag).try_receive();
    });
    assert!(message(&report).contains("u64 tagged"), "{report}");
    static MORE: AtomicU32 = AtomicU32::new(0);
    let report = found_out(|| {
        race();
        let senders = [current(), spawn(|| {}).process()];
        let at = MORE.fetch_add(1, Ordering::Relaxed) % 2;
        messages::<u64>().from(senders[at as usize]).try_receive();
    });
    assert!(message(&report).contains("u64 from"), "{report}");
}

#[test]
fn a_changed_result() {
    // A result need not be printable, so it is what its receiver does that is found out.
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let report = found_out(|| {
        race();
        let child = spawn(|| RUNS.fetch_add(1, Ordering::Relaxed));
        send(current(), child.join());
    });
    assert!(message(&report).contains("send "), "{report}");
}

#[test]
fn a_changed_number_of_options() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let report = found_out(|| {
        race();
        choose(0..2 + RUNS.fetch_add(1, Ordering::Relaxed) % 2);
    });
    let text = message(&report);
    assert!(
        text.contains("choose one of 2") && text.contains("choose one of 3"),
        "{text}"
    );
}

#[test]
fn another_operation() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let report = found_out(|| {
        race();
        if RUNS.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
            send(current(), ());
        } else {
            try_receive::<()>();
        }
    });
    let text = message(&report);
    assert!(
        text.contains("send ()") && text.contains("try to receive ()"),
        "{text}"
    );
}

#[test]
fn an_earlier_end() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let report = found_out(|| {
        race();
        if RUNS.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
            send(current(), ());
        }
    });
    assert!(message(&report).contains("the end"), "{report}");
}

#[test]
fn a_panic_now_and_then() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let report = found_out(|| {
        race();
        assert!(
            RUNS.fetch_add(1, Ordering::Relaxed).is_multiple_of(2),
            "every other time"
        );
        send(current(), ());
    });
    assert!(message(&report).contains("every other time"), "{report}");
}

#[test]
fn the_order_of_a_hash_map() {
    let report = found_out(|| {
        let map: HashMap<i32, i32> = (0..32).map(|n| (n, n)).collect();
        for n in map.into_values() {
            send(current(), n);
        }
    });
    assert!(
        message(&report).contains("the order of a HashMap"),
        "{report}"
    );
}

#[test]
fn what_does_not_show_does_no_harm() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let report = plainsong::explore(|| {
        race();
        RUNS.fetch_add(1, Ordering::Relaxed);
    });
    report.assert_holds();
    assert_eq!(report.restart, Restart::Changed);
}

/// One process looks at a real flag, the other sets it; nobody sends anything.
fn flag_behind_our_back(reader_is_first: bool, should_be: bool) -> Report {
    explore(move || {
        let flag = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&flag);
        let read = move || assert_eq!(seen.load(Ordering::SeqCst), should_be);
        let write = move || flag.store(true, Ordering::SeqCst);
        if reader_is_first {
            spawn(read);
            spawn(write);
        } else {
            spawn(write);
            spawn(read);
        }
    })
}

#[test]
fn a_real_flag_is_noticed_without_any_message() {
    for (reader_is_first, should_be) in [(true, false), (false, true)] {
        let report = flag_behind_our_back(reader_is_first, should_be);
        assert_eq!(report.verdict, Verdict::Unknown, "{report}");
        assert!(report.notes[0].starts_with("processes share state"));
    }
}

#[test]
fn state_that_makes_no_difference_is_not_held_against_anybody() {
    let report = explore(|| {
        let count = Arc::new(AtomicUsize::new(0));
        for _ in 0..2 {
            let count = Arc::clone(&count);
            spawn(move || {
                count.fetch_add(1, Ordering::SeqCst);
            });
        }
    });
    report.assert_holds();
}
