//! Saved failures: replayed, and understood when the program has changed.

use plainsong::{
    Delivery, End, Explorer, FailureKind, Process, Report, Restart, Trace, Verdict, channel,
    choose, current, receive, send, spawn_named, try_receive,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version {
    /// A step that does not matter.
    logs: bool,
    /// The client is called something else.
    renamed: bool,
    /// The bug is fixed.
    fixed: bool,
}

const FIRST: Version = Version {
    logs: false,
    renamed: false,
    fixed: false,
};

/// A register with two writers; the reader must not see an old value after a new one.
fn register(version: Version) {
    let store = spawn_named("store", move || {
        let mut value = 0;
        for _ in 0..4 {
            let (from, write) = receive::<(Process, Option<u32>)>();
            match write {
                Some(new) if version.fixed => value = value.max(new),
                Some(new) => value = new,
                None => send(from, value),
            }
        }
    });
    let store = store.process();
    if version.logs {
        spawn_named("logger", || try_receive::<u32>());
        choose(0..2);
    }
    for n in [1_u32, 2] {
        let name = if version.renamed { "scribe" } else { "writer" };
        spawn_named(format!("{name} {n}"), move || {
            send(store, (current(), Some(n)));
        });
    }
    spawn_named("reader", move || {
        let read = || {
            send(store, (current(), None::<u32>));
            receive::<u32>()
        };
        let (first, second) = (read(), read());
        assert!(first <= second, "{first} before {second}");
    });
}

fn failing_trace() -> Trace {
    let report = plainsong::explore(|| register(FIRST));
    assert_eq!(report.verdict, Verdict::Refuted);
    report.failures[0].trace.clone().unwrap()
}

fn replay(trace: &Trace, version: Version) -> Report {
    Explorer::new().replay(trace, move || register(version))
}

#[test]
fn a_trace_fails_again() {
    let trace = failing_trace();
    let report = replay(&trace, FIRST);
    assert_eq!(
        (report.verdict, report.end),
        (Verdict::Refuted, End::Replayed),
        "{report}"
    );
    assert_eq!(report.failures[0].message, "2 before 1");
    let again = report.failures[0].trace.as_ref().unwrap();
    assert_eq!(again.to_string(), trace.to_string());
}

#[test]
fn a_trace_survives_changes_that_do_not_matter() {
    // The choice of `main` is not in the trace: the replay gives up there, so it comes last.
    let trace = failing_trace();
    let logged = Version {
        logs: true,
        ..FIRST
    };
    let text = trace.to_string();
    let report = Explorer::new().replay(&text.parse().unwrap(), move || {
        register(FIRST);
        if logged.logs {
            spawn_named("logger", || try_receive::<u32>());
            choose(0..2);
        }
    });
    assert_eq!(report.verdict, Verdict::Refuted, "{report}");
}

#[test]
fn a_fixed_program_does_not_fail() {
    let report = replay(
        &failing_trace(),
        Version {
            fixed: true,
            ..FIRST
        },
    );
    assert_eq!(report.verdict, Verdict::Unknown, "{report}");
    assert_eq!(report.end, End::Replayed);
    assert_eq!(
        report.notes,
        ["the trace was followed to its end, and nothing failed"]
    );
    plainsong::explore(|| {
        register(Version {
            fixed: true,
            ..FIRST
        });
    })
    .assert_holds();
}

#[test]
fn a_changed_program_is_told_where_it_left_the_trace() {
    let report = replay(
        &failing_trace(),
        Version {
            renamed: true,
            ..FIRST
        },
    );
    assert_eq!(report.verdict, Verdict::Unknown);
    let note = &report.notes[0];
    assert!(note.contains("no longer possible"), "{note}");
    assert!(note.contains("from \"writer "), "{note}");
}

#[test]
fn a_deadlock_is_replayed() {
    let program = || {
        let main = current();
        let (sender, receiver) = channel::<u32>("work");
        spawn_named("worker", move || {
            if receiver.try_receive().is_some() {
                send(main, ());
            }
        });
        sender.send(choose([7, 8]));
        receive::<()>();
    };
    let failure = plainsong::explore(program).failures.remove(0);
    assert_eq!(failure.kind, FailureKind::Deadlock);
    let report = Explorer::new().replay(&failure.trace.unwrap(), program);
    assert_eq!(report.failures[0].message, failure.message);
}

#[test]
fn traces_are_saved_and_loaded() {
    let folder = std::env::temp_dir().join(format!("plainsong-{}", std::process::id()));
    let path = folder.join("deep").join("failure.trace");
    let report = Explorer::new().trace_file(&path).run(|| register(FIRST));
    assert_eq!(report.trace_file.as_deref(), Some(&*path));
    assert!(report.to_string().contains("failure.trace"));
    let trace = Trace::load(&path).unwrap();
    assert_eq!(Some(&trace), report.failures[0].trace.as_ref());
    assert_eq!(replay(&trace, FIRST).verdict, Verdict::Refuted);
    std::fs::write(&path, "something else").unwrap();
    assert!(
        Trace::load(&path)
            .unwrap_err()
            .to_string()
            .contains("line 1")
    );
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_trace_that_cannot_be_saved_is_noted() {
    let report = Explorer::new()
        .trace_file("/dev/null/x")
        .run(|| panic!("no"));
    assert_eq!(report.trace_file, None);
    assert!(report.notes[0].contains("was not saved"), "{report}");
}

#[test]
fn nothing_is_saved_when_nothing_fails() {
    let path = std::env::temp_dir().join("plainsong-nothing.trace");
    let report = Explorer::new().trace_file(&path).run(|| {});
    assert_eq!(report.trace_file, None);
    assert!(!path.exists());
}

#[test]
fn an_execution_that_is_out_of_order_is_noted() {
    // Found where messages overtake, replayed where they do not.
    let program = || {
        let main = current();
        spawn_named("sender", move || (0..2_u32).for_each(|n| send(main, n)));
        assert_eq!(receive::<u32>(), 0);
    };
    let found = Explorer::new().delivery(Delivery::Unordered).run(program);
    let trace = found.failures[0].trace.as_ref().unwrap();
    let report = Explorer::new()
        .delivery(Delivery::Fifo)
        .replay(trace, program);
    assert!(
        report.notes[0].contains("before one that should arrive earlier"),
        "{report}"
    );
    assert_eq!(
        report.notes[1],
        "the trace was made with unordered delivery, not fifo"
    );
}

#[test]
fn every_failure_of_many_can_be_replayed() {
    for restart in [Restart::Changed, Restart::All] {
        let program = || {
            let main = current();
            for n in 0..3_u32 {
                spawn_named(format!("p{n}"), move || {
                    if choose([true, false]) {
                        send(main, n);
                    }
                    try_receive::<u8>();
                });
            }
            let got = [(); 3].map(|()| try_receive::<u32>());
            let order: Vec<u32> = got.into_iter().flatten().collect();
            assert!(order.is_sorted(), "{order:?}");
        };
        let report = Explorer::new()
            .restart(restart)
            .keep_going(true)
            .run(program);
        assert_eq!(
            report.failures.len(),
            8,
            "pairs and triples that are not sorted"
        );
        for failure in &report.failures {
            let again = Explorer::new().replay(failure.trace.as_ref().unwrap(), program);
            assert_eq!(again.verdict, Verdict::Refuted, "{failure}");
            assert_eq!(again.failures[0].message, failure.message);
        }
    }
}
