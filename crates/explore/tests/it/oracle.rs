//! A brute-force enumerator: every interleaving, collected by what the threads saw.
//!
//! Nothing is shared with the engine. A pool of sent messages in send order; a receive takes any
//! unread matching one that its model allows; happens-before is computed from the logs.

use crate::script::{Do, Log, Script};
use plainsong_explore::{Earlier, Model};
use std::collections::{BTreeSet, HashSet};

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    logs: Log,
    /// For each thread, per event: the send it read, as (thread, event).
    reads: Vec<Vec<Option<(usize, usize)>>>,
    pcs: Vec<usize>,
    /// Sends in the order they happened: thread, event number, place in the script.
    sent: Vec<(usize, usize, usize)>,
}

/// Distinct complete and blocked executions.
pub(crate) fn enumerate(script: &Script) -> (BTreeSet<Log>, BTreeSet<Log>) {
    let threads = script.len();
    let start = State {
        logs: vec![Vec::new(); threads],
        reads: vec![Vec::new(); threads],
        pcs: vec![0; threads],
        sent: Vec::new(),
    };
    let mailboxes = script.iter().flatten().any(|step| {
        matches!(
            step,
            Do::Send(_, _, Model::Mailbox | Model::Custom(Earlier::Globally))
        )
    });
    let (mut complete, mut blocked) = (BTreeSet::new(), BTreeSet::new());
    let mut seen = HashSet::new();
    let mut work = vec![start];
    while let Some(state) = work.pop() {
        let mut key = state.clone();
        if !mailboxes {
            key.sent.sort_unstable();
        }
        if !seen.insert(key) {
            continue;
        }
        let before = work.len();
        for thread in 0..threads {
            step(script, &state, thread, &mut work);
        }
        if work.len() == before {
            let done = (0..threads).all(|thread| state.pcs[thread] == script[thread].len());
            if done {
                complete.insert(state.logs)
            } else {
                blocked.insert(state.logs)
            };
        }
    }
    (complete, blocked)
}

fn step(script: &Script, state: &State, thread: usize, work: &mut Vec<State>) {
    let Some(&next) = script[thread].get(state.pcs[thread]) else {
        return;
    };
    let mut push = |log: Option<String>, read: Option<(usize, usize)>, sends: bool, end: bool| {
        let mut new = state.clone();
        if sends {
            new.sent
                .push((thread, state.logs[thread].len(), state.pcs[thread]));
        }
        if let Some(log) = log {
            new.logs[thread].push(log);
            new.reads[thread].push(read);
        }
        new.pcs[thread] = if end {
            script[thread].len()
        } else {
            state.pcs[thread] + 1
        };
        work.push(new);
    };
    match next {
        Do::Send(..) => push(Some("sent".to_owned()), None, true, false),
        Do::Choose(options) => {
            (0..options).for_each(|value| push(Some(format!("chose {value}")), None, false, false));
        }
        Do::Unless(wanted) => {
            let got = state.reads[thread]
                .last()
                .copied()
                .flatten()
                .map(|send| tag(script, state, send));
            let go_on = got.is_some() && (wanted.is_none() || wanted == got);
            push(None, None, false, !go_on);
        }
        Do::Recv(pattern, blocking) => {
            for send in readable(script, state, thread, pattern) {
                push(
                    Some(format!("{}.{}", send.0, send.1)),
                    Some(send),
                    false,
                    false,
                );
            }
            if !blocking {
                push(Some("nothing".to_owned()), None, false, false);
            }
        }
    }
}

fn place(script: &Script, state: &State, send: (usize, usize)) -> (usize, u8, Model) {
    let &(thread, _, pc) = state
        .sent
        .iter()
        .find(|s| (s.0, s.1) == send)
        .expect("it was sent");
    match script[thread][pc] {
        Do::Send(to, tag, model) => (to, tag, model),
        _ => unreachable!("only sends are sent"),
    }
}

fn tag(script: &Script, state: &State, send: (usize, usize)) -> u8 {
    place(script, state, send).1
}

/// The causal past of an event, itself not included.
fn past(state: &State, event: (usize, usize)) -> HashSet<(usize, usize)> {
    let mut found = HashSet::new();
    let mut open = vec![event];
    while let Some((thread, index)) = open.pop() {
        if index > 0 && found.insert((thread, index - 1)) {
            open.push((thread, index - 1));
        }
        if let Some(Some(send)) = state.reads[thread].get(index)
            && found.insert(*send)
        {
            open.push(*send);
        }
    }
    found
}

fn readable(
    script: &Script,
    state: &State,
    receiver: usize,
    pattern: Option<u8>,
) -> Vec<(usize, usize)> {
    let read: HashSet<(usize, usize)> = state.reads.iter().flatten().flatten().copied().collect();
    let open: Vec<(usize, usize)> = state
        .sent
        .iter()
        .map(|&(thread, event, _)| (thread, event))
        .filter(|send| !read.contains(send))
        .filter(|&send| {
            let (to, tag, _) = place(script, state, send);
            to == receiver && pattern.is_none_or(|wanted| wanted == tag)
        })
        .collect();
    let model = |send: (usize, usize)| place(script, state, send).2;
    let allowed = |&(at, send): &(usize, (usize, usize))| {
        let earlier = |other: (usize, usize), other_at: usize| match model(send) {
            Model::Unordered => false,
            Model::Fifo => other.0 == send.0 && other.1 < send.1,
            Model::Causal => past(state, send).contains(&other),
            Model::Mailbox => other_at < at,
            Model::Custom(how) => {
                tag(script, state, other) >= tag(script, state, send)
                    && match how {
                        Earlier::Causally => past(state, send).contains(&other),
                        Earlier::Globally => other_at < at,
                    }
            }
        };
        !open
            .iter()
            .enumerate()
            .any(|(other_at, &other)| model(other) == model(send) && earlier(other, other_at))
    };
    open.iter()
        .copied()
        .enumerate()
        .filter(allowed)
        .map(|(_, send)| send)
        .collect()
}
