//! Threads as in `std`: joining, parking, names.

use crate::script::{DELIVERIES, every_way};
use plainsong::{Explorer, FailureKind, cover, explore, thread};
use std::time::Duration;

#[test]
fn joining_returns_what_was_returned() {
    let program = || {
        let threads = [1, 2, 3].map(|n| thread::spawn(move || vec![n; n]));
        let results = threads.map(|thread| thread.join().unwrap());
        assert_eq!(results, [vec![1], vec![2; 2], vec![3; 3]]);
        thread::spawn(|| {}).join().unwrap();
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (1, 0));
    }
}

#[test]
fn threads_have_names_and_ids() {
    explore(|| {
        let nameless = thread::spawn(|| thread::current().name().is_none());
        let builder = thread::Builder::new().name("worker".to_owned());
        let worker = builder.spawn(thread::current).unwrap();
        assert_eq!(format!("{:?}", nameless.thread()), "Thread(thread 1)");
        assert!(nameless.thread().name().is_none());
        assert_ne!(nameless.thread().id(), thread::current().id());
        assert_eq!(worker.thread().name(), Some("worker"));
        let id = worker.thread().id();
        assert_eq!(worker.join().unwrap().id(), id);
        assert!(nameless.join().unwrap());
    })
    .assert_holds();
}

#[test]
fn a_panic_of_a_thread_is_a_failure_where_that_is_asked_for() {
    let program = || {
        let thread = thread::spawn(|| panic!("oops"));
        let _: thread::Result<()> = thread.join();
    };
    explore(program).assert_holds();
    let report = Explorer::new().panics_are_failures(true).run(program);
    assert_eq!(report.failures[0].message, "oops");
    assert_eq!(report.failures[0].process.as_deref(), Some("thread 1"));
}

/// A thread that waits for what comes after the question has not finished, for certain.
#[test]
fn is_finished_is_honest() {
    let program = || {
        let thread = thread::spawn(thread::park);
        assert!(!thread.is_finished());
        thread.thread().unpark();
        if thread.is_finished() {
            assert!(thread.is_finished(), "it does not start again");
        }
        thread.join().unwrap();
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (2, 0));
    }
}

#[test]
fn an_unpark_before_the_park_is_enough() {
    let program = || {
        thread::current().unpark();
        thread::park();
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (1, 0));
    }
}

/// Two `unpark` one after the other fall together or not: with two `park`, one of the two
/// possibilities is a deadlock.
#[test]
fn two_unparks_may_be_one() {
    let program = || {
        let main = thread::current();
        thread::Builder::new()
            .name("waker".to_owned())
            .spawn(move || {
                main.unpark();
                main.unpark();
            })
            .unwrap();
        thread::park();
        thread::park();
    };
    for delivery in DELIVERIES {
        let explorer = Explorer::new().delivery(delivery).keep_going(true);
        let report = explorer.run(program);
        assert_eq!((report.executions, report.failed), (1, 1));
        let failure = &report.failures[0];
        assert_eq!(failure.kind, FailureKind::Deadlock);
        assert_eq!(
            failure.message,
            "deadlock: main waits for an unpark of main"
        );
    }
}

/// Both tokens are there before the first `park`: the second has to wait, in every execution.
#[test]
fn tokens_that_are_known_to_be_there_are_one() {
    let report = Explorer::new().keep_going(true).run(|| {
        let main = thread::current();
        let waker = thread::spawn(move || {
            main.unpark();
            main.unpark();
        });
        waker.join().unwrap();
        thread::park();
        thread::park();
    });
    assert_eq!((report.executions, report.failed), (0, 1));
}

/// The token is taken, or the time is over first; then the next `park` takes it.
#[test]
fn parking_with_a_timeout() {
    let program = || {
        let main = thread::current();
        let waker = thread::spawn(move || main.unpark());
        thread::park_timeout(Duration::from_secs(1));
        cover("went on");
        waker.join().unwrap();
        thread::park_timeout(Duration::from_secs(1));
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (2, 0));
    }
}
