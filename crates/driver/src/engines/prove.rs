//! The prover: choreographies for every size and every value.
//!
//! What was shown before, under the content of the obligations, is looked up; if that is everything, it
//! is the answer. Otherwise a small bounded search comes first, then the first step of the prover, which shows most of
//! what is right; then runs that a solver suggests
//! ([`plainsong_infer::bmc_trace`]), and where it cannot be asked larger searches: what is wrong is mostly wrong for
//! small values, and a run is the best answer there is. What they do not refute goes to the prover; what the
//! prover leaves open is looked at again with longer sequences, more rounds and more states. *Proved* means that every obligation of the
//! question was shown; *refuted* means that the interpreter ran into it; the rest is unknown, with the
//! obligations that are open and a state that the invariants of loops should not allow
//! ([`plainsong_infer::counterexample_to_induction`]).
//!
//! `check` uses it for choreographies, and explores within its bounds what is not proved.
//!
//! NOT COVERED. Processes and action systems: their code is not sequential. `always` properties of
//! choreographies.

use super::explicit_state::{Search, by_some_states, by_states};
use super::external_answers;
use crate::effort::STATES_OF_OPEN_PROOFS;
use crate::engine::{EngineReport, Task};
use crate::select::Question;
use crate::watch::Overseer;
use crate::{Engine, Problem};
use plainsong_infer::bmc_trace::{self, Clue, Refutation};
use plainsong_infer::bmc_trace_wide;
use plainsong_infer::counterexample_to_induction::explain;
use plainsong_infer::proof::Proof;
use plainsong_infer::proof_cache::Remembered;
use plainsong_ir::{Claim, Function, Song};
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Check, dive, search};
use plainsong_semantics::sizes::External;
use plainsong_semantics::verdict::{Assumption, Outcome, Verdict};
use plainsong_smt::Solvers;

/// How far a search goes.
#[derive(Clone, Copy)]
struct Reach {
    /// States of one instance.
    states: u64,
    /// States of all instances together, more or less.
    in_all: u64,
    /// How much longer sequences may be than usual.
    longer: usize,
}

/// The search that comes first: what is wrong nearby is shown best by its shortest run.
const FIRST: Reach = Reach {
    states: 500,
    in_all: 1_000,
    longer: 0,
};
/// Some runs from beginning to end.
const SOME: Reach = Reach {
    states: 5_000,
    in_all: 5_000,
    longer: 0,
};
/// The search after it.
const FEW: Reach = Reach {
    states: 5_000,
    in_all: 20_000,
    longer: 0,
};
/// The one that comes last.
const MANY: Reach = Reach {
    states: 100_000,
    in_all: 100_000,
    longer: 1,
};
/// How far leads go before the proof.
const LEADS: bmc_trace::Effort = bmc_trace::Effort {
    rounds: 3,
    longer: 0,
    resource: 2_000_000,
};
/// And when it has failed.
const FAR_LEADS: bmc_trace::Effort = bmc_trace::Effort {
    rounds: 5,
    longer: 1,
    resource: 6_000_000,
};

/// Verification conditions and a solver.
pub(super) struct Prove;

impl Engine for Prove {
    fn name(&self) -> &'static str {
        "prove"
    }

    fn needs(&self) -> &'static str {
        "proves choreographies for any size; needs a solver"
    }

    fn applicable(&self, song: &Song, question: &Question) -> Result<(), String> {
        if !matches!(question.subject, Subject::Line(_)) {
            return Err("it proves choreographies, not processes or actions".to_owned());
        }
        match question.check {
            Check::Property(at) => match song.properties.get(at).map(|one| &one.claim) {
                Some(Claim::Finally(_)) => Ok(()),
                _ => Err("of properties it proves `finally` only".to_owned()),
            },
            _ => Ok(()),
        }
    }

    fn run(&self, task: &Task, overseer: &mut Overseer<'_>) -> Result<EngineReport, Problem> {
        let mut verdicts: Vec<Option<Verdict>> = vec![None; task.questions.len()];
        let solvers = task.proof.solvers();
        let remembered = Remembered::new(task.proof_key("prove"), solvers);
        for (question, verdict) in task.questions.iter().zip(&mut verdicts) {
            *verdict = remembered.proof(question);
        }
        if verdicts.iter().all(Option::is_some) {
            return Ok(report(task, verdicts));
        }
        let asked = task.asked();
        let mut proof = Proof::new(&asked, task.proof.manner(), solvers);
        proof.recall(overseer);
        proof.look_for_vacuity(&asked, overseer);
        proof.close(&asked, &mut verdicts);
        if verdicts.iter().any(Option::is_none) {
            refute(task, overseer, &mut verdicts, &mut search, FIRST, |_| true)?;
            proof.try_quickly(&asked, &verdicts, overseer);
            proof.close(&asked, &mut verdicts);
        }
        if verdicts.iter().any(Option::is_none) {
            let clues = follow_leads(task, solvers, overseer, &mut verdicts, LEADS)?;
            let unsure = |at: usize| clues[at] != Clue::Nothing;
            refute(task, overseer, &mut verdicts, &mut dive, SOME, unsure)?;
            let not_asked = |at: usize| clues[at] == Clue::NotAsked;
            refute(task, overseer, &mut verdicts, &mut search, FEW, not_asked)?;
        }
        if verdicts.iter().any(Option::is_none) {
            proof.attempt(&asked, &verdicts, overseer);
            proof.close(&asked, &mut verdicts);
            proof.look_for_unsatisfied(&asked);
            follow_wide_leads(task, solvers, overseer, &mut verdicts)?;
            look_further(task, solvers, overseer, &mut verdicts)?;
            if task.proof.or_explore {
                reopen_conditional(task, &mut verdicts);
                explore(task, overseer, &mut verdicts, &proof)?;
            } else {
                let clues = follow_leads(task, solvers, overseer, &mut verdicts, FAR_LEADS)?;
                let unsure = |at: usize| clues[at] != Clue::Nothing;
                refute(task, overseer, &mut verdicts, &mut search, MANY, unsure)?;
            }
            for (question, verdict) in task.questions.iter().zip(&mut verdicts) {
                if verdict.is_none() {
                    let mut open = proof.open(question);
                    if proof.is_covered() {
                        open.notes = explain(&asked, question, solvers, overseer)?;
                    }
                    *verdict = Some(open);
                }
            }
        }
        for (question, verdict) in task.questions.iter().zip(&verdicts) {
            if let Some(verdict) = verdict {
                remembered.keep(question, verdict);
            }
        }
        Ok(report(task, verdicts))
    }
}

/// Looks for runs at the next sizes, where nobody chose any: a majority of two is everybody.
fn look_further(
    task: &Task,
    solvers: &Solvers,
    overseer: &mut Overseer<'_>,
    verdicts: &mut [Option<Verdict>],
) -> Result<(), Problem> {
    if task.further.is_empty() {
        return Ok(());
    }
    let task = Task {
        sizes: task.further.clone(),
        ..task.clone()
    };
    let clues = follow_leads(&task, solvers, overseer, verdicts, LEADS)?;
    let unsure = |at: usize| clues[at] != Clue::Nothing;
    refute(&task, overseer, verdicts, &mut search, SOME, unsure)
}

fn report(task: &Task, mut verdicts: Vec<Option<Verdict>>) -> EngineReport {
    for (question, verdict) in task.questions.iter().zip(&mut verdicts) {
        if let (Subject::Line(line), Some(verdict)) = (question.subject, verdict)
            && verdict.outcome == Outcome::Proved
            && trusts_contracts(&task.song, verdict)
        {
            let trusted = external_answers::trusted(&task.song, line);
            verdict.assumptions.extend(trusted);
        }
    }
    EngineReport {
        verdicts: verdicts.into_iter().flatten().collect(),
        coverage: None,
    }
}

/// Does a proof rest on the contract of an external function? Of one that was kept only the sentence is left.
fn trusts_contracts(song: &Song, verdict: &Verdict) -> bool {
    let external = song.functions.iter().filter(|one| one.is_external());
    let mut contracts = external.map(|one| Assumption::Contract(one.name.clone()).to_string());
    contracts.any(|text| {
        verdict
            .assumptions
            .iter()
            .any(|one| one.to_string() == text)
    })
}

/// Looks for runs against the questions that have no verdict, where that makes sense after what a solver said.
fn refute(
    task: &Task,
    overseer: &mut Overseer<'_>,
    verdicts: &mut [Option<Verdict>],
    search: &mut Search<'_>,
    reach: Reach,
    makes_sense: impl Fn(usize) -> bool,
) -> Result<(), Problem> {
    let open: Vec<usize> = (0..verdicts.len())
        .filter(|&at| verdicts[at].is_none() && makes_sense(at))
        .collect();
    if open.is_empty() || overseer.look().is_some() {
        return Ok(());
    }
    let mut small = task.clone();
    small.questions = open.iter().map(|&at| task.questions[at].clone()).collect();
    small.limits.states = small.limits.states.min(reach.states);
    small.bounds.length += reach.longer;
    for external in implementations(&task.song) {
        if open.iter().all(|&at| verdicts[at].is_some()) {
            break;
        }
        small.bounds.external = external.clone();
        let (closed, _) = by_some_states(&small, overseer, search, reach.in_all)?;
        for (&at, closed) in open.iter().zip(closed) {
            if verdicts[at].is_none() && closed.verdict.outcome == Outcome::Refuted {
                verdicts[at] = Some(closed.verdict);
            }
        }
    }
    Ok(())
}

/// What external functions return in runs that are looked for because they go wrong: any implementation of
/// their contracts will do. Simple ones first; then it is decided call by call.
fn implementations(song: &Song) -> &'static [External] {
    match song.functions.iter().any(Function::is_external) {
        true => &[External::Least, External::Greatest, External::Refused],
        false => &[External::Refused],
    }
}

/// A proof that rests on a question without a verdict is none: `check` looks at both within its bounds.
fn reopen_conditional(task: &Task, verdicts: &mut [Option<Verdict>]) {
    let open = task.questions.iter().zip(&*verdicts);
    let open: Vec<&str> = open
        .filter(|(_, verdict)| verdict.is_none())
        .map(|(question, _)| question.name.as_str())
        .collect();
    for verdict in verdicts.iter_mut() {
        let rests = |one: &Verdict| {
            one.provided
                .iter()
                .any(|name| open.contains(&name.as_str()))
        };
        if verdict.as_ref().is_some_and(rests) {
            *verdict = None;
        }
    }
}

/// Explores what is not proved, within the bounds of the task, and says so.
fn explore(
    task: &Task,
    overseer: &mut Overseer<'_>,
    verdicts: &mut [Option<Verdict>],
    proof: &Proof<'_>,
) -> Result<(), Problem> {
    let open: Vec<usize> = (0..verdicts.len())
        .filter(|&at| verdicts[at].is_none())
        .collect();
    if open.is_empty() {
        return Ok(());
    }
    let mut rest = task.clone();
    rest.limits.states = task.effort.states_or(STATES_OF_OPEN_PROOFS);
    rest.questions = open.iter().map(|&at| task.questions[at].clone()).collect();
    let (closed, _) = by_states(&rest, overseer, &mut search)?;
    for (at, closed) in open.into_iter().zip(closed) {
        let mut verdict = closed.verdict;
        if matches!(verdict.outcome, Outcome::Holds | Outcome::Unknown) {
            let why = proof.why_open(&task.questions[at]);
            verdict
                .notes
                .push(format!("explored, because it is not proved: {why}"));
        }
        verdicts[at] = Some(verdict);
    }
    Ok(())
}

/// Looks for runs against the questions that have no verdict, by leads of a solver. Says of each question what the
/// solver thinks.
fn follow_leads(
    task: &Task,
    solvers: &Solvers,
    overseer: &mut Overseer<'_>,
    verdicts: &mut [Option<Verdict>],
    effort: bmc_trace::Effort,
) -> Result<Vec<Clue>, Problem> {
    let mut answered: Vec<bool> = verdicts.iter().map(Option::is_some).collect();
    let mut enter = |at: usize, run| verdicts[at] = refuted(&task.questions[at], &run);
    let asked = task.asked();
    Ok(bmc_trace::follow_leads(
        &asked,
        solvers,
        overseer,
        &mut answered,
        effort,
        &mut enter,
    )?)
}

/// The same with integers larger than the usual window.
fn follow_wide_leads(
    task: &Task,
    solvers: &Solvers,
    overseer: &mut Overseer<'_>,
    verdicts: &mut [Option<Verdict>],
) -> Result<(), Problem> {
    let mut answered: Vec<bool> = verdicts.iter().map(Option::is_some).collect();
    let mut enter = |at: usize, run| verdicts[at] = refuted(&task.questions[at], &run);
    let asked = task.asked();
    Ok(bmc_trace_wide::follow_wide_leads(
        &asked,
        solvers,
        overseer,
        &mut answered,
        &mut enter,
    )?)
}

/// The verdict of a run that goes wrong.
fn refuted(question: &Question, run: &Refutation) -> Option<Verdict> {
    let verdicts = run.report.verdicts(&run.instance.bound()).into_iter();
    let mut refuted = verdicts.filter(|verdict| verdict.outcome == Outcome::Refuted);
    refuted.next().map(|verdict| Verdict {
        property: question.name.clone(),
        states: verdict.states.or(Some(0)),
        ..verdict
    })
}
