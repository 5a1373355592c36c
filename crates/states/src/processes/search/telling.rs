//! What is found: steps that fail, states in which nothing can happen, claims that are false.
//!
//! Each is told as a way of the interpreter and judged by it ([`Findings`]). Up to names, the way is one of the loosened machine, and
//! has to be played in the real one; where that fails too often, the check is left open ([`MOST_TRIES`]).

use super::super::claims::About;
use super::super::lane::{Signs, WAITS};
use super::super::told::Told;
use super::{Again, COUNTED, Search};
use plainsong_semantics::machine::Outcome;
use plainsong_semantics::process_symmetry::MOST_TRIES;
use plainsong_semantics::search::{Check, Findings, Limits};
use plainsong_semantics::trace::{Failure, FailureKind};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

impl Search<'_, '_> {
    /// Tells what is violated by steps out of a state, among them one to a state with this row.
    pub(super) fn tell_steps(
        &mut self,
        findings: &mut Findings<'_>,
        limits: &Limits,
        (root, depth): (u64, usize),
        row: &[u32],
    ) -> Result<(), Again> {
        if self.net.drops && self.claims.counts_messages() {
            return Err(Again::Kept(COUNTED));
        }
        let mut told = self.way(root, depth)?;
        let row = &row[..self.net.lanes.len()];
        let step = told.approach(self.net, row);
        assert!(step.is_some(), "there is a step");
        if self.net.names.is_some() {
            for about in self.claims.about_steps() {
                self.suspect(findings, about, &told, step);
            }
        } else {
            let steps = self.net.processes.machine().steps(&told.end);
            findings.steps(&told, 0, &steps);
        }
        self.claims
            .retain(|about| is_open(findings, (&self.met, &self.tries), about));
        self.note_refuted(findings, limits);
        Ok(())
    }

    /// Steps that fail.
    pub(super) fn failures(
        &mut self,
        findings: &mut Findings<'_>,
        limits: &Limits,
        (root, depth): (u64, usize),
        row: &[u32],
    ) -> Result<(), Again> {
        let last = self.net.lanes.len() - 1;
        for slot in 0..last {
            let Some(fails) = self.net.lanes[slot].fails.get(&row[slot]).cloned() else {
                continue;
            };
            for failing in &fails {
                if failing.fault > 0 {
                    if self.net.spend(row[last], failing.fault - 1).is_none() {
                        continue;
                    }
                    self.steps += 1;
                }
            }
            findings.failed();
            let is_told = !self.told.insert((slot, row[slot]));
            // Up to names, another state may show it where one does not.
            let is_left =
                self.net.names.is_some() && self.is_suspicious(findings, Check::Assertions);
            if is_told && !is_left {
                continue;
            }
            for failing in fails {
                if failing.fault > 0 && self.net.spend(row[last], failing.fault - 1).is_none() {
                    self.told.remove(&(slot, row[slot]));
                    continue;
                }
                self.failure(findings, (root, depth), failing.failure)?;
            }
        }
        self.note_refuted(findings, limits);
        Ok(())
    }

    fn failure(
        &mut self,
        findings: &mut Findings<'_>,
        (root, depth): (u64, usize),
        failure: Failure,
    ) -> Result<(), Again> {
        if failure.kind == FailureKind::Resource {
            findings.beyond_reach(failure);
            return Ok(());
        }
        if !self.is_suspicious(findings, Check::Assertions) {
            return Ok(());
        }
        let mut told = self.way(root, depth)?;
        let has_names = self.net.names.is_some();
        // Up to names, what is said of it may name others.
        let is_it = |one: &Failure| match has_names {
            true => (one.kind, one.span) == (failure.kind, failure.span),
            false => *one == failure,
        };
        let fails = |outcome: &Outcome| matches!(outcome, Outcome::Failed(one, _) if is_it(one));
        told.settle(self.net, |steps| {
            steps.iter().any(|step| fails(&step.outcome))
        });
        let steps = self.net.processes.machine().steps(&told.end);
        let step = steps.iter().position(|step| fails(&step.outcome));
        let step = step.expect("what fails in a capsule fails in its state");
        match self.net.names {
            None => findings.failed_step(&told, 0, step, failure),
            Some(_) => self.suspect(findings, Check::Assertions, &told, Some(step)),
        }
        Ok(())
    }

    /// A state in which nothing can happen.
    pub(super) fn rest(
        &mut self,
        findings: &mut Findings<'_>,
        limits: &Limits,
        (root, depth): (u64, usize),
        row: &[u32],
        signs: Signs,
    ) -> Result<(), Again> {
        if signs & WAITS != 0 {
            if self.net.names.is_some() {
                findings.deadlocked();
            }
            if self.is_suspicious(findings, Check::NoDeadlock) {
                self.tell_rest(findings, (root, depth), &[Check::NoDeadlock])?;
                self.note_refuted(findings, limits);
            }
            return Ok(());
        }
        let news = self.claims.last(self.net, row);
        let is_violated = news.iter().any(|one| matches!(one, About::Property(_)));
        self.note_met(&news);
        let mut is_left = false;
        for (slot, lane) in self.net.lanes.iter().enumerate() {
            let (_, inbox) = lane.capsules.get(row[slot]);
            is_left |= inbox != 0 && self.left.insert((slot, inbox));
        }
        if is_violated {
            let asked = properties(&news);
            self.tell_rest(findings, (root, depth), &asked)?;
            self.claims
                .retain(|about| is_open(findings, (&self.met, &self.tries), about));
            self.note_refuted(findings, limits);
        } else if is_left {
            findings.good_end_with(&self.net.decode(row));
        } else {
            findings.good_end();
        }
        Ok(())
    }

    fn tell_rest(
        &mut self,
        findings: &mut Findings<'_>,
        (root, depth): (u64, usize),
        asked: &[Check],
    ) -> Result<(), Again> {
        let mut told = self.way(root, depth)?;
        told.settle(self.net, |_| false);
        if self.net.names.is_some() {
            if asked != [Check::NoDeadlock] {
                findings.good_end_with(&told.end);
            }
            for check in asked {
                self.suspect(findings, *check, &told, None);
            }
            return Ok(());
        }
        let steps = self.net.processes.machine().steps(&told.end);
        findings.at_rest(&told, 0, &steps);
        Ok(())
    }

    /// Is it worth looking for an execution that refutes a check?
    pub(super) fn is_suspicious(&self, findings: &Findings<'_>, check: Check) -> bool {
        let tries = self.tries.get(&check).copied().unwrap_or(0);
        findings.is_open(check) && tries < MOST_TRIES
    }

    /// A check is violated up to names: looks for a real execution.
    fn suspect(
        &mut self,
        findings: &mut Findings<'_>,
        check: Check,
        told: &Told,
        step: Option<usize>,
    ) {
        let Some(names) = &self.net.names else { return };
        if !self.is_suspicious(findings, check) {
            return;
        }
        let steps: Vec<usize> = told.steps.iter().copied().chain(step).collect();
        match names.symmetric.real_execution(check, &told.start, &steps) {
            Some(trace) => findings.refuted_by(check, trace),
            None => *self.tries.entry(check).or_default() += 1,
        }
    }

    /// Tells what is news in a state.
    pub(super) fn tell(
        &mut self,
        findings: &mut Findings<'_>,
        limits: &Limits,
        (root, depth): (u64, usize),
        news: &[About],
    ) -> Result<(), Again> {
        self.note_met(news);
        if self.net.drops && self.claims.counts_messages() {
            return Err(Again::Kept(COUNTED));
        }
        if news.iter().any(|one| matches!(one, About::Property(_))) {
            let told = self.way(root, depth)?;
            match self.net.names {
                None => findings.always(&told, 0),
                Some(_) => {
                    for check in properties(news) {
                        self.suspect(findings, check, &told, None);
                    }
                }
            }
            self.note_refuted(findings, limits);
        }
        if news.iter().any(|one| !matches!(one, About::Constraint(_))) {
            self.claims
                .retain(|about| is_open(findings, (&self.met, &self.tries), about));
        }
        Ok(())
    }

    /// Of what is known, nothing is asked any more.
    pub(super) fn leave_out_what_is_known(&mut self, findings: &Findings<'_>) {
        self.claims
            .retain(|about| is_open(findings, (&self.met, &self.tries), about));
    }

    fn note_met(&mut self, news: &[About]) {
        for one in news {
            if let About::Premise(at) = one {
                self.met.insert(*at);
            }
        }
    }

    pub(super) fn note_refuted(&mut self, findings: &Findings<'_>, limits: &Limits) {
        let is_most = limits
            .refutations
            .is_some_and(|most| findings.refuted() >= most);
        self.is_enough |= findings.all_refuted() || is_most;
    }
}

/// The properties among what is news, each once.
fn properties(news: &[About]) -> Vec<Check> {
    let mut all = Vec::new();
    for one in news {
        if let About::Property(at) = one
            && !all.contains(&Check::Property(*at))
        {
            all.push(Check::Property(*at));
        }
    }
    all
}

/// Is something worth looking at?
fn is_open(
    findings: &Findings<'_>,
    (met, tries): (&FxHashSet<usize>, &BTreeMap<Check, u32>),
    about: About,
) -> bool {
    match about {
        About::Property(at) => {
            let check = Check::Property(at);
            findings.is_open(check) && tries.get(&check).is_none_or(|tries| *tries < MOST_TRIES)
        }
        About::Premise(at) => !met.contains(&at),
        About::Constraint(_) => true,
    }
}
