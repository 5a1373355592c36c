//! Live threads: those that have not terminated, as bits.
//!
//! A thread *runs* from its spawn until it has ended, given up or failed, or waits for ever because
//! what it could have read is lost. Most threads of most executions are done; whoever looks for one
//! that can go on need not look at those.
//!
//! Bit `i` stands for the `i`-th thread in the order of keys, so that the first bit from a place on is
//! the first thread in that order.

use crate::event::{EventId, Kind, Read, Tid};
use crate::graph::Graph;
use crate::program::Program;

/// Ranks of threads that run.
#[derive(Clone, Debug, Default)]
pub(crate) struct LiveThreads {
    words: Vec<u64>,
    /// How many threads are done but have not ended.
    quitters: usize,
}

impl LiveThreads {
    #[inline]
    fn set(&mut self, rank: usize, runs: bool) {
        let (word, bit) = (rank / 64, 1 << (rank % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        match runs {
            true => self.words[word] |= bit,
            false => self.words[word] &= !bit,
        }
    }

    /// The first from a rank on.
    #[inline]
    pub(crate) fn first_from(&self, rank: usize) -> Option<usize> {
        let mut word = rank / 64;
        let mut bits = self.words.get(word)? & (u64::MAX << (rank % 64));
        while bits == 0 {
            word += 1;
            bits = *self.words.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }
}

impl<P: Program> Graph<P> {
    /// A thread is done, though it has not ended.
    pub(crate) fn quit(&mut self, thread: Tid) {
        self.set_running(thread, false);
        self.running.quitters += 1;
    }

    /// Undoes [`Graph::quit`].
    pub(crate) fn unquit(&mut self, thread: Tid) {
        self.set_running(thread, true);
        self.running.quitters -= 1;
    }

    /// Looks at all threads again.
    pub(crate) fn recount_running(&mut self) {
        self.running.quitters = 0;
        for thread in 0..self.threads() as Tid {
            let quits = self.last(thread).is_some_and(|last| self.quits(last));
            let runs = self.exists(thread) && !quits && !self.has_ended(thread);
            self.running.quitters += usize::from(quits);
            self.set_running(thread, runs);
        }
    }

    /// Has some thread that may not wait for ever not ended?
    pub(crate) fn someone_waits(&self) -> bool {
        let waits = |&thread: &Tid| !self.is_daemon(thread) && !self.has_ended(thread);
        match self.running.quitters {
            0 => self.running_threads().any(|thread| waits(&thread)),
            _ => self
                .by_key()
                .iter()
                .any(|thread| self.exists(*thread) && waits(thread)),
        }
    }

    /// The threads that are not done yet, in the order of keys.
    fn running_threads(&self) -> impl Iterator<Item = Tid> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let rank = self.running.first_from(from)?;
            from = rank + 1;
            Some(self.by_key()[rank])
        })
    }

    /// Is the thread done after this event, though it has not ended?
    #[inline]
    fn quits(&self, id: EventId) -> bool {
        let event = self.event(id);
        match event.kind {
            Kind::Block | Kind::Fail => true,
            Kind::Receive { .. } => event.read == Read::Lost,
            _ => false,
        }
    }

    #[inline]
    pub(crate) fn set_running(&mut self, thread: Tid, runs: bool) {
        let rank = self.rank(thread);
        self.running.set(rank, runs);
    }

    fn last(&self, thread: Tid) -> Option<EventId> {
        let index = self.live(thread).checked_sub(1)? as u32;
        Some(EventId { thread, index })
    }

    /// Is the thread at its end?
    pub(crate) fn has_ended(&self, thread: Tid) -> bool {
        let last = self.last(thread);
        last.is_some_and(|last| matches!(self.event(last).kind, Kind::End))
    }

    /// Does the thread exist, and is it not done yet?
    #[inline]
    pub(crate) fn is_running(&self, thread: Tid) -> bool {
        let rank = self.rank(thread);
        self.running.first_from(rank) == Some(rank)
    }
}
