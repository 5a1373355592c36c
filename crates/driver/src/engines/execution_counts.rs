//! Numbers of executions, and what a verdict says about them.

use super::external_outcomes::{Instances, Visited, without_outcomes};
use crate::Problem;
use crate::effort::limit_on_states;
use crate::engine::Task;
use crate::watch::Overseer;
use plainsong_explore_songs::sum_of_powers;
use plainsong_report::thousands;
use plainsong_semantics::executions::{ExecutionCount, executions};
use plainsong_semantics::machine::Machine;
use plainsong_semantics::search::{Completeness, Limits};
use plainsong_semantics::sizes::Sizes;
use plainsong_semantics::verdict::{Outcome, Verdict};

/// Executions at one combination of sizes, over all values of open parameters.
pub(super) struct Tally {
    pub(super) complete: u64,
    blocked: u64,
    pub(super) failed: u64,
    discarded: u64,
    /// As a power of ten; none where they are not guessed.
    interleavings: Option<f64>,
    pub(super) completeness: Completeness,
}

impl Tally {
    /// No executions yet.
    pub(super) fn new() -> Self {
        Tally {
            complete: 0,
            blocked: 0,
            failed: 0,
            discarded: 0,
            interleavings: None,
            completeness: Completeness::Complete,
        }
    }

    /// Adds those of one instance; false when they were not all counted.
    pub(super) fn add(&mut self, found: &ExecutionCount) -> bool {
        self.complete += found.complete;
        self.blocked += found.blocked;
        self.failed += found.failed;
        self.discarded += found.discarded;
        self.completeness.clone_from(&found.completeness);
        found.completeness == Completeness::Complete
    }

    /// Adds the interleavings of one instance, as a power of ten.
    pub(super) fn add_interleavings(&mut self, power: Option<f64>) {
        let known = self.interleavings.into_iter();
        self.interleavings = known.chain(power).reduce(sum_of_powers);
    }
}

/// One tally for each combination of sizes, by the reference enumeration; nothing for forms without
/// messages.
pub(super) fn tallies(task: &Task, overseer: &mut Overseer<'_>) -> Result<Vec<Tally>, Problem> {
    let mut tallies = Vec::new();
    for sizes in &task.sizes {
        if overseer.look().is_some() {
            break;
        }
        tallies.extend(tally(task, sizes, overseer)?);
    }
    Ok(tallies)
}

fn tally(
    task: &Task,
    sizes: &Sizes,
    overseer: &mut Overseer<'_>,
) -> Result<Option<Tally>, Problem> {
    let mut sum = Tally::new();
    let mut all = Instances::new(task, sizes)?;
    while let Some(instance) = all.next() {
        overseer.stage.bound = without_outcomes(&instance);
        let machine = Machine::new(&instance, task.subject);
        let Some(found) = executions(&machine, &task.limits, overseer) else {
            return Ok(None);
        };
        let seen = found.complete + found.blocked + found.failed + found.discarded;
        if !matches!(all.visited(&instance, seen), Visited::Divided) && !sum.add(&found) {
            break;
        }
    }
    Ok(Some(sum))
}

/// Adds the numbers to a verdict about so many sizes. A count that did not come to its end leaves it
/// unknown, unless all states were seen: then only the number is missing.
pub(super) fn complete(
    verdict: &mut Verdict,
    tallies: &[Tally],
    sizes: usize,
    (limits, overseer): (&Limits, &Overseer<'_>),
) {
    let unfinished = tallies
        .iter()
        .find(|tally| tally.completeness != Completeness::Complete);
    let is_short = unfinished.is_some() || tallies.len() < sizes;
    let why = match (
        unfinished.map(|tally| &tally.completeness),
        overseer.stopped(),
    ) {
        (_, Some(stop)) if is_short => Some(overseer.allowance.sentence(stop)),
        (Some(Completeness::StateLimit), _) => Some(limit_on_states(limits)),
        (Some(Completeness::Resource(what)), _) => Some(what.clone()),
        (Some(_), _) => Some("stopped".to_owned()),
        (None, _) => None,
    };
    if let Some(why) = why {
        if verdict.outcome != Outcome::Holds {
            return;
        }
        match verdict.states {
            Some(_) => verdict
                .notes
                .push(format!("the executions were not all counted ({why})")),
            None => {
                verdict.outcome = Outcome::Unknown;
                verdict.reason = format!("{why}, while counting executions");
            }
        }
        return;
    }
    if let Some(largest) = tallies.last() {
        verdict.executions = Some(largest.complete);
        verdict.blocked = Some(largest.blocked);
        verdict.interleavings = largest.interleavings;
        verdict.reason = format!("{} ({})", verdict.reason, words(tallies));
    }
}

/// `288 executions`, or one number for each size, and what did not end well.
fn words(tallies: &[Tally]) -> String {
    let numbers: Vec<String> = tallies
        .iter()
        .map(|tally| thousands(tally.complete))
        .collect();
    let mut words = vec![format!("{} executions", numbers.join(", "))];
    let mut add = |number: u64, what: &str| {
        if number > 0 {
            words.push(format!("{} {what}", thousands(number)));
        }
    };
    let sum = |part: fn(&Tally) -> u64| tallies.iter().map(part).sum::<u64>();
    add(sum(|tally| tally.blocked), "blocked");
    add(sum(|tally| tally.failed), "failed");
    add(sum(|tally| tally.discarded), "cut off by an `assume`");
    words.join(", ")
}
