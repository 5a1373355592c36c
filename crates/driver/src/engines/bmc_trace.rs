//! Bounded model checking (BMC): executions that a solver suggests, followed by the interpreter.
//!
//! Where a search would have to try every combination of parameters and choices, a solver is asked for values
//! with which something goes wrong ([`plainsong_prove::bounded`]), size by size from the smallest. The
//! interpreter then runs the choreography with these values; what it runs into is refuted like anything else it
//! runs into, and what it does not run into was a bad lead.

use super::explicit_state::{by_one, instances_of};
use super::prove::belongs;
use crate::Problem;
use crate::engine::Task;
use crate::select::Question;
use crate::watch::Overseer;
use plainsong_ir::{SortId, StartValue, Ty};
use plainsong_prove::bounded::{Catch, Hunt, Lead, lead};
use plainsong_prove::obligation::Rule;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Answer, Check, Query, steer};
use plainsong_semantics::sizes::Sizes;
use plainsong_semantics::trace::Trace;
use plainsong_semantics::verdict::{Outcome, Verdict};
use plainsong_smt::{Cancel, Solvers};
use std::collections::BTreeSet;

/// The most sizes that are tried.
const MOST_SIZES: usize = 4;
/// The most lengths of ranges, given by parameters, that are tried at one size.
const MOST_RANGES: usize = 6;

/// What a query about one round of a loop may cost.
const ROUND_RESOURCE: u64 = 2_000_000;

/// The most ways to start among which the start of a trace is looked for, when it is replayed.
pub(super) const MOST_STARTS: usize = 200_000;

/// What a solver says of a question, when there is no run against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Clue {
    /// There is none within the bounds.
    Nothing,
    /// It does not know, or was wrong.
    Unclear,
    /// It was not asked: something is not covered.
    NotAsked,
}

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Rounds of a loop.
    pub(super) rounds: usize,
    /// How much longer sequences may be than usual.
    pub(super) longer: usize,
    /// What one query may cost.
    pub(super) resource: u64,
}

/// Looks for runs against the questions that have no verdict, by leads of a solver. Says of each question
/// what the solver thinks.
pub(super) fn follow_leads(
    task: &Task,
    solvers: &Solvers,
    overseer: &mut Overseer<'_>,
    verdicts: &mut [Option<Verdict>],
    effort: Effort,
) -> Result<Vec<Clue>, Problem> {
    let first = match task.sizes.len() <= MOST_SIZES {
        true => Clue::Nothing,
        false => Clue::Unclear,
    };
    let mut clues = vec![first; verdicts.len()];
    let Subject::Line(line) = task.subject else {
        return Ok(vec![Clue::NotAsked; verdicts.len()]);
    };
    let mut task = task.clone();
    task.bounds.length += effort.longer;
    for (at, sizes) in task.sizes.iter().enumerate().take(MOST_SIZES) {
        let instances = instances_of(&task, sizes)?;
        let (different, all) = with_other_ranges(&instances);
        if !all {
            clues
                .iter_mut()
                .for_each(|clue| *clue = (*clue).max(Clue::Unclear));
        }
        for instance in different {
            for (number, verdict) in verdicts.iter_mut().enumerate() {
                if verdict.is_some() || overseer.look().is_some() {
                    continue;
                }
                let check = task.questions[number].check;
                let finally = at_the_end(check);
                let hunt = Hunt {
                    instance,
                    line,
                    finally: &finally,
                    rounds: effort.rounds,
                    resource: effort.resource,
                    wanted: &|rule: Rule| fails_in_runs(rule) && belongs(rule, check),
                };
                let cancel = Cancel::default();
                let found =
                    overseer.while_working(|| cancel.cancel(), || lead(&hunt, solvers, &cancel));
                let clue = match found {
                    Ok(Catch::Lead(lead)) => {
                        *verdict = followed(&task, overseer, (at, sizes), number, &lead)?;
                        Clue::Unclear
                    }
                    Ok(Catch::Nothing) => Clue::Nothing,
                    Ok(Catch::Unclear) => Clue::Unclear,
                    Err(_) => Clue::NotAsked,
                };
                clues[number] = clues[number].max(clue);
            }
        }
    }
    Ok(clues)
}

/// A run against the one question of a task, by leads at small sizes; few rounds of loops are enough.
pub(super) fn runs_by_leads(
    task: &Task,
    solvers: &Solvers,
    overseer: &mut Overseer<'_>,
) -> Result<Option<(Sizes, Instance, Trace)>, Problem> {
    let (Subject::Line(line), [question]) = (task.subject, &*task.questions) else {
        return Ok(None);
    };
    let finally = at_the_end(question.check);
    for sizes in task.sizes.iter().take(MOST_SIZES) {
        let instances = instances_of(task, sizes)?;
        for instance in with_other_ranges(&instances).0 {
            if overseer.look().is_some() {
                return Ok(None);
            }
            let hunt = Hunt {
                instance,
                line,
                finally: &finally,
                rounds: 2,
                resource: ROUND_RESOURCE,
                wanted: &|rule: Rule| fails_in_runs(rule) && belongs(rule, question.check),
            };
            let cancel = Cancel::default();
            let found =
                overseer.while_working(|| cancel.cancel(), || lead(&hunt, solvers, &cancel));
            if let Ok(Catch::Lead(lead)) = found
                && let Some((instance, trace)) = steered(task, overseer, sizes, question, &lead)?
            {
                return Ok(Some((sizes.clone(), instance, trace)));
            }
        }
    }
    Ok(None)
}

/// The properties of the end that a question is about.
pub(super) fn at_the_end(check: Check) -> Vec<usize> {
    match check {
        Check::Property(property) => vec![property],
        _ => Vec::new(),
    }
}

/// Does a run fail where it does not hold?
pub(super) fn fails_in_runs(rule: Rule) -> bool {
    !rule.is_unchecked()
}

/// The run of a lead, if it goes wrong.
fn steered(
    task: &Task,
    overseer: &mut Overseer<'_>,
    sizes: &Sizes,
    question: &Question,
    lead: &Lead,
) -> Result<Option<(Instance, Trace)>, Problem> {
    let song = task.song.clone();
    let instance = Instance::with_values(song, sizes, &task.bounds, &lead.constants)?;
    let Some(instance) = instance.map(|instance| instance.with_delivery(task.delivery)) else {
        return Ok(None);
    };
    if ways_to_start(&instance, task.subject) > MOST_STARTS {
        return Ok(None);
    }
    let query = Query {
        subject: task.subject,
        checks: vec![question.check],
    };
    let report = steer(&instance, &query, &task.limits, overseer, &lead.steering);
    let refuted = report
        .findings
        .into_iter()
        .find_map(|one| match one.answer {
            Answer::Refuted(trace) => Some(*trace),
            _ => None,
        });
    Ok(refuted.map(|trace| (instance, trace)))
}

/// One instance for each way in which ranges of integers are long; are these all?
pub(super) fn with_other_ranges(instances: &[Instance]) -> (Vec<&Instance>, bool) {
    let mut seen = BTreeSet::new();
    let ranges = |instance: &Instance| -> Vec<(i64, i64)> {
        let sorts = 0..instance.song().sorts.len();
        sorts
            .map(|sort| instance.range(SortId::from(sort)))
            .collect()
    };
    let mut different: Vec<&Instance> = (instances.iter())
        .filter(|instance| seen.insert(ranges(instance)))
        .collect();
    let all = different.len() <= MOST_RANGES;
    different.truncate(MOST_RANGES);
    (different, all)
}

/// The verdict, if the run goes wrong as the solver says.
pub(super) fn followed(
    task: &Task,
    overseer: &mut Overseer<'_>,
    (at, sizes): (usize, &Sizes),
    number: usize,
    lead: &Lead,
) -> Result<Option<Verdict>, Problem> {
    let song = task.song.clone();
    let instance = Instance::with_values(song, sizes, &task.bounds, &lead.constants)?;
    let Some(instance) = instance.map(|instance| instance.with_delivery(task.delivery)) else {
        return Ok(None);
    };
    if ways_to_start(&instance, task.subject) > MOST_STARTS {
        return Ok(None);
    }
    let mut one = task.clone();
    one.questions = vec![task.questions[number].clone()];
    let closed = by_one(
        &one,
        overseer,
        (at, &instance),
        &mut |instance, query, limits, watch| steer(instance, query, limits, watch, &lead.steering),
    );
    let refuted = |verdict: &Verdict| verdict.outcome == Outcome::Refuted;
    let mut verdicts = closed.into_iter().map(|closed| closed.verdict);
    Ok(verdicts.find(refuted))
}

/// In how many ways a choreography can start, as far as types tell.
pub(super) fn ways_to_start(instance: &Instance, subject: Subject) -> usize {
    let Subject::Line(line) = subject else {
        return 1;
    };
    let song = instance.song();
    let decl = &song.lines[line];
    let params = decl.code.locals[..decl.code.arity]
        .iter()
        .map(|one| &one.ty);
    let members = instance.members()[instance.lanes(subject)].iter();
    let chosen = members.flat_map(|member| {
        let vars = song.families[member.family.index()].vars.iter();
        let free = vars.filter(|var| matches!(var.start, StartValue::Choice(_)));
        free.map(|var| &var.ty)
    });
    let ways = |ty: &Ty| instance.choosable(ty).map_or(usize::MAX, |all| all.len());
    params
        .chain(chosen)
        .fold(1, |all: usize, ty| all.saturating_mul(ways(ty)))
}
