//! Executions that a window of values ends.
//!
//! Statement. From some state on a condition is asked, and whatever is chosen from the window there and later, it is never
//! true again, though a value outside of the window might pass. What comes after the condition is unseen then, in the
//! executions that go on from that state.
//!
//! Technique. Backward reachability (`EF`) in the state graph, for each condition: from which states is it ever passed, and
//! from which is it refused ([`WindowCondition`])? Of states from which the latter alone is reached, one in which a
//! choice from the window is made that influences the condition is to blame; so is the start, where values of
//! variables are chosen.
//! NOT COVERED. Whether the refused value is the one chosen there: a condition may be asked of several processes.

use super::{Limits, Progress, Watch};
use crate::code::coverage::Covered;
use crate::code::refused::{Refusals, WindowCondition};
use crate::instance::Instance;
use crate::machine::{Config, Machine, Outcome, Subject};
use indexmap::IndexSet;
use plainsong_diagnostics::Span;
use rustc_hash::FxBuildHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Does a window end executions?
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowEnd {
    /// Yes, at this condition.
    At(Span),
    /// No.
    No,
    /// Not known: there are too many states, or something ended the search.
    Open,
}

/// Asks whether a window ends executions at one of these conditions.
pub fn window_end(
    instance: &Instance,
    subject: Subject,
    conditions: &Arc<BTreeMap<Span, WindowCondition>>,
    limits: &Limits,
    watch: &mut dyn Watch,
) -> WindowEnd {
    let machine = Machine::new(instance, subject);
    let mut graph = Graph {
        machine: &machine,
        conditions,
        states: IndexSet::default(),
        before: Vec::new(),
        seen: Vec::new(),
    };
    if !graph.explore(limits, watch) {
        return WindowEnd::Open;
    }
    let mut found = conditions.keys().filter(|one| graph.ends_at(one));
    found
        .next()
        .map_or(WindowEnd::No, |one| WindowEnd::At(*one))
}

/// What the steps out of a state have asked.
#[derive(Default)]
struct Seen {
    passed: Vec<Span>,
    refused: BTreeSet<Span>,
    /// The conditions that a choice made here influences.
    chooses_for: Vec<Span>,
}

struct Graph<'a> {
    machine: &'a Machine,
    conditions: &'a Arc<BTreeMap<Span, WindowCondition>>,
    states: IndexSet<Config, FxBuildHasher>,
    /// For each state those from which a step leads to it. The first entry is of the start, before all states.
    before: Vec<Vec<u32>>,
    /// What was seen at the start, then in each state.
    seen: Vec<Seen>,
}

impl Graph<'_> {
    /// Did it see everything?
    fn explore(&mut self, limits: &Limits, watch: &mut dyn Watch) -> bool {
        let mut covered = self.covered();
        self.before.push(Vec::new());
        let first = self.machine.initial_covering(&mut covered);
        self.note(&covered, true);
        for outcome in first {
            self.enter(outcome, 0);
        }
        let mut at = 0;
        while at < self.states.len() {
            let progress = Progress {
                states: self.states.len() as u64,
                waiting: (self.states.len() - at) as u64,
                ..Progress::default()
            };
            if self.states.len() as u64 > limits.states || !watch.keep_going(&progress) {
                return false;
            }
            let mut covered = self.covered();
            let config = self.states[at].clone();
            let steps = self.machine.steps_covering(&config, &mut covered);
            self.note(&covered, false);
            at += 1;
            for step in steps {
                self.enter(step.outcome, at);
            }
        }
        true
    }

    fn covered(&self) -> Covered {
        Covered::with_refusals(Refusals::of(self.conditions.clone()))
    }

    /// A step leads from an entry to what becomes of it.
    fn enter(&mut self, outcome: Outcome, from: usize) {
        let Outcome::Next(config) = outcome else {
            return;
        };
        let (at, is_new) = self.states.insert_full(config);
        if is_new {
            self.before.push(Vec::new());
        }
        self.before[at + 1].push(from as u32);
    }

    fn note(&mut self, covered: &Covered, is_start: bool) {
        let spans = &self.machine.statements.spans;
        let ran = (0..spans.len()).filter(|at| covered.has_run(*at));
        let ran: BTreeSet<Span> = ran.map(|at| spans[at]).collect();
        let is_influenced =
            |one: &WindowCondition| !ran.is_disjoint(&one.sources) || is_start && one.from_start;
        let influenced = self.conditions.iter().filter(|(_, one)| is_influenced(one));
        let refusals = covered.refusals.as_ref();
        self.seen.push(Seen {
            passed: covered.all_passed(),
            refused: refusals.map(|all| all.found().clone()).unwrap_or_default(),
            chooses_for: influenced.map(|(span, _)| *span).collect(),
        });
    }

    fn ends_at(&self, condition: &Span) -> bool {
        let passes = self.leading_to(|seen| seen.passed.contains(condition));
        let is_refused = self.leading_to(|seen| seen.refused.contains(condition));
        let mut all = self.seen.iter().enumerate();
        all.any(|(at, seen)| seen.chooses_for.contains(condition) && is_refused[at] && !passes[at])
    }

    /// From which entries some steps, or none, lead to one of these.
    fn leading_to(&self, is_wanted: impl Fn(&Seen) -> bool) -> Vec<bool> {
        let mut leads: Vec<bool> = self.seen.iter().map(is_wanted).collect();
        let mut open: Vec<usize> = (0..leads.len()).filter(|at| leads[*at]).collect();
        while let Some(at) = open.pop() {
            for &before in &self.before[at] {
                let before = before as usize;
                if !std::mem::replace(&mut leads[before], true) {
                    open.push(before);
                }
            }
        }
        leads
    }
}
