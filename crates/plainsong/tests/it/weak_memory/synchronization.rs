//! What synchronises and what does not: the questions that loom's own tests ask, in our words.

use super::{add_one, value};
use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use plainsong::cell::UnsafeCell;
use plainsong::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use plainsong::sync::{Condvar, Mutex, RwLock};
use plainsong::{Explorer, FailureKind, MemoryModel, Report, cover, explore, thread};
use std::rc::Rc;

/// A cell and a flag that says that it was written.
type Published = (UnsafeCell<u32>, AtomicBool);

/// Somebody writes and says so, somebody reads if it was said.
fn publish(
    say: impl Fn(&AtomicBool) + Copy + Send + Sync + 'static,
    ask: impl Fn(&AtomicBool) -> bool + Copy + Send + Sync + 'static,
) -> Report {
    explore(move || {
        let shared: Rc<Published> = Rc::default();
        let there = Rc::clone(&shared);
        thread::spawn(move || {
            there.0.with_mut(add_one);
            say(&there.1);
        });
        if ask(&shared.1) {
            shared.0.with(|it| assert_eq!(value(it), 1));
            cover("read");
        }
    })
}

fn is_race(report: &Report) -> bool {
    let kinds = report.failures.iter().map(|failure| failure.kind);
    kinds.collect::<Vec<_>>() == [FailureKind::DataRace]
}

fn release_fence(flag: &AtomicBool) {
    fence(Release);
    flag.store(true, Relaxed);
}

fn acquire_fence(flag: &AtomicBool) -> bool {
    let is_set = flag.load(Relaxed);
    fence(Acquire);
    is_set
}

#[test]
fn fences_synchronize_with_each_other_and_with_accesses() {
    let store = |flag: &AtomicBool| flag.store(true, Release);
    let load = |flag: &AtomicBool| flag.load(Acquire);
    for report in [
        publish(release_fence, acquire_fence),
        publish(release_fence, load),
        publish(store, acquire_fence),
        publish(store, load),
    ] {
        report.assert_holds();
        assert_eq!((report.executions, report.coverage["read"]), (2, 1));
    }
}

#[test]
fn half_of_a_synchronization_is_none() {
    let store = |flag: &AtomicBool| flag.store(true, Relaxed);
    let load = |flag: &AtomicBool| flag.load(Relaxed);
    let fence_too_late = |flag: &AtomicBool| {
        flag.store(true, Relaxed);
        fence(Release);
    };
    let fence_too_early = |flag: &AtomicBool| {
        fence(Acquire);
        flag.load(Relaxed)
    };
    assert!(is_race(&publish(release_fence, load)));
    assert!(is_race(&publish(store, acquire_fence)));
    assert!(is_race(&publish(fence_too_late, acquire_fence)));
    assert!(is_race(&publish(release_fence, fence_too_early)));
}

#[test]
fn an_update_is_both_sides() {
    let swap = |order| {
        move |flag: &AtomicBool| {
            flag.swap(true, order);
        }
    };
    let take = |success, failure| {
        move |flag: &AtomicBool| flag.compare_exchange(true, false, success, failure).is_ok()
    };
    publish(swap(AcqRel), take(AcqRel, Relaxed)).assert_holds();
    publish(swap(Release), take(Acquire, Relaxed)).assert_holds();
    assert!(is_race(&publish(swap(Acquire), take(Acquire, Relaxed))));
    assert!(is_race(&publish(swap(Release), take(Release, Acquire))));
    // Here the failure says that it was set.
    let look = |failure| {
        move |flag: &AtomicBool| flag.compare_exchange(false, true, SeqCst, failure).is_err()
    };
    publish(swap(Release), look(Acquire)).assert_holds();
    assert!(is_race(&publish(swap(Release), look(Relaxed))));
}

/// Who reads must not see a pointer to what was freed: it says that it reads, and who frees looks.
#[test]
fn hazard_pointers_need_fences() {
    let program = |order| {
        move || {
            let [reachable, protected] = [true, false].map(|b| Rc::new(AtomicBool::new(b)));
            let freed = Rc::new(AtomicBool::new(false));
            let (reachable2, protected2) = (Rc::clone(&reachable), Rc::clone(&protected));
            let freed2 = Rc::clone(&freed);
            thread::spawn(move || {
                protected2.store(true, Release);
                fence(order);
                if reachable2.load(Acquire) {
                    assert!(!freed2.load(Relaxed), "used after it was freed");
                }
                protected2.store(false, Release);
            });
            reachable.store(false, Release);
            fence(order);
            if !protected.load(Acquire) {
                freed.store(true, Relaxed);
            }
        }
    };
    explore(program(SeqCst)).assert_holds();
    let report = explore(program(AcqRel));
    assert_eq!(report.failures[0].message, "used after it was freed");
}

/// Three threads, two fences: who reads the new x and then the old y, and who reads the old x after the new y.
#[test]
fn fences_forbid_reads_against_causality() {
    let program = |first: Ordering, second: Ordering| {
        move || {
            let [x, y] = [0, 0].map(|n| Rc::new(AtomicUsize::new(n)));
            let writer = {
                let x = Rc::clone(&x);
                thread::spawn(move || x.store(1, Relaxed))
            };
            let reader = {
                let (x, y) = (Rc::clone(&x), Rc::clone(&y));
                thread::spawn(move || {
                    let x = x.load(Relaxed);
                    fence(first);
                    (x, y.load(Relaxed))
                })
            };
            y.store(1, Relaxed);
            fence(second);
            let old = x.load(Relaxed) == 0;
            let seen = reader.join().unwrap();
            writer.join().unwrap();
            assert!(!(old && seen == (1, 0)));
        }
    };
    explore(program(SeqCst, SeqCst)).assert_holds();
    assert!(!explore(program(AcqRel, SeqCst)).failures.is_empty());
    assert!(!explore(program(SeqCst, AcqRel)).failures.is_empty());
}

#[test]
fn locks_order_relaxed_accesses() {
    explore(|| {
        let shared = Rc::new((Mutex::new(()), AtomicUsize::new(0)));
        let threads = [1, 2].map(|_| {
            let shared = Rc::clone(&shared);
            thread::spawn(move || {
                let _guard = shared.0.lock().unwrap();
                let count = shared.1.load(Relaxed);
                shared.1.store(count + 1, Relaxed);
            })
        });
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(shared.1.load(Relaxed), 2);
    })
    .assert_holds();
}

/// A lock that was not got orders nothing: who gets it later may not see what was stored before.
#[test]
fn a_failed_try_lock_does_not_release() {
    let report = explore(|| {
        let shared = Rc::new((Mutex::new(false), AtomicUsize::new(0)));
        let (trying, late) = (Rc::clone(&shared), Rc::clone(&shared));
        let mut held = shared.0.lock().unwrap();
        let trying = thread::spawn(move || {
            trying.1.store(1, Relaxed);
            trying.0.try_lock().is_err()
        });
        let late = thread::spawn(move || {
            let is_late = late.0.lock().unwrap();
            *is_late && late.1.load(Relaxed) == 0
        });
        *held = true;
        drop(held);
        let (has_failed, sees_nothing) = (trying.join().unwrap(), late.join().unwrap());
        cover(format!("{has_failed} {sees_nothing}"));
    });
    report.assert_holds();
    let expected = ["false false", "false true", "true false", "true true"];
    assert_eq!(report.coverage.into_keys().collect::<Vec<_>>(), expected);
}

#[test]
fn read_locks_do_not_order_writes() {
    let program = |writes: bool| {
        move || {
            let shared = Rc::new((RwLock::new(()), UnsafeCell::new(0)));
            let threads = [1, 2].map(|_| {
                let shared = Rc::clone(&shared);
                thread::spawn(move || {
                    if writes {
                        let _guard = shared.0.write().unwrap();
                        shared.1.with_mut(add_one);
                    } else {
                        let _guard = shared.0.read().unwrap();
                        shared.1.with_mut(add_one);
                    }
                })
            });
            for thread in threads {
                thread.join().unwrap();
            }
        }
    };
    explore(program(true)).assert_holds();
    assert!(is_race(&explore(program(false))));
}

#[test]
fn condition_variables_and_parking_synchronize() {
    explore(|| {
        let shared = Rc::new((Mutex::new(false), Condvar::new(), UnsafeCell::new(0)));
        let there = Rc::clone(&shared);
        thread::spawn(move || {
            there.2.with_mut(add_one);
            *there.0.lock().unwrap() = true;
            there.1.notify_one();
        });
        let mut is_ready = shared.0.lock().unwrap();
        while !*is_ready {
            is_ready = shared.1.wait(is_ready).unwrap();
        }
        shared.2.with(|it| assert_eq!(value(it), 1));
    })
    .assert_holds();
    explore(|| {
        let cell = Rc::new(UnsafeCell::new(0));
        let (there, main) = (Rc::clone(&cell), thread::current());
        thread::spawn(move || {
            there.with_mut(add_one);
            main.unpark();
        });
        thread::park();
        cell.with(|it| assert_eq!(value(it), 1));
    })
    .assert_holds();
}

/// Reads do not race with each other, and what a thread does before it spawns or after it joins, with nobody.
#[test]
fn reads_and_what_is_joined_do_not_race() {
    explore(|| {
        let cell = Rc::new(UnsafeCell::new(0));
        cell.with_mut(add_one);
        let threads = [1, 2].map(|_| {
            let cell = Rc::clone(&cell);
            thread::spawn(move || cell.with(|it| assert_eq!(value(it), 1)))
        });
        for thread in threads {
            thread.join().unwrap();
        }
        cell.with_mut(add_one);
    })
    .assert_holds();
    let early = explore(|| {
        let cell = Rc::new(UnsafeCell::new(0));
        let there = Rc::clone(&cell);
        let thread = thread::spawn(move || there.with(|it| drop(value(it).to_string())));
        cell.with_mut(add_one);
        thread.join().unwrap();
    });
    assert!(is_race(&early));
}

/// A closure that does something else in the middle still has the cell at its end.
#[test]
fn an_access_lasts_as_long_as_its_closure() {
    let report = explore(|| {
        let shared: Rc<(UnsafeCell<u32>, AtomicBool)> = Rc::default();
        let there = Rc::clone(&shared);
        thread::spawn(move || {
            there.0.with_mut(|it| {
                there.1.store(true, Release);
                add_one(it);
            });
        });
        if shared.1.load(Acquire) {
            shared.0.with(|it| drop(value(it).to_string()));
        }
    });
    assert!(is_race(&report));
}

/// Random executions see weak memory too, and so do estimates.
#[test]
fn samples_and_estimates_know_weak_memory() {
    let program = || {
        let numbers = Rc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let threads = [0, 1].map(|mine: usize| {
            let n = Rc::clone(&numbers);
            thread::spawn(move || {
                n[mine].store(1, Release);
                n[1 - mine].load(Acquire)
            })
        });
        let [one, other] = threads.map(|thread| thread.join().unwrap());
        cover(format!("{one}{other}"));
    };
    for explorer in [Explorer::new().sample(100), Explorer::new().pct(100, 2)] {
        let report = explorer.run(program);
        report.assert_no_failure();
        assert_eq!(report.memory_model, MemoryModel::Rc11);
        assert!(report.coverage.contains_key("00"), "{report}");
    }
    let estimate = Explorer::new().estimate(200, program);
    assert!((estimate.executions - 4.0).abs() < 1.0, "{estimate:?}");
}

/// What is left of an exploration under RC11 is gone on with under RC11.
#[test]
fn checkpoints_remember_the_memory_model() {
    let file = std::env::temp_dir().join(format!("plainsong-rc11-{}", std::process::id()));
    let _ = std::fs::remove_file(&file);
    let program = || {
        let count = Rc::new(AtomicUsize::new(0));
        for _ in 0..4 {
            let count = Rc::clone(&count);
            thread::spawn(move || count.fetch_add(1, Relaxed));
        }
    };
    let usual = Explorer::new().checkpoint_file(&file);
    let first = usual.clone().limit_executions(10).run(program);
    assert_eq!(first.executions, 10);
    let whole = usual.run(program);
    whole.assert_holds();
    assert_eq!(
        (whole.executions, whole.memory_model),
        (24, MemoryModel::Rc11)
    );
}
