//! Random programs as users write them, against the enumerator of the engine's tests: as many executions, the same
//! outcomes, and the same answer to whether there is a data race.

#[path = "../../../../explore/tests/it/weak_memory/enumerator.rs"]
mod enumerator;
#[path = "../../../../explore/tests/it/weak_memory/program.rs"]
mod program;

use super::value;
use enumerator::enumerate;
use plainsong::cell::UnsafeCell;
use plainsong::sync::Mutex;
use plainsong::sync::atomic::{AtomicU64, Ordering, fence};
use plainsong::{
    Explorer, FailureKind, MemoryModel, Receiver, Restart, Sender, channel, cover, spawn,
};
use plainsong_explore::{MemoryOrder, Policy, next_random};
use program::{Do, Script, distinct, locations, visit};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A location: atomic or not.
enum Place {
    Atomic(AtomicU64),
    Cell(UnsafeCell<u64>),
    Lock(Mutex<()>),
}

#[expect(unsafe_code, reason = "what a cell lends is a pointer")]
fn write(to: *mut u64, value: u64) {
    // SAFETY: the cell lends it for the time of the call, and the exploration looks for races.
    unsafe { *to = value }
}

impl Place {
    fn atomic(&self) -> &AtomicU64 {
        match self {
            Place::Atomic(number) => number,
            _ => unreachable!("others are not updated"),
        }
    }

    fn load(&self, order: MemoryOrder) -> u64 {
        match self {
            Place::Atomic(number) => number.load(ordering(order)),
            Place::Cell(cell) => cell.with(value),
            Place::Lock(_) => unreachable!("locks are not loaded"),
        }
    }

    fn store(&self, value: u64, order: MemoryOrder) {
        match self {
            Place::Atomic(number) => number.store(value, ordering(order)),
            Place::Cell(cell) => cell.with_mut(|to| write(to, value)),
            Place::Lock(_) => unreachable!("locks are not stored"),
        }
    }
}

fn ordering(order: MemoryOrder) -> Ordering {
    match order {
        MemoryOrder::Plain => unreachable!("cells have no order"),
        MemoryOrder::Relaxed => Ordering::Relaxed,
        MemoryOrder::Acquire => Ordering::Acquire,
        MemoryOrder::Release => Ordering::Release,
        MemoryOrder::AcqRel => Ordering::AcqRel,
        MemoryOrder::SeqCst => Ordering::SeqCst,
    }
}

/// Performs the operations of a thread; returns what it loaded and received.
fn perform(
    thread: &[Do],
    memory: &[Place],
    senders: &[Sender<u64>],
    receiver: &Receiver<u64>,
) -> Vec<u64> {
    let mut seen = vec![0];
    let mut guards = Vec::new();
    for &operation in thread {
        let last = *seen.last().expect("there is one from the start");
        let place = |x: u32| &memory[x as usize];
        match operation {
            Do::Load(x, order) => seen.push(place(x).load(order)),
            Do::Store(x, value, order) => place(x).store(value, order),
            Do::StoreNext(x, order) => place(x).store(last + 1, order),
            Do::Add(x, more, order) => {
                seen.push(place(x).atomic().fetch_add(more, ordering(order)));
            }
            Do::Exchange(x, old, new, success, failure) => {
                let orders = (ordering(success), ordering(failure));
                let atomic = place(x).atomic();
                let was = atomic.compare_exchange(old, new, orders.0, orders.1);
                seen.push(was.unwrap_or_else(|was| was));
            }
            Do::Fence(order) => fence(ordering(order)),
            Do::Send(to, value) => senders[to].send(value),
            Do::Recv => seen.push(receiver.receive()),
            Do::Lock(x) => match place(x) {
                Place::Lock(lock) => guards.push(lock.lock().unwrap()),
                _ => unreachable!("only locks are taken"),
            },
            Do::Unlock(_) => drop(guards.pop()),
            Do::Only(wanted) if last != wanted => break,
            Do::Only(_) => {}
        }
    }
    seen.split_off(1)
}

fn play(script: &Script, has_cell: bool) {
    let place = |x| match x {
        LOCK.. => Place::Lock(Mutex::new(())),
        1 if has_cell => Place::Cell(UnsafeCell::new(0)),
        _ => Place::Atomic(AtomicU64::new(0)),
    };
    let memory = Rc::new((0..locations(script)).map(place).collect::<Vec<_>>());
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..script.len())
        .map(|n| channel::<u64>(format!("box {n}")))
        .unzip();
    let threads: Vec<_> = script
        .iter()
        .cloned()
        .zip(receivers)
        .map(|(thread, receiver)| {
            let (memory, senders) = (Rc::clone(&memory), senders.clone());
            spawn(move || perform(&thread, &memory, &senders, &receiver))
        })
        .collect();
    let seen: Vec<Vec<u64>> = threads.into_iter().map(|thread| thread.join()).collect();
    cover(format!("{seen:?}"));
}

fn script(seed: u64, has_cell: bool) -> Script {
    let mut state = seed;
    let mut below = |n: u64| next_random(&mut state) % n;
    const ALL: [MemoryOrder; 5] = [
        MemoryOrder::Relaxed,
        MemoryOrder::Acquire,
        MemoryOrder::Release,
        MemoryOrder::AcqRel,
        MemoryOrder::SeqCst,
    ];
    let mut operation = |threads: u64| {
        let (x, value) = (below(2) as u32, 1 + below(2));
        let load = ALL[[0, 1, 4][below(3) as usize]];
        let store = ALL[[0, 2, 4][below(3) as usize]];
        let any = ALL[below(5) as usize];
        match below(12) {
            n if has_cell && x == 1 && n < 8 => match n % 2 {
                0 => Do::Load(x, MemoryOrder::Plain),
                _ => Do::Store(x, value, MemoryOrder::Plain),
            },
            0..3 => Do::Load(0, load),
            3..5 => Do::Store(if has_cell { 0 } else { x }, value, store),
            5 => Do::StoreNext(0, store),
            6 => Do::Add(0, value, any),
            7 => Do::Exchange(0, below(2), value, any, load),
            8 => Do::Fence(ALL[1 + below(4) as usize]),
            9 => Do::Send(below(threads) as usize, value),
            10 => Do::Recv,
            _ => Do::Only(below(2)),
        }
    };
    let threads = 2 + seed % 2;
    let length = 5 - threads;
    (0..threads)
        .map(|_| (0..length).map(|_| operation(threads)).collect())
        .collect()
}

/// The first location that is a lock.
const LOCK: u32 = 2;

/// The same with a part of each thread behind a lock.
fn locked(mut script: Script, seed: u64) -> Script {
    let mut state = !seed;
    for thread in &mut script {
        let lock = LOCK + (next_random(&mut state) % 2) as u32;
        thread.retain(|operation| !matches!(operation, Do::Only(_)));
        thread.truncate(2);
        let from = next_random(&mut state) as usize % (thread.len() + 1);
        let to = from + next_random(&mut state) as usize % (thread.len() - from + 1);
        thread.insert(to, Do::Unlock(lock));
        thread.insert(from, Do::Lock(lock));
    }
    script
}

/// Compares; returns how many executions there are, none if there is a data race.
fn compare(script: &Script, seed: u64, has_cell: bool) -> Option<usize> {
    let (expected, is_racy) = enumerate(script);
    let usual = Explorer::new()
        .memory_model(MemoryModel::Rc11)
        .allow_deadlock(true);
    let ways = [
        usual.clone(),
        usual.clone().restart(Restart::All).seed(seed),
        usual.clone().jobs(2),
    ];
    for way in ways {
        let shared = script.clone();
        let report = way.run(move || play(&shared, has_cell));
        if is_racy {
            let kinds = report.failures.iter().map(|failure| failure.kind);
            assert_eq!(
                kinds.collect::<Vec<_>>(),
                [FailureKind::DataRace],
                "{script:?}"
            );
            continue;
        }
        report.assert_holds();
        let all = (report.executions + report.blocked) as usize;
        assert_eq!(all, expected.len(), "{script:?}\n{report}");
        if report.blocked == 0 {
            let seen = |execution: &program::Execution| {
                let of = |thread: usize| {
                    let values = execution.values.iter();
                    let own = values.filter(|(id, _)| id.0 == thread);
                    own.map(|(_, &value)| value).collect::<Vec<u64>>()
                };
                format!("{:?}", (0..script.len()).map(of).collect::<Vec<_>>())
            };
            let wanted: BTreeSet<String> = expected.iter().map(seen).collect();
            let found: BTreeSet<String> = report.coverage.into_keys().collect();
            assert_eq!(found, wanted, "{script:?}");
        }
    }
    if is_racy {
        return None;
    }
    if locations(script) <= LOCK {
        let (visited, _) = visit(script, Policy::ReceivesLast);
        assert_eq!(distinct(&visited), expected, "{script:?}");
        assert_eq!(visited.races, 0);
    }
    Some(expected.len())
}

/// How many programs of each kind: `PLAINSONG_PROGRAMS` for more.
fn programs() -> u64 {
    let wanted = std::env::var("PLAINSONG_PROGRAMS").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(60)
}

#[test]
fn random_programs_agree() {
    let executions = (0..programs()).filter_map(|seed| compare(&script(seed, false), seed, false));
    assert!(executions.sum::<usize>() as u64 > programs());
}

#[test]
fn random_programs_with_a_cell_agree() {
    let racy = (0..programs()).filter(|&seed| compare(&script(seed, true), seed, true).is_none());
    let racy = racy.count() as u64;
    assert!(racy > 0 && racy < programs());
}

#[test]
fn random_programs_with_locks_agree() {
    let compare = |seed| {
        let has_cell = seed % 2 == 0;
        compare(&locked(script(seed, has_cell), seed), seed, has_cell)
    };
    let programs = programs() / 3;
    let executions = (0..programs).filter_map(compare);
    assert!(executions.sum::<usize>() as u64 > programs);
}
