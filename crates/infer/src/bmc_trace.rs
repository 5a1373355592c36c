//! Bounded model checking (BMC): executions that a solver suggests, followed by the interpreter.
//!
//! Where a search would have to try every combination of parameters and choices, a solver is asked for values
//! with which something goes wrong ([`plainsong_prove::bounded`]), size by size from the smallest. The
//! interpreter then runs the choreography with these values; what it runs into is refuted like anything else it
//! runs into, and what it does not run into was a bad lead.

use crate::proof::belongs;
use crate::request::Asked;
use crate::supervisor::Supervisor;
use plainsong_ir::{SortId, StartValue, Ty};
use plainsong_prove::bounded::{Catch, Hunt, Lead, lead};
use plainsong_prove::obligation::Rule;
use plainsong_semantics::instance::{Instance, InstanceError};
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Check, Query, SearchReport, steer};
use plainsong_semantics::sizes::Sizes;
use plainsong_semantics::trace::Trace;
use plainsong_smt::Solvers;
use std::collections::BTreeSet;

/// The most sizes that are tried.
const MOST_SIZES: usize = 4;
/// The most lengths of ranges, given by parameters, that are tried at one size.
const MOST_RANGES: usize = 6;

/// What a query about one round of a loop may cost.
const ROUND_RESOURCE: u64 = 2_000_000;

/// The most ways to start among which the start of a trace is looked for, when it is replayed.
pub(crate) const MOST_STARTS: usize = 200_000;

/// What a solver says of a question, when there is no run against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clue {
    /// There is none within the bounds.
    Nothing,
    /// It does not know, or was wrong.
    Unclear,
    /// It was not asked: something is not covered.
    NotAsked,
}

/// A run that the interpreter made after a lead, and that goes wrong.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// The place of its sizes among those that were asked for.
    pub sizes: usize,
    /// The instance that ran.
    pub instance: Instance,
    /// What the interpreter saw.
    pub report: SearchReport,
}

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Rounds of a loop.
    pub rounds: usize,
    /// How much longer sequences may be than usual.
    pub longer: usize,
    /// What one query may cost.
    pub resource: u64,
}

/// Looks for runs against the questions that have no answer, by leads of a solver. Says of each question
/// what the solver thinks. A question is answered by a refutation, which `enter` takes, or was before.
pub fn follow_leads(
    asked: &Asked,
    solvers: &Solvers,
    supervisor: &mut dyn Supervisor,
    answered: &mut [bool],
    effort: Effort,
    enter: &mut dyn FnMut(usize, Refutation),
) -> Result<Vec<Clue>, InstanceError> {
    let first = match asked.sizes.len() <= MOST_SIZES {
        true => Clue::Nothing,
        false => Clue::Unclear,
    };
    let mut clues = vec![first; answered.len()];
    let Subject::Line(line) = asked.subject else {
        return Ok(vec![Clue::NotAsked; answered.len()]);
    };
    let mut asked = asked.clone();
    asked.bounds.length += effort.longer;
    for (at, sizes) in asked.sizes.iter().enumerate().take(MOST_SIZES) {
        let instances = asked.instances(sizes)?;
        let (different, all) = with_other_ranges(&instances);
        if !all {
            clues
                .iter_mut()
                .for_each(|clue| *clue = (*clue).max(Clue::Unclear));
        }
        for instance in different {
            for (number, answered) in answered.iter_mut().enumerate() {
                if *answered || supervisor.is_over() {
                    continue;
                }
                let check = asked.questions[number].check;
                let finally = at_the_end(check);
                let hunt = Hunt {
                    instance,
                    line,
                    finally: &finally,
                    rounds: effort.rounds,
                    resource: effort.resource,
                    wanted: &|rule: Rule| fails_in_runs(rule) && belongs(rule, check),
                };
                let found = supervisor.while_working(|cancel| lead(&hunt, solvers, cancel));
                let clue = match found {
                    Ok(Catch::Lead(lead)) => {
                        let run = followed(&asked, supervisor, (at, sizes), check, &lead)?;
                        *answered = run.is_some();
                        run.into_iter().for_each(|run| enter(number, run));
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
pub(crate) fn runs_by_leads(
    asked: &Asked,
    solvers: &Solvers,
    supervisor: &mut dyn Supervisor,
) -> Result<Option<(Sizes, Instance, Trace)>, InstanceError> {
    let (Subject::Line(line), [question]) = (asked.subject, &*asked.questions) else {
        return Ok(None);
    };
    let finally = at_the_end(question.check);
    for (at, sizes) in asked.sizes.iter().enumerate().take(MOST_SIZES) {
        let instances = asked.instances(sizes)?;
        for instance in with_other_ranges(&instances).0 {
            if supervisor.is_over() {
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
            let found = supervisor.while_working(|cancel| lead(&hunt, solvers, cancel));
            if let Ok(Catch::Lead(lead)) = found
                && let Some(run) = followed(asked, supervisor, (at, sizes), question.check, &lead)?
                && let Some(trace) = run.report.refutation()
            {
                let trace = trace.clone();
                return Ok(Some((sizes.clone(), run.instance, trace)));
            }
        }
    }
    Ok(None)
}

/// The properties of the end that a question is about.
pub(crate) fn at_the_end(check: Check) -> Vec<usize> {
    match check {
        Check::Property(property) => vec![property],
        _ => Vec::new(),
    }
}

/// Does a run fail where it does not hold?
pub(crate) fn fails_in_runs(rule: Rule) -> bool {
    !rule.is_unchecked()
}

/// The run of a lead, if it goes wrong as the solver says.
pub(crate) fn followed(
    asked: &Asked,
    supervisor: &mut dyn Supervisor,
    (at, sizes): (usize, &Sizes),
    check: Check,
    lead: &Lead,
) -> Result<Option<Refutation>, InstanceError> {
    let song = asked.song.clone();
    let instance = Instance::with_values(song, sizes, &asked.bounds, &lead.constants)?;
    let Some(instance) = instance.map(|instance| instance.with_delivery(asked.delivery)) else {
        return Ok(None);
    };
    if ways_to_start(&instance, asked.subject) > MOST_STARTS {
        return Ok(None);
    }
    let query = Query {
        subject: asked.subject,
        checks: vec![check],
    };
    let report = steer(&instance, &query, &asked.limits, supervisor, &lead.steering);
    Ok(report.refutation().is_some().then_some(Refutation {
        sizes: at,
        instance,
        report,
    }))
}

/// One instance for each way in which ranges of integers are long; are these all?
pub(crate) fn with_other_ranges(instances: &[Instance]) -> (Vec<&Instance>, bool) {
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

/// In how many ways a choreography can start, as far as types tell.
pub(crate) fn ways_to_start(instance: &Instance, subject: Subject) -> usize {
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
