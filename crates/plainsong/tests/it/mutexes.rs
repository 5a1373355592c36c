//! Mutexes: exact counts, deadlocks that name what the user knows, poison.

use crate::script::{DELIVERIES, every_way};
use plainsong::sync::{Arc, Mutex, TryLockError};
use plainsong::{Explorer, FailureKind, Verdict, explore, thread};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// So many threads lock once and add one; the last lock sees all of it.
fn counters(threads: usize) {
    let count = Arc::new(Mutex::new(0));
    let handles: Vec<_> = (0..threads)
        .map(|_| {
            let count = Arc::clone(&count);
            thread::spawn(move || *count.lock().unwrap() += 1)
        })
        .collect();
    for handle in handles {
        handle.join().unwrap();
    }
    assert_eq!(*count.lock().unwrap(), threads);
}

#[test]
fn every_order_of_locking_once() {
    for delivery in DELIVERIES {
        for (threads, expected) in [(1, 1), (2, 2), (3, 6), (4, 24)] {
            let found = every_way(delivery, || move || counters(threads));
            assert_eq!(found, (expected, 0), "{threads} threads, {delivery:?}");
        }
    }
}

/// Two threads that lock twice each: the orders of aabb, C(4, 2).
#[test]
fn orders_of_locking_twice() {
    let program = || {
        let mutex = Arc::new(Mutex::new(()));
        for _ in 0..2 {
            let mutex = Arc::clone(&mutex);
            thread::spawn(move || {
                drop(mutex.lock());
                drop(mutex.lock());
            });
        }
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (6, 0));
    }
}

/// Locks of different mutexes have no order: 2 × 2.
#[test]
fn mutexes_are_independent() {
    let program = || {
        for _ in 0..2 {
            let mutex = Arc::new(Mutex::new(0));
            for _ in 0..2 {
                let mutex = Arc::clone(&mutex);
                thread::spawn(move || *mutex.lock().unwrap() += 1);
            }
        }
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (4, 0));
    }
}

/// Read and write under different locks: the broken twin of [`counters`].
#[test]
fn an_update_is_lost_between_two_locks() {
    let report = explore(|| {
        let count = Arc::new(Mutex::new(0));
        let threads = ["ann", "bob"].map(|name| {
            let count = Arc::clone(&count);
            let builder = thread::Builder::new().name(name.to_owned());
            let add = move || {
                let seen = *count.lock().unwrap();
                *count.lock().unwrap() = seen + 1;
            };
            builder.spawn(add).unwrap()
        });
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(*count.lock().unwrap(), 2);
    });
    let failure = &report.failures[0];
    assert_eq!(failure.process.as_deref(), Some("main"));
    let picture = "    \
    main       mutex 1         ann   bob
      |           |<-- lock ----|     |
      |           |<- unlock ---|     |
      |           |<----- lock -------|
      |           |<---- unlock ------|
      |           |<-- lock ----|     |
      |           |<- unlock ---|     |
      |           |<----- lock -------|
      |           |<---- unlock ------|
      |-- lock -->|             |     |
      X           |             |     |   <- here";
    assert_eq!(failure.picture, picture);
}

#[test]
fn opposite_orders_of_locking_are_a_deadlock() {
    let program = || {
        let accounts = Arc::new([Mutex::named("giro", 10), Mutex::named("savings", 10)]);
        for (name, from, to) in [("ann", 0, 1), ("bob", 1, 0)] {
            let accounts = Arc::clone(&accounts);
            let transfer = move || {
                let mut from = accounts[from].lock().unwrap();
                let mut to = accounts[to].lock().unwrap();
                *from -= 1;
                *to += 1;
            };
            thread::Builder::new()
                .name(name.to_owned())
                .spawn(transfer)
                .unwrap();
        }
    };
    for delivery in DELIVERIES {
        let report = Explorer::new().delivery(delivery).run(program);
        let failure = &report.failures[0];
        assert_eq!(failure.kind, FailureKind::Deadlock);
        assert_eq!(
            failure.message,
            "deadlock: ann waits for savings, held by bob; bob waits for giro, held by ann"
        );
        let picture = "    \
    giro    savings   ann   bob
      |<---- lock -----|     |
      |        |<-- lock ----|
      |        |       ?     |   <- waits for savings, held by bob, at HERE
      |        |       |     ?   <- waits for giro, held by ann, at HERE";
        let place = failure.location.as_ref().unwrap();
        assert!(place.contains("tests/it/mutexes.rs"), "{place}");
        assert_eq!(failure.picture, picture.replace("HERE", place));
        let race = failure.race.as_ref().unwrap();
        assert!(race.contains("received lock from"), "{race}");
        assert!(race.contains("tests/it/mutexes.rs"), "{race}");
    }
    // Going on: two orders, each with the second thread after the first, and the deadlock.
    let report = Explorer::new().keep_going(true).run(program);
    assert_eq!((report.executions, report.failed), (2, 1));
}

#[test]
fn one_order_of_locking_is_none() {
    let program = || {
        let accounts = Arc::new([Mutex::new(10), Mutex::new(10)]);
        for _ in 0..2 {
            let accounts = Arc::clone(&accounts);
            thread::spawn(move || {
                let mut from = accounts[0].lock().unwrap();
                let mut to = accounts[1].lock().unwrap();
                *from -= 1;
                *to += 1;
            });
        }
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (2, 0));
    }
}

/// `try_lock` before, during and after the other thread has the lock: it fails only during.
#[test]
fn try_lock_fails_when_somebody_has_the_lock() {
    let program = || {
        let mutex = Arc::new(Mutex::new(0));
        let other = Arc::clone(&mutex);
        let thread = thread::spawn(move || *other.lock().unwrap() += 1);
        let seen = match mutex.try_lock() {
            Ok(guard) => Some(*guard),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Poisoned(_)) => unreachable!("nobody panics"),
        };
        plainsong::cover(format!("{seen:?}"));
        thread.join().unwrap();
        assert_eq!(*mutex.try_lock().unwrap(), 1);
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (3, 0));
    }
    let reached = explore(program).coverage;
    assert_eq!(reached.len(), 3);
    assert!(reached.values().all(|&count| count == 1));
}

/// What one knows to be unlocked, one can lock: an unlock is not overtaken.
#[test]
fn an_unlock_that_one_knows_of_has_happened() {
    let program = || {
        let (a, b) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(false)));
        let (a2, b2) = (Arc::clone(&a), Arc::clone(&b));
        thread::spawn(move || {
            drop(a2.lock());
            *b2.lock().unwrap() = true;
        });
        if *b.lock().unwrap() {
            assert!(a.try_lock().is_ok());
        }
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (2, 0));
    }
}

/// Two threads, each unlocks its own and tries the other's: one of them has to succeed.
#[test]
fn mutexes_are_sequentially_consistent_together() {
    let program = || {
        let mutexes = Arc::new([Mutex::new(()), Mutex::new(())]);
        let threads = [0, 1].map(|mine| {
            let mutexes = Arc::clone(&mutexes);
            thread::spawn(move || {
                drop(mutexes[mine].lock());
                mutexes[1 - mine].try_lock().is_ok()
            })
        });
        let [first, second] = threads.map(|thread| thread.join().unwrap());
        assert!(first || second);
    };
    for delivery in DELIVERIES {
        let report = Explorer::new().delivery(delivery).run(program);
        assert_eq!(report.verdict, Verdict::Holds, "{:?}", report.failures);
    }
}

#[test]
fn a_caught_panic_poisons() {
    let program = || {
        let mutex = Arc::new(Mutex::new(1));
        let other = Arc::clone(&mutex);
        let thread = thread::spawn(move || {
            let caught = catch_unwind(AssertUnwindSafe(|| {
                let mut guard = other.lock().unwrap();
                *guard = 2;
                panic!("on purpose");
            }));
            assert!(caught.is_err());
        });
        thread.join().unwrap();
        assert!(mutex.is_poisoned());
        assert_eq!(*mutex.lock().unwrap_err().into_inner(), 2);
        mutex.clear_poison();
        assert_eq!(*mutex.lock().unwrap(), 2);
        let mutex = Arc::into_inner(mutex);
        assert!(mutex.is_none_or(|mutex| mutex.into_inner().unwrap() == 2));
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (1, 0));
    }
}

#[test]
fn owners_need_no_lock() {
    explore(|| {
        let mut mutex = Mutex::new(vec![1]);
        mutex.get_mut().unwrap().push(2);
        assert_eq!(format!("{mutex:?}"), "Mutex(mutex 1)");
        assert_eq!(mutex.into_inner().unwrap(), [1, 2]);
    })
    .assert_holds();
}

#[test]
fn locking_twice_is_a_deadlock() {
    let report = explore(|| {
        let mutex = Mutex::new(());
        let _first = mutex.lock();
        let _second = mutex.lock();
    });
    assert_eq!(
        report.failures[0].message,
        "deadlock: main waits for mutex 1, held by main"
    );
}

#[test]
fn a_deadlock_replays() {
    let program = || {
        let mutexes = Arc::new([Mutex::new(()), Mutex::new(())]);
        for mine in [0, 1] {
            let mutexes = Arc::clone(&mutexes);
            thread::spawn(move || {
                let _mine = mutexes[mine].lock();
                let _other = mutexes[1 - mine].lock();
            });
        }
    };
    let failure = explore(program).failures.remove(0);
    let trace = failure.trace.clone().unwrap();
    let again = Explorer::new().replay(&trace, program);
    assert_eq!(again.failures[0].message, failure.message);
}
