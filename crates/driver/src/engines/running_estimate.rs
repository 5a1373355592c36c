//! While executions are visited: how many there probably are.
//!
//! Short visits are not worth a guess. When one has lasted a while, some random executions are drawn, once,
//! and the progress line says how far it has come.

use crate::watch::Overseer;
use plainsong_explore_songs::estimate;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Machine;
use plainsong_semantics::search::{Check, Progress, Watch};
use plainsong_semantics::trace::Trace;
use std::time::{Duration, Instant};

/// After how long a guess is made.
const WORTH_IT: Duration = Duration::from_millis(800);

/// How long random executions are drawn.
const WALK: Duration = Duration::from_millis(100);

/// Watches over visits to the executions of one instance.
pub(super) struct Expectation<'w, 'a> {
    machine: &'w Machine,
    overseer: &'w mut Overseer<'a>,
    began: Instant,
    is_made: bool,
}

impl<'w, 'a> Expectation<'w, 'a> {
    /// `is_whole`: will all executions be visited, and not only what is left?
    pub(super) fn new(
        machine: &'w Machine,
        overseer: &'w mut Overseer<'a>,
        is_whole: bool,
    ) -> Self {
        overseer.stage.expected = None;
        Expectation {
            machine,
            overseer,
            began: Instant::now(),
            is_made: !is_whole,
        }
    }

    /// What else is to be said of how far it has come.
    pub(super) fn remark(&mut self, remark: String) {
        self.overseer.stage.remark = Some(remark);
    }

    /// What was expected before.
    pub(super) fn expect(&mut self, before: Option<(u64, Option<u64>)>) {
        self.overseer.stage.expected = before;
    }

    fn make(&mut self) {
        self.is_made = true;
        let end = Instant::now() + WALK;
        let guess = estimate(self.machine, 0, &mut |_| Instant::now() < end);
        // What cannot be guessed cannot be visited either, and the visits will say why.
        self.overseer.stage.expected = guess.ok().map(|guess| {
            let number = guess.number;
            let margin = (!number.is_rough()).then_some(number.margin.round() as u64);
            (number.executions.round() as u64, margin)
        });
    }
}

impl Watch for Expectation<'_, '_> {
    fn keep_going(&mut self, progress: &Progress) -> bool {
        if !self.is_made && self.began.elapsed() > WORTH_IT {
            self.make();
        }
        self.overseer.keep_going(progress)
    }

    fn refuted(&mut self, instance: &Instance, check: Check, trace: &Trace) {
        self.overseer.refuted(instance, check, trace);
    }
}
