//! A brute-force enumerator: every interleaving of a script, collected by what the processes saw.
//!
//! Nothing is shared with the engine. There is a pool of sent messages in the order of sending; a
//! receive takes any unread one that it wants and that the order of delivery allows.

use crate::script::{Do, Script};
use plainsong::Delivery;
use std::collections::{BTreeSet, HashSet};

/// An event by process and number.
type Event = (usize, usize);

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    /// For each process, what each of its events saw.
    logs: Vec<Vec<Saw>>,
    /// For each process, which step comes next.
    next: Vec<usize>,
    /// Sends in the order of sending: event, destination, tag.
    sent: Vec<(Event, usize, u8)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Saw {
    Sent,
    Chose(u32),
    Nothing,
    Got(Event),
}

/// The numbers of distinct complete and of distinct blocked executions.
pub(crate) fn count(script: &Script, delivery: Delivery) -> (u64, u64) {
    let start = State {
        logs: vec![Vec::new(); script.len()],
        next: vec![0; script.len()],
        sent: Vec::new(),
    };
    let (mut complete, mut blocked) = (BTreeSet::new(), BTreeSet::new());
    let mut seen = HashSet::new();
    let mut open = vec![start];
    while let Some(state) = open.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        let before = open.len();
        for process in 0..script.len() {
            step(script, delivery, &state, process, &mut open);
        }
        if open.len() == before {
            let done = (0..script.len()).all(|n| state.next[n] == script[n].len());
            let leaves = if done { &mut complete } else { &mut blocked };
            leaves.insert(state.logs);
        }
    }
    (complete.len() as u64, blocked.len() as u64)
}

fn step(script: &Script, delivery: Delivery, state: &State, process: usize, open: &mut Vec<State>) {
    let Some(&next) = script[process].get(state.next[process]) else {
        return;
    };
    let mut push = |saw: Option<Saw>, ends: bool| {
        let mut new = state.clone();
        if let (Do::Send(to, tag), Some(_)) = (next, saw) {
            new.sent
                .push(((process, state.logs[process].len()), to, tag));
        }
        new.logs[process].extend(saw);
        new.next[process] = if ends {
            script[process].len()
        } else {
            state.next[process] + 1
        };
        open.push(new);
    };
    match next {
        Do::Send(..) => push(Some(Saw::Sent), false),
        Do::Choose(options) => (0..options).for_each(|n| push(Some(Saw::Chose(n)), false)),
        Do::Unless(wanted) => {
            let got = last_tag(state, process);
            push(None, got.is_none() || (wanted.is_some() && wanted != got));
        }
        Do::Assume(wanted) => {
            if last_tag(state, process) == Some(wanted) {
                push(None, false);
            }
        }
        Do::Recv(tag, waits) => {
            for event in readable(delivery, state, process, tag) {
                push(Some(Saw::Got(event)), false);
            }
            if !waits {
                push(Some(Saw::Nothing), false);
            }
        }
    }
}

/// The tag of what the last receive of a process got.
fn last_tag(state: &State, process: usize) -> Option<u8> {
    let is_receive = |saw: &&Saw| matches!(saw, Saw::Got(_) | Saw::Nothing);
    match state.logs[process].iter().rev().find(is_receive) {
        Some(&Saw::Got(event)) => {
            let sent = state.sent.iter().find(|sent| sent.0 == event);
            sent.map(|sent| sent.2)
        }
        _ => None,
    }
}

fn readable(delivery: Delivery, state: &State, process: usize, tag: Option<u8>) -> Vec<Event> {
    let read: HashSet<Event> = state
        .logs
        .iter()
        .flatten()
        .filter_map(|saw| match *saw {
            Saw::Got(event) => Some(event),
            _ => None,
        })
        .collect();
    let wanted: Vec<Event> = state
        .sent
        .iter()
        .filter(|&&(event, to, its)| {
            to == process && !read.contains(&event) && tag.is_none_or(|tag| tag == its)
        })
        .map(|&(event, ..)| event)
        .collect();
    let may_be_first = |&(place, event): &(usize, Event)| {
        !wanted
            .iter()
            .enumerate()
            .any(|(other_place, &other)| match delivery {
                Delivery::Unordered | Delivery::Custom(_) => false,
                Delivery::Fifo => other.0 == event.0 && other.1 < event.1,
                Delivery::Causal => other != event && past(state, event).contains(&other),
                Delivery::Mailbox => other_place < place,
            })
    };
    wanted
        .iter()
        .copied()
        .enumerate()
        .filter(may_be_first)
        .map(|(_, event)| event)
        .collect()
}

/// What an event depends on, and the event.
fn past(state: &State, event: Event) -> HashSet<Event> {
    let mut found = HashSet::new();
    let mut open = vec![event];
    while let Some((process, index)) = open.pop() {
        if !found.insert((process, index)) {
            continue;
        }
        if index > 0 {
            open.push((process, index - 1));
        }
        if let Some(&Saw::Got(send)) = state.logs[process].get(index) {
            open.push(send);
        }
    }
    found
}
