//! The Informal Trace Format: a JSON object with the states of an execution, which Apalache, Quint and
//! the tools around them read.
//!
//! Variables of processes keep their names (`db[0].outcome`). Integers are `#bigint`, options and
//! enums are records with `tag` and `value`, identities are strings. Messages have no place in the
//! format; a variable `#event` would be read as a comment by nobody, so what happened is told in the
//! `#meta` of the state it led to.

use super::value::{Shape, shape};
use crate::states::states;
use crate::trace_file::{SavedTrace, kind_word};
use plainsong_semantics::trace::{Ending, Event, Trace};
use serde_json::{Map, Value, json};

/// An execution as ITF.
pub fn itf(saved: &SavedTrace) -> String {
    let trace = &saved.trace;
    let states = states(trace);
    let names: Vec<&str> = states
        .last()
        .map(|state| state.iter().map(|(name, _)| *name).collect())
        .unwrap_or_default();
    let told: Vec<Value> = states
        .iter()
        .enumerate()
        .map(|(index, state)| {
            let mut object = Map::new();
            object.insert("#meta".to_owned(), meta(trace, index));
            for (name, value) in state {
                object.insert((*name).to_owned(), of_shape(&shape(value)));
            }
            Value::Object(object)
        })
        .collect();
    let mut object = json!({
        "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "source": saved.header.file,
            "status": status(&trace.ending),
            "description": saved.header.tool,
        },
        "vars": names,
        "states": told,
    });
    if let Some(back) = crate::lasso::lasso(trace) {
        object["loop"] = json!(back);
    }
    pretty(&object)
}

/// With line breaks, and one at the end.
pub(super) fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("plain data");
    text.push('\n');
    text
}

fn meta(trace: &Trace, index: usize) -> Value {
    let Some(event) = index.checked_sub(1).and_then(|at| trace.events.get(at)) else {
        return json!({ "index": index });
    };
    json!({ "index": index, "event": sentence(trace, event) })
}

fn sentence(trace: &Trace, event: &Event) -> String {
    let name = |lane: Option<usize>| lane.and_then(|lane| trace.lanes.get(lane));
    let mut parts: Vec<&str> = Vec::new();
    parts.extend(name(event.lane).map(String::as_str));
    parts.push(kind_word(event.kind));
    parts.push(&event.label);
    parts.extend(name(event.peer).map(String::as_str));
    parts.join(" ")
}

fn status(ending: &Ending) -> &'static str {
    match ending {
        Ending::Final | Ending::Cut | Ending::Discarded => "ok",
        Ending::Violated { .. } | Ending::Failed(_) | Ending::Deadlock(_) => "violation",
    }
}

fn of_shape(shape: &Shape) -> Value {
    let all = |parts: &[Shape]| Value::Array(parts.iter().map(of_shape).collect());
    match shape {
        Shape::Bool(truth) => json!(truth),
        Shape::Int(digits) => json!({ "#bigint": digits }),
        Shape::Word(word) => json!(word),
        Shape::Tuple(parts) => json!({ "#tup": all(parts) }),
        Shape::Seq(parts) => all(parts),
        Shape::Set(parts) => json!({ "#set": all(parts) }),
        Shape::Bag(parts) => json!({ "#map": counted(parts) }),
        Shape::Map(pairs) => {
            let pair = |(key, value): &(Shape, Shape)| json!([of_shape(key), of_shape(value)]);
            json!({ "#map": pairs.iter().map(pair).collect::<Vec<_>>() })
        }
        Shape::Record(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), of_shape(value)))
            .collect::<Map<_, _>>()
            .into(),
        Shape::Variant(tag, payload) => {
            let value = match &payload[..] {
                [] => json!({ "#tup": [] }),
                [one] => of_shape(one),
                several => json!({ "#tup": all(several) }),
            };
            json!({ "tag": tag, "value": value })
        }
    }
}

/// A bag is a map from its elements to their numbers.
fn counted(parts: &[Shape]) -> Vec<Value> {
    let mut counts: Vec<(&Shape, u64)> = Vec::new();
    for part in parts {
        match counts.iter_mut().find(|(known, _)| *known == part) {
            Some((_, count)) => *count += 1,
            None => counts.push((part, 1)),
        }
    }
    counts
        .into_iter()
        .map(|(part, count)| json!([of_shape(part), { "#bigint": count.to_string() }]))
        .collect()
}
