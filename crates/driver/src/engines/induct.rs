//! The induct engine: `always` and `finally` properties, stated invariants and assertions of systems, by induction, for every size.
//!
//! What is proved was shown by the solver, all claims together ([`plainsong_induct`]); it counts only if a state after `init` was
//! seen at some size, so that it is about something. What is not proved is looked for by a search through the states of small
//! instances, which may refute it; the rest is unknown, with the open obligations and a smallest counterexample to induction.

use super::explicit_state::by_some_states;
use super::response;
use crate::engine::{EngineReport, Task};
use crate::select::Question;
use crate::watch::Overseer;
use crate::{Engine, Problem};
use plainsong_induct::{Ask, Found, Refused, Report, System, prove};
use plainsong_induct::{counterexample, find};
use plainsong_infer::Supervisor;
use plainsong_infer::proof_cache::Remembered;
use plainsong_ir::{Claim, Song};
use plainsong_report::count;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Check, Limits, Query, search};
use plainsong_semantics::verdict::{Assumption, OpenObligation, Outcome, Verdict};
use plainsong_smt::Cancel;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The most states that are looked at for a question that is not proved.
const STATES: u64 = 5_000;
/// The most states that are looked at to see that there is one.
const SOME: u64 = 10;
/// How long invariants are looked for, for one property of `prove`: the search counts what it does, and stops long before on an
/// idle machine.
const SEARCH: Duration = Duration::from_secs(60);
/// How long they are looked for in all where others have looked at states and will: in `check`.
const SEARCH_BESIDE_OTHERS: Duration = Duration::from_secs(3);
/// What assertions are called.
pub(super) const ASSERTIONS: &str = "assertions";

/// Inductive invariants.
pub(super) struct Induct;

impl Engine for Induct {
    fn name(&self) -> &'static str {
        "induct"
    }

    fn needs(&self) -> &'static str {
        "proves what holds in every state by inductive invariants, and responses by measures; needs a solver"
    }

    fn applicable(&self, song: &Song, question: &Question) -> Result<(), String> {
        let is_covered = match question.check {
            Check::Property(at) => match &song.properties[at].claim {
                Claim::Temporal(temporal) => response::may_show(temporal),
                claim => matches!(claim, Claim::Always(_) | Claim::Finally(_)),
            },
            check => check == Check::Assertions,
        };
        if question.subject != Subject::System || !is_covered {
            return Err(
                "it proves `always`, `finally`, invariants, assertions and responses of systems"
                    .to_owned(),
            );
        }
        let system = System::of(&Arc::new(song.clone()));
        system.map(|_| ()).map_err(|refused| refused.why)
    }

    fn run(&self, task: &Task, overseer: &mut Overseer<'_>) -> Result<EngineReport, Problem> {
        let solvers = task.proof.solvers();
        let remembered = Remembered::new(task.proof_key("induct"), solvers);
        let known = task.questions.iter().map(|one| remembered.proof(one));
        if let Some(verdicts) = known.collect() {
            return Ok(EngineReport {
                verdicts,
                coverage: None,
            });
        }
        let cancel = overseer.cancel();
        let shown = |seed| {
            let ask = Ask {
                solvers,
                cancel: &cancel,
                seed,
                recheck: task.proof.recheck,
                dropped: None,
            };
            prove(&task.song, &ask)
        };
        let report = shown(0);
        let empty = nothing_happens(task);
        let first = task.questions.iter();
        let first = first.map(|question| verdict(question, &report, task));
        first
            .filter(|one| one.outcome == Outcome::Proved && empty.is_none())
            .for_each(|one| overseer.proved(&one));
        let mut verdicts = Vec::new();
        let mut patience = Patience::of(task);
        for question in &task.questions {
            if let Some(claim) = response::asked(question, task) {
                verdicts.push(response::verdict(question, claim, task, &empty, overseer));
                continue;
            }
            let mut verdict = verdict(question, &report, task);
            if let (Outcome::Proved, Some(why)) = (verdict.outcome, &empty) {
                verdict = Verdict::unknown(&question.name, why.clone());
            }
            if verdict.outcome == Outcome::Unknown && overseer.look().is_none() {
                let refuted = match task.proof.only_proofs {
                    true => None,
                    false => seen_wrong(task, question, overseer),
                };
                verdict = refuted
                    .or_else(|| found(question, &report, task, &empty, (&mut patience, overseer)))
                    .unwrap_or_else(|| explained(verdict, question, &report, task, &cancel));
            }
            remembered.keep(question, &verdict);
            verdicts.push(verdict);
        }
        for seed in 1..=task.proof.stability {
            let again = shown(seed);
            for (question, first) in task.questions.iter().zip(&mut verdicts) {
                if response::asked(question, task).is_some() {
                    continue;
                }
                let again = verdict(question, &again, task);
                if first.outcome != Outcome::Refuted && again.outcome != first.outcome {
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

/// How long invariants are still looked for.
struct Patience {
    left: Duration,
    /// Do all properties share it?
    is_shared: bool,
}

impl Patience {
    fn of(task: &Task) -> Patience {
        let is_shared = task.proof.only_proofs;
        let left = match is_shared {
            true => SEARCH_BESIDE_OTHERS,
            false => SEARCH,
        };
        Patience { left, is_shared }
    }

    fn spend(&mut self, time: Duration) {
        if self.is_shared {
            self.left = self.left.saturating_sub(time);
        }
    }
}

fn verdict(question: &Question, report: &Result<Report, Refused>, task: &Task) -> Verdict {
    let report = match report {
        Ok(report) => report,
        Err(refused) => return Verdict::unknown(&question.name, &refused.why),
    };
    let found = match question.check {
        Check::Property(at) => report.claims.get(&at),
        _ => Some(&report.gates),
    };
    match found {
        Some(Found::Shown(obligations)) => proved(question, *obligations, report, task),
        Some(Found::Open(open)) => {
            let why = why_open(question, report, open, &task.song);
            Verdict {
                open: open.clone(),
                ..Verdict::unknown(&question.name, why)
            }
        }
        Some(Found::NotCovered(_, why)) => Verdict::unknown(&question.name, why),
        None => {
            let why = "it counts messages that nobody takes, which proofs by induction leave out";
            Verdict::unknown(&question.name, why)
        }
    }
}

/// What is not proved, or which claims it would be shown with.
fn why_open(question: &Question, report: &Report, open: &[OpenObligation], song: &Song) -> String {
    let missed = match question.check {
        Check::Property(at) => report.missed.get(&at).map_or(&[][..], |missed| missed),
        _ => &[],
    };
    if missed.is_empty() {
        let first = &open[0];
        return format!(
            "not proved: {} ({}, {})",
            first.sentence, first.rule, first.why
        );
    }
    let names = missed
        .iter()
        .map(|at| format!("`{}`", song.properties[*at].name));
    let names: Vec<String> = names.collect();
    let (names, are) = match &names[..] {
        [one] => (one.clone(), "is"),
        _ => (names.join(", "), "are"),
    };
    format!("proved only with {names}, which {are} not proved")
}

/// A proof by invariants that nobody stated, which the notes tell.
fn found(
    question: &Question,
    report: &Result<Report, Refused>,
    task: &Task,
    empty: &Option<String>,
    (patience, overseer): (&mut Patience, &mut Overseer<'_>),
) -> Option<Verdict> {
    let (Ok(report), Check::Property(claim), None) = (report, question.check, empty) else {
        return None;
    };
    let is_about_all_states =
        |at: usize| matches!(task.song.properties[at].claim, Claim::Always(_));
    if !is_about_all_states(claim) {
        return None;
    }
    let is_shown = |(at, found): &(&usize, &Found)| {
        matches!(found, Found::Shown(_)) && is_about_all_states(**at)
    };
    let shown = report.claims.iter().filter(is_shown);
    let mut targets: Vec<usize> = shown.map(|(at, _)| *at).collect();
    targets.push(claim);
    let ask = Ask {
        solvers: task.proof.solvers(),
        cancel: &overseer.cancel(),
        seed: 0,
        recheck: task.proof.recheck,
        dropped: None,
    };
    let begun = Instant::now();
    let most = patience.left;
    let mut over = || begun.elapsed() > most || overseer.look().is_some();
    let lemmas = find::lemmas(&task.song, &targets, &ask, &mut over);
    patience.spend(begun.elapsed());
    let lemmas = lemmas?;
    let mut verdict = verdict(question, &Ok(lemmas.report), task);
    if verdict.outcome != Outcome::Proved {
        return None;
    }
    let count = count(lemmas.texts.len() as u64, "invariant");
    verdict.reason.push_str(&format!(", with {count} found"));
    let texts = lemmas.texts.join("\n             ");
    let note = format!("invariants found, to paste into the song:\n             {texts}");
    verdict.notes.push(note);
    Some(verdict)
}

/// With a counterexample to induction, where a smallest one is found.
fn explained(
    mut verdict: Verdict,
    question: &Question,
    report: &Result<Report, Refused>,
    task: &Task,
    cancel: &Cancel,
) -> Verdict {
    if task.proof.only_proofs {
        return verdict;
    }
    let (Ok(report), Check::Property(claim)) = (report, question.check) else {
        return verdict;
    };
    let action = report.endangered.get(&claim);
    let found = action.and_then(|action| {
        let system = System::of(&task.song).ok()?;
        let solvers = task.proof.solvers();
        let found = counterexample::find(&system, claim, *action, solvers, cancel)?;
        Some(found.picture(&system).join("\n             "))
    });
    if let Some(picture) = found {
        let note = format!("not inductive:\n             {picture}");
        verdict.notes.push(note);
    }
    verdict
}

/// A proof; of a claim, provided that nothing fails where that is not proved.
fn proved(question: &Question, obligations: usize, report: &Report, task: &Task) -> Verdict {
    let mut reason = format!("{} shown", count(obligations as u64, "obligation"));
    if let Some(second) = &report.second {
        reason.push_str(&format!("; of all that is shown, {second}"));
    }
    let rests_on_gates =
        question.check != Check::Assertions && !matches!(report.gates, Found::Shown(_));
    Verdict {
        obligations: Some(obligations as u64),
        provided: match rests_on_gates {
            true => vec![ASSERTIONS.to_owned()],
            false => Vec::new(),
        },
        notes: match task.proof.explain {
            true => report.explained.clone(),
            false => Vec::new(),
        },
        ..Verdict::proved(&question.name, reason)
    }
}

/// Why proofs may be about nothing: no state after `init` is found at the sizes of the task.
fn nothing_happens(task: &Task) -> Option<String> {
    let mut why = None;
    for sizes in &task.sizes {
        let instances = match Instance::all(task.song.clone(), sizes, &task.bounds) {
            Ok(instances) => instances,
            Err(error) => {
                why = Some(error.message);
                continue;
            }
        };
        for instance in instances {
            let query = Query {
                subject: Subject::System,
                checks: vec![Check::Assertions],
            };
            let limits = Limits {
                states: SOME,
                refutations: None,
            };
            let report = search(
                &instance,
                &query,
                &limits,
                &mut plainsong_semantics::search::Unwatched,
            );
            if report.states > 0 {
                return None;
            }
        }
    }
    let why = why.unwrap_or_else(|| "no execution was seen that passes `init`".to_owned());
    Some(format!("there may be nothing that this is about: {why}"))
}

/// What an execution refutes, at small sizes.
fn seen_wrong(task: &Task, question: &Question, overseer: &mut Overseer<'_>) -> Option<Verdict> {
    let mut some = task.clone();
    some.questions = vec![question.clone()];
    some.limits.states = STATES;
    // No instance: then there is nothing to run.
    let (closed, _) = by_some_states(&some, overseer, &mut search, STATES).ok()?;
    let mut verdicts = closed.into_iter().map(|closed| closed.verdict);
    verdicts.find(|verdict| verdict.outcome == Outcome::Refuted)
}
