//! The prover: choreographies for every size and every value.
//!
//! What was shown before, under the content of the obligations, is looked up; if that is everything, it
//! is the answer. Otherwise a small bounded search comes first, then the first step of the prover, which shows most of
//! what is right; then runs that a solver suggests
//! ([`leads`](super::leads)), and where it cannot be asked larger searches: what is wrong is mostly wrong for
//! small values, and a run is the best answer there is. What they do not refute goes to the prover; what the
//! prover leaves open is looked at again with longer sequences, more rounds and more states. *Proved* means that every obligation of the
//! question was shown; *refuted* means that the interpreter ran into it; the rest is unknown, with the
//! obligations that are open and a state that the invariants of loops should not allow
//! ([`induction`](super::induction)).
//!
//! `check` uses it for choreographies, and explores within its bounds what is not proved.
//!
//! NOT COVERED. Processes and action systems: their code is not sequential. `always` properties of
//! choreographies.

use super::bmc_trace::{self, Clue, follow_leads};
use super::bmc_trace_wide::follow_wide_leads;
use super::counterexample_to_induction::explain;
use super::explicit_state::{Search, by_some_states, by_states};
use super::proof_cache::Remembered;
use super::unsatisfied::unsatisfied;
use crate::effort::STATES_OF_OPEN_PROOFS;
use crate::engine::{EngineReport, ProofOptions, Task};
use crate::provided::name_of;
use crate::select::Question;
use crate::watch::Overseer;
use crate::{Engine, Problem};
use plainsong_ir::{Claim, Function, Song, recursion};
use plainsong_prove::discharge::{Effort, Shown, discharge, recall};
use plainsong_prove::obligation::{Obligation, Rule};
use plainsong_prove::theory::Theory;
use plainsong_prove::vc::{Conditions, conditions};
use plainsong_report::count;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Check, dive, search};
use plainsong_semantics::sizes::External;
use plainsong_semantics::verdict::{OpenObligation, Outcome, Verdict};
use plainsong_smt::{Cancel, Solvers};
use std::collections::{BTreeMap, BTreeSet};

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
        let remembered = Remembered::new("prove", task, solvers);
        for (question, verdict) in task.questions.iter().zip(&mut verdicts) {
            *verdict = remembered.proof(question);
        }
        if verdicts.iter().all(Option::is_some) {
            return Ok(report(verdicts));
        }
        let mut proof = Proof::new(task, solvers);
        proof.recall(overseer);
        proof.look_for_vacuity(task, overseer);
        proof.close(task, &mut verdicts);
        if verdicts.iter().any(Option::is_none) {
            refute(task, overseer, &mut verdicts, &mut search, FIRST, |_| true)?;
            proof.try_quickly(task, &verdicts, overseer);
            proof.close(task, &mut verdicts);
        }
        if verdicts.iter().any(Option::is_none) {
            let clues = follow_leads(task, proof.solvers, overseer, &mut verdicts, LEADS)?;
            let unsure = |at: usize| clues[at] != Clue::Nothing;
            refute(task, overseer, &mut verdicts, &mut dive, SOME, unsure)?;
            let not_asked = |at: usize| clues[at] == Clue::NotAsked;
            refute(task, overseer, &mut verdicts, &mut search, FEW, not_asked)?;
        }
        if verdicts.iter().any(Option::is_none) {
            proof.attempt(task, &verdicts, overseer);
            proof.close(task, &mut verdicts);
            proof.look_for_unsatisfied(task);
            follow_wide_leads(task, proof.solvers, overseer, &mut verdicts)?;
            look_further(task, proof.solvers, overseer, &mut verdicts)?;
            if task.proof.or_explore {
                reopen_conditional(task, &mut verdicts);
                explore(task, overseer, &mut verdicts, &proof)?;
            } else {
                let solvers = proof.solvers;
                let clues = follow_leads(task, solvers, overseer, &mut verdicts, FAR_LEADS)?;
                let unsure = |at: usize| clues[at] != Clue::Nothing;
                refute(task, overseer, &mut verdicts, &mut search, MANY, unsure)?;
            }
            for (question, verdict) in task.questions.iter().zip(&mut verdicts) {
                if verdict.is_none() {
                    let mut open = proof.open(question);
                    if proof.not_covered.is_none() {
                        open.notes = explain(task, question, proof.solvers, overseer)?;
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
        Ok(report(verdicts))
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

fn report(verdicts: Vec<Option<Verdict>>) -> EngineReport {
    EngineReport {
        verdicts: verdicts.into_iter().flatten().collect(),
        coverage: None,
    }
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

/// What became of the obligations of one choreography.
struct Proof<'a> {
    theory: Theory,
    solvers: &'a Solvers,
    name: String,
    conditions: Conditions,
    shown: Vec<Option<Shown>>,
    /// Why there are none, if so.
    not_covered: Option<String>,
    /// Why contracts of external functions cannot be kept, by name.
    unsatisfied: BTreeMap<String, String>,
    /// Seeds under which something that was shown is not shown again.
    unstable: Vec<String>,
    options: ProofOptions,
}

impl<'a> Proof<'a> {
    /// The obligations of a task, none of them shown.
    fn new(task: &Task, solvers: &'a Solvers) -> Proof<'a> {
        let mut proof = Proof {
            theory: Theory::new(task.song.clone()),
            solvers,
            name: String::new(),
            conditions: Conditions::default(),
            shown: Vec::new(),
            not_covered: None,
            unsatisfied: BTreeMap::new(),
            unstable: Vec::new(),
            options: task.proof.clone(),
        };
        let Subject::Line(line) = task.subject else {
            proof.not_covered = Some("only choreographies are covered".to_owned());
            return proof;
        };
        proof.name.clone_from(&task.song.lines[line].name);
        let finally: Vec<usize> = task
            .questions
            .iter()
            .filter_map(|question| match question.check {
                Check::Property(at) => Some(at),
                _ => None,
            })
            .collect();
        match conditions(&mut proof.theory, line, &finally) {
            Ok(conditions) => {
                proof.shown = vec![None; conditions.obligations.len()];
                proof.conditions = conditions;
            }
            Err(unsupported) => proof.not_covered = Some(unsupported.message),
        }
        proof
    }

    /// Looks up what was found out before.
    fn recall(&mut self, overseer: &mut Overseer<'_>) {
        if self.options.stability > 0 || self.options.recheck {
            return;
        }
        let (cancel, effort) = (Cancel::default(), Effort::default());
        let all = &self.conditions.obligations;
        let (theory, solvers) = (&mut self.theory, self.solvers);
        self.shown = overseer.while_working(
            || cancel.cancel(),
            || recall(theory, all, solvers, &effort, &cancel),
        );
    }

    /// Asks what is vacuous, if a question is going to be closed by what is known already: a verdict says the same
    /// whether its obligations were found again or not.
    fn look_for_vacuity(&mut self, task: &Task, overseer: &mut Overseer<'_>) {
        let closes = |question| self.proved(question).is_some();
        if !task.questions.iter().any(closes) {
            return;
        }
        let open: Vec<usize> = (0..self.shown.len())
            .filter(|&at| self.shown[at].is_none())
            .filter(|&at| self.conditions.obligations[at].rule == Rule::Vacuity)
            .collect();
        for (at, shown) in open.iter().zip(self.show(&open, 0, None, overseer)) {
            self.shown[*at] = Some(shown);
        }
    }

    /// Shows what the questions without a verdict ask for, as far as that is easy: most of what is right is. What
    /// was asked is not asked again by [`attempt`](Proof::attempt).
    fn try_quickly(
        &mut self,
        task: &Task,
        verdicts: &[Option<Verdict>],
        overseer: &mut Overseer<'_>,
    ) {
        if self.options.stability > 0 || self.options.recheck {
            return;
        }
        let asked = self.asked(task, verdicts);
        let shown = self.show(&asked, 0, Some(1), overseer);
        for (at, shown) in asked.iter().zip(shown) {
            self.shown[*at] = Some(shown).filter(|shown| *shown == Shown::Yes);
        }
    }

    /// Shows what the questions without a verdict ask for.
    fn attempt(&mut self, task: &Task, verdicts: &[Option<Verdict>], overseer: &mut Overseer<'_>) {
        let asked = self.asked(task, verdicts);
        for (at, shown) in asked.iter().zip(self.show(&asked, 0, None, overseer)) {
            self.shown[*at] = Some(shown);
        }
        for seed in 1..=self.options.stability {
            let again = self.show(&asked, seed, None, overseer);
            self.compare(&asked, &again, seed);
        }
    }

    /// The obligations that the questions without a verdict ask for, and nobody has shown yet.
    fn asked(&self, task: &Task, verdicts: &[Option<Verdict>]) -> Vec<usize> {
        let open = task.questions.iter().zip(verdicts);
        let open: Vec<Check> = open
            .filter(|(_, verdict)| verdict.is_none())
            .map(|(question, _)| question.check)
            .collect();
        (0..self.shown.len())
            .filter(|&at| self.shown[at].is_none())
            .filter(|&at| {
                let rule = self.conditions.obligations[at].rule;
                rule == Rule::Vacuity || open.iter().any(|check| belongs(rule, *check))
            })
            .collect()
    }

    fn show(
        &mut self,
        asked: &[usize],
        seed: u32,
        steps: Option<usize>,
        overseer: &mut Overseer<'_>,
    ) -> Vec<Shown> {
        let effort = Effort {
            seed,
            name: self.name.clone(),
            recheck: self.options.recheck,
            steps,
            ..Effort::default()
        };
        let all: Vec<Obligation> = asked
            .iter()
            .map(|&at| self.conditions.obligations[at].clone())
            .collect();
        let cancel = Cancel::default();
        let (theory, solvers) = (&mut self.theory, self.solvers);
        let mut shown = overseer.while_working(
            || cancel.cancel(),
            || discharge(theory, &all, solvers, &effort, &cancel),
        );
        if let Some(stop) = overseer.stopped() {
            for shown in &mut shown {
                if *shown != Shown::Yes {
                    *shown = Shown::No(overseer.allowance.sentence(stop));
                }
            }
        }
        shown
    }

    /// Gives a verdict to the questions of which everything was shown.
    fn close(&self, task: &Task, verdicts: &mut [Option<Verdict>]) {
        for (question, verdict) in task.questions.iter().zip(verdicts) {
            if verdict.is_none() {
                *verdict = self.proved(question);
            }
        }
    }

    /// Looks for arguments for which nothing satisfies a contract, where it is open whether there are some.
    fn look_for_unsatisfied(&mut self, task: &Task) {
        let all = self.conditions.obligations.iter().zip(&self.shown);
        let open = all.filter(|(one, shown)| {
            one.rule == Rule::Satisfiable && matches!(shown, Some(Shown::No(_)))
        });
        let names: BTreeSet<String> = open.map(|(one, _)| one.text.clone()).collect();
        for name in names {
            let found = unsatisfied(task, &name, &mut self.theory, self.solvers);
            self.unsatisfied.extend(found.map(|found| (name, found)));
        }
    }

    fn compare(&mut self, asked: &[usize], again: &[Shown], seed: u32) {
        let yes = Some(Shown::Yes);
        let flipped = asked
            .iter()
            .zip(again)
            .filter(|(at, second)| (self.shown[**at] == yes) != (**second == Shown::Yes))
            .count();
        if flipped > 0 {
            self.unstable.push(format!(
                "seed {seed}: {}",
                count(flipped as u64, "obligation")
            ));
        }
    }

    /// The obligations of a question.
    fn of(&self, question: &Question) -> Vec<(&Obligation, &Option<Shown>)> {
        let all = self.conditions.obligations.iter().zip(&self.shown);
        all.filter(|(one, _)| belongs(one.rule, question.check))
            .collect()
    }

    /// The verdict, if everything was shown.
    fn proved(&self, question: &Question) -> Option<Verdict> {
        let obligations = self.of(question);
        let yes = Some(Shown::Yes);
        let all = obligations.iter().all(|(_, shown)| **shown == yes);
        if self.not_covered.is_some() || !all {
            return None;
        }
        let mut reason = count(obligations.len() as u64, "obligation");
        reason.push_str(" shown");
        if self.options.stability > 0 && self.unstable.is_empty() {
            reason.push_str(&format!(
                ", the same under {}",
                count(u64::from(self.options.stability), "other seed")
            ));
        }
        if self.options.recheck {
            reason.push_str(&format!(", {}", self.theory.second.told()));
        }
        let mut proved = verdict(question, Outcome::Proved, reason, self.assumptions());
        proved.obligations = Some(obligations.len() as u64);
        proved.provided = self.provided(question);
        proved.notes = self.lemmas();
        Some(proved)
    }

    /// What the proof rests on: whatever comes later is shown under the supposition that the assertions and invariants
    /// before it hold, and what is looked at in the end, that all is which `ensures` says. (What lemmas, functions and
    /// called choreographies promise is shown with it.)
    fn provided(&self, question: &Question) -> Vec<String> {
        let open = self.conditions.obligations.iter().zip(&self.shown);
        let open = open.filter(|(_, shown)| **shown != Some(Shown::Yes));
        let open: Vec<&Obligation> = open.map(|(one, _)| one).collect();
        let earlier = open.iter().filter_map(|one| supposed_by(one.rule));
        let ensures = open.iter().filter(|one| one.rule == Rule::Ensures);
        let is_behind_ensures = ensures.clone().next().is_some()
            && match question.check {
                Check::Property(_) => true,
                _ => ensures.clone().any(|one| {
                    let own = self.of(question);
                    own.iter().any(|(other, _)| is_behind(other, one))
                }),
            };
        let ensures = is_behind_ensures.then_some(Check::Contract);
        let all: BTreeSet<Check> = earlier.chain(ensures).collect();
        let others = all.into_iter().filter(|check| *check != question.check);
        others
            .filter_map(|check| name_of(&self.theory.song, question.subject, check))
            .collect()
    }

    /// The library lemmas that were used; each was shown.
    fn lemmas(&self) -> Vec<String> {
        let names: Vec<&str> = self.theory.lemmas().keys().map(|one| one.name()).collect();
        match names.is_empty() {
            true => Vec::new(),
            false => vec![format!(
                "library lemmas, shown by induction: {}",
                names.join(", ")
            )],
        }
    }

    /// The verdict when neither a proof nor a run was found.
    fn open(&self, question: &Question) -> Verdict {
        let mut reason = self.why_open(question);
        if self.not_covered.is_none() {
            reason.push_str("; and no run against it among small ones");
        }
        let mut open = verdict(question, Outcome::Unknown, reason, Vec::new());
        open.open = self.open_obligations(question);
        open
    }

    /// What may be wrong; of a contract that cannot be kept, for which arguments.
    fn told<'o>(&'o self, one: &'o Obligation) -> &'o str {
        let found = self.unsatisfied.get(&one.text);
        let found = found.filter(|_| one.rule == Rule::Satisfiable);
        found.unwrap_or(&one.sentence)
    }

    /// The obligations of a question that are open.
    fn open_obligations(&self, question: &Question) -> Vec<OpenObligation> {
        let all = self.of(question).into_iter();
        let open = all.filter_map(|(one, shown)| match shown {
            Some(Shown::Yes) => None,
            Some(Shown::No(why)) => Some((one, why.as_str())),
            None => Some((one, "not asked")),
        });
        let told = open.map(|(one, why)| OpenObligation {
            rule: one.rule.name().to_owned(),
            sentence: self.told(one).to_owned(),
            why: why.to_owned(),
            span: one.span,
            text: one.text.clone(),
            ..OpenObligation::default()
        });
        told.collect()
    }

    /// What is open, and why.
    fn why_open(&self, question: &Question) -> String {
        if let Some(why) = &self.not_covered {
            return why.clone();
        }
        if let Some(proved) = self.proved(question) {
            let names = proved.provided.iter().map(|name| format!("`{name}`"));
            let names: Vec<String> = names.collect();
            return format!("it is shown only provided {}", names.join(" and "));
        }
        let obligations = self.of(question);
        let open: Vec<String> = obligations
            .iter()
            .filter_map(|(one, shown)| match shown {
                Some(Shown::Yes) => None,
                None => Some(format!("{} `{}`: not asked", one.rule.name(), one.text)),
                Some(Shown::No(why)) => {
                    let (rule, text) = (one.rule.name(), &one.text);
                    Some(format!("{rule} `{text}`: {} ({why})", self.told(one)))
                }
            })
            .collect();
        format!(
            "{} of {} open: {}{}",
            open.len(),
            count(obligations.len() as u64, "obligation"),
            open.join("; "),
            self.what_parts_are_known_by()
        )
    }

    /// Of a choreography that is called, only the contract is known: that may be what is missing.
    fn what_parts_are_known_by(&self) -> String {
        let song = &self.theory.song;
        let line = song.lines.iter().position(|line| line.name == self.name);
        let parts = line.map(|line| recursion::parts(song, line));
        let names = parts.into_iter().flatten();
        let names = names.map(|part| format!("`{}`", song.lines[part].name));
        let names: Vec<String> = names.collect();
        match names.is_empty() {
            true => String::new(),
            false => format!(
                "; of {}, only what is ensured there is known here",
                names.join(", ")
            ),
        }
    }

    /// What is trusted, and what a reader of the proof should know.
    fn assumptions(&self) -> Vec<String> {
        let mut all: Vec<String> = self.conditions.notes.clone();
        let asked = self.conditions.obligations.iter().zip(&self.shown);
        let asked: Vec<_> = asked.filter(|(one, _)| one.rule == Rule::Vacuity).collect();
        for (at, (one, _)) in asked.iter().enumerate() {
            // A place that is come to on several ways is vacuous if it is on all of them.
            let same = |(other, _): &&(&Obligation, _)| {
                (other.span, &other.sentence) == (one.span, &one.sentence)
            };
            let is_first = !asked[..at].iter().any(|other| same(&other));
            let mut ways = asked.iter().filter(same);
            if !is_first || !ways.all(|(_, shown)| **shown == Some(Shown::Yes)) {
                continue;
            }
            // What lies behind a place where nobody comes goes without saying.
            let behind = |(way, _): &(&Obligation, _)| {
                let mut vacuous = asked
                    .iter()
                    .filter(|(_, shown)| **shown == Some(Shown::Yes));
                vacuous.any(|(other, _)| is_behind(way, other))
            };
            if !asked.iter().filter(same).all(behind) {
                all.push(format!("vacuous: {}: `{}`", one.sentence, one.text));
            }
        }
        for seed in &self.unstable {
            all.push(format!("unstable: {seed} not shown again"));
        }
        all
    }
}

/// Is everything known at one place known at another, which has more?
fn is_behind(one: &Obligation, other: &Obligation) -> bool {
    let known = |what| one.hypotheses.contains(what);
    one.hypotheses.len() > other.hypotheses.len() && other.hypotheses.iter().all(known)
}

/// What is asked by an obligation that whatever comes later supposes to be shown.
fn supposed_by(rule: Rule) -> Option<Check> {
    match rule {
        Rule::Established | Rule::Maintained | Rule::Unanimity => Some(Check::Contract),
        Rule::Assert | Rule::Defined => Some(Check::Assertions),
        _ => None,
    }
}

/// Is an obligation of this rule part of what is asked?
pub(super) fn belongs(rule: Rule, check: Check) -> bool {
    match rule {
        Rule::Ensures
        | Rule::Established
        | Rule::Maintained
        | Rule::Unanimity
        | Rule::Decreases => check == Check::Contract,
        Rule::Assert | Rule::Defined => check == Check::Assertions,
        Rule::Finally(at) => check == Check::Property(at),
        // No run fails where it does not hold: nothing is shown without it.
        Rule::Position
        | Rule::Injective
        | Rule::DefinedEverywhere
        | Rule::Terminates
        | Rule::LemmaRequires
        | Rule::LemmaDecreases
        | Rule::Support
        | Rule::Satisfiable => true,
        Rule::Library | Rule::Vacuity | Rule::Refinement(_) => false,
    }
}

fn verdict(
    question: &Question,
    outcome: Outcome,
    reason: String,
    assumptions: Vec<String>,
) -> Verdict {
    Verdict {
        property: question.name.clone(),
        outcome,
        bound: BTreeMap::new(),
        reason,
        states: None,
        executions: None,
        blocked: None,
        interleavings: None,
        obligations: None,
        assumptions,
        provided: Vec::new(),
        open: Vec::new(),
        notes: Vec::new(),
        trace: None,
    }
}
