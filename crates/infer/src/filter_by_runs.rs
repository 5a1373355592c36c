//! Dynamic falsification: candidate invariants are filtered by random runs before the solver is asked (as in Daikon and ICE).
//!
//! Most guesses are wrong, and most wrong ones are false in the first small execution that comes to them. So random
//! executions of the line with all guesses at its loops are run, and the guess at which one fails is dropped, until none
//! fails. What is left has to be shown as before: dropping a guess only means that less is known.
//!
//! The number of executions and steps is fixed, and so is chance: the same guesses are left every time.

use crate::houdini::{BEYOND, with_invariants};
use plainsong_ir::{Expr, Song};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::simulate::simulate;
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_semantics::trace::Ending;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Fewer guesses than this are shown, or not, as quickly as they are tried.
const FEW: usize = 16;

/// How many members each sort has whose number is open.
const SIZES: [i64; 2] = [2, 3];

/// How many instances of one size are run, and how often each.
const INSTANCES: usize = 4;
const RUNS: u64 = 6;

/// The most steps of an execution.
const STEPS: usize = 400;

/// How often guesses are dropped at most.
const ROUNDS: usize = 40;

/// Drops the guesses at the loops of a line that are false in some small execution.
pub(crate) fn drop_false_ones(
    song: &Song,
    number: usize,
    guesses: &mut BTreeMap<usize, Vec<Expr>>,
) {
    if guesses.values().map(Vec::len).sum::<usize>() < FEW {
        return;
    }
    for _ in 0..ROUNDS {
        let guessed = Arc::new(with_invariants(song, number, guesses));
        let wrong = false_ones(&guessed, number);
        if wrong.is_empty() {
            return;
        }
        for one in guesses.values_mut() {
            one.retain(|guess| !wrong.contains(&guess.span.start));
        }
    }
}

/// The places of guesses at which an execution fails.
fn false_ones(song: &Arc<Song>, number: usize) -> BTreeSet<u32> {
    let mut wrong = BTreeSet::new();
    for size in SIZES {
        let any_number = song.sorts.iter().filter(|sort| sort.is_sized());
        let sizes = any_number.fold(Sizes::new(), |sizes, sort| {
            sizes.with(sort.name.clone(), size)
        });
        let instances = Instance::all(song.clone(), &sizes, &Bounds::default());
        // The larger ones say more.
        for instance in instances.into_iter().flatten().rev().take(INSTANCES) {
            let machine = Machine::new(&instance, Subject::Line(number));
            for seed in 0..RUNS {
                let ending = simulate(&machine, seed, STEPS).ending;
                if let Ending::Failed(failure) = ending
                    && failure.span.start >= BEYOND
                {
                    wrong.insert(failure.span.start);
                }
            }
        }
    }
    wrong
}
