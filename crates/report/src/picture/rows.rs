//! What is worth a line: each communication once, and local events that somebody needs to see.
//!
//! A trace is first taken apart into [`Point`]s, the ends of messages and the local events, each
//! on one lane and in the order of that lane. A handler's (or `init`'s) messages leave together,
//! after the message it took and before whatever the lane does next.

use crate::lasso::lasso;
use plainsong_semantics::trace::{Ending, Event, EventKind, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// Who acts: a lane of the trace, or `init`, which sends and is nobody's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Party {
    /// The `init` block.
    Init,
    /// A lane of the trace.
    Lane(usize),
}

/// One line of the picture.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// What is drawn.
    pub(crate) kind: RowKind,
    /// The message, or what happens.
    pub(crate) label: String,
    /// Said at the right: choices, and asyncs left behind.
    pub(crate) notes: Vec<String>,
    /// State variables that changed, as `name = value`.
    pub(crate) changes: Vec<String>,
    /// How many of the notes and of the changes, from the first, are the sender's; the others are whose the line
    /// ends with.
    pub(crate) of_sender: (usize, usize),
    /// The place where it goes wrong, and how.
    pub(crate) here: Option<String>,
    /// Is it part of what repeats for ever?
    pub(crate) repeats: bool,
    /// Is neither this nor the line above a cause of the other?
    pub(crate) independent: bool,
}

/// What a line draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowKind {
    /// A message, sent and received.
    Message { from: Party, to: Party },
    /// A message sent that is received further down, or never.
    Sent { from: Party, to: Party },
    /// A message received that was sent further up.
    Taken { from: Party, to: Party },
    /// Something at one lane.
    At(Party),
    /// Something nowhere in particular: an action.
    Nowhere,
}

impl Row {
    /// What is said beside it, by whom it happens to: the sender's first.
    pub(crate) fn remarks(&self) -> Vec<(Option<Party>, String)> {
        let (first, last) = (self.kind.parties().next(), self.kind.parties().last());
        let (notes, changes) = self.of_sender;
        let sent = self.notes[..notes].iter().chain(&self.changes[..changes]);
        let taken = self.notes[notes..].iter().chain(&self.changes[changes..]);
        let here = self.here.as_ref().map(|here| format!("here: {here}"));
        sent.map(|text| (first, text.clone()))
            .chain(taken.map(|text| (last, text.clone())))
            .chain(here.map(|here| (last, here)))
            .collect()
    }
}

impl RowKind {
    /// The parties that take part.
    pub(crate) fn parties(self) -> impl Iterator<Item = Party> {
        let (one, other) = match self {
            RowKind::Message { from, to } => (Some(from), Some(to)),
            RowKind::Sent { from, .. } => (Some(from), None),
            RowKind::Taken { to, .. } => (None, Some(to)),
            RowKind::At(party) => (Some(party), None),
            RowKind::Nowhere => (None, None),
        };
        one.into_iter().chain(other)
    }
}

/// An end of a message or a local event, with the line it would have on its own.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// The line.
    pub(super) row: Row,
    /// Which message, and whether this end takes it.
    pub(super) message: Option<(u64, End)>,
    /// Which message a fault befalls in flight.
    pub(super) befalls: Option<u64>,
    /// Points that come before it on the same lane.
    pub(super) after: Vec<usize>,
    /// Is this the event the trace ends with?
    pub(super) last: bool,
    /// Does what it shows need all that happened before?
    pub(super) needs_all: bool,
}

impl Point {
    /// Which message it is about.
    pub(super) fn about(&self) -> Option<u64> {
        self.message.map(|(message, _)| message).or(self.befalls)
    }
}

/// More asyncs that are left behind by one event are counted only.
const MOST_LEFT: usize = 6;

/// The two ends of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Where it leaves.
    Send,
    /// Where it arrives.
    Take,
}

/// Takes a trace apart.
pub(super) fn points(trace: &Trace, here: Option<&str>) -> Vec<Point> {
    let taken: BTreeSet<u64> = trace
        .events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Receive | EventKind::Handle))
        .filter_map(|event| event.message)
        .collect();
    let mut apart = Apart {
        trace,
        taken,
        points: Vec::new(),
        latest: BTreeMap::new(),
        repeats: false,
    };
    let back = lasso(trace).unwrap_or(trace.events.len());
    for (at, event) in trace.events.iter().enumerate() {
        let last = at + 1 == trace.events.len();
        apart.repeats = at >= back;
        apart.event(event, last, here.filter(|_| last));
    }
    apart.points
}

struct Apart<'a> {
    trace: &'a Trace,
    taken: BTreeSet<u64>,
    points: Vec<Point>,
    /// The points a lane's next point has to follow.
    latest: BTreeMap<Party, Vec<usize>>,
    /// Does the event at hand repeat for ever?
    repeats: bool,
}

impl Apart<'_> {
    fn event(&mut self, event: &Event, last: bool, here: Option<&str>) {
        let own = party(event.lane);
        if worth_a_line(event, last) {
            let row = self.row(event, here);
            let message = event.message.and_then(|number| match event.kind {
                EventKind::Send => Some((number, End::Send)),
                EventKind::Receive | EventKind::Handle => Some((number, End::Take)),
                _ => None,
            });
            let is_fault = matches!(event.kind, EventKind::Lose | EventKind::Duplicate);
            let after = self.latest.get(&own).cloned().unwrap_or_default();
            self.points.push(Point {
                row,
                message,
                befalls: event.message.filter(|_| is_fault),
                after,
                last,
                needs_all: last && matches!(self.trace.ending, Ending::Violated { .. }),
            });
            self.latest.insert(own, vec![self.points.len() - 1]);
        }
        self.further_sends(event, own);
    }

    /// Messages that leave in the same step and arrive later; the others are listed at the end.
    fn further_sends(&mut self, event: &Event, own: Party) {
        let after = self.latest.get(&own).cloned().unwrap_or_default();
        let first = self.points.len();
        let is_copy = event.kind == EventKind::Duplicate;
        let copy: Vec<String> = is_copy.then(|| "the copy".to_owned()).into_iter().collect();
        for sent in event
            .sends
            .iter()
            .filter(|sent| self.taken.contains(&sent.message))
        {
            let row = Row {
                kind: RowKind::Sent {
                    from: own,
                    to: party(sent.to),
                },
                label: sent.label.clone(),
                notes: copy.clone(),
                changes: Vec::new(),
                of_sender: (0, 0),
                here: None,
                repeats: self.repeats,
                independent: false,
            };
            let message = Some((sent.message, End::Send));
            self.points.push(Point {
                row,
                message,
                befalls: None,
                after: after.clone(),
                last: false,
                needs_all: false,
            });
        }
        if self.points.len() > first {
            self.latest
                .insert(own, (first..self.points.len()).collect());
        }
    }

    fn row(&self, event: &Event, here: Option<&str>) -> Row {
        let own = party(event.lane);
        let other = party(event.peer);
        let kind = match event.kind {
            EventKind::Send => RowKind::Sent {
                from: own,
                to: other,
            },
            EventKind::Receive | EventKind::Handle => RowKind::Taken {
                from: other,
                to: own,
            },
            EventKind::Transfer => RowKind::Message {
                from: other,
                to: own,
            },
            EventKind::Act => RowKind::Nowhere,
            EventKind::Local if event.lane.is_none() => RowKind::Nowhere,
            EventKind::Init
            | EventKind::Start
            | EventKind::Timeout
            | EventKind::Local
            | EventKind::Crash
            | EventKind::Restart
            | EventKind::Lose
            | EventKind::Duplicate => RowKind::At(own),
        };
        Row {
            kind,
            label: label(event),
            notes: self.notes(event),
            changes: event
                .changes
                .iter()
                .flat_map(plainsong_semantics::changes::told)
                .collect(),
            of_sender: (0, 0),
            here: here.map(str::to_owned),
            repeats: self.repeats,
            independent: false,
        }
    }

    fn notes(&self, event: &Event) -> Vec<String> {
        let who = event.lane.and_then(|lane| self.trace.lanes.get(lane));
        let named = |choice: &String| match who {
            Some(who) => format!("{who}: {choice}"),
            None => choice.clone(),
        };
        // An action that leaves itself again says nothing by that.
        let asyncs = event.sends.iter().filter(|sent| sent.to.is_none());
        let others = asyncs.filter(|sent| sent.label != event.label);
        let mut left_behind: Vec<String> = others
            .map(|sent| format!("leaves {}", sent.label))
            .collect();
        if left_behind.len() > MOST_LEFT {
            left_behind = vec![format!("leaves {} asyncs", left_behind.len())];
        }
        event.choices.iter().map(named).chain(left_behind).collect()
    }
}

fn party(lane: Option<usize>) -> Party {
    lane.map_or(Party::Init, Party::Lane)
}

/// Starting is silent unless a choice was made or something went wrong.
fn worth_a_line(event: &Event, last: bool) -> bool {
    match event.kind {
        EventKind::Init | EventKind::Start => {
            last || !event.choices.is_empty() || event.sends.iter().any(|sent| sent.to.is_none())
        }
        _ => true,
    }
}

fn label(event: &Event) -> String {
    match event.kind {
        EventKind::Init => "init".to_owned(),
        EventKind::Start => "starts".to_owned(),
        EventKind::Timeout => "timeout".to_owned(),
        EventKind::Crash => "crashes".to_owned(),
        EventKind::Restart => "restarts".to_owned(),
        EventKind::Lose => format!("{} is lost", event.label),
        EventKind::Duplicate => format!("{} is duplicated", event.label),
        _ => event.label.clone(),
    }
}
