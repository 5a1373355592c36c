//! Pseudo-random numbers: the same seed gives the same song on every machine.

/// A sequence of numbers that looks random (SplitMix64).
#[derive(Clone, Debug)]
pub struct Dice {
    state: u64,
}

impl Dice {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Dice {
        Dice {
            state: seed ^ 0x9E37_79B9_7F4A_7C15,
        }
    }

    /// A number below `limit`, which is not zero.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True once in `of` times.
    pub fn once_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    /// One of several, which are not none.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// One of several, or none of none.
    pub fn choose<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        if from.is_empty() {
            None
        } else {
            Some(self.pick(from))
        }
    }

    fn next(&mut self) -> u64 {
        plainsong_explore::next_random(&mut self.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_the_sequence() {
        let throws = |seed| {
            let mut dice = Dice::new(seed);
            (0..20).map(|_| dice.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(throws(1), throws(1));
        assert_ne!(throws(1), throws(2));
    }

    #[test]
    fn every_side_comes_up() {
        let mut dice = Dice::new(7);
        let mut seen = [false; 6];
        (0..200).for_each(|_| seen[dice.below(6)] = true);
        assert_eq!(seen, [true; 6]);
    }
}
