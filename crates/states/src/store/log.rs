//! The states in the order in which they were found, and which each was found from.
//!
//! What was looked at is needed again only to tell how a state was reached. Where that is not *kept*, it is
//! thrown away chunk by chunk.

use std::collections::VecDeque;

/// How many states a chunk has.
const CHUNK: usize = 1 << 12;

/// The state that none was found from.
const NOBODY: u32 = u32::MAX;

/// That order.
#[derive(Debug)]
pub(crate) struct Log {
    words: usize,
    len: usize,
    chunks: VecDeque<Vec<u64>>,
    /// How many chunks were thrown away.
    gone: usize,
    /// The state that each was found from, as long as that is kept.
    parents: Option<Vec<u32>>,
}

impl Log {
    /// For states of this many words.
    pub(crate) fn new(words: usize) -> Self {
        Log {
            words,
            len: 0,
            chunks: VecDeque::new(),
            gone: 0,
            parents: Some(Vec::new()),
        }
    }

    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Is it known how each was reached?
    pub(crate) fn keeps_ways(&self) -> bool {
        self.parents.is_some()
    }

    /// From now on it is not, and what comes before `at` is thrown away.
    pub(crate) fn forget_before(&mut self, at: usize) {
        self.parents = None;
        while (self.gone + 1) * CHUNK <= at {
            self.chunks.pop_front();
            self.gone += 1;
        }
    }

    /// Adds a state.
    pub(crate) fn push(&mut self, state: &[u64], parent: Option<usize>) {
        if self.len.is_multiple_of(CHUNK) {
            self.chunks
                .push_back(Vec::with_capacity(first_room(self.len) * self.words));
        }
        let last = self.chunks.back_mut().expect("there is room");
        last.extend_from_slice(state);
        if let Some(parents) = &mut self.parents {
            parents.push(parent.map_or(NOBODY, |parent| parent as u32));
        }
        self.len += 1;
    }

    /// The words of a state.
    pub(crate) fn state(&self, at: usize) -> &[u64] {
        let first = at % CHUNK * self.words;
        &self.chunks[at / CHUNK - self.gone][first..first + self.words]
    }

    /// The state that this one was found from; none for one at the start.
    pub(crate) fn parent(&self, at: usize) -> Option<usize> {
        let parents = self.parents.as_ref().expect("ways are kept");
        Some(parents[at])
            .filter(|parent| *parent != NOBODY)
            .map(|parent| parent as usize)
    }

    /// The same with states of another number of words, each packed anew.
    pub(crate) fn repacked(self, words: usize, mut pack: impl FnMut(&[u64]) -> Vec<u64>) -> Log {
        let chunk = |old: &Vec<u64>| old.chunks_exact(self.words).flat_map(&mut pack).collect();
        Log {
            words,
            chunks: self.chunks.iter().map(chunk).collect(),
            ..self
        }
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> u64 {
        let chunks: usize = self.chunks.iter().map(Vec::capacity).sum();
        let parents = self.parents.as_ref().map_or(0, Vec::capacity);
        (8 * chunks + 4 * parents) as u64
    }
}

/// Room for how many states a chunk has at first: few searches are so large that they fill one.
fn first_room(len: usize) -> usize {
    if len == 0 { 64 } else { CHUNK }
}
