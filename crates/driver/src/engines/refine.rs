//! The refine engine: movers and refinement of procedures, for every size.
//!
//! What is refuted was seen by the interpreter in a small state, which the notes draw; what is proved was
//! shown by the solver; the rest is unknown.

use super::explicit_state::by_some_states;
use crate::engine::{EngineReport, Task};
use crate::select::Question;
use crate::watch::Overseer;
use crate::{Engine, Problem};
use plainsong_infer::proof_cache::Remembered;
use plainsong_ir::failing::place_that_may_fail;
use plainsong_ir::{Claim, Song};
use plainsong_prove::theory::Theory;
use plainsong_refine::answer::{Answer, Proof, Prover};
use plainsong_refine::handlers::Handlers;
use plainsong_refine::refine::Refining;
use plainsong_report::count;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Check, search};
use plainsong_semantics::verdict::{Assumption, Outcome, Verdict};
use plainsong_smt::Cancel;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most states that are looked at for a question that is not proved.
const STATES: u64 = 5_000;

/// Layers, movers and refinement.
pub(super) struct Refine;

impl Engine for Refine {
    fn name(&self) -> &'static str {
        "refine"
    }

    fn needs(&self) -> &'static str {
        "proves movers, refinement of procedures and schedules; needs a solver"
    }

    fn applicable(&self, song: &Song, question: &Question) -> Result<(), String> {
        let sequential = !song.sequences().is_empty();
        if question.subject != Subject::System {
            return Err("it answers for systems".to_owned());
        }
        match question.check {
            Check::Mover(_) | Check::Refines(_) | Check::Sequence(_) => Ok(()),
            Check::Assertions if sequential || is_layered(song) => Ok(()),
            Check::Property(at) if sequential && is_final(song, at) => Ok(()),
            _ if sequential => {
                Err("of a program with schedules it shows assertions and `finally`".to_owned())
            }
            _ => Err("it answers for declared movers, procedures and schedules".to_owned()),
        }
    }

    fn run(&self, task: &Task, overseer: &mut Overseer<'_>) -> Result<EngineReport, Problem> {
        let solvers = task.proof.solvers();
        let remembered = Remembered::new(task.proof_key("refine"), solvers);
        let known = task.questions.iter().map(|one| remembered.proof(one));
        let known: Vec<Option<Verdict>> = known.collect();
        if let Some(verdicts) = known.iter().cloned().collect() {
            return Ok(EngineReport {
                verdicts,
                coverage: None,
            });
        }
        let start = match started(&task.song) {
            Ok(start) => start,
            Err(why) => {
                let unknown = |question| verdict(question, Answer::unknown(why.clone()), task);
                return Ok(EngineReport {
                    verdicts: task.questions.iter().map(unknown).collect(),
                    coverage: None,
                });
            }
        };
        let vacuous = no_instance(task);
        let cancel = Cancel::default();
        let second = Cell::default();
        let mut refining = start();
        let mut theory = Theory::new(refining.song().clone());
        let mut prover = Prover {
            theory: &mut theory,
            solvers,
            cancel: &cancel,
            seed: 0,
            second: task.proof.recheck.then_some(&second),
        };
        let mut verdicts = Vec::new();
        for (question, known) in task.questions.iter().zip(known) {
            if let Some(known) = known {
                verdicts.push(known);
                continue;
            }
            if let Some(stop) = overseer.look() {
                let answer = Answer::unknown(overseer.allowance.sentence(stop));
                verdicts.push(verdict(question, answer, task));
                continue;
            }
            let answer = ask(&mut refining, question, &mut prover);
            let mut verdict = verdict(question, answer, task);
            if verdict.outcome == Outcome::Unknown && cannot_fail(&task.song, question) {
                verdict = nothing_fails(question, task);
            }
            if verdict.outcome == Outcome::Unknown {
                verdict = seen_wrong(task, question, overseer).unwrap_or(verdict);
            }
            verdict
                .assumptions
                .extend(vacuous.as_deref().map(Assumption::vacuous));
            remembered.keep(question, &verdict);
            verdicts.push(verdict);
        }
        if task.proof.recheck {
            let proved = |one: &&mut Verdict| one.outcome == Outcome::Proved;
            for verdict in verdicts.iter_mut().filter(proved) {
                let said = second.get().told();
                verdict
                    .reason
                    .push_str(&format!("; of all that is shown, {said}"));
            }
        }
        for seed in 1..=task.proof.stability {
            prover.seed = seed;
            let mut refining = start();
            for (question, first) in task.questions.iter().zip(&mut verdicts) {
                let again = verdict(question, ask(&mut refining, question, &mut prover), task);
                // A run of the program was found without a solver.
                let is_run = first.trace.is_some() && again.outcome == Outcome::Unknown;
                if again.outcome != first.outcome && !is_run {
                    let note = format!("unstable: {} under seed {seed}", again.outcome.name());
                    first.assumptions.push(Assumption::Other(note));
                }
            }
        }
        Ok(EngineReport {
            verdicts,
            coverage: None,
        })
    }
}

/// Is it asked whether something fails, where nothing can?
fn cannot_fail(song: &Song, question: &Question) -> bool {
    question.check == Check::Assertions && place_that_may_fail(song).is_none()
}

fn nothing_fails(question: &Question, task: &Task) -> Verdict {
    let mut proved = verdict(question, Answer::Proved(Proof::default()), task);
    proved.reason = "nothing in it can fail, at any size".to_owned();
    proved
}

/// Why there may be nothing that the song is about, if no instance of it is found.
fn no_instance(task: &Task) -> Option<String> {
    let mut why = None;
    for sizes in &task.sizes {
        match Instance::all(task.song.clone(), sizes, &task.bounds) {
            Ok(some) if !some.is_empty() => return None,
            Ok(_) => {}
            Err(error) => why = Some(error.message),
        }
    }
    why.map(|why| format!("there may be nothing that this is about: {why}"))
}

/// What runs of the program itself refute, at small sizes: whatever is not proved of a schedule may be false.
fn seen_wrong(task: &Task, question: &Question, overseer: &mut Overseer<'_>) -> Option<Verdict> {
    let is_about_runs = matches!(question.check, Check::Assertions | Check::Property(_));
    if !is_about_runs || is_layered(&task.song) || task.proof.only_proofs {
        return None;
    }
    let mut some = task.clone();
    some.questions = vec![question.clone()];
    some.limits.states = STATES;
    // No instance: then there is nothing to run.
    let Ok((closed, _)) = by_some_states(&some, overseer, &mut search, STATES) else {
        return None;
    };
    let mut verdicts = closed.into_iter().map(|closed| closed.verdict);
    verdicts.find(|verdict| verdict.outcome == Outcome::Refuted)
}

/// How claims about a song begin to be looked at: of voices, as actions.
fn started(song: &Arc<Song>) -> Result<Box<dyn Fn() -> Refining + '_>, String> {
    if song.voices().is_none() {
        return Ok(Box::new(|| Refining::new(song)));
    }
    let handlers = Handlers::of(song).map_err(|why| why.to_string())?;
    Ok(Box::new(move || Refining::of_handlers(handlers.clone())))
}

pub(super) fn is_layered(song: &Song) -> bool {
    let actions = song.actions();
    actions.is_some_and(plainsong_ir::Actions::is_layered)
}

fn is_final(song: &Song, property: usize) -> bool {
    let property = song.properties.get(property);
    property.is_some_and(|property| matches!(property.claim, Claim::Finally(_)))
}

fn ask(refining: &mut Refining, question: &Question, prover: &mut Prover<'_>) -> Answer {
    match question.check {
        Check::Mover(action) => refining.mover(action, prover),
        Check::Refines(procedure) => refining.procedure(procedure, prover),
        Check::Sequence(at) => refining.sequence(at, prover),
        Check::Assertions => refining.assertions(prover),
        Check::Property(at) => refining.finally(at, prover),
        _ => Answer::unknown("this is no question for `refine`".to_owned()),
    }
}

/// Can a machine run what is asked about? Programs with procedures are run by `refine` alone.
pub(super) fn runs(song: &Song, question: &Question) -> Result<(), String> {
    match question.check {
        Check::Mover(_) | Check::Refines(_) | Check::Sequence(_) => Err("ask `refine`".to_owned()),
        Check::Property(at) if matches!(song.properties[at].claim, Claim::Temporal(_)) => {
            Err("ask `liveness`".to_owned())
        }
        _ if is_layered(song) => Err("a program with procedures is checked by `refine`".to_owned()),
        _ => Ok(()),
    }
}

fn verdict(question: &Question, answer: Answer, task: &Task) -> Verdict {
    match answer {
        Answer::Proved(proof) => Verdict {
            obligations: Some(proof.obligations as u64),
            assumptions: proof.notes,
            notes: match task.proof.explain {
                true => proof.explained,
                false => Vec::new(),
            },
            ..Verdict::proved(
                &question.name,
                format!("{} shown", count(proof.obligations as u64, "obligation")),
            )
        },
        Answer::Refuted(refutation) => {
            let mut note = refutation.reason.clone();
            for line in refutation.picture {
                note.push_str("\n             ");
                note.push_str(&line);
            }
            Verdict {
                notes: vec![note],
                ..Verdict::refuted(&question.name, BTreeMap::new(), refutation.reason)
            }
        }
        Answer::Unknown(missing) => Verdict {
            open: missing.open,
            ..Verdict::unknown(&question.name, missing.why)
        },
    }
}
