//! Hash consing: equal things get the same number.
//!
//! Numbers count from 0 in the order in which things came. Keys are kept whole and compared, so no two
//! different things share a number, however bad the hash.

use crate::snapshot::{Pen, Reader, damaged};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};
use std::io;

/// The mark of a free place.
pub(super) const FREE: u32 = u32::MAX;

/// What hashes are made with: an odd number without pattern.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Values with numbers.
pub(super) type Values<T> = IndexSet<T, FxBuildHasher>;

/// The number of a value.
pub(super) fn number<T: Hash + Eq>(values: &mut Values<T>, value: T) -> u32 {
    u32::try_from(values.insert_full(value).0).expect("fewer than 2^32 values")
}

/// Pairs of numbers, with numbers.
#[derive(Debug)]
pub(super) struct Pairs {
    keys: Vec<u64>,
    /// Open addressing: the number of the pair in each place.
    index: Vec<u32>,
    shift: u32,
    factor: u64,
}

impl Default for Pairs {
    fn default() -> Self {
        Pairs::with_factor(FACTOR)
    }
}

/// Both in one word.
#[inline]
pub(super) fn pack(first: u32, second: u32) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

/// And back.
#[inline]
pub(super) fn unpack(key: u64) -> (u32, u32) {
    ((key >> 32) as u32, key as u32)
}

impl Pairs {
    fn with_factor(factor: u64) -> Self {
        Pairs {
            keys: Vec::new(),
            index: vec![FREE; 16],
            shift: 60,
            factor,
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The pair with a number.
    #[inline]
    pub(super) fn get(&self, number: u32) -> (u32, u32) {
        unpack(self.keys[number as usize])
    }

    /// The number of a pair, if it has one; else its place.
    #[inline]
    fn find(&self, key: u64) -> Result<u32, usize> {
        let mask = self.index.len() - 1;
        let mut at = (key.wrapping_mul(self.factor) >> self.shift) as usize;
        loop {
            let number = self.index[at];
            if number == FREE {
                return Err(at);
            }
            if self.keys[number as usize] == key {
                return Ok(number);
            }
            at = (at + 1) & mask;
        }
    }

    /// The number of a pair, if it has one.
    #[inline]
    pub(super) fn known(&self, first: u32, second: u32) -> Option<u32> {
        self.find(pack(first, second)).ok()
    }

    /// The number of a pair.
    #[inline]
    pub(super) fn number(&mut self, first: u32, second: u32) -> u32 {
        let key = pack(first, second);
        match self.find(key) {
            Ok(number) => number,
            Err(at) => self.add(key, at),
        }
    }

    fn add(&mut self, key: u64, at: usize) -> u32 {
        let number = self.keys.len() as u32;
        assert!(number != FREE, "there are fewer than 2^32 different pairs");
        self.keys.push(key);
        self.index[at] = number;
        if self.keys.len() * 4 > self.index.len() * 3 {
            let size = self.index.len() * 2;
            self.shift -= 1;
            self.index.clear();
            self.index.resize(size, FREE);
            for at in 0..self.keys.len() {
                if let Err(place) = self.find(self.keys[at]) {
                    self.index[place] = at as u32;
                }
            }
        }
        number
    }

    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        (8 * self.keys.capacity() + 4 * self.index.capacity()) as u64
    }

    /// Writes all pairs, in their order.
    pub(super) fn write(&self, pen: &mut Pen<'_>) -> io::Result<()> {
        pen.words(self.keys.len(), self.keys.iter().copied())
    }

    /// Reads them again.
    pub(super) fn read(reader: &mut Reader<'_>) -> io::Result<Self> {
        let mut pairs = Pairs::default();
        let mut is_new = true;
        reader.words(|key| {
            let (first, second) = unpack(key);
            let known = pairs.len();
            is_new &= pairs.number(first, second) as usize == known;
        })?;
        is_new.then_some(pairs).ok_or_else(damaged)
    }
}

/// A function of two numbers, as far as it is worked out. What is asked and the answer stand side by side, so that looking it up
/// fetches from one place.
#[derive(Debug)]
pub(super) struct Memo {
    /// Open addressing: both numbers, and the value; a key of [`NOTHING`] is free.
    cells: Vec<(u64, u32)>,
    used: usize,
    shift: u32,
}

/// No two numbers: neither is ever [`FREE`].
const NOTHING: u64 = u64::MAX;

impl Default for Memo {
    fn default() -> Self {
        Memo {
            cells: vec![(NOTHING, 0); 16],
            used: 0,
            shift: 60,
        }
    }
}

impl Memo {
    /// Its value, if it is known.
    #[inline]
    pub(super) fn get(&self, first: u32, second: u32) -> Option<u32> {
        let key = pack(first, second);
        let (known, value) = self.cells[self.find(key)];
        (known == key).then_some(value)
    }

    /// Where two numbers are, or where they belong.
    #[inline]
    fn find(&self, key: u64) -> usize {
        let mask = self.cells.len() - 1;
        let mut at = (key.wrapping_mul(FACTOR) >> self.shift) as usize;
        while self.cells[at].0 != key && self.cells[at].0 != NOTHING {
            at = (at + 1) & mask;
        }
        at
    }

    /// Its value is this, and was not known.
    pub(super) fn put(&mut self, first: u32, second: u32, value: u32) {
        let key = pack(first, second);
        assert!(key != NOTHING, "numbers are smaller");
        let at = self.find(key);
        assert!(self.cells[at].0 == NOTHING, "a value is put once");
        self.cells[at] = (key, value);
        self.used += 1;
        if self.used * 4 > self.cells.len() * 3 {
            self.shift -= 1;
            let size = self.cells.len() * 2;
            let cells = std::mem::replace(&mut self.cells, vec![(NOTHING, 0); size]);
            for cell in cells.into_iter().filter(|cell| cell.0 != NOTHING) {
                let at = self.find(cell.0);
                self.cells[at] = cell;
            }
        }
    }

    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        (size_of::<(u64, u32)>() * self.cells.capacity()) as u64
    }
}

/// Rows of numbers, with numbers; the empty row has number 0.
#[derive(Debug)]
pub(super) struct Rows {
    all: Vec<u32>,
    /// Where each ends.
    ends: Vec<usize>,
    index: Vec<u32>,
    shift: u32,
}

impl Default for Rows {
    fn default() -> Self {
        let mut rows = Rows {
            all: Vec::new(),
            ends: Vec::new(),
            index: vec![FREE; 16],
            shift: 60,
        };
        rows.number(&[]);
        rows
    }
}

impl Rows {
    /// The row with a number.
    #[inline]
    pub(super) fn get(&self, number: u32) -> &[u32] {
        let at = number as usize;
        let first = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[first..self.ends[at]]
    }

    /// The number of a row.
    pub(super) fn number(&mut self, row: &[u32]) -> u32 {
        let at = match self.find(row) {
            Ok(number) => return number,
            Err(at) => at,
        };
        let number = self.ends.len() as u32;
        assert!(number != FREE, "there are fewer than 2^32 different rows");
        self.all.extend_from_slice(row);
        self.ends.push(self.all.len());
        self.index[at] = number;
        if self.ends.len() * 4 > self.index.len() * 3 {
            let size = self.index.len() * 2;
            self.shift -= 1;
            self.index.clear();
            self.index.resize(size, FREE);
            for at in 0..self.ends.len() as u32 {
                if let Err(place) = self.find(self.get(at)) {
                    self.index[place] = at;
                }
            }
        }
        number
    }

    fn find(&self, row: &[u32]) -> Result<u32, usize> {
        let mask = self.index.len() - 1;
        let hash = FxBuildHasher.hash_one(row).wrapping_mul(FACTOR);
        let mut at = (hash >> self.shift) as usize;
        loop {
            let number = self.index[at];
            if number == FREE {
                return Err(at);
            }
            if self.get(number) == row {
                return Ok(number);
            }
            at = (at + 1) & mask;
        }
    }

    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        let words = self.all.capacity() + self.index.capacity();
        (4 * words + 8 * self.ends.capacity()) as u64
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Writes all rows, in their order.
    pub(super) fn write(&self, pen: &mut Pen<'_>) -> io::Result<()> {
        pen.halves(&self.all)?;
        pen.words(self.ends.len(), self.ends.iter().map(|end| *end as u64))
    }

    /// Reads them again.
    pub(super) fn read(reader: &mut Reader<'_>) -> io::Result<Self> {
        let all = reader.halves()?;
        let mut rows = Rows::default();
        let (mut first, mut number, mut is_right) = (0, 0, true);
        reader.words(|end| {
            let row = usize::try_from(end)
                .ok()
                .and_then(|end| all.get(first..end));
            is_right &= row.is_some_and(|row| rows.number(row) == number);
            (first, number) = (end as usize, number + 1);
        })?;
        is_right.then_some(rows).ok_or_else(damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// With a factor of 0 all hashes are the same: only the keys tell pairs apart.
    #[test]
    fn pairs_are_told_apart_whatever_the_hash() {
        for factor in [FACTOR, 1 << 56, 0] {
            let mut pairs = Pairs::with_factor(factor);
            let mut known = BTreeMap::new();
            for at in 0..3_000u32 {
                let pair = (at % 37, at * 7 % 50);
                let next = known.len() as u32;
                let number = *known.entry(pair).or_insert(next);
                assert_eq!(pairs.number(pair.0, pair.1), number);
                assert_eq!(pairs.get(number), pair);
            }
            assert_eq!(pairs.len(), known.len());
        }
    }

    #[test]
    fn rows_are_told_apart() {
        let mut rows = Rows::default();
        let row = |at: u32| (0..at % 5).map(|place| at * place % 11).collect::<Vec<_>>();
        let numbers: Vec<u32> = (0..500).map(|at| rows.number(&row(at))).collect();
        for (one, number) in (0..).zip(&numbers) {
            assert_eq!(rows.get(*number), row(one));
            assert_eq!(rows.number(&row(one)), *number);
        }
        assert_eq!(rows.number(&[]), 0);
    }

    #[test]
    fn a_memo_knows_what_was_put() {
        let mut memo = Memo::default();
        (0..1_000).for_each(|at| memo.put(at, at + 1, at * 2));
        assert!((0..1_000).all(|at| memo.get(at, at + 1) == Some(at * 2)));
        assert_eq!(memo.get(1, 1), None);
    }
}
