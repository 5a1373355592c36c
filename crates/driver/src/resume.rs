//! Explorations that stop and go on later.
//!
//! A *ledger* has one entry for each instance whose executions were visited: what was found so far, and
//! what is left, as places of the search tree. What was seen and what is left partition the executions,
//! so the sums of runs in slices are those of one run.
//!
//! A run that goes on does everything again that the first one did, with the same arguments, and asks the
//! ledger before it visits executions: an entry of which nothing is left is the answer, and of the others
//! only what is left is visited. So there is one way through the engine, whether a run goes on or not.
//!
//! That is right only if the songs, the arguments and the tool are the same as before: the file
//! ([`file`]) names them, and a run that finds others is refused.
//!
//! Searches through states of processes have a file of their own ([`checkpoints`]).
//!
//! NOT COVERED. Searches through states of action systems, and of processes up to names or in causal order, begin again from
//! their start; so do searches that have refuted something since what was written last.

pub mod checkpoints;
pub mod file;

use crate::pieces::PieceQueue;
use checkpoints::Checkpoints;
use plainsong_explore_songs::Explored;
use plainsong_semantics::search::Writing;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Which executions an entry is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The file, as it was named.
    pub file: String,
    /// The delivery model, where the command line replaced the declared ones.
    pub delivery: Option<String>,
    /// What was asked together.
    pub properties: Vec<String>,
    /// Sizes, values of parameters and limits of the instance.
    pub bound: BTreeMap<String, String>,
}

/// What was found, instance by instance.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    entries: BTreeMap<Key, Explored>,
    /// Where it is written now and then.
    pub checkpoints: Option<Arc<Checkpoints>>,
    /// Does it come from an earlier run?
    pub goes_on: bool,
    /// Who has executions visited by others, if that is asked for.
    pub queue: Option<Arc<dyn PieceQueue>>,
}

impl PartialEq for Ledger {
    /// Where it is written makes no difference.
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Ledger {
    /// An empty one of a run whose executions others visit, if there is such a queue.
    pub fn visited_by(queue: Option<Arc<dyn PieceQueue>>) -> Self {
        Ledger {
            queue,
            ..Ledger::default()
        }
    }

    /// Is nothing in it?
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Are there instances of which something is left?
    pub fn has_left(&self) -> bool {
        self.entries.values().any(|entry| !entry.left.is_empty())
    }

    /// How many executions were visited, of all kinds.
    pub fn visited(&self) -> u64 {
        let counts = self.entries.values().map(|entry| &entry.count);
        counts
            .map(|count| count.complete + count.blocked + count.failed + count.discarded)
            .sum()
    }

    /// What is known about the answers to so many checks.
    pub(crate) fn recall(&self, key: &Key, checks: usize) -> Option<Explored> {
        let entry = self.entries.get(key)?;
        (entry.findings.len() == checks).then(|| entry.clone())
    }

    /// Enters what was found.
    pub(crate) fn enter(&mut self, key: Key, explored: &Explored) {
        self.entries.insert(key, explored.clone());
    }

    /// Is it time to write it?
    pub(crate) fn is_due(&self) -> bool {
        self.checkpoints.as_ref().is_some_and(|all| all.is_due())
    }

    /// What an earlier run has kept of a search through states.
    pub(crate) fn earlier_states(&self, search: &str) -> Option<Box<dyn std::io::Read>> {
        let checkpoints = self.checkpoints.as_ref().filter(|_| self.goes_on)?;
        checkpoints.earlier_states(search)
    }

    /// Writes it, with what a search through states has.
    pub(crate) fn write_states(&self, search: &str, write: Writing<'_>) {
        if let Some(checkpoints) = &self.checkpoints {
            checkpoints.write_states(self, search, write);
        }
    }

    /// Writes it, if that is asked for.
    pub(crate) fn write(&self) {
        if let Some(checkpoints) = &self.checkpoints {
            checkpoints.write(self);
        }
    }
}
