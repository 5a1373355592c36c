//! The set of states: of each, the pair at the root of its tree, quotiented.
//!
//! *Quotienting* [Cleary84]: a key of so many bits is shuffled, which can be undone, so that different keys stay different.
//! Its highest bits say in which shard it is, and the shard keeps the others: 31 of them (in a cell of 32), so that nothing
//! is lost although less is stored. There are as many shards as that needs; when numbers outgrow the bits of the
//! key, all keys are shuffled anew, shard by shard. With more bits than shards can make up for, cells are 64 bits wide.
//!
//! Shards grow one by one: there are never two copies of the whole.

use super::tables::pack;
use std::io;

/// Bits of a key that a narrow cell keeps.
const KEPT: u32 = 31;
/// At most so many bits choose a shard of narrow cells.
const MOST_SHARD_BITS: u32 = 19;
/// So many bits choose a shard of wide cells.
const WIDE_SHARD_BITS: u32 = 12;
/// How many bits more a number gets that has outgrown its own.
const GROWTH: u32 = 2;

/// A set of pairs of numbers.
#[derive(Debug)]
pub(super) struct Roots {
    /// How many bits the first and the second number may have.
    bits: (u32, u32),
    cells: Cells,
    len: u64,
    bytes: u64,
}

#[derive(Debug)]
enum Cells {
    Narrow(Vec<Shard<u32>>),
    Wide(Vec<Shard<u64>>),
}

/// Open addressing; zero is free.
#[derive(Debug, Default)]
struct Shard<C> {
    cells: Vec<C>,
    used: u32,
}

/// What a cell holds.
trait Cell: Copy + Default + PartialEq {
    /// All of a key that is not said by the shard, and not zero.
    fn keep(rest: u64) -> Self;
    /// Undoes it.
    fn rest(self) -> u64;
    /// Where to look first among so many cells, if `bits` are kept.
    fn place(self, size: usize, bits: u32) -> usize;
}

impl Cell for u32 {
    fn keep(rest: u64) -> Self {
        rest as u32 + 1
    }

    fn rest(self) -> u64 {
        u64::from(self - 1)
    }

    #[inline]
    fn place(self, size: usize, bits: u32) -> usize {
        ((u64::from(self - 1) * size as u64) >> bits) as usize
    }
}

impl Cell for u64 {
    fn keep(rest: u64) -> Self {
        rest + 1
    }

    fn rest(self) -> u64 {
        self - 1
    }

    #[inline]
    fn place(self, size: usize, bits: u32) -> usize {
        ((u128::from(self - 1) * size as u128) >> bits) as usize
    }
}

impl Default for Roots {
    fn default() -> Self {
        Roots::with_bits((20, 20))
    }
}

impl Roots {
    fn with_bits(bits: (u32, u32)) -> Self {
        let all = bits.0 + bits.1;
        let narrow = all.saturating_sub(KEPT);
        let cells = match narrow <= MOST_SHARD_BITS {
            true => Cells::Narrow((0..1u32 << narrow).map(|_| Shard::default()).collect()),
            false => Cells::Wide(
                (0..1 << WIDE_SHARD_BITS)
                    .map(|_| Shard::default())
                    .collect(),
            ),
        };
        let headers = match &cells {
            Cells::Narrow(shards) => size_of_val(&shards[..]),
            Cells::Wide(shards) => size_of_val(&shards[..]),
        };
        Roots {
            bits,
            cells,
            len: 0,
            bytes: headers as u64,
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds a pair; says whether it is new.
    #[inline]
    pub(super) fn add(&mut self, first: u32, second: u32) -> bool {
        while !self.fits(first, second) {
            self.widen(first, second);
        }
        let (shard, rest, bits) = self.key(first, second);
        let grown = match &mut self.cells {
            Cells::Narrow(shards) => shards[shard].add(Cell::keep(rest), bits),
            Cells::Wide(shards) => shards[shard].add(Cell::keep(rest), bits),
        };
        let Some(bytes) = grown else { return false };
        self.bytes += bytes;
        self.len += 1;
        true
    }

    /// Is a pair in it?
    pub(super) fn has(&self, first: u32, second: u32) -> bool {
        if !self.fits(first, second) {
            return false;
        }
        let (shard, rest, bits) = self.key(first, second);
        match &self.cells {
            Cells::Narrow(shards) => shards[shard].has(Cell::keep(rest), bits),
            Cells::Wide(shards) => shards[shard].has(Cell::keep(rest), bits),
        }
    }

    /// Is it in the cell where one looks first? Memory is slow, but fetches from many places at once: whoever asks this of
    /// many pairs before anything depends on one finds their places at hand later.
    #[inline]
    pub(super) fn is_at_first_sight(&self, first: u32, second: u32) -> bool {
        if !self.fits(first, second) {
            return false;
        }
        let (shard, rest, bits) = self.key(first, second);
        match &self.cells {
            Cells::Narrow(shards) => shards[shard].first(Cell::keep(rest), bits),
            Cells::Wide(shards) => shards[shard].first(Cell::keep(rest), bits),
        }
    }

    /// Shows every pair, in some order.
    pub(super) fn each(&self, see: &mut dyn FnMut(u64) -> io::Result<()>) -> io::Result<()> {
        let all = self.bits.0 + self.bits.1;
        let mut show = |shuffled: u64| {
            let key = unshuffle(shuffled, all);
            let second = key & ((1 << self.bits.1) - 1);
            see(pack((key >> self.bits.1) as u32, second as u32))
        };
        match &self.cells {
            Cells::Narrow(shards) => see_each(shards, KEPT.min(all), &mut show),
            Cells::Wide(shards) => see_each(shards, all - WIDE_SHARD_BITS, &mut show),
        }
    }

    #[inline]
    fn fits(&self, first: u32, second: u32) -> bool {
        u64::from(first) >> self.bits.0 == 0 && u64::from(second) >> self.bits.1 == 0
    }

    /// The shard of a pair, what is kept of it there, and in how many bits.
    #[inline]
    fn key(&self, first: u32, second: u32) -> (usize, u64, u32) {
        let all = self.bits.0 + self.bits.1;
        let key = u64::from(first) << self.bits.1 | u64::from(second);
        let shuffled = shuffle(key, all);
        let kept = match self.cells {
            Cells::Narrow(_) => KEPT.min(all),
            Cells::Wide(_) => all - WIDE_SHARD_BITS,
        };
        let shard = (shuffled >> kept) as usize;
        (shard, shuffled & ((1 << kept) - 1), kept)
    }

    /// Shuffles all keys anew, with room for this pair.
    #[cold]
    fn widen(&mut self, first: u32, second: u32) {
        let room = |bits: u32, number: u32| {
            let needs = 32 - number.leading_zeros();
            match needs > bits {
                true => (needs + GROWTH).min(32),
                false => bits,
            }
        };
        let bits = (room(self.bits.0, first), room(self.bits.1, second));
        let old = std::mem::replace(self, Roots::with_bits(bits));
        let all = old.bits.0 + old.bits.1;
        let mut add = |shuffled: u64| {
            let key = unshuffle(shuffled, all);
            self.add(
                (key >> old.bits.1) as u32,
                (key & ((1 << old.bits.1) - 1)) as u32,
            );
        };
        match old.cells {
            Cells::Narrow(shards) => each(shards, KEPT.min(all), &mut add),
            Cells::Wide(shards) => each(shards, all - WIDE_SHARD_BITS, &mut add),
        }
    }
}

/// Shows what is in the shards.
fn see_each<C: Cell>(
    shards: &[Shard<C>],
    kept: u32,
    show: &mut dyn FnMut(u64) -> io::Result<()>,
) -> io::Result<()> {
    for (at, shard) in shards.iter().enumerate() {
        for cell in &shard.cells {
            if *cell != C::default() {
                show((at as u64) << kept | cell.rest())?;
            }
        }
    }
    Ok(())
}

/// Hands over what is in the shards, and frees one after the other.
fn each<C: Cell>(shards: Vec<Shard<C>>, kept: u32, add: &mut dyn FnMut(u64)) {
    for (at, shard) in shards.into_iter().enumerate() {
        for cell in shard.cells {
            if cell != C::default() {
                add((at as u64) << kept | cell.rest());
            }
        }
    }
}

impl<C: Cell> Shard<C> {
    /// The cell of what is kept, or the free one where it belongs.
    #[inline]
    fn probe(&self, kept: C, bits: u32) -> usize {
        let mut at = kept.place(self.cells.len(), bits);
        while self.cells[at] != kept && self.cells[at] != C::default() {
            at += 1;
            if at == self.cells.len() {
                at = 0;
            }
        }
        at
    }

    fn has(&self, kept: C, bits: u32) -> bool {
        !self.cells.is_empty() && self.cells[self.probe(kept, bits)] == kept
    }

    #[inline]
    fn first(&self, kept: C, bits: u32) -> bool {
        !self.cells.is_empty() && self.cells[kept.place(self.cells.len(), bits)] == kept
    }

    /// Adds what is kept; how many bytes more that takes, if it is new.
    #[inline]
    fn add(&mut self, kept: C, bits: u32) -> Option<u64> {
        if self.has(kept, bits) {
            return None;
        }
        let mut grown = 0;
        if self.used as usize * 5 >= self.cells.len() * 4 {
            grown = self.grow(bits);
        }
        let at = self.probe(kept, bits);
        self.cells[at] = kept;
        self.used += 1;
        Some(grown)
    }

    fn grow(&mut self, bits: u32) -> u64 {
        let before = self.cells.len();
        let size = (before + before / 2).max(8);
        let cells = std::mem::replace(&mut self.cells, vec![C::default(); size]);
        for kept in cells.into_iter().filter(|kept| *kept != C::default()) {
            let at = self.probe(kept, bits);
            self.cells[at] = kept;
        }
        ((size - before) * size_of::<C>()) as u64
    }
}

const FACTORS: [u64; 3] = [
    0x9e37_79b9_7f4a_7c15,
    0xd6e8_feb8_6659_fd93,
    0xa076_1d64_78bd_642f,
];

/// Another number of as many bits, different for different numbers: each step can be undone.
#[inline]
fn shuffle(number: u64, bits: u32) -> u64 {
    let (mask, half) = (mask(bits), bits.div_ceil(2));
    let mut number = number.wrapping_mul(FACTORS[0]) & mask;
    number ^= number >> half;
    number = number.wrapping_mul(FACTORS[1]) & mask;
    number ^= number >> half;
    number.wrapping_mul(FACTORS[2]) & mask
}

/// Undoes it: odd factors have inverses, and shifting by half of the bits is its own.
fn unshuffle(number: u64, bits: u32) -> u64 {
    let (mask, half) = (mask(bits), bits.div_ceil(2));
    let mut number = number.wrapping_mul(inverse(FACTORS[2])) & mask;
    number ^= number >> half;
    number = number.wrapping_mul(inverse(FACTORS[1])) & mask;
    number ^= number >> half;
    number.wrapping_mul(inverse(FACTORS[0])) & mask
}

#[inline]
fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
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
        for bits in [40, 43, 50, 63] {
            for at in 0..1u64 << 10 {
                let number = at.wrapping_mul(0x5851_f42d_4c95_7f2d) & mask(bits);
                assert!(shuffle(number, bits) <= mask(bits));
                assert_eq!(unshuffle(shuffle(number, bits), bits), number);
            }
        }
    }

    /// Numbers outgrow their bits again and again, until cells are wide.
    #[test]
    fn every_pair_is_kept_once_whatever_its_bits() {
        let mut roots = Roots::default();
        let mut known = BTreeSet::new();
        for at in 0..60_000u64 {
            let number = (at % 40_000).wrapping_mul(0x5851_f42d_4c95_7f2d);
            let bits = 4 + (at / 2_000) as u32;
            let pair = ((number & mask(bits.min(32))) as u32, (number >> 40) as u32);
            assert_eq!(roots.add(pair.0, pair.1), known.insert(pair));
        }
        assert_eq!(roots.len(), known.len() as u64);
        assert!(known.iter().all(|pair| roots.has(pair.0, pair.1)));
        assert!(matches!(roots.cells, Cells::Wide(_)));
        assert!(!roots.has(77, 1 << 30));
        let mut shown = BTreeSet::new();
        let see = roots.each(&mut |root| {
            assert!(shown.insert(crate::processes::tables::unpack(root)));
            Ok(())
        });
        see.expect("nothing is written");
        assert_eq!(shown, known);
        let seen = known
            .iter()
            .filter(|pair| roots.is_at_first_sight(pair.0, pair.1));
        assert!(seen.count() > known.len() / 3);
    }
}
