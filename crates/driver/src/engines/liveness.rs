//! The liveness engine: temporal claims under fairness, instance by instance.
//!
//! `plainsong-liveness` decides each claim on the state graph of an instance; all claims of a task share the graph. It is
//! asked early, when some thousand states are known: a violation among states whose steps are known is real. Where the
//! song leaves nothing open, neither sizes nor windows of integers, and no execution fails, what holds is proved.
//!
//! *The ladder.* The graph is there, so it is asked at the other levels of fairness, too: a verdict says the least
//! fairness that a claim needs, or whether more fairness would help.

use super::diverge::ended_by_window;
use super::explicit_state::instances_of;
use super::verdict_accumulator::Dossier;
use crate::effort::STATES_OF_LIVENESS;
use crate::engine::{EngineReport, Task};
use crate::select::Question;
use crate::watch::Overseer;
use crate::window_flow::{has_window, windows};
use crate::{Engine, Problem};
use plainsong_ir::{Claim, Fairness, Property, Song};
use plainsong_liveness::{Answer, Explored, Finding};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Machine;
use plainsong_semantics::search::{Check, Progress, Watch};
use plainsong_semantics::trace::Ending;
use plainsong_semantics::verdict::{Assumption, Outcome, Verdict};

/// When the graph is looked at for the first time.
const FIRST_LOOK: u64 = 1_000;
/// So many times as many states have to be known before it is looked at again.
const NEXT_LOOK: u64 = 4;

/// Temporal claims under fairness.
pub(super) struct Liveness;

impl Engine for Liveness {
    fn name(&self) -> &'static str {
        "liveness"
    }

    fn needs(&self) -> &'static str {
        "decides `eventually`, `leads to` and the like for fair executions; needs nothing"
    }

    fn is_search(&self) -> bool {
        true
    }

    fn applicable(&self, song: &Song, question: &Question) -> Result<(), String> {
        if temporal_property(song, question).is_none() {
            return Err("it answers temporal claims (`eventually`, `leads to`) only".to_owned());
        }
        match super::refine::is_layered(song) {
            true => Err("it is not for programs with procedures".to_owned()),
            false => Ok(()),
        }
    }

    fn run(&self, task: &Task, overseer: &mut Overseer<'_>) -> Result<EngineReport, Problem> {
        overseer.stage.counted = "state";
        let mut files: Vec<Dossier<'_>> = task.questions.iter().map(Dossier::new).collect();
        let mut ladders = vec![Ladder::default(); files.len()];
        let mut instances = 0;
        'sizes: for (at, sizes) in task.sizes.iter().enumerate() {
            for instance in instances_of(task, sizes)? {
                if files.iter().all(|file| file.refuted.is_some()) || overseer.look().is_some() {
                    break 'sizes;
                }
                instances += 1;
                overseer.stage.bound = instance.bound();
                let machine = Machine::new(&instance, task.subject);
                let verdicts = decide(task, &files, &instance, &machine, &mut ladders, overseer);
                let mut is_over = false;
                for (file, verdict) in files.iter_mut().zip(verdicts) {
                    let Some(verdict) = verdict else { continue };
                    let is_limit = task.grow && verdict.outcome == Outcome::Unknown;
                    is_over |= is_limit;
                    file.enter(at, verdict, is_limit);
                }
                if is_over {
                    break 'sizes;
                }
            }
            files.iter_mut().for_each(|file| file.finish(at));
        }
        if instances == 0 && overseer.stopped().is_none() {
            return Err(Problem::new(
                "no values of the parameters satisfy their `where`",
            ));
        }
        let mut verdicts = Vec::new();
        for (file, ladder) in files.into_iter().zip(ladders) {
            let question = file.question;
            let verdict = file.close(task, overseer).verdict;
            verdicts.push(told(task, question, verdict, ladder, instances, overseer));
        }
        Ok(EngineReport {
            verdicts,
            coverage: None,
        })
    }
}

/// The property of a question, if its claim is temporal.
fn temporal_property<'a>(song: &'a Song, question: &Question) -> Option<&'a Property> {
    match question.check {
        Check::Property(at) => {
            let property = song.properties.get(at)?;
            matches!(property.claim, Claim::Temporal(_)).then_some(property)
        }
        _ => None,
    }
}

/// The level of fairness that a question is asked at.
fn level(task: &Task, property: &Property) -> Fairness {
    let said = match &property.claim {
        Claim::Temporal(temporal) => temporal.fairness(),
        _ => Fairness::Standard,
    };
    task.liveness.level.unwrap_or(said)
}

/// What is known of one question at other levels, and what else a reader should know.
#[derive(Clone, Debug, Default)]
struct Ladder {
    /// The least level at which it holds in every instance so far.
    least: Option<Fairness>,
    /// A stronger level at which the instance that refutes it does not.
    helps: Option<Fairness>,
    vacuous: Option<String>,
}

/// The verdicts of one instance, for the questions that are not refuted yet.
fn decide(
    task: &Task,
    files: &[Dossier<'_>],
    instance: &Instance,
    machine: &Machine,
    ladders: &mut [Ladder],
    overseer: &mut Overseer<'_>,
) -> Vec<Option<Verdict>> {
    let limit = task.effort.states_or(STATES_OF_LIVENESS);
    let mut verdicts: Vec<Option<Verdict>> = vec![None; files.len()];
    let mut graph = Explored::new(machine);
    let mut most = FIRST_LOOK;
    loop {
        let most_now = usize::try_from(most.min(limit)).unwrap_or(usize::MAX);
        let goes_on = graph.explore(most_now, &mut |graph| {
            overseer.keep_going(&Progress {
                states: graph.len() as u64,
                waiting: 0,
                steps: graph.steps,
                depth: 0,
            })
        });
        let is_last = graph.is_complete() || !goes_on || most >= limit;
        for ((file, slot), ladder) in files.iter().zip(&mut verdicts).zip(&mut *ladders) {
            let is_settled = matches!(slot, Some(known) if known.outcome == Outcome::Refuted);
            let Some(property) = temporal_property(&task.song, file.question) else {
                continue;
            };
            if file.refuted.is_some() || is_settled {
                continue;
            }
            let level = level(task, property);
            let answer = graph.ask(property, level);
            if is_last || matches!(answer.finding, Finding::Violated { .. }) {
                climb(&graph, property, level, &answer, ladder);
                *slot = Some(verdict(
                    file.question,
                    instance,
                    &graph,
                    answer,
                    goes_on,
                    overseer,
                ));
            }
        }
        let is_settled = |(file, slot): (&Dossier<'_>, &Option<Verdict>)| {
            file.refuted.is_some() || slot.is_some()
        };
        if is_last || files.iter().zip(&verdicts).all(is_settled) {
            return verdicts;
        }
        most = most.saturating_mul(NEXT_LOOK);
    }
}

/// Asks at the other levels.
fn climb(
    graph: &Explored<'_>,
    property: &Property,
    level: Fairness,
    answer: &Answer,
    ladder: &mut Ladder,
) {
    let holds = |level: Fairness| matches!(graph.ask(property, level).finding, Finding::Holds);
    match &answer.finding {
        Finding::Holds => {
            let known = ladder.least.unwrap_or(Fairness::None);
            let mut levels = Fairness::ALL.into_iter();
            let least = levels.find(|one| *one >= known && (*one >= level || holds(*one)));
            ladder.least = least;
            ladder.vacuous.clone_from(&answer.vacuous);
        }
        Finding::Violated { .. } => {
            let mut levels = Fairness::ALL.into_iter().filter(|one| *one > level);
            ladder.helps = levels.find(|one| holds(*one));
        }
        Finding::Open(_) => {}
    }
}

fn verdict(
    question: &Question,
    instance: &Instance,
    graph: &Explored<'_>,
    answer: Answer,
    goes_on: bool,
    overseer: &Overseer<'_>,
) -> Verdict {
    let (name, bound) = (&question.name, instance.bound());
    let is_windowed = has_window(&bound);
    let in_window = windows(&bound);
    let verdict = match answer.finding {
        Finding::Violated { cuts_steps, .. } if cuts_steps && is_windowed => Verdict::unknown(
            name,
            format!(
                "an execution violates it, but with values outside of the window ({in_window}) a process might go on"
            ),
        ),
        Finding::Violated { trace, .. } => {
            let why = match &trace.ending {
                Ending::Violated { why, .. } => why.clone(),
                _ => String::new(),
            };
            Verdict {
                trace: Some(*trace),
                ..Verdict::refuted(name, bound.clone(), why)
            }
        }
        Finding::Holds if graph.cuts_steps() && is_windowed => Verdict::unknown(
            name,
            format!(
                "no value of the window ({in_window}) passes some condition: executions with others were not looked at"
            ),
        ),
        Finding::Holds => Verdict {
            assumptions: match graph.fails {
                true => vec![Assumption::EndsThere],
                false => Vec::new(),
            },
            ..Verdict::holds(
                name,
                bound.clone(),
                format!("in all {} states", graph.counted()),
            )
        },
        Finding::Open(why) => {
            let limit = match goes_on {
                true => format!("{why}; see --bound states"),
                false => overseer.why_stopped().unwrap_or(why),
            };
            Verdict::unknown(name, limit)
        }
    };
    Verdict {
        bound,
        states: Some(graph.counted()),
        ..verdict
    }
}

/// The verdict over all instances, with the fairness it speaks of.
fn told(
    task: &Task,
    question: &Question,
    mut verdict: Verdict,
    ladder: Ladder,
    instances: usize,
    overseer: &mut Overseer<'_>,
) -> Verdict {
    let Some(property) = temporal_property(&task.song, question) else {
        return verdict;
    };
    let level = level(task, property);
    match verdict.outcome {
        Outcome::Holds | Outcome::Proved => {
            if let Some(why) = ended_by_window(task, &verdict, overseer) {
                verdict.outcome = Outcome::Unknown;
                verdict.reason = why;
                return verdict;
            }
            let fails = verdict.assumptions.contains(&Assumption::EndsThere);
            if verdict.bound.is_empty() && instances == 1 && !fails {
                verdict.outcome = Outcome::Proved;
            }
            verdict.reason = match level {
                Fairness::None => format!("every execution satisfies it: {}", verdict.reason),
                _ => format!(
                    "every fair execution satisfies it ({}): {}",
                    level.sentence(),
                    verdict.reason
                ),
            };
            verdict.notes.extend(match ladder.least {
                Some(Fairness::None) if level > Fairness::None => {
                    Some("no fairness is needed".to_owned())
                }
                Some(least) if least < level => {
                    Some(format!("it is enough that {}", least.sentence()))
                }
                _ => None,
            });
            verdict.vacuous |= ladder.vacuous.is_some();
            verdict.notes.extend(
                ladder
                    .vacuous
                    .map(|why| format!("there was nothing to check: {why}")),
            );
        }
        Outcome::Refuted => verdict.notes.extend(match ladder.helps {
            Some(stronger) => Some(format!(
                "it holds if {} (`--fair {stronger}`)",
                stronger.sentence()
            )),
            None if level < Fairness::Strong => {
                Some("more fairness of processes, actions and messages does not help".to_owned())
            }
            None => None,
        }),
        Outcome::Unknown => {}
    }
    verdict
}
