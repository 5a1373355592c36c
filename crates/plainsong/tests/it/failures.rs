//! Failures: the user's own line, counted, never the engine's frames.

use plainsong::{
    End, Explorer, Failure, FailureKind, Report, Restart, Verdict, choose, current, receive,
    receive_where, send, spawn, spawn_daemon, spawn_named, try_receive,
};

/// The one failure of a program, however its processes are run.
fn failure_of(program: impl Fn() + Send + Sync + Clone + 'static) -> Failure {
    let [changed, all] = [Restart::Changed, Restart::All].map(|restart| {
        let mut report = Explorer::new().restart(restart).run(program.clone());
        assert_eq!(report.verdict, Verdict::Refuted);
        assert_eq!(report.end, End::Failure);
        assert_eq!(report.failed, 1);
        report.failures.remove(0)
    });
    assert_eq!(changed.message, all.message);
    assert_eq!(changed.location, all.location);
    changed
}

fn is_here(failure: &Failure) -> bool {
    failure
        .location
        .as_ref()
        .is_some_and(|place| place.contains("it/failures.rs:"))
}

#[test]
fn an_assertion() {
    let failure = failure_of(|| {
        spawn_named("bad", || assert_eq!(1 + 1, 3, "arithmetic"));
    });
    assert_eq!(failure.kind, FailureKind::Panic);
    assert_eq!(failure.process.as_deref(), Some("bad"));
    assert!(failure.message.contains("arithmetic"), "{failure}");
    assert!(is_here(&failure), "{failure}");
}

#[test]
fn the_standard_library_panics_at_the_users_line() {
    let unwrap = failure_of(|| drop(try_receive::<String>().unwrap()));
    assert!(
        unwrap
            .message
            .contains("called `Option::unwrap()` on a `None` value")
    );
    assert!(is_here(&unwrap), "{unwrap}");
    let expect = failure_of(|| assert_eq!("x".parse::<u32>().expect("a number"), 0));
    assert!(expect.message.starts_with("a number"));
    assert!(is_here(&expect), "{expect}");
    let index = failure_of(|| assert_eq!([1, 2][choose([2_usize])], 0));
    assert!(index.message.contains("out of bounds"));
    assert!(is_here(&index), "{index}");
}

#[test]
fn a_payload_that_is_no_text() {
    let failure = failure_of(|| std::panic::panic_any(5));
    assert_eq!(failure.message, "a panic without a message");
    assert!(is_here(&failure));
    let silent = failure_of(|| std::panic::resume_unwind(Box::new("silent")));
    assert_eq!(silent.message, "silent");
}

#[test]
fn our_own_complaints_name_the_users_line() {
    let failure = failure_of(|| {
        choose(Vec::<u32>::new());
    });
    assert_eq!(failure.message, "`choose` needs at least one option");
    assert!(is_here(&failure), "{failure}");
}

#[test]
fn what_user_code_catches_is_no_failure() {
    plainsong::explore(|| {
        let main = current();
        for n in [1_u32, 2] {
            spawn(move || send(main, n));
        }
        let first = receive::<u32>();
        let caught = std::panic::catch_unwind(|| assert!(first > 5, "expected"));
        assert!(caught.is_err());
        receive::<u32>();
    })
    .assert_holds();
}

#[test]
fn code_that_catches_everything_can_still_be_given_up() {
    // A worker that survives panics, as pools have them; its receive is inside.
    let report = plainsong::explore(|| {
        let main = current();
        let worker = spawn_daemon(move || {
            loop {
                let _ = std::panic::catch_unwind(|| {
                    let n = receive::<u32>();
                    assert!(n != 1);
                    send(main, n);
                });
            }
        });
        for n in [1_u32, 2, 3] {
            let to = worker.process();
            spawn(move || send(to, n));
        }
        assert_eq!(receive::<u32>() + receive::<u32>(), 5);
    });
    report.assert_holds();
    assert_eq!(report.executions, 6);
}

fn six_of_24(keep_going: bool, jobs: usize) -> Report {
    Explorer::new().keep_going(keep_going).jobs(jobs).run(|| {
        let main = current();
        for n in 0..4_u32 {
            spawn(move || send(main, n));
        }
        let order = [(); 4].map(|()| receive::<u32>());
        assert!(order[0] != 3, "three comes first");
    })
}

#[test]
fn all_failures_are_counted() {
    for jobs in [1, 2] {
        let all = six_of_24(true, jobs);
        assert_eq!((all.executions, all.failed, all.blocked), (18, 6, 0));
        assert_eq!(all.failures.len(), 1, "one kind of failure");
        assert_eq!((all.verdict, all.end), (Verdict::Refuted, End::Complete));
        let first = six_of_24(false, jobs);
        assert!(first.failed >= 1 && first.executions < 24);
        assert_eq!((first.verdict, first.end), (Verdict::Refuted, End::Failure));
    }
}

#[test]
fn different_failures_are_listed() {
    let report = Explorer::new().keep_going(true).run(|| match choose(0..5) {
        1 => panic!("one"),
        2 => panic!("two"),
        3 => receive::<()>(),
        _ => {}
    });
    let messages: Vec<&str> = report
        .failures
        .iter()
        .map(|failure| &*failure.message)
        .collect();
    assert_eq!(messages, ["one", "two", "deadlock: main waits for ()"]);
    assert_eq!((report.executions, report.failed), (2, 3));
}

#[test]
fn a_deadlock() {
    let failure = failure_of(|| {
        let philosophers = ["plato", "kant"].map(|name| {
            spawn_named(name, || {
                let other = receive::<plainsong::Process>();
                receive::<u32>();
                send(other, 1_u32);
            })
        });
        let [plato, kant] = philosophers.map(|philosopher| philosopher.process());
        send(plato, kant);
        send(kant, plato);
    });
    assert_eq!(failure.kind, FailureKind::Deadlock);
    assert_eq!(
        failure.message,
        "deadlock: plato waits for u32; kant waits for u32"
    );
    assert!(is_here(&failure), "{failure}");
}

#[test]
fn daemons_and_assumptions_are_no_deadlocks() {
    let report = plainsong::explore(|| {
        spawn_daemon(receive::<u32>);
        plainsong::assume(choose([true, false]));
    });
    report.assert_holds();
    assert_eq!((report.executions, report.blocked), (1, 1));
}

#[test]
fn a_condition_that_panics() {
    let failure = failure_of(|| {
        send(current(), 1);
        receive_where(|n: &i32, _| {
            assert!(*n > 5, "too small");
            true
        });
    });
    assert!(
        failure.message.contains("the condition of the receive at"),
        "{failure}"
    );
    assert!(failure.message.contains("too small"), "{failure}");
    assert!(is_here(&failure));
}

#[test]
fn a_condition_that_sends() {
    let failure = failure_of(|| {
        send(current(), 1);
        receive_where(|_: &i32, _| {
            send(current(), 2);
            true
        });
    });
    assert!(
        failure.message.contains("works only inside an exploration"),
        "{failure}"
    );
}

#[test]
fn more_options_than_can_be_counted() {
    let failure = failure_of(|| assert!(choose(0..(1u64 << 32) + 2) < 5));
    assert!(
        failure.message.contains("has 4294967298 options"),
        "{failure}"
    );
    assert!(is_here(&failure));
    let most = Explorer::new()
        .limit_executions(3)
        .run(|| assert!(choose(0..u32::MAX) < 5));
    assert_eq!((most.verdict, most.executions), (Verdict::Unknown, 3));
}

#[test]
fn options_without_end() {
    let programs: [fn(); 3] = [
        || assert!(choose(0..) >= 0),
        || assert!(choose(std::iter::repeat(1).filter(|n| n % 2 == 1)) == 1),
        || assert!(choose(0..u128::MAX) < u128::MAX),
    ];
    for program in programs {
        let failure = failure_of(program);
        assert!(
            failure.message.contains("needs finitely many options"),
            "{failure}"
        );
        assert!(is_here(&failure));
    }
    let even = plainsong::explore(|| assert!(choose((0..10).filter(|n| n % 2 == 0)) < 9));
    assert_eq!((even.verdict, even.executions), (Verdict::Holds, 5));
}

#[test]
#[should_panic(expected = "three comes first")]
fn assert_holds_panics_with_the_failure() {
    six_of_24(false, 1).assert_holds();
}

#[test]
#[should_panic(expected = "`send` works only inside an exploration")]
fn operations_outside_an_exploration() {
    let report = plainsong::explore(|| {});
    report.assert_holds();
    let mut somebody = None;
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| somebody = Some(current())));
    assert!(somebody.is_none());
    plainsong::explore(|| send(current(), 1)).assert_holds();
    send(stolen_process(), 1);
}

#[test]
fn whatever_is_called_outside_names_the_users_line() {
    use plainsong::{sync, thread, tokio};
    fn made<T>(_: T) {}
    let cases: [(&str, fn()); 14] = [
        ("spawn", || made(spawn(|| {}))),
        ("spawn", || made(spawn_daemon(|| {}))),
        ("spawn", || made(thread::spawn(|| {}))),
        ("spawn", || made(tokio::spawn(async {}))),
        ("Mutex::new", || made(sync::Mutex::new(1))),
        ("RwLock::new", || made(sync::RwLock::new(1))),
        ("Condvar::new", || made(sync::Condvar::new())),
        ("Barrier::new", || made(sync::Barrier::new(2))),
        ("AtomicU32::new", || made(sync::atomic::AtomicU32::new(1))),
        ("sync_channel", || made(sync::mpsc::sync_channel::<u8>(1))),
        ("Mutex::new", || made(tokio::sync::Mutex::new(1))),
        ("Semaphore::new", || made(tokio::sync::Semaphore::new(1))),
        ("Notify::new", || made(tokio::sync::Notify::new())),
        ("channel", || made(tokio::sync::mpsc::channel::<u8>(1))),
    ];
    for (operation, case) in cases {
        let (message, file) = panic_of(case);
        let expected = format!("`{operation}` works only inside an exploration");
        assert!(message.contains(&expected), "{expected}: {message}");
        assert!(file.ends_with("it/failures.rs"), "{operation}: {file}");
    }
}

/// The message and the file of a panic: a condition runs outside, and what it panics with is kept.
fn panic_of(case: fn()) -> (String, String) {
    let failure = failure_of(move || {
        send(current(), 1);
        receive_where(move |_: &i32, _| {
            case();
            true
        });
    });
    let place = failure.location.unwrap_or_default();
    let file = place.split(':').next().unwrap_or_default();
    (failure.message, file.to_owned())
}

/// A process of an exploration that is over.
fn stolen_process() -> plainsong::Process {
    let (sender, receiver) = std::sync::mpsc::channel();
    let sender = std::sync::Mutex::new(sender);
    plainsong::explore(move || sender.lock().unwrap().send(current()).unwrap()).assert_holds();
    receiver.recv().unwrap()
}

#[test]
fn a_limit_is_not_a_proof() {
    let report = Explorer::new()
        .limit_executions(3)
        .run(|| assert!(choose(0..10) < 10));
    report.assert_no_failure();
    assert_eq!(report.verdict, Verdict::Unknown);
    let insisted = std::panic::catch_unwind(|| report.assert_holds());
    let text = insisted.unwrap_err().downcast::<String>().unwrap();
    assert!(
        text.starts_with("unknown: limit on executions reached"),
        "{text}"
    );
    assert!(text.contains("there are about 10 executions"), "{text}");
}
