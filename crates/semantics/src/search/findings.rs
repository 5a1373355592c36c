//! The answers to the checks, as far as they are known.
//!
//! Every search through states keeps its account here: this one breadth-first over configurations, and
//! engines with a store of their own, which say through [`Reached`] what a state is and how it was
//! reached. Whatever such an engine claims is looked at again on the interpreter's own state, told as a
//! trace and replayed, so that it can refute nothing that is not so.

use super::cycle::{Edge, nearest_cycle};
use super::query::{Check, Query};
use super::{Answer, Completeness, Coverage, Finding, SearchReport, Watch};
use crate::claim::{Verity, verity, verity_of_step};
use crate::machine::{Config, Machine, Outcome, Status, Step, Subject};
use crate::path_to_trace::retrace;
use crate::replay::replay;
use crate::trace::{Ending, Failure, FailureKind, Trace};
use plainsong_ir::{Claim, Property};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The states that a search has reached, by number.
pub trait Reached {
    /// A state.
    fn config(&self, at: usize) -> Cow<'_, Config>;

    /// The start, and the numbers of the steps that lead from it to a state.
    fn path(&self, at: usize) -> (Config, Vec<usize>);
}

/// What a search counted.
#[derive(Clone, Debug)]
pub struct Totals {
    /// Did it see everything?
    pub completeness: Completeness,
    /// States found, without those before `init`.
    pub states: u64,
    /// Steps taken.
    pub steps: u64,
    /// Steps from the start to the farthest state.
    pub depth: u64,
    /// Which parts of the text took part.
    pub coverage: Coverage,
    /// The constraints by which states were cut off, and not counted.
    pub cut_by: BTreeSet<String>,
}

/// What was counted as long as nothing was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Final states, states in which every way on is cut off, deadlocks.
    pub counts: [u64; 3],
    /// Did some execution end in a failure?
    pub failures: bool,
    /// Messages that were left over.
    pub undelivered: BTreeSet<String>,
    /// Where the interpreter's own limit cut something off.
    pub resource: Option<String>,
}

/// What is known about each check.
pub struct Findings<'a> {
    machine: &'a Machine,
    answers: Vec<(Check, Answer)>,
    /// Where the interpreter's own limit cut something off.
    resource: Option<String>,
    final_states: u64,
    /// Did some execution end in a failure?
    failures: bool,
    undelivered: BTreeSet<String>,
    /// States in which every way on is cut off.
    cuts: u64,
    deadlocks: u64,
    /// The refutations that somebody was told of.
    told: Vec<Check>,
}

impl<'a> Findings<'a> {
    /// Nothing is known yet.
    pub fn new(machine: &'a Machine, query: &Query) -> Self {
        Findings {
            machine,
            answers: query
                .checks
                .iter()
                .map(|check| (*check, open_answer(machine, *check)))
                .collect(),
            resource: None,
            final_states: 0,
            failures: false,
            undelivered: BTreeSet::new(),
            cuts: 0,
            deadlocks: 0,
            told: Vec::new(),
        }
    }

    /// What was counted; none once something is refuted or left open.
    pub fn account(&self) -> Option<Account> {
        let mut answers = self.answers.iter();
        let is_open = answers.all(|(check, one)| *one == open_answer(self.machine, *check));
        is_open.then(|| Account {
            counts: [self.final_states, self.cuts, self.deadlocks],
            failures: self.failures,
            undelivered: self.undelivered.clone(),
            resource: self.resource.clone(),
        })
    }

    /// Goes on from what was counted before.
    pub fn go_on_from(&mut self, account: Account) {
        [self.final_states, self.cuts, self.deadlocks] = account.counts;
        self.failures = account.failures;
        self.undelivered = account.undelivered;
        self.resource = account.resource;
    }

    /// Tells of the refutations that are new.
    pub fn tell(&mut self, watch: &mut dyn Watch) {
        if self.told.len() as u64 == self.refuted() {
            return;
        }
        for (check, answer) in &self.answers {
            if let Answer::Refuted(trace) = answer
                && !self.told.contains(check)
            {
                watch.refuted(self.machine.instance(), *check, trace);
                self.told.push(*check);
            }
        }
    }

    /// Does no execution end but those that an `assume` cuts off?
    pub fn has_only_cuts(&self) -> bool {
        let ends = self.final_states + self.deadlocks;
        self.cuts > 0 && ends == 0 && !self.failures && self.resource.is_none()
    }

    /// Is the graph of states needed?
    pub fn wants_edges(&self) -> bool {
        self.answers
            .iter()
            .any(|(check, _)| self.claims_rest(*check).is_some())
    }

    /// Is there nothing left to find out?
    pub fn all_refuted(&self) -> bool {
        !self.answers.is_empty()
            && self
                .answers
                .iter()
                .all(|(_, answer)| matches!(answer, Answer::Refuted(_)))
    }

    /// How many checks are refuted.
    pub fn refuted(&self) -> u64 {
        let refuted = |(_, answer): &&(Check, Answer)| matches!(answer, Answer::Refuted(_));
        self.answers.iter().filter(refuted).count() as u64
    }

    /// Is a check neither refuted nor given up?
    pub fn is_open(&self, check: Check) -> bool {
        let open = |(known, answer): &(Check, Answer)| {
            *known == check && matches!(answer, Answer::NotRefuted)
        };
        self.answers.iter().any(open)
    }

    /// What is known about a check, if it is asked.
    pub fn answer_to(&self, check: Check) -> Option<&Answer> {
        let mut all = self.answers.iter();
        all.find(|(known, _)| *known == check)
            .map(|(_, answer)| answer)
    }

    /// An execution refutes a check.
    pub fn refuted_by(&mut self, check: Check, trace: Trace) {
        self.found(check, trace);
    }

    /// A check cannot be answered, for this reason.
    pub fn leave_open(&mut self, check: Check, why: &str) {
        self.answer(check, Answer::Unknown(why.to_owned()));
    }

    /// Checks a state, given everything that can happen in it.
    pub fn state(&mut self, reached: &dyn Reached, at: usize, steps: &[Step]) {
        if self.machine.has_begun(&reached.config(at)) {
            self.always(reached, at);
            self.steps(reached, at, steps);
        }
        self.at_rest(reached, at, steps);
    }

    /// Is something asked about steps?
    pub fn asks_about_steps(&self) -> bool {
        let about_steps = |(check, answer): &(Check, Answer)| {
            let Check::Property(_) = check else {
                return false;
            };
            matches!(answer, Answer::NotRefuted)
                && matches!(self.property(*check).claim, Claim::Step(_))
        };
        self.answers.iter().any(about_steps)
    }

    /// Checks what should hold of every step. `init` has run.
    pub fn steps(&mut self, reached: &dyn Reached, at: usize, steps: &[Step]) {
        if !self.asks_about_steps() {
            return;
        }
        let before = reached.config(at).into_owned();
        for (number, step) in steps.iter().enumerate() {
            let Outcome::Next(after) = &step.outcome else {
                continue;
            };
            for row in 0..self.answers.len() {
                let (check @ Check::Property(_), Answer::NotRefuted) = &self.answers[row] else {
                    continue;
                };
                let check = *check;
                let property = self.property(check);
                let Claim::Step(claim) = &property.claim else {
                    continue;
                };
                match verity_of_step(self.machine, property, claim, (&before, after)) {
                    Verity::Holds => {}
                    Verity::Unknown(failure) => {
                        self.answer(check, Answer::Unknown(failure.message));
                    }
                    Verity::Violated(why) => {
                        let ending = Ending::Violated {
                            property: property.name.clone(),
                            span: claim.span,
                            why,
                        };
                        self.refute(check, reached, at, Some(number), ending);
                    }
                }
            }
        }
    }

    /// Checks what should hold in every state. `init` has run.
    pub fn always(&mut self, reached: &dyn Reached, at: usize) {
        self.properties(reached, at, |claim| matches!(claim, Claim::Always(_)));
    }

    /// Checks what should hold where nothing can happen, if that is so.
    pub fn at_rest(&mut self, reached: &dyn Reached, at: usize, steps: &[Step]) {
        let config = reached.config(at);
        match self.machine.status_given(&config, steps) {
            Status::Running => {}
            // What a constraint cuts off is no execution that an `assume` ends.
            Status::Discarded => self.cuts += u64::from(self.machine.cut(&config).is_none()),
            Status::Deadlock(waiting) => {
                self.deadlocks += 1;
                self.refute(
                    Check::NoDeadlock,
                    reached,
                    at,
                    None,
                    Ending::Deadlock(waiting),
                );
            }
            Status::Final => {
                self.final_states += 1;
                self.undelivered.extend(self.machine.leftovers(&config));
                self.properties(reached, at, |claim| matches!(claim, Claim::Finally(_)));
            }
        }
    }

    /// A state from which an `assume` cuts off every way on.
    pub fn cut_off(&mut self) {
        self.cuts += 1;
    }

    /// A final state of an action system in which everything holds that should.
    pub fn good_end(&mut self) {
        self.final_states += 1;
    }

    /// A final state of processes in which everything holds that should, with messages that nobody takes.
    pub fn good_end_with(&mut self, config: &Config) {
        self.final_states += 1;
        self.undelivered.extend(self.machine.leftovers(config));
    }

    /// A deadlock, which is known already.
    pub fn deadlocked(&mut self) {
        self.deadlocks += 1;
    }

    /// The interpreter's own limit cuts something off.
    pub fn beyond_reach(&mut self, failure: Failure) {
        self.failures = true;
        self.out_of_reach(failure);
    }

    /// Some execution ends in a failure, which is known already.
    pub fn failed(&mut self) {
        self.failures = true;
    }

    /// A step out of a state fails.
    pub fn failed_step(&mut self, reached: &dyn Reached, at: usize, step: usize, failure: Failure) {
        self.failures = true;
        match self.blamed(&failure) {
            Some(check) => self.refute(check, reached, at, Some(step), Ending::Failed(failure)),
            None => self.out_of_reach(failure),
        }
    }

    /// The start fails.
    pub fn failed_start(&mut self, failure: Failure, config: Config) {
        self.failures = true;
        match self.blamed(&failure) {
            Some(check) => {
                let (trace, _) = retrace(self.machine, &config, &[], Ending::Failed(failure));
                self.found(check, trace);
            }
            None => self.out_of_reach(failure),
        }
    }

    /// Looks for executions that never terminate.
    pub fn quiescence(&mut self, reached: &dyn Reached, edges: &[Vec<Edge>]) {
        let claims: Vec<(Check, bool)> = self
            .answers
            .iter()
            .filter_map(|(check, _)| Some((*check, self.claims_rest(*check)?)))
            .collect();
        if claims.is_empty() {
            return;
        }
        let Some((at, around)) = nearest_cycle(edges) else {
            return;
        };
        for (check, fair) in claims {
            if fair {
                let reason = "some executions repeat a state; whether they can be fair needs \
                              `diverge`";
                self.answer(check, Answer::Unknown(reason.to_owned()));
                continue;
            }
            let (start, mut path) = reached.path(at);
            path.extend(&around);
            let ending = Ending::Violated {
                property: self.property(check).name.clone(),
                span: self.property(check).span,
                why: repeats(around.len()),
            };
            let (trace, _) = retrace(self.machine, &start, &path, ending);
            self.found(check, trace);
        }
    }

    /// Did the search see everything? It came to its end, and left out states if it was `full`.
    pub fn completeness(&mut self, full: bool) -> Completeness {
        match self.resource.take() {
            _ if full => Completeness::StateLimit,
            Some(message) => Completeness::Resource(message),
            None => Completeness::Complete,
        }
    }

    pub fn report(mut self, totals: Totals) -> SearchReport {
        let is_complete = totals.completeness == Completeness::Complete;
        SearchReport {
            cut: is_complete && self.has_only_cuts() && self.cuts >= totals.states,
            completeness: totals.completeness,
            states: totals.states,
            steps: totals.steps,
            depth: totals.depth,
            final_states: self.final_states,
            failures: self.failures,
            undelivered: std::mem::take(&mut self.undelivered).into_iter().collect(),
            coverage: totals.coverage,
            cut_by: totals.cut_by,
            findings: self.answers(),
        }
    }

    /// The answers, with names.
    fn answers(self) -> Vec<Finding> {
        let song = self.machine.instance().song();
        let subject = self.machine.subject();
        self.answers
            .into_iter()
            .map(|(check, answer)| {
                let (name, span) = check.name(song, subject);
                let is_about_the_end = match check {
                    Check::Property(at) => matches!(song.properties[at].claim, Claim::Finally(_)),
                    _ => false,
                };
                Finding {
                    check,
                    name,
                    span,
                    answer,
                    is_about_the_end,
                }
            })
            .collect()
    }

    /// Checks the properties with the kind of claim that `when` picks.
    fn properties(&mut self, reached: &dyn Reached, at: usize, when: impl Fn(&Claim) -> bool) {
        for number in 0..self.answers.len() {
            let (check @ Check::Property(_), Answer::NotRefuted) = &self.answers[number] else {
                continue;
            };
            let check = *check;
            let property = self.property(check);
            let (Claim::Finally(claim) | Claim::Always(claim)) = &property.claim else {
                continue;
            };
            if !when(&property.claim) {
                continue;
            }
            match verity(self.machine, property, claim, &reached.config(at)) {
                Verity::Holds => {}
                Verity::Unknown(failure) => self.answer(check, Answer::Unknown(failure.message)),
                Verity::Violated(why) => {
                    let property = self.property(check);
                    let (name, span) = (property.name.clone(), claim.span);
                    let ending = Ending::Violated {
                        property: name,
                        span,
                        why,
                    };
                    self.refute(check, reached, at, None, ending);
                }
            }
        }
    }

    /// The check that a failure counts against; none when it is ours.
    fn blamed(&self, failure: &Failure) -> Option<Check> {
        match (failure.kind, self.machine.subject()) {
            (FailureKind::Resource, _) => None,
            (FailureKind::Contract, Subject::Line(_)) => Some(Check::Contract),
            _ => Some(Check::Assertions),
        }
    }

    fn out_of_reach(&mut self, failure: Failure) {
        self.resource.get_or_insert(failure.message);
    }

    /// The path to a state, and one step more if given, refutes a check, if it was asked and is not
    /// refuted yet.
    fn refute(
        &mut self,
        check: Check,
        reached: &dyn Reached,
        at: usize,
        step: Option<usize>,
        ending: Ending,
    ) {
        let open = |(known, answer): &(Check, Answer)| {
            *known == check && !matches!(answer, Answer::Refuted(_))
        };
        if !self.answers.iter().any(open) {
            return;
        }
        let (start, mut path) = reached.path(at);
        path.extend(step);
        let (trace, _) = retrace(self.machine, &start, &path, ending);
        self.found(check, trace);
    }

    /// Takes the steps of a refutation again before anyone sees it.
    fn found(&mut self, check: Check, trace: Trace) {
        if let Err(mismatch) = replay(self.machine, &trace) {
            panic!("a refutation replays, but this one does not: {mismatch:?}\n{trace:#?}");
        }
        self.answer(check, Answer::Refuted(Box::new(trace)));
    }

    fn answer(&mut self, check: Check, answer: Answer) {
        for (known, slot) in &mut self.answers {
            if *known == check && !matches!(slot, Answer::Refuted(_)) {
                *slot = answer.clone();
            }
        }
    }

    fn property(&self, check: Check) -> &'a Property {
        match check {
            Check::Property(at) => &self.machine.instance().song().properties[at],
            other => panic!("{other:?} is not a property"),
        }
    }

    /// Does a check claim that every execution, or every fair one, terminates?
    fn claims_rest(&self, check: Check) -> Option<bool> {
        match check {
            Check::Property(_) => match self.property(check).claim {
                Claim::Quiescent { fair } => Some(fair),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Nothing is known yet. Of temporal claims a search through states never knows anything: `liveness` does.
fn open_answer(machine: &Machine, check: Check) -> Answer {
    let properties = &machine.instance().song().properties;
    match check {
        Check::Property(at) if matches!(properties[at].claim, Claim::Temporal(_)) => {
            Answer::Unknown("a temporal claim is about executions, not about states".to_owned())
        }
        _ => Answer::NotRefuted,
    }
}

/// Why an execution never terminates.
fn repeats(events: usize) -> String {
    match events {
        1 => "repeats for ever: the last event leads back to where it began".to_owned(),
        _ => format!("repeats for ever: the last {events} events lead back to where they began"),
    }
}
