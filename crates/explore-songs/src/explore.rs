//! The visits: counts and refutations.

use crate::ending::Ending;
use crate::program::Song;
use crate::stage::Stage;
use plainsong_explore::{Engine, Graph, Leaf, Tid, Visitor};
use plainsong_ir::Claim;
use plainsong_semantics::claim::{Verity, verity};
use plainsong_semantics::executions::ExecutionCount;
use plainsong_semantics::machine::{Config, Machine};
use plainsong_semantics::part::Parts;
use plainsong_semantics::score::{Charge, witness};
use plainsong_semantics::search::{Check, Completeness, Coverage, Limits, Progress, Watch};
use plainsong_semantics::trace::Trace;
use std::cell::RefCell;
use std::rc::Rc;

/// How many executions are visited between two calls of the watch.
const PACE: u64 = 256;

/// The most events of one execution.
const MOST_EVENTS: usize = 4_000;

/// What was found.
#[derive(Debug)]
pub struct Explored {
    /// How many executions there are of each kind.
    pub count: ExecutionCount,
    /// What was found about each check, in their order.
    pub findings: Vec<Finding>,
    /// Which parts of the text took part.
    pub coverage: Coverage,
}

/// What was found about one check.
#[derive(Debug, PartialEq)]
pub enum Finding {
    /// Nothing against it.
    NotRefuted,
    /// This trace refutes it; it was replayed.
    Refuted(Box<Trace>),
    /// The interpreter could not tell, for this reason.
    Unknown(String),
}

/// Why this engine does not have the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GaveUp {
    /// These are no voices.
    NotVoices,
    /// A check that depends on the order of steps of different processes, or on endless executions.
    Check,
    /// A handler that an `assume` cuts off leaves its message where it is.
    HandlerRefuses,
    /// A handler sends a `mailbox` message behind another message, in one step.
    HandlerSendsToMailboxes,
    /// An execution does not end within [`MOST_EVENTS`] events.
    TooLong,
}

impl GaveUp {
    /// For people: what is the matter.
    pub fn sentence(self) -> &'static str {
        match self {
            GaveUp::NotVoices => "only voices have executions",
            GaveUp::Check => "this depends on the order of steps of different processes",
            GaveUp::HandlerRefuses => "an `assume` cuts a handler off, which leaves its message",
            GaveUp::HandlerSendsToMailboxes => {
                "a handler sends a `mailbox` message behind another one, in one step"
            }
            GaveUp::TooLong => "an execution has more than 4,000 events; it may have no end",
        }
    }
}

/// Visits every execution of a machine of voices once.
///
/// The checks may be assertions, no deadlock and `finally` properties.
pub fn explore(
    machine: &Machine,
    checks: &[Check],
    limits: &Limits,
    watch: &mut dyn Watch,
) -> Result<Explored, GaveUp> {
    explore_showing(machine, checks, limits, watch, None)
}

/// Is shown the last state of each execution that is complete (`true`) or blocked (`false`).
pub type Onlooker<'a> = &'a mut dyn FnMut(&Config, bool);

/// Like [`explore`], with somebody who looks at the last states.
pub fn explore_showing<'a>(
    machine: &'a Machine,
    checks: &[Check],
    limits: &'a Limits,
    watch: &'a mut dyn Watch,
    onlooker: Option<Onlooker<'a>>,
) -> Result<Explored, GaveUp> {
    let parts = Rc::new(Parts::new(machine).ok_or(GaveUp::NotVoices)?);
    if !checks
        .iter()
        .all(|check| is_about_executions(machine, *check))
    {
        return Err(GaveUp::Check);
    }
    let stage = Rc::new(RefCell::new(Stage::new(parts.clone())));
    let mut visit = Visit {
        onlooker,
        ..Visit::new(machine, stage.clone(), checks, limits, watch)
    };
    let starts = stage.borrow().starts();
    if starts > 0 {
        let mut song = Song(stage.clone());
        Engine::new(&mut song)
            .limit_events(MOST_EVENTS)
            .run(&mut visit);
    }
    if let Some(gave_up) = stage.borrow().gave_up.or(visit.too_long) {
        return Err(gave_up);
    }
    Ok(Explored {
        count: visit.count,
        findings: visit.findings.into_iter().map(|(_, found)| found).collect(),
        coverage: parts.coverage(),
    })
}

/// Does a check depend only on what each process did?
fn is_about_executions(machine: &Machine, check: Check) -> bool {
    match check {
        Check::Assertions | Check::NoDeadlock => true,
        Check::Contract => false,
        Check::Property(at) => {
            let property = &machine.instance().song().properties[at];
            matches!(property.claim, Claim::Finally(_))
        }
    }
}

struct Visit<'a> {
    machine: &'a Machine,
    stage: Rc<RefCell<Stage>>,
    findings: Vec<(Check, Finding)>,
    limits: &'a Limits,
    watch: &'a mut dyn Watch,
    onlooker: Option<Onlooker<'a>>,
    count: ExecutionCount,
    visited: u64,
    too_long: Option<GaveUp>,
}

impl<'a> Visit<'a> {
    fn new(
        machine: &'a Machine,
        stage: Rc<RefCell<Stage>>,
        checks: &[Check],
        limits: &'a Limits,
        watch: &'a mut dyn Watch,
    ) -> Self {
        let findings = checks.iter().map(|check| (*check, Finding::NotRefuted));
        Visit {
            machine,
            stage,
            findings: findings.collect(),
            limits,
            watch,
            onlooker: None,
            count: ExecutionCount {
                complete: 0,
                blocked: 0,
                failed: 0,
                discarded: 0,
                completeness: Completeness::Complete,
            },
            visited: 0,
            too_long: None,
        }
    }

    /// Is there a reason to stop before the next execution?
    fn may_go_on(&mut self, graph: &Graph<Song>) -> bool {
        if self.stage.borrow().gave_up.is_some() || self.too_long.is_some() {
            return false;
        }
        if self.visited >= self.limits.states {
            self.count.completeness = Completeness::StateLimit;
            return false;
        }
        let progress = Progress {
            states: self.visited,
            waiting: 0,
            steps: self.visited,
            depth: graph.order().len() as u64,
        };
        if self.visited.is_multiple_of(PACE) && !self.watch.keep_going(&progress) {
            self.count.completeness = Completeness::Stopped;
            return false;
        }
        true
    }

    fn complete(&mut self, graph: &Graph<Song>) {
        self.count.complete += 1;
        let mut last: Option<Config> = None;
        for at in 0..self.findings.len() {
            let (Check::Property(number), Finding::NotRefuted) = &self.findings[at] else {
                continue;
            };
            let number = *number;
            let machine = self.machine;
            let property = &machine.instance().song().properties[number];
            let Claim::Finally(claim) = &property.claim else {
                continue;
            };
            let stage = &self.stage;
            let last = last.get_or_insert_with(|| stage.borrow_mut().last_state(graph));
            match verity(machine, property, claim, last) {
                Verity::Holds => {}
                Verity::Unknown(failure) => self.findings[at].1 = Finding::Unknown(failure.message),
                Verity::Violated(_) => {
                    self.refute(
                        Check::Property(number),
                        graph,
                        Charge::Finally(number),
                        None,
                    );
                }
            }
        }
    }

    /// Refutes a check if it was asked and is not refuted yet.
    fn refute(&mut self, check: Check, graph: &Graph<Song>, charge: Charge, last: Option<Tid>) {
        let open = |(known, found): &&mut (Check, Finding)| {
            *known == check && *found == Finding::NotRefuted
        };
        if let Some((_, found)) = self.findings.iter_mut().find(open) {
            let score = self.stage.borrow_mut().score(graph, last);
            *found = Finding::Refuted(Box::new(witness(self.machine, &score, charge)));
        }
    }
}

impl Visitor<Song> for Visit<'_> {
    fn leaf(&mut self, graph: &Graph<Song>, leaf: Leaf) -> bool {
        if leaf == Leaf::TooLong {
            self.too_long = Some(GaveUp::TooLong);
        }
        if !self.may_go_on(graph) {
            return false;
        }
        self.visited += 1;
        let ending = self.stage.borrow_mut().ending(graph);
        if let Some(onlooker) = &mut self.onlooker
            && matches!(ending, Ending::Complete | Ending::Blocked)
        {
            let last = self.stage.borrow_mut().last_state(graph);
            onlooker(&last, ending == Ending::Complete);
        }
        match ending {
            Ending::Complete => self.complete(graph),
            Ending::Blocked => {
                self.count.blocked += 1;
                self.refute(Check::NoDeadlock, graph, Charge::Deadlock, None);
            }
            Ending::Failed(thread) => {
                self.count.failed += 1;
                self.refute(Check::Assertions, graph, Charge::Failure, Some(thread));
            }
            Ending::Discarded => self.count.discarded += 1,
            Ending::Limit(message) => {
                self.count.completeness = Completeness::Resource(message);
            }
        }
        true
    }
}
