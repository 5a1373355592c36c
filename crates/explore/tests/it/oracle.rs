//! A brute-force enumerator: every interleaving, collected by what the threads saw.
//!
//! Nothing is shared with the engine. A pool of sent messages in send order; a receive takes any
//! unread matching one that its model allows; happens-before is computed from the logs.

use crate::script::{BUDGETS, Do, Log, SECOND, Script};
use plainsong_explore::{Earlier, Model};
use std::collections::{BTreeSet, HashSet};

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    logs: Log,
    /// For each thread, per event: the sends it read, as (thread, event).
    reads: Vec<Vec<Vec<Send>>>,
    pcs: Vec<usize>,
    /// Sends in the order they happened: thread, event number, place in the script.
    sent: Vec<(usize, usize, usize)>,
    /// Messages that were lost.
    lost: BTreeSet<Send>,
    /// How much was spent of each budget.
    spent: [u32; 3],
}

/// A send: thread and event.
type Send = (usize, usize);

/// Distinct complete and blocked executions.
pub(crate) fn enumerate(script: &Script) -> (BTreeSet<Log>, BTreeSet<Log>) {
    let threads = script.len();
    let start = State {
        logs: vec![Vec::new(); threads],
        reads: vec![Vec::new(); threads],
        pcs: vec![0; threads],
        sent: Vec::new(),
        lost: BTreeSet::new(),
        spent: [0; 3],
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
        let stuck = work.len() == before;
        lose(script, &state, &mut work);
        if stuck {
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

/// Any message that may be lost is lost; a copy, for nothing.
fn lose(script: &Script, state: &State, work: &mut Vec<State>) {
    for &(thread, event, pc) in &state.sent {
        let send = (thread, event);
        if state.lost.contains(&send) || state.reads.iter().flatten().flatten().any(|&r| r == send)
        {
            continue;
        }
        let cost = match script[thread][pc] {
            Do::Lossy(_, _, _, budget) => Some(budget as usize),
            Do::Twice(..) if is_copy(state, send) => None,
            _ => continue,
        };
        let mut new = state.clone();
        new.lost.insert(send);
        if let Some(budget) = cost {
            new.spent[budget] += 1;
            if new.spent[budget] > BUDGETS[budget] {
                continue;
            }
        }
        work.push(new);
    }
}

/// Is it the second message of one step?
fn is_copy(state: &State, (thread, event): Send) -> bool {
    let pc = |event| {
        let sent = state.sent.iter().find(|s| (s.0, s.1) == (thread, event));
        sent.map(|s| s.2)
    };
    event > 0 && pc(event - 1) == pc(event)
}

/// A change to a thread.
#[derive(Default)]
struct Step {
    logs: Vec<String>,
    reads: Vec<Send>,
    sends: usize,
    ends: bool,
    spends: Vec<u32>,
}

fn step(script: &Script, state: &State, thread: usize, work: &mut Vec<State>) {
    let Some(&next) = script[thread].get(state.pcs[thread]) else {
        return;
    };
    let mut push = |step: Step| {
        let mut new = state.clone();
        for at in 0..step.sends {
            let event = state.logs[thread].len() + at;
            new.sent.push((thread, event, state.pcs[thread]));
        }
        for log in step.logs {
            new.logs[thread].push(log);
            new.reads[thread].push(step.reads.clone());
        }
        for budget in step.spends {
            new.spent[budget as usize] += 1;
            if new.spent[budget as usize] > BUDGETS[budget as usize] {
                return;
            }
        }
        new.pcs[thread] = if step.ends {
            script[thread].len()
        } else {
            state.pcs[thread] + 1
        };
        work.push(new);
    };
    let sent = |sends| Step {
        logs: vec!["sent".to_owned(); sends],
        sends,
        ..Step::default()
    };
    let chose = |value: u32, spends: Vec<u32>| Step {
        logs: vec![format!("chose {value}")],
        spends,
        ..Step::default()
    };
    let received = |log: String, reads: Vec<Send>| Step {
        logs: vec![log],
        spends: reads
            .iter()
            .filter(|&&send| is_copy(state, send))
            .map(|&send| budget(script, state, send))
            .collect(),
        reads,
        ..Step::default()
    };
    match next {
        Do::Send(..) | Do::Lossy(..) => push(sent(1)),
        Do::Twice(..) => push(sent(2)),
        Do::Choose(options) => (0..options).for_each(|value| push(chose(value, Vec::new()))),
        Do::Fault(budget) => {
            push(chose(0, Vec::new()));
            push(chose(1, vec![budget]));
        }
        Do::Reply(_) => unreachable!("not for this enumerator"),
        Do::Unless(wanted) => {
            let last = state.reads[thread].last();
            let tags = last.into_iter().flatten();
            let got = tags.map(|&send| tag(script, state, send)).max();
            let go_on = got.is_some() && (wanted.is_none() || wanted == got);
            push(Step {
                ends: !go_on,
                ..Step::default()
            });
        }
        Do::Recv(pattern, blocking) => {
            for set in readable(script, state, &[thread], pattern) {
                match set[..] {
                    [] if !blocking => push(received("nothing".to_owned(), set)),
                    [send] => push(received(format!("{}.{}", send.0, send.1), set)),
                    _ => {}
                }
            }
        }
        Do::Set(pattern, least, most) => {
            for set in readable(script, state, &[thread], pattern) {
                if (least..=most).contains(&(set.len() as u32)) {
                    push(received(format!("{set:?}"), set));
                }
            }
        }
        Do::Each => {
            for set in readable(script, state, &[thread, thread + SECOND], None) {
                let places: Vec<usize> = set.iter().map(|&s| place(script, state, s).0).collect();
                let one_each = [[thread, thread + SECOND], [thread + SECOND, thread]];
                if one_each.iter().any(|wanted| places[..] == wanted[..]) {
                    push(received(format!("{set:?}"), set));
                }
            }
        }
    }
}

fn place(script: &Script, state: &State, send: Send) -> (usize, u8, Model) {
    match *sending(script, state, send) {
        Do::Send(to, tag, model) | Do::Lossy(to, tag, model, _) | Do::Twice(to, tag, model, _) => {
            (to, tag, model)
        }
        _ => unreachable!("only sends are sent"),
    }
}

fn budget(script: &Script, state: &State, send: Send) -> u32 {
    match *sending(script, state, send) {
        Do::Lossy(.., budget) | Do::Twice(.., budget) => budget,
        _ => unreachable!("only unsure messages have a budget"),
    }
}

fn sending<'s>(script: &'s Script, state: &State, send: Send) -> &'s Do {
    let mut sent = state.sent.iter();
    let found = sent.find(|s| (s.0, s.1) == send).expect("it was sent");
    &script[found.0][found.2]
}

fn tag(script: &Script, state: &State, send: Send) -> u8 {
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
        for &send in state.reads[thread].get(index).into_iter().flatten() {
            if found.insert(send) {
                open.push(send);
            }
        }
    }
    found
}

/// The sets of messages, in order, that a receive on these mailboxes may take at once.
fn readable(
    script: &Script,
    state: &State,
    mailboxes: &[usize],
    pattern: Option<u8>,
) -> Vec<Vec<Send>> {
    let read: HashSet<Send> = state.reads.iter().flatten().flatten().copied().collect();
    let is_there = |send: Send| {
        !read.contains(&send)
            && !state.lost.contains(&send)
            && (!is_copy(state, send) || read.contains(&(send.0, send.1 - 1)))
    };
    let open: Vec<Send> = state
        .sent
        .iter()
        .map(|&(thread, event, _)| (thread, event))
        .filter(|&send| is_there(send))
        .filter(|&send| {
            let (to, tag, _) = place(script, state, send);
            mailboxes.contains(&to) && pattern.is_none_or(|wanted| wanted == tag)
        })
        .collect();
    let earlier = |(other_at, other): (usize, Send), (at, send): (usize, Send)| {
        let (to, tag, model) = place(script, state, send);
        let (other_to, other_tag, other_model) = place(script, state, other);
        if is_copy(state, send) || is_copy(state, other) || (to, model) != (other_to, other_model) {
            return false;
        }
        match model {
            Model::Unordered => false,
            Model::Fifo => other.0 == send.0 && other.1 < send.1,
            Model::Causal => past(state, send).contains(&other),
            Model::Mailbox => other_at < at,
            Model::Custom(how) => {
                other_tag >= tag
                    && match how {
                        Earlier::Causally => past(state, send).contains(&other),
                        Earlier::Globally => other_at < at,
                    }
            }
        }
    };
    let is_in = |subset: usize, at: usize| subset & (1 << at) != 0;
    let mut sets = Vec::new();
    for subset in 0..1_usize << open.len() {
        let overtakes = (0..open.len()).any(|at| {
            is_in(subset, at)
                && (0..open.len()).any(|other| {
                    !is_in(subset, other) && earlier((other, open[other]), (at, open[at]))
                })
        });
        if !overtakes {
            let set = (0..open.len()).filter(|&at| is_in(subset, at));
            let mut set: Vec<Send> = set.map(|at| open[at]).collect();
            set.sort_unstable();
            sets.push(set);
        }
    }
    sets
}
