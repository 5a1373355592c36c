//! One execution, chosen beforehand.
//!
//! Somebody else, a solver for instance, has found values for everything that a choreography leaves open:
//! its parameters, what its variables start with, what it chooses. Here the interpreter runs it
//! with these values and says what it sees, as of any other execution. It does not trust them: where no
//! step makes the choice that is wanted, the execution ends, and nothing is found.

use super::findings::{Findings, Reached, Totals};
use super::graph::Graph;
use super::{Completeness, Coverage, Limits, Query, SearchReport, Watch};
use crate::code::coverage::Covered;
use crate::instance::Instance;
use crate::machine::{Config, Machine, Outcome, Step};
use crate::value::Value;
use plainsong_ir::{FamilyId, VarId};
use std::collections::BTreeSet;

/// The most steps of the execution.
const MOST_STEPS: usize = 2_000;

/// What an execution of a choreography chooses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steering {
    /// The values of its parameters, in order.
    pub params: Vec<Value>,
    /// What variables of endpoints start with, where that is free.
    pub starts: Vec<Start>,
    /// What is chosen on the way, in order.
    pub choices: Vec<Value>,
}

/// What a variable of an endpoint starts with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The family of the endpoint.
    pub family: FamilyId,
    /// Its indices.
    pub index: Vec<Value>,
    /// The variable.
    pub var: VarId,
    pub value: Value,
}

impl Steering {
    /// What a variable is to start with, if that is said.
    pub(crate) fn start(&self, family: FamilyId, index: &[Value], var: VarId) -> Option<&Value> {
        let is_meant =
            |start: &&Start| start.family == family && start.var == var && start.index == index;
        self.starts.iter().find(is_meant).map(|start| &start.value)
    }
}

/// Follows the execution of the choreography that makes these choices, and checks what the query asks.
pub fn steer(
    instance: &Instance,
    query: &Query,
    limits: &Limits,
    watch: &mut dyn Watch,
    steering: &Steering,
) -> SearchReport {
    let machine = Machine::new(instance, query.subject);
    let mut covered = Covered::default();
    let mut findings = Findings::new(&machine, query);
    let mut graph = Graph::new(limits.states, false);
    let mut at = None;
    for outcome in machine.initial_steered(steering, &mut covered) {
        match outcome {
            Outcome::Next(config) => at = at.or(graph.add(config, None)),
            Outcome::Failed(failure, config) => findings.failed_start(failure, config),
            Outcome::Discarded => {}
        }
    }
    let mut choices = &steering.choices[..];
    let mut stopped = false;
    for _ in 0..MOST_STEPS {
        let Some(here) = at else { break };
        stopped = !watch.keep_going(&graph.progress(here as usize));
        if stopped {
            break;
        }
        let config = graph.config(here as usize).into_owned();
        let steps = machine.steps_covering(&config, &mut covered);
        findings.state(&graph, here as usize, &steps);
        at = match wanted(&steps, choices) {
            Some((step, made)) => {
                choices = &choices[made..];
                match &steps[step].outcome {
                    Outcome::Next(next) => graph.add(next.clone(), Some((here, step as u32))),
                    Outcome::Failed(failure, _) => {
                        findings.failed_step(&graph, here as usize, step, failure.clone());
                        None
                    }
                    Outcome::Discarded => None,
                }
            }
            None => None,
        };
    }
    findings.report(Totals {
        completeness: match stopped {
            true => Completeness::Stopped,
            false => Completeness::StateLimit,
        },
        states: graph.len() as u64,
        steps: graph.steps,
        depth: graph.deepest(),
        coverage: Coverage::new(&machine, &covered),
        cut_by: BTreeSet::new(),
    })
}

/// Where the execution that makes these choices ends, if it gets to where nothing can happen any more.
pub fn steered_end(machine: &Machine, steering: &Steering) -> Option<Config> {
    let mut covered = Covered::default();
    let starts = machine.initial_steered(steering, &mut covered).into_iter();
    let mut config = starts.into_iter().find_map(next)?;
    let mut choices = &steering.choices[..];
    for _ in 0..MOST_STEPS {
        let steps = machine.steps_covering(&config, &mut covered);
        if steps.is_empty() {
            return Some(config);
        }
        let (step, made) = wanted(&steps, choices)?;
        choices = &choices[made..];
        config = next(steps.into_iter().nth(step)?.outcome)?;
    }
    None
}

fn next(outcome: Outcome) -> Option<Config> {
    match outcome {
        Outcome::Next(config) => Some(config),
        Outcome::Failed(..) | Outcome::Discarded => None,
    }
}

/// The number of the step that makes the next choices, and how many it makes.
fn wanted(steps: &[Step], choices: &[Value]) -> Option<(usize, usize)> {
    let fits = |step: &Step| {
        step.chosen.len() <= choices.len()
            && step.chosen.iter().zip(choices).all(|(a, b)| a.value == *b)
    };
    let step = steps.iter().position(fits)?;
    Some((step, steps[step].chosen.len()))
}
