//! A log with vector clocks for ShiViz, which draws and searches them.
//!
//! Two lines per event: what happened, then who with their clock as JSON. That is ShiViz's default
//! form; the first two lines of the file say so. A clock is raised at each event of its process; a
//! message carries its sender's clock to whoever takes it. `init` is a host of its own, and so are the
//! actions of a system without processes.

use crate::trace_file::kind_word;
use plainsong_semantics::trace::{Event, EventKind, Trace};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// How an entry is taken apart: ShiViz's default.
const PATTERN: &str = "(?<event>.*)\\n(?<host>\\S*) (?<clock>{.*})";

type Clock = BTreeMap<String, u64>;

/// An execution as a log for ShiViz.
pub fn shiviz(trace: &Trace) -> String {
    let mut log = format!("{PATTERN}\n\n");
    let mut clocks: BTreeMap<String, Clock> = BTreeMap::new();
    let mut carried: BTreeMap<u64, Clock> = BTreeMap::new();
    for event in &trace.events {
        let host = host(trace, event.lane);
        let clock = clocks.entry(host.clone()).or_default();
        let takes = event.kind != EventKind::Send;
        if let Some(known) = event
            .message
            .filter(|_| takes)
            .and_then(|number| carried.get(&number))
        {
            join(clock, known);
        }
        *clock.entry(host.clone()).or_default() += 1;
        let sent = event.message.filter(|_| !takes);
        let sent = sent
            .into_iter()
            .chain(event.sends.iter().map(|sent| sent.message));
        for message in sent {
            carried.insert(message, clock.clone());
        }
        let json: Map<String, Value> = clock
            .iter()
            .map(|(host, time)| (host.clone(), json!(time)))
            .collect();
        log.push_str(&format!(
            "{}\n{host} {}\n",
            entry(trace, event),
            Value::Object(json)
        ));
    }
    log
}

fn join(clock: &mut Clock, other: &Clock) {
    for (host, time) in other {
        let known = clock.entry(host.clone()).or_default();
        *known = (*known).max(*time);
    }
}

fn entry(trace: &Trace, event: &Event) -> String {
    let peer = event.peer.and_then(|lane| trace.lanes.get(lane));
    let mut text = format!("{} {}", kind_word(event.kind), event.label);
    match (event.kind, peer) {
        (EventKind::Send, Some(peer)) => text.push_str(&format!(" to {peer}")),
        (_, Some(peer)) => text.push_str(&format!(" from {peer}")),
        _ => {}
    }
    for change in &event.changes {
        text.push_str(&format!(", {} = {}", change.variable, change.after));
    }
    text.replace('\n', " ")
}

/// Hosts have no spaces.
fn host(trace: &Trace, lane: Option<usize>) -> String {
    match lane.and_then(|lane| trace.lanes.get(lane)) {
        Some(name) => name.replace(' ', ""),
        None if trace.lanes.is_empty() => "actions".to_owned(),
        None => "init".to_owned(),
    }
}
