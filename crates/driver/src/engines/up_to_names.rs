//! Processes whose names do not matter: `explore --symmetry`.
//!
//! What can be asked of a state is answered by the search that keeps one state for all that differ in the names of
//! symmetric members ([`plainsong_semantics::names`]). What it cannot tell, and questions about rest, go
//! the usual way, and so does everything when no sort is symmetric. Notes say which sorts were, what
//! it saved, and what tells the members of the others apart.

use super::naive::by_states;
use crate::Problem;
use crate::effort::LIMIT;
use crate::engine::{EngineReport, Task};
use crate::select::Question;
use crate::watch::Overseer;
use plainsong_diagnostics::place_marker;
use plainsong_ir::{Claim, Song, SortId};
use plainsong_report::{count, thousands};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::names::{search_up_to_names, symmetric};
use plainsong_semantics::search::{Check, Coverage, Limits, Query, Watch};
use plainsong_semantics::verdict::{Outcome, Verdict};
use plainsong_states::Symmetry;

/// How a task is answered otherwise.
pub(super) type Otherwise<'a> =
    dyn Fn(&Task, &mut Overseer<'_>) -> Result<EngineReport, Problem> + 'a;

/// Where there were too many executions: says that there may be few states, if names do not matter.
pub(super) fn advise(task: &Task, verdicts: &mut [Verdict]) {
    let open = |verdict: &&mut Verdict| {
        verdict.outcome == Outcome::Unknown && verdict.reason.starts_with(LIMIT)
    };
    let checks: Vec<Check> = task.questions.iter().map(|one| one.check).collect();
    let (alike, _) = symmetric(&task.song, &checks, task.delivery);
    let Some(&sort) = alike.first() else {
        return;
    };
    let name = &task.song.sorts[sort.index()].name;
    for verdict in verdicts.iter_mut().filter(open) {
        verdict.notes.push(format!(
            "one {name} is like another: --symmetry looks at states up to their names, which may be fewer than executions"
        ));
    }
}

/// Answers a task about processes up to names.
pub(super) fn by_names(
    task: &Task,
    overseer: &mut Overseer<'_>,
    otherwise: &Otherwise<'_>,
) -> Result<EngineReport, Problem> {
    let about = |question: &&Question| is_about_states(&task.song, question.check);
    let asked: Vec<Question> = task.questions.iter().filter(about).cloned().collect();
    let checks: Vec<Check> = asked.iter().map(|question| question.check).collect();
    let (alike, others) = symmetric(&task.song, &checks, task.delivery);
    let symmetry = Symmetry { alike, others };
    if symmetry.alike.is_empty() || asked.is_empty() {
        let mut report = otherwise(task, overseer)?;
        tell(&mut report.verdicts, notes(&task.song, &symmetry, None));
        return Ok(report);
    }
    let part = Task {
        questions: asked,
        ..task.clone()
    };
    let mut searched = Searched::default();
    let mut search =
        |instance: &Instance, query: &Query, limits: &Limits, watch: &mut dyn Watch| {
            let found = search_up_to_names(instance, query, &symmetry.alike, limits, watch);
            searched.kept = found.report.states;
            searched.stand_for = found.stands_for;
            searched.open.extend(found.open);
            found.report
        };
    let (closed, coverage) = by_states(&part, overseer, &mut search)?;
    let mut verdicts: Vec<Verdict> = closed.into_iter().map(|closed| closed.verdict).collect();
    tell(&mut verdicts, notes(&task.song, &symmetry, Some(&searched)));
    let known = part.questions.into_iter().zip(verdicts);
    let is_left = |(question, verdict): &(Question, Verdict)| {
        verdict.outcome == Outcome::Unknown && searched.open.contains(&question.check)
    };
    let known: Vec<(Question, Verdict)> = known.filter(|one| !is_left(one)).collect();
    complete(task, overseer, known, coverage, otherwise)
}

/// What the searches came to.
#[derive(Default)]
struct Searched {
    /// States that were kept of the last instance.
    kept: u64,
    /// For how many states they stand.
    stand_for: u128,
    /// What could not be told.
    open: Vec<Check>,
}

/// Which states were kept once, and why not others.
pub(super) fn up_to_names(song: &Song, symmetry: &Symmetry) -> Vec<String> {
    notes(song, symmetry, None)
}

fn notes(song: &Song, symmetry: &Symmetry, searched: Option<&Searched>) -> Vec<String> {
    let name = |sort: &SortId| format!("`{}`", song.sorts[sort.index()].name);
    let alike: Vec<String> = symmetry.alike.iter().map(name).collect();
    let mut told = Vec::new();
    if !alike.is_empty() {
        let names = alike.join(" and ");
        let saved = searched.map_or(String::new(), |searched| {
            let many = u64::try_from(searched.stand_for).map_or_else(
                |_| "very many".to_owned(),
                |many| format!("at most {}", thousands(many)),
            );
            format!(": {} instead of {many}", count(searched.kept, "state"))
        });
        told.push(format!(
            "states that differ only in the names of {names} count once{saved}"
        ));
    }
    for (sort, found) in &symmetry.others {
        let (sort, place) = (name(sort), place_marker(found.span));
        told.push(format!("{sort} is not symmetric: {} ({place})", found.why));
    }
    if told.is_empty() {
        told.push("there is no symmetry to make use of".to_owned());
    }
    told
}

/// Puts notes beside the first verdict.
fn tell(verdicts: &mut [Verdict], notes: Vec<String>) {
    if let Some(first) = verdicts.first_mut() {
        first.notes.extend(notes);
    }
}

/// Answers what is left, and puts all verdicts in the order of the questions.
fn complete(
    task: &Task,
    overseer: &mut Overseer<'_>,
    known: Vec<(Question, Verdict)>,
    mut coverage: Coverage,
    otherwise: &Otherwise<'_>,
) -> Result<EngineReport, Problem> {
    let is_known = |question: &Question| known.iter().any(|(one, _)| one.check == question.check);
    let left: Vec<Question> = task
        .questions
        .iter()
        .filter(|question| !is_known(question))
        .cloned()
        .collect();
    let mut later = Vec::new();
    if !left.is_empty() {
        if task.grow {
            overseer.renew();
        }
        let part = Task {
            questions: left.clone(),
            ..task.clone()
        };
        let report = otherwise(&part, overseer)?;
        if let Some(more) = &report.coverage {
            coverage.include(more);
        }
        later = left.into_iter().zip(report.verdicts).collect();
    }
    let mut all: Vec<(Question, Verdict)> = known.into_iter().chain(later).collect();
    let place = |(question, _): &(Question, Verdict)| {
        let mut questions = task.questions.iter();
        questions.position(|one| one.check == question.check)
    };
    all.sort_by_key(place);
    Ok(EngineReport {
        verdicts: all.into_iter().map(|(_, verdict)| verdict).collect(),
        coverage: Some(coverage),
    })
}

/// Is a check about states, one by one?
fn is_about_states(song: &Song, check: Check) -> bool {
    match check {
        Check::Assertions | Check::NoDeadlock => true,
        Check::Contract | Check::Mover(_) | Check::Refines(_) | Check::Sequence(_) => false,
        Check::Property(at) => !matches!(song.properties[at].claim, Claim::Quiescent { .. }),
    }
}
