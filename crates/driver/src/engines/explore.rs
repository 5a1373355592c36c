//! The explore engine: every execution of voices, counted exactly.
//!
//! For now it is the reference enumerator of `semantics` for the number of executions and the
//! naive search for the verdicts. The reduction that counts without visiting every interleaving
//! takes this place.

use super::naive::{Naive, instances_of};
use crate::engine::{EngineReport, Task};
use crate::select::Question;
use crate::watch::Overseer;
use crate::{Engine, Problem};
use plainsong_ir::Song;
use plainsong_report::{count, thousands};
use plainsong_semantics::executions::executions;
use plainsong_semantics::machine::Machine;
use plainsong_semantics::search::Completeness;
use plainsong_semantics::sizes::Sizes;
use plainsong_semantics::verdict::{Outcome, Verdict};

/// Exact numbers of executions.
pub(super) struct Explore;

impl Engine for Explore {
    fn name(&self) -> &'static str {
        "explore"
    }

    fn needs(&self) -> &'static str {
        "counts every execution of an instance; needs nothing"
    }

    fn applicable(&self, _: &Song, _: &Question) -> Result<(), String> {
        Ok(())
    }

    fn run(&self, task: &Task, overseer: &mut Overseer<'_>) -> Result<EngineReport, Problem> {
        let mut report = Naive.run(task, overseer)?;
        overseer.stage.counted = "execution";
        let tallies = tallies(task, overseer)?;
        for verdict in &mut report.verdicts {
            complete(verdict, &tallies, overseer);
        }
        Ok(report)
    }
}

/// Executions at one combination of sizes, over all values of open parameters.
struct Tally {
    complete: u64,
    blocked: u64,
    failed: u64,
    discarded: u64,
    completeness: Completeness,
}

/// One tally for each combination of sizes; nothing for forms without messages.
fn tallies(task: &Task, overseer: &mut Overseer<'_>) -> Result<Vec<Tally>, Problem> {
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
    let mut sum = Tally {
        complete: 0,
        blocked: 0,
        failed: 0,
        discarded: 0,
        completeness: Completeness::Complete,
    };
    for instance in instances_of(task, sizes)? {
        overseer.stage.bound = instance.bound();
        let machine = Machine::new(&instance, task.subject);
        let Some(found) = executions(&machine, &task.limits, overseer) else {
            return Ok(None);
        };
        sum.complete += found.complete;
        sum.blocked += found.blocked;
        sum.failed += found.failed;
        sum.discarded += found.discarded;
        if found.completeness != Completeness::Complete {
            sum.completeness = found.completeness;
            break;
        }
    }
    Ok(Some(sum))
}

/// Adds the numbers to a verdict. A count that did not come to its end leaves it unknown.
fn complete(verdict: &mut Verdict, tallies: &[Tally], overseer: &Overseer<'_>) {
    let unfinished = tallies
        .iter()
        .find(|tally| tally.completeness != Completeness::Complete);
    let why = match (
        unfinished.map(|tally| &tally.completeness),
        overseer.stopped(),
    ) {
        (_, Some(stop)) => Some(stop.sentence().to_owned()),
        (Some(Completeness::StateLimit), None) => Some("limit on states; see --bound".to_owned()),
        (Some(Completeness::Resource(what)), None) => Some(what.clone()),
        (Some(_), None) => Some("stopped".to_owned()),
        (None, None) => None,
    };
    if let Some(why) = why {
        if verdict.outcome == Outcome::Holds {
            verdict.outcome = Outcome::Unknown;
            let states = count(verdict.states.unwrap_or(0), "state");
            verdict.reason = format!("{why}, while counting executions; nothing wrong in {states}");
        }
        return;
    }
    if let Some(largest) = tallies.last() {
        verdict.executions = Some(largest.complete);
        verdict.blocked = Some(largest.blocked);
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
