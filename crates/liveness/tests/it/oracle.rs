//! A reference decision, from the definitions: does a fair execution violate a claim?
//!
//! It shares nothing with the engine but what a step and a task are. Where the engine decomposes components again and
//! again, this one guesses: a fair execution enables each strong task infinitely often or from some point on never. So for
//! every set of strong tasks that are enabled no more, the states that enable one of them are left out, and a component of
//! the rest is fair if everybody else who is owed something is served in it. Likewise whom steps oblige is answered
//! infinitely often, or obliged no more from some point on.

use plainsong_ir::{Fairness, Property, TemporalOperator};
use plainsong_semantics::claim::Verity;
use plainsong_semantics::machine::{Config, Machine, Outcome};
use plainsong_semantics::temporal::fair_tasks::{FairTask, Strength};
use plainsong_semantics::temporal::{Instantiated, instantiated};
use std::collections::{BTreeSet, HashMap};

/// A step: where it leads, whom it serves, whom it obliges.
#[derive(Default)]
struct Edge {
    to: usize,
    served: BTreeSet<FairTask>,
    obliged: BTreeSet<FairTask>,
}

/// A state of the graph.
#[derive(Default)]
struct State {
    begun: bool,
    first: bool,
    next: Vec<Edge>,
    enabled: BTreeSet<FairTask>,
}

/// The graph of a machine.
pub(crate) struct Oracle<'m> {
    machine: &'m Machine,
    configs: Vec<Config>,
    states: Vec<State>,
}

/// More strong tasks are too many to guess about.
const MOST_TASKS: usize = 12;

impl<'m> Oracle<'m> {
    /// Every state; nothing if there are more than `most`.
    pub(crate) fn new(machine: &'m Machine, most: usize) -> Option<Oracle<'m>> {
        let mut oracle = Oracle {
            machine,
            configs: Vec::new(),
            states: Vec::new(),
        };
        let mut numbers: HashMap<Config, usize> = HashMap::new();
        for start in machine.initial() {
            if let Outcome::Next(config) = start {
                let at = oracle.number(&mut numbers, config);
                oracle.states[at].first |= oracle.states[at].begun;
            }
        }
        let mut at = 0;
        while at < oracle.configs.len() {
            if oracle.configs.len() > most {
                return None;
            }
            let config = oracle.configs[at].clone();
            let steps = machine.steps(&config);
            if machine.may_end(&config, &steps) {
                oracle.states[at].next.push(Edge {
                    to: at,
                    ..Edge::default()
                });
            }
            let outcomes: Vec<_> = (0..steps.len())
                .map(|number| machine.fair_outcomes(&steps, number))
                .collect();
            for (step, (obliged, answered)) in steps.into_iter().zip(outcomes) {
                if matches!(step.outcome, Outcome::Discarded) {
                    continue;
                }
                let tasks = machine.fair_tasks(&config, &step);
                oracle.states[at]
                    .enabled
                    .extend(tasks.taken.iter().cloned());
                if let Outcome::Next(next) = step.outcome {
                    let to = oracle.number(&mut numbers, next);
                    let enters = !oracle.states[at].begun && oracle.states[to].begun;
                    oracle.states[to].first |= enters;
                    let served = tasks.taken.into_iter().chain(tasks.gone);
                    let served = served.chain(tasks.answered).chain(answered).collect();
                    oracle.states[at].next.push(Edge {
                        to,
                        served,
                        obliged: tasks.obliged.into_iter().chain(obliged).collect(),
                    });
                }
            }
            at += 1;
        }
        Some(oracle)
    }

    fn number(&mut self, numbers: &mut HashMap<Config, usize>, config: Config) -> usize {
        let new = self.configs.len();
        let at = *numbers.entry(config.clone()).or_insert(new);
        if at == new {
            self.states.push(State {
                begun: self.machine.has_begun(&config),
                ..State::default()
            });
            self.configs.push(config);
        }
        at
    }

    /// Is the claim violated by an execution that is fair at this level? Nothing where there is too much to guess.
    pub(crate) fn is_violated(&self, property: &Property, level: Fairness) -> Option<bool> {
        let all = instantiated(self.machine, property, &self.configs[0]).expect("it can be asked");
        let mut violated = false;
        for one in &all {
            violated |= self.violates(one, level)?;
        }
        Some(violated)
    }

    fn violates(&self, one: &Instantiated<'_>, level: Fairness) -> Option<bool> {
        let truth = |condition, at: usize| {
            self.states[at].begun
                && one.verity(self.machine, condition, &self.configs[at]) == Verity::Holds
        };
        let all = 0..self.states.len();
        let goal: Vec<bool> = all.clone().map(|at| truth(&one.part.goal, at)).collect();
        let begun = |at: &usize| self.states[*at].begun;
        let misses = |at: &usize| begun(at) && !goal[*at];
        let everything = one.part.operator == TemporalOperator::EventuallyAlways;
        let region: BTreeSet<usize> = match everything {
            true => all.clone().filter(begun).collect(),
            false => all.clone().filter(misses).collect(),
        };
        let starts: Vec<usize> = match one.part.operator {
            TemporalOperator::Eventually => {
                let first = |at: &usize| self.states[*at].first;
                region.iter().copied().filter(first).collect()
            }
            TemporalOperator::LeadsTo => {
                let premise = one.part.premise.as_ref().expect("a response has a premise");
                let asked = |at: &usize| truth(premise, *at);
                region.iter().copied().filter(asked).collect()
            }
            _ => region.iter().copied().collect(),
        };
        let inside = self.reachable(&starts, &region);
        let strong = |task: &&FairTask| self.machine.owed(task, level) == Some(Strength::Strong);
        let tasks: BTreeSet<&FairTask> = inside
            .iter()
            .flat_map(|at| {
                let state = &self.states[*at];
                let obliged = state.next.iter().flat_map(|edge| &edge.obliged);
                state.enabled.iter().chain(obliged)
            })
            .filter(strong)
            .collect();
        let tasks: Vec<&FairTask> = tasks.into_iter().collect();
        if tasks.len() > MOST_TASKS {
            return None;
        }
        Some((0..1_u32 << tasks.len()).any(|guess| {
            let never: BTreeSet<&FairTask> = (0..tasks.len())
                .filter(|bit| guess >> bit & 1 == 1)
                .map(|bit| tasks[bit])
                .collect();
            let quiet = |at: &usize| {
                !self.states[*at]
                    .enabled
                    .iter()
                    .any(|one| never.contains(one))
            };
            let rest: BTreeSet<usize> = inside.iter().copied().filter(quiet).collect();
            rest.iter().any(|at| {
                let component = self.component(*at, &rest, &never);
                let visits = !everything || component.iter().any(|at| !goal[*at]);
                visits && self.serves_all(&component, level, &never)
            })
        }))
    }

    fn reachable(&self, starts: &[usize], region: &BTreeSet<usize>) -> BTreeSet<usize> {
        self.reachable_without(starts, region, &BTreeSet::new())
    }

    /// What can be reached by steps that oblige nobody of `never`.
    fn reachable_without(
        &self,
        starts: &[usize],
        region: &BTreeSet<usize>,
        never: &BTreeSet<&FairTask>,
    ) -> BTreeSet<usize> {
        let mut found: BTreeSet<usize> = starts.iter().copied().collect();
        let mut open = starts.to_vec();
        while let Some(at) = open.pop() {
            for edge in self.states[at].next.iter().filter(|edge| free(edge, never)) {
                if region.contains(&edge.to) && found.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
        found
    }

    /// The states that `at` reaches and that reach it; none if it does not reach itself.
    fn component(
        &self,
        at: usize,
        within: &BTreeSet<usize>,
        never: &BTreeSet<&FairTask>,
    ) -> BTreeSet<usize> {
        let after = |at: usize| -> Vec<usize> {
            let next = self.states[at].next.iter();
            let next = next.filter(|edge| free(edge, never)).map(|edge| edge.to);
            next.filter(|to| within.contains(to)).collect()
        };
        let reached = self.reachable_without(&after(at), within, never);
        let comes_back = |from: &usize| {
            let reached = self.reachable_without(&after(*from), within, never);
            reached.contains(&at)
        };
        reached
            .iter()
            .copied()
            .filter(comes_back)
            .filter(|_| reached.contains(&at))
            .collect()
    }

    fn serves_all(
        &self,
        component: &BTreeSet<usize>,
        level: Fairness,
        never: &BTreeSet<&FairTask>,
    ) -> bool {
        let edges = component.iter().flat_map(|at| &self.states[*at].next);
        let inner = edges.filter(|edge| component.contains(&edge.to) && free(edge, never));
        let inner: Vec<&Edge> = inner.collect();
        let served: BTreeSet<&FairTask> = inner.iter().flat_map(|edge| &edge.served).collect();
        let mut obliged = inner.iter().flat_map(|edge| &edge.obliged);
        if obliged.any(|task| self.machine.owed(task, level).is_some() && !served.contains(task)) {
            return false;
        }
        let enabled = component.iter().flat_map(|at| &self.states[*at].enabled);
        !component.is_empty()
            && enabled
                .into_iter()
                .all(|task| match self.machine.owed(task, level) {
                    None => true,
                    Some(Strength::Strong) => served.contains(task),
                    Some(Strength::Weak) => {
                        let mut states = component.iter();
                        served.contains(task)
                            || states.any(|at| !self.states[*at].enabled.contains(task))
                    }
                })
    }
}

/// Does a step oblige nobody of `never`?
fn free(edge: &Edge, never: &BTreeSet<&FairTask>) -> bool {
    !edge.obliged.iter().any(|task| never.contains(task))
}
