//! Counterexample minimization: a smaller execution that refutes the same: without faults, then fewer processes, then fewer events, then smaller values.
//!
//! An execution without faults may be longer than one with them, but it blames nobody who is not to blame: it is taken if
//! there is one among the states that are looked at.
//!
//! Fewer processes means a smaller instance, which is searched state by state for the same property
//! and the same kind of failure, from the smallest sizes on. Sorts are not made smaller than the
//! default size of two: with a single process most protocols are degenerate, and a failure there would
//! hide the one that was asked about. The search is bounded by a number of states, so that the same
//! question always has the same answer; a clock only ends what would take unreasonably long.
//!
//! A refutation at a smaller size does not replace the verdict, which stays about the size that was
//! asked for; it is only the example that is shown.

use crate::plan::Request;
use crate::select::questions;
use crate::sizes::DEFAULT;
use crate::song::{Sizeable, sizeable};
use crate::watch::Interrupt;
use crate::without_faults::without_faults;
use plainsong_ir::{Sizing, Song, System};
use plainsong_report::{Answer, Shrunk};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Machine;
use plainsong_semantics::replay::replay;
use plainsong_semantics::search::{Answer as Found, Limits, Progress, Query, Watch};
use plainsong_semantics::shrink::{fewer_events, in_reading_order, smaller_values};
use plainsong_semantics::sizes::Sizes;
use plainsong_semantics::trace::{Ending, Trace};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The most states looked at for one execution.
const STATES: u64 = 30_000;

/// The most for one that the prover has found: it has looked at what is near by itself, and states of choreographies
/// are large.
const STATES_OF_PROOFS: u64 = 2_000;

/// The longest time spent on one execution.
const PATIENCE: Duration = Duration::from_secs(4);

/// The most combinations of smaller sizes.
const COMBINATIONS: usize = 40;

/// The smallest execution found.
pub(crate) struct Smaller {
    /// The execution.
    pub(crate) trace: Trace,
    /// The machine it is an execution of, when that is another.
    pub(crate) machine: Option<Machine>,
    /// The sizes of that machine.
    pub(crate) bound: BTreeMap<String, String>,
    /// What it was before, when it was another.
    pub(crate) shrunk: Option<Shrunk>,
}

/// Looks for a smaller execution.
pub(crate) fn shrink(
    song: &Arc<Song>,
    request: &Request,
    answer: &Answer,
    machine: &Machine,
    trace: &Trace,
    interrupt: &Interrupt,
) -> Smaller {
    let mut clock = Clock {
        end: Instant::now() + PATIENCE,
        interrupt,
    };
    let mut search = Search {
        song,
        request,
        answer,
        trace,
        states: match answer.engine.as_str() {
            "prove" => STATES_OF_PROOFS,
            _ => STATES,
        },
        faults: trace.events.iter().any(|event| event.kind.is_fault()),
        clock: &mut clock,
    };
    // A cycle found by `diverge` is short, and may be fair: another need not be.
    let is_period = answer.engine == "diverge";
    let smaller = match is_period {
        true => None,
        false => search
            .without_faults(machine)
            .or_else(|| search.smaller_instance()),
    };
    let (other, mut found) = match smaller {
        Some((other, trace)) if other.instance().bound() == machine.instance().bound() => {
            (None, trace)
        }
        Some((machine, trace)) => (Some(machine), trace),
        None => (
            None,
            search.nearest(machine).unwrap_or_else(|| trace.clone()),
        ),
    };
    let of = other.as_ref().unwrap_or(machine);
    for improve in [fewer_events, smaller_values, in_reading_order] {
        found = improve(of, &found);
    }
    let bound = other.as_ref().map(|machine| machine.instance().bound());
    let shrunk = (found.events.len() < trace.events.len() || other.is_some()).then(|| Shrunk {
        events: trace.events.len(),
        bound: match &other {
            Some(_) => answer.verdict.bound.clone(),
            None => BTreeMap::new(),
        },
    });
    Smaller {
        trace: found,
        bound: bound.unwrap_or_default(),
        machine: other,
        shrunk,
    }
}

struct Search<'a> {
    song: &'a Arc<Song>,
    request: &'a Request,
    answer: &'a Answer,
    trace: &'a Trace,
    /// How many states may still be looked at.
    states: u64,
    /// May there be faults? Only if the trace has some.
    faults: bool,
    clock: &'a mut Clock<'a>,
}

impl Search<'_> {
    /// An execution without the faults that the trace has, of a smaller instance or of the same.
    fn without_faults(&mut self, machine: &Machine) -> Option<(Machine, Trace)> {
        if !self.faults {
            return None;
        }
        let all = self.states;
        self.faults = false;
        let found = self
            .smaller_instance()
            .or_else(|| self.search(machine.instance()));
        (self.faults, self.states) = (true, all);
        found
    }

    /// An execution of a smaller instance that fails in the same way.
    fn smaller_instance(&mut self) -> Option<(Machine, Trace)> {
        for sizes in self.smaller_sizes() {
            let instances = Instance::all(self.song.clone(), &sizes, &self.request.bounds);
            for instance in instances.ok()? {
                let instance = instance.with_delivery(self.request.delivery);
                if let Some(found) = self.search(&instance) {
                    return Some(found);
                }
                if self.states == 0 {
                    return None;
                }
            }
        }
        None
    }

    /// The nearest failure of the same instance. A search by states has found that already.
    fn nearest(&mut self, machine: &Machine) -> Option<Trace> {
        let by_states = match self.answer.engine.as_str() {
            "states" | "diverge" => true,
            "explore" => matches!(self.song.system, System::Actions(_)),
            _ => false,
        };
        if by_states || self.states == 0 {
            return None;
        }
        let (_, found) = self.search(machine.instance())?;
        (found.events.len() < self.trace.events.len()).then_some(found)
    }

    fn search(&mut self, instance: &Instance) -> Option<(Machine, Trace)> {
        let questions = questions(self.song);
        let name = &self.answer.verdict.property;
        let question = questions.iter().find(|question| question.name == *name)?;
        let query = Query {
            subject: question.subject,
            checks: vec![question.check],
        };
        let limits = Limits {
            states: self.states,
            refutations: Some(1),
        };
        let searched = match self.faults {
            true => instance.clone(),
            false => instance.with_song(without_faults(self.song)),
        };
        let report = plainsong_states::search(&searched, &query, &limits, self.clock).report;
        self.states = self.states.saturating_sub(report.states);
        let Found::Refuted(trace) = report.findings.into_iter().next()?.answer else {
            return None;
        };
        // Without faults it was an execution of another song.
        let machine = Machine::new(instance, question.subject);
        let fits = same_kind(&trace, self.trace) && replay(&machine, &trace).is_ok();
        fits.then_some((machine, *trace))
    }

    /// Every combination of smaller sizes, smallest first.
    fn smaller_sizes(&self) -> Vec<Sizes> {
        let mut sizings = Vec::new();
        let mut total = 0;
        for (name, kind) in sizeable(self.song) {
            let size = self.answer.verdict.bound.get(name);
            let Some(high) = size.and_then(|size| size.parse::<i64>().ok()) else {
                continue;
            };
            let low = match kind {
                Sizeable::Sort => high.min(DEFAULT),
                _ => high,
            };
            total += high;
            sizings.push(Sizing {
                name: name.to_owned(),
                low,
                high,
                span: Default::default(),
            });
        }
        let sum = |sizes: &Sizes| sizes.chosen.values().sum::<i64>();
        let mut all = Sizes::combinations(&sizings);
        all.retain(|sizes| sum(sizes) < total);
        all.sort_by_key(sum);
        all.truncate(COMBINATIONS);
        all
    }
}

/// Do both fail in the same way?
fn same_kind(one: &Trace, other: &Trace) -> bool {
    match (&one.ending, &other.ending) {
        (Ending::Violated { property, .. }, Ending::Violated { property: same, .. }) => {
            property == same
        }
        (Ending::Deadlock(_), Ending::Deadlock(_)) => true,
        (Ending::Failed(one), Ending::Failed(other)) => {
            one.kind == other.kind && one.span == other.span
        }
        _ => false,
    }
}

/// Ends a search when it takes too long or is interrupted.
struct Clock<'a> {
    end: Instant,
    interrupt: &'a Interrupt,
}

impl Watch for Clock<'_> {
    fn keep_going(&mut self, _: &Progress) -> bool {
        Instant::now() < self.end && !self.interrupt.is_set()
    }
}
