//! Symmetry reduction of processes: `explore --symmetry`.
//!
//! What can be asked of a state is answered by the search that keeps one state for all that differ in the names of
//! symmetric members (packed, [`plainsong_states::search_processes_up_to_names`]; where that cannot be, by the interpreter,
//! [`plainsong_semantics::process_symmetry`]). What it cannot tell, and questions about termination, go
//! the usual way, and so does everything when no sort is symmetric.
//!
//! Whether a sort is symmetric is asked for each property: one that looks at members in order does not cost the others
//! their symmetry. Properties with the same symmetric sorts are answered by one search. Notes say which sorts were
//! symmetric, what it saved, what tells the members of the others apart, and which property does.

use super::explicit_state::by_states;
use super::packed_processes::search_up_to_names;
use crate::Problem;
use crate::effort::LIMIT;
use crate::engine::{EngineReport, Task};
use crate::select::Question;
use crate::watch::Overseer;
use plainsong_diagnostics::place_marker;
use plainsong_ir::{Song, SortId};
use plainsong_report::{count, thousands};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::process_symmetry::symmetric;
use plainsong_semantics::search::{Check, Coverage, Limits, Query, Watch};
use plainsong_semantics::verdict::{Outcome, Verdict};
use plainsong_states::Symmetry;

/// How a task is answered otherwise.
pub(super) type Otherwise<'a> =
    dyn Fn(&Task, &mut Overseer<'_>) -> Result<EngineReport, Problem> + 'a;

/// Where there were too many executions: says that there may be few states, if names do not matter.
pub(super) fn advise(task: &Task, verdicts: &mut [Verdict]) {
    let is_open = |verdict: &Verdict| {
        verdict.outcome == Outcome::Unknown && verdict.reason.starts_with(LIMIT)
    };
    for (question, verdict) in task.questions.iter().zip(verdicts) {
        if !is_open(verdict) || !is_about_states(&task.song, question.check) {
            continue;
        }
        let (alike, _) = symmetric(&task.song, &[question.check], task.delivery);
        let Some(&sort) = alike.first() else {
            continue;
        };
        let name = &task.song.sorts[sort.index()].name;
        verdict.notes.push(format!(
            "one {name} is like another: --symmetry looks at states up to their names, which may be fewer than executions"
        ));
    }
}

/// Answers a task about an action system, the questions that the same sorts are symmetric for by one search each.
pub(super) fn by_symmetry(
    task: &Task,
    overseer: &mut Overseer<'_>,
    search: &Otherwise<'_>,
) -> Result<EngineReport, Problem> {
    let system = plainsong_states::symmetric(&task.song, &[]);
    let of = |question: &Question| plainsong_states::symmetric(&task.song, &[question.check]);
    let groups = groups(&task.questions, of);
    let is_one = groups.len() == 1;
    let mut known = Vec::new();
    let mut coverage = Coverage::default();
    let mut limits = task.limits;
    for (number, group) in groups.into_iter().enumerate() {
        if number > 0 && task.grow {
            overseer.renew();
        }
        let part = Task {
            questions: group.questions,
            limits,
            ..task.clone()
        };
        let mut report = search(&part, overseer)?;
        limits = after(limits, &report.verdicts);
        let alike = alike(&task.song, &group.alike, None);
        tell(&mut report.verdicts, is_one, alike);
        coverage.include(&report.coverage.unwrap_or_default());
        known.extend(part.questions.into_iter().zip(report.verdicts));
    }
    let mut verdicts = in_order(task, known);
    tell(&mut verdicts, true, others(&task.song, &system));
    say_why(task, &system, of, &mut verdicts);
    Ok(EngineReport {
        verdicts,
        coverage: Some(coverage),
    })
}

/// Answers a task about processes up to names, the questions that the same sorts are symmetric for by one search each.
pub(super) fn by_names(
    task: &Task,
    overseer: &mut Overseer<'_>,
    otherwise: &Otherwise<'_>,
) -> Result<EngineReport, Problem> {
    let about = |question: &&Question| is_about_states(&task.song, question.check);
    let asked: Vec<Question> = task.questions.iter().filter(about).cloned().collect();
    let symmetry = |checks: &[Check]| {
        let (alike, others) = symmetric(&task.song, checks, task.delivery);
        Symmetry { alike, others }
    };
    let (system, of) = (symmetry(&[]), |question: &Question| {
        symmetry(&[question.check])
    });
    let mut groups = groups(&asked, of);
    groups.retain(|group| !group.alike.is_empty());
    let is_one = groups.len() == 1 && groups[0].questions.len() == task.questions.len();
    let mut known = Vec::new();
    let mut coverage = Coverage::default();
    let mut limits = task.limits;
    for (number, group) in groups.into_iter().enumerate() {
        if number > 0 && task.grow {
            overseer.renew();
        }
        let part = Task {
            questions: group.questions,
            limits,
            ..task.clone()
        };
        let mut searched = Searched::default();
        let mut up_to_names = search_up_to_names(task, &group.alike);
        let mut search =
            |instance: &Instance, query: &Query, limits: &Limits, watch: &mut dyn Watch| {
                let found = up_to_names(instance, query, limits, watch);
                searched.kept = found.report.states;
                searched.stand_for = found.stands_for;
                searched.open.extend(found.open);
                found.report
            };
        let (closed, seen) = by_states(&part, overseer, &mut search)?;
        coverage.include(&seen);
        let mut verdicts: Vec<Verdict> = closed.into_iter().map(|closed| closed.verdict).collect();
        limits = after(limits, &verdicts);
        let alike = alike(&task.song, &group.alike, Some(&searched));
        tell(&mut verdicts, is_one, alike);
        let is_left = |(question, verdict): &(Question, Verdict)| {
            verdict.outcome == Outcome::Unknown && searched.open.contains(&question.check)
        };
        let found = part.questions.into_iter().zip(verdicts);
        known.extend(found.filter(|one| !is_left(one)));
    }
    let mut report = complete(task, overseer, known, coverage, otherwise)?;
    tell(&mut report.verdicts, true, others(&task.song, &system));
    say_why(task, &system, of, &mut report.verdicts);
    Ok(report)
}

/// The limits of the next search: what is refuted already counts.
fn after(limits: Limits, verdicts: &[Verdict]) -> Limits {
    let is_refuted = |verdict: &&Verdict| verdict.outcome == Outcome::Refuted;
    let refuted = verdicts.iter().filter(is_refuted).count() as u64;
    Limits {
        refutations: (limits.refutations).map(|most| most.saturating_sub(refuted)),
        ..limits
    }
}

/// Questions that the same sorts are symmetric for.
struct Group {
    alike: Vec<SortId>,
    questions: Vec<Question>,
}

/// The questions by the sorts that are symmetric for each, most of these first: such a search is the shortest.
fn groups(questions: &[Question], symmetry: impl Fn(&Question) -> Symmetry) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for question in questions {
        let alike = symmetry(question).alike;
        match groups.iter_mut().find(|group| group.alike == alike) {
            Some(group) => group.questions.push(question.clone()),
            None => groups.push(Group {
                alike,
                questions: vec![question.clone()],
            }),
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.alike.len()));
    groups
}

/// Says of each question which sorts only it tells apart, and where.
fn say_why(
    task: &Task,
    system: &Symmetry,
    symmetry: impl Fn(&Question) -> Symmetry,
    verdicts: &mut [Verdict],
) {
    for (question, verdict) in task.questions.iter().zip(verdicts) {
        let names = system.alike.iter().map(|sort| name(&task.song, *sort));
        let names: Vec<String> = names.collect();
        if !is_about_states(&task.song, question.check) && !names.is_empty() {
            let names = names.join(" and ");
            verdict.notes.push(format!(
                "searched without the symmetry of {names}: termination properties do not support it"
            ));
            continue;
        }
        for (sort, found) in symmetry(question).others {
            if system.alike.contains(&sort) {
                let (name, place) = (name(&task.song, sort), place_marker(found.span));
                verdict.notes.push(format!(
                    "searched without the symmetry of {name}: {} ({place})",
                    found.why
                ));
            }
        }
    }
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

/// Which states were kept once.
fn alike(song: &Song, alike: &[SortId], searched: Option<&Searched>) -> Vec<String> {
    let names: Vec<String> = alike.iter().map(|sort| name(song, *sort)).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let names = names.join(" and ");
    let saved = searched.map_or(String::new(), |searched| {
        let many = u64::try_from(searched.stand_for).map_or_else(
            |_| "very many".to_owned(),
            |many| format!("at most {}", thousands(many)),
        );
        format!(": {} instead of {many}", count(searched.kept, "state"))
    });
    vec![format!(
        "states that differ only in the names of {names} count once{saved}"
    )]
}

/// Which sorts are not symmetric whatever is asked, and why.
fn others(song: &Song, system: &Symmetry) -> Vec<String> {
    if system.alike.is_empty() && system.others.is_empty() {
        return vec!["there is no symmetry to make use of".to_owned()];
    }
    let told = system.others.iter().map(|(sort, found)| {
        let (sort, place) = (name(song, *sort), place_marker(found.span));
        format!("{sort} is not symmetric: {} ({place})", found.why)
    });
    told.collect()
}

fn name(song: &Song, sort: SortId) -> String {
    format!("`{}`", song.sorts[sort.index()].name)
}

/// Puts notes beside the verdicts, or if they are about all of them, beside the first.
fn tell(verdicts: &mut [Verdict], is_about_all: bool, notes: Vec<String>) {
    let most = match is_about_all {
        true => 1,
        false => verdicts.len(),
    };
    for verdict in verdicts.iter_mut().take(most) {
        verdict.notes.extend(notes.iter().cloned());
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
    Ok(EngineReport {
        verdicts: in_order(task, known.into_iter().chain(later).collect()),
        coverage: Some(coverage),
    })
}

/// The verdicts in the order of the questions.
fn in_order(task: &Task, mut all: Vec<(Question, Verdict)>) -> Vec<Verdict> {
    let place = |(question, _): &(Question, Verdict)| {
        let mut questions = task.questions.iter();
        questions.position(|one| one.check == question.check)
    };
    all.sort_by_key(place);
    all.into_iter().map(|(_, verdict)| verdict).collect()
}

/// Is a check about states, one by one, or about single steps?
fn is_about_states(song: &Song, check: Check) -> bool {
    match check {
        Check::Assertions | Check::NoDeadlock => true,
        Check::Contract | Check::Mover(_) | Check::Refines(_) | Check::Sequence(_) => false,
        Check::Property(at) => !song.properties[at].claim.is_liveness(),
    }
}
