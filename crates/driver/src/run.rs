//! Carrying out a plan, task by task and stage by stage ([`crate::portfolio`]).
//!
//! A task whose engine breaks is asked again question by question, so that one broken question
//! does not cost the others their answers.

mod ahead;
mod attempts;
mod proofs;

use crate::contain::Crash;
use crate::coverage::{counted, notes};
use crate::effort::{LIMIT, limit_on_states};
use crate::endless::diagnose;
use crate::engine::{EngineReport, Task};
use crate::engines::assumptions::trusted;
use crate::engines::diverge::{claims_termination, only_within_window};
use crate::from_the_text::from_the_text;
use crate::larger_sizes::{self, Further};
use crate::memory::{at_most, resident};
use crate::never_passed::never_passed;
use crate::next_step::next_step;
use crate::only_instance::proved_if_unbounded;
use crate::plan::{Otherwise, Plan, PlannedTask, can_answer, engine_named};
use crate::provided::{not_asked, settle};
use crate::resume::Ledger;
use crate::select::{Question, questions};
use crate::watch::{Allowance, Interrupt, Observer, Part, Stop};
use crate::{Problem, Source};
use ahead::Ahead;
use attempts::Grown;
use plainsong_diagnostics::line_and_column;
use plainsong_ir::Song;
use plainsong_report::{Answer, Attempt, Coverage};
use plainsong_semantics::search;
use plainsong_semantics::verdict::{Assumption, OpenObligation, Outcome, Verdict};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Time enough to begin, and to see that there is no more.
const LEAST_TIME: Duration = Duration::from_millis(10);

/// For each task that is still to come, so large a part of the whole time is kept back: the one before it may need all.
const KEPT: u32 = 4;

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
    /// How much further than the sizes by default one has looked.
    pub further: Option<Further>,
}

/// Who looks on, and when to stop.
pub struct Supervision<'a> {
    /// Set by Ctrl-C.
    pub interrupt: &'a Interrupt,
    /// Told of progress.
    pub observer: &'a mut dyn Observer,
    /// For all tasks of a file together; each gets its share of what is left. A task whose sizes grow takes all of it.
    pub timeout: Option<Duration>,
    /// How many bytes the work may take.
    pub memory: Option<u64>,
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
        song,
        supervision,
        answers: vec![None; plan.questions.len()],
        tried: vec![Vec::new(); plan.questions.len()],
        lacking: vec![Vec::new(); plan.questions.len()],
        proofs: vec![Vec::new(); plan.questions.len()],
        coverage: None,
        problems: Vec::new(),
        crashes: Vec::new(),
        further: None,
        cached: 0,
        began: Instant::now(),
        most: None,
        stopped: None,
        spent: None,
        beside: Vec::new(),
        part: Part::FirstLook,
        ahead: None,
        grown: Grown::default(),
    };
    runner.search_or_prove();
    runner.part = Part::LargerSizes;
    let mut asked = Vec::new();
    for task in &plan.further {
        asked.extend(runner.look_further(task));
    }
    runner.say_what_was_not_asked(&asked);
    runner.adopt_conditional();
    runner.look_at_conditions();
    runner.finish()
}

struct Runner<'a, 'b> {
    plan: &'a Plan,
    source: &'a Source,
    song: &'a Song,
    supervision: &'a mut Supervision<'b>,
    answers: Vec<Option<Answer>>,
    /// Who was asked, question by question.
    tried: Vec<Vec<Attempt>>,
    /// The notes on what an answer had no case for, if nothing else makes it vacuous.
    lacking: Vec<Vec<String>>,
    /// Proofs that are no answers yet.
    proofs: Vec<Vec<Answer>>,
    coverage: Option<search::Coverage>,
    problems: Vec<Problem>,
    crashes: Vec<Crash>,
    further: Option<Further>,
    /// How many entries of the cache the last attempt used.
    cached: u64,
    began: Instant,
    /// How long the task at hand may take.
    most: Option<Duration>,
    /// Why the engine at hand was stopped, if it was.
    stopped: Option<Stop>,
    /// The engine that was stopped last by a limit, and the question it was at.
    spent: Option<(&'static str, String)>,
    /// What proofs rest on and nobody asked for.
    beside: Vec<Answer>,
    /// The part of the portfolio.
    part: Part,
    /// Searches that are begun while proofs go on.
    ahead: Option<Ahead>,
    /// What grows without end, where the last attempt was asked to look.
    grown: Grown,
}

impl Runner<'_, '_> {
    /// How long a task may take when so many are left, this one among them.
    fn share(&self, planned: &PlannedTask, tasks: usize) -> Option<Duration> {
        let whole = self.supervision.timeout?;
        if planned.task.grow {
            return Some(whole);
        }
        let left = whole.saturating_sub(self.began.elapsed());
        let tasks = u32::try_from(tasks.max(1)).unwrap_or(u32::MAX);
        let kept = (whole / KEPT).saturating_mul(tasks - 1);
        Some(left.saturating_sub(kept).max(left / tasks))
    }

    /// The stages before larger sizes.
    fn search_or_prove(&mut self) {
        let plan = self.plan;
        let later = usize::from(!plan.proofs.is_empty());
        let mut left = Vec::new();
        for (at, planned) in plan.tasks.iter().enumerate() {
            self.most = self.share(planned, plan.tasks.len() - at + later);
            match self.is_proved_later(planned) {
                true => left.push((planned, self.first_look(planned))),
                false => self.task(planned),
            }
        }
        self.part = Part::Proofs;
        self.prove_from_the_text_alone();
        self.begin_ahead(&left);
        self.prove();
        self.part = Part::Search;
        for (at, (planned, open)) in left.iter().enumerate() {
            self.most = self.share(planned, left.len() - at);
            let is_open = |place: &&usize| {
                let answer = &self.answers[planned.answers[**place]];
                outcome_of(answer) == Some(Outcome::Unknown)
            };
            let open: Vec<usize> = open.iter().filter(is_open).copied().collect();
            self.otherwise(planned, &open, Duration::ZERO);
        }
        // What was begun for nothing ends.
        self.ahead = None;
        self.adopt();
    }

    fn task(&mut self, planned: &PlannedTask) {
        let began = Instant::now();
        let open = self.ask(planned);
        self.otherwise(planned, &open, began.elapsed());
    }

    /// Asks before there is a proof; what is left open. What was seen until a limit says nothing about the rest of the
    /// text, and nothing goes on from there.
    fn first_look(&mut self, planned: &PlannedTask) -> Vec<usize> {
        let ledger = self.supervision.ledger.take();
        let coverage = self.coverage.clone();
        let open = self.ask(planned);
        self.supervision.ledger = ledger;
        if !open.is_empty() {
            self.coverage = coverage;
        }
        open
    }

    /// Asks an engine; what it leaves open for another one.
    fn ask(&mut self, planned: &PlannedTask) -> Vec<usize> {
        if let Some(why) = self.not_begun() {
            self.unanswered(&planned.answers, &why);
            return Vec::new();
        }
        let began = Instant::now();
        match self.attempt(planned, &planned.task) {
            Ok(Ok(report)) => {
                let open = left_open(planned, &report);
                self.enter(planned, &planned.answers, report, began.elapsed());
                // Who was stopped by a limit of the user has the last word.
                let Some(stop) = self.stopped else {
                    return open;
                };
                self.stopped_by_the_user(planned, &open, stop);
            }
            Ok(Err(problem)) => {
                let why = problem.message.clone();
                self.unanswered(&planned.answers, &why);
                self.problems.push(problem.in_file(&self.source.name));
            }
            Err(crash) if planned.answers.len() == 1 => self.crash(&planned.answers, crash),
            Err(_) => self.one_by_one(planned),
        }
        Vec::new()
    }

    /// The same task with one question at a time.
    fn one_by_one(&mut self, planned: &PlannedTask) {
        let whole = self.most;
        let began = Instant::now();
        for (question, &at) in planned.task.questions.iter().zip(&planned.answers) {
            self.most = whole.map(|whole| whole.saturating_sub(began.elapsed()).max(LEAST_TIME));
            let task = Task {
                questions: vec![question.clone()],
                ..planned.task.clone()
            };
            self.task(&PlannedTask {
                engine: planned.engine,
                task,
                answers: vec![at],
                otherwise: planned.otherwise,
            });
        }
    }

    /// Asks another engine what this one leaves open. If there is no time left it is the one to say so: the limit that the
    /// first one came to is not the user's.
    fn otherwise(&mut self, planned: &PlannedTask, open: &[usize], took: Duration) {
        let mut open = open.to_vec();
        if planned.otherwise.is_some() {
            open.retain(|&place| !self.is_seen_from_the_text(planned, place));
        }
        let open = &open[..];
        let Some(otherwise) = planned.otherwise.filter(|_| !open.is_empty()) else {
            return;
        };
        let whole = self.most;
        let left = whole.map(|whole| whole.saturating_sub(took));
        if left.is_some_and(|left| left < LEAST_TIME) {
            self.out_of_time(planned, open);
            return;
        }
        if let Some(why) = self.not_begun() {
            let places: Vec<usize> = open.iter().map(|&place| planned.answers[place]).collect();
            self.unanswered(&places, &why);
            return;
        }
        self.most = left;
        let second = second(planned, otherwise, open);
        self.grown = Grown::default();
        self.task(&second);
        self.most = whole;
        for at in second.answers {
            if let (Some(answer), Some(growth)) = (&mut self.answers[at], self.grown.get()) {
                diagnose(&mut answer.verdict, growth);
            }
        }
    }

    /// There are too many states to look at, but the text alone says that nothing can go wrong.
    fn is_seen_from_the_text(&mut self, planned: &PlannedTask, place: usize) -> bool {
        let at = planned.answers[place];
        let answer = self.answers[at].as_ref();
        let is_limit = answer.is_some_and(|answer| answer.verdict.reason.contains(LIMIT));
        is_limit && self.prove_from_the_text(at)
    }

    /// Replaces an answer about the system by a proof, if the text alone says that nothing can go wrong.
    fn prove_from_the_text(&mut self, at: usize) -> bool {
        let check = self.plan.questions[at].question.check;
        let (Some(answer), Some(why)) = (&mut self.answers[at], from_the_text(self.song, check))
        else {
            return false;
        };
        answer.verdict = Verdict {
            outcome: Outcome::Proved,
            reason: why.to_owned(),
            bound: BTreeMap::new(),
            assumptions: trusted(self.song),
            provided: Vec::new(),
            states: None,
            ..answer.verdict.clone()
        };
        true
    }

    /// What an engine left open when a limit of the user's was reached: a limit of its own is not the reason.
    fn stopped_by_the_user(&mut self, planned: &PlannedTask, open: &[usize], stop: Stop) {
        if planned.otherwise.is_none() {
            return;
        }
        let allowance = Allowance {
            time: self.supervision.timeout,
            share: None,
            memory: self.supervision.memory,
        };
        let own = limit_on_states(&planned.task.limits);
        let users = allowance.sentence(stop);
        for &place in open {
            if let Some(answer) = &mut self.answers[planned.answers[place]] {
                answer.verdict.reason = answer.verdict.reason.replacen(&own, &users, 1);
            }
        }
    }

    /// What the first engine left open stays open: there is no time for another one.
    fn out_of_time(&mut self, planned: &PlannedTask, open: &[usize]) {
        self.stopped_by_the_user(planned, open, Stop::TimeLimit);
        let question = open.first().map(|&place| &planned.task.questions[place]);
        let question = question.map_or(String::new(), |question| question.name.clone());
        self.spent = Some((planned.engine.name(), question));
        self.most = Some(Duration::ZERO);
    }

    /// Asks what was quickly seen to hold again at the sizes around, and the rest at those below; which answers were asked
    /// at all of them. See [`further`].
    fn look_further(&mut self, planned: &PlannedTask) -> Vec<usize> {
        let holds = |at: usize, is_quick: bool| {
            let answer = self.answers[at].as_ref();
            answer.is_some_and(|answer| {
                let verdict = &answer.verdict;
                verdict.outcome == Outcome::Holds && larger_sizes::is_quick(verdict) == is_quick
            })
        };
        let those = |is_quick: bool| {
            let all = 0..planned.answers.len();
            all.filter(|&place| holds(planned.answers[place], is_quick))
                .collect::<Vec<usize>>()
        };
        let (quick, slow) = (those(true), those(false));
        let mut below = some_questions(planned, &slow);
        if let Some(first) = slow.first() {
            let table = &self.plan.questions[planned.answers[*first]].sizes;
            below.sizes = larger_sizes::below(&below.sizes, table);
            self.look_there(planned, below, &slow, false);
        }
        let asked = self.look_there(planned, some_questions(planned, &quick), &quick, true);
        self.look_for_cases(planned);
        asked
    }

    /// Looks at the sizes around for a case of what is proved and was true for lack of cases at the sizes by default: three
    /// different members, say.
    fn look_for_cases(&mut self, planned: &PlannedTask) {
        let is_without = |place: &usize| {
            let answer = self.answers[planned.answers[*place]].as_ref();
            answer.is_some_and(|answer| {
                answer.verdict.outcome == Outcome::Proved && answer.verdict.vacuous
            })
        };
        let places: Vec<usize> = (0..planned.answers.len()).filter(is_without).collect();
        let before = self.further.clone();
        self.look_there(planned, some_questions(planned, &places), &places, false);
        self.further = before;
    }

    /// Asks these questions of a task there; which answers that are. `is_told`: is it said how far one has looked?
    fn look_there(
        &mut self,
        planned: &PlannedTask,
        task: Task,
        open: &[usize],
        is_told: bool,
    ) -> Vec<usize> {
        if open.is_empty() || task.sizes.is_empty() || self.not_begun().is_some() {
            return Vec::new();
        }
        let places: Vec<usize> = open.iter().map(|&at| planned.answers[at]).collect();
        let left = self.share(planned, 1);
        let most = larger_sizes::MOST_TIME * task.effort.level.at_larger_sizes();
        self.most = Some(left.map_or(most, |left| left.min(most)));
        // A run that goes on later goes on with what was asked for.
        let ledger = self.supervision.ledger.take();
        let began = Instant::now();
        let attempt = self.attempt(planned, &task);
        self.supervision.ledger = ledger;
        match attempt {
            Ok(Ok(report)) => {
                let before = self.further.clone();
                self.enter_further(planned, &places, report, began.elapsed());
                if !is_told {
                    self.further = before;
                }
            }
            // There are no such sizes.
            Ok(Err(_)) => {}
            Err(crash) => self.crashes.push(crash),
        }
        places
    }

    /// Asks what proofs rest on, where nobody asked for it: a proof of one property is none while another one that it
    /// relies on is open.
    fn look_at_conditions(&mut self) {
        let all = questions(self.song);
        loop {
            let known = self.answers.iter().flatten();
            let known = known.chain(self.proofs.iter().flatten());
            let known: Vec<&Answer> = known.chain(&self.beside).collect();
            let open = not_asked(&known);
            let mut open = open.iter().filter_map(|(engine, name)| {
                let question = all.iter().find(|one| one.name == *name)?;
                Some((engine.as_str(), question))
            });
            let Some((engine, question)) = open.next() else {
                return;
            };
            let answer = self.condition(engine, question);
            self.beside.push(answer);
        }
    }

    /// What the engine that relies on something says about it.
    fn condition(&mut self, engine: &str, question: &Question) -> Answer {
        let verdict = unknown(question, &format!("`{engine}` does not answer it"));
        let mut answer = Answer::new(&self.source.name, engine, verdict);
        let song = self.song;
        let mut tasks = self.plan.proofs.iter().chain(&self.plan.tasks);
        let template = tasks.find(|one| one.engine.name() == engine);
        let can = engine_named(engine).filter(|one| can_answer(*one, song, question).is_ok());
        let (Some(template), Some(_), None) = (template, can, self.not_begun()) else {
            return answer;
        };
        let mut task = template.task.clone();
        task.subject = question.subject;
        task.questions = vec![question.clone()];
        task.proof.or_explore = false;
        // A run that goes on later goes on with what was asked for.
        let ledger = self.supervision.ledger.take();
        self.most = match template.task.proof.only_proofs {
            true => self.time_to_prove(template),
            false => self.share(template, 1),
        };
        let attempt = self.attempt(template, &task);
        self.supervision.ledger = ledger;
        match attempt {
            Ok(Ok(report)) => {
                let verdict = report.verdicts.into_iter().next();
                answer.verdict = verdict.unwrap_or(answer.verdict);
                let reason = &answer.verdict.reason;
                answer.verdict.reason =
                    plainsong_diagnostics::with_lines(reason, &self.source.text);
            }
            Ok(Err(problem)) => answer.verdict.reason = problem.message,
            Err(crash) => self.crashes.push(crash),
        }
        answer
    }

    fn say_what_was_not_asked(&mut self, asked: &[usize]) {
        let holds = |(_, answer): &(usize, &Option<Answer>)| {
            let answer = answer.as_ref();
            answer.is_some_and(|answer| answer.verdict.outcome == Outcome::Holds)
        };
        let mut held = self.answers.iter().enumerate().filter(holds);
        let is_partial = held.any(|(at, _)| !asked.contains(&at));
        if let Some(further) = &mut self.further {
            further.is_partial = is_partial;
        }
    }

    /// What is refuted at the next sizes is refuted; everything else stays as it was.
    fn enter_further(
        &mut self,
        planned: &PlannedTask,
        places: &[usize],
        report: EngineReport,
        took: Duration,
    ) {
        for (&at, mut verdict) in places.iter().zip(report.verdicts) {
            if verdict.outcome != Outcome::Refuted {
                self.note_cases(at, report.coverage.as_ref(), &planned.task.song);
                let also = larger_sizes::account(&verdict, &planned.task);
                self.further = Some(match self.further.take() {
                    Some(before) => before.and(also),
                    None => also,
                });
                continue;
            }
            if let Some(before) = &self.answers[at] {
                let sizes = words(&before.verdict.bound);
                verdict
                    .notes
                    .push(format!("it holds with {sizes}, the sizes by default"));
            }
            let only = EngineReport {
                verdicts: vec![verdict],
                coverage: None,
            };
            self.enter(planned, &[at], only, took);
        }
    }

    /// What is proved is not true for lack of cases if a larger size has some.
    fn note_cases(&mut self, at: usize, found: Option<&search::Coverage>, song: &Song) {
        let check = self.plan.questions[at].question.check;
        let has_cases =
            found.is_some_and(|found| notes(found, check, self.source, song).is_empty());
        if let (true, Some(answer)) = (has_cases, &mut self.answers[at])
            && answer.verdict.outcome == Outcome::Proved
            && !self.lacking[at].is_empty()
        {
            let lacking = std::mem::take(&mut self.lacking[at]);
            answer.verdict.vacuous = false;
            answer.verdict.notes.retain(|note| !lacking.contains(note));
        }
    }

    fn not_begun(&self) -> Option<String> {
        if self.supervision.interrupt.is_set() {
            return Some("not checked: interrupted".to_owned());
        }
        let is_over = self.most.is_some_and(|most| most.is_zero());
        let is_full = self.stopped == Some(Stop::MemoryLimit) && self.is_full();
        if let (true, Some((engine, question))) = (is_over || is_full, &self.spent) {
            let allowance = Allowance {
                time: self.supervision.timeout,
                share: None,
                memory: self.supervision.memory,
            };
            let (what, _) = allowance.limit(match is_full {
                true => Stop::MemoryLimit,
                false => Stop::TimeLimit,
            });
            return Some(format!(
                "not checked: the {what} was used up by `{engine}` on `{question}`"
            ));
        }
        let most = self.supervision.most_refuted?;
        (self.supervision.refuted >= most)
            .then(|| format!("not looked at: stopped after {most} refuted"))
    }

    /// Does the process still take as much memory as it may?
    fn is_full(&self) -> bool {
        let (most, taken) = (self.supervision.memory.map(at_most), resident());
        most.zip(taken).is_some_and(|(most, taken)| taken > most)
    }

    fn enter(
        &mut self,
        planned: &PlannedTask,
        places: &[usize],
        report: EngineReport,
        took: Duration,
    ) {
        for (&at, mut verdict) in places.iter().zip(report.verdicts) {
            self.in_words(&mut verdict);
            let text = &self.source.text;
            let is_cut = verdict.reason.starts_with(&Assumption::AllCut.to_string());
            let song = &planned.task.song;
            if let Some(coverage) = report.coverage.as_ref()
                && (verdict.outcome == Outcome::Holds || is_cut)
            {
                let check = self.plan.questions[at].question.check;
                let notes = notes(coverage, check, self.source, song);
                if !is_cut {
                    self.lacking[at].clear();
                    if !verdict.vacuous {
                        self.lacking[at].clone_from(&notes);
                    }
                    verdict.notes.extend(notes.iter().cloned());
                }
                verdict.vacuous |= !notes.is_empty();
                if let Some(why) = never_passed(song, coverage, &verdict.bound) {
                    verdict.outcome = Outcome::Unknown;
                    verdict.reason = plainsong_diagnostics::with_lines(&why, text);
                }
            }
            let question = &self.plan.questions[at].question;
            if claims_termination(&planned.task.song, question).is_some()
                && let Some(why) = only_within_window(&planned.task, &verdict)
            {
                verdict.outcome = Outcome::Unknown;
                verdict.reason = plainsong_diagnostics::with_lines(&why, text);
            }
            proved_if_unbounded(&mut verdict);
            self.supervision.refuted += usize::from(verdict.outcome == Outcome::Refuted);
            self.tried[at].push(Attempt::new(planned.engine.name(), &verdict, took));
            self.answers[at] = Some(self.answer(planned.engine.name(), verdict, took));
        }
        if let Some(one) = report.coverage {
            self.coverage.get_or_insert_default().include(&one);
        }
    }

    /// Places in the text become lines and columns.
    fn in_words(&self, verdict: &mut Verdict) {
        let text = &self.source.text;
        verdict.reason = plainsong_diagnostics::with_lines(&verdict.reason, text);
        for note in &mut verdict.notes {
            *note = plainsong_diagnostics::with_lines(note, text);
        }
        for open in &mut verdict.open {
            look_up(open, text);
        }
    }

    fn answer(&self, engine: &str, verdict: Verdict, took: Duration) -> Answer {
        Answer {
            seconds: took.as_secs_f64(),
            cached: self.cached,
            ..Answer::new(&self.source.name, engine, verdict)
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
        let engine = planned.engine.as_ref().map_or("-", |engine| engine.name());
        let verdict = unknown(&planned.question, why);
        Answer::new(&self.source.name, engine, verdict)
    }

    fn finish(mut self) -> Results {
        let song = self.song;
        let mut answers = Vec::new();
        for (at, planned) in self.plan.questions.iter().enumerate() {
            let why = planned
                .engine
                .as_ref()
                .err()
                .map_or("no engine answered", String::as_str);
            let answer = self.answers[at].clone();
            let mut answer = answer.unwrap_or_else(|| self.unknown(at, why));
            answer.declared = planned.question.span(song).map(|span| {
                let place = line_and_column(&self.source.text, span.start);
                (place.line, place.column)
            });
            answer.tried = std::mem::take(&mut self.tried[at]);
            answers.push(answer);
        }
        settle(&mut answers, &self.beside);
        if self.plan.is_in_parts {
            for answer in &mut answers {
                let timeout = self.supervision.timeout;
                answer.next = next_step(&answer.file, &answer.verdict, timeout);
            }
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
            further: self.further,
        }
    }
}

/// Where an open obligation stands in the text, and what stands there.
fn look_up(open: &mut OpenObligation, text: &str) {
    open.sentence = plainsong_diagnostics::with_lines(&open.sentence, text);
    if open.span.start == open.span.end || open.span.end as usize > text.len() {
        return;
    }
    let place = line_and_column(text, open.span.start);
    open.place = Some((place.line, place.column));
    if open.text.is_empty() {
        let words = open.span.slice(text).split_whitespace();
        open.text = words.collect::<Vec<_>>().join(" ");
    }
}

/// No answer to a question, and why.
pub(crate) fn unknown(question: &Question, why: &str) -> Verdict {
    Verdict::unknown(&question.name, why)
}

pub(super) fn outcome_of(answer: &Option<Answer>) -> Option<Outcome> {
    answer.as_ref().map(|answer| answer.verdict.outcome)
}

/// Which of the questions have no answer yet, by their places in the task.
fn left_open(planned: &PlannedTask, report: &EngineReport) -> Vec<usize> {
    let is_open = |place: &usize| {
        let verdict = report.verdicts.get(*place);
        verdict.is_some_and(|verdict| verdict.outcome == Outcome::Unknown)
    };
    (0..planned.answers.len()).filter(is_open).collect()
}

/// What the engine that is asked afterwards gets to do.
fn second(planned: &PlannedTask, otherwise: Otherwise, open: &[usize]) -> PlannedTask {
    PlannedTask {
        engine: otherwise.engine,
        task: Task {
            limits: otherwise.limits,
            is_limited_by_growth: true,
            ..some_questions(planned, open)
        },
        answers: open.iter().map(|&place| planned.answers[place]).collect(),
        otherwise: None,
    }
}

/// The task with only these of its questions.
fn some_questions(planned: &PlannedTask, places: &[usize]) -> Task {
    let questions = places
        .iter()
        .map(|&place| planned.task.questions[place].clone());
    Task {
        questions: questions.collect(),
        ..planned.task.clone()
    }
}

/// `Client=2, Node=2`.
pub(crate) fn words(bound: &BTreeMap<String, String>) -> String {
    let parts = bound.iter().map(|(name, value)| format!("{name}={value}"));
    parts.collect::<Vec<_>>().join(", ")
}
