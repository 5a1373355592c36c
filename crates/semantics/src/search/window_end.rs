//! Executions that a window of values ends.
//!
//! Statement. From some state on a condition is asked, and whatever is chosen from the window there and later, it is never
//! true again, though a value outside of the window might pass. What comes after the condition is unseen then, in the
//! executions that go on from that state.
//!
//! Technique. Backward reachability (`EF`) in the state graph, for each condition: from which states is it ever passed, and
//! from which is it refused ([`WindowCondition`])? To blame is a choice from the window that influences the condition, if
//! the states to which its values lead are all such that it is never passed from there on, and from one of them it is
//! refused. The start is such a choice, where values of variables are chosen.
//! NOT COVERED. Whether the refused value is the one chosen there: a condition may be asked of several processes.

use super::{Limits, Progress, Watch};
use crate::code::OpKind;
use crate::code::coverage::Covered;
use crate::code::refused::{Refusals, WindowCondition};
use crate::code::run::Chosen;
use crate::instance::Instance;
use crate::machine::{Config, Machine, Outcome, Step, Subject, Taken};
use crate::trace::EventKind;
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

/// Who does what, with which message or async, and what else was chosen.
type Way = (
    (Option<usize>, EventKind, usize, usize),
    Option<Taken>,
    Vec<Chosen>,
);

/// What the steps out of a state have asked.
#[derive(Default)]
struct Seen {
    passed: Vec<Span>,
    refused: BTreeSet<Span>,
    /// The conditions that choices made here influence, each with the states to which the values of one choice lead.
    choices: Vec<(Span, Vec<u32>)>,
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
        let first = self.machine.initial_covering(&mut covered).into_iter();
        let first: Vec<u32> = first.filter_map(|one| self.enter(one, 0)).collect();
        let from_start = self.conditions.iter().filter(|(_, one)| one.from_start);
        let choices = from_start.map(|(span, _)| (*span, first.clone())).collect();
        self.note(&covered, choices);
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
            at += 1;
            let choices = self.choices(steps, at);
            self.note(&covered, choices);
        }
        true
    }

    fn covered(&self) -> Covered {
        Covered::with_refusals(Refusals::of(self.conditions.clone()))
    }

    /// Follows the steps out of a state: what their choices influence.
    fn choices(&mut self, steps: Vec<Step>, from: usize) -> Vec<(Span, Vec<u32>)> {
        let mut found: Vec<(Span, Way, Vec<u32>)> = Vec::new();
        for mut step in steps {
            let outcome = std::mem::replace(&mut step.outcome, Outcome::Discarded);
            let Some(to) = self.enter(outcome, from) else {
                continue;
            };
            for (span, condition) in self.conditions.iter() {
                let Some(way) = self.way(&step, condition) else {
                    continue;
                };
                match found
                    .iter_mut()
                    .find(|one| (one.0, &one.1) == (*span, &way))
                {
                    Some((.., targets)) => targets.push(to),
                    None => found.push((*span, way, vec![to])),
                }
            }
        }
        let found = found.into_iter();
        found.map(|(span, _, targets)| (span, targets)).collect()
    }

    /// What a step does, whatever it chooses that influences the condition; none if it chooses nothing of the kind.
    fn way(&self, step: &Step, condition: &WindowCondition) -> Option<Way> {
        if step.chosen.is_empty() {
            return None;
        }
        let code = self.machine.code(step.code);
        let influences = |chosen: &&Chosen| {
            code.ops.iter().any(|op| {
                let (OpKind::LetChoice(choice) | OpKind::AssignChoice(_, choice)) = &op.kind else {
                    return false;
                };
                chosen.local == Some(choice.local) && condition.sources.contains(&op.span)
            })
        };
        step.chosen.iter().find(influences)?;
        let others = step.chosen.iter().filter(|one| !influences(one)).cloned();
        Some((
            (step.lane, step.kind, step.code, step.pc),
            step.taken.clone(),
            others.collect(),
        ))
    }

    /// A step leads from an entry to what becomes of it.
    fn enter(&mut self, outcome: Outcome, from: usize) -> Option<u32> {
        let Outcome::Next(config) = outcome else {
            return None;
        };
        let (at, is_new) = self.states.insert_full(config);
        if is_new {
            self.before.push(Vec::new());
        }
        self.before[at + 1].push(from as u32);
        Some(at as u32 + 1)
    }

    fn note(&mut self, covered: &Covered, choices: Vec<(Span, Vec<u32>)>) {
        let refusals = covered.refusals.as_ref();
        self.seen.push(Seen {
            passed: covered.all_passed(),
            refused: refusals.map(|all| all.found().clone()).unwrap_or_default(),
            choices,
        });
    }

    fn ends_at(&self, condition: &Span) -> bool {
        let passes = self.leading_to(|seen| seen.passed.contains(condition));
        let is_refused = self.leading_to(|seen| seen.refused.contains(condition));
        let mut choices = self.seen.iter().flat_map(|seen| &seen.choices);
        choices.any(|(of, targets)| {
            let mut targets = targets.iter().map(|at| *at as usize);
            of == condition
                && targets.clone().any(|at| is_refused[at])
                && !targets.any(|at| passes[at])
        })
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
