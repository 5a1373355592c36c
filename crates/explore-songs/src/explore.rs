//! The visits brought together: who makes them, and what they found in the end.
//!
//! Several workers share the search tree; each has threads and saved states of its own. What they count
//! is added up. Of several executions that refute a check, the one that comes first in the search tree
//! is shown: the one that a single worker meets first. So the number of workers changes nothing in the
//! answer, unless the search is stopped before its end.

use crate::linear_extensions::Orders;
use crate::program::Song;
use crate::thread_states::Stage;
use crate::visit::{Found, Shared, Visit};
use plainsong_explore::{Part, Workers, explore_parts_with};
use plainsong_ir::visit::{reads_crashed, reads_pending};
use plainsong_ir::{Claim, Fault, FaultKind, Song as SongText};
use plainsong_semantics::executions::ExecutionCount;
use plainsong_semantics::local_process::Parts;
use plainsong_semantics::machine::{Config, Machine};
use plainsong_semantics::search::{Check, Completeness, Coverage, Limits, Watch};
use plainsong_semantics::trace::Trace;
use std::cell::RefCell;
use std::rc::Rc;

/// What a worker's interpreter may nest: as much as the main thread of the command.
const STACK: usize = 256 * 1024 * 1024;

/// The most events of one execution.
pub(crate) const MOST_EVENTS: usize = 4_000;

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Explored {
    /// How many executions there are of each kind.
    pub count: ExecutionCount,
    /// What was found about each check, in their order.
    pub findings: Vec<Finding>,
    /// How many executions refute each check, where [every one](Manner::judges_all) was judged.
    pub refuting: Option<Vec<u64>>,
    /// Which parts of the text took part.
    pub coverage: Coverage,
    /// How many orders of steps some of the executions have; nothing where not all were visited.
    pub orders: Orders,
    /// What was not visited because the search was stopped.
    pub left: Vec<Part>,
    /// How much was looked at, as [limits](Manner::limits) count it: executions, and places behind which all are counted.
    pub looked_at: u64,
}

/// Keeps what was found so far, for the case that a search does not come to its end.
pub trait Keeper: Send {
    /// Is it time to keep something? Asked after every execution.
    fn is_due(&mut self) -> bool;

    /// What was found so far, and all that is left.
    fn keep(&mut self, so_far: Explored);
}

impl Explored {
    /// How many executions were counted.
    pub fn executions(&self) -> u64 {
        executions(&self.count)
    }

    /// About how many interleavings the executions of a machine stand for, as a power of ten.
    pub fn interleavings(&self, machine: &Machine) -> Option<f64> {
        let drawn = match self.is_sampled() {
            true => None,
            false => Parts::new(machine).map(|parts| Orders::draw(parts, DRAWN)),
        };
        drawn.as_ref().unwrap_or(&self.orders).of(self.executions())
    }

    /// What one search would have found that visited everything in this manner, where this was put together from several: it
    /// knows no orders of executions where it counts some without visiting them.
    #[must_use]
    pub fn as_of_one_search(
        mut self,
        machine: &Machine,
        checks: &[Check],
        manner: &Manner,
    ) -> Self {
        let is_counted = |after| self.executions() > after;
        if remembers(machine, checks, manner).is_some_and(is_counted) {
            self.orders = Orders::default();
        }
        self
    }

    /// Were orders of executions looked at, if there are any?
    fn is_sampled(&self) -> bool {
        self.executions() == 0 || !self.orders.drawn().is_empty()
    }

    /// With what a later search found in what this one left: together they are one search.
    #[must_use]
    pub fn and(mut self, later: Explored) -> Explored {
        let are_sampled = self.is_sampled() && later.is_sampled();
        self.count.complete += later.count.complete;
        self.count.blocked += later.count.blocked;
        self.count.failed += later.count.failed;
        self.count.discarded += later.count.discarded;
        if !matches!(self.count.completeness, Completeness::Resource(_)) {
            self.count.completeness = later.count.completeness;
        }
        for (known, news) in self.findings.iter_mut().zip(later.findings) {
            if news.weight() > known.weight() {
                *known = news;
            }
        }
        self.refuting = match (self.refuting, later.refuting) {
            (Some(one), Some(other)) => Some(one.iter().zip(other).map(|(a, b)| a + b).collect()),
            _ => None,
        };
        self.coverage.include(&later.coverage);
        self.orders = match are_sampled {
            true => self.orders.and(&later.orders),
            false => Orders::default(),
        };
        self.left = later.left;
        self.looked_at = self.looked_at.saturating_add(later.looked_at);
        self
    }
}

fn executions(count: &ExecutionCount) -> u64 {
    count.complete + count.blocked + count.failed + count.discarded
}

/// What was found about one check.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// Nothing against it.
    NotRefuted,
    /// This trace refutes it; it was replayed.
    Refuted(Box<Trace>),
    /// The interpreter could not tell, for this reason.
    Unknown(String),
}

impl Finding {
    /// A refutation says more than an execution that could not be judged.
    pub fn weight(&self) -> u8 {
        match self {
            Finding::NotRefuted => 0,
            Finding::Unknown(_) => 1,
            Finding::Refuted(_) => 2,
        }
    }
}

/// Why this engine does not have the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GaveUp {
    /// These are no voices.
    NotVoices,
    /// A copy of a message has a place among what its sender has sent.
    CopiesInOrder,
    /// A `mailbox` message may be lost.
    LosesFromMailboxes,
    /// A message may be sent again more often than is looked at.
    TooManyCopies,
    /// A check that counts messages in flight, or is about endless executions.
    Check,
    /// A handler that an `assume` cuts off leaves its message where it is, and that is not `unordered`.
    HandlerRefuses,
    /// A handler sends a `mailbox` message behind another message, in one step.
    HandlerSendsToMailboxes,
    /// An execution does not end within [`MOST_EVENTS`] events.
    TooLong,
    /// An execution has more states on the way than are looked at.
    TooManyStates,
}

impl GaveUp {
    /// For people: what is the matter.
    pub fn sentence(self) -> &'static str {
        match self {
            GaveUp::NotVoices => "only voices have executions",
            GaveUp::CopiesInOrder => {
                "a copy of a message that is not `unordered` has a place among what its sender sends"
            }
            GaveUp::LosesFromMailboxes => "a `mailbox` message may be lost",
            GaveUp::TooManyCopies => "a message may be sent again more than 64 times",
            GaveUp::Check => "this counts messages in flight, or is about executions without end",
            GaveUp::HandlerRefuses => {
                "an `assume` cuts a handler off, and other messages may not overtake the one it leaves"
            }
            GaveUp::HandlerSendsToMailboxes => {
                "a handler sends a `mailbox` message behind another one, in one step"
            }
            GaveUp::TooManyStates => "too many states lie on the way of one execution",
            GaveUp::TooLong => "an execution has more than 4,000 events; it may have no end",
        }
    }
}

/// How many local steps are kept unless it is said otherwise: some 50 MB.
pub(crate) const KEPT: usize = 200_000;

/// How many executions are drawn to guess how many orders they have, where they are not all visited.
const DRAWN: usize = 128;

/// Few executions are visited, all of them, unless it is said otherwise: that costs less than remembering.
const PATIENCE: u64 = 16;

/// How executions are visited.
#[derive(Clone, Debug)]
pub struct Manner {
    /// When to give up; an execution counts as a state.
    pub limits: Limits,
    /// How many workers; at least one.
    pub jobs: usize,
    /// What to visit: everything, or what an earlier search left.
    pub parts: Vec<Part>,
    /// How many local steps of processes each worker keeps at most; fewer cost less memory and more time.
    pub kept: usize,
    /// After how many executions those that go on like others are counted without being visited, if ever.
    pub remembers: Option<u64>,
    /// Is every execution judged, also after one was found that refutes?
    pub judges_all: bool,
}

impl Default for Manner {
    fn default() -> Self {
        Manner {
            limits: Limits::default(),
            jobs: 1,
            parts: vec![Part::default()],
            kept: KEPT,
            remembers: Some(PATIENCE),
            judges_all: false,
        }
    }
}

/// Visits every execution of a machine of voices once.
///
/// The checks may be those that [`is_about_executions`] names.
pub fn explore(
    machine: &Machine,
    checks: &[Check],
    manner: &Manner,
    watch: &mut dyn Watch,
) -> Result<Explored, GaveUp> {
    explore_showing(machine, checks, manner, watch, None)
}

/// Like [`explore`], with somebody who keeps what was found now and then. That goes on in the background of one worker; several
/// are not asked.
pub fn explore_keeping<'a>(
    machine: &'a Machine,
    checks: &[Check],
    manner: &Manner,
    watch: &'a mut dyn Watch,
    keeper: &'a mut dyn Keeper,
) -> Result<Explored, GaveUp> {
    let others = Others {
        onlooker: None,
        keeper: Some(keeper),
    };
    explore_before(machine, checks, manner, watch, others)
}

/// Is shown the last state of each execution that is complete (`true`) or blocked (`false`).
pub type Onlooker<'a> = &'a mut (dyn FnMut(&Config, bool) + Send);

/// Like [`explore`], with somebody who looks at the last states.
pub fn explore_showing<'a>(
    machine: &'a Machine,
    checks: &[Check],
    manner: &Manner,
    watch: &'a mut dyn Watch,
    onlooker: Option<Onlooker<'a>>,
) -> Result<Explored, GaveUp> {
    let others = Others {
        onlooker,
        keeper: None,
    };
    explore_before(machine, checks, manner, watch, others)
}

/// Who is there beside the watch.
pub(crate) struct Others<'a> {
    pub(crate) onlooker: Option<Onlooker<'a>>,
    pub(crate) keeper: Option<&'a mut dyn Keeper>,
}

fn explore_before<'a>(
    machine: &'a Machine,
    checks: &[Check],
    manner: &Manner,
    watch: &'a mut dyn Watch,
    others: Others<'a>,
) -> Result<Explored, GaveUp> {
    let parts = Parts::new(machine).ok_or(GaveUp::NotVoices)?;
    if !checks
        .iter()
        .all(|check| is_about_executions(machine.instance().song(), *check))
    {
        return Err(GaveUp::Check);
    }
    if parts.starts().is_empty() {
        let nothing = Found::new(checks);
        return Ok(nothing.explored(parts.coverage(), Vec::new(), 0));
    }
    let remembers = remembers(machine, checks, manner).filter(|_| others.onlooker.is_none());
    let shared = Shared::new(machine, manner, watch, others, remembers);
    let workers = Workers {
        jobs: manner.jobs.max(1),
        stack: Some(STACK),
    };
    let slice = explore_parts_with(
        workers,
        manner.parts.clone(),
        || {
            let parts = Parts::new(machine).expect("these are voices");
            Song(Rc::new(RefCell::new(Stage::new(parts, manner.kept))))
        },
        |song: &Song| Visit::new(&shared, song.0.clone(), checks),
        Visit::finish,
        |engine| engine.limit_events(MOST_EVENTS).remembers(remembers),
    );
    let mut found = Found::new(checks);
    found.judged_all = manner.judges_all;
    let mut coverage = parts.coverage();
    for (more, covered) in slice.visitors {
        found.include(more);
        coverage.include(&covered);
    }
    match found.gave_up {
        Some(gave_up) => Err(gave_up),
        None => Ok(shared.explored(found, coverage, slice.left)),
    }
}

/// After how many executions those that go on like others are counted without being visited, if they may be.
fn remembers(machine: &Machine, checks: &[Check], manner: &Manner) -> Option<u64> {
    let may_remember = !manner.judges_all
        && !machine.has_faults()
        && !checks.iter().any(|check| is_always(machine, *check));
    manner.remembers.filter(|_| may_remember)
}

fn is_always(machine: &Machine, check: Check) -> bool {
    let properties = &machine.instance().song().properties;
    matches!(check, Check::Property(at) if matches!(properties[at].claim, Claim::Always(_)))
}

/// Can a check be answered by visiting executions?
///
/// `always` can, unless it counts messages in flight; `finally` can, unless it counts messages and these may
/// be lost or doubled. Neither can where it asks who has crashed.
pub fn is_about_executions(song: &SongText, check: Check) -> bool {
    match check {
        Check::Assertions | Check::NoDeadlock => true,
        Check::Contract | Check::Mover(_) | Check::Refines(_) | Check::Sequence(_) => false,
        Check::Property(at) => match &song.properties[at].claim {
            Claim::Finally(claim) | Claim::Always(claim) if reads_crashed(claim) => false,
            Claim::Finally(claim) => !(reads_pending(claim) && loses_or_copies(song)),
            Claim::Always(claim) => !reads_pending(claim),
            Claim::Step(_) | Claim::Quiescent { .. } | Claim::Temporal(_) => false,
        },
    }
}

/// May messages be lost or sent once more?
fn loses_or_copies(song: &SongText) -> bool {
    let faults = song.voices().map_or(&[][..], |voices| &voices.faults);
    let of_network =
        |fault: &Fault| matches!(fault.kind, FaultKind::Lose(_) | FaultKind::Duplicate(_));
    faults.iter().any(of_network)
}
