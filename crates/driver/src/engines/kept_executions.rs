//! Visits to executions that are kept: recalled from an earlier run, and written down on the way.
//!
//! One worker writes what there is between two executions and goes on. Several workers are stopped for it, and go on with
//! what is left: what was seen and what is left partition the executions, so the sums are the same.

use super::executions_in_pieces::in_pieces;
use super::running_estimate::Expectation;
use crate::engine::Task;
use crate::resume::{Key, Ledger};
use crate::watch::Overseer;
use plainsong_explore_songs::{Explored, GaveUp, Keeper, Manner, explore, explore_keeping};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Machine;
use plainsong_semantics::outcomes::is_split;
use plainsong_semantics::search::{Check, Progress, Watch};
use plainsong_semantics::trace::Trace;

/// How many executions are visited between two looks at the clock.
const PACE: u32 = 16;

/// Visits the executions of one instance, or what an earlier run has left of them.
pub(super) fn go_on(
    machine: &Machine,
    checks: &[Check],
    manner: Manner,
    task: &Task,
    overseer: &mut Overseer<'_>,
) -> Result<Explored, GaveUp> {
    if is_split(machine.instance()) {
        // What it asks for is known only after a visit, so none is remembered.
        return explore(machine, checks, &manner, overseer);
    }
    let Some(ledger) = overseer.ledger.take() else {
        let mut watch = Expectation::new(machine, overseer, true);
        return explore(machine, checks, &manner, &mut watch);
    };
    let key = Key {
        file: overseer.stage.file.clone(),
        delivery: task.delivery.map(|model| model.name().to_owned()),
        properties: overseer.stage.properties.clone(),
        bound: overseer.stage.bound.clone(),
    };
    let known = ledger.recall(&key, checks.len());
    let queue = ledger.queue.clone().filter(|_| known.is_none());
    if let Some(queue) = queue {
        let explored = in_pieces(machine, (checks, &manner), (task, &key), &*queue, overseer);
        if let Ok(explored) = &explored {
            ledger.enter(key, explored);
        }
        overseer.ledger = Some(ledger);
        return explored;
    }
    let mut kept = Kept {
        ledger,
        key,
        known,
        until_look: 0,
    };
    let explored = match &kept.known {
        Some(known) if known.left.is_empty() => Ok(known.clone()),
        _ => kept.visit(machine, checks, manner, overseer),
    };
    if let Ok(explored) = &explored {
        kept.ledger.enter(kept.key.clone(), explored);
    }
    overseer.ledger = Some(kept.ledger);
    explored
}

/// What is known of the executions of one instance, and where it is kept.
struct Kept<'l> {
    ledger: &'l mut Ledger,
    key: Key,
    known: Option<Explored>,
    until_look: u32,
}

impl Kept<'_> {
    fn visit(
        &mut self,
        machine: &Machine,
        checks: &[Check],
        mut manner: Manner,
        overseer: &mut Overseer<'_>,
    ) -> Result<Explored, GaveUp> {
        let whole = manner.limits.states;
        let mut expected = None;
        loop {
            if let Some(known) = &self.known {
                manner.parts.clone_from(&known.left);
                // What a run has looked at that did not come to its end counts as if this one had.
                manner.limits.states = whole.saturating_sub(known.looked_at);
            }
            let mut watch = Expectation::new(machine, overseer, self.known.is_none());
            watch.expect(expected);
            let (later, is_paused) = match manner.jobs {
                0 | 1 => {
                    let later = explore_keeping(machine, checks, &manner, &mut watch, self)?;
                    (later, false)
                }
                _ => {
                    let mut pausing = Pausing {
                        watch,
                        before: self.known.as_ref().map_or(0, Explored::executions),
                        ledger: self.ledger,
                        is_paused: false,
                    };
                    let later = explore(machine, checks, &manner, &mut pausing)?;
                    (later, pausing.is_paused)
                }
            };
            expected = overseer.stage.expected;
            let mut explored = self.with(later);
            if !is_paused || overseer.stopped().is_some() || explored.left.is_empty() {
                explored.looked_at = 0;
                return Ok(explored);
            }
            self.write(explored.clone());
            self.known = Some(explored);
        }
    }

    /// What was found, with what was known before.
    fn with(&self, later: Explored) -> Explored {
        match &self.known {
            None => later,
            Some(known) => known.clone().and(later),
        }
    }

    fn write(&mut self, explored: Explored) {
        self.ledger.enter(self.key.clone(), &explored);
        self.ledger.write();
    }
}

impl Keeper for Kept<'_> {
    fn is_due(&mut self) -> bool {
        self.until_look = match self.until_look {
            0 => PACE,
            left => left - 1,
        };
        self.until_look == PACE && self.ledger.is_due()
    }

    fn keep(&mut self, so_far: Explored) {
        let explored = self.with(so_far);
        self.write(explored);
    }
}

/// Stops the workers when it is time to write.
struct Pausing<'k, 'w, 'a> {
    watch: Expectation<'w, 'a>,
    /// Executions visited before.
    before: u64,
    ledger: &'k Ledger,
    is_paused: bool,
}

impl Watch for Pausing<'_, '_, '_> {
    fn keep_going(&mut self, progress: &Progress) -> bool {
        self.is_paused |= self.ledger.is_due();
        let progress = Progress {
            states: progress.states.saturating_add(self.before),
            ..*progress
        };
        self.watch.keep_going(&progress) && !self.is_paused
    }

    fn refuted(&mut self, instance: &Instance, check: Check, trace: &Trace) {
        self.watch.refuted(instance, check, trace);
    }
}
