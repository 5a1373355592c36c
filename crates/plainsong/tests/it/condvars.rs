//! Condition variables: exact counts, lost notifications, timeouts.

use crate::script::{DELIVERIES, every_way};
use plainsong::sync::{Arc, Condvar, Mutex};
use plainsong::{Explorer, FailureKind, cover, explore, thread};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

fn named(name: &str, code: impl FnOnce() + 'static) -> thread::JoinHandle<()> {
    let builder = thread::Builder::new().name(name.to_owned());
    builder.spawn(code).unwrap()
}

/// The waiter locks first and waits, or comes when everything is ready: 2.
#[test]
fn a_flag_is_waited_for() {
    let program = |notifies_inside: bool| {
        move || {
            let shared = Arc::new((Mutex::new(false), Condvar::new()));
            let other = Arc::clone(&shared);
            thread::spawn(move || {
                let mut ready = other.0.lock().unwrap();
                *ready = true;
                if notifies_inside {
                    other.1.notify_one();
                }
                drop(ready);
                if !notifies_inside {
                    other.1.notify_all();
                }
            });
            let mut ready = shared.0.lock().unwrap();
            while !*ready {
                ready = shared.1.wait(ready).unwrap();
            }
        }
    };
    for delivery in DELIVERIES {
        for inside in [false, true] {
            assert_eq!(every_way(delivery, || program(inside)), (2, 0));
        }
    }
}

/// The flag is looked at under one lock and waited for under another: the notification between the
/// two finds nobody.
#[test]
fn a_notification_is_lost() {
    let program = || {
        let shared = Arc::new((Mutex::new(false), Condvar::named("ready")));
        let other = Arc::clone(&shared);
        named("notifier", move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        named("waiter", move || {
            if !*shared.0.lock().unwrap() {
                let guard = shared.0.lock().unwrap();
                drop(shared.1.wait(guard));
            }
        });
    };
    for delivery in DELIVERIES {
        let report = Explorer::new().delivery(delivery).run(program);
        let failure = &report.failures[0];
        assert_eq!(failure.kind, FailureKind::Deadlock);
        assert_eq!(
            failure.message,
            "deadlock: waiter waits for a notification of ready"
        );
        let place = failure.location.as_ref().unwrap();
        assert!(place.contains("tests/it/condvars.rs"), "{place}");
        assert!(failure.picture.contains("notify_one"), "{failure}");
    }
    // Waiter first: 1, unless the lock goes to the notifier in between. That gives the deadlock when
    // the notification comes before the wait, and none when it comes after. Notifier first: 1.
    let report = Explorer::new().keep_going(true).run(program);
    assert_eq!((report.executions, report.failed), (3, 1));
}

/// One notification, two that wait: each may be the one; the other waits for ever.
#[test]
fn one_of_those_that_wait_is_chosen() {
    let program = || {
        let shared = Arc::new((Mutex::new(0), Condvar::new()));
        let waiters = ["ann", "bob"].map(|name| {
            let shared = Arc::clone(&shared);
            named(name, move || {
                let mut waiting = shared.0.lock().unwrap();
                *waiting += 1;
                drop(shared.1.wait(waiting));
                cover(name);
            })
        });
        let waiting = shared.0.lock().unwrap();
        plainsong::assume(*waiting == 2);
        shared.1.notify_one();
        let _ = waiters;
    };
    let report = Explorer::new().keep_going(true).run(program);
    // Two orders of waiting, two choices.
    assert_eq!((report.executions, report.failed), (0, 4));
    let reached: Vec<_> = report.coverage.into_iter().collect();
    assert_eq!(reached, [("ann".to_owned(), 2), ("bob".to_owned(), 2)]);
}

/// All wake up, and lock again one after the other: 2 orders of waiting, 2 of going on.
#[test]
fn all_wake_up() {
    let program = || {
        let shared = Arc::new((Mutex::new(0), Condvar::new()));
        let waiters = [1, 2].map(|_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let mut waiting = shared.0.lock().unwrap();
                *waiting += 1;
                drop(shared.1.wait(waiting));
            })
        });
        let waiting = shared.0.lock().unwrap();
        plainsong::assume(*waiting == 2);
        shared.1.notify_all();
        drop(waiting);
        for waiter in waiters {
            waiter.join().unwrap();
        }
    };
    for delivery in DELIVERIES {
        // Main locks first: 1 order of the others is not looked at any more. Between them: 2.
        let (complete, blocked) = every_way(delivery, || program);
        assert_eq!(complete, 4);
        assert!(blocked > 0);
    }
}

/// With a timeout the wait ends by the notification, or by time before it, or was not necessary.
#[test]
fn a_wait_with_a_timeout_ends_in_every_way() {
    let program = || {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&shared);
        let notifier = thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let mut ready = shared.0.lock().unwrap();
        let mut how = "not necessary";
        if !*ready {
            let (again, result) = shared.1.wait_timeout(ready, SECOND).unwrap();
            ready = again;
            how = match (result.timed_out(), *ready) {
                (false, true) => "notified",
                (true, false) => "late",
                (true, true) => "late but ready",
                (false, false) => unreachable!("there is one notification"),
            };
        }
        drop(ready);
        cover(how);
        notifier.join().unwrap();
    };
    for delivery in DELIVERIES {
        // "late but ready": the flag is set before or after the time is over, which is one lock
        // order; the notification comes after the timeout.
        assert_eq!(every_way(delivery, || program), (4, 0));
    }
    let reached = explore(program).coverage;
    assert_eq!(reached.len(), 4);
    assert!(reached.values().all(|&count| count == 1), "{reached:?}");
}

/// A time that is over takes no notification from another one that waits.
#[test]
fn a_late_one_takes_no_notification() {
    explore(|| {
        let shared = Arc::new((Mutex::new(0), Condvar::new()));
        let patient = Arc::clone(&shared);
        named("patient", move || {
            let guard = patient.0.lock().unwrap();
            drop(patient.1.wait_while(guard, |jobs| *jobs == 0));
        });
        let hasty = Arc::clone(&shared);
        named("hasty", move || {
            let guard = hasty.0.lock().unwrap();
            let (_guard, result) = hasty.1.wait_timeout(guard, SECOND).unwrap();
            if !result.timed_out() {
                hasty.1.notify_one(); // passes it on
            }
        });
        *shared.0.lock().unwrap() += 1;
        shared.1.notify_one();
    })
    .assert_holds();
}

#[test]
fn waiting_while_with_a_timeout() {
    let program = || {
        let (mutex, condvar) = (Mutex::new(3), Condvar::new());
        let guard = mutex.lock().unwrap();
        let (guard, result) = condvar
            .wait_timeout_while(guard, SECOND, |n| *n > 2)
            .unwrap();
        assert!(result.timed_out());
        let (_guard, result) = condvar
            .wait_timeout_while(guard, SECOND, |n| *n > 3)
            .unwrap();
        assert!(!result.timed_out());
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (1, 0));
    }
}

/// A wait that is not in a loop is wrong; a loop is right.
#[test]
fn waking_up_for_no_reason() {
    let program = |in_a_loop: bool| {
        move || {
            let shared = Arc::new((Mutex::new(false), Condvar::with_spurious_wakeups(2)));
            let other = Arc::clone(&shared);
            thread::spawn(move || {
                *other.0.lock().unwrap() = true;
                other.1.notify_one();
            });
            let mut ready = shared.0.lock().unwrap();
            if in_a_loop {
                ready = shared.1.wait_while(ready, |ready| !*ready).unwrap();
            } else if !*ready {
                ready = shared.1.wait(ready).unwrap();
            }
            assert!(*ready);
        }
    };
    explore(program(true)).assert_holds();
    let report = explore(program(false));
    assert_eq!(report.failures[0].message, "assertion failed: *ready");
}
