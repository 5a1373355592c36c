//! Panics that the program handles are no failures; those that nobody handles are, and are shown as before.

use plainsong::sync::{Arc, Mutex, mpsc};
use plainsong::tokio::{self, task::JoinSet};
use plainsong::{Explorer, FailureKind, Verdict, explore, thread};

/// Works on orders, and panics at one that is wrong; its supervisor starts it again.
fn supervise(most: u32) {
    let (orders, queue) = mpsc::channel();
    let queue = Arc::new(Mutex::new(queue));
    for order in [1, 0, 2] {
        orders.send(order).unwrap();
    }
    drop(orders);
    let mut restarts = 0;
    loop {
        let queue = Arc::clone(&queue);
        let worker = thread::spawn(move || {
            let mut done = 0;
            loop {
                let order = queue.lock().unwrap().recv();
                match order {
                    Ok(0) => panic!("an order of nothing"),
                    Ok(_) => done += 1,
                    Err(_) => return done,
                }
            }
        });
        match worker.join() {
            Ok(done) => break assert_eq!(done, 1),
            Err(payload) => {
                assert_eq!(payload.downcast_ref(), Some(&"an order of nothing"));
                restarts += 1;
                assert!(restarts <= most, "restarted too often");
            }
        }
    }
}

#[test]
fn a_supervisor_restarts_its_worker() {
    explore(|| supervise(1)).assert_holds();
}

#[test]
fn what_fails_after_a_panic_was_handled_is_found_and_replays() {
    let report = explore(|| supervise(0));
    assert_eq!(report.verdict, Verdict::Refuted);
    assert_eq!(report.failures[0].message, "restarted too often");
    let trace = report.failures[0].trace.clone().unwrap();
    let read: plainsong::Trace = trace.to_string().parse().unwrap();
    assert_eq!(read, trace);
    let again = Explorer::new().replay(&read, || supervise(0));
    assert_eq!(again.failures[0].message, "restarted too often", "{again}");
}

#[test]
fn a_panic_that_nobody_handles_is_a_failure() {
    let detached = explore(|| {
        thread::spawn(|| panic!("on my own"));
    });
    assert_eq!(detached.failures[0].message, "on my own");
    let unwrapped = explore(|| {
        let worker = thread::spawn(|| panic!("unwrapped"));
        worker.join().unwrap();
    });
    assert_eq!(unwrapped.failures[0].message, "unwrapped");
    let passed_on = explore(|| {
        let worker = thread::spawn(|| panic!("passed on"));
        let Err(payload) = worker.join();
        std::panic::resume_unwind(payload);
    });
    assert_eq!(passed_on.failures[0].message, "passed on");
    let waiting = explore(|| {
        let (sender, receiver) = mpsc::channel::<u32>();
        let _worker = thread::spawn(|| panic!("while somebody waits"));
        let keeps = sender.clone();
        receiver.recv().ok();
        drop((keeps, sender));
    });
    assert_eq!(waiting.failures[0].message, "while somebody waits");
    for report in [detached, unwrapped, passed_on, waiting] {
        assert_eq!(report.verdict, Verdict::Refuted);
        assert_eq!(report.failures[0].kind, FailureKind::Panic);
        assert_eq!(report.failures[0].process.as_deref(), Some("thread 1"));
    }
}

#[test]
fn one_panic_is_handled_and_the_other_is_not() {
    let report = explore(|| {
        let worker = thread::spawn(|| panic!("handled"));
        assert!(worker.join().is_err());
        thread::spawn(|| panic!("not handled"));
    });
    assert_eq!(report.verdict, Verdict::Refuted);
    assert_eq!(report.failures[0].message, "not handled");
    let trace = report.failures[0].trace.clone().unwrap();
    let again = Explorer::new().replay(&trace, || {
        let worker = thread::spawn(|| panic!("handled"));
        assert!(worker.join().is_err());
        thread::spawn(|| panic!("not handled"));
    });
    assert_eq!(again.failures[0].message, "not handled");
}

#[test]
fn a_lock_is_poisoned_by_a_panic_that_is_handled() {
    let report = explore(|| {
        let lock = Arc::new(Mutex::new(1));
        let inside = Arc::clone(&lock);
        let worker = thread::spawn(move || {
            let _guard = inside.lock().unwrap();
            panic!("with the lock");
        });
        assert!(worker.join().is_err());
        assert!(lock.lock().is_err());
    });
    report.assert_holds();
}

#[test]
fn a_set_of_tasks_has_one_that_panics() {
    let report = explore(|| {
        tokio::block_on(async {
            let mut set = JoinSet::new();
            for n in [1, 2] {
                set.spawn(async move {
                    assert!(n != 2, "two");
                    n
                });
            }
            let mut seen = (0, 0);
            while let Some(result) = set.join_next().await {
                match result {
                    Ok(n) => seen.0 += n,
                    Err(error) if error.is_panic() => seen.1 += 1,
                    Err(_) => unreachable!("nobody aborts"),
                }
            }
            assert_eq!(seen, (1, 1));
        });
    });
    report.assert_holds();
    assert_eq!(report.executions, 2);
}
