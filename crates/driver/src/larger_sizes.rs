//! The sizes around those by default, where nobody chose any.
//!
//! Some claims are false only of a single member, and most searches begin with two. So what holds at two is asked again
//! with one member, of each sort and of all of them, however long two members took: fewer take less.
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
use crate::effort::Level;
use crate::engine::Task;
use crate::plan::{Planned, PlannedTask, Request, engine_named, task_of};
use crate::sizes::{Chosen, Origin, SizeTable, ascending};
use plainsong_ir::Song;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Check, Limits};
use plainsong_semantics::sizes::Sizes;
use plainsong_semantics::verdict::{Outcome, Verdict};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A sort has at least so many members.
const LEAST: i64 = 1;

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
        let engine = searches(one);
        let Some((sizes, engine)) = next_sizes(song, one).zip(engine) else {
            continue;
        };
        let is_same = |other: &&mut PlannedTask| {
            other.task.sizes == sizes
                && other.engine.name() == engine.name()
                && other.task.subject == one.question.subject
        };
        if let Some(existing) = tasks.iter_mut().find(is_same) {
            existing.task.questions.push(one.question.clone());
            existing.answers.push(at);
            continue;
        }
        let task = Task {
            limits: Limits {
                states: MOST_SEEN * u64::from(request.effort.level.at_larger_sizes()),
                ..request.limits()
            },
            ..task_of(song, request, one, sizes)
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

/// The next sizes of a choreography, for who proves it: what is not proved is looked at there, too.
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
        && request.effort.level != Level::Quick
}

/// Who searches at the next sizes; nobody where what answers is no search.
fn searches(planned: &Planned) -> Option<&'static dyn Engine> {
    let engine = *planned.engine.as_ref().ok()?;
    match (engine.is_search(), planned.question.subject) {
        (true, Subject::System) => engine_named("explore"),
        (true, Subject::Line(_)) => engine_named("states"),
        (false, _) => Some(engine).filter(|engine| engine.name() == "diverge"),
    }
}

/// The sizes below those by default and after them, if there are some, the smallest first.
fn next_sizes(song: &Song, planned: &Planned) -> Option<Vec<Sizes>> {
    let by_any = match planned.question.check {
        Check::Property(at) => song.properties.get(at)?.engines.is_empty(),
        _ => true,
    };
    let (mut below, mut after): (SizeTable, SizeTable) =
        (planned.sizes.clone(), planned.sizes.clone());
    let is_free = |one: &&mut Chosen| one.origin == Origin::Default;
    below
        .values_mut()
        .filter(is_free)
        .for_each(|one| one.low = LEAST.min(one.low));
    after
        .values_mut()
        .filter(is_free)
        .for_each(|one| one.high += MORE);
    let free = planned.sizes.values();
    let free = free.filter(|one| one.origin == Origin::Default).count();
    if !by_any || free == 0 || free > MOST_SORTS {
        return None;
    }
    let seen = ascending(&planned.sizes);
    let mut sizes = ascending(&below);
    sizes.extend(ascending(&after));
    sizes.retain(|sizes| !seen.contains(sizes));
    Some(sizes)
}

/// Of the sizes around those by default, the ones below: no sort has more members than by default.
pub(crate) fn below(sizes: &[Sizes], of: &SizeTable) -> Vec<Sizes> {
    let is_small = |sizes: &&Sizes| {
        let mut all = sizes.chosen.iter();
        all.all(|(name, size)| of.get(name).is_none_or(|chosen| *size <= chosen.high))
    };
    sizes.iter().filter(is_small).cloned().collect()
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
