//! Random executions, and an estimate of how many there are (Knuth's estimate of the size of a search tree).
//!
//! Statement. Walk down the search tree, taking one of the outcomes at each event that has several,
//! all equally likely. The product of the numbers of outcomes on the way is an unbiased estimate of
//! the number of leaves: a leaf with product `w` is reached with probability `1/w` and counts `w`.
//! The search starts nothing in vain, so every walk ends at a leaf.

use crate::engine::{Engine, Visitor};
use crate::event::EventId;
use crate::program::Program;

/// How many executions there probably are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean of the guesses.
    pub executions: f64,
    /// Half the width of an interval that contains the truth about 19 times out of 20, unless it is
    /// [rough](Estimate::is_rough).
    pub margin: f64,
    /// How many walks.
    pub walks: u32,
    /// The share of the hundredth of the walks that guess the most.
    pub heaviest: f64,
}

/// Where a hundredth of the walks have more than this share, walks that were not made may have more yet.
const EVEN: f64 = 0.08;

/// Draws `walks` executions at random and shows them to the visitor.
pub fn sample<P: Program>(
    program: &mut P,
    walks: u32,
    seed: u64,
    visitor: &mut dyn Visitor<P>,
    configure: impl for<'p> Fn(Engine<'p, P>) -> Engine<'p, P>,
) -> Estimate {
    let mut seeds = seed;
    let mut guesses = Vec::with_capacity(walks as usize);
    for _ in 0..walks {
        let seed = next_random(&mut seeds);
        guesses.push(configure(Engine::new(program)).draw(seed, visitor));
        program.forget(0, 0);
    }
    Estimate::of(&guesses)
}

impl Estimate {
    /// The mean of the guesses of several walks, and how much they differ.
    pub fn of(guesses: &[f64]) -> Self {
        let n = guesses.len().max(1) as f64;
        let mean = guesses.iter().sum::<f64>() / n;
        let spread = guesses
            .iter()
            .map(|guess| (guess - mean).powi(2))
            .sum::<f64>();
        let deviation = (spread / (n - 1.0).max(1.0)).sqrt();
        Estimate {
            executions: mean,
            margin: 1.96 * deviation / n.sqrt(),
            walks: guesses.len() as u32,
            heaviest: heaviest(guesses),
        }
    }

    /// Do few walks make up much of it? Then it is more likely too small than too large: the mean is right, but most
    /// samples miss what is rare and heavy.
    pub fn is_rough(&self) -> bool {
        self.heaviest > EVEN
    }
}

fn heaviest(guesses: &[f64]) -> f64 {
    let mut sorted = guesses.to_vec();
    sorted.sort_by(|one, other| other.total_cmp(one));
    let few = guesses.len().div_ceil(100);
    let all: f64 = sorted.iter().sum();
    match guesses.len() {
        0..100 => f64::from(u8::from(sorted.first() != sorted.last())),
        _ => sorted[..few].iter().sum::<f64>() / all.max(f64::MIN_POSITIVE),
    }
}

/// A place of a walk at which it had a choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fork {
    /// The choice or the receive that it is about.
    pub event: EventId,
    /// By how much it multiplies the number of executions. Where a send could turn several receives round,
    /// each has its share.
    pub factor: f64,
}

/// The next number of a splitmix sequence.
pub fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
