//! Every state once, in the order in which it was found.
//!
//! States lie one after the other in large chunks, which never move; a table of numbers with open
//! addressing finds them again. Two states are the same when all their words are: hashes only say where
//! to look, so a collision costs time and loses nothing. Beside each state is the number of the state it
//! was found from, which is all that a counterexample needs.

/// Words in a chunk, at least.
const CHUNK_WORDS: usize = 1 << 16;
/// The least size of the table.
const LEAST_TABLE: usize = 1 << 10;
/// The most states: their numbers are 32 bits wide.
pub(crate) const MOST_STATES: u64 = u32::MAX as u64 - 1;

/// The states found so far.
#[derive(Debug)]
pub(crate) struct Store {
    words: usize,
    /// How many states a chunk holds: a power of two.
    per_chunk: usize,
    chunks: Vec<Vec<u64>>,
    parents: Vec<u32>,
    /// Numbers of states from 1; 0 is free.
    table: Vec<u32>,
    /// How far a hash is shifted down to be a place in the table.
    shift: u32,
}

/// The state that none was found from.
const NOBODY: u32 = u32::MAX;

impl Store {
    /// For states of this many words.
    pub(crate) fn new(words: usize) -> Self {
        let per_chunk = (CHUNK_WORDS / words.max(1)).max(1).next_power_of_two();
        Store {
            words,
            per_chunk,
            chunks: Vec::new(),
            parents: Vec::new(),
            table: vec![0; LEAST_TABLE],
            shift: 64 - LEAST_TABLE.trailing_zeros(),
        }
    }

    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.parents.len()
    }

    /// How many words each has.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The words of a state.
    pub(crate) fn state(&self, at: usize) -> &[u64] {
        let first = at % self.per_chunk * self.words;
        &self.chunks[at / self.per_chunk][first..first + self.words]
    }

    /// The state that this one was found from; none for one at the start.
    pub(crate) fn parent(&self, at: usize) -> Option<usize> {
        Some(self.parents[at])
            .filter(|parent| *parent != NOBODY)
            .map(|parent| parent as usize)
    }

    /// The number of a state, if it is known.
    pub(crate) fn find(&self, state: &[u64]) -> Option<usize> {
        self.look(state).ok()
    }

    /// Adds a state; gives its number, and whether it is new.
    pub(crate) fn add(&mut self, state: &[u64], parent: Option<usize>) -> (usize, bool) {
        let free = match self.look(state) {
            Ok(known) => return (known, false),
            Err(free) => free,
        };
        let at = self.push(state, parent);
        self.table[free] = at as u32 + 1;
        if self.len() * 4 > self.table.len() * 3 {
            self.grow();
        }
        (at, true)
    }

    /// The same states, each packed anew by `pack`.
    pub(crate) fn repacked(self, words: usize, mut pack: impl FnMut(&[u64], &mut [u64])) -> Store {
        let mut store = Store::new(words);
        let mut packed = vec![0; words];
        for at in 0..self.len() {
            packed.fill(0);
            pack(self.state(at), &mut packed);
            let (number, is_new) = store.add(&packed, self.parent(at));
            assert!(is_new && number == at, "states stay different when packed");
        }
        store
    }

    /// The number of a state, or the place in the table where it belongs.
    fn look(&self, state: &[u64]) -> Result<usize, usize> {
        let mut place = (hash(state) >> self.shift) as usize;
        loop {
            match self.table[place] {
                0 => return Err(place),
                number if self.state(number as usize - 1) == state => {
                    return Ok(number as usize - 1);
                }
                _ => place = (place + 1) & (self.table.len() - 1),
            }
        }
    }

    fn push(&mut self, state: &[u64], parent: Option<usize>) -> usize {
        let at = self.parents.len();
        if at.is_multiple_of(self.per_chunk) {
            self.chunks
                .push(Vec::with_capacity(self.per_chunk * self.words));
        }
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.extend_from_slice(state);
        }
        self.parents
            .push(parent.map_or(NOBODY, |parent| parent as u32));
        at
    }

    fn grow(&mut self) {
        self.shift -= 1;
        self.table = vec![0; self.table.len() * 2];
        for at in 0..self.len() {
            let mut place = (hash(self.state(at)) >> self.shift) as usize;
            while self.table[place] != 0 {
                place = (place + 1) & (self.table.len() - 1);
            }
            self.table[place] = at as u32 + 1;
        }
    }
}

/// Spreads the words over 64 bits; the highest are the best.
fn hash(words: &[u64]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = 0u64;
    for word in words {
        hash = (hash ^ word).wrapping_mul(FACTOR);
        hash ^= hash >> 32;
    }
    hash.wrapping_mul(FACTOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_is_kept_once_with_its_first_parent() {
        let mut store = Store::new(2);
        let state = |at: u64| [at * 7 % 5_003, at % 11];
        let mut known = std::collections::BTreeMap::new();
        for at in 0..100_000u64 {
            let parent = at.checked_sub(1).map(|_| known.len() - 1);
            let (number, is_new) = store.add(&state(at), parent);
            let next = known.len();
            assert_eq!(*known.entry(state(at)).or_insert(next), number);
            assert_eq!(is_new, number == next && known.len() == next + 1);
        }
        assert_eq!(store.len(), known.len());
        assert!(known.iter().all(|(state, at)| store.state(*at) == state));
        assert_eq!(store.parent(0), None);
        assert_eq!(store.parent(17), Some(16));
    }

    #[test]
    fn states_without_words_are_one_state() {
        let mut store = Store::new(0);
        assert_eq!(store.add(&[], None), (0, true));
        assert_eq!(store.add(&[], Some(0)), (0, false));
    }

    #[test]
    fn packing_anew_keeps_numbers_and_parents() {
        let mut store = Store::new(1);
        for at in 0..5_000u64 {
            store.add(&[at], at.checked_sub(1).map(|before| before as usize));
        }
        let store = store.repacked(2, |old, new| {
            new.copy_from_slice(&[old[0] & 7, old[0] >> 3]);
        });
        assert_eq!(store.find(&[3, 600]), Some(4_803));
        assert_eq!(store.parent(4_803), Some(4_802));
    }
}
