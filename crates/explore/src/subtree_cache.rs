//! Subtree cache (state caching): subtrees of the search that are like one explored before are counted again, not visited again.
//!
//! Statement. Two graphs from which everything goes on alike have equally many executions behind them,
//! with the same ends. [`key`] writes down what everything from a graph on depends on: where each thread
//! is, which messages are unread, and as much of who knows of what as decides about them. A subtree
//! behind a decision whose key is that of one explored to its end is not entered: its executions are
//! counted, and the visitor is told how many of each kind they are.
//!
//! Why sound. What is inserted behind a graph is a function of the key, with one exception: a send may
//! turn round a receive that was there before, and then depends on what came between. So the
//! search notes how far back it has looked for such receives ([`Known::looked_back_to`]); a subtree that
//! looked beyond its own beginning is not kept. Whether a send has to look beyond it at all depends on
//! whether it knows of the last receive of its mailbox, and that is in the key. So whoever meets the
//! same key needs not look back either.
//!
//! Why it pays. Processes forget. Of the n! orders in which a process takes n messages, 2ⁿ sets of
//! messages are left to be taken; if it does not keep the order, that is how many subtrees differ.
//! Programs that remember everything have no two subtrees alike: then looking is given up for a while, and
//! tried again later.
//!
//! *Order*. A subtree is counted only behind the one that is explored, so whatever a visitor found in it
//! comes earlier in the search than what it would find again. *Memory* is bounded: the table is emptied when it
//! is full.
//!
//! NOT COVERED, and explored as if nothing were known: programs that do not say where threads are
//! ([`Program::standing`](crate::Program::standing)), budgets for faults, symmetry, own delivery models,
//! and what `key` refuses to describe.

mod key;

use crate::counters::Tally;
use crate::engine::Counts;
pub(crate) use key::describe;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The most words that all keys have together.
const MOST_WORDS: usize = 4_000_000;

/// After so many looks it is seen whether they pay.
const LOOKS: u32 = 1_024;

/// They do if at least one in so many finds something.
const ONE_IN: u32 = 12;

/// After so many graphs in a row that have no key, as many are not looked at; after so many more, twice as many.
const KEYLESS: u32 = 16;

/// What is behind a decision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subtree {
    /// What the visitor counted.
    pub(crate) counts: Counts,
    /// What the engine counted.
    pub(crate) tally: Tally,
    /// How many events its longest execution has more than the graph had.
    pub(crate) height: usize,
}

/// A decision behind which the search is.
struct Level {
    /// Length of the path.
    depth: usize,
    /// How many events the graph had.
    events: usize,
    /// Where its key begins.
    key: usize,
    /// The counts when it was entered.
    counts: Counts,
    tally: Tally,
    /// The farthest event in the order of insertion that was looked back to.
    looked_back_to: usize,
    /// The most events of an execution behind it.
    longest: usize,
}

/// What is known, and what is being found out.
#[derive(Default)]
pub(crate) struct Known {
    subtrees: HashMap<Box<[u32]>, Subtree, BuildHasherDefault<KeyHasher>>,
    /// How many words the keys of `subtrees` have.
    words: usize,
    levels: Vec<Level>,
    /// The keys of the levels, one after the other.
    keys: Vec<u32>,
    /// Which numbers the keys are made of: see [`Program::epoch`](crate::Program::epoch).
    epoch: u64,
    looks: u32,
    hits: u32,
    /// How many looks in a row had no key.
    keyless: u32,
    /// So many executions are visited before anything is looked at.
    patience: u64,
    /// So many decisions are not looked at.
    rest: u32,
    /// How many were not looked at when it last did not pay.
    last_rest: u32,
    pub(crate) scratch: key::Scratch,
}

/// What came of a look.
pub(crate) enum Looked {
    /// Nothing is known: go on.
    Unknown,
    /// This is behind the decision.
    Subtree(Subtree),
}

impl Known {
    /// Nothing is known yet, and nothing will be looked at before so many executions were visited.
    pub(crate) fn after(executions: u64) -> Self {
        Known {
            patience: executions,
            ..Known::default()
        }
    }

    /// Is this decision to be looked at?
    pub(crate) fn is_awake(&mut self) -> bool {
        if self.patience > 0 {
            return false;
        }
        if self.rest > 0 {
            self.rest -= 1;
            return false;
        }
        if self.looks == LOOKS {
            let pays = self.hits * ONE_IN >= LOOKS;
            (self.looks, self.hits) = (0, 0);
            if !pays {
                self.last_rest = (self.last_rest * 2).clamp(16 * LOOKS, 1 << 24);
                self.rest = self.last_rest;
                return false;
            }
            self.last_rest = 0;
        }
        true
    }

    /// Room for a key, behind those of the levels.
    pub(crate) fn new_key(&mut self, epoch: u64) -> (&mut Vec<u32>, &mut key::Scratch, usize) {
        if self.epoch != epoch {
            self.forget();
            self.spoil(usize::MAX);
            self.epoch = epoch;
        }
        let at = self.keys.len();
        (&mut self.keys, &mut self.scratch, at)
    }

    /// There is no key: a look that found nothing.
    pub(crate) fn no_key(&mut self, at: usize) {
        self.looks += 1;
        self.keys.truncate(at);
        self.keyless += 1;
        if self.keyless.is_multiple_of(KEYLESS) {
            self.rest = KEYLESS << (self.keyless / KEYLESS - 1).min(10);
        }
    }

    /// Looks up the key that begins at `at`, after a decision; if nothing is known, finds out.
    pub(crate) fn look(
        &mut self,
        at: usize,
        depth: usize,
        events: usize,
        (counts, tally): (Counts, Tally),
    ) -> Looked {
        self.looks += 1;
        self.keyless = 0;
        if let Some(&known) = self.subtrees.get(&self.keys[at..]) {
            self.hits += 1;
            self.keys.truncate(at);
            return Looked::Subtree(known);
        }
        self.levels.push(Level {
            depth,
            events,
            key: at,
            counts,
            tally,
            looked_back_to: usize::MAX,
            longest: events,
        });
        Looked::Unknown
    }

    /// An execution has so many events.
    pub(crate) fn ended(&mut self, events: usize) {
        self.patience = self.patience.saturating_sub(1);
        if let Some(level) = self.levels.last_mut() {
            level.longest = level.longest.max(events);
        }
    }

    /// What was done depends on events from this one of the order of insertion on.
    pub(crate) fn looked_back_to(&mut self, position: usize) {
        if let Some(level) = self.levels.last_mut() {
            level.looked_back_to = level.looked_back_to.min(position);
        }
    }

    /// Part of what is behind the decisions before this depth is explored by somebody else.
    pub(crate) fn spoil(&mut self, depth: usize) {
        let around = self.levels.iter_mut().filter(|level| level.depth <= depth);
        around.for_each(|level| level.looked_back_to = 0);
    }

    /// Everything behind the decisions after this depth has been explored.
    pub(crate) fn close(&mut self, depth: usize, epoch: u64, counts: Counts, tally: Tally) {
        while let Some(level) = self.levels.pop_if(|level| level.depth > depth) {
            if let Some(outer) = self.levels.last_mut() {
                outer.looked_back_to = outer.looked_back_to.min(level.looked_back_to);
                outer.longest = outer.longest.max(level.longest);
            }
            let tally = tally - level.tally;
            let is_whole = level.looked_back_to >= level.events && tally.too_long == 0;
            if is_whole && epoch == self.epoch {
                let mut more = counts;
                let both = more.iter_mut().zip(level.counts);
                both.for_each(|(now, before)| *now -= before);
                let subtree = Subtree {
                    counts: more,
                    tally,
                    height: level.longest - level.events,
                };
                self.keep(level.key, subtree);
            }
            self.keys.truncate(level.key);
        }
    }

    fn keep(&mut self, at: usize, subtree: Subtree) {
        let key = &self.keys[at..];
        if self.words + key.len() > MOST_WORDS {
            self.forget();
        }
        let key: Box<[u32]> = self.keys[at..].into();
        self.words += key.len();
        self.subtrees.insert(key, subtree);
    }

    fn forget(&mut self) {
        self.subtrees.clear();
        self.words = 0;
    }
}

/// Mixes the words of a key; keys are compared after that, so nothing depends on it but time.
#[derive(Default)]
struct KeyHasher(u64);

impl KeyHasher {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words
            .iter()
            .for_each(|word| self.mix(u64::from_le_bytes(*word)));
        let rest = rest.iter().fold(0, |all, &byte| all << 8 | u64::from(byte));
        self.mix(rest);
    }

    fn finish(&self) -> u64 {
        // The table looks at the highest bits and at the lowest.
        self.0 ^ self.0 >> 32
    }
}
