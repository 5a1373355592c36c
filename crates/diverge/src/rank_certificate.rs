//! Rank certificates: why an instance terminates, for an independent checker.
//!
//! What [`structural`](crate::structural) strikes out, with states and tasks by name in place of numbers.

use crate::Fairness;
use crate::budget::Budget;
use crate::structural::{ControlGraph, Reason, certificate};
use crate::task_net::{Control, Kind, Net};
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

/// Why every execution of an instance that is meant terminates by counting; or, in a sentence, why there is nothing
/// to write down.
pub fn counted(
    machine: &Machine,
    fairness: Fairness,
    watch: &mut dyn Watch,
) -> Result<Vec<Struck>, String> {
    let not_shown = || "counting what is pending does not show that it terminates".to_owned();
    let mut net = Net::new(machine, None);
    let mut budget = Budget::new(watch);
    budget.allow(STEPS);
    let graph = ControlGraph::of(&mut net, &mut budget).map_err(|_| not_shown())?;
    if let Some(limit) = net.resource.take() {
        return Err(limit);
    }
    let strikes = certificate(&graph, fairness).ok_or_else(not_shown)?;
    let names = Names::of(&net)?;
    let state = |control: &Control| names.states[*control as usize].clone();
    let task = |kind: &Kind| names.tasks[*kind as usize].clone();
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
    Ok(named.collect())
}

/// Words for controls and kinds: whoever checks has nothing else to tell them apart by.
struct Names {
    states: Vec<String>,
    tasks: Vec<String>,
}

impl Names {
    fn of(net: &Net<'_>) -> Result<Names, String> {
        let machine = net.machine();
        let states = net.rests().map(|rest| machine.rest(rest)).collect();
        let tasks = net.tasks().map(|task| machine.task_and_origin(task));
        Ok(Names {
            states: apart("states", states)?,
            tasks: apart("messages", tasks.collect())?,
        })
    }
}

fn apart(what: &str, words: Vec<String>) -> Result<Vec<String>, String> {
    let mut seen = BTreeSet::new();
    match words.iter().find(|one| !seen.insert(*one)) {
        None => Ok(words),
        Some(same) => Err(format!(
            "two {what} have the same name, `{same}`, so that a certificate could not tell them apart"
        )),
    }
}
