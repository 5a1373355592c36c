//! The explore engine: every execution of voices, visited once.
//!
//! Assertions, deadlock, `finally` and `always` are answered by `explore-songs`, which counts executions
//! on the way. What counts messages in flight or is about executions without end (`eventually
//! quiescent`) is answered by the search through states, and the verdict's reason says so. With `--symmetry`
//! states are visited instead of executions, up to names: see `up_to_names`. Where
//! `explore-songs` gives up, the search answers everything, and the reference enumeration of
//! `semantics` counts. Action systems are searched by `states`; where that gives up, and for choreographies,
//! this is the search through states of the interpreter.

use super::execution_counts::{Tally, complete, tallies};
use super::explicit_state::{ExplicitState, by_states, is_limit};
use super::external_outcomes::{Instances, Visited, without_outcomes};
use super::kept_executions::go_on;
use super::packed_processes::{self, by_packed_states, is_packed};
use super::symmetry_reduction::{advise, by_names, by_symmetry};
use super::verdict_accumulator::{Closed, Dossier, open_checks};
use crate::effort::{STATES_WITHOUT_END, limit_on_states};
use crate::engine::{EngineReport, Task};
use crate::select::Question;
use crate::watch::Overseer;
use crate::{Engine, Problem};
use plainsong_explore_songs::{Explored, Finding, GaveUp, Manner, is_about_executions};
use plainsong_ir::{Claim, Song, System};
use plainsong_semantics::constraints::has_constraints;
use plainsong_semantics::executions::ExecutionCount;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::search::{
    Check, Completeness, Coverage, Limits, Query, Watch, reason_against,
};
use plainsong_semantics::verdict::{Assumption, Outcome, Verdict};

/// Every execution once.
pub(super) struct Explore;

impl Engine for Explore {
    fn name(&self) -> &'static str {
        "explore"
    }

    fn needs(&self) -> &'static str {
        "visits every execution of an instance once; needs nothing"
    }

    fn applicable(&self, song: &Song, question: &Question) -> Result<(), String> {
        super::refine::runs(song, question)
    }

    fn is_search(&self) -> bool {
        true
    }

    fn shares(&self, task: &Task) -> bool {
        visits_executions(task) || packs_states(task)
    }

    fn run(&self, task: &Task, overseer: &mut Overseer<'_>) -> Result<EngineReport, Problem> {
        if packs_states(task) {
            return packed(task, overseer);
        }
        // What constraints cut off are states, so all states are searched.
        let is_cut = has_constraints(&task.song) || task.bounds.pending.is_some();
        let by_states =
            |task: &Task, overseer: &mut Overseer<'_>| ExplicitState.run(task, overseer);
        if visits_executions(task) && task.symmetry {
            return match is_cut {
                true => by_names(task, overseer, &by_states),
                false => by_names(task, overseer, &by_executions),
            };
        }
        if !visits_executions(task) || is_cut {
            return by_states(task, overseer);
        }
        let mut report = by_executions(task, overseer)?;
        advise(task, &mut report.verdicts);
        Ok(report)
    }
}

/// Answers a task by visiting every execution, or where that gives up or takes long, every state.
fn by_executions(task: &Task, overseer: &mut Overseer<'_>) -> Result<EngineReport, Problem> {
    let patience = task.effort.first_executions;
    let is_in_pieces = overseer
        .ledger
        .as_ref()
        .is_some_and(|ledger| ledger.queue.is_some());
    if is_in_pieces || !is_packed(task) || task.limits.states <= patience {
        return by_all_executions(task, overseer);
    }
    let mut some = task.clone();
    some.limits.states = patience;
    let before = overseer.ledger.as_deref().cloned();
    let mut first = by_all_executions(&some, overseer)?;
    let is_open = |verdict: &Verdict| verdict.outcome == Outcome::Unknown;
    if overseer.stopped().is_some() || !first.verdicts.iter().any(is_open) {
        return Ok(first);
    }
    // What is left of these is not to be gone on with.
    if let (Some(ledger), Some(before)) = (overseer.ledger.as_deref_mut(), before) {
        *ledger = before;
    }
    let why = match by_packed_states(task, overseer)? {
        Ok(report) => return Ok(report),
        Err(why) => why,
    };
    if let Some(stop) = overseer.stopped() {
        // The limit that these came to is not what ended the run.
        let limit = limit_on_states(&some.limits);
        for verdict in first.verdicts.iter_mut().filter(|one| is_open(one)) {
            verdict.reason = verdict
                .reason
                .replacen(&limit, &overseer.allowance.sentence(stop), 1);
        }
        return Ok(first);
    }
    let mut last = by_all_executions(task, overseer)?;
    for verdict in last.verdicts.iter_mut().filter(|one| is_open(one)) {
        let note = format!("states were searched before: {why}");
        verdict.notes.push(note);
    }
    Ok(last)
}

fn by_all_executions(task: &Task, overseer: &mut Overseer<'_>) -> Result<EngineReport, Problem> {
    match Executions::visit(task, overseer)? {
        Ok(executions) => executions.report(task, overseer),
        Err(gave_up) => state_by_state(task, gave_up, overseer),
    }
}

fn visits_executions(task: &Task) -> bool {
    task.subject == Subject::System && matches!(task.song.system, System::Voices(_))
}

fn packs_states(task: &Task) -> bool {
    task.subject == Subject::System && matches!(task.song.system, System::Actions(_))
}

/// Answers a task about an action system by the search over packed states.
pub(super) fn packed(task: &Task, overseer: &mut Overseer<'_>) -> Result<EngineReport, Problem> {
    match task.symmetry {
        true => by_symmetry(task, overseer, &packed_together),
        false => packed_together(task, overseer),
    }
}

/// The same by one search for all questions.
fn packed_together(task: &Task, overseer: &mut Overseer<'_>) -> Result<EngineReport, Problem> {
    let mut remark = None;
    let mut search =
        |instance: &Instance, query: &Query, limits: &Limits, watch: &mut dyn Watch| {
            let manner = plainsong_states::Manner {
                jobs: task.jobs,
                memory: task.memory,
                up_to_names: task.symmetry,
                ..plainsong_states::Manner::default()
            };
            let searched = plainsong_states::search_in(manner, instance, query, limits, watch);
            if let Some(why) = searched.by_interpreter {
                remark = Some(format!(" (searched by the interpreter: {why})"));
            }
            searched.report
        };
    let (closed, coverage) = by_states(task, overseer, &mut search)?;
    let mut verdicts: Vec<Verdict> = closed.into_iter().map(|closed| closed.verdict).collect();
    if let Some(remark) = remark {
        for verdict in &mut verdicts {
            verdict.reason += &remark;
        }
    }
    Ok(EngineReport {
        verdicts,
        coverage: Some(coverage),
    })
}

/// What the visits to all executions found.
struct Executions<'a> {
    /// What is known about the questions that they answer.
    files: Vec<Dossier<'a>>,
    /// One for each combination of sizes.
    tallies: Vec<Tally>,
    coverage: Coverage,
}

impl<'a> Executions<'a> {
    /// Visits the executions of every instance.
    fn visit(task: &'a Task, overseer: &mut Overseer<'_>) -> Result<Result<Self, GaveUp>, Problem> {
        overseer.stage.counted = "execution";
        let about = |question: &&Question| is_about_executions(&task.song, question.check);
        let mut found = Executions {
            files: task
                .questions
                .iter()
                .filter(about)
                .map(Dossier::new)
                .collect(),
            tallies: Vec::new(),
            coverage: Coverage::default(),
        };
        // Nobody asks about executions: they are not counted for their own sake.
        if found.files.is_empty() {
            return Ok(Ok(found));
        }
        let mut instances = 0;
        'sizes: for (at, sizes) in task.sizes.iter().enumerate() {
            let mut tally = Tally::new();
            let mut all = Instances::new(task, sizes)?;
            while let Some(instance) = all.next() {
                if overseer.look().is_some() {
                    break 'sizes;
                }
                instances += 1;
                overseer.stage.bound = without_outcomes(&instance);
                let machine = Machine::new(&instance, task.subject);
                let checks = open_checks(&found.files);
                let manner = Manner {
                    limits: task.limits,
                    jobs: task.jobs,
                    ..Manner::default()
                };
                let explored = match go_on(&machine, &checks, manner, task, overseer) {
                    Ok(explored) => explored,
                    Err(gave_up) => return Ok(Err(gave_up)),
                };
                found.coverage.include(&explored.coverage);
                let visited = all.visited(&instance, explored.executions());
                let goes_on = match visited {
                    Visited::Divided => true,
                    Visited::Whole | Visited::Open(_) => {
                        tally.add_interleavings(explored.interleavings(&machine));
                        tally.add(&explored.count)
                    }
                };
                let is_limit = is_limit(task, &explored.count.completeness, overseer);
                enter(
                    task,
                    &mut found.files,
                    at,
                    explored,
                    (&instance, &visited),
                    is_limit,
                    overseer,
                );
                if is_limit {
                    break 'sizes;
                }
                if !goes_on {
                    break;
                }
            }
            found.tallies.push(tally);
            found.files.iter_mut().for_each(|file| file.finish(at));
            if is_all_refuted(&found.files, task) {
                break;
            }
        }
        if instances == 0 && overseer.stopped().is_none() {
            return Err(Problem::new(
                "no values of the parameters satisfy their `where`",
            ));
        }
        Ok(Ok(found))
    }

    /// The verdicts, in the order of the questions.
    fn report(self, task: &Task, overseer: &mut Overseer<'_>) -> Result<EngineReport, Problem> {
        let mut coverage = self.coverage;
        let close = |file: Dossier<'_>| file.close(task, overseer);
        let mut visited = self
            .files
            .into_iter()
            .map(close)
            .collect::<Vec<_>>()
            .into_iter();
        let mut searched = the_others(task, overseer, &mut coverage)?.into_iter();
        let mut verdicts = Vec::new();
        for question in &task.questions {
            let closed = if is_about_executions(&task.song, question.check) {
                visited.next().map(without_states)
            } else {
                searched.next()
            };
            let closed = closed.expect("there is one for each question");
            verdicts.push(counted(closed, &self.tallies, &task.limits, overseer));
        }
        Ok(EngineReport {
            verdicts,
            coverage: Some(coverage),
        })
    }
}

/// Is nothing left to ask at larger sizes?
fn is_all_refuted(files: &[Dossier<'_>], task: &Task) -> bool {
    files.len() == task.questions.len() && open_checks(files).is_empty()
}

/// States are not what was counted.
fn without_states(mut closed: Closed) -> Closed {
    closed.verdict.states = None;
    if closed.verdict.outcome == Outcome::Holds {
        closed.give_reason("holds in every execution");
    }
    closed
}

/// With the numbers of executions at the sizes that the verdict is about.
fn counted(closed: Closed, tallies: &[Tally], limits: &Limits, overseer: &Overseer<'_>) -> Verdict {
    let Closed {
        mut verdict, sizes, ..
    } = closed;
    let about = match verdict.outcome {
        Outcome::Unknown => tallies,
        _ => &tallies[..sizes.min(tallies.len())],
    };
    complete(&mut verdict, about, sizes, (limits, overseer));
    verdict
}

/// Enters what the visits to the executions of one instance found.
fn enter(
    task: &Task,
    files: &mut [Dossier<'_>],
    sizes: usize,
    explored: Explored,
    (instance, visited): (&Instance, &Visited),
    is_limit: bool,
    overseer: &Overseer<'_>,
) {
    let bound = without_outcomes(instance);
    let open = files.iter_mut().filter(|file| file.refuted.is_none());
    let Explored {
        count, findings, ..
    } = explored;
    for (file, finding) in open.zip(findings) {
        let verdict = match finding {
            Finding::Refuted(trace) => Verdict {
                trace: Some((*trace).clone()),
                ..Verdict::refuted("", bound.clone(), reason_against(&trace))
            },
            Finding::Unknown(reason) => Verdict {
                bound: bound.clone(),
                ..Verdict::unknown("", reason)
            },
            Finding::NotRefuted => match unseen(&count, &task.limits, overseer) {
                None => Verdict {
                    assumptions: caveats(task, file.question, &count),
                    ..Verdict::holds("", bound.clone(), "")
                },
                Some(reason) => Verdict {
                    bound: bound.clone(),
                    ..Verdict::unknown("", reason)
                },
            },
        };
        if let Some(verdict) = visited.judged(verdict, instance) {
            file.enter(sizes, verdict, is_limit);
        }
    }
}

/// What a reader of `holds` should know.
fn caveats(task: &Task, question: &Question, count: &ExecutionCount) -> Vec<Assumption> {
    let mut caveats = Vec::new();
    if question.check != Check::Assertions && count.failed > 0 {
        caveats.push(Assumption::EndsThere);
    }
    if count.complete + count.blocked + count.failed == 0 && count.discarded > 0 {
        caveats.push(Assumption::AllCut);
    }
    let is_about_the_end = match question.check {
        Check::Property(at) => matches!(task.song.properties[at].claim, Claim::Finally(_)),
        _ => false,
    };
    if is_about_the_end && count.complete == 0 {
        caveats.push(Assumption::NoEnd);
    }
    caveats
}

/// Why not every execution was seen.
fn unseen(count: &ExecutionCount, limits: &Limits, overseer: &Overseer<'_>) -> Option<String> {
    let limit = limit_on_states(limits);
    let why = match &count.completeness {
        Completeness::Complete => return None,
        Completeness::Resource(why) => return Some(why.clone()),
        Completeness::StateLimit => limit,
        Completeness::Stopped | Completeness::Enough => overseer
            .why_stopped()
            .unwrap_or_else(|| "stopped".to_owned()),
    };
    let executions = plainsong_report::count(count.complete, "execution");
    Some(format!("{why} (nothing wrong in the first {executions})"))
}

/// Answers the questions that are not about executions by the search through states.
fn the_others(
    task: &Task,
    overseer: &mut Overseer<'_>,
    coverage: &mut Coverage,
) -> Result<Vec<Closed>, Problem> {
    let others = task
        .questions
        .iter()
        .filter(|question| !is_about_executions(&task.song, question.check));
    let part = Task {
        questions: others.cloned().collect(),
        ..task.clone()
    };
    if part.questions.is_empty() {
        return Ok(Vec::new());
    }
    if task.grow {
        overseer.renew();
    }
    let (mut closed, more) = by_states(&part, overseer, &mut packed_processes::search(&part))?;
    coverage.include(&more);
    for one in &mut closed {
        say(&mut one.verdict, GaveUp::Check);
    }
    Ok(closed)
}

/// Answers everything by the search through states, and counts by the reference enumeration, unless
/// there may be no end of counting.
fn state_by_state(
    task: &Task,
    gave_up: GaveUp,
    overseer: &mut Overseer<'_>,
) -> Result<EngineReport, Problem> {
    if task.grow {
        overseer.renew();
    }
    let mut task = task.clone();
    if gave_up == GaveUp::TooLong {
        let most = task.effort.states_or(STATES_WITHOUT_END);
        task.limits.states = task.limits.states.min(most);
    }
    let task = &task;
    let (mut closed, coverage) = by_states(task, overseer, &mut packed_processes::search(task))?;
    overseer.stage.counted = "execution";
    let tallies = match gave_up {
        GaveUp::TooLong => Vec::new(),
        // With faults that leave the order of messages open there are too many to enumerate.
        GaveUp::CopiesInOrder | GaveUp::LosesFromMailboxes | GaveUp::TooManyCopies => Vec::new(),
        _ if task.grow && overseer.stopped().is_some() => Vec::new(),
        _ => tallies(task, overseer)?,
    };
    for one in &mut closed {
        say(&mut one.verdict, gave_up);
    }
    let counted = |one| counted(one, &tallies, &task.limits, overseer);
    Ok(EngineReport {
        verdicts: closed.into_iter().map(counted).collect(),
        coverage: Some(coverage),
    })
}

/// Says why the search through states answered.
fn say(verdict: &mut Verdict, gave_up: GaveUp) {
    if verdict.outcome == Outcome::Holds {
        let why = gave_up.sentence();
        verdict.reason = format!("{}, searched state by state: {why}", verdict.reason);
    }
}
