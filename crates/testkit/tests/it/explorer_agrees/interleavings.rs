//! The guess of how many interleavings the executions stand for, against counting them all.
//!
//! Programs in which nothing fails or is cut off, so that the interpreter's steps are those of the
//! executions. The sample of few executions has all of them, so what is left to chance are the walks through
//! each; of many, some are drawn. Not under `mailbox`, where the guess is too high by what its header says.

use crate::interpreter_agrees::MOST_MEMBERS;
use crate::interpreter_agrees::account::instance;
use crate::interpreter_agrees::programs::small;
use plainsong_explore_songs::{Manner, estimate, explore};
use plainsong_ir::{Delivery, Song};
use plainsong_semantics::machine::{Config, Machine, Outcome, Subject};
use plainsong_semantics::search::Unwatched;
use std::collections::HashMap;

/// How many programs of each model.
const PROGRAMS: u64 = 200;

/// The most states; programs with more are left out.
const MOST_STATES: usize = 3_000;

#[test]
fn the_guess_is_near_the_number() {
    let mut compared = 0;
    let mut many = 0;
    let mut off = Vec::new();
    for delivery in [Delivery::Unordered, Delivery::Fifo, Delivery::Causal] {
        for (seed, song) in small(Some(delivery), PROGRAMS) {
            let Some((guess, number)) = both(&song) else {
                continue;
            };
            compared += 1;
            many += usize::from(number > 100.0);
            let difference = guess - number.log10();
            assert!(difference.abs() < 0.7, "seed {seed}: 10^{guess}, {number}");
            off.push(difference);
        }
    }
    assert!(compared > 150, "{compared}");
    assert!(many * 3 > compared, "{many} of {compared}");
    let mean = off.iter().sum::<f64>() / off.len() as f64;
    assert!(mean.abs() < 0.03, "on average it is off by 10^{mean}");
}

/// The guess as a power of ten, and the number.
fn both(song: &Song) -> Option<(f64, f64)> {
    let instance = instance(song)?;
    if instance.members().len() > MOST_MEMBERS {
        return None;
    }
    let machine = Machine::new(&instance, Subject::System);
    let mut manner = Manner::default();
    manner.limits.states = 200;
    let explored = explore(&machine, &[], &manner, &mut Unwatched).ok()?;
    if !explored.left.is_empty() || explored.count.failed + explored.count.discarded > 0 {
        return None;
    }
    the_estimate_is_near(&machine, explored.count.complete + explored.count.blocked);
    let mut known = HashMap::new();
    let mut number = 0.0;
    for outcome in machine.initial() {
        number += interleavings(&machine, &outcome, &mut known)?;
    }
    Some((explored.interleavings(&machine)?, number))
}

/// How many ways there are to go on to an end; none when there are too many states.
fn interleavings(
    machine: &Machine,
    outcome: &Outcome,
    known: &mut HashMap<Config, f64>,
) -> Option<f64> {
    let Outcome::Next(config) = outcome else {
        return Some(0.0);
    };
    if let Some(&number) = known.get(config) {
        return Some(number);
    }
    if known.len() > MOST_STATES {
        return None;
    }
    let steps = machine.steps(config);
    let mut number = if steps.is_empty() { 1.0 } else { 0.0 };
    for step in &steps {
        number += interleavings(machine, &step.outcome, known)?;
    }
    known.insert(config.clone(), number);
    Some(number)
}

/// Random executions guess the number of executions.
fn the_estimate_is_near(machine: &Machine, executions: u64) {
    let guess = estimate(machine, 7, &mut |walks| walks < 300).expect("they were visited");
    let (number, margin) = (guess.number.executions, guess.number.margin);
    let off = (number - executions as f64).abs();
    assert!(
        off <= 3.0 * margin + 0.001 * number,
        "{executions} executions, estimated {number} ± {margin}"
    );
}
