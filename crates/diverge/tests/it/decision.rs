//! Deciding by brute force: every state, straight from the interpreter, and every way to be fair.
//!
//! Shares nothing with the engine but the interpreter: states are whole states, a cycle is found by asking
//! who reaches whom, and of fairness every set of those who are served for ever is tried.

use plainsong_semantics::idle::Served;
use plainsong_semantics::machine::{Config, Machine, Outcome};
use std::collections::{BTreeSet, HashMap};

/// The states of a program, as far as they were followed.
pub(crate) struct States {
    /// From each state to others, and whom that serves.
    edges: Vec<Vec<(usize, Served)>>,
    /// Who could be served.
    could: Vec<BTreeSet<Served>>,
    /// Was every state followed?
    pub(crate) complete: bool,
}

impl States {
    /// The first so many states.
    pub(crate) fn of(machine: &Machine, most: usize) -> States {
        let mut numbers: HashMap<Config, usize> = HashMap::new();
        let mut configs: Vec<Config> = Vec::new();
        let mut number = |config: Config, configs: &mut Vec<Config>| {
            *numbers.entry(config.clone()).or_insert_with(|| {
                configs.push(config);
                configs.len() - 1
            })
        };
        for start in machine.initial() {
            if let Outcome::Next(config) = start {
                number(config, &mut configs);
            }
        }
        let mut states = States {
            edges: Vec::new(),
            could: Vec::new(),
            complete: true,
        };
        while states.edges.len() < configs.len() {
            if states.edges.len() == most {
                states.complete = false;
                break;
            }
            let (mut edges, mut could) = (Vec::new(), BTreeSet::new());
            for step in machine.steps(&configs[states.edges.len()].clone()) {
                let served = step.served();
                if matches!(step.outcome, Outcome::Discarded) {
                    continue;
                }
                if served != Served::Nobody {
                    could.insert(served.clone());
                }
                if let Outcome::Next(next) = step.outcome {
                    edges.push((number(next, &mut configs), served));
                }
            }
            states.edges.push(edges);
            states.could.push(could);
        }
        let count = states.edges.len();
        for edges in &mut states.edges {
            edges.retain(|(to, _)| *to < count);
        }
        states
    }

    /// Is there a cycle among these states?
    pub(crate) fn has_cycle(&self) -> bool {
        let all = |_: usize| true;
        self.components(&all, &|_| true)
            .iter()
            .any(|one| !one.is_empty())
    }

    /// Is there a cycle among these states that ignores nobody? None when there are too many to try.
    pub(crate) fn has_fair_cycle(&self) -> Option<bool> {
        let everybody: BTreeSet<&Served> = self.could.iter().flatten().collect();
        let everybody: Vec<&Served> = everybody.into_iter().collect();
        if everybody.len() > 9 {
            return None;
        }
        let subsets = 0..1u32 << everybody.len();
        Some(subsets.into_iter().any(|subset| {
            let chosen = |served: &Served| {
                let at = everybody.iter().position(|one| *one == served);
                at.is_none_or(|at| subset >> at & 1 == 1)
            };
            let alive = |at: usize| self.could[at].iter().all(&chosen);
            self.components(&alive, &chosen).iter().any(|component| {
                let served = component.iter().flat_map(|at| {
                    let inside = self.edges[*at].iter();
                    inside.filter(|(to, served)| component.contains(to) && chosen(served))
                });
                let served: BTreeSet<&Served> = served.map(|(_, served)| served).collect();
                !component.is_empty()
                    && (everybody.iter().enumerate())
                        .all(|(at, one)| subset >> at & 1 == 0 || served.contains(one))
            })
        }))
    }

    /// Components with an edge inside, by asking who reaches whom.
    fn components(
        &self,
        alive: &dyn Fn(usize) -> bool,
        allowed: &dyn Fn(&Served) -> bool,
    ) -> Vec<BTreeSet<usize>> {
        let count = self.edges.len();
        let reach: Vec<BTreeSet<usize>> = (0..count)
            .map(|from| {
                let mut seen = BTreeSet::new();
                let mut open = if alive(from) { vec![from] } else { Vec::new() };
                while let Some(at) = open.pop() {
                    for (to, served) in &self.edges[at] {
                        if alive(*to) && allowed(served) && seen.insert(*to) {
                            open.push(*to);
                        }
                    }
                }
                seen
            })
            .collect();
        let mut found: Vec<BTreeSet<usize>> = (0..count)
            .map(|at| {
                let round = reach[at].iter().filter(|to| reach[**to].contains(&at));
                round.copied().collect()
            })
            .collect();
        found.sort();
        found.dedup();
        found
    }
}
