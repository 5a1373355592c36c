//! Two executions side by side, and where they part.
//!
//! The order of events that have nothing to do with each other is of no importance, so two executions
//! are the same when every process does the same in both. Where they differ, the first event (in the
//! order of the first execution) that its process does not do in the second is the point of difference.

use crate::Text;
use crate::counterexample::reason;
use crate::paint::{BAD, STRONG, paint};
use crate::states::states;
use plainsong_semantics::changes::differences;
use plainsong_semantics::event_sentences::words;
use plainsong_semantics::trace::{Event, Trace};

/// A side is at most this wide.
const WIDTH: usize = 58;

/// What two executions have in common, and what not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Does every process do the same in both, to the same end?
    pub same: bool,
    /// For people.
    pub text: String,
    /// What the first difference is, in words.
    pub sentence: Option<String>,
    /// The events where they part, by position, on the left and on the right; none where a side has ended.
    pub parting: (Option<usize>, Option<usize>),
}

/// Compares two executions, each under its name.
pub fn difference(one: (Text<'_>, &str, &Trace), other: (Text<'_>, &str, &Trace)) -> Difference {
    let (left, right) = (one.2, other.2);
    let parting = parting(left, right);
    let same = parting.is_none() && left.ending == right.ending;
    let mut text = heading(one.1, other.1);
    if same {
        text.push_str("\n  the same: every process does the same in both\n");
        return Difference {
            same,
            text,
            sentence: None,
            parting: (None, None),
        };
    }
    text.push_str(&columns(left, right, parting.as_ref()));
    if let Some(parting) = &parting {
        let title = paint(BAD, "first difference");
        text.push_str(&format!("\n  {title}: {}\n", parting.sentence));
    } else {
        text.push_str(
            "\n  every process does the same in both; they are only judged differently\n",
        );
    }
    text.push_str(&format!("\n  left ends:   {}\n", reason(one.0, left)));
    text.push_str(&format!("  right ends:  {}\n", reason(other.0, right)));
    text.push_str(&last_states(left, right));
    Difference {
        same,
        text,
        parting: parting
            .as_ref()
            .map_or((None, None), |one| (one.left, one.right)),
        sentence: parting.map(|one| one.sentence),
    }
}

fn heading(left: &str, right: &str) -> String {
    let line = format!("  {:WIDTH$}   {}", clip(left), clip(right));
    format!("{}\n", paint(STRONG, line.trim_end()))
}

struct FirstDifference {
    /// Positions of the first events that differ; none when one side has ended.
    left: Option<usize>,
    right: Option<usize>,
    sentence: String,
}

/// The events of one process, with their positions.
fn of_lane<'t>(trace: &'t Trace, name: Option<&str>) -> Vec<(usize, &'t Event)> {
    let lane = |event: &Event| event.lane.and_then(|lane| trace.lanes.get(lane));
    let events = trace.events.iter().enumerate();
    events
        .filter(|(_, event)| lane(event).map(String::as_str) == name)
        .collect()
}

fn parting(left: &Trace, right: &Trace) -> Option<FirstDifference> {
    let mut names: Vec<Option<&str>> = vec![None];
    for name in left.lanes.iter().chain(&right.lanes) {
        if !names.contains(&Some(name.as_str())) {
            names.push(Some(name));
        }
    }
    let found = names
        .into_iter()
        .filter_map(|name| parting_of(left, right, name));
    found.min_by_key(|parting| {
        let never = usize::MAX;
        (
            parting.left.unwrap_or(never),
            parting.right.unwrap_or(never),
        )
    })
}

fn parting_of(left: &Trace, right: &Trace, name: Option<&str>) -> Option<FirstDifference> {
    let (ours, theirs) = (of_lane(left, name), of_lane(right, name));
    let number = (0..ours.len().max(theirs.len())).find(|&number| {
        let told = |trace: &Trace, events: &[(usize, &Event)]| {
            events
                .get(number)
                .map(|(_, event)| words(&trace.lanes, event))
        };
        told(left, &ours) != told(right, &theirs)
    })?;
    let who = name.unwrap_or("the system");
    let told = |trace: &Trace, events: &[(usize, &Event)]| match events.get(number) {
        Some((_, event)) => words(&trace.lanes, event),
        None => "nothing more".to_owned(),
    };
    Some(FirstDifference {
        left: ours.get(number).map(|(at, _)| *at),
        right: theirs.get(number).map(|(at, _)| *at),
        sentence: format!(
            "event {} of {who}\n    left:  {}\n    right: {}",
            number + 1,
            told(left, &ours),
            told(right, &theirs)
        ),
    })
}

/// Event by event; `>` marks where they part.
fn columns(left: &Trace, right: &Trace, parting: Option<&FirstDifference>) -> String {
    let mut text = String::new();
    for at in 0..left.events.len().max(right.events.len()) {
        let told = |trace: &Trace| {
            let event = trace.events.get(at);
            event.map_or(String::new(), |event| clip(&words(&trace.lanes, event)))
        };
        let mark = |here: Option<usize>| if here == Some(at) { '>' } else { ' ' };
        let (ours, theirs) = (
            mark(parting.and_then(|parting| parting.left)),
            mark(parting.and_then(|parting| parting.right)),
        );
        let line = format!("{ours} {:WIDTH$} {theirs} {}", told(left), told(right));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Where the last values of variables differ.
fn last_states(left: &Trace, right: &Trace) -> String {
    let (ours, theirs) = (states(left), states(right));
    let (Some(ours), Some(theirs)) = (ours.last(), theirs.last()) else {
        return String::new();
    };
    let mut text = String::new();
    for (variable, value) in ours {
        let other = theirs.iter().find(|(name, _)| name == variable);
        let other = other.map_or("-", |(_, value)| value);
        for difference in differences(variable, value, other) {
            let title = if text.is_empty() { "at the end:" } else { "" };
            let told = difference.side_by_side();
            text.push_str(&format!("  {title:<13}{told}\n"));
        }
    }
    text
}

fn clip(text: &str) -> String {
    if text.chars().count() <= WIDTH {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(WIDTH - 1).collect();
    short.push('\u{2026}');
    short
}
