//! Why an instance comes to rest, in words that somebody else can check.
//!
//! What [`structural`](crate::structural) strikes out, with states and tasks by name in place of numbers.

use crate::Fairness;
use crate::budget::Budget;
use crate::net::{Control, Kind, Net};
use crate::structural::{ControlGraph, Reason, certificate};
use plainsong_semantics::machine::Machine;
use plainsong_semantics::search::Watch;
use std::collections::{BTreeMap, BTreeSet};

/// Strikes out what happens in some states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Struck {
    /// The states in question; all when empty.
    pub scope: BTreeSet<String>,
    /// Why it does not happen for ever.
    pub reason: Counted,
}

/// Why something does not happen for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counted {
    /// It decreases this sum, and nothing increases it.
    Ranked {
        /// For states; 0 for those not named.
        potentials: BTreeMap<String, i64>,
        /// For tasks; 0 for those not named.
        weights: BTreeMap<String, i64>,
    },
    /// It leaves a task that is not served any more.
    Unserved(String),
    /// This task is pending all the time and not served.
    Waits(String),
}

/// Steps that are asked about.
const STEPS: u64 = 400_000;

/// Why every execution of an instance that is meant comes to rest by counting; none when counting does not tell.
pub fn counted(
    machine: &Machine,
    fairness: Fairness,
    watch: &mut dyn Watch,
) -> Option<Vec<Struck>> {
    let mut net = Net::new(machine, None);
    let mut budget = Budget::new(watch);
    budget.allow(STEPS);
    let graph = ControlGraph::of(&mut net, &mut budget).ok()?;
    if net.resource.is_some() {
        return None;
    }
    let strikes = certificate(&graph, fairness)?;
    let state = |control: &Control| machine.rest(net.rest(*control));
    let task = |kind: &Kind| machine.task_and_origin(net.task(*kind));
    let named = strikes.iter().map(|strike| Struck {
        scope: strike.scope.iter().map(state).collect(),
        reason: match &strike.reason {
            Reason::Ranked {
                potentials,
                weights,
            } => Counted::Ranked {
                potentials: (potentials.iter().map(|(at, by)| (state(at), *by))).collect(),
                weights: weights.iter().map(|(kind, by)| (task(kind), *by)).collect(),
            },
            Reason::Unserved(kind) => Counted::Unserved(task(kind)),
            Reason::Waits(kind) => Counted::Waits(task(kind)),
        },
    });
    Some(named.collect())
}
