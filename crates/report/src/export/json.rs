//! A saved trace as one JSON object: everything in it, by name.

use super::itf::pretty;
use crate::trace_file::{SavedTrace, ending_word, kind_word};
use plainsong_diagnostics::Span;
use plainsong_semantics::trace::{Change, Ending, Event, Sent, Trace, Waiting};
use serde_json::{Value, json};

/// An execution as JSON.
pub fn json(saved: &SavedTrace) -> String {
    let (header, trace) = (&saved.header, &saved.trace);
    pretty(&json!({
        "schema": 1,
        "tool": header.tool,
        "file": header.file,
        "property": header.property,
        "sizes": header.sizes,
        "limits": header.limits,
        "delivery": header.delivery,
        "seed": header.seed,
        "lanes": trace.lanes,
        "start": all(&trace.start, change),
        "events": all(&trace.events, |one| event(trace, one)),
        "ending": ending(trace),
        "undelivered": all(&trace.undelivered, |one| sent(trace, one)),
    }))
}

fn all<T>(items: &[T], one: impl Fn(&T) -> Value) -> Vec<Value> {
    items.iter().map(one).collect()
}

fn name(trace: &Trace, lane: Option<usize>) -> Option<&String> {
    lane.and_then(|lane| trace.lanes.get(lane))
}

fn span(span: Span) -> Value {
    json!([span.start, span.end])
}

fn change(change: &Change) -> Value {
    json!({ "variable": change.variable, "before": change.before, "after": change.after })
}

fn sent(trace: &Trace, sent: &Sent) -> Value {
    json!({
        "message": sent.message,
        "label": sent.label,
        "from": name(trace, sent.from),
        "to": name(trace, sent.to),
    })
}

fn event(trace: &Trace, event: &Event) -> Value {
    json!({
        "lane": name(trace, event.lane),
        "kind": kind_word(event.kind),
        "label": event.label,
        "peer": name(trace, event.peer),
        "message": event.message,
        "sends": all(&event.sends, |one| sent(trace, one)),
        "choices": event.choices,
        "changes": all(&event.changes, change),
        "span": span(event.span),
    })
}

fn ending(trace: &Trace) -> Value {
    let how = ending_word(&trace.ending);
    match &trace.ending {
        Ending::Final | Ending::Cut | Ending::Discarded => json!({ "how": how }),
        Ending::Violated {
            property,
            why,
            span: place,
        } => json!({ "how": how, "property": property, "why": why, "span": span(*place) }),
        Ending::Failed(failure) => {
            json!({ "how": how, "why": failure.message, "span": span(failure.span) })
        }
        Ending::Deadlock(waiting) => {
            let wait = |one: &Waiting| {
                let who = name(trace, one.lane);
                json!({ "lane": who, "for": one.what, "span": span(one.span) })
            };
            json!({ "how": how, "waiting": all(waiting, wait) })
        }
    }
}
