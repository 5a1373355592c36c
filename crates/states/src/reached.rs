//! What is in the store, in the interpreter's terms.

use crate::coding::Coding;
use crate::store::Store;
use crate::symmetry::{Swaps, path};
use plainsong_semantics::machine::{Config, Machine, Outcome};
use plainsong_semantics::search::Reached;
use std::borrow::Cow;

/// The states of a store.
pub(crate) struct Stored<'a> {
    /// The machine that they belong to.
    pub(crate) machine: &'a Machine,
    /// How they are written down.
    pub(crate) coding: &'a Coding,
    /// The states.
    pub(crate) store: &'a Store,
    /// The exchanges up to which they are kept, if any.
    pub(crate) swaps: Option<&'a Swaps>,
}

impl Stored<'_> {
    fn state(&self, at: usize) -> Config {
        self.coding.state(self.store.state(at)).config()
    }
}

impl Reached for Stored<'_> {
    fn config(&self, at: usize) -> Cow<'_, Config> {
        Cow::Owned(self.state(at))
    }

    /// The store knows only which state each was found from; which step it was, the interpreter says.
    fn path(&self, at: usize) -> (Config, Vec<usize>) {
        let mut way = vec![at];
        let mut first = at;
        while let Some(parent) = self.store.parent(first) {
            way.push(parent);
            first = parent;
        }
        way.reverse();
        if let Some(swaps) = self.swaps {
            let states: Vec<&[u64]> = way.iter().map(|at| self.store.state(*at)).collect();
            return path(self.machine, self.coding, swaps, &states);
        }
        let start = self.state(first);
        let mut steps = Vec::new();
        let mut config = start.clone();
        for next in &way[1..] {
            let next = self.state(*next);
            let leads_there =
                |outcome: &Outcome| matches!(outcome, Outcome::Next(after) if *after == next);
            let enabled = self.machine.steps(&config);
            let step = enabled.iter().position(|step| leads_there(&step.outcome));
            steps.push(step.expect("a state is found by a step of the interpreter"));
            config = next;
        }
        (start, steps)
    }
}
