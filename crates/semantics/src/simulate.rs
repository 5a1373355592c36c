//! One random execution.

use crate::machine::Machine;
use crate::random::{Manner, Scheduler, Walker};
use crate::trace::Trace;

/// One execution by chance, of at most `max_steps` steps: the same for the same seed.
///
/// What an `assume` would cut off is avoided as long as there is something else to do.
pub fn simulate(machine: &Machine, seed: u64, max_steps: usize) -> Trace {
    let manner = Manner {
        scheduler: Scheduler::Uniform,
        steps: max_steps,
        remembers: 0,
    };
    let told = Walker::new(machine, &[], manner).execution(seed, &mut || true);
    told.expect("nobody ends it")
}

/// A small generator of random numbers (splitmix64): the same on every machine.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below `count`, if there is one.
    pub(crate) fn pick(&mut self, count: usize) -> Option<usize> {
        (count > 0).then(|| (self.next() % count as u64) as usize)
    }
}
