//! Counterexample minimization (in the manner of delta debugging): smaller executions that fail in the same way: fewer events, then smaller values, then an order that
//! is easier to read.
//!
//! Statement. Each function returns an execution of the same machine that ends in the same kind of
//! failure ([`Wrong`]) and was replayed; or the trace it was given.
//!
//! - [`fewer_events`] leaves out an event with all that happens because of it, as long as the rest can
//!   still be performed and ends the same way; or only with what becomes of the messages that it sends:
//!   a handler that was not called does not keep its process from handling others. Only for failures that can happen in between: an
//!   execution that has to come to its end cannot leave anything out.
//! - [`smaller_values`] replaces choices by earlier ones (values are listed in ascending order).
//! - [`in_reading_order`] lets each send wait until just before its message is received, where nothing
//!   else depends on it. The same steps happen, so the state at the end is the same.
//!
//! NOT COVERED. Executions that repeat for ever keep their order and their length.

use crate::failure_kind::Wrong;
use crate::machine::{Config, Machine, Outcome, Status};
use crate::path_to_trace::retrace;
use crate::replay::replay;
use crate::schedule::{Cue, Performance, script, start_of};
use crate::trace::{Ending, EventKind, Trace};

/// How many executions are tried for one trace.
const ATTEMPTS: usize = 2_000;

/// A trace with fewer events, if there is one.
pub fn fewer_events(machine: &Machine, trace: &Trace) -> Trace {
    let Some(mut shrinking) = Shrinker::new(machine, trace) else {
        return trace.clone();
    };
    let wrong = shrinking.wrong.as_ref();
    if !wrong.is_some_and(|wrong| wrong.is_in_between(machine)) {
        return trace.clone();
    }
    let mut at = shrinking.cues.len().saturating_sub(1);
    while at > 0 {
        at -= 1;
        if at + 1 < shrinking.cues.len() && !shrinking.leave_out(at, Cue::follows) {
            shrinking.leave_out(at, Cue::takes_from);
        }
        at = at.min(shrinking.cues.len().saturating_sub(1));
    }
    shrinking.finish()
}

/// A trace with smaller choices, if there is one.
pub fn smaller_values(machine: &Machine, trace: &Trace) -> Trace {
    let Some(mut shrinking) = Shrinker::new(machine, trace) else {
        return trace.clone();
    };
    for at in 0..shrinking.cues.len() {
        shrinking.choose_earlier(at);
    }
    shrinking.finish()
}

/// The same events in an order that is easier to read, if there is one.
pub fn in_reading_order(machine: &Machine, trace: &Trace) -> Trace {
    let Some(mut shrinking) = Shrinker::new(machine, trace) else {
        return trace.clone();
    };
    let order = reading_order(&shrinking.cues);
    let cues: Vec<Cue> = order.iter().map(|&at| shrinking.cues[at].clone()).collect();
    shrinking.attempt(cues);
    shrinking.finish()
}

struct Shrinker<'a> {
    machine: &'a Machine,
    original: &'a Trace,
    /// What is wrong at the end; nothing when it terminated as it should.
    wrong: Option<Wrong>,
    start: Config,
    /// What is performed at present.
    cues: Vec<Cue>,
    /// The execution of it, once it is another than the original.
    found: Option<Trace>,
    attempts: usize,
}

impl<'a> Shrinker<'a> {
    fn new(machine: &'a Machine, trace: &'a Trace) -> Option<Self> {
        let wrong = Wrong::of(machine, trace);
        if wrong.is_none() && trace.ending != Ending::Final {
            return None;
        }
        let repeats = |event: &EventKind| matches!(event, EventKind::Local | EventKind::Transfer);
        if trace.events.iter().any(|event| repeats(&event.kind)) {
            return None;
        }
        Some(Shrinker {
            machine,
            original: trace,
            wrong,
            start: start_of(machine, trace)?,
            cues: script(trace),
            found: None,
            attempts: 0,
        })
    }

    /// Without the event at a position and all that goes with those that are gone.
    fn leave_out(&mut self, at: usize, goes_with: fn(&Cue, &Cue) -> bool) -> bool {
        let mut gone = vec![self.cues[at].clone()];
        let mut rest: Vec<Cue> = self.cues[..at].to_vec();
        for cue in &self.cues[at + 1..] {
            if gone.iter().any(|earlier| goes_with(cue, earlier)) {
                gone.push(cue.clone());
            } else {
                rest.push(cue.clone());
            }
        }
        // The failure itself has to stay.
        rest.last() == self.cues.last() && self.attempt(rest)
    }

    /// With the first choice at a position that still does, if it comes before the one made.
    fn choose_earlier(&mut self, at: usize) {
        if self.cues[at].choices.is_empty() {
            return;
        }
        for choices in self.earlier_choices(at) {
            let mut cues = self.cues.clone();
            cues[at].choices = choices;
            if self.attempt(cues) {
                return;
            }
        }
    }

    fn earlier_choices(&self, at: usize) -> Vec<Vec<String>> {
        let mut performance = Performance::new(self.machine, &self.start);
        if !self.cues[..at].iter().all(|cue| performance.follow(cue)) {
            return Vec::new();
        }
        let steps = self.machine.steps(&performance.config);
        let Some(now) = performance.find(&self.cues[at], &steps) else {
            return Vec::new();
        };
        let mut earlier = Vec::new();
        for (number, step) in steps.iter().enumerate().take(now) {
            let choices = self
                .machine
                .event(&performance.config, number, step)
                .choices;
            let mut cue = self.cues[at].clone();
            cue.choices.clone_from(&choices);
            if performance.find(&cue, &steps) == Some(number) {
                earlier.push(choices);
            }
        }
        earlier
    }

    /// Performs the cues; when that fails in the same way, they are what is performed from now on.
    fn attempt(&mut self, cues: Vec<Cue>) -> bool {
        self.attempts += 1;
        if self.attempts > ATTEMPTS {
            return false;
        }
        let Some((steps, ending)) = self.perform(&cues) else {
            return false;
        };
        let (trace, _) = retrace(self.machine, &self.start, &steps, ending);
        if replay(self.machine, &trace).is_err() {
            return false;
        }
        // Numbers of messages are those of the new trace.
        self.cues = script(&trace);
        self.found = Some(trace);
        true
    }

    fn perform(&self, cues: &[Cue]) -> Option<(Vec<usize>, Ending)> {
        let (last, before) = cues.split_last()?;
        let mut performance = Performance::new(self.machine, &self.start);
        for cue in before {
            let left = performance.config.clone();
            if !performance.follow(cue) {
                return None;
            }
            if let Some(ending) = self.shown_early(&left, &performance.config) {
                return Some((performance.steps, ending));
            }
        }
        let steps = self.machine.steps(&performance.config);
        let number = performance.find(last, &steps)?;
        let outcome: &Outcome = &steps[number].outcome;
        let ending = match (&self.wrong, outcome) {
            (Some(wrong), outcome) => wrong.shown_by(self.machine, &performance.config, outcome)?,
            (None, Outcome::Next(end)) if self.machine.status(end) == Status::Final => {
                Ending::Final
            }
            (None, _) => return None,
        };
        let mut taken = performance.steps;
        taken.push(number);
        Some((taken, ending))
    }

    /// The ending, where a claim about every state is violated already.
    fn shown_early(&self, before: &Config, config: &Config) -> Option<Ending> {
        let wrong = self.wrong.as_ref()?;
        let early = wrong.is_in_between(self.machine);
        early.then(|| wrong.shown_in(self.machine, Some(before), config))?
    }

    fn finish(self) -> Trace {
        self.found.unwrap_or_else(|| self.original.clone())
    }
}

/// Each send as late as possible, each receive right after its send where it can be, everything else as
/// it was, and the last event last.
fn reading_order(cues: &[Cue]) -> Vec<usize> {
    let mut order = ReadingOrder {
        cues,
        done: vec![false; cues.len()],
        order: Vec::new(),
    };
    let last = cues.len().saturating_sub(1);
    for at in (0..last).filter(|&at| !cues[at].is_send()) {
        order.put(at);
    }
    let needed = order.needed(last);
    for at in (0..last).filter(|at| !needed.contains(at)) {
        order.put(at);
    }
    for at in 0..cues.len() {
        order.put(at);
    }
    order.order
}

struct ReadingOrder<'a> {
    cues: &'a [Cue],
    done: Vec<bool>,
    order: Vec<usize>,
}

impl ReadingOrder<'_> {
    /// Puts an event after everything that it needs.
    fn put(&mut self, at: usize) {
        for needed in self.needed(at) {
            if self.done[needed] {
                continue;
            }
            self.done[needed] = true;
            self.order.push(needed);
            if self.cues[needed].is_send() && needed != at {
                self.put_what_takes(needed);
            }
        }
    }

    /// Puts the event that takes what a send sends, if it can come now.
    fn put_what_takes(&mut self, send: usize) {
        let last = self.cues.len() - 1;
        let takes = |&later: &usize| self.cues[later].takes_from(&self.cues[send]);
        let Some(taker) = (send + 1..last).find(takes) else {
            return;
        };
        let missing = self.needed(taker).into_iter();
        if missing.filter(|&at| !self.done[at]).eq([taker]) {
            self.done[taker] = true;
            self.order.push(taker);
        }
    }

    /// What has to happen before an event, and itself, in the order of the trace.
    fn needed(&self, at: usize) -> Vec<usize> {
        let mut needed = vec![at];
        for earlier in (0..at).rev() {
            let leads_to = |&later: &usize| self.cues[later].follows(&self.cues[earlier]);
            if needed.iter().any(leads_to) {
                needed.push(earlier);
            }
        }
        needed.reverse();
        needed
    }
}
