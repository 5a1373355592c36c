//! Random programs: the engine visits exactly the executions of the enumerator, each once.

use super::enumerator::enumerate;
use super::program::{Do, Script, distinct, visit};
use plainsong_explore::MemoryOrder::{self, AcqRel, Acquire, Plain, Relaxed, Release, SeqCst};
use plainsong_explore::{Policy, next_random};

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        next_random(&mut self.0) % n
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

/// What kind of programs.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Atomics,
    WithMessages,
    /// The second location is not atomic.
    WithData,
}

fn operation(dice: &mut Dice, kind: Kind, threads: usize) -> Do {
    const ALL: [MemoryOrder; 5] = [Relaxed, Acquire, Release, AcqRel, SeqCst];
    let x = dice.below(2) as u32;
    let value = 1 + dice.below(2);
    if kind == Kind::WithMessages && dice.below(3) == 0 {
        return match dice.below(2) {
            0 => Do::Send(dice.below(threads as u64) as usize, value),
            _ => Do::Recv,
        };
    }
    if kind == Kind::WithData && x == 1 {
        return match dice.below(2) {
            0 => Do::Load(x, Plain),
            _ => Do::Store(x, value, Plain),
        };
    }
    match dice.below(14) {
        0..4 => Do::Load(x, dice.one_of(&[Relaxed, Acquire, SeqCst])),
        4..7 => Do::Store(x, value, dice.one_of(&[Relaxed, Release, SeqCst])),
        7 => Do::StoreNext(x, dice.one_of(&[Relaxed, Release, SeqCst])),
        8..10 => Do::Add(x, value, dice.one_of(&ALL)),
        10 => {
            let failure = dice.one_of(&[Relaxed, Acquire, SeqCst]);
            Do::Exchange(x, dice.below(2), value, dice.one_of(&ALL), failure)
        }
        11..13 => Do::Fence(dice.one_of(&ALL[1..])),
        _ => Do::Only(dice.below(2)),
    }
}

fn script(dice: &mut Dice, kind: Kind) -> Script {
    let threads = 2 + dice.below(2) as usize;
    let longest = if threads == 2 { 4 } else { 3 };
    let thread = |dice: &mut Dice| {
        let length = 1 + dice.below(longest);
        (0..length)
            .map(|_| operation(dice, kind, threads))
            .collect()
    };
    (0..threads).map(|_| thread(dice)).collect()
}

/// Of so many programs, how many executions and races there were.
fn compare(kind: Kind, programs: u64, seed: u64) -> (usize, u64) {
    let (mut executions, mut races) = (0, 0);
    for program in 0..programs {
        let mut dice = Dice(seed ^ program.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let script = script(&mut dice, kind);
        let (expected, is_racy) = enumerate(&script);
        for policy in [Policy::ReceivesLast, Policy::Shuffled(program)] {
            let (visited, _) = visit(&script, policy);
            assert_eq!(visited.races > 0, is_racy, "race of {script:?}");
            if !is_racy {
                assert_eq!(distinct(&visited), expected, "{script:?}, {policy:?}");
            }
        }
        executions += expected.len();
        races += u64::from(is_racy);
    }
    (executions, races)
}

/// How many programs of each kind: `PLAINSONG_PROGRAMS` for more.
fn programs() -> u64 {
    let wanted = std::env::var("PLAINSONG_PROGRAMS").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(150)
}

#[test]
fn random_atomics() {
    let (executions, races) = compare(Kind::Atomics, programs(), 1);
    assert!(executions as u64 > 2 * programs());
    assert_eq!(races, 0);
}

#[test]
fn random_atomics_and_messages() {
    let (executions, races) = compare(Kind::WithMessages, programs(), 2);
    assert!(executions as u64 > programs());
    assert_eq!(races, 0);
}

#[test]
fn random_data_races() {
    let (_, races) = compare(Kind::WithData, programs(), 3);
    assert!(races > programs() / 8 && races < programs());
}

/// Locks are for programs as users write them; the enumerator counts the orders in which they are taken.
#[test]
fn the_enumerator_knows_locks() {
    let thread = vec![
        Do::Lock(1),
        Do::StoreNext(0, Relaxed),
        Do::Load(0, Relaxed),
        Do::Unlock(1),
    ];
    for (threads, orders) in [(1, 1), (2, 2), (3, 6)] {
        assert_eq!(enumerate(&vec![thread.clone(); threads]).0.len(), orders);
    }
    let twice = vec![vec![Do::Lock(0), Do::Lock(0)]];
    assert_eq!(enumerate(&twice).0.len(), 1);
}
