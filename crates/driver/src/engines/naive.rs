//! The naive engine: every state of every instance, breadth first, by the interpreter itself.
//!
//! It is the reference that cleverer engines are tested against. What it says holds, holds for the
//! sizes it looked at; it never says *proved*. Sizes are tried from the smallest, and a question
//! that is refuted is not asked again.

use super::bounds::{Bound, together};
use crate::engine::{EngineReport, Task};
use crate::select::Question;
use crate::watch::Overseer;
use crate::{Engine, Problem};
use plainsong_ir::Song;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::search::{Check, Completeness, Coverage, Query, SearchReport, search};
use plainsong_semantics::sizes::Sizes;
use plainsong_semantics::verdict::{Outcome, Verdict};

/// Explicit-state search.
pub(super) struct Naive;

impl Engine for Naive {
    fn name(&self) -> &'static str {
        "naive"
    }

    fn needs(&self) -> &'static str {
        "searches every state of an instance; needs nothing"
    }

    fn applicable(&self, _: &Song, _: &Question) -> Result<(), String> {
        Ok(())
    }

    fn run(&self, task: &Task, overseer: &mut Overseer<'_>) -> Result<EngineReport, Problem> {
        overseer.stage.counted = "state";
        let mut files: Vec<Dossier> = task.questions.iter().map(Dossier::new).collect();
        let mut coverage = Coverage::default();
        let mut instances = 0;
        for sizes in &task.sizes {
            if overseer.look().is_some() {
                break;
            }
            for instance in instances_of(task, sizes)? {
                instances += 1;
                let open = open_checks(&files);
                if open.is_empty() || overseer.look().is_some() {
                    break;
                }
                let bound = instance.bound();
                overseer.stage.bound = bound.clone();
                let query = Query {
                    subject: task.subject,
                    checks: open,
                };
                let report = search(&instance, &query, &task.limits, overseer);
                coverage.include(&report.coverage);
                enter(&mut files, &report, &bound, overseer);
            }
            if open_checks(&files).is_empty() {
                break;
            }
        }
        if instances == 0 && overseer.stopped().is_none() {
            return Err(Problem::new(
                "no values of the parameters satisfy their `where`",
            ));
        }
        let verdicts = files.into_iter().map(|file| file.close(overseer)).collect();
        Ok(EngineReport {
            verdicts,
            coverage: Some(coverage),
        })
    }
}

/// The instances of a task at some sizes.
pub(super) fn instances_of(task: &Task, sizes: &Sizes) -> Result<Vec<Instance>, Problem> {
    let instances = Instance::all(task.song.clone(), sizes, &task.bounds)?;
    Ok(instances
        .into_iter()
        .map(|instance| instance.with_delivery(task.delivery))
        .collect())
}

/// What is still to be checked.
pub(super) fn open_checks(files: &[Dossier<'_>]) -> Vec<Check> {
    let open = files.iter().filter(|file| file.refuted.is_none());
    open.map(|file| file.question.check).collect()
}

/// What is known about one question so far.
pub(super) struct Dossier<'a> {
    pub(super) question: &'a Question,
    pub(super) refuted: Option<Verdict>,
    unknown: Option<Verdict>,
    held: Vec<Bound>,
    states: u64,
    reason: String,
    assumptions: Vec<String>,
}

impl<'a> Dossier<'a> {
    pub(super) fn new(question: &'a Question) -> Self {
        Dossier {
            question,
            refuted: None,
            unknown: None,
            held: Vec::new(),
            states: 0,
            reason: String::new(),
            assumptions: Vec::new(),
        }
    }

    pub(super) fn enter(&mut self, verdict: Verdict) {
        self.states += verdict.states.unwrap_or(0);
        match verdict.outcome {
            Outcome::Refuted => self.refuted = Some(verdict),
            Outcome::Unknown => self.unknown = Some(self.unknown.take().unwrap_or(verdict)),
            Outcome::Holds | Outcome::Proved => {
                self.reason.clone_from(&verdict.reason);
                for assumption in verdict.assumptions {
                    if !self.assumptions.contains(&assumption) {
                        self.assumptions.push(assumption);
                    }
                }
                self.held.push(verdict.bound);
            }
        }
    }

    /// The verdict over all instances.
    pub(super) fn close(self, overseer: &Overseer<'_>) -> Verdict {
        let stopped = overseer
            .stopped()
            .filter(|_| self.refuted.is_none() && self.unknown.is_none());
        let mut verdict = match (self.refuted, self.unknown) {
            (Some(refuted), _) => refuted,
            (None, Some(unknown)) => unknown,
            (None, None) => Verdict {
                property: String::new(),
                outcome: Outcome::Holds,
                bound: together(&self.held),
                reason: match self.held.len() {
                    0 | 1 => self.reason,
                    several => {
                        format!("holds in all {} states of {several} instances", self.states)
                    }
                },
                states: None,
                executions: None,
                blocked: None,
                assumptions: self.assumptions,
                trace: None,
            },
        };
        if let Some(stop) = stopped {
            verdict.outcome = Outcome::Unknown;
            verdict.reason = match self.held.len() {
                0 => format!("{}, before it was looked at", stop.sentence()),
                _ => format!("{}; smaller sizes hold", stop.sentence()),
            };
        }
        verdict.property.clone_from(&self.question.name);
        verdict.states = Some(self.states);
        verdict
    }
}

/// Enters what a search found into the dossiers of the questions it was about.
fn enter(files: &mut [Dossier<'_>], report: &SearchReport, bound: &Bound, overseer: &Overseer<'_>) {
    let mut verdicts = report.verdicts(bound);
    if let Some(why) = cut_short(report, overseer) {
        for verdict in verdicts
            .iter_mut()
            .filter(|verdict| verdict.outcome == Outcome::Unknown)
        {
            verdict.reason.clone_from(&why);
        }
    }
    let open = files.iter_mut().filter(|file| file.refuted.is_none());
    for (file, verdict) in open.zip(verdicts) {
        file.enter(verdict);
    }
}

/// What to say when the search ended before its time.
fn cut_short(report: &SearchReport, overseer: &Overseer<'_>) -> Option<String> {
    let why = match report.completeness {
        Completeness::Stopped => overseer.stopped()?.sentence(),
        Completeness::StateLimit => "limit on states; see --bound",
        _ => return None,
    };
    let states = plainsong_report::count(report.states, "state");
    Some(format!("{why} (nothing wrong in the first {states})"))
}
