//! States of any number of words, kept whole.
//!
//! Two states are the same when all their words are: hashes only say where to look, so a collision
//! costs time and loses nothing. A place is free when its first word is zero, which is that of no state:
//! see [`crate::coding`]. Shards grow one by one: there are never two copies of the whole.

/// How many bits of a hash say which shard.
const SHARD_BITS: u32 = 8;

/// A set of such states.
#[derive(Debug)]
pub(crate) struct Wide {
    words: usize,
    shards: Vec<Shard>,
}

/// One part of them.
#[derive(Debug, Default)]
pub(crate) struct Shard {
    /// Some words for each place.
    table: Vec<u64>,
    /// How many places there are.
    places: usize,
    /// The number of the state in each place, where it is wanted.
    numbers: Vec<u32>,
    used: usize,
}

impl Wide {
    /// For states of this many words.
    pub(crate) fn new(words: usize) -> Self {
        Wide {
            words,
            shards: (0..1 << SHARD_BITS).map(|_| Shard::default()).collect(),
        }
    }

    /// The shard of a state, and its hash.
    #[inline]
    pub(crate) fn key(state: &[u64]) -> (usize, u64) {
        let hash = hash(state);
        ((hash >> (64 - SHARD_BITS)) as usize, hash << SHARD_BITS)
    }

    /// Is it in the place where one looks first?
    #[inline]
    pub(crate) fn is_at_first_sight(&self, state: &[u64], (shard, hash): (usize, u64)) -> bool {
        let shard = &self.shards[shard];
        shard.places != 0 && same(shard.at(first(hash, shard.places), self.words), state)
    }

    pub(crate) fn find(
        &self,
        state: &[u64],
        (shard, hash): (usize, u64),
    ) -> Option<(usize, usize)> {
        let found = self.shards[shard].find(state, hash)?;
        Some((shard, found))
    }

    /// The number of the state in a place, where it was given one.
    pub(crate) fn number(&self, (shard, place): (usize, usize)) -> usize {
        self.shards[shard].numbers[place] as usize
    }

    /// Adds it; says whether it is new.
    pub(crate) fn add(&mut self, state: &[u64], key: (usize, u64), number: Option<u32>) -> bool {
        self.shards[key.0].add(state, key.1, number)
    }

    /// Every state, in no particular order, and its number where it was given one.
    pub(crate) fn each(&self, mut see: impl FnMut(&[u64], Option<u32>)) {
        for shard in &self.shards {
            for (place, state) in shard.table.chunks_exact(self.words).enumerate() {
                if state[0] != 0 {
                    see(state, shard.numbers.get(place).copied());
                }
            }
        }
    }

    /// The shards, to be shared by workers.
    pub(crate) fn shards(&mut self) -> &mut [Shard] {
        &mut self.shards
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes =
            |shard: &Shard| (8 * shard.table.capacity() + 4 * shard.numbers.capacity()) as u64;
        let headers = self.shards.len() * size_of::<Shard>();
        headers as u64 + self.shards.iter().map(bytes).sum::<u64>()
    }
}

impl Shard {
    fn at(&self, place: usize, words: usize) -> &[u64] {
        &self.table[place * words..(place + 1) * words]
    }

    fn find(&self, state: &[u64], hash: u64) -> Option<usize> {
        if self.places == 0 {
            return None;
        }
        self.probe(state, hash).ok()
    }

    /// The place of a state, or the free one where it belongs.
    fn probe(&self, state: &[u64], hash: u64) -> Result<usize, usize> {
        let mut place = first(hash, self.places);
        loop {
            let there = self.at(place, state.len());
            if same(there, state) {
                return Ok(place);
            }
            if there[0] == 0 {
                return Err(place);
            }
            place += 1;
            if place == self.places {
                place = 0;
            }
        }
    }

    /// Adds a state; says whether it is new.
    pub(crate) fn add(&mut self, state: &[u64], hash: u64, number: Option<u32>) -> bool {
        if self.used * 5 >= self.places * 4 {
            self.grow(state.len(), number.is_some());
        }
        let Err(free) = self.probe(state, hash) else {
            return false;
        };
        self.put(free, state, number);
        self.used += 1;
        true
    }

    fn put(&mut self, place: usize, state: &[u64], number: Option<u32>) {
        let words = state.len();
        self.table[place * words..(place + 1) * words].copy_from_slice(state);
        if let Some(number) = number {
            self.numbers[place] = number;
        }
    }

    fn grow(&mut self, words: usize, with_numbers: bool) {
        self.places = (self.places + self.places / 2).max(8);
        let table = std::mem::replace(&mut self.table, vec![0; self.places * words]);
        let numbered = if with_numbers { self.places } else { 0 };
        let numbers = std::mem::replace(&mut self.numbers, vec![0; numbered]);
        for (before, state) in table.chunks_exact(words).enumerate() {
            if state[0] != 0 {
                let free = self.probe(state, Wide::key(state).1);
                let free = free.expect_err("every state was there once");
                self.put(free, state, with_numbers.then(|| numbers[before]));
            }
        }
    }
}

/// Where to look first among some places: the highest bits of a hash are the best.
#[inline]
fn first(hash: u64, places: usize) -> usize {
    (((hash >> 32) * places as u64) >> 32) as usize
}

/// Are all words the same? Most states have one or two.
#[inline]
pub(crate) fn same(a: &[u64], b: &[u64]) -> bool {
    match (a, b) {
        ([a], [b]) => a == b,
        ([a, c], [b, d]) => a == b && c == d,
        _ => a == b,
    }
}

/// Spreads the words over 64 bits; the highest are the best.
#[inline]
fn hash(words: &[u64]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = 0u64;
    for word in words {
        hash = (hash ^ word).wrapping_mul(FACTOR);
        hash ^= hash >> 32;
    }
    hash.wrapping_mul(FACTOR)
}
