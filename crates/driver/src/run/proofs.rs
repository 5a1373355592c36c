//! The second stage of the portfolio: proofs of what a first look did not refute ([`crate::portfolio`]).
//!
//! A proof that was found waits until it is known what it rests on. It becomes the answer once all of that is proved
//! ([`Runner::adopt`]); a proof that rests on something open replaces nothing but `unknown`, at the very end
//! ([`Runner::adopt_conditional`]). A prover's refutation counts if it brings an execution.

use super::{Runner, outcome_of, some_questions};
use crate::effort::LIMIT;
use crate::engine::EngineReport;
use crate::from_the_text::from_the_text;
use crate::plan::PlannedTask;
use crate::provided::proved;
use crate::watch::Stop;
use plainsong_report::{Answer, Attempt};
use plainsong_semantics::verdict::{Assumption, Outcome, Verdict};
use std::time::{Duration, Instant};

impl Runner<'_, '_> {
    /// Is one of the questions of a task asked of a prover later?
    pub(super) fn is_proved_later(&self, planned: &PlannedTask) -> bool {
        let mut later = self.plan.proofs.iter();
        let by_text = |at: &usize| {
            let check = self.plan.questions[*at].question.check;
            self.plan.provable.contains(at) && from_the_text(self.song, check).is_some()
        };
        planned.answers.iter().any(by_text)
            || later.any(|proof| proof.answers.iter().any(|at| planned.answers.contains(at)))
    }

    /// Asks the text for what holds within bounds, or was left open at a limit: other reasons, such as a window of values that ends
    /// executions, stay as they are.
    pub(super) fn prove_from_the_text_alone(&mut self) {
        const LIMITS: [&str; 3] = [LIMIT, "time limit", "memory limit"];
        for &at in &self.plan.provable {
            let Some(Answer { verdict, .. }) = &self.answers[at] else {
                continue;
            };
            let at_limit = LIMITS.iter().any(|limit| verdict.reason.contains(limit));
            let is_open = match verdict.outcome {
                Outcome::Holds => true,
                Outcome::Unknown => at_limit,
                Outcome::Proved | Outcome::Refuted => false,
            };
            if is_open {
                self.prove_from_the_text(at);
            }
        }
    }

    /// Asks every prover for what is neither refuted nor proved.
    pub(super) fn prove(&mut self) {
        let plan = self.plan;
        for planned in &plan.proofs {
            let places = 0..planned.answers.len();
            let places = places.filter(|&place| self.wants_proof(planned.answers[place]));
            let places: Vec<usize> = places.collect();
            self.most = self.time_to_prove(planned);
            if places.is_empty() || self.not_begun().is_some() {
                continue;
            }
            self.ask_prover(planned, &places);
            self.adopt();
        }
        if self.proofs.iter().any(|found| !found.is_empty()) {
            self.look_at_conditions();
            self.adopt();
        }
    }

    /// Not if it is refuted or proved, nor where the search says that there is nothing to be right about.
    fn wants_proof(&self, at: usize) -> bool {
        let Some(answer) = &self.answers[at] else {
            return false;
        };
        let cut = Assumption::AllCut.to_string();
        match answer.verdict.outcome {
            Outcome::Refuted | Outcome::Proved => false,
            Outcome::Holds => true,
            Outcome::Unknown => !answer.verdict.reason.starts_with(&cut),
        }
    }

    /// How long a prover may take: half of what is left belongs to searches.
    pub(super) fn time_to_prove(&self, planned: &PlannedTask) -> Option<Duration> {
        let own = planned.task.effort.level.time_to_prove();
        let left = self.supervision.timeout;
        let left = left.map(|whole| whole.saturating_sub(self.began.elapsed()) / 2);
        match (own, left) {
            (Some(own), Some(left)) => Some(own.min(left)),
            (own, left) => own.or(left),
        }
    }

    fn ask_prover(&mut self, planned: &PlannedTask, places: &[usize]) {
        let task = some_questions(planned, places);
        let questions: Vec<usize> = places.iter().map(|&at| planned.answers[at]).collect();
        let began = Instant::now();
        // A run that goes on later goes on with searches.
        let ledger = self.supervision.ledger.take();
        let attempt = self.attempt(planned, &task);
        self.supervision.ledger = ledger;
        let took = began.elapsed();
        let open = |why: &str| {
            let verdicts = task.questions.iter();
            let verdicts = verdicts.map(|one| Verdict::unknown(&one.name, why));
            EngineReport {
                verdicts: verdicts.collect(),
                coverage: None,
            }
        };
        let report = match attempt {
            Ok(Ok(report)) => report,
            Ok(Err(problem)) => open(&problem.message),
            Err(crash) => {
                let why = format!("our own bug: {}", crash.message);
                self.crashes.push(crash);
                open(&why)
            }
        };
        for (at, mut verdict) in questions.into_iter().zip(report.verdicts) {
            match (verdict.outcome, self.stopped) {
                (Outcome::Unknown, Some(Stop::TimeLimit)) => {
                    verdict.reason = self.out_of_proof_time();
                }
                (Outcome::Unknown, Some(Stop::Moot)) => {
                    verdict.reason = "given up: it was refuted meanwhile".to_owned();
                }
                _ => {}
            }
            self.enter_proof(planned, at, verdict, took);
        }
    }

    fn out_of_proof_time(&self) -> String {
        let limit = self.most.unwrap_or_default().as_secs_f64();
        match self.supervision.timeout {
            Some(_) => format!("no proof within {limit:.1} s, half of what `--timeout` left"),
            None => {
                format!("no proof within {limit:.1} s; `--effort thorough` sets no limit")
            }
        }
    }

    fn enter_proof(
        &mut self,
        planned: &PlannedTask,
        at: usize,
        mut verdict: Verdict,
        took: Duration,
    ) {
        self.in_words(&mut verdict);
        self.tried[at].push(Attempt::new(planned.engine.name(), &verdict, took));
        match verdict.outcome {
            Outcome::Refuted if verdict.trace.is_some() => {
                self.supervision.refuted += 1;
                self.answers[at] = Some(self.answer(planned.engine.name(), verdict, took));
            }
            Outcome::Proved => {
                let answer = self.answer(planned.engine.name(), verdict, took);
                self.proofs[at].push(answer);
            }
            _ => {}
        }
    }

    /// Proofs that rest on nothing open become the answers. What the search had to say about vacuity stays.
    pub(super) fn adopt(&mut self) {
        let found = self.proofs.iter().flatten();
        let known: Vec<&Answer> = found
            .chain(self.answers.iter().flatten())
            .chain(&self.beside)
            .collect();
        let proved = proved(known);
        let is_settled = |proof: &Answer| {
            let mut provided = proof.verdict.provided.iter();
            provided.all(|name| proved.contains(name))
        };
        for at in 0..self.answers.len() {
            let is_open = matches!(
                outcome_of(&self.answers[at]),
                Some(Outcome::Holds | Outcome::Unknown)
            );
            let settled = self.proofs[at].iter().position(is_settled);
            if let Some(place) = settled.filter(|_| is_open) {
                let proof = self.proofs[at].remove(place);
                self.replace(at, proof);
            }
        }
    }

    /// A proof that rests on something open is better than no answer.
    pub(super) fn adopt_conditional(&mut self) {
        for at in 0..self.answers.len() {
            let is_open = outcome_of(&self.answers[at]) == Some(Outcome::Unknown);
            if is_open && !self.proofs[at].is_empty() {
                let proof = self.proofs[at].remove(0);
                self.replace(at, proof);
            }
        }
    }

    fn replace(&mut self, at: usize, mut proof: Answer) {
        let before = self.answers[at].take();
        if let Some(before) = before.filter(|one| one.verdict.outcome == Outcome::Holds) {
            proof.verdict.vacuous |= before.verdict.vacuous;
            proof.verdict.notes.extend(before.verdict.notes);
        }
        self.answers[at] = Some(proof);
    }
}
