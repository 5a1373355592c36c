//! Free choices drawn from a seed.
//!
//! Every role has a sequence of its own, so what it gets does not depend on when the others ask: with
//! one seed a run ends the same on every transport.

use crate::cast::Role;

/// The free choices of one role.
///
/// ```
/// use plainsong_runtime::Oracle;
///
/// let draw = || {
///     let mut oracle = Oracle::new(7, 0);
///     [oracle.choose(6), oracle.choose(6), oracle.choose(2)]
/// };
/// assert_eq!(draw(), draw());
/// ```
#[derive(Clone, Debug)]
pub struct Oracle {
    state: u64,
}

impl Oracle {
    /// The choices of a role for a seed.
    pub fn new(seed: u64, role: Role) -> Oracle {
        let mut numbers = Oracle { state: seed };
        let own = numbers.next() ^ (role as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Oracle { state: own }
    }

    /// One of `0..count`: the high half of a product, so that every option is about as likely. There is
    /// nothing to choose from when `count` is 0.
    pub fn choose(&mut self, count: usize) -> Option<usize> {
        let product = u128::from(self.next()) * (count as u128);
        let chosen = usize::try_from(product >> 64).ok()?;
        (count > 0).then_some(chosen)
    }

    /// The next number of the sequence (SplitMix64).
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
