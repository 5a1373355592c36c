//! Every state once, in the order in which it was found.
//!
//! The words of the states lie in one table with open addressing, so finding out whether a state is known
//! touches one place in memory, mostly. Two states are the same when all their words are: hashes only
//! say where to look, so a collision costs time and loses nothing. Beside the table are, for each state by
//! number, its place and the state it was found from, which is all that a counterexample needs.
//!
//! A place is free when its first word is zero, which is that of no state: see [`crate::coding`].

/// The least number of places.
const LEAST_PLACES: usize = 1 << 10;
/// The most states: their numbers are 32 bits wide.
pub(crate) const MOST_STATES: u64 = 1 << 31;

/// The states found so far.
#[derive(Debug)]
pub(crate) struct Store {
    words: usize,
    /// Some words for each place.
    table: Vec<u64>,
    /// How many places there are: a power of two.
    places: usize,
    /// How far a hash is shifted down to be a place.
    shift: u32,
    /// The place of each state.
    order: Vec<u32>,
    parents: Vec<u32>,
    /// The number of the state in each place, where numbers of known states are wanted.
    numbers: Option<Vec<u32>>,
}

/// The state that none was found from.
const NOBODY: u32 = u32::MAX;

impl Store {
    /// For states of this many words. Only a store `with_numbers` tells the numbers of known states.
    pub(crate) fn new(words: usize, with_numbers: bool) -> Self {
        Store {
            words,
            table: vec![0; LEAST_PLACES * words],
            places: LEAST_PLACES,
            shift: 64 - LEAST_PLACES.trailing_zeros(),
            order: Vec::new(),
            parents: Vec::new(),
            numbers: with_numbers.then(|| vec![0; LEAST_PLACES]),
        }
    }

    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// How many words each has.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The words of a state.
    pub(crate) fn state(&self, at: usize) -> &[u64] {
        self.place(self.order[at] as usize)
    }

    /// The state that this one was found from; none for one at the start.
    pub(crate) fn parent(&self, at: usize) -> Option<usize> {
        Some(self.parents[at])
            .filter(|parent| *parent != NOBODY)
            .map(|parent| parent as usize)
    }

    /// Is a state known?
    pub(crate) fn knows(&self, state: &[u64]) -> bool {
        self.look(state).is_ok()
    }

    /// The number of a known state, in a store that tells.
    pub(crate) fn number(&self, state: &[u64]) -> Option<usize> {
        let place = self.look(state).ok()?;
        Some(self.numbers.as_ref()?[place] as usize)
    }

    /// For each of the states, which lie one after the other, whether it is known at first sight, or the
    /// known state `base`.
    ///
    /// Memory is slow, but fetches from many places at once; this asks for all of them before anything
    /// depends on one.
    pub(crate) fn known_at_first_sight(&self, states: &[u64], base: &[u64], known: &mut Vec<bool>) {
        known.clear();
        let is_known =
            |state: &[u64]| same(state, base) || same(self.place(self.first_place(state)), state);
        known.extend(states.chunks_exact(self.words).map(is_known));
    }

    /// Adds a state; says whether it is new.
    pub(crate) fn add(&mut self, state: &[u64], parent: Option<usize>) -> bool {
        assert!(state[0] != 0, "the first word of a state is not zero");
        let Err(free) = self.look(state) else {
            return false;
        };
        let number = self.order.len() as u32;
        self.put(free, state, number);
        self.order.push(free as u32);
        self.parents
            .push(parent.map_or(NOBODY, |parent| parent as u32));
        if self.order.len() * 4 > self.places * 3 {
            self.grow();
        }
        true
    }

    /// The same states, each packed anew by `pack`.
    pub(crate) fn repacked(self, words: usize, mut pack: impl FnMut(&[u64], &mut [u64])) -> Store {
        let mut store = Store::new(words, self.numbers.is_some());
        let mut packed = vec![0; words];
        for at in 0..self.len() {
            packed.fill(0);
            pack(self.state(at), &mut packed);
            let is_new = store.add(&packed, self.parent(at));
            assert!(is_new, "states stay different when packed");
        }
        store
    }

    fn place(&self, place: usize) -> &[u64] {
        &self.table[place * self.words..(place + 1) * self.words]
    }

    fn first_place(&self, state: &[u64]) -> usize {
        (hash(state) >> self.shift) as usize
    }

    /// The place of a state, or the free one where it belongs.
    fn look(&self, state: &[u64]) -> Result<usize, usize> {
        let mut place = self.first_place(state);
        loop {
            let there = self.place(place);
            if same(there, state) {
                return Ok(place);
            }
            if there[0] == 0 {
                return Err(place);
            }
            place = (place + 1) & (self.places - 1);
        }
    }

    fn put(&mut self, place: usize, state: &[u64], number: u32) {
        self.table[place * self.words..(place + 1) * self.words].copy_from_slice(state);
        if let Some(numbers) = &mut self.numbers {
            numbers[place] = number;
        }
    }

    fn grow(&mut self) {
        self.shift -= 1;
        self.places *= 2;
        let old = std::mem::replace(&mut self.table, vec![0; self.places * self.words]);
        if let Some(numbers) = &mut self.numbers {
            *numbers = vec![0; self.places];
        }
        for number in 0..self.order.len() {
            let before = self.order[number] as usize * self.words;
            let state = &old[before..before + self.words];
            let mut place = self.first_place(state);
            while self.table[place * self.words] != 0 {
                place = (place + 1) & (self.places - 1);
            }
            self.put(place, state, number as u32);
            self.order[number] = place as u32;
        }
    }
}

/// Are all words the same? Most states have one or two.
fn same(a: &[u64], b: &[u64]) -> bool {
    match (a, b) {
        ([a], [b]) => a == b,
        ([a, c], [b, d]) => a == b && c == d,
        _ => a == b,
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
        let mut store = Store::new(2, true);
        let state = |at: u64| [1 + at * 7 % 5_003, at % 11];
        let mut known = std::collections::BTreeMap::new();
        for at in 0..100_000u64 {
            let parent = at.checked_sub(1).map(|_| known.len() - 1);
            let is_new = store.add(&state(at), parent);
            let next = known.len();
            let number = *known.entry(state(at)).or_insert(next);
            assert_eq!(is_new, known.len() > next);
            assert_eq!(store.number(&state(at)), Some(number));
        }
        assert_eq!(store.len(), known.len());
        assert!(known.iter().all(|(state, at)| store.state(*at) == state));
        assert_eq!(store.parent(0), None);
        assert_eq!(store.parent(17), Some(16));
        assert!(!store.knows(&[1, 11]));
    }

    #[test]
    fn what_is_known_at_first_sight_is_known() {
        let mut store = Store::new(1, false);
        (1..3_000u64).for_each(|at| assert!(store.add(&[at * 3], None)));
        let asked: Vec<u64> = (1..9_000).collect();
        let mut known = Vec::new();
        store.known_at_first_sight(&asked, &[2], &mut known);
        let right = asked.iter().zip(&known).filter(|(_, known)| **known);
        assert!(
            right
                .clone()
                .all(|(state, _)| *state == 2 || store.knows(&[*state]))
        );
        assert!(right.count() > 1_000);
    }

    #[test]
    fn packing_anew_keeps_numbers_and_parents() {
        let mut store = Store::new(1, true);
        for at in 0..5_000u64 {
            store.add(&[at + 1], at.checked_sub(1).map(|before| before as usize));
        }
        let store = store.repacked(2, |old, new| {
            new.copy_from_slice(&[1, old[0] - 1]);
        });
        assert_eq!(store.number(&[1, 4_803]), Some(4_803));
        assert_eq!(store.parent(4_803), Some(4_802));
    }
}
