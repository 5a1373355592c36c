//! A refutation as people read it: the reason with its values, the picture, the state that is
//! wrong, what is left over, and how to see it again.

use crate::paint::{BAD, paint};
use crate::{Account, Answer, Text, count, picture, thousands};
use plainsong_diagnostics::Span;
use plainsong_semantics::changes::{PartChange, differences};
use plainsong_semantics::trace::{Change, Ending, EventKind, FailureKind, Sent, Trace, Waiting};
use std::collections::BTreeMap;

/// Shown of what can be long; the rest is counted.
const MOST: usize = 20;

/// A refuted property with the execution that refutes it; empty when there is none.
pub fn counterexample(source: Text<'_>, answer: &Answer) -> String {
    let Some(trace) = &answer.verdict.trace else {
        return String::new();
    };
    let place = place(trace)
        .map(|span| format!("   {}", source.place(span)))
        .unwrap_or_default();
    let mut text = format!(
        "{} {}{place}\n",
        paint(BAD, "REFUTED"),
        answer.verdict.property
    );
    text.push_str(&format!("  {}\n\n", reason(source, trace)));
    if let Some(account) = &answer.account
        && !account.start.is_empty()
    {
        text.push_str(&format!("    start: {}\n\n", account.start.join(", ")));
    }
    text.push_str(&body(source, trace));
    if let Some(account) = &answer.account {
        text.push_str(&told(account, trace));
    }
    if let Some(path) = &answer.trace_path {
        text.push_str(&format!(
            "  replay: plainsong replay {path}      as a test: ... --to-test\n"
        ));
    }
    text
}

/// What decided it, and what it was before it was made smaller.
fn told(account: &Account, trace: &Trace) -> String {
    let mut text = String::new();
    if let Some(race) = &account.race {
        let word = format!("{}:", race.kind.word());
        text.push_str(&format!("  {word:<13}{}\n", race.sentence));
    }
    if let Some(faults) = &account.faults {
        text.push_str(&format!("  faults:      {faults}\n"));
    }
    let mut figures = Vec::new();
    if let Some(shrunk) = &account.shrunk {
        let at = |bound: &BTreeMap<String, String>| {
            let sizes = bound.iter().map(|(name, size)| format!("{name}={size}"));
            let sizes = sizes.collect::<Vec<_>>().join(", ");
            match sizes.is_empty() {
                true => String::new(),
                false => format!(" at {sizes}"),
            }
        };
        let (events, bound) = (count(shrunk.events as u64, "event"), at(&shrunk.bound));
        let now = (trace.events.len(), at(&account.bound));
        figures.push(format!("shrunk from {events}{bound} to {}{}", now.0, now.1));
    }
    figures.extend(account.share.map(share));
    if !figures.is_empty() {
        text.push_str(&format!("  {}\n", figures.join("; ")));
    }
    text
}

/// How many executions fail.
fn share((refuting, all): (u64, u64)) -> String {
    match (refuting, all) {
        (1, 1) => "the only execution fails".to_owned(),
        (2, 2) => "both executions fail".to_owned(),
        _ if refuting == all => format!("all {} fail", count(all, "execution")),
        (1, _) => format!("1 of {} fails", count(all, "execution")),
        _ => format!(
            "{} of {} fail",
            thousands(refuting),
            count(all, "execution")
        ),
    }
}

/// An execution on its own, with first values that matter: the picture, and what it led to. What went wrong comes
/// first, how it terminated last.
pub fn execution(source: Text<'_>, trace: &Trace, start: &[String]) -> String {
    let reason = format!("  {}\n", reason(source, trace));
    let start = match start.is_empty() {
        true => String::new(),
        false => format!("    start: {}\n\n", start.join(", ")),
    };
    let picture = body(source, trace);
    match &trace.ending {
        Ending::Violated { .. } | Ending::Failed(_) | Ending::Deadlock(_) => {
            format!("{reason}\n{start}{picture}")
        }
        Ending::Final | Ending::Cut | Ending::Discarded => format!("{start}{picture}{reason}"),
    }
}

/// How a trace ended, in one sentence with the values that matter first.
pub fn reason(source: Text<'_>, trace: &Trace) -> String {
    match &trace.ending {
        Ending::Final => "it terminated: there is nothing left to do".to_owned(),
        Ending::Cut => "stopped by the limit on steps".to_owned(),
        Ending::Discarded => "ended by an `assume`: not of interest".to_owned(),
        Ending::Violated { why, .. } => why.clone(),
        Ending::Deadlock(waiting) => deadlock(source, trace, waiting),
        Ending::Failed(failure) => {
            let who = trace
                .events
                .last()
                .and_then(|event| event.lane)
                .and_then(|lane| trace.lanes.get(lane))
                .map(|name| format!("{name}: "))
                .unwrap_or_default();
            let what = match failure.kind {
                FailureKind::Assertion => "the assertion fails",
                FailureKind::Undefined => "undefined",
                FailureKind::Resource => "beyond the interpreter's limits",
                FailureKind::Contract => "the contract fails",
            };
            format!("{who}{what}: {}", failure.message)
        }
    }
}

/// The place a trace's ending is about.
pub fn place(trace: &Trace) -> Option<Span> {
    match &trace.ending {
        Ending::Violated { span, .. } => Some(*span),
        Ending::Failed(failure) => Some(failure.span),
        Ending::Deadlock(waiting) => waiting.first().map(|one| one.span),
        Ending::Final | Ending::Cut | Ending::Discarded => None,
    }
}

fn deadlock(source: Text<'_>, trace: &Trace, waiting: &[Waiting]) -> String {
    if waiting.len() > 2 {
        return format!("nothing can happen, and {} wait", waiting.len());
    }
    let who: Vec<String> = waiting.iter().map(|one| wait(source, trace, one)).collect();
    format!("nothing can happen, and {}", who.join(", "))
}

fn wait(source: Text<'_>, trace: &Trace, one: &Waiting) -> String {
    let line = source.line(one.span);
    match one.lane.and_then(|lane| trace.lanes.get(lane)) {
        Some(name) => format!("{name} waits for {} ({line})", one.what),
        None => format!("{} is blocked ({line})", one.what),
    }
}

/// Picture, state, undelivered messages and who waits.
fn body(source: Text<'_>, trace: &Trace) -> String {
    let mut text = start_of_a_line(trace);
    match picture(trace) {
        nothing if nothing.is_empty() => text.push_str("    (at the start, before any step)\n"),
        picture => text.push_str(&picture),
    }
    text.push('\n');
    if let Ending::Deadlock(waiting) = &trace.ending {
        list(
            &mut text,
            "waiting",
            waiting.iter().map(|one| wait(source, trace, one)),
        );
    }
    list(
        &mut text,
        "undelivered",
        trace
            .undelivered
            .iter()
            .filter(|sent| is_left_over(trace, sent))
            .map(|sent| undelivered(trace, sent)),
    );
    list(&mut text, "state", differing_state(trace).into_iter());
    text
}

/// Parameters and first values of a choreography: they decide its one execution, together with what external functions
/// return.
fn start_of_a_line(trace: &Trace) -> String {
    let value = |change: &Change| format!("{} = {}", change.variable, change.after);
    let (outcomes, variables): (Vec<&Change>, Vec<&Change>) =
        trace.start.iter().partition(|change| change.is_outcome());
    let mut text = String::new();
    if !variables.is_empty() && is_of_a_line(trace) {
        let values: Vec<String> = variables.into_iter().map(value).collect();
        text += &format!("    start: {}\n", values.join(", "));
    }
    if !outcomes.is_empty() {
        let values: Vec<String> = outcomes.into_iter().map(value).collect();
        text += &format!("    external: {}\n", values.join(", "));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Only a line has statements of endpoints, and starts where nobody in particular does.
fn is_of_a_line(trace: &Trace) -> bool {
    trace.events.iter().any(|event| match event.kind {
        EventKind::Local | EventKind::Transfer => true,
        EventKind::Start => event.lane.is_none(),
        _ => false,
    })
}

/// Variables whose last value is not their first, in the order in which they were declared.
fn differing_state(trace: &Trace) -> Vec<String> {
    let mut variables: Vec<(&str, &str, &str)> = Vec::new();
    let mut place: BTreeMap<&str, usize> = BTreeMap::new();
    let changes = trace.events.iter().flat_map(|event| &event.changes);
    for change in trace.start.iter().chain(changes) {
        let at = *place.entry(&change.variable).or_insert(variables.len());
        match variables.get_mut(at) {
            Some(variable) => variable.2 = &change.after,
            None => variables.push((&change.variable, &change.before, &change.after)),
        }
    }
    variables
        .into_iter()
        .filter(|(_, before, after)| before != after)
        .flat_map(|(variable, before, after)| differences(variable, before, after))
        .map(|part: PartChange| part.now_and_before())
        .collect()
}

/// Asyncs that are pending are left over only where an execution was cut off: where something is wrong before
/// the end there is always something to do, and a deadlock says who waits.
fn is_left_over(trace: &Trace, sent: &Sent) -> bool {
    sent.to.is_some() || trace.ending == Ending::Cut
}

fn undelivered(trace: &Trace, sent: &Sent) -> String {
    let name = |lane: usize| trace.lanes.get(lane).map_or("", String::as_str);
    match (sent.from, sent.to) {
        (Some(from), Some(to)) => format!("{} from {} to {}", sent.label, name(from), name(to)),
        (None, Some(to)) => format!("{} from init to {}", sent.label, name(to)),
        (_, None) => sent.label.clone(),
    }
}

fn list(text: &mut String, title: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.collect();
    for (at, item) in items.iter().take(MOST).enumerate() {
        let title = if at == 0 {
            format!("{title}:")
        } else {
            String::new()
        };
        text.push_str(&format!("  {title:<13}{item}\n"));
    }
    if items.len() > MOST {
        text.push_str(&format!("  {:<13}… and {} more\n", "", items.len() - MOST));
    }
}
