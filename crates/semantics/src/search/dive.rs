//! Some executions from beginning to end, instead of all of them step by step.
//!
//! When there are many free choices, what is wrong is often deep, but near a corner: everybody says yes,
//! nobody does. So in some executions every choice is the first one, in some the last, in others one of the
//! two with a bias, in the rest any. What is found is an execution like any other; what is not found means
//! nothing ([`Completeness::StateLimit`]).

use super::findings::{Findings, Reached, Totals};
use super::graph::Graph;
use super::{Completeness, Coverage, Limits, Query, SearchReport, Watch};
use crate::code::coverage::Covered;
use crate::instance::Instance;
use crate::machine::{Config, Machine, Outcome, Step};
use crate::simulate::Dice;
use std::collections::BTreeSet;

/// Executions for each way to choose.
const RUNS: u64 = 24;
/// The most steps of one.
const MOST_STEPS: usize = 400;

/// How the next step is chosen.
#[derive(Clone, Copy, Debug)]
enum Taste {
    /// Of eight times, so often the last, and else the first.
    Last(usize),
    Any,
}

const TASTES: [Taste; 6] = [
    Taste::Last(8),
    Taste::Last(0),
    Taste::Any,
    Taste::Last(7),
    Taste::Last(4),
    Taste::Last(1),
];

/// Follows some executions of the instance and checks what the query asks.
pub fn dive(
    instance: &Instance,
    query: &Query,
    limits: &Limits,
    watch: &mut dyn Watch,
) -> SearchReport {
    let machine = Machine::new(instance, query.subject);
    let mut covered = Covered::default();
    let mut diving = Diver {
        machine: &machine,
        findings: Findings::new(&machine, query),
        graph: Graph::new(limits.states, false),
        followed: BTreeSet::new(),
        dice: Dice(0),
    };
    let stopped = !diving.all(&mut covered, watch);
    let completeness = match stopped {
        true => Completeness::Stopped,
        false => Completeness::StateLimit,
    };
    let Diver {
        findings, graph, ..
    } = diving;
    findings.report(Totals {
        completeness,
        states: graph.len() as u64,
        steps: graph.steps,
        depth: graph.deepest(),
        coverage: Coverage::new(&machine, &covered),
        cut_by: BTreeSet::new(),
    })
}

struct Diver<'m> {
    machine: &'m Machine,
    findings: Findings<'m>,
    graph: Graph,
    /// The states whose steps were followed.
    followed: BTreeSet<u32>,
    dice: Dice,
}

impl Diver<'_> {
    /// All executions; `false` if somebody ended it.
    fn all(&mut self, covered: &mut Covered, watch: &mut dyn Watch) -> bool {
        let mut starts = Vec::new();
        for outcome in self.machine.initial_covering(covered) {
            match outcome {
                Outcome::Next(config) => starts.extend(self.graph.add(config, None)),
                Outcome::Failed(failure, config) => self.findings.failed_start(failure, config),
                Outcome::Discarded => {}
            }
        }
        for _ in 0..RUNS {
            for taste in TASTES {
                let Some(at) = self.dice.pick(starts.len()) else {
                    return true;
                };
                if self.graph.full || self.findings.all_refuted() {
                    return true;
                }
                if !self.one(starts[at], taste, covered, watch) {
                    return false;
                }
            }
        }
        true
    }

    fn one(
        &mut self,
        start: u32,
        taste: Taste,
        covered: &mut Covered,
        watch: &mut dyn Watch,
    ) -> bool {
        let mut at = start;
        for _ in 0..MOST_STEPS {
            if !watch.keep_going(&self.graph.progress(at as usize)) {
                return false;
            }
            let config = self.graph.config(at as usize).into_owned();
            let steps = self.machine.steps_covering(&config, covered);
            let next = self.next(&steps, taste);
            if self.followed.insert(at) {
                self.findings.state(&self.graph, at as usize, &steps);
                self.graph.expand(at as usize, steps, &mut self.findings);
            }
            match next.and_then(|next| self.graph.add(next, None)) {
                Some(next) => at = next,
                None => return true,
            }
        }
        true
    }

    fn next(&mut self, steps: &[Step], taste: Taste) -> Option<Config> {
        let going: Vec<&Config> = steps
            .iter()
            .filter_map(|step| match &step.outcome {
                Outcome::Next(config) => Some(config),
                _ => None,
            })
            .collect();
        let at = match taste {
            Taste::Any => self.dice.pick(going.len())?,
            Taste::Last(often) => match self.dice.pick(8)? < often {
                true => going.len().checked_sub(1)?,
                false => 0,
            },
        };
        going.get(at).map(|config| (*config).clone())
    }
}
