//! Every state once, in the order in which it was found.
//!
//! A set says which states are known (`narrow`: in 32 bits each, `wide`: whole; both exact), and a log has
//! them in order (`log`): those that wait to be looked at, and as long as it is kept, which state each was
//! found from. That is all that a counterexample needs.
//!
//! Adding many states at once gives the same numbers as adding one after the other: what is new is numbered
//! in the order of the states given, whoever found out that it is.

mod log;
mod narrow;
mod wide;

use log::Log;
use narrow::Narrow;
use wide::Wide;

/// The most states: their numbers are 32 bits wide.
pub(crate) const MOST_STATES: u64 = 1 << 31;

/// The states found so far.
#[derive(Debug)]
pub(crate) struct Store {
    words: usize,
    set: Set,
    log: Log,
    with_numbers: bool,
}

/// Which states are known.
#[derive(Debug)]
enum Set {
    Narrow(Narrow),
    Wide(Wide),
}

impl Store {
    /// For states of so many words, of which the first has this many bits in use. Only a store `with_numbers`
    /// tells the numbers of known states.
    pub(crate) fn new((words, bits): (usize, u32), with_numbers: bool) -> Self {
        Store {
            words,
            set: match is_narrow((words, bits)) {
                true => Set::Narrow(Narrow::new()),
                false => Set::Wide(Wide::new(words)),
            },
            log: Log::new(words),
            with_numbers,
        }
    }

    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.log.len()
    }

    /// How many words each has.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// Can it keep states of this form?
    pub(crate) fn fits(&self, form: (usize, u32)) -> bool {
        form.0 == self.words && (matches!(self.set, Set::Wide(_)) || is_narrow(form))
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> u64 {
        let set = match &self.set {
            Set::Narrow(set) => set.bytes(),
            Set::Wide(set) => set.bytes(),
        };
        set + self.log.bytes()
    }

    /// The words of a state that waits, or of any if ways are kept.
    pub(crate) fn state(&self, at: usize) -> &[u64] {
        self.log.state(at)
    }

    /// The state that this one was found from; none for one at the start. Ways are kept.
    pub(crate) fn parent(&self, at: usize) -> Option<usize> {
        self.log.parent(at)
    }

    /// Is it known how each state was reached?
    pub(crate) fn keeps_ways(&self) -> bool {
        self.log.keeps_ways()
    }

    /// From now on it is not, and states before `at` are no longer told.
    pub(crate) fn forget_before(&mut self, at: usize) {
        self.log.forget_before(at);
    }

    /// Is a state known?
    pub(crate) fn knows(&self, state: &[u64]) -> bool {
        match &self.set {
            Set::Narrow(set) => set.find(Narrow::key(state[0])).is_some(),
            Set::Wide(set) => set.find(state, Wide::key(state)).is_some(),
        }
    }

    /// The number of a known state, in a store that tells.
    pub(crate) fn number(&self, state: &[u64]) -> Option<usize> {
        match &self.set {
            _ if !self.with_numbers => None,
            Set::Narrow(set) => Some(set.number(set.find(Narrow::key(state[0]))?)),
            Set::Wide(set) => Some(set.number(set.find(state, Wide::key(state))?)),
        }
    }

    /// For each of the states, which lie one after the other, whether it is known at first sight, or the
    /// known state `base`.
    ///
    /// Memory is slow, but fetches from many places at once; this asks for all of them before anything
    /// depends on one.
    pub(crate) fn known_at_first_sight(&self, states: &[u64], base: &[u64], known: &mut Vec<bool>) {
        known.clear();
        match &self.set {
            Set::Narrow(set) => known.extend(
                states
                    .iter()
                    .map(|state| *state == base[0] || set.is_at_first_sight(Narrow::key(*state))),
            ),
            Set::Wide(set) => known.extend(states.chunks_exact(self.words).map(|state| {
                wide::same(state, base) || set.is_at_first_sight(state, Wide::key(state))
            })),
        }
    }

    /// Adds a state; says whether it is new.
    pub(crate) fn add(&mut self, state: &[u64], parent: Option<usize>) -> bool {
        assert!(state[0] != 0, "the first word of a state is not zero");
        let number = self.with_numbers.then(|| self.log.len() as u32);
        let is_new = self.set.add(state, number);
        if is_new {
            self.log.push(state, parent);
        }
        is_new
    }

    /// Which of the states, which lie one after the other, are new, ascending; they are added to the set by
    /// this many workers, and are to be entered by [`Store::enter`].
    pub(crate) fn new_among(&mut self, states: &[u64], jobs: usize) -> Vec<u32> {
        assert!(!self.with_numbers, "numbers are known one after the other");
        let mut all = match &mut self.set {
            Set::Narrow(set) => new_in_narrow(set, states, jobs),
            Set::Wide(set) => new_in_wide(set, states, self.words, jobs),
        };
        all.sort_unstable();
        all
    }

    /// Enters a state that is in the set.
    pub(crate) fn enter(&mut self, state: &[u64], parent: usize) {
        self.log.push(state, Some(parent));
    }

    /// The same states, each packed anew by `pack`.
    pub(crate) fn repacked(self, form: (usize, u32), pack: impl Fn(&[u64]) -> Vec<u64>) -> Store {
        let mut store = Store::new(form, self.with_numbers);
        let mut put = |state: &[u64], number: Option<u32>| {
            assert!(state[0] != 0, "the first word of a state is not zero");
            assert!(
                store.set.add(state, number),
                "states stay different when packed"
            );
        };
        match &self.set {
            Set::Narrow(set) => set.each(|state, number| put(&pack(&[state]), number)),
            Set::Wide(set) => set.each(|state, number| put(&pack(state), number)),
        }
        store.log = self.log.repacked(form.0, pack);
        store
    }
}

impl Set {
    fn add(&mut self, state: &[u64], number: Option<u32>) -> bool {
        match self {
            Set::Narrow(set) => set.add(Narrow::key(state[0]), number),
            Set::Wide(set) => set.add(state, Wide::key(state), number),
        }
    }
}

fn is_narrow((words, bits): (usize, u32)) -> bool {
    words == 1 && bits <= narrow::BITS
}

/// Each worker adds what belongs to its shards.
fn new_in_narrow(set: &mut Narrow, states: &[u64], jobs: usize) -> Vec<u32> {
    let keys: Vec<(usize, u32)> = states.iter().map(|state| Narrow::key(*state)).collect();
    let shards = set.shards();
    let share = shards.len().div_ceil(jobs);
    let add = |mine: &mut [narrow::Shard], first: usize| {
        let mut new = Vec::new();
        for (at, (shard, kept)) in keys.iter().enumerate() {
            if (first..first + mine.len()).contains(shard) && mine[shard - first].add(*kept, None) {
                new.push(at as u32);
            }
        }
        new
    };
    shared(shards, share, &add)
}

fn new_in_wide(set: &mut Wide, states: &[u64], words: usize, jobs: usize) -> Vec<u32> {
    let keys: Vec<(usize, u64)> = states.chunks_exact(words).map(Wide::key).collect();
    let shards = set.shards();
    let share = shards.len().div_ceil(jobs);
    let add = |mine: &mut [wide::Shard], first: usize| {
        let mut new = Vec::new();
        for (at, (shard, hash)) in keys.iter().enumerate() {
            if (first..first + mine.len()).contains(shard)
                && mine[shard - first].add(&states[at * words..(at + 1) * words], *hash, None)
            {
                new.push(at as u32);
            }
        }
        new
    };
    shared(shards, share, &add)
}

/// One worker for each share of the shards.
fn shared<S: Send>(
    shards: &mut [S],
    share: usize,
    add: &(dyn Fn(&mut [S], usize) -> Vec<u32> + Sync),
) -> Vec<u32> {
    std::thread::scope(|scope| {
        let workers: Vec<_> = shards
            .chunks_mut(share)
            .enumerate()
            .map(|(at, mine)| scope.spawn(move || add(mine, at * share)))
            .collect();
        let found = workers.into_iter();
        found
            .flat_map(|worker| worker.join().expect("adding states does not fail"))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_is_kept_once_with_its_first_parent() {
        let mut store = Store::new((2, 64), true);
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
        for bits in [40, 64] {
            let mut store = Store::new((1, bits), false);
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
    }

    #[test]
    fn many_states_at_once_are_numbered_as_one_after_the_other() {
        for (words, bits) in [(1, 40), (1, 64), (2, 64)] {
            let states: Vec<u64> = (0..40_000u64)
                .map(|at| 1 + at.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 9_973)
                .collect();
            let mut one = Store::new((words, bits), false);
            states.chunks_exact(words).for_each(|state| {
                one.add(state, Some(0));
            });
            let mut many = Store::new((words, bits), false);
            for part in states.chunks(7_000) {
                for at in many.new_among(part, 3) {
                    let first = at as usize * words;
                    many.enter(&part[first..first + words], 0);
                }
            }
            assert_eq!(one.len(), many.len());
            assert!((0..one.len()).all(|at| one.state(at) == many.state(at)));
        }
    }

    #[test]
    fn packing_anew_keeps_numbers_and_parents() {
        let mut store = Store::new((1, 40), true);
        for at in 0..5_000u64 {
            store.add(&[at + 1], at.checked_sub(1).map(|before| before as usize));
        }
        let store = store.repacked((2, 64), |old| vec![1, old[0] - 1]);
        assert_eq!(store.number(&[1, 4_803]), Some(4_803));
        assert_eq!(store.parent(4_803), Some(4_802));
    }

    #[test]
    fn what_is_forgotten_is_still_known() {
        let mut store = Store::new((1, 40), false);
        (1..20_001u64).for_each(|at| assert!(store.add(&[at], None)));
        let before = store.bytes();
        store.forget_before(15_000);
        assert!(!store.keeps_ways());
        assert!(store.bytes() < before);
        assert_eq!(store.state(15_000), [15_001]);
        assert!(store.knows(&[1]) && !store.add(&[1], None));
    }
}
