//! Scoped threads: borrowing, joining, giving up in the middle.

use crate::script::{DELIVERIES, every_way};
use plainsong::sync::{Mutex, atomic, mpsc};
use plainsong::{Explorer, FailureKind, Restart, assume, choose_bool, cover, explore, thread};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// A value whose destructor looks at what it borrows: the tests would notice if that were gone.
struct Looks<'a>(&'a Vec<String>);

impl Drop for Looks<'_> {
    fn drop(&mut self) {
        assert!(self.0.iter().all(|text| text == "still here"));
    }
}

fn something() -> Vec<String> {
    vec!["still here".to_owned(); 3]
}

#[test]
fn threads_borrow() {
    let program = || {
        let texts = something();
        let count = Mutex::new(0);
        let mut own = [0; 2];
        let lengths = thread::scope(|scope| {
            let [first, second] = &mut own;
            scope.spawn(|| *first = 1);
            scope.spawn(|| *second = 2);
            let threads = [0, 1].map(|n| {
                let (texts, count) = (&texts, &count);
                scope.spawn(move || {
                    *count.lock().unwrap() += 1;
                    &texts[n]
                })
            });
            threads.map(|thread| thread.join().unwrap().len())
        });
        assert_eq!(lengths, [10, 10]);
        assert_eq!(own, [1, 2]);
        assert_eq!(count.into_inner().unwrap(), 2);
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (2, 0));
    }
}

/// What the parent does afterwards depends on what the thread wrote; and it receives afterwards, so
/// that it has to run again.
#[test]
fn what_was_written_is_there_in_every_execution() {
    let program = || {
        let (sender, receiver) = mpsc::channel();
        for n in [1, 2, 3] {
            let sender = sender.clone();
            thread::spawn(move || sender.send(n).unwrap());
        }
        let mut seen = Vec::new();
        thread::scope(|scope| {
            scope.spawn(|| seen.push(0));
        });
        for _ in 0..3 {
            seen.push(receiver.recv().unwrap());
        }
        thread::scope(|scope| {
            let seen = &mut seen;
            scope.spawn(move || seen.sort_unstable());
        });
        assert_eq!(seen, [0, 1, 2, 3]);
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (6, 0));
    }
}

/// Threads started by threads are waited for too.
#[test]
fn threads_start_threads() {
    let program = || {
        let count = atomic::AtomicU32::new(0);
        let any = atomic::Ordering::SeqCst;
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    scope.spawn(|| {
                        scope.spawn(|| count.fetch_add(1, any));
                    });
                });
            }
        });
        assert_eq!(count.load(any), 2);
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (2, 0));
    }
}

/// The process gives up in the middle of the scope, while its threads wait and borrow.
#[test]
fn giving_up_in_the_middle() {
    let program = || {
        let texts = something();
        let mutex = Mutex::new(());
        thread::scope(|scope| {
            let guard = mutex.lock().unwrap();
            for _ in 0..2 {
                scope.spawn(|| {
                    let _looks = Looks(&texts);
                    drop(mutex.lock());
                    assert_eq!(texts.len(), 3);
                });
            }
            let _looks = Looks(&texts);
            assume(choose_bool());
            drop(guard);
        });
        assert_eq!(texts.len(), 3);
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (2, 1));
    }
}

/// A panic in the scope's function waits for the threads, and then goes on.
#[test]
fn a_panic_in_the_middle() {
    let report = explore(|| {
        let texts = something();
        thread::scope(|scope| {
            scope.spawn(|| drop(Looks(&texts)));
            panic!("in the middle");
        });
    });
    assert_eq!(report.failures[0].message, "in the middle");
    explore(|| {
        let mut done = false;
        let caught = catch_unwind(AssertUnwindSafe(|| {
            thread::scope(|scope| {
                scope.spawn(|| done = true);
                panic!("in the middle");
            });
        }));
        assert!(caught.is_err() && done);
    })
    .assert_holds();
}

#[test]
fn a_panic_of_a_scoped_thread() {
    let program = || {
        let texts = something();
        let mutex = Mutex::new(0);
        thread::scope(|scope| {
            for n in 1..=2 {
                let (texts, mutex) = (&texts, &mutex);
                scope.spawn(move || {
                    let _looks = Looks(texts);
                    let mut last = mutex.lock().unwrap();
                    assert!(*last < n, "out of order");
                    *last = n;
                });
            }
        });
    };
    let report = Explorer::new().keep_going(true).run(program);
    assert_eq!((report.executions, report.failed), (1, 1));
    assert_eq!(report.failures[0].message, "out of order");
    let trace = report.failures[0].trace.clone().unwrap();
    let again = Explorer::new().replay(&trace, program);
    assert_eq!(again.failures[0].message, "out of order");
}

/// Threads of a scope that wait for each other for ever.
#[test]
fn a_deadlock_in_a_scope() {
    let report = explore(|| {
        let texts = something();
        let locks = [Mutex::named("left", ()), Mutex::named("right", ())];
        thread::scope(|scope| {
            for (name, first) in [("ann", 0), ("bob", 1)] {
                let (locks, texts) = (&locks, &texts);
                let builder = thread::Builder::new().name(name.to_owned());
                let eat = move || {
                    let _looks = Looks(texts);
                    let _first = locks[first].lock();
                    let _second = locks[1 - first].lock();
                };
                builder.spawn_scoped(scope, eat).unwrap();
            }
        });
    });
    let failure = &report.failures[0];
    assert_eq!(failure.kind, FailureKind::Deadlock);
    assert_eq!(
        failure.message,
        "deadlock: main waits for the end of ann; ann waits for right, held by bob; \
         bob waits for left, held by ann"
    );
}

/// What a scoped thread returns need not be `Clone`, and may borrow.
#[test]
fn results_are_moved() {
    struct Unique<'a>(&'a str);
    explore(|| {
        let text = "text".to_owned();
        thread::scope(|scope| {
            let thread = scope.spawn(|| Unique(&text));
            if thread.is_finished() {
                cover("finished");
            }
            assert_eq!(thread.join().unwrap().0, "text");
        });
        assert!(Rc::strong_count(&Rc::new(text)) == 1);
    })
    .assert_holds();
}

/// A scope in a thread that is not scoped, and a scope in a scope.
#[test]
fn scopes_nest() {
    let program = || {
        let outer = thread::spawn(|| {
            let mut sum = 0;
            thread::scope(|scope| {
                let sum = &mut sum;
                scope.spawn(move || {
                    let mut inner = 1;
                    thread::scope(|scope| {
                        let inner = &mut inner;
                        scope.spawn(move || *inner += 1);
                    });
                    *sum += inner;
                });
            });
            sum
        });
        assert_eq!(outer.join().unwrap(), 2);
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (1, 0));
    }
}

/// Not covered, and said clearly.
#[test]
fn a_process_that_may_crash_has_no_scope() {
    let report = explore(|| {
        let crashing = plainsong::fault::crashing(|| thread::scope(|_| {}));
        plainsong::spawn(crashing);
    });
    let failure = &report.failures[0];
    assert!(
        failure.message.contains("cannot start scoped threads"),
        "{failure}"
    );
    assert!(
        failure.location.as_ref().unwrap().contains("scopes.rs"),
        "{failure}"
    );
}

/// Each execution is run as a whole, and nothing is said about shared state.
#[test]
fn the_report_knows() {
    let program = || thread::scope(|scope| drop(scope.spawn(|| {})));
    let report = explore(program);
    assert_eq!(report.restart, Restart::All);
    assert_eq!(report.notes, [""; 0]);
    assert_eq!(Explorer::new().estimate(5, program).executions, 1.0);
}
