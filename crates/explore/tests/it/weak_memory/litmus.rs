//! The classic litmus tests: how many executions, and whether the outcome that gives each its name is allowed.
//!
//! The counts are those of graphs (reads-from and modification order); GenMC prints the same ones.

use super::program::{Do, Execution, Script, distinct, visit};
use Do::{Add, Exchange, Fence, Load, Only, Recv, Send, Store, StoreNext};
use plainsong_explore::MemoryOrder::{self, AcqRel, Acquire, Plain, Relaxed, Release, SeqCst};
use plainsong_explore::Policy;

const X: u32 = 0;
const Y: u32 = 1;
const Z: u32 = 2;

/// How strong the accesses of a test are: loads, stores and updates.
#[derive(Clone, Copy)]
struct Strength(MemoryOrder, MemoryOrder, MemoryOrder);

const RLX: Strength = Strength(Relaxed, Relaxed, Relaxed);
const RA: Strength = Strength(Acquire, Release, AcqRel);
const SC: Strength = Strength(SeqCst, SeqCst, SeqCst);

impl Strength {
    fn r(self, x: u32) -> Do {
        Load(x, self.0)
    }

    fn w(self, x: u32, value: u64) -> Do {
        Store(x, value, self.1)
    }

    fn add(self, x: u32) -> Do {
        Add(x, 1, self.2)
    }
}

/// Every execution, the same ones in several orders of search; and in how many of them loads have these values.
fn outcomes(script: &Script, wanted: &[(usize, usize, u64)]) -> (usize, usize) {
    let (visited, _) = visit(script, Policy::ReceivesLast);
    assert_eq!(visited.races, 0, "{script:?}");
    let executions = distinct(&visited);
    for seed in 0..4 {
        let (again, _) = visit(script, Policy::Shuffled(seed));
        assert_eq!(distinct(&again), executions, "{script:?}");
    }
    let is_it = |execution: &&Execution| {
        let mut wanted = wanted.iter();
        wanted.all(|(thread, index, value)| execution.values.get(&(*thread, *index)) == Some(value))
    };
    (executions.len(), executions.iter().filter(is_it).count())
}

fn count(script: &Script) -> usize {
    outcomes(script, &[]).0
}

/// For relaxed, release/acquire and sequentially consistent accesses: the number of executions, and whether the
/// outcome is allowed.
fn family(
    script: impl Fn(Strength) -> Script,
    outcome: &[(usize, usize, u64)],
) -> [(usize, bool); 3] {
    [RLX, RA, SC].map(|strength| {
        let (all, such) = outcomes(&script(strength), outcome);
        (all, such > 0)
    })
}

#[test]
fn store_buffering() {
    let sb = |s: Strength| vec![vec![s.w(X, 1), s.r(Y)], vec![s.w(Y, 1), s.r(X)]];
    let neither = [(0, 1, 0), (1, 1, 0)];
    assert_eq!(family(sb, &neither), [(4, true), (4, true), (3, false)]);
    let fenced = |order| {
        let thread = |x, y| vec![RLX.w(x, 1), Fence(order), RLX.r(y)];
        outcomes(&vec![thread(X, Y), thread(Y, X)], &[(0, 2, 0), (1, 2, 0)])
    };
    assert_eq!(fenced(SeqCst), (3, 0));
    assert_eq!(fenced(AcqRel), (4, 1));
    let one = vec![
        vec![RLX.w(X, 1), Fence(SeqCst), RLX.r(Y)],
        vec![RLX.w(Y, 1), RLX.r(X)],
    ];
    assert_eq!(count(&one), 4);
    let mixed = vec![vec![SC.w(X, 1), RLX.r(Y)], vec![SC.w(Y, 1), RLX.r(X)]];
    assert_eq!(count(&mixed), 4);
    let by_updates = vec![vec![RA.add(X), RA.r(Y)], vec![RA.add(Y), RA.r(X)]];
    assert_eq!(count(&by_updates), 4);
}

#[test]
fn message_passing() {
    let mp = |s: Strength| vec![vec![s.w(X, 1), s.w(Y, 1)], vec![s.r(Y), s.r(X)]];
    let stale = [(1, 0, 1), (1, 1, 0)];
    assert_eq!(family(mp, &stale), [(4, true), (3, false), (3, false)]);
    let fences = vec![
        vec![RLX.w(X, 1), Fence(Release), RLX.w(Y, 1)],
        vec![RLX.r(Y), Fence(Acquire), RLX.r(X)],
    ];
    assert_eq!(count(&fences), 3);
    let one_fence = vec![
        vec![RLX.w(X, 1), Fence(Release), RLX.w(Y, 1)],
        vec![RLX.r(Y), RLX.r(X)],
    ];
    assert_eq!(count(&one_fence), 4);
    let store_and_fence = vec![
        vec![RLX.w(X, 1), RA.w(Y, 1)],
        vec![RLX.r(Y), Fence(Acquire), RLX.r(X)],
    ];
    assert_eq!(count(&store_and_fence), 3);
}

/// An update carries a release sequence on; a later store of the releasing thread does not, since C++20.
#[test]
fn release_sequences() {
    let through_update = vec![
        vec![RLX.w(X, 1), RA.w(Y, 1)],
        vec![RLX.add(Y)],
        vec![RA.r(Y), RLX.r(X)],
    ];
    let stale = [(2, 0, 2), (2, 1, 0)];
    assert_eq!(outcomes(&through_update, &stale), (9, 0));
    let through_store = vec![
        vec![RLX.w(X, 1), RA.w(Y, 1), RLX.w(Y, 2)],
        vec![RA.r(Y), RLX.r(X)],
    ];
    let stale = [(1, 0, 2), (1, 1, 0)];
    assert_eq!(outcomes(&through_store, &stale), (5, 1));
}

/// Load buffering needs values out of thin air or a cycle of program order and reads-from: not explored.
#[test]
fn load_buffering() {
    let lb = |s: Strength| vec![vec![s.r(X), s.w(Y, 1)], vec![s.r(Y), s.w(X, 1)]];
    let both = [(0, 0, 1), (1, 0, 1)];
    assert_eq!(family(lb, &both), [(3, false); 3]);
}

#[test]
fn independent_reads_of_independent_writes() {
    let iriw = |s: Strength| {
        vec![
            vec![s.w(X, 1)],
            vec![s.w(Y, 1)],
            vec![s.r(X), s.r(Y)],
            vec![s.r(Y), s.r(X)],
        ]
    };
    let apart = [(2, 0, 1), (2, 1, 0), (3, 0, 1), (3, 1, 0)];
    assert_eq!(family(iriw, &apart), [(16, true), (16, true), (15, false)]);
    let reader = |x, y| vec![RLX.r(x), Fence(SeqCst), RLX.r(y)];
    let fences = vec![
        vec![RLX.w(X, 1)],
        vec![RLX.w(Y, 1)],
        reader(X, Y),
        reader(Y, X),
    ];
    assert_eq!(count(&fences), 15);
    let reader = |x, y| vec![RA.r(x), SC.r(y)];
    let weaker = vec![
        vec![SC.w(X, 1)],
        vec![SC.w(Y, 1)],
        reader(X, Y),
        reader(Y, X),
    ];
    assert_eq!(count(&weaker), 16);
}

#[test]
fn two_writers_of_two_locations() {
    let two = |s: Strength| vec![vec![s.w(X, 1), s.w(Y, 2)], vec![s.w(Y, 1), s.w(X, 2)]];
    assert_eq!(family(two, &[]).map(|one| one.0), [4, 4, 3]);
    let thread = |x, y| vec![RLX.w(x, 1), Fence(SeqCst), RLX.w(y, 2)];
    assert_eq!(count(&vec![thread(X, Y), thread(Y, X)]), 3);
    let three = vec![vec![SC.w(X, 1), SC.w(Y, 2)], vec![SC.w(Y, 1), RA.w(X, 2)]];
    assert_eq!(count(&three), 4);
}

#[test]
fn two_threads_and_one_read() {
    let r = |s: Strength| vec![vec![s.w(X, 1), s.w(Y, 1)], vec![s.w(Y, 2), s.r(X)]];
    assert_eq!(family(r, &[]).map(|one| one.0), [4, 4, 3]);
    let s = |s: Strength| vec![vec![s.w(X, 2), s.w(Y, 1)], vec![s.r(Y), s.w(X, 1)]];
    assert_eq!(family(s, &[]).map(|one| one.0), [4, 3, 3]);
}

#[test]
fn chains_of_three_threads() {
    let wrc = |s: Strength| {
        vec![
            vec![s.w(X, 1)],
            vec![s.r(X), s.w(Y, 1)],
            vec![s.r(Y), s.r(X)],
        ]
    };
    let stale = [(1, 0, 1), (2, 0, 1), (2, 1, 0)];
    assert_eq!(family(wrc, &stale), [(8, true), (7, false), (7, false)]);
    let rwc = |s: Strength| {
        vec![
            vec![s.w(X, 1)],
            vec![s.r(X), s.r(Y)],
            vec![s.w(Y, 1), s.r(X)],
        ]
    };
    let stale = [(1, 0, 1), (1, 1, 0), (2, 1, 0)];
    assert_eq!(family(rwc, &stale), [(8, true), (8, true), (7, false)]);
    let isa2 = |s: Strength| {
        vec![
            vec![s.w(X, 1), s.w(Y, 1)],
            vec![s.r(Y), s.w(Z, 1)],
            vec![s.r(Z), s.r(X)],
        ]
    };
    let stale = [(1, 0, 1), (2, 0, 1), (2, 1, 0)];
    assert_eq!(family(isa2, &stale), [(8, true), (7, false), (7, false)]);
    let z6 = |s: Strength| {
        vec![
            vec![s.w(X, 1), s.w(Y, 1)],
            vec![s.w(Y, 2), s.w(Z, 1)],
            vec![s.r(Z), s.r(X)],
        ]
    };
    assert_eq!(family(z6, &[]).map(|one| one.0), [8, 8, 7]);
    let fenced = vec![
        vec![RLX.w(X, 1)],
        vec![RLX.r(X), Fence(SeqCst), RLX.r(Y)],
        vec![RLX.w(Y, 1), Fence(SeqCst), RLX.r(X)],
    ];
    assert_eq!(count(&fenced), 7);
}

#[test]
fn coherence_of_one_location() {
    let one = |s: Strength| vec![vec![s.w(X, 1)], vec![s.r(X), s.r(X)]];
    let back = [(1, 0, 1), (1, 1, 0)];
    assert_eq!(family(one, &back), [(3, false); 3]);
    let two = |s: Strength| vec![vec![s.w(X, 1)], vec![s.w(X, 2)], vec![s.r(X), s.r(X)]];
    assert_eq!(family(two, &[]).map(|one| one.0), [12; 3]);
    let readers = |s: Strength| {
        let reader = vec![s.r(X), s.r(X)];
        vec![vec![s.w(X, 1)], vec![s.w(X, 2)], reader.clone(), reader]
    };
    let apart = [(2, 0, 1), (2, 1, 2), (3, 0, 2), (3, 1, 1)];
    assert_eq!(family(readers, &apart), [(72, false); 3]);
    let ww = |s: Strength| vec![vec![s.w(X, 1), s.w(X, 2)], vec![s.w(X, 3)]];
    let wr = |s: Strength| vec![vec![s.w(X, 1), s.r(X)], vec![s.w(X, 2)]];
    let rw = |s: Strength| vec![vec![s.r(X), s.w(X, 1)], vec![s.w(X, 2)]];
    assert_eq!(family(ww, &[]).map(|one| one.0), [3; 3]);
    assert_eq!(family(wr, &[(0, 1, 0)]), [(3, false); 3]);
    assert_eq!(family(rw, &[(0, 0, 1)]), [(3, false); 3]);
}

/// n writers and a reader: n! orders of the writers, and the reader reads one of n + 1.
#[test]
fn writers_and_a_reader() {
    for (n, expected) in [(2, 6), (3, 24), (4, 120)] {
        let writers = (1..=n).map(|value| vec![RLX.w(X, value)]);
        let script = writers.chain([vec![RLX.r(X)]]).collect();
        assert_eq!(count(&script), expected);
    }
}

#[test]
fn updates_are_atomic() {
    for s in [RLX, RA, SC] {
        for (threads, each, expected) in [(2, 1, 2), (3, 1, 6), (4, 1, 24), (2, 2, 6), (2, 3, 20)] {
            let script = vec![vec![s.add(X); each]; threads];
            assert_eq!(count(&script), expected, "{threads} threads, {each} each");
        }
        let exchange = |old, new| Exchange(X, old, new, s.2, s.0);
        for n in 2..=4 {
            let racers = (1..=n).map(|new| vec![exchange(0, new)]);
            assert_eq!(count(&racers.collect()), n as usize);
        }
        let chain = (0..3).map(|old| vec![exchange(old, old + 1)]);
        assert_eq!(count(&chain.collect()), 5);
    }
}

/// Two threads that each say that they want to enter, and look whether the other does.
fn dekker(s: Strength) -> Script {
    let enter = |mine, other| vec![s.w(mine, 1), s.r(other), Only(0), Store(Z, 1, Plain)];
    vec![enter(X, Y), enter(Y, X)]
}

#[test]
fn data_races() {
    assert!(visit(&dekker(RLX), Policy::ReceivesLast).0.races > 0);
    assert!(visit(&dekker(RA), Policy::ReceivesLast).0.races > 0);
    assert_eq!(count(&dekker(SC)), 3);
    let passing = |s: Strength| {
        vec![
            vec![Store(X, 1, Plain), s.w(Y, 1)],
            vec![s.r(Y), Only(1), Load(X, Plain)],
        ]
    };
    assert!(visit(&passing(RLX), Policy::ReceivesLast).0.races > 0);
    assert_eq!(count(&passing(RA)), 2);
    assert_eq!(count(&passing(SC)), 2);
}

/// A message synchronises whoever receives it.
#[test]
fn messages_synchronize() {
    let passing = vec![
        vec![Store(X, 1, Plain), Send(1, 7)],
        vec![Recv, Load(X, Plain)],
    ];
    assert_eq!(count(&passing), 1);
    let relaxed = vec![vec![RLX.w(X, 1), Send(1, 7)], vec![Recv, RLX.r(X)]];
    assert_eq!(count(&relaxed), 1);
    let before = vec![
        vec![RLX.w(X, 1), Send(1, 7)],
        vec![RLX.r(X), Recv, RLX.r(X)],
    ];
    assert_eq!(count(&before), 2);
    let racing = vec![
        vec![Send(1, 7), Store(X, 1, Plain)],
        vec![Recv, Load(X, Plain)],
    ];
    assert!(visit(&racing, Policy::ReceivesLast).0.races > 0);
}

/// The critical section behind a lock made of an update is entered in turn, if the lock acquires and releases.
#[test]
fn locks_made_of_updates() {
    let lock = |s: Strength| {
        let thread = vec![
            Exchange(Y, 0, 1, s.2, Relaxed),
            Only(0),
            Load(X, Plain),
            StoreNext(X, Plain),
            s.w(Y, 0),
        ];
        vec![thread.clone(), thread]
    };
    assert!(visit(&lock(RLX), Policy::ReceivesLast).0.races > 0);
    assert_eq!(visit(&lock(RA), Policy::ReceivesLast).0.races, 0);
}
