//! Explicit-state search, the engine `states`: every state of every instance, breadth first.
//!
//! States of processes are packed ([`plainsong_states`]); action systems and choreographies are searched by the interpreter itself,
//! which is the reference that cleverer engines are tested against. What it says holds, holds for the
//! sizes it looked at; it never says *proved*. Sizes are tried from the smallest, and a question
//! that is refuted is not asked again.

use super::bounds::Bound;
use super::external_outcomes::{Instances, Visited, without_outcomes};
use super::packed_processes;
use super::verdict_accumulator::{Closed, Dossier, open_checks};
use crate::effort::limit_on_states;
use crate::engine::{EngineReport, Task};
use crate::select::Question;
use crate::watch::{Overseer, Stop};
use crate::{Engine, Problem};
use plainsong_ir::Song;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::search::{Completeness, Coverage, Limits, Query, SearchReport, Watch};
use plainsong_semantics::sizes::Sizes;
use plainsong_semantics::verdict::Outcome;

/// Explicit-state search.
pub(super) struct ExplicitState;

impl Engine for ExplicitState {
    fn name(&self) -> &'static str {
        "states"
    }

    fn needs(&self) -> &'static str {
        "searches every state of an instance; needs nothing"
    }

    fn applicable(&self, song: &Song, question: &Question) -> Result<(), String> {
        super::refine::runs(song, question)
    }

    fn is_search(&self) -> bool {
        true
    }

    fn run(&self, task: &Task, overseer: &mut Overseer<'_>) -> Result<EngineReport, Problem> {
        let (closed, coverage) = by_states(task, overseer, &mut packed_processes::search(task))?;
        Ok(EngineReport {
            verdicts: closed.into_iter().map(|closed| closed.verdict).collect(),
            coverage: Some(coverage),
        })
    }
}

/// A search through the states of one instance.
pub(super) type Search<'a> =
    dyn FnMut(&Instance, &Query, &Limits, &mut dyn Watch) -> SearchReport + 'a;

/// Answers a task by a search through states.
pub(super) fn by_states(
    task: &Task,
    overseer: &mut Overseer<'_>,
    search: &mut Search<'_>,
) -> Result<(Vec<Closed>, Coverage), Problem> {
    by_some_states(task, overseer, search, u64::MAX)
}

/// Answers a task by a search that begins with no further instance after so many states: what it does not
/// refute means nothing.
pub(super) fn by_some_states(
    task: &Task,
    overseer: &mut Overseer<'_>,
    search: &mut Search<'_>,
    mut left: u64,
) -> Result<(Vec<Closed>, Coverage), Problem> {
    overseer.stage.counted = "state";
    let mut files: Vec<Dossier> = task.questions.iter().map(Dossier::new).collect();
    let mut coverage = Coverage::default();
    let mut instances = 0;
    'sizes: for (at, sizes) in task.sizes.iter().enumerate() {
        let mut all = Instances::new(task, sizes)?;
        while let Some(instance) = all.next() {
            instances += 1;
            let open = open_checks(&files);
            if open.is_empty() || overseer.look().is_some() {
                break 'sizes;
            }
            let bound = without_outcomes(&instance);
            overseer.stage.bound = bound.clone();
            let query = Query {
                subject: task.subject,
                checks: open,
            };
            let report = search(&instance, &query, &task.limits, overseer);
            if report.completeness != Completeness::Stopped {
                overseer.close_states();
            }
            coverage.include(&report.coverage);
            let is_limit = is_limit(task, &report.completeness, overseer);
            let visited = all.visited(&instance, report.states);
            let about = (&instance, &bound, &visited);
            enter(&mut files, (at, is_limit), &report, about, task, overseer);
            left = left.saturating_sub(report.states);
            if is_limit || left == 0 {
                break 'sizes;
            }
        }
        files.iter_mut().for_each(|file| file.finish(at));
    }
    if instances == 0 && overseer.stopped().is_none() {
        return Err(Problem::new(
            "no values of the parameters satisfy their `where`",
        ));
    }
    let close = |file: Dossier<'_>| file.close(task, overseer);
    Ok((files.into_iter().map(close).collect(), coverage))
}

/// Were sizes to grow, and is this where they had to stop?
pub(super) fn is_limit(task: &Task, completeness: &Completeness, overseer: &Overseer<'_>) -> bool {
    let is_limit = match completeness {
        Completeness::StateLimit => true,
        Completeness::Stopped => overseer.stopped() == Some(Stop::TimeLimit),
        _ => false,
    };
    task.grow && is_limit
}

/// The instances of a task at some sizes.
pub(crate) fn instances_of(task: &Task, sizes: &Sizes) -> Result<Vec<Instance>, Problem> {
    let instances = Instance::all(task.song.clone(), sizes, &task.bounds)?;
    Ok(instances
        .into_iter()
        .map(|instance| instance.with_delivery(task.delivery))
        .collect())
}

/// Enters what a search found into the dossiers of the questions it was about.
fn enter(
    files: &mut [Dossier<'_>],
    (sizes, is_limit): (usize, bool),
    report: &SearchReport,
    (instance, bound, visited): (&Instance, &Bound, &Visited),
    task: &Task,
    overseer: &Overseer<'_>,
) {
    let mut verdicts = report.verdicts(bound);
    if let Some(why) = cut_short(report, &task.limits, overseer) {
        for verdict in verdicts
            .iter_mut()
            .filter(|verdict| verdict.outcome == Outcome::Unknown)
        {
            verdict.reason.clone_from(&why);
        }
    }
    let open = files.iter_mut().filter(|file| file.refuted.is_none());
    for (file, verdict) in open.zip(verdicts) {
        if let Some(verdict) = visited.judged(verdict, instance) {
            file.enter(sizes, verdict, is_limit);
        }
    }
}

/// What to say when the search ended before its time.
fn cut_short(report: &SearchReport, limits: &Limits, overseer: &Overseer<'_>) -> Option<String> {
    let why = match report.completeness {
        Completeness::Stopped => overseer.why_stopped()?,
        Completeness::StateLimit => limit_on_states(limits),
        _ => return None,
    };
    let states = plainsong_report::count(report.states, "state");
    Some(format!("{why} (nothing wrong in the first {states})"))
}
