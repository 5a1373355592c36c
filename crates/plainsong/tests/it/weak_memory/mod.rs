//! Atomics with the orderings that the program asks for, and cells: counts, failures, pictures, replays.

mod random;
mod synchronization;

use crate::script::{DELIVERIES, every_way};
use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use plainsong::cell::UnsafeCell;
use plainsong::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use plainsong::sync::{Mutex, mpsc};
use plainsong::{Explorer, FailureKind, MemoryModel, Report, Verdict, cover, explore, thread};
use std::rc::Rc;

/// Two numbers that two threads share.
fn two_threads<A: Clone + std::fmt::Debug + 'static, B: Clone + std::fmt::Debug + 'static>(
    one: impl FnOnce(&[AtomicUsize; 2]) -> A + 'static,
    other: impl FnOnce(&[AtomicUsize; 2]) -> B + 'static,
) -> (A, B) {
    let numbers = Rc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let (here, there) = (Rc::clone(&numbers), numbers);
    let one = thread::spawn(move || one(&here));
    let other = thread::spawn(move || other(&there));
    (one.join().unwrap(), other.join().unwrap())
}

/// How many executions there are in every way of exploring, and which outcomes.
fn outcomes(program: impl Fn() + Copy + Send + Sync + 'static) -> (u64, Vec<String>) {
    let report = explore(program);
    report.assert_holds();
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (report.executions, 0));
    }
    (report.executions, report.coverage.into_keys().collect())
}

#[test]
fn store_buffers_are_seen() {
    let program = |store, load| {
        move || {
            let seen = two_threads(
                move |n| {
                    n[0].store(1, store);
                    n[1].load(load)
                },
                move |n| {
                    n[1].store(1, store);
                    n[0].load(load)
                },
            );
            cover(format!("{seen:?}"));
        }
    };
    let all = ["(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)"].map(str::to_owned);
    assert_eq!(outcomes(program(Relaxed, Relaxed)), (4, all.to_vec()));
    assert_eq!(outcomes(program(Release, Acquire)), (4, all.to_vec()));
    assert_eq!(outcomes(program(SeqCst, Acquire)), (4, all.to_vec()));
    let model = Explorer::new().memory_model(MemoryModel::Rc11);
    let report = model.run(program(SeqCst, SeqCst));
    assert_eq!(report.executions, 3);
    assert_eq!(report.coverage.into_keys().collect::<Vec<_>>(), all[1..]);
}

#[test]
fn fences_drain_store_buffers() {
    let program = |order| {
        move || {
            let thread = move |mine: usize| {
                move |n: &[AtomicUsize; 2]| {
                    n[mine].store(1, Relaxed);
                    fence(order);
                    n[1 - mine].load(Relaxed)
                }
            };
            cover(format!("{:?}", two_threads(thread(0), thread(1))));
        }
    };
    assert_eq!(outcomes(program(SeqCst)).0, 3);
    assert_eq!(outcomes(program(AcqRel)).0, 4);
}

#[test]
fn messages_pass_by_release_and_acquire() {
    let program = |release, acquire| {
        move || {
            let seen = two_threads(
                move |n| {
                    n[0].store(1, Relaxed);
                    n[1].store(1, release);
                },
                move |n| (n[1].load(acquire), n[0].load(Relaxed)),
            );
            cover(format!("{:?}", seen.1));
        }
    };
    let without_stale = ["(0, 0)", "(0, 1)", "(1, 1)"].map(str::to_owned);
    assert_eq!(
        outcomes(program(Release, Acquire)),
        (3, without_stale.to_vec())
    );
    assert_eq!(outcomes(program(Relaxed, Acquire)).0, 4);
    assert_eq!(outcomes(program(Release, Relaxed)).0, 4);
}

#[test]
fn loads_are_not_buffered() {
    let program = || {
        let thread = |mine: usize| {
            move |n: &[AtomicUsize; 2]| {
                let seen = n[mine].load(Relaxed);
                n[1 - mine].store(1, Relaxed);
                seen
            }
        };
        cover(format!("{:?}", two_threads(thread(0), thread(1))));
    };
    let (executions, seen) = outcomes(program);
    assert_eq!(executions, 3);
    assert!(!seen.contains(&"(1, 1)".to_owned()));
    assert!(explore(program).to_string().contains("not load buffering"));
}

#[test]
fn readers_disagree_about_independent_writers() {
    let program = |order: fn(bool) -> Ordering| {
        move || {
            let numbers = Rc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
            for mine in [0, 1] {
                let numbers = Rc::clone(&numbers);
                thread::spawn(move || numbers[mine].store(1, order(true)));
            }
            for first in [0, 1] {
                let numbers = Rc::clone(&numbers);
                thread::spawn(move || {
                    let seen = [first, 1 - first].map(|n: usize| numbers[n].load(order(false)));
                    cover(format!("{seen:?}"));
                });
            }
        }
    };
    let acquire_release = |stores| if stores { Release } else { Acquire };
    assert_eq!(outcomes(program(acquire_release)).0, 16);
    assert_eq!(outcomes(program(|_| Relaxed)).0, 16);
    let model = Explorer::new().memory_model(MemoryModel::Rc11);
    assert_eq!(model.run(program(|_| SeqCst)).executions, 15);
}

#[test]
fn updates_are_atomic() {
    let program = |order| {
        move || {
            let count = Rc::new(AtomicUsize::new(0));
            let threads = [1, 2, 3].map(|_| {
                let count = Rc::clone(&count);
                thread::spawn(move || count.fetch_add(1, order))
            });
            for thread in threads {
                thread.join().unwrap();
            }
            // The joins synchronise.
            assert_eq!(count.load(Relaxed), 3);
        }
    };
    assert_eq!(outcomes(program(Relaxed)).0, 6);
    assert_eq!(outcomes(program(AcqRel)).0, 6);
}

/// A lock made of an update, around a cell.
fn spin_lock(taken: Ordering, released: Ordering) -> Report {
    explore(move || {
        let shared = Rc::new((AtomicBool::new(false), UnsafeCell::new(0_u32)));
        let threads = ["ann", "bob"].map(|name| {
            let shared = Rc::clone(&shared);
            let code = move || {
                let (lock, count) = &*shared;
                if lock.compare_exchange(false, true, taken, Relaxed).is_ok() {
                    count.with_mut(add_one);
                    lock.store(false, released);
                }
            };
            thread::Builder::new()
                .name(name.to_owned())
                .spawn(code)
                .unwrap()
        });
        for thread in threads {
            thread.join().unwrap();
        }
        shared.1.with(|count| cover(format!("{}", value(count))));
    })
}

#[expect(unsafe_code, reason = "what a cell lends is a pointer")]
fn add_one(count: *mut u32) {
    // SAFETY: the cell lends it for the time of the call, and the exploration looks for races.
    unsafe { *count += 1 }
}

#[expect(unsafe_code, reason = "what a cell lends is a pointer")]
fn value<T: Copy>(count: *const T) -> T {
    // SAFETY: as above.
    unsafe { *count }
}

#[test]
fn a_lock_made_of_an_update_orders_what_it_protects() {
    let report = spin_lock(Acquire, Release);
    report.assert_holds();
    assert_eq!(report.coverage.into_keys().collect::<Vec<_>>(), ["1", "2"]);
    spin_lock(AcqRel, SeqCst).assert_holds();
}

#[test]
fn a_lock_that_does_not_acquire_or_release_is_a_data_race() {
    for report in [
        spin_lock(Relaxed, Release),
        spin_lock(Acquire, Relaxed),
        spin_lock(Relaxed, Relaxed),
    ] {
        assert_eq!(report.verdict, Verdict::Refuted);
        let failure = &report.failures[0];
        assert_eq!(failure.kind, FailureKind::DataRace);
        assert!(
            failure
                .message
                .starts_with("data race: ann writes cell 1 at "),
            "{failure}"
        );
        assert!(
            failure.message.contains(" and bob writes it at "),
            "{failure}"
        );
        assert!(failure.picture.contains("atomic 1 = false"), "{failure}");
        assert!(failure.picture.contains("<- races"), "{failure}");
    }
}

#[test]
fn locks_messages_and_joins_order_cells() {
    explore(|| {
        let shared = Rc::new((Mutex::new(()), UnsafeCell::new(0)));
        let there = Rc::clone(&shared);
        let thread = thread::spawn(move || {
            let _guard = there.0.lock().unwrap();
            there.1.with_mut(add_one);
        });
        {
            let _guard = shared.0.lock().unwrap();
            shared.1.with_mut(add_one);
        }
        thread.join().unwrap();
        shared.1.with(|count| assert_eq!(value(count), 2));
    })
    .assert_holds();
    let passing = |early: bool| {
        explore(move || {
            let (sender, receiver) = mpsc::channel();
            let cell = Rc::new(UnsafeCell::new(0));
            let there = Rc::clone(&cell);
            thread::spawn(move || {
                if early {
                    sender.send(()).unwrap();
                }
                there.with_mut(add_one);
                if !early {
                    sender.send(()).unwrap();
                }
            });
            receiver.recv().unwrap();
            cell.with(|count| assert_eq!(value(count), 1));
        })
    };
    passing(false).assert_holds();
    assert_eq!(passing(true).failures[0].kind, FailureKind::DataRace);
}

/// What is wrong in some execution of a program, replayed from its trace.
fn fails_again(program: impl Fn() + Copy + Send + Sync + 'static) -> String {
    let report = explore(program);
    let failure = &report.failures[0];
    let text = failure.trace.as_ref().unwrap().to_string();
    let trace = text.parse().unwrap();
    let again = Explorer::new().replay(&trace, program);
    assert_eq!(again.verdict, Verdict::Refuted, "{report}\n{text}\n{again}");
    assert_eq!(again.failures[0].message, failure.message, "{text}");
    assert_eq!(again.failures[0].picture, failure.picture, "{text}");
    failure.picture.clone()
}

#[test]
fn failures_replay() {
    let picture = fails_again(|| {
        let thread = |mine: usize| {
            move |n: &[AtomicUsize; 2]| {
                n[mine].store(1, Relaxed);
                n[1 - mine].load(Relaxed)
            }
        };
        assert_ne!(two_threads(thread(0), thread(1)), (0, 0));
    });
    assert!(picture.contains("atomic 1 := 1 (Relaxed)"), "{picture}");
    assert!(picture.contains("atomic 2 = 0"), "{picture}");
    // The modification orders go against the orders of both threads.
    fails_again(|| {
        let numbers = Rc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let threads = [0, 1].map(|mine: usize| {
            let n = Rc::clone(&numbers);
            thread::spawn(move || {
                n[mine].store(1, Release);
                n[1 - mine].store(2, Release);
            })
        });
        for thread in threads {
            thread.join().unwrap();
        }
        assert_ne!(numbers.each_ref().map(|n| n.load(Relaxed)), [1, 1]);
    });
    fails_again(|| {
        let count = Rc::new(AtomicUsize::new(0));
        for _ in 0..2 {
            let count = Rc::clone(&count);
            thread::spawn(move || assert_ne!(count.fetch_add(1, Relaxed), 1));
        }
    });
    fails_again(|| {
        let cell = Rc::new(UnsafeCell::new(0));
        let there = Rc::clone(&cell);
        thread::spawn(move || there.with_mut(add_one));
        cell.with(|count| assert!(value(count) < 2));
    });
}

/// The load that decided a failure is named, and what would have been fine.
#[test]
fn the_load_that_decides_is_named() {
    let report = explore(|| {
        let shared = Rc::new((AtomicUsize::new(0), AtomicBool::new(false)));
        let there = Rc::clone(&shared);
        thread::spawn(move || {
            there.0.store(42, Relaxed);
            there.1.store(true, Relaxed);
        });
        if shared.1.load(Acquire) {
            assert_eq!(shared.0.load(Relaxed), 42);
        }
    });
    let failure = &report.failures[0];
    let race = failure.race.as_ref().unwrap();
    assert!(
        race.starts_with("main loaded atomic 1 = 0 at "),
        "{failure}"
    );
    let end = "had it loaded atomic 1 = 42, the execution that follows is fine";
    assert!(race.ends_with(end), "{failure}");
    let picture = "    main                 thread 1
      |                      * atomic 1 := 42 (Relaxed)
      |                      * atomic 2 := true (Relaxed)
      |<- atomic 2 = true ---|
      * load of atomic 1 (Relaxed): atomic 1 = 0
      X                      |   <- here";
    assert_eq!(failure.picture, picture, "{failure}");
}

/// A program whose first weak ordering comes late is explored again from its start.
#[test]
fn a_weak_ordering_that_comes_late_counts() {
    let report = explore(|| {
        let numbers = Rc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let there = Rc::clone(&numbers);
        let thread = thread::spawn(move || {
            there[0].store(1, SeqCst);
            there[1].load(SeqCst)
        });
        numbers[1].store(1, SeqCst);
        let mine = match plainsong::choose([SeqCst, Acquire]) {
            SeqCst => numbers[0].load(SeqCst),
            order => numbers[0].load(order),
        };
        cover(format!("{}", mine + thread.join().unwrap()));
    });
    report.assert_holds();
    assert_eq!(report.executions, 3 + 4);
    assert!(report.coverage.contains_key("0"));
}

#[test]
fn orderings_that_make_no_sense_are_refused() {
    let report = explore(|| {
        AtomicBool::new(false).load(Release);
    });
    let message = &report.failures[0].message;
    assert_eq!(message, "there is no such thing as a release load");
}
