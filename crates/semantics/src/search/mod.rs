//! Explicit-state search: breadth first through the state space of an instance.
//!
//! The explicit-state reference that cleverer engines are tested against: every state is stored once, in the
//! order in which it is found, so the first state that violates something is one of the nearest.
//! The search goes on after a violation to answer the other checks; it ends early when all are
//! refuted.
//!
//! `eventually quiescent` looks at the graph of states: without a cycle, every execution of a finite
//! instance terminates. A cycle refutes the plain claim; whether it can be walked *fairly* for
//! ever is another engine's question.

mod coverage;
mod cycle;
mod dive;
mod findings;
mod graph;
mod query;
mod question;
mod steer;
mod verdicts;
mod window_end;

pub use crate::code::refused::{WindowCondition, WindowLocal};
pub use coverage::Coverage;
pub use cycle::Edge;
pub use dive::dive;
pub use findings::{Account, Findings, Reached, Totals};
pub use query::{Check, Query};
pub use question::{Question, name_of, questions};
pub use steer::{Start, Steering, steer, steered_end};
pub use verdicts::reason_against;
pub use window_end::{WindowEnd, window_end};

use crate::code::coverage::Covered;
use crate::instance::Instance;
use crate::machine::{Config, Machine, Outcome, Status, Step};
use crate::trace::Trace;
use crate::vacuity::Premises;
use graph::Graph;
use plainsong_diagnostics::Span;
use std::collections::BTreeSet;
use std::io::{self, Read, Write};

/// How many states are looked at between two calls of the watch, where a state takes a moment only.
pub const PACE: u64 = 256;

/// When to give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most states to store after `init`.
    pub states: u64,
    /// Enough refutations to end the search.
    pub refutations: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            states: 10_000_000,
            refutations: None,
        }
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// States found.
    pub states: u64,
    /// States found but not yet looked at.
    pub waiting: u64,
    /// Steps taken.
    pub steps: u64,
    /// Steps from the start to the state looked at.
    pub depth: u64,
}

/// Somebody who looks on and may end the search: the clock, the user.
pub trait Watch: Send {
    /// Called at every state, or every few; `false` ends the search.
    fn keep_going(&mut self, progress: &Progress) -> bool;

    /// A check is refuted by this execution of the instance, which was replayed. The search goes on for the others; who
    /// is told loses nothing if it does not come to its end.
    fn refuted(&mut self, _instance: &Instance, _check: Check, _trace: &Trace) {}

    /// Is it time to keep what a search has, so that another one can go on from there? Asked as often as [`Watch::keep_going`].
    fn wants_snapshot(&mut self) -> bool {
        false
    }

    /// Keeps what is written, whole or not at all. It is of a search of this instance, and of this name among its searches.
    fn keep_snapshot(&mut self, _instance: &Instance, _name: &str, _write: Writing<'_>) {}

    /// What was kept of a search of this name by an earlier run that did not come to its end.
    fn earlier_snapshot(&mut self, _instance: &Instance, _name: &str) -> Option<Box<dyn Read>> {
        None
    }

    /// What was kept cannot be gone on from, for this reason: the search begins from its start.
    fn lost_snapshot(&mut self, _why: &str) {}
}

/// Writes what a search has.
pub type Writing<'a> = &'a mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// Nobody looks on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn keep_going(&mut self, _: &Progress) -> bool {
        true
    }
}

/// Did the search see everything?
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// Every reachable state.
    Complete,
    /// No: every check, or as many as the limit says, was refuted before.
    Enough,
    /// No: it stored as many states as it may.
    StateLimit,
    /// No: the watch ended it.
    Stopped,
    /// No: the interpreter's own limit cut something off; the sentence says what.
    Resource(String),
}

/// What was found about one check.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub check: Check,
    /// Its name for people: `no_deadlock`, `assertions`, the name of a property or choreography.
    pub name: String,
    /// The name in the text; empty for what is always checked.
    pub span: Span,
    /// What was found.
    pub answer: Answer,
    /// Does it speak about final states only?
    pub is_about_the_end: bool,
}

/// An answer about one check.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// It does not hold; the trace was replayed.
    Refuted(Box<Trace>),
    /// It holds in everything that was seen.
    NotRefuted,
    /// This search cannot tell, for this reason.
    Unknown(String),
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchReport {
    /// One for each check, in the order of the query.
    pub findings: Vec<Finding>,
    /// Did it see everything?
    pub completeness: Completeness,
    /// States found, without those before `init`.
    pub states: u64,
    /// Steps taken.
    pub steps: u64,
    /// Steps from the start to the farthest state.
    pub depth: u64,
    /// Final states among them.
    pub final_states: u64,
    /// Which parts of the text took part.
    pub coverage: Coverage,
    /// Messages left over in some final state, as `Vote to coordinator`.
    pub undelivered: Vec<String>,
    /// Did some execution end in a failure? What would have come after it was not seen.
    pub failures: bool,
    /// Does an `assume` cut off every execution? Then there was nothing to check.
    pub cut: bool,
    /// The constraints by which states were cut off: what holds, holds within these.
    pub cut_by: BTreeSet<String>,
}

/// Searches the instance and checks what the query asks.
pub fn search(
    instance: &Instance,
    query: &Query,
    limits: &Limits,
    watch: &mut dyn Watch,
) -> SearchReport {
    let machine = Machine::new(instance, query.subject);
    let mut findings = Findings::new(&machine, query);
    let mut graph = Graph::new(limits.states, findings.wants_edges());
    let mut covered = Covered::default();
    let mut premises = Premises::new(&machine, query.checks.iter().copied());
    let completeness = explore(
        &machine,
        &mut findings,
        &mut graph,
        &mut covered,
        &mut premises,
        limits,
        watch,
    );
    findings.quiescence(&graph, graph.edges());
    findings.tell(watch);
    let mut coverage = Coverage::new(&machine, &covered);
    premises.enter(&mut coverage);
    let is_stopped = completeness == Completeness::Stopped;
    let cut = completeness == Completeness::Complete
        && findings.has_only_cuts()
        && !graph.has_cycle(&machine);
    let mut report = findings.report(Totals {
        completeness,
        states: graph.counted(),
        steps: graph.steps,
        depth: graph.deepest(),
        coverage,
        cut_by: std::mem::take(&mut graph.cut_by),
    });
    report.cut |= cut;
    if is_stopped {
        graph.give_back();
    }
    report
}

fn explore(
    machine: &Machine,
    findings: &mut Findings<'_>,
    graph: &mut Graph,
    covered: &mut Covered,
    premises: &mut Premises<'_>,
    limits: &Limits,
    watch: &mut dyn Watch,
) -> Completeness {
    for outcome in machine.initial_covering(covered) {
        match outcome {
            Outcome::Next(config) if machine.has_begun(&config) => drop(graph.add(config, None)),
            Outcome::Next(config) => graph.add_before_init(config),
            Outcome::Failed(failure, config) => findings.failed_start(failure, config),
            Outcome::Discarded => {}
        }
    }
    let mut at = 0;
    while at < graph.len() {
        if findings.all_refuted() || limits.refutations.is_some_and(|n| findings.refuted() >= n) {
            return Completeness::Enough;
        }
        findings.tell(watch);
        // A state of many processes takes long: the watch is asked at each.
        if !watch.keep_going(&graph.progress(at)) {
            return Completeness::Stopped;
        }
        let steps = machine.steps_covering(&graph.config(at), covered);
        if steps.is_empty()
            && let Some(constraint) = machine.cut(&graph.config(at))
        {
            graph.cut_off(constraint);
        }
        findings.state(graph, at, &steps);
        look(machine, &graph.config(at), &steps, premises);
        graph.expand(at, steps, findings);
        at += 1;
    }
    findings.completeness(graph.full)
}

/// Looks at the premises of what is checked in a state.
fn look(machine: &Machine, config: &Config, steps: &[Step], premises: &mut Premises<'_>) {
    if premises.are_open(false) && machine.has_begun(config) {
        premises.look(config, false);
    }
    if premises.are_open(true) && machine.status_given(config, steps) == Status::Final {
        premises.look(config, true);
    }
}
