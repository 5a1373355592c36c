//! States that runs come to, at small sizes: what clauses are tried on. No proof rests on them.

use super::clauses::Row;
use crate::counterexample::instance;
use crate::system::System;
use plainsong_ir::{Expr, Local};
use plainsong_semantics::action_state::ActionState;
use plainsong_semantics::claim::truth_with;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Config, Machine, Outcome, Subject};
use plainsong_semantics::value::Value;
use std::collections::{BTreeSet, HashSet, VecDeque};

/// The sizes that are tried, each with the most states.
const SIZES: [(i64, usize); 3] = [(1, 300), (2, 1_500), (3, 1_500)];

/// The atoms of a template, ready to be evaluated.
pub(crate) struct Evaluator<'a> {
    pub(crate) system: &'a System,
    /// The atoms as the actions say them.
    pub(crate) atoms: Vec<Expr>,
    pub(crate) locals: &'a [Local],
}

impl Evaluator<'_> {
    /// The rows of the states that runs come to.
    pub(crate) fn sampled(&self) -> BTreeSet<Row> {
        let mut rows = BTreeSet::new();
        for (size, most) in SIZES {
            let Some(instance) = instance(self.system, size) else {
                continue;
            };
            for config in reached(&instance, most) {
                rows.extend(self.rows(&instance, &config));
            }
        }
        rows
    }

    /// The rows of one state: one for each choice of members.
    pub(crate) fn rows(&self, instance: &Instance, config: &Config) -> Vec<Row> {
        let machine = Machine::new(instance, Subject::System);
        let mut choices: Vec<Vec<Value>> = vec![Vec::new()];
        for local in self.locals {
            let values = instance.values(&local.ty).unwrap_or_default();
            let longer = choices.iter().flat_map(|row| {
                let with = |value: &Value| [&row[..], std::slice::from_ref(value)].concat();
                values.iter().map(with).collect::<Vec<_>>()
            });
            choices = longer.collect();
        }
        let row = |names: &Vec<Value>| {
            let truths = self.atoms.iter();
            let truth = |atom: &Expr| truth_with(&machine, atom, names, config).unwrap_or(false);
            truths.map(truth).collect()
        };
        choices.iter().map(row).collect()
    }
}

/// States after `init`, breadth first.
fn reached(instance: &Instance, most: usize) -> Vec<Config> {
    let machine = Machine::new(instance, Subject::System);
    let key = |config: &Config| format!("{:?}", ActionState::of(config));
    let (mut seen, mut queue, mut found) = (HashSet::new(), VecDeque::new(), Vec::new());
    for outcome in machine.initial() {
        if let Outcome::Next(config) = outcome
            && seen.insert(key(&config))
        {
            queue.push_back(config);
        }
    }
    while let Some(config) = queue.pop_front() {
        if found.len() >= most {
            break;
        }
        for step in machine.steps(&config) {
            if let Outcome::Next(next) = step.outcome
                && seen.insert(key(&next))
            {
                queue.push_back(next);
            }
        }
        if ActionState::of(&config).begun {
            found.push(config);
        }
    }
    found
}
