//! What else could have happened at one event of a trace.

use super::RaceKind;
use crate::machine::{Machine, Outcome};
use crate::schedule::{Cue, Performance, script};
use crate::trace::{Event, EventKind, Trace};

/// Another step, and the execution up to and with it.
pub(super) struct Alternative<'a> {
    /// The execution so far.
    pub(super) so_far: Performance<'a>,
    /// Where the other step is in it.
    pub(super) instead: usize,
    /// Events of the trace that have not happened in it, in their order.
    pub(super) left: Vec<Cue>,
    /// The one to hold back, where the order is what matters.
    pub(super) held_back: Option<usize>,
}

/// The execution before each event of a trace; fewer when the machine does not follow.
pub(super) fn beginnings<'a>(machine: &'a Machine, trace: &Trace) -> Vec<Performance<'a>> {
    let Some(mut so_far) = Performance::of(machine, trace) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for cue in script(trace) {
        all.push(so_far.clone());
        if !so_far.follow(&cue) {
            break;
        }
    }
    all
}

/// The other steps at `event`, before which `so_far` has happened.
pub(super) fn alternatives<'a>(
    machine: &'a Machine,
    trace: &Trace,
    so_far: &Performance<'a>,
    event: usize,
    kind: RaceKind,
) -> Vec<Alternative<'a>> {
    let was = &trace.events[event];
    let applies = match kind {
        RaceKind::Message => takes(was),
        RaceKind::Choice => !was.choices.is_empty(),
        RaceKind::Order => was.lane.is_some() || was.kind == EventKind::Act,
    };
    if !applies {
        return Vec::new();
    }
    let cues = script(trace);
    let (so_far, left) = before(so_far, &cues, event, kind);
    let steps = machine.steps(&so_far.config);
    // Which step each event that is still to come would be: looked up once, not for every step.
    let plans = left.iter().map(|cue| so_far.find(cue, &steps));
    let plans: Vec<Option<usize>> = plans.collect();
    let mut found = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        if !matches!(step.outcome, Outcome::Next(_)) {
            continue;
        }
        let told = machine.event(&so_far.config, number, step);
        if !is_other(kind, was, &told) {
            continue;
        }
        let mut so_far = so_far.clone();
        let mut left = left.clone();
        let cue = plans.iter().position(|plan| *plan == Some(number));
        // Only the order is to be another: who acts does what it does in the trace.
        let acts_later = left.iter().any(|cue| cue.lane == step.lane);
        if kind == RaceKind::Order && acts_later && cue.is_none() {
            continue;
        }
        so_far.take(number, step, cue.map(|at| &left[at]));
        if let Some(at) = cue {
            left.remove(at);
        }
        found.push(Alternative {
            instead: so_far.steps.len() - 1,
            so_far,
            left,
            held_back: (kind == RaceKind::Order).then_some(was.lane).flatten(),
        });
    }
    found
}

/// The execution up to the event. Where messages matter, what happens later and not because of it has
/// happened already, so that all messages are there that could be.
fn before<'a>(
    beginning: &Performance<'a>,
    cues: &[Cue],
    event: usize,
    kind: RaceKind,
) -> (Performance<'a>, Vec<Cue>) {
    let mut so_far = beginning.clone();
    let mut left: Vec<Cue> = Vec::new();
    for (at, cue) in cues.iter().enumerate().skip(event) {
        let because = at == event || left.iter().any(|earlier| cue.follows(earlier));
        if because || kind != RaceKind::Message || !so_far.follow(cue) {
            left.push(cue.clone());
        }
    }
    // The event itself does not happen, or only later; what its process does then may.
    if kind != RaceKind::Order {
        left.remove(0);
    }
    (so_far, left)
}

fn takes(event: &Event) -> bool {
    matches!(
        event.kind,
        EventKind::Receive | EventKind::Handle | EventKind::Timeout
    )
}

fn is_other(kind: RaceKind, was: &Event, told: &Event) -> bool {
    match kind {
        RaceKind::Message => {
            told.lane == was.lane
                && takes(told)
                && (told.kind != was.kind || told.label != was.label || told.peer != was.peer)
        }
        RaceKind::Choice => {
            told.lane == was.lane
                && told.kind == was.kind
                && told.label == was.label
                && told.peer == was.peer
                && told.choices != was.choices
        }
        RaceKind::Order if was.kind == EventKind::Act => told.label != was.label,
        RaceKind::Order => told.lane != was.lane,
    }
}
