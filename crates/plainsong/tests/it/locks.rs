//! Reader-writer locks, barriers, and things done once.

use crate::script::{DELIVERIES, every_way};
use plainsong::sync::{Arc, Barrier, Mutex, Once, RwLock};
use plainsong::{Explorer, explore, thread};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// One writer, one reader that looks once: before or after.
#[test]
fn a_reader_comes_before_or_after_a_writer() {
    let program = || {
        let lock = Arc::new(RwLock::new(0));
        let other = Arc::clone(&lock);
        thread::spawn(move || *other.write().unwrap() = 1);
        assert!(*lock.read().unwrap() < 2);
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (2, 0));
    }
}

/// Writers exclude each other: n!.
#[test]
fn writers_are_ordered() {
    let program = || {
        let lock = Arc::new(RwLock::new(Vec::new()));
        let threads = [1, 2, 3].map(|n| {
            let lock = Arc::clone(&lock);
            thread::spawn(move || lock.write().unwrap().push(n))
        });
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(lock.read().unwrap().len(), 3);
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (6, 0));
    }
}

/// While somebody reads, others read and nobody writes.
#[test]
fn readers_share() {
    explore(|| {
        let lock = Arc::new(RwLock::new(0));
        let writer = Arc::clone(&lock);
        let writer = thread::spawn(move || *writer.write().unwrap() += 1);
        let reader = Arc::clone(&lock);
        let reader = thread::spawn(move || *reader.read().unwrap());
        let mine = lock.read().unwrap();
        // The other reader needs no leave of mine, unless the writer waits between us.
        let tried = lock.try_read().map(|guard| *guard).ok();
        assert!(tried.is_none_or(|tried| tried == *mine));
        assert!(lock.try_write().is_err());
        drop(mine);
        reader.join().unwrap();
        writer.join().unwrap();
        assert_eq!(*lock.try_write().unwrap(), 1);
    })
    .assert_holds();
}

/// A writer in between: reading twice at a time may wait for ever, and may not.
#[test]
fn reading_twice_at_a_time() {
    let report = Explorer::new().keep_going(true).run(|| {
        let lock = Arc::new(RwLock::named("table", 0));
        let other = Arc::clone(&lock);
        let writer = thread::Builder::new().name("writer".to_owned());
        writer.spawn(move || *other.write().unwrap() = 1).unwrap();
        let _first = lock.read().unwrap();
        let _second = lock.read().unwrap();
    });
    assert_eq!((report.executions, report.failed), (2, 1));
    assert_eq!(
        report.failures[0].message,
        "deadlock: main waits for table; writer waits for table"
    );
}

/// Two readers that upgrade: each waits for the other to stop reading.
#[test]
fn upgrading_is_a_deadlock() {
    let report = explore(|| {
        let lock = Arc::new(RwLock::new(0));
        for _ in 0..2 {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                let reader = lock.read().unwrap();
                *lock.write().unwrap() = *reader + 1;
            });
        }
    });
    assert!(report.failures[0].message.starts_with("deadlock"));
}

/// Whoever knows that the reader has stopped can write at once.
#[test]
fn try_write_knows_who_has_stopped() {
    let program = || {
        let lock = Arc::new(RwLock::new(0));
        let other = Arc::clone(&lock);
        let reader = thread::spawn(move || *other.read().unwrap());
        let early = lock.try_write().is_ok();
        reader.join().unwrap();
        assert!(lock.try_write().is_ok());
        plainsong::cover(format!("{early}"));
    };
    for delivery in DELIVERIES {
        // Before the read; while it lasts; after it.
        assert_eq!(every_way(delivery, || program), (3, 0));
    }
    assert_eq!(explore(program).coverage["false"], 1);
}

#[test]
fn a_caught_panic_of_a_writer_poisons() {
    explore(|| {
        let mut lock = RwLock::new(1);
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let _reader = lock.read().unwrap();
            panic!("harmless");
        }));
        assert!(caught.is_err());
        *lock.get_mut().unwrap() = 2;
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let _writer = lock.write().unwrap();
            panic!("harmful");
        }));
        assert!(caught.is_err());
        assert_eq!(*lock.read().unwrap_err().into_inner(), 2);
        assert_eq!(lock.into_inner().unwrap_err().into_inner(), 2);
    })
    .assert_holds();
}

/// Nobody goes on before all have come; twice.
#[test]
fn a_barrier_is_used_again() {
    let program = || {
        let shared = Arc::new((Barrier::new(2), Mutex::new(0)));
        let threads = [1, 2].map(|_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let mut led = 0;
                for round in 1..=2 {
                    *shared.1.lock().unwrap() += 1;
                    led += u32::from(shared.0.wait().is_leader());
                    assert!(*shared.1.lock().unwrap() >= 2 * round);
                }
                led
            })
        });
        let led = threads.map(|thread| thread.join().unwrap());
        assert_eq!(led[0] + led[1], 2);
    };
    explore(program).assert_holds();
}

#[test]
fn a_barrier_waits_for_all() {
    let report = explore(|| {
        Barrier::new(2).wait();
    });
    assert_eq!(
        report.failures[0].message,
        "deadlock: main waits for others at barrier 1"
    );
}

/// It is done by the first that comes, and the other knows that it was.
#[test]
fn once_is_once() {
    let program = || {
        let shared = Arc::new((Once::new(), Mutex::new(0)));
        for _ in 0..2 {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                shared.0.call_once(|| *shared.1.lock().unwrap() += 1);
                assert_eq!(*shared.1.lock().unwrap(), 1);
            });
        }
        let done = shared.0.is_completed();
        assert!(!done || *shared.1.lock().unwrap() == 1);
    };
    for delivery in DELIVERIES {
        let report = Explorer::new().delivery(delivery).run(program);
        report.assert_holds();
    }
}

#[test]
fn a_caught_panic_poisons_once() {
    explore(|| {
        let once = Once::new();
        for _ in 0..2 {
            let call = || once.call_once(|| panic!("on purpose"));
            assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
        }
        assert!(!once.is_completed());
    })
    .assert_holds();
}
