//! Messages that are lost or arrive twice, and processes that crash.

use crate::counting::counts;
use plainsong::fault::{Durable, Partition, crashing, crashing_for_good};
use plainsong::{
    Builder, Delivery, Explorer, Letter, Verdict, assume, cover, current, receive, send, spawn,
    spawn_named, try_receive,
};

const LATE: [Delivery; 3] = [Delivery::Unordered, Delivery::Fifo, Delivery::Causal];

fn lossy(delivery: Delivery, losses: u32) -> Explorer {
    Explorer::new().delivery(delivery).losses(losses)
}

#[test]
fn nobody_misses_a_message_that_nobody_receives() {
    for delivery in LATE {
        let count = counts(&lossy(delivery, 9), || {
            let other = spawn(|| ()).process();
            for n in 0..9 {
                Letter::new(n).lossy().send(other);
            }
        });
        assert_eq!(count, (1, 0), "{delivery:?}");
    }
}

#[test]
fn a_lost_message_keeps_its_receiver_waiting() {
    for delivery in LATE {
        let program = || {
            let waiter = spawn_named("waiter", || receive::<u32>());
            Letter::new(1_u32).lossy().send(waiter.process());
        };
        assert_eq!(counts(&lossy(delivery, 0), program), (1, 0));
        assert_eq!(counts(&lossy(delivery, 1), program), (1, 1));
        let report = lossy(delivery, 1).run(program);
        let failure = &report.failures[0];
        assert_eq!(failure.message, "deadlock: waiter waits for u32");
        assert!(failure.location.is_some(), "it says where");
        assert!(
            failure.picture.contains("from main to waiter, lost"),
            "{}",
            failure.picture
        );
        let trace = failure.trace.as_ref().expect("a failure has a trace");
        let again = lossy(delivery, 1).replay(trace, program);
        assert_eq!(again.failures[0].message, failure.message, "{again}");
    }
}

#[test]
fn younger_messages_overtake_what_is_lost() {
    // The second is received first only if the first one is lost.
    let program = || {
        let main = current();
        spawn(move || {
            Letter::new(1).lossy().send(main);
            send(main, 2);
        });
        assume(receive::<i32>() == 2);
        assert_eq!(try_receive::<i32>(), None, "the first is lost for good");
    };
    assert_eq!(counts(&lossy(Delivery::Fifo, 1), program), (1, 1));
    assert_eq!(counts(&lossy(Delivery::Fifo, 0), program), (0, 1));
}

#[test]
fn either_of_two_senders_loses_its_message() {
    let program = || {
        let main = current();
        for n in [1, 2] {
            spawn(move || Letter::new(n).lossy().send(main));
        }
        receive::<i32>();
        receive::<i32>();
    };
    // Both arrive, in two orders; or only one does, and main waits.
    assert_eq!(counts(&lossy(Delivery::Fifo, 1), program), (2, 2));
    // Or none does.
    assert_eq!(counts(&lossy(Delivery::Fifo, 2), program), (2, 3));
}

#[test]
fn mailbox_messages_are_lost_when_they_are_sent() {
    let program = || {
        let waiter = spawn(|| receive::<u32>());
        Letter::new(1_u32).lossy().send(waiter.process());
    };
    assert_eq!(counts(&lossy(Delivery::Mailbox, 1), program), (1, 1));
}

#[test]
fn a_quorum_may_starve() {
    let program = || {
        let main = current();
        for n in 0..3 {
            spawn(move || Letter::new(n).lossy().send(main));
        }
        plainsong::messages::<i32>().inbox(2..=2);
    };
    assert_eq!(counts(&lossy(Delivery::Fifo, 1), program), (3, 0));
    assert_eq!(counts(&lossy(Delivery::Fifo, 2), program), (3, 1));
}

#[test]
fn a_duplicate_comes_after_the_original() {
    for delivery in LATE {
        let explorer = Explorer::new().delivery(delivery).duplicates(1);
        let program = || {
            let main = current();
            spawn(move || {
                Letter::new(1).duplicated().send(main);
                send(main, 2);
            });
            let seen: Vec<i32> = (0..3).map_while(|_| try_receive()).collect();
            cover(format!("{seen:?}"));
        };
        counts(&explorer, program);
        let report = explorer.run(program);
        let expected: &[&str] = match delivery {
            Delivery::Unordered => &[
                "[1, 1, 2]",
                "[1, 1]",
                "[1, 2, 1]",
                "[1, 2]",
                "[1]",
                "[2, 1, 1]",
                "[2, 1]",
                "[2]",
                "[]",
            ],
            _ => &["[1, 1, 2]", "[1, 1]", "[1, 2, 1]", "[1, 2]", "[1]", "[]"],
        };
        let seen: Vec<&str> = report.coverage.keys().map(String::as_str).collect();
        assert_eq!(seen, expected, "{delivery:?}");
        assert_eq!(report.executions, expected.len() as u64);
    }
}

#[test]
fn budgets_are_for_the_whole_execution() {
    let explorer = |duplicates| Explorer::new().duplicates(duplicates);
    let program = || {
        let pair: Vec<_> = (0..2)
            .map(|_| spawn(|| 1 + u32::from(try_receive_twice())))
            .collect();
        for it in &pair {
            Letter::new(()).duplicated().send(it.process());
        }
    };
    // Each of the two gets a duplicate or not.
    assert_eq!(counts(&explorer(0), program), (1, 0));
    assert_eq!(counts(&explorer(1), program), (3, 0));
    assert_eq!(counts(&explorer(2), program), (4, 0));
}

fn try_receive_twice() -> bool {
    let () = receive();
    try_receive::<()>().is_some()
}

#[test]
fn a_process_crashes_at_every_point() {
    // Points: before the second receive, before the send, before the end; the first receive is
    // nothing to lose.
    let program = || {
        let main = current();
        let worker = move || {
            let (a, b) = (receive::<u32>(), receive::<u32>());
            send(main, a + b);
        };
        let worker = spawn_named("worker", crashing(worker)).process();
        send(worker, 1_u32);
        send(worker, 2_u32);
    };
    let crashes = |n| Explorer::new().crashes(n);
    assert_eq!(counts(&crashes(0), program), (1, 0));
    assert_eq!(counts(&crashes(1), program), (1, 3));
}

/// A log that acknowledges entries when, or before, they are on disk.
fn log(writes_first: bool) {
    let disk = Durable::new(Vec::new());
    let main = current();
    let code = move || {
        loop {
            let entry: Option<u32> = receive();
            match entry {
                None => send(main, disk.get()),
                Some(entry) => {
                    let write = || disk.update(|log| [log, vec![entry]].concat());
                    if writes_first {
                        write();
                    }
                    send(main, "stored");
                    if !writes_first {
                        write();
                    }
                }
            }
        }
    };
    let log = Builder::new().name("log").daemon();
    let log = log.spawn(crashing(code)).process();
    send(log, Some(7_u32));
    if try_receive::<&str>().is_some() {
        send(log, None::<u32>);
        if let Some(entries) = try_receive::<Vec<u32>>() {
            assert_eq!(entries, [7]);
        }
    }
}

#[test]
fn what_is_durable_survives() {
    Explorer::new().crashes(2).run(|| log(true)).assert_holds();
    let report = Explorer::new().run(|| log(false));
    assert_eq!(report.verdict, Verdict::Refuted);
    let failure = &report.failures[0];
    assert!(failure.picture.contains("* crash"), "{}", failure.picture);
    assert!(!failure.picture.contains("no fault"), "{}", failure.picture);
    let trace = failure.trace.as_ref().expect("a failure has a trace");
    let again = Explorer::new().replay(trace, || log(false));
    assert_eq!(again.failures[0].message, failure.message, "{again}");
}

#[test]
fn variables_do_not_survive() {
    let report = Explorer::new().run(|| {
        let main = current();
        let counter = move || {
            let mut seen = 0_u32;
            loop {
                let () = receive();
                seen += 1;
                send(main, seen);
            }
        };
        let counter = Builder::new().daemon().spawn(crashing(counter)).process();
        send(counter, ());
        send(counter, ());
        let seen: Vec<u32> = (0..2).map_while(|_| try_receive()).collect();
        cover(format!("{seen:?}"));
    });
    report.assert_holds();
    let seen: Vec<&str> = report.coverage.keys().map(String::as_str).collect();
    assert_eq!(seen, ["[1, 1]", "[1, 2]", "[1]", "[]"]);
}

#[test]
fn destructors_run_and_locks_are_not_left_behind() {
    struct Farewell(plainsong::Process);
    impl Drop for Farewell {
        fn drop(&mut self) {
            send(self.0, "bye");
        }
    }
    // What a destructor sends while the process crashes is not sent.
    let report = Explorer::new().run(|| {
        let main = current();
        spawn(crashing_for_good(move || {
            let _farewell = Farewell(main);
            send(main, 1);
        }));
        cover(format!(
            "{:?}",
            (try_receive::<i32>(), try_receive::<&str>())
        ));
    });
    report.assert_holds();
    assert!(report.coverage.contains_key("(Some(1), Some(\"bye\"))"));
    assert!(report.coverage.contains_key("(None, None)"));
}

#[test]
fn who_crashes_for_good_is_not_heard_again() {
    let program = || {
        let main = current();
        let beats = move || (0..3).for_each(|n| send(main, n));
        spawn_named("heart", crashing_for_good(beats));
        (0..3).for_each(|n| assert_eq!(receive::<i32>(), n));
    };
    // It crashes before one of the three beats, or after all, or not at all.
    assert_eq!(counts(&Explorer::new(), program), (2, 3));
    let report = Explorer::new().run(program);
    assert!(report.failures[0].message.contains("main waits for i32"));
}

#[test]
fn one_crash_among_several_processes() {
    let program = || {
        let main = current();
        for n in 0..3 {
            spawn(crashing_for_good(move || send(main, n)));
        }
        plainsong::messages::<i32>().inbox(3..);
    };
    // Nobody crashes; or one of three does, before its send or after it.
    assert_eq!(counts(&Explorer::new().crashes(1), program), (1 + 3, 3));
    // With any number of crashes each is fine, crashes before, or after.
    assert_eq!(counts(&Explorer::new().crashes(3), program), (8, 27 - 8));
}

#[test]
fn monitors_do_not_see_what_was_not_sent() {
    struct Order(Vec<u32>);
    impl plainsong::Monitor for Order {
        fn selects(sent: &plainsong::Sent<'_>) -> bool {
            sent.is::<u32>()
        }
        fn on_message(&mut self, sent: &plainsong::Sent<'_>) {
            self.0.extend(sent.get::<u32>());
        }
        fn on_end(&mut self, _: &plainsong::ExecutionEnd) {
            cover(format!("{:?}", self.0));
        }
    }
    let report = Explorer::new()
        .monitor(|| Order(Vec::new()))
        .duplicates(1)
        .run(|| {
            let quiet = Builder::new().daemon().spawn(|| receive::<()>()).process();
            spawn(crashing_for_good(move || {
                Letter::new(1_u32).duplicated().send(quiet);
                send(quiet, 2_u32);
            }));
        });
    report.assert_holds();
    let seen: Vec<&str> = report.coverage.keys().map(String::as_str).collect();
    assert_eq!(seen, ["[1, 2]", "[1]", "[]"]);
}

#[test]
fn a_partition_loses_what_is_sent_meanwhile() {
    let report = Explorer::new().run(|| {
        let river = Partition::new("river");
        let south = spawn(|| (0..3).map_while(|_| try_receive()).collect::<Vec<u32>>());
        river.cut_once();
        (1..=3_u32).for_each(|n| river.send(south.process(), n));
        cover(format!("{:?}", south.join()));
    });
    report.assert_holds();
    let all = ["[1, 2, 3]", "[1, 3]", "[2, 3]", "[3]", "[1]", "[2]", "[]"];
    for seen in all {
        assert!(report.coverage.contains_key(seen), "{seen}");
    }
    assert!(!report.coverage.contains_key("[2, 1]"));
}

#[test]
fn messages_of_the_dead_are_marked() {
    let report = plainsong::explore(|| {
        let main = current();
        let server = crashing_for_good(move || {
            send(
                main,
                format!("last words, {}", "longer than a label ".repeat(3)),
            );
            send(main, 1);
        });
        spawn_named("server", server);
        receive::<String>();
        receive::<i32>();
    });
    let picture = &report.failures[0].picture;
    let lines: Vec<&str> = picture.lines().collect();
    assert!(lines[1].contains("* crash"), "{picture}");
    let arrow = r#"<- "last words, longer than a label lo… (sent before the crash) -"#;
    assert!(lines[2].contains(arrow), "{picture}");
}

#[test]
fn messages_sent_after_a_crash_are_not_marked() {
    let report = Explorer::new().allow_deadlock(true).run(|| {
        let main = current();
        let server = Builder::new().name("server").daemon();
        server.spawn(crashing(move || {
            send(main, 1);
            receive::<()>();
        }));
        receive::<i32>();
        receive::<i32>();
        panic!("twice");
    });
    let picture = &report.failures[0].picture;
    let arrows: Vec<&str> = picture.lines().filter(|it| it.contains("|<-")).collect();
    assert_eq!(arrows.len(), 2, "{picture}");
    assert!(picture.contains("* crash"), "{picture}");
    assert!(!arrows[1].contains("before the crash"), "{picture}");
}
