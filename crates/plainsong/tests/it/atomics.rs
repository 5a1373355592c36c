//! Atomic numbers: exact counts, sequential consistency, lost updates.

use crate::script::{DELIVERIES, every_way};
use plainsong::sync::Arc;
use plainsong::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use plainsong::{Explorer, MemoryModel, Report, cover, explore, thread};
use std::collections::BTreeSet;

/// One of the two wins: 2.
#[test]
fn a_race_to_set_a_flag() {
    let program = || {
        let flag = Arc::new(AtomicBool::new(false));
        let threads = [1, 2].map(|_| {
            let flag = Arc::clone(&flag);
            thread::spawn(move || {
                flag.compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed)
                    .is_ok()
            })
        });
        let won = threads.map(|thread| thread.join().unwrap());
        assert_eq!(won.iter().filter(|&&won| won).count(), 1);
        assert!(flag.load(Ordering::SeqCst));
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (2, 0));
    }
}

/// n threads add once, and see different numbers: n!.
#[test]
fn additions_are_not_lost() {
    let program = || {
        let count = Arc::new(AtomicUsize::new(0));
        let threads = [1, 2, 3].map(|_| {
            let count = Arc::clone(&count);
            thread::spawn(move || count.fetch_add(1, Ordering::Relaxed))
        });
        let seen: BTreeSet<usize> = threads.map(|thread| thread.join().unwrap()).into();
        assert_eq!(seen, BTreeSet::from([0, 1, 2]));
        assert_eq!(count.load(Ordering::Relaxed), 3);
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (6, 0));
    }
}

/// Two threads, each stores to its own number and then loads the other's. At each number the load
/// comes before or after the store: 4 possibilities, less the one that is not sequentially consistent.
#[test]
fn store_buffers_are_not_seen() {
    let program = || {
        let numbers = Arc::new([AtomicI32::new(0), AtomicI32::new(0)]);
        let threads = [0, 1].map(|mine: usize| {
            let numbers = Arc::clone(&numbers);
            thread::spawn(move || {
                numbers[mine].store(1, Ordering::SeqCst);
                numbers[1 - mine].load(Ordering::SeqCst)
            })
        });
        let seen = threads.map(|thread| thread.join().unwrap());
        assert_ne!(seen, [0, 0]);
        cover(format!("{seen:?}"));
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (3, 0));
    }
    assert_eq!(explore(program).coverage.len(), 3);
}

/// Two readers see the writes of two writers in one order, if everything is `SeqCst`.
#[test]
fn writers_are_seen_in_one_order() {
    explore(|| {
        let numbers = Arc::new([AtomicU8::new(0), AtomicU8::new(0)]);
        for mine in [0, 1] {
            let numbers = Arc::clone(&numbers);
            thread::spawn(move || numbers[mine].store(1, Ordering::SeqCst));
        }
        let readers = [0, 1].map(|first: usize| {
            let numbers = Arc::clone(&numbers);
            thread::spawn(move || {
                let one = numbers[first].load(Ordering::SeqCst);
                (one, numbers[1 - first].load(Ordering::SeqCst))
            })
        });
        let seen = readers.map(|reader| reader.join().unwrap());
        assert_ne!(seen, [(1, 0), (1, 0)]);
    })
    .assert_holds();
}

#[test]
fn a_load_and_a_store_lose_an_update() {
    let report = explore(|| {
        let count = Arc::new(AtomicU64::new(0));
        let threads = ["ann", "bob"].map(|name| {
            let count = Arc::clone(&count);
            let add = move || {
                let seen = count.load(Ordering::SeqCst);
                count.store(seen + 1, Ordering::SeqCst);
            };
            let builder = thread::Builder::new().name(name.to_owned());
            builder.spawn(add).unwrap()
        });
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(count.load(Ordering::SeqCst), 2);
    });
    let failure = &report.failures[0];
    assert!(failure.picture.contains("store(1)"), "{failure}");
    assert!(failure.picture.contains("atomic 1"), "{failure}");
}

#[test]
fn numbers_do_what_numbers_do() {
    explore(|| {
        let number = AtomicU8::new(250);
        let any = Ordering::Relaxed;
        assert_eq!(number.fetch_add(10, any), 250);
        assert_eq!(number.fetch_sub(5, any), 4);
        assert_eq!(number.fetch_max(7, any), 255);
        assert_eq!(number.fetch_min(7, any), 255);
        assert_eq!(number.fetch_and(6, any), 7);
        assert_eq!(number.fetch_or(8, any), 6);
        assert_eq!(number.fetch_xor(2, any), 14);
        assert_eq!(number.fetch_nand(4, any), 12);
        assert_eq!(number.fetch_update(any, any, |n| n.checked_add(1)), Ok(251));
        assert_eq!(number.fetch_update(any, any, |_| None), Err(252));
        assert_eq!(number.compare_exchange_weak(1, 2, any, any), Err(252));
        assert_eq!(number.into_inner(), 252);
        let flag = AtomicBool::default();
        assert!(!flag.fetch_or(true, any));
        assert!(flag.swap(false, any));
        assert_eq!(format!("{flag:?}"), "AtomicBool(atomic 2)");
    })
    .assert_holds();
}

/// An update by a function is tried again when somebody came between: nothing is lost.
#[test]
fn updates_are_tried_again() {
    explore(|| {
        let number = Arc::new(AtomicI32::new(1));
        let threads = [2, 3].map(|factor| {
            let number = Arc::clone(&number);
            thread::spawn(move || {
                let any = Ordering::SeqCst;
                number.fetch_update(any, any, |n| Some(n * factor)).unwrap()
            })
        });
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(number.load(Ordering::SeqCst), 6);
    })
    .assert_holds();
}

/// Two threads that each write one number and read the other.
fn store_buffering(explorer: Explorer, order: Ordering) -> Report {
    explorer.run(move || {
        let numbers = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let theirs = Arc::clone(&numbers);
        let thread = thread::spawn(move || {
            theirs[0].store(1, order);
            theirs[1].load(order)
        });
        numbers[1].store(1, order);
        let mine = numbers[0].load(order);
        assert!(mine + thread.join().unwrap() > 0);
    })
}

#[test]
fn weaker_orderings_are_named_where_they_are_not_explored() {
    let strong = Explorer::new().memory_model(MemoryModel::SequentialConsistency);
    let report = store_buffering(strong, Ordering::Relaxed);
    report.assert_holds();
    assert_eq!(report.weak_orderings.len(), 4);
    let text = report.to_string();
    assert!(
        text.starts_with("holds for SeqCst: every execution"),
        "{text}"
    );
    assert!(
        text.contains("weaker than SeqCst were explored as SeqCst"),
        "{text}"
    );
    assert!(
        text.contains("Relaxed at crates/plainsong/tests/it/atomics.rs:"),
        "{text}"
    );
    let json: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(json["weak_orderings"].as_array().unwrap().len(), 4);
}

#[test]
fn the_strongest_ordering_needs_no_word() {
    let report = store_buffering(Explorer::new(), Ordering::SeqCst);
    report.assert_holds();
    assert_eq!(report.weak_orderings, [""; 0]);
    assert!(report.to_string().starts_with("holds: every execution"));
}

#[test]
fn the_ordering_of_a_failure_counts_too() {
    let strong = Explorer::new().memory_model(MemoryModel::SequentialConsistency);
    let report = strong.run(|| {
        let number = AtomicUsize::new(0);
        let result = number.compare_exchange(0, 1, Ordering::SeqCst, Ordering::Acquire);
        assert_eq!(result, Ok(0));
    });
    report.assert_holds();
    assert!(report.weak_orderings[0].starts_with("Acquire at "));
}
