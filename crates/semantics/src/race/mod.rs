//! The race that decided it: the latest step whose other choice would have avoided the failure.
//!
//! From the end of a failing trace backwards, every step is asked: what else could have happened
//! here? Three kinds of answers are looked for, one after the other:
//!
//! - the process receives **another message**, or gives up waiting, or does not. Messages that were
//!   sent later in the trace, but not because of this step, count as being there ([`alternatives`]);
//! - the process makes **another choice**;
//! - **somebody else** acts first.
//!
//! An alternative counts when there is an execution with it that terminates without a failure, a
//! deadlock or a violation of the property ([`completion`]). That execution is returned as a trace; it
//! is made of the interpreter's steps and was replayed. When every execution after the
//! alternative was looked at and all end well, the race is [`Race::certain`]: the property *would*
//! hold; otherwise it *could* hold. A certain one is preferred, then another message or choice, then the latest: that
//! somebody else acts first often changes nothing, and what could hold then could hold anyway.
//!
//! The search is bounded by a number of steps, not by a clock, so that the same trace always has the
//! same race. Finding none means only that none was found.
//!
//! Of actions only the order is asked, and only certain answers count: anything that is left out or done
//! otherwise would avoid most failures, and say nothing.
//!
//! NOT COVERED. Executions that repeat for ever (there is no single step to blame), and other values
//! at the start.

mod alternatives;
mod completion;

use crate::failure_kind::Wrong;
use crate::machine::Machine;
use crate::replay::replay;
use crate::shrink::in_reading_order;
use crate::trace::{Ending, Event, EventKind, Trace};
use alternatives::{Alternative, alternatives, beginnings};
use completion::Completion;
use plainsong_ir::Claim;

/// Steps that may be looked at for one race.
const PATIENCE: u64 = 60_000;

/// What decided a failure.
#[derive(Clone, Debug, PartialEq)]
pub struct Race {
    /// What kind of decision it was.
    pub kind: RaceKind,
    /// The event of the trace that could have been another, by position.
    pub event: usize,
    /// An execution in which it is another, and which ends well.
    pub alternative: Trace,
    /// The event that happens instead, by position in the alternative.
    pub instead: usize,
    /// Does every execution end well that goes on from there?
    pub certain: bool,
    /// One sentence: what happened, and what would have been.
    pub sentence: String,
}

/// Kinds of decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaceKind {
    /// Which message is received, or whether one is.
    Message,
    /// A free choice.
    Choice,
    /// Who acts first.
    Order,
}

impl RaceKind {
    /// In the order in which they are looked for.
    const ALL: [RaceKind; 3] = [RaceKind::Message, RaceKind::Choice, RaceKind::Order];

    /// For people: what stands before the sentence.
    pub fn word(self) -> &'static str {
        match self {
            RaceKind::Message | RaceKind::Order => "race",
            RaceKind::Choice => "choice",
        }
    }
}

/// Looks for what decided the failure at the end of `trace`.
pub fn race(machine: &Machine, trace: &Trace) -> Option<Race> {
    let wrong = Wrong::of(machine, trace)?;
    if repeats_for_ever(machine, &wrong) {
        return None;
    }
    let mut completion = Completion::new(machine, trace, &wrong, PATIENCE);
    let beginnings = beginnings(machine, trace);
    let mut possible: Option<Race> = None;
    let is_of_actions = machine.lanes().is_empty();
    for kind in RaceKind::ALL {
        if is_of_actions && kind != RaceKind::Order {
            continue;
        }
        for (event, so_far) in beginnings.iter().enumerate().rev() {
            if kind == RaceKind::Message {
                completion.spend((trace.events.len() - event) as u64);
            }
            for alternative in alternatives(machine, trace, so_far, event, kind) {
                if completion.is_tired() {
                    return possible;
                }
                let Some(found) = found(machine, trace, &mut completion, kind, event, alternative)
                else {
                    continue;
                };
                if found.certain {
                    return Some(found);
                }
                let says_more = |known: &Race| match (known.kind, kind) {
                    (RaceKind::Message | RaceKind::Choice, RaceKind::Order) => false,
                    _ => known.event < event,
                };
                if !is_of_actions && possible.as_ref().is_none_or(says_more) {
                    possible = Some(found);
                }
            }
        }
    }
    possible
}

/// A loop has no step to blame.
fn repeats_for_ever(machine: &Machine, wrong: &Wrong) -> bool {
    let properties = &machine.instance().song().properties;
    matches!(wrong, Wrong::Property(at) if matches!(properties[*at].claim, Claim::Step(_)) || properties[*at].claim.is_liveness())
}

fn found(
    machine: &Machine,
    trace: &Trace,
    completion: &mut Completion<'_>,
    kind: RaceKind,
    event: usize,
    alternative: Alternative<'_>,
) -> Option<Race> {
    let instead = alternative.instead;
    let end = completion.complete(&alternative)?;
    let certain = completion.always(&alternative);
    let (told, _) = crate::path_to_trace::retrace(machine, &end.0, &end.1, Ending::Final);
    replay(machine, &told).ok()?;
    let (told, instead) = readable(machine, completion, told, instead);
    let wrong = Wrong::of(machine, trace)?;
    let sentence = sentence(
        trace,
        event,
        &told,
        instead,
        kind,
        &wrong.without(machine, certain),
    );
    Some(Race {
        kind,
        event,
        alternative: told,
        instead,
        certain,
        sentence,
    })
}

/// In an order that is easier to read and still ends well, with the place of the event that happens
/// instead. Another order has other states on the way, and `always` speaks of them.
fn readable(
    machine: &Machine,
    completion: &mut Completion<'_>,
    trace: Trace,
    instead: usize,
) -> (Trace, usize) {
    let ordered = in_reading_order(machine, &trace);
    if !completion.is_well(&ordered) {
        return (trace, instead);
    }
    let lane = trace.events[instead].lane;
    let is_of_lane = |event: &&Event| event.lane == lane;
    let before = trace.events[..instead].iter().filter(is_of_lane).count();
    let mut places = ordered.events.iter().enumerate();
    let place = places
        .by_ref()
        .filter(|(_, event)| event.lane == lane)
        .nth(before)
        .map(|(place, _)| place);
    match place {
        Some(place) => (ordered, place),
        None => (trace, instead),
    }
}

fn sentence(
    trace: &Trace,
    event: usize,
    alternative: &Trace,
    instead: usize,
    kind: RaceKind,
    then: &str,
) -> String {
    let (was, other) = (&trace.events[event], &alternative.events[instead]);
    if was.kind == EventKind::Act {
        return format!(
            "{} ran before {}; in the other order, {then}",
            was.label, other.label
        );
    }
    let who = name(trace, was.lane);
    match kind {
        RaceKind::Message => format!(
            "{who} {}; had it {} instead, {then}",
            did(trace, event),
            had(alternative, instead)
        ),
        RaceKind::Choice => format!(
            "{who} chose {}; had it chosen {}, {then}",
            was.choices.join(", "),
            other.choices.join(", ")
        ),
        RaceKind::Order => format!(
            "{who} {}; had {} {} first, {then}",
            did(trace, event),
            name(alternative, other.lane),
            had(alternative, instead)
        ),
    }
}

fn name(trace: &Trace, lane: Option<usize>) -> &str {
    lane.and_then(|lane| trace.lanes.get(lane))
        .map_or("init", String::as_str)
}

/// What an event does, in the past.
fn did(trace: &Trace, event: usize) -> String {
    let told = &trace.events[event];
    match told.kind {
        EventKind::Receive | EventKind::Handle => {
            format!("received {} from {}", told.label, name(trace, told.peer))
        }
        EventKind::Send => format!("sent {} to {}", told.label, name(trace, told.peer)),
        EventKind::Timeout => "gave up waiting".to_owned(),
        EventKind::Start => "started".to_owned(),
        EventKind::Crash => "crashed".to_owned(),
        EventKind::Restart => "restarted".to_owned(),
        EventKind::Lose => format!("lost {}", told.label),
        EventKind::Duplicate => format!("sent {} once more", told.label),
        EventKind::Act | EventKind::Init | EventKind::Local | EventKind::Transfer => {
            format!("did {}", told.label)
        }
    }
}

/// What an event does, after `had`.
fn had(trace: &Trace, event: usize) -> String {
    match trace.events[event].kind {
        EventKind::Timeout => "given up waiting".to_owned(),
        EventKind::Act | EventKind::Init | EventKind::Local | EventKind::Transfer => {
            format!("done {}", trace.events[event].label)
        }
        _ => did(trace, event),
    }
}
