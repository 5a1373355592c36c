//! The next sizes, where nobody chose any.
//!
//! A sort has two members unless somebody says otherwise, and many mistakes need three: a majority of two
//! is everybody. What holds at two, and was quickly seen to, is therefore asked again with three members of
//! each such sort, by a search that ends after some number of executions or states; what is about going quiet, by
//! the same engine. What it refutes is
//! refuted, at the sizes that the verdict names. What it does not refute stays as it was: the verdict is
//! about the sizes by default, and the line `sizes` says how much further one has looked.
//!
//! The search is limited by a number, not by time, so that the same song gets the same answer everywhere;
//! a limit on time is there only for songs whose single steps take long.

use crate::Engine;
use crate::engine::Task;
use crate::plan::{Planned, PlannedTask, Request, engine_named};
use crate::sizes::{Origin, SizeTable, ascending};
use plainsong_ir::{Song, System};
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Check, Limits};
use plainsong_semantics::sizes::Sizes;
use plainsong_semantics::verdict::{Outcome, Verdict};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// So many members more.
const MORE: i64 = 1;

/// Of more sorts than this there are too many combinations.
const MOST_SORTS: usize = 3;

/// The search ends after so many executions, or states.
const MOST_SEEN: u64 = 100_000;

/// What took more states or executions than this at the sizes by default was not quick.
const QUICK: u64 = 20_000;

/// No search takes longer than this.
pub(crate) const MOST_TIME: Duration = Duration::from_secs(10);

/// How much further one has looked, without finding anything wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Further {
    /// The sizes.
    pub bound: BTreeMap<String, String>,
    /// Everything there was seen.
    pub is_whole: bool,
    /// How much was seen: `120 executions`; empty where nothing was counted.
    pub seen: String,
    /// Something holds at the sizes by default and was not asked here.
    pub is_partial: bool,
}

impl Further {
    /// Both: what is true of one and of the other.
    pub(crate) fn and(self, other: Further) -> Further {
        let is_partial = self.is_partial || other.is_partial;
        let less = match self.is_whole {
            true => other,
            false => self,
        };
        Further { is_partial, ..less }
    }
}

/// What may be asked at the next sizes.
pub(crate) fn next(song: &Arc<Song>, request: &Request, planned: &[Planned]) -> Vec<PlannedTask> {
    let mut tasks: Vec<PlannedTask> = Vec::new();
    if !is_asked(request) {
        return tasks;
    }
    for (at, one) in planned.iter().enumerate() {
        let engine = searches(one).filter(|_| !matches!(song.system, System::None));
        let Some((sizes, engine)) = next_sizes(song, one).zip(engine) else {
            continue;
        };
        let is_same = |other: &&mut PlannedTask| {
            other.task.sizes == sizes && other.engine.name() == engine.name()
        };
        if let Some(existing) = tasks.iter_mut().find(is_same) {
            existing.task.questions.push(one.question.clone());
            existing.answers.push(at);
            continue;
        }
        let task = Task {
            song: song.clone(),
            subject: Subject::System,
            questions: vec![one.question.clone()],
            sizes,
            further: Vec::new(),
            grow: false,
            bounds: request.bounds.clone(),
            limits: Limits {
                states: MOST_SEEN,
                ..request.limits()
            },
            effort: request.effort,
            jobs: request.jobs.unwrap_or(1),
            memory: request.memory,
            symmetry: request.symmetry,
            delivery: request.delivery,
            proof: request.proof.clone(),
            rest: request.rest.clone(),
        };
        tasks.push(PlannedTask {
            engine,
            task,
            answers: vec![at],
            otherwise: None,
        });
    }
    tasks
}

/// The next sizes of a choreography, for who proves it: what is not shown is looked at there, too.
pub(crate) fn of_line(song: &Song, request: &Request, planned: &Planned) -> Vec<Sizes> {
    let is_line = matches!(planned.question.subject, Subject::Line(_));
    match is_line && !request.grow && request.sizes.is_empty() {
        true => next_sizes(song, planned).unwrap_or_default(),
        false => Vec::new(),
    }
}

/// Nobody says how big or how much.
fn is_asked(request: &Request) -> bool {
    request.look_further
        && !request.grow
        && !request.every_delivery
        && request.sizes.is_empty()
        && request.effort.states.is_none()
}

/// Who searches at the next sizes; nobody where what answers is no search.
fn searches(planned: &Planned) -> Option<&'static dyn Engine> {
    match planned.engine.as_ref().ok()?.name() {
        _ if planned.question.subject != Subject::System => None,
        "naive" | "explore" => engine_named("explore"),
        "diverge" => engine_named("diverge"),
        _ => None,
    }
}

/// The sizes after those by default, if there are some.
fn next_sizes(song: &Song, planned: &Planned) -> Option<Vec<Sizes>> {
    let by_any = match planned.question.check {
        Check::Property(at) => song.properties.get(at)?.engines.is_empty(),
        _ => true,
    };
    let mut table: SizeTable = planned.sizes.clone();
    let mut free = 0;
    for chosen in table
        .values_mut()
        .filter(|one| one.origin == Origin::Default)
    {
        chosen.high += MORE;
        free += 1;
    }
    if !by_any || free == 0 || free > MOST_SORTS {
        return None;
    }
    let seen = ascending(&planned.sizes);
    let mut sizes = ascending(&table);
    sizes.retain(|sizes| !seen.contains(sizes));
    Some(sizes)
}

/// Does it hold, and was it quick to see?
pub(crate) fn is_quick(verdict: &Verdict) -> bool {
    let seen = verdict.executions.or(verdict.states);
    verdict.outcome == Outcome::Holds && seen.is_some_and(|seen| seen <= QUICK)
}

/// What is said about what was not refuted.
pub(crate) fn account(verdict: &Verdict, task: &Task) -> Further {
    let seen = match (verdict.executions, verdict.states) {
        (Some(number), _) => plainsong_report::count(number, "execution"),
        (None, Some(number)) => plainsong_report::count(number, "state"),
        (None, None) => String::new(),
    };
    let last = task.sizes.last();
    let sizes = last.into_iter().flat_map(|sizes| &sizes.chosen);
    Further {
        bound: sizes
            .map(|(name, size)| (name.clone(), size.to_string()))
            .collect(),
        is_whole: verdict.outcome == Outcome::Holds,
        seen,
        is_partial: false,
    }
}
