//! The answers to the checks, as far as they are known.

use super::cycle::nearest_cycle;
use super::graph::Graph;
use super::query::{Check, Query};
use super::{Answer, Finding};
use crate::claim::{Verity, verity};
use crate::machine::{Config, Machine, Status, Step, Subject};
use crate::replay::replay;
use crate::retrace::retrace;
use crate::trace::{Ending, Failure, FailureKind, Trace};
use plainsong_ir::{Claim, Property};
use std::collections::BTreeSet;

/// What is known about each check.
pub(super) struct Findings<'a> {
    machine: &'a Machine,
    answers: Vec<(Check, Answer)>,
    /// Where the interpreter's own limit cut something off.
    pub(super) resource: Option<String>,
    pub(super) final_states: u64,
    /// Did some execution end in a failure?
    pub(super) failures: bool,
    pub(super) undelivered: BTreeSet<String>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(machine: &'a Machine, query: &Query) -> Self {
        Findings {
            machine,
            answers: query
                .checks
                .iter()
                .map(|check| (*check, Answer::NotRefuted))
                .collect(),
            resource: None,
            final_states: 0,
            failures: false,
            undelivered: BTreeSet::new(),
        }
    }

    /// Is the graph of states needed?
    pub(super) fn wants_edges(&self) -> bool {
        self.answers
            .iter()
            .any(|(check, _)| self.claims_rest(*check).is_some())
    }

    /// Is there nothing left to find out?
    pub(super) fn all_refuted(&self) -> bool {
        !self.answers.is_empty()
            && self
                .answers
                .iter()
                .all(|(_, answer)| matches!(answer, Answer::Refuted(_)))
    }

    /// How many checks are refuted.
    pub(super) fn refuted(&self) -> u64 {
        let refuted = |(_, answer): &&(Check, Answer)| matches!(answer, Answer::Refuted(_));
        self.answers.iter().filter(refuted).count() as u64
    }

    /// Checks a state, given everything that can happen in it.
    pub(super) fn state(&mut self, graph: &Graph, at: usize, steps: &[Step]) {
        let config = graph.config(at);
        if self.machine.has_begun(config) {
            self.properties(graph, at, |claim| matches!(claim, Claim::Always(_)));
        }
        match self.machine.status_given(config, steps) {
            Status::Running | Status::Discarded => {}
            Status::Deadlock(waiting) => {
                self.refute(
                    Check::NoDeadlock,
                    graph,
                    at,
                    None,
                    Ending::Deadlock(waiting),
                );
            }
            Status::Final => {
                self.final_states += 1;
                self.undelivered.extend(self.machine.leftovers(config));
                self.properties(graph, at, |claim| matches!(claim, Claim::Finally(_)));
            }
        }
    }

    /// A step out of a state fails.
    pub(super) fn failed_step(&mut self, graph: &Graph, at: usize, step: usize, failure: Failure) {
        self.failures = true;
        match self.blamed(&failure) {
            Some(check) => self.refute(check, graph, at, Some(step), Ending::Failed(failure)),
            None => self.out_of_reach(failure),
        }
    }

    /// The start fails.
    pub(super) fn failed_start(&mut self, failure: Failure, config: Config) {
        self.failures = true;
        match self.blamed(&failure) {
            Some(check) => {
                let (trace, _) = retrace(self.machine, &config, &[], Ending::Failed(failure));
                self.found(check, trace);
            }
            None => self.out_of_reach(failure),
        }
    }

    /// Looks for executions that never come to rest.
    pub(super) fn quiescence(&mut self, graph: &Graph) {
        let claims: Vec<(Check, bool)> = self
            .answers
            .iter()
            .filter_map(|(check, _)| Some((*check, self.claims_rest(*check)?)))
            .collect();
        if claims.is_empty() {
            return;
        }
        let Some((at, around)) = nearest_cycle(graph.edges()) else {
            return;
        };
        for (check, fair) in claims {
            if fair {
                let reason = "some executions repeat a state; whether they can be fair needs \
                              `diverge`";
                self.answer(check, Answer::Unknown(reason.to_owned()));
                continue;
            }
            let (start, mut path) = graph.path(at);
            path.extend(&around);
            let ending = Ending::Violated {
                property: self.property(check).name.clone(),
                span: self.property(check).span,
                why: repeats(around.len()),
            };
            let (trace, _) = retrace(self.machine, start, &path, ending);
            self.found(check, trace);
        }
    }

    /// The answers, with names.
    pub(super) fn answers(self) -> Vec<Finding> {
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
    fn properties(&mut self, graph: &Graph, at: usize, when: impl Fn(&Claim) -> bool) {
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
            match verity(self.machine, property, claim, graph.config(at)) {
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
                    self.refute(check, graph, at, None, ending);
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
        graph: &Graph,
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
        let (start, mut path) = graph.path(at);
        path.extend(step);
        let (trace, _) = retrace(self.machine, start, &path, ending);
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

    /// Does a check claim that every execution, or every fair one, comes to rest?
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

/// Why an execution never comes to rest.
pub(crate) fn repeats(events: usize) -> String {
    match events {
        1 => "repeats for ever: the last event leads back to where it began".to_owned(),
        _ => format!("repeats for ever: the last {events} events lead back to where they began"),
    }
}
