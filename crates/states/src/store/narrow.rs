//! States of a few bits, kept in 32 bits each.
//!
//! A state of one word with few bits in use is *shuffled*: multiplied and shifted so that every state becomes
//! another number of as many bits, and no two the same. The highest bits of that say in which shard it is,
//! the others are what the shard keeps. So nothing is lost although less is stored, and equal numbers in a
//! shard are equal states.
//!
//! Shards grow one by one: there are never two copies of the whole.

/// How many bits say which shard.
const SHARD_BITS: u32 = 11;
/// How many bits of a shuffled state a shard keeps; with one added, so that it is not zero, it has 32 bits.
const KEPT_BITS: u32 = 31;
/// The most bits of a state. Those with fewer are shuffled among as many.
pub(crate) const BITS: u32 = SHARD_BITS + KEPT_BITS;
const MASK: u64 = (1 << BITS) - 1;
const HALF: u32 = BITS / 2;

/// A set of such states.
#[derive(Debug)]
pub(crate) struct Narrow {
    shards: Vec<Shard>,
}

/// One part of them: open addressing, zero is free.
#[derive(Debug, Default)]
pub(crate) struct Shard {
    cells: Vec<u32>,
    /// The number of the state in each cell, where it is wanted.
    numbers: Vec<u32>,
    used: u32,
}

impl Narrow {
    /// Nothing is in it.
    pub(crate) fn new() -> Self {
        Narrow {
            shards: (0..1 << SHARD_BITS).map(|_| Shard::default()).collect(),
        }
    }

    /// The shard of a state, and what is kept of it there.
    #[inline]
    pub(crate) fn key(state: u64) -> (usize, u32) {
        let shuffled = shuffle(state);
        let kept = shuffled & ((1 << KEPT_BITS) - 1);
        ((shuffled >> KEPT_BITS) as usize, kept as u32 + 1)
    }

    /// Is it in the cell where one looks first?
    #[inline]
    pub(crate) fn is_at_first_sight(&self, (shard, kept): (usize, u32)) -> bool {
        let cells = &self.shards[shard].cells;
        !cells.is_empty() && cells[place(kept, cells.len())] == kept
    }

    pub(crate) fn find(&self, (shard, kept): (usize, u32)) -> Option<(usize, usize)> {
        let found = self.shards[shard].find(kept)?;
        Some((shard, found))
    }

    /// The number of the state in a cell, where it was given one.
    pub(crate) fn number(&self, (shard, cell): (usize, usize)) -> usize {
        self.shards[shard].numbers[cell] as usize
    }

    /// Adds it; says whether it is new.
    pub(crate) fn add(&mut self, (shard, kept): (usize, u32), number: Option<u32>) -> bool {
        self.shards[shard].add(kept, number)
    }

    /// Every state, in no particular order, and its number where it was given one.
    pub(crate) fn each(&self, mut see: impl FnMut(u64, Option<u32>)) {
        for (at, shard) in self.shards.iter().enumerate() {
            for (cell, kept) in shard
                .cells
                .iter()
                .enumerate()
                .filter(|(_, kept)| **kept != 0)
            {
                let shuffled = (at as u64) << KEPT_BITS | u64::from(kept - 1);
                let number = shard.numbers.get(cell).copied();
                see(unshuffle(shuffled), number);
            }
        }
    }

    /// The shards, to be shared by workers.
    pub(crate) fn shards(&mut self) -> &mut [Shard] {
        &mut self.shards
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = |shard: &Shard| 4 * (shard.cells.capacity() + shard.numbers.capacity()) as u64;
        let headers = self.shards.len() * size_of::<Shard>();
        headers as u64 + self.shards.iter().map(bytes).sum::<u64>()
    }
}

impl Shard {
    fn find(&self, kept: u32) -> Option<usize> {
        if self.cells.is_empty() {
            return None;
        }
        let at = self.probe(kept);
        (self.cells[at] == kept).then_some(at)
    }

    /// The cell of what is kept, or the free one where it belongs.
    fn probe(&self, kept: u32) -> usize {
        let mut at = place(kept, self.cells.len());
        while self.cells[at] != kept && self.cells[at] != 0 {
            at += 1;
            if at == self.cells.len() {
                at = 0;
            }
        }
        at
    }

    /// Adds what is kept of a state; says whether it is new.
    pub(crate) fn add(&mut self, kept: u32, number: Option<u32>) -> bool {
        if self.used as usize * 5 >= self.cells.len() * 4 {
            self.grow(number.is_some());
        }
        let at = self.probe(kept);
        if self.cells[at] == kept {
            return false;
        }
        self.cells[at] = kept;
        if let Some(number) = number {
            self.numbers[at] = number;
        }
        self.used += 1;
        true
    }

    fn grow(&mut self, with_numbers: bool) {
        let size = (self.cells.len() + self.cells.len() / 2).max(8);
        let cells = std::mem::replace(&mut self.cells, vec![0; size]);
        let numbered = if with_numbers { size } else { 0 };
        let numbers = std::mem::replace(&mut self.numbers, vec![0; numbered]);
        for (before, kept) in cells.into_iter().enumerate() {
            if kept != 0 {
                let at = self.probe(kept);
                self.cells[at] = kept;
                if with_numbers {
                    self.numbers[at] = numbers[before];
                }
            }
        }
    }
}

/// Where to look first among `size` cells.
#[inline]
fn place(kept: u32, size: usize) -> usize {
    ((u64::from(kept - 1) * size as u64) >> KEPT_BITS) as usize
}

const FACTORS: [u64; 3] = [
    0x9e37_79b9_7f4a_7c15,
    0xd6e8_feb8_6659_fd93,
    0x9e37_79b9_7f4a_7c15,
];

/// Another number of as many bits, different for different numbers: each step can be undone.
#[inline]
fn shuffle(number: u64) -> u64 {
    let mut number = number.wrapping_mul(FACTORS[0]) & MASK;
    number ^= number >> HALF;
    number = number.wrapping_mul(FACTORS[1]) & MASK;
    number ^= number >> HALF;
    number.wrapping_mul(FACTORS[2]) & MASK
}

/// Undoes it: odd factors have inverses, and shifting by half of the bits is its own.
fn unshuffle(number: u64) -> u64 {
    let mut number = number.wrapping_mul(inverse(FACTORS[2])) & MASK;
    number ^= number >> HALF;
    number = number.wrapping_mul(inverse(FACTORS[1])) & MASK;
    number ^= number >> HALF;
    number.wrapping_mul(inverse(FACTORS[0])) & MASK
}

/// What an odd number is multiplied with to give 1, by Newton's method: each round doubles the right bits,
/// of which there are three at first.
const fn inverse(factor: u64) -> u64 {
    let mut inverse = factor;
    let mut round = 0;
    while round < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(factor.wrapping_mul(inverse)));
        round += 1;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn shuffling_loses_nothing() {
        for at in 0..1u64 << 12 {
            let number = at.wrapping_mul(0x5851_f42d_4c95_7f2d) >> (64 - BITS);
            assert!(shuffle(number) <= MASK);
            assert_eq!(unshuffle(shuffle(number)), number);
        }
    }

    #[test]
    fn every_state_is_kept_once_whatever_its_bits() {
        for bits in [3, 32, BITS] {
            let mut set = Narrow::new();
            let mut known = BTreeSet::new();
            for at in 0..60_000u64 {
                let state = (at % 40_000).wrapping_mul(0x5851_f42d_4c95_7f2d) >> (64 - bits);
                assert_eq!(set.add(Narrow::key(state), None), known.insert(state));
            }
            let is_there = |one: &u64| set.find(Narrow::key(*one)).is_some();
            assert!(known.iter().all(is_there));
            let mut told = BTreeSet::new();
            set.each(|state, _| assert!(told.insert(state)));
            assert_eq!(told, known);
        }
    }
}
