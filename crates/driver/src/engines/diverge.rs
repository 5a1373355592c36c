//! The diverge engine: non-terminating executions as a lasso (stem and cycle), or a proof that all terminate.
//!
//! `plainsong-diverge` answers for one instance. Sizes are tried from the smallest; a refutation is a real
//! execution whose cycle was executed again from its own end. What terminates does so in the
//! instances that were looked at: that holds within a bound. Where a measure can be shown for every size
//! ([`plainsong_infer::ranking`]), it is proved. Where the song leaves nothing open, neither
//! sizes nor windows of integers, it is proved.

use super::assumptions::trusted;
use super::bounds::Bound;
use super::explicit_state::instances_of;
use super::verdict_accumulator::Dossier;
use crate::effort::{FIRST_STATES, STATES_OF_DIVERGE};
use crate::engine::{EngineReport, Task};
use crate::never_passed::never_passed;
use crate::select::Question;
use crate::watch::Overseer;
use crate::window_flow::has_window;
use crate::window_termination::window_may_end;
use crate::{Engine, Problem};
use plainsong_diverge::translate::Bounds;
use plainsong_diverge::{Fairness, Finding, Method, Report, diverge};
use plainsong_infer::Supervisor;
use plainsong_infer::alive_smt::solved;
use plainsong_infer::covering_orders::{Compatible, compatible};
use plainsong_infer::ranking::{Ranked, ranking};
use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{Block, Body, Claim, Song, StmtKind, System};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::search::{Check, Completeness, Coverage, Limits, Query, name_of, search};
use plainsong_semantics::verdict::{Assumption, Outcome, Verdict};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Divergence and eventual quiescence.
pub(super) struct Diverge;

impl Engine for Diverge {
    fn name(&self) -> &'static str {
        "diverge"
    }

    fn needs(&self) -> &'static str {
        "finds executions that never terminate, or excludes them; needs a solver only to do so for any size"
    }

    fn applicable(&self, song: &Song, question: &Question) -> Result<(), String> {
        super::refine::runs(song, question)?;
        if let Some(action) = song.actions().and_then(plainsong_ir::Actions::repeated) {
            return Err(format!(
                "it counts pending asyncs, and `{}` is always on offer: `explore` looks for cycles of states",
                action.name
            ));
        }
        match (question.subject, claims_termination(song, question)) {
            (Subject::System, Some(_)) => Ok(()),
            _ => Err("it answers `eventually quiescent` only".to_owned()),
        }
    }

    fn run(&self, task: &Task, overseer: &mut Overseer<'_>) -> Result<EngineReport, Problem> {
        overseer.stage.counted = "state";
        let mut verdicts = Vec::new();
        for question in &task.questions {
            let mut verdict = match task.proof.only_proofs {
                true => by_ranking(task, question, overseer),
                false => about(task, question, overseer)?,
            };
            let is_fine = matches!(verdict.outcome, Outcome::Holds | Outcome::Proved);
            if is_fine && is_cut_off(task, overseer) {
                verdict.outcome = Outcome::Unknown;
                verdict.reason = Assumption::AllCut.to_string();
            }
            verdicts.push(verdict);
        }
        Ok(EngineReport {
            verdicts,
            coverage: None,
        })
    }
}

/// Does a question ask whether every execution terminates, and if so, only of fair ones?
pub(crate) fn claims_termination(song: &Song, question: &Question) -> Option<bool> {
    match question.check {
        Check::Property(at) => match song.properties[at].claim {
            Claim::Quiescent { fair } => Some(fair),
            _ => None,
        },
        _ => None,
    }
}

/// The answer to one question over all instances.
fn about(
    task: &Task,
    question: &Question,
    overseer: &mut Overseer<'_>,
) -> Result<Verdict, Problem> {
    let mut file = Dossier::new(question);
    let mut instances = 0;
    let mut why = String::new();
    let mut is_open = false;
    let order = order(task, overseer);
    'sizes: for (at, sizes) in task.sizes.iter().enumerate() {
        for instance in instances_of(task, sizes)? {
            if file.refuted.is_some() || overseer.look().is_some() {
                break 'sizes;
            }
            instances += 1;
            overseer.stage.bound = instance.bound();
            let machine = Machine::new(&instance, Subject::System);
            let machine = match order {
                Some(Ok(_)) => machine.trusting_order(),
                _ => machine,
            };
            let report = ask(task, question, &machine, states(task, is_open), overseer);
            let mut verdict = verdict(question, &instance, report);
            if let (Outcome::Unknown, Some(limit)) = (verdict.outcome, overseer.why_stopped()) {
                verdict.reason = format!("{limit} ({})", verdict.reason);
            }
            is_open |= verdict.outcome == Outcome::Unknown;
            why.clone_from(&verdict.reason);
            let is_limit = task.grow && verdict.outcome == Outcome::Unknown;
            file.enter(at, verdict, is_limit);
            if is_limit {
                break 'sizes;
            }
        }
        file.finish(at);
    }
    if instances == 0 && overseer.stopped().is_none() {
        return Err(Problem::new(
            "no values of the parameters satisfy their `where`",
        ));
    }
    let mut verdict = file.close(task, overseer).verdict;
    match order {
        Some(Ok(known)) => verdict.assumptions.extend(known.notes),
        Some(Err(why)) => not_used(&mut verdict, &why),
        None => {}
    }
    let window = only_within_window(task, &verdict);
    let may_prove = task.liveness.method == Method::All && !verdict.bound.is_empty();
    // A proof for every size also answers where an instance was too large to look at.
    let is_open = matches!(verdict.outcome, Outcome::Holds | Outcome::Unknown);
    // Without one, values outside of the window leave it open.
    if may_prove && (task.liveness.prove || window.is_some()) && is_open {
        match ranked_or_provided(task, overseer) {
            Ok((found, provided)) => {
                let proved = proved(task, found, verdict);
                return Ok(Verdict { provided, ..proved });
            }
            Err(complaint) => verdict.notes.extend(complaint),
        }
    }
    if verdict.outcome == Outcome::Holds {
        let which = match fairness(task, question) {
            Fairness::Any => "every execution",
            Fairness::Fair => "every fair execution",
            Fairness::Resent => "every execution that is fair to what is sent again",
        };
        let where_ = match instances {
            1 => why,
            several => format!("in all {several} instances"),
        };
        verdict.reason = format!("{which} terminates: {where_}");
        if verdict.bound.is_empty() && instances == 1 {
            verdict.outcome = Outcome::Proved;
        } else if let Some(why) = ended_by_window(task, &verdict, overseer).or(window) {
            verdict.outcome = Outcome::Unknown;
            verdict.reason = why;
        }
    }
    Ok(verdict)
}

/// The answer to one question by a ranking function alone, for every size.
fn by_ranking(task: &Task, question: &Question, overseer: &mut Overseer<'_>) -> Verdict {
    let open = Verdict::unknown(&question.name, "no ranking function was found");
    if task.liveness.method != Method::All {
        return open;
    }
    match ranked_or_provided(task, overseer) {
        Ok((found, provided)) => Verdict {
            provided,
            ..proved(task, found, open)
        },
        Err(complaint) => Verdict {
            reason: complaint.unwrap_or(open.reason.clone()),
            ..open
        },
    }
}

/// Why executions with values outside of the window may go on for ever, though all within it terminate.
pub(crate) fn only_within_window(task: &Task, verdict: &Verdict) -> Option<String> {
    if verdict.outcome != Outcome::Holds {
        return None;
    }
    let fails = verdict.assumptions.contains(&Assumption::EndsThere);
    window_may_end(&task.song, &verdict.bound, task.delivery, fails)
}

/// Does an `assume` cut off every execution at all sizes? The states tell, where they are few.
fn is_cut_off(task: &Task, overseer: &mut Overseer<'_>) -> bool {
    if trusted(&task.song).is_empty() {
        return false;
    }
    let query = Query {
        subject: Subject::System,
        checks: vec![Check::Assertions],
    };
    let limits = Limits {
        states: FIRST_STATES,
        refutations: None,
    };
    task.sizes.iter().all(|sizes| {
        let instances = instances_of(task, sizes).unwrap_or_default();
        let mut cut = instances.iter();
        !instances.is_empty() && cut.all(|one| search(one, &query, &limits, overseer).cut)
    })
}

/// Does a condition that no value from a window passes end executions that go on with others? The states tell, where
/// they are few.
pub(super) fn ended_by_window(
    task: &Task,
    verdict: &Verdict,
    overseer: &mut Overseer<'_>,
) -> Option<String> {
    if !has_window(&verdict.bound) {
        return None;
    }
    let limits = Limits {
        states: FIRST_STATES,
        refutations: None,
    };
    let query = Query {
        subject: Subject::System,
        checks: vec![Check::Assertions],
    };
    let mut coverage = Coverage::default();
    for sizes in &task.sizes {
        for instance in instances_of(task, sizes).ok()? {
            let report = search(&instance, &query, &limits, overseer);
            if report.completeness != Completeness::Complete {
                return None;
            }
            coverage.include(&report.coverage);
        }
    }
    never_passed(&task.song, &coverage, &verdict.bound)
}

/// A ranking, and what it rests on. One that is shown without the assertions of the handlers rests on nothing; otherwise
/// they are supposed to hold, as an execution that fails ends.
fn ranked_or_provided(
    task: &Task,
    overseer: &mut Overseer<'_>,
) -> Result<(Ranked, Vec<String>), Option<String>> {
    let Some(bare) = without_assertions(&task.song) else {
        return Ok((ranked(task, overseer)?, Vec::new()));
    };
    let bare = Task {
        song: Arc::new(bare),
        ..task.clone()
    };
    if let Ok(found) = ranked(&bare, overseer) {
        return Ok((found, Vec::new()));
    }
    let name = name_of(&task.song, task.subject, Check::Assertions);
    Ok((ranked(task, overseer)?, name.into_iter().collect()))
}

/// The song without the assertions in its handlers; nothing if there are none.
fn without_assertions(song: &Song) -> Option<Song> {
    struct Dropping(bool);
    impl VisitMut for Dropping {
        fn block(&mut self, block: &mut Block) {
            let before = block.len();
            block.retain(|stmt| !matches!(stmt.kind, StmtKind::Assert(_)));
            self.0 |= block.len() < before;
            walk_mut::block(self, block);
        }
    }
    let mut song = song.clone();
    let mut dropping = Dropping(false);
    if let System::Voices(voices) = &mut song.system {
        let bodies = voices.processes.iter_mut().map(|one| &mut one.body);
        bodies.for_each(|body| match body {
            Body::Sequential(block) => dropping.block(block),
            Body::Handlers(all) => all.iter_mut().for_each(|one| dropping.block(&mut one.body)),
        });
    }
    dropping.0.then_some(song)
}

/// A verdict within a bound that was proved for every size.
fn proved(task: &Task, found: Ranked, verdict: Verdict) -> Verdict {
    let obligations = plainsong_report::count(found.obligations as u64, "obligation");
    Verdict {
        outcome: Outcome::Proved,
        bound: Bound::new(),
        reason: format!("every execution terminates: {} ({obligations})", found.why),
        assumptions: once([trusted(&task.song), found.notes, verdict.assumptions].concat()),
        obligations: Some(found.obligations as u64),
        ..verdict
    }
}

/// Each assumption once.
pub(crate) fn once(all: Vec<Assumption>) -> Vec<Assumption> {
    let mut seen = BTreeSet::new();
    let is_new = |one: &Assumption| seen.insert(one.clone());
    all.into_iter().filter(is_new).collect()
}

/// Says why `covers` was not used: that may be why there is no answer.
fn not_used(verdict: &mut Verdict, why: &str) {
    let why = format!("`covers` is not used: {why}");
    match verdict.outcome {
        Outcome::Unknown => verdict.reason = format!("{}; {why}", verdict.reason),
        _ => verdict.notes.push(why),
    }
}

/// May what `covers` says be used, where the song and the method do?
fn order(task: &Task, overseer: &mut Overseer<'_>) -> Option<Result<Compatible, String>> {
    if !matches!(task.liveness.method, Method::All | Method::Covers) {
        return None;
    }
    let setup = task.proof.setup();
    let order = compatible(&task.song, setup, &overseer.cancel());
    overseer.look();
    order
}

fn fairness(task: &Task, question: &Question) -> Fairness {
    let claimed = match claims_termination(&task.song, question) {
        Some(true) => Fairness::Fair,
        _ => Fairness::Any,
    };
    task.liveness.fairness.unwrap_or(claimed)
}

fn ask(
    task: &Task,
    question: &Question,
    machine: &Machine,
    states: u64,
    overseer: &mut Overseer<'_>,
) -> Report {
    let Check::Property(property) = question.check else {
        panic!("only properties claim rest");
    };
    let question = plainsong_diverge::Question {
        property,
        fairness: fairness(task, question),
        states,
        method: task.liveness.method,
    };
    match (task.liveness.solve, question.method) {
        (true, Method::Alive { delay, recursion }) => {
            let bounds = Bounds {
                delay,
                recursion,
                fair: question.fairness != Fairness::Any,
            };
            solved(machine, &question, bounds, task.proof.solvers(), overseer)
        }
        _ => diverge(machine, &question, overseer),
    }
}

/// Looks for a ranking by local measures, or says why what is declared is none, if something is.
fn ranked(task: &Task, overseer: &mut Overseer<'_>) -> Result<Ranked, Option<String>> {
    let cancel = overseer.cancel();
    ranking(&task.song, task.proof.setup(), &cancel, &mut || {
        overseer.look().is_some()
    })
}

/// The most states of an instance once the answer is open anyway: a larger one can only refute then, which seldom
/// takes many.
const STATES_WHEN_OPEN: u64 = 10_000;

fn states(task: &Task, is_open: bool) -> u64 {
    task.effort.states_or(match is_open {
        true => STATES_WHEN_OPEN,
        false => STATES_OF_DIVERGE,
    })
}

fn verdict(question: &Question, instance: &Instance, report: Report) -> Verdict {
    let (name, bound) = (&question.name, instance.bound());
    let verdict = match report.finding {
        Finding::Diverges(found) => Verdict {
            trace: Some(found.trace),
            ..Verdict::refuted(name, bound, found.repetition.sentence())
        },
        Finding::Rests(why) => Verdict {
            assumptions: match report.fails {
                true => vec![Assumption::EndsThere],
                false => Vec::new(),
            },
            ..Verdict::holds(name, bound, why)
        },
        Finding::Unknown(why) => Verdict {
            bound,
            ..Verdict::unknown(name, why)
        },
    };
    Verdict {
        states: Some(report.steps),
        ..verdict
    }
}
