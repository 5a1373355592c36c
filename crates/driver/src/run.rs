//! Carrying out a plan, task by task.
//!
//! A task whose engine breaks is asked again question by question, so that one broken question
//! does not cost the others their answers.

use crate::contain::{Crash, contained};
use crate::coverage::{counted, notes};
use crate::engine::{EngineReport, Task};
use crate::plan::{Plan, PlannedTask};
use crate::resume::Ledger;
use crate::watch::{Interrupt, Observer, Overseer, Stage};
use crate::{Problem, Source};
use plainsong_ir::Song;
use plainsong_report::{Answer, Coverage};
use plainsong_semantics::search;
use plainsong_semantics::verdict::{Outcome, Verdict};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What came of a plan.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// One answer for each question, in the order of the plan.
    pub answers: Vec<Answer>,
    /// How much of the text took part.
    pub coverage: Option<Coverage>,
    /// Why some of it could not be asked at all.
    pub problems: Vec<Problem>,
    /// Our own bugs.
    pub crashes: Vec<Crash>,
}

/// Who looks on, and when to stop.
pub struct Supervision<'a> {
    /// Set by Ctrl-C.
    pub interrupt: &'a Interrupt,
    /// Told of progress.
    pub observer: &'a mut dyn Observer,
    /// For each task.
    pub timeout: Option<Duration>,
    /// No further task is begun once so many questions are refuted.
    pub most_refuted: Option<usize>,
    /// Refuted so far, over all files.
    pub refuted: usize,
    /// What earlier runs found, and where this one enters what it finds.
    pub ledger: Option<&'a mut Ledger>,
}

/// Carries out the plan for one file.
pub fn run(
    plan: &Plan,
    source: &Source,
    song: &Song,
    supervision: &mut Supervision<'_>,
) -> Results {
    let mut runner = Runner {
        plan,
        source,
        supervision,
        answers: vec![None; plan.questions.len()],
        coverage: None,
        problems: Vec::new(),
        crashes: Vec::new(),
    };
    for task in &plan.tasks {
        runner.task(task);
    }
    runner.finish(song)
}

struct Runner<'a, 'b> {
    plan: &'a Plan,
    source: &'a Source,
    supervision: &'a mut Supervision<'b>,
    answers: Vec<Option<Answer>>,
    coverage: Option<search::Coverage>,
    problems: Vec<Problem>,
    crashes: Vec<Crash>,
}

impl Runner<'_, '_> {
    fn task(&mut self, planned: &PlannedTask) {
        if let Some(why) = self.not_begun() {
            self.unanswered(&planned.answers, &why);
            return;
        }
        let began = Instant::now();
        match self.attempt(planned, &planned.task) {
            Ok(Ok(report)) => self.enter(planned, &planned.answers, report, began.elapsed()),
            Ok(Err(problem)) => {
                let why = problem.message.clone();
                self.unanswered(&planned.answers, &why);
                self.problems.push(problem.in_file(&self.source.name));
            }
            Err(crash) if planned.answers.len() == 1 => self.crash(&planned.answers, crash),
            Err(_) => self.one_by_one(planned),
        }
    }

    /// The same task with one question at a time.
    fn one_by_one(&mut self, planned: &PlannedTask) {
        for (question, &at) in planned.task.questions.iter().zip(&planned.answers) {
            let task = Task {
                questions: vec![question.clone()],
                ..planned.task.clone()
            };
            self.task(&PlannedTask {
                engine: planned.engine,
                task,
                answers: vec![at],
            });
        }
    }

    fn attempt(
        &mut self,
        planned: &PlannedTask,
        task: &Task,
    ) -> Result<Result<EngineReport, Problem>, Crash> {
        let stage = Stage {
            file: self.source.name.clone(),
            properties: task
                .questions
                .iter()
                .map(|question| question.name.clone())
                .collect(),
            engine: planned.engine.name(),
            ..Stage::default()
        };
        let supervision = &mut *self.supervision;
        let mut overseer = Overseer::new(
            stage,
            supervision.timeout,
            supervision.interrupt,
            supervision.observer,
        );
        overseer.ledger = supervision.ledger.as_deref_mut();
        contained(|| planned.engine.run(task, &mut overseer))
    }

    fn not_begun(&self) -> Option<String> {
        if self.supervision.interrupt.is_set() {
            return Some("interrupted before it was looked at".to_owned());
        }
        let most = self.supervision.most_refuted?;
        (self.supervision.refuted >= most)
            .then(|| format!("not looked at: stopped after {most} refuted"))
    }

    fn enter(
        &mut self,
        planned: &PlannedTask,
        places: &[usize],
        report: EngineReport,
        took: Duration,
    ) {
        for (&at, mut verdict) in places.iter().zip(report.verdicts) {
            let text = &self.source.text;
            verdict.reason = plainsong_sequentialize::with_lines(&verdict.reason, text);
            for note in &mut verdict.notes {
                *note = plainsong_sequentialize::with_lines(note, text);
            }
            if let Some(coverage) = report.coverage.as_ref()
                && verdict.outcome == Outcome::Holds
            {
                let check = self.plan.questions[at].question.check;
                let notes = notes(coverage, check, self.source, &planned.task.song);
                verdict.notes.extend(notes);
            }
            self.supervision.refuted += usize::from(verdict.outcome == Outcome::Refuted);
            self.answers[at] = Some(Answer {
                file: self.source.name.clone(),
                engine: planned.engine.name().to_owned(),
                seconds: took.as_secs_f64(),
                verdict,
                trace_path: None,
                account: None,
            });
        }
        if let Some(one) = report.coverage {
            self.coverage.get_or_insert_default().include(&one);
        }
    }

    fn unanswered(&mut self, places: &[usize], why: &str) {
        for &at in places {
            self.answers[at] = Some(self.unknown(at, why));
        }
    }

    fn crash(&mut self, places: &[usize], crash: Crash) {
        self.unanswered(places, &format!("our own bug: {}", crash.message));
        self.crashes.push(crash);
    }

    fn unknown(&self, at: usize, why: &str) -> Answer {
        let planned = &self.plan.questions[at];
        let verdict = Verdict {
            property: planned.question.name.clone(),
            outcome: Outcome::Unknown,
            bound: BTreeMap::new(),
            reason: why.to_owned(),
            states: None,
            executions: None,
            blocked: None,
            interleavings: None,
            assumptions: Vec::new(),
            notes: Vec::new(),
            trace: None,
        };
        let engine = planned.engine.as_ref().map_or("-", |engine| engine.name());
        Answer {
            file: self.source.name.clone(),
            engine: engine.to_owned(),
            seconds: 0.0,
            verdict,
            trace_path: None,
            account: None,
        }
    }

    fn finish(self, song: &Song) -> Results {
        let mut answers = Vec::new();
        for (at, planned) in self.plan.questions.iter().enumerate() {
            let why = planned
                .engine
                .as_ref()
                .err()
                .map_or("no engine answered", String::as_str);
            answers.push(
                self.answers[at]
                    .clone()
                    .unwrap_or_else(|| self.unknown(at, why)),
            );
        }
        let whole = answers
            .iter()
            .all(|answer| answer.verdict.outcome != Outcome::Unknown);
        let coverage = self
            .coverage
            .filter(|_| whole)
            .map(|found| counted(&found, self.source, song));
        Results {
            answers,
            coverage,
            problems: self.problems,
            crashes: self.crashes,
        }
    }
}
