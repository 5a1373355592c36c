//! The states found so far, and how.

use super::Progress;
use super::cycle::{Edge, nearest_cycle};
use super::findings::{Findings, Reached};
use crate::machine::{Config, Machine, Outcome, Step};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// How a state was found.
#[derive(Clone, Copy, Debug)]
struct Origin {
    /// The state before and the number of the step; none at the start.
    from: Option<(u32, u32)>,
    depth: u32,
}

/// States by number, in the order in which they were found.
pub(super) struct Graph {
    states: IndexSet<Config, FxBuildHasher>,
    origins: Vec<Origin>,
    /// The steps out of each state looked at, when they are wanted.
    edges: Option<Vec<Vec<Edge>>>,
    most: u64,
    /// How many of the states are those before `init`. They are kept, for executions begin there, but they do not count.
    before_init: u64,
    /// How many are cut off by a constraint: they do not count, either.
    cut: u64,
    /// The constraints that cut some off.
    pub(super) cut_by: BTreeSet<String>,
    /// Was a state left out?
    pub(super) full: bool,
    /// Steps taken.
    pub(super) steps: u64,
}

impl Graph {
    /// No states yet, and never more than `most`.
    pub(super) fn new(most: u64, with_edges: bool) -> Self {
        Graph {
            states: IndexSet::default(),
            origins: Vec::new(),
            edges: with_edges.then(Vec::new),
            most: most.min(u64::from(u32::MAX)),
            before_init: 0,
            cut: 0,
            cut_by: BTreeSet::new(),
            full: false,
            steps: 0,
        }
    }

    /// Frees the memory on another thread: of many large states that takes longer than anybody waits for what a search
    /// that was stopped has found.
    pub(super) fn give_back(self) {
        // Without a thread it is freed here.
        drop(std::thread::Builder::new().spawn(move || drop(self)));
    }

    /// Do some steps lead back to where they began? All states were followed.
    pub(super) fn has_cycle(&self, machine: &Machine) -> bool {
        let mut edges = Vec::new();
        for config in &self.states {
            let steps = machine.steps(config).into_iter().enumerate();
            let next = steps.filter_map(|(number, step)| match step.outcome {
                Outcome::Next(next) => {
                    let to = self.states.get_index_of(&next)? as u32;
                    Some(Edge {
                        to,
                        step: number as u32,
                    })
                }
                _ => None,
            });
            edges.push(next.collect());
        }
        nearest_cycle(&edges).is_some()
    }

    /// How many states there are, with those before `init`.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// How many states there are after `init` that are not cut off.
    pub(super) fn counted(&self) -> u64 {
        self.states.len() as u64 - self.before_init - self.cut
    }

    /// A state is cut off by a constraint.
    pub(super) fn cut_off(&mut self, constraint: String) {
        self.cut += 1;
        self.cut_by.insert(constraint);
    }

    /// Adds a state before `init`.
    pub(super) fn add_before_init(&mut self, config: Config) {
        let known = self.states.len();
        self.most += 1;
        self.add(config, None);
        let new = (self.states.len() - known) as u64;
        self.before_init += new;
        self.most -= 1 - new;
    }

    /// The steps out of each state looked at.
    pub(super) fn edges(&self) -> &[Vec<Edge>] {
        self.edges.as_deref().unwrap_or_default()
    }

    /// Adds a state if it is new and there is room, and gives its number.
    pub(super) fn add(&mut self, config: Config, from: Option<(u32, u32)>) -> Option<u32> {
        if let Some(known) = self.states.get_index_of(&config) {
            return Some(known as u32);
        }
        if self.states.len() as u64 >= self.most {
            self.full = true;
            return None;
        }
        let depth = from.map_or(0, |(before, _)| self.origins[before as usize].depth + 1);
        self.origins.push(Origin { from, depth });
        Some(self.states.insert_full(config).0 as u32)
    }

    /// Follows the steps out of a state, which must be the next that was not followed yet.
    pub(super) fn expand(&mut self, at: usize, steps: Vec<Step>, findings: &mut Findings<'_>) {
        let mut edges = Vec::new();
        for (number, step) in steps.into_iter().enumerate() {
            self.steps += 1;
            let from = (at as u32, number as u32);
            match step.outcome {
                Outcome::Next(next) => {
                    if let Some(to) = self.add(next, Some(from)) {
                        edges.push(Edge { to, step: from.1 });
                    }
                }
                Outcome::Failed(failure, _) => findings.failed_step(self, at, number, failure),
                Outcome::Discarded => {}
            }
        }
        if let Some(all) = &mut self.edges {
            all.push(edges);
        }
    }

    /// Steps from the start to the farthest state.
    pub(super) fn deepest(&self) -> u64 {
        self.origins
            .last()
            .map_or(0, |origin| u64::from(origin.depth))
    }

    /// How far we are when looking at a state.
    pub(super) fn progress(&self, at: usize) -> Progress {
        Progress {
            states: self.len() as u64,
            waiting: (self.len() - at) as u64,
            steps: self.steps,
            depth: u64::from(self.origins[at].depth),
        }
    }
}

impl Reached for Graph {
    fn config(&self, at: usize) -> Cow<'_, Config> {
        Cow::Borrowed(&self.states[at])
    }

    fn path(&self, at: usize) -> (Config, Vec<usize>) {
        let mut steps = Vec::new();
        let mut state = at;
        while let Some((before, step)) = self.origins[state].from {
            steps.push(step as usize);
            state = before as usize;
        }
        steps.reverse();
        (self.states[state].clone(), steps)
    }
}
