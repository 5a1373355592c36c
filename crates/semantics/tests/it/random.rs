//! Random small programs against a second enumerator, for every delivery model and for two models
//! mixed in one program.
//!
//! The enumerator here works on lists of operations and on whole histories: it knows no flat code,
//! no network and no sets of causal messages.

use crate::threads::*;
use plainsong_ir::Delivery::{self, Causal, Fifo, Mailbox, Unordered};
use std::collections::{BTreeMap, BTreeSet};

/// A place in a program: thread and position.
type Event = (usize, usize);
type ReadsFrom = BTreeMap<Event, Option<Event>>;

struct Dice(u64);

impl Dice {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % count
    }
}

/// Three or four threads with at most eleven operations. The first two mostly receive, the others
/// mostly send to them.
fn program(dice: &mut Dice) -> Vec<Vec<Op>> {
    let count = 3 + dice.below(2) as usize;
    let mut left = 11;
    (0..count)
        .map(|thread| {
            let length = (1 + dice.below(4)).min(left);
            left -= length;
            (0..length)
                .map(|_| operation(dice, thread, count))
                .collect()
        })
        .collect()
}

fn operation(dice: &mut Dice, thread: usize, threads: usize) -> Op {
    let tag = dice.below(2) as i64;
    let among = if dice.below(5) == 0 {
        threads as u64
    } else {
        2
    };
    let to = dice.below(among) as usize;
    let sends = dice.below(4) < if thread < 2 { 1 } else { 3 };
    match dice.below(if sends { 3 } else { 7 }) {
        0 | 1 if sends => S(to, tag),
        _ if sends => S2(to, tag),
        0..3 => R,
        3 => Rt(tag),
        4 => T,
        5 => Tt(tag),
        _ => Rf(dice.below(threads as u64) as usize),
    }
}

/// What happened so far: sends in order, and who read what.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct History {
    done: Vec<usize>,
    sends: Vec<Event>,
    reads: ReadsFrom,
}

struct Enumerator<'a> {
    threads: &'a [Vec<Op>],
    models: [Delivery; 2],
    seen: BTreeSet<History>,
    complete: BTreeSet<ReadsFrom>,
    blocked: BTreeSet<(Vec<usize>, ReadsFrom)>,
}

impl Enumerator<'_> {
    fn explore(&mut self, history: History) {
        let mut key = history.clone();
        if !self.models.contains(&Mailbox) {
            key.sends.sort_unstable();
        }
        if !self.seen.insert(key) {
            return;
        }
        let mut stuck = true;
        for thread in 0..self.threads.len() {
            let at = history.done[thread];
            let Some(op) = self.threads[thread].get(at) else {
                continue;
            };
            let event = (thread, at);
            let mut next = history.clone();
            next.done[thread] += 1;
            match op {
                S(..) | S2(..) => {
                    next.sends.push(event);
                    stuck = false;
                    self.explore(next);
                }
                _ => {
                    let mut choices: Vec<Option<Event>> = self
                        .readable(&history, event)
                        .into_iter()
                        .map(Some)
                        .collect();
                    if matches!(op, T | Tt(_)) {
                        choices.push(None);
                    }
                    for choice in choices {
                        let mut next = next.clone();
                        next.reads.insert(event, choice);
                        stuck = false;
                        self.explore(next);
                    }
                }
            }
        }
        if stuck {
            let ended = |thread: usize| history.done[thread] == self.threads[thread].len();
            if (0..self.threads.len()).all(ended) {
                self.complete.insert(history.reads);
            } else {
                self.blocked.insert((history.done, history.reads));
            }
        }
    }

    fn readable(&self, history: &History, receive: Event) -> Vec<Event> {
        let read: Vec<Event> = history.reads.values().flatten().copied().collect();
        let unread: Vec<Event> = history
            .sends
            .iter()
            .copied()
            .filter(|send| !read.contains(send) && self.matches(*send, receive))
            .collect();
        let refuses = |older: usize, send: usize| {
            let (first, second) = (unread[older], unread[send]);
            self.model(first) == self.model(second)
                && match self.model(first) {
                    Unordered => false,
                    Fifo => older < send && first.0 == second.0,
                    Causal => past(history, second).contains(&first),
                    Mailbox => older < send,
                }
        };
        (0..unread.len())
            .filter(|send| !(0..unread.len()).any(|older| refuses(older, *send)))
            .map(|send| unread[send])
            .collect()
    }

    fn model(&self, send: Event) -> Delivery {
        match self.threads[send.0][send.1] {
            S(..) => self.models[0],
            _ => self.models[1],
        }
    }

    fn matches(&self, send: Event, receive: Event) -> bool {
        let (S(to, tag) | S2(to, tag)) = self.threads[send.0][send.1] else {
            return false;
        };
        to == receive.0
            && match self.threads[receive.0][receive.1] {
                Rt(wanted) | Tt(wanted) => wanted == tag,
                Rf(from) => from == send.0,
                _ => true,
            }
    }
}

/// Everything before an event by program order and reads-from.
fn past(history: &History, event: Event) -> BTreeSet<Event> {
    let mut past = BTreeSet::new();
    let mut open = vec![event];
    while let Some((thread, at)) = open.pop() {
        let before = (at > 0).then(|| (thread, at - 1));
        let read = history.reads.get(&(thread, at)).copied().flatten();
        for cause in before.into_iter().chain(read) {
            if past.insert(cause) {
                open.push(cause);
            }
        }
    }
    past
}

fn enumerate(threads: &[Vec<Op>], models: [Delivery; 2]) -> (u64, u64) {
    let (seen, complete, blocked) = Default::default();
    let mut enumerator = Enumerator {
        threads,
        models,
        seen,
        complete,
        blocked,
    };
    enumerator.explore(History {
        done: vec![0; threads.len()],
        ..History::default()
    });
    (
        enumerator.complete.len() as u64,
        enumerator.blocked.len() as u64,
    )
}

#[test]
fn the_interpreter_agrees_with_a_second_enumerator() {
    let mut dice = Dice(2_024);
    let mut executions = 0;
    for _ in 0..300 {
        let threads = program(&mut dice);
        let mut pairs: Vec<[Delivery; 2]> = Delivery::ALL.iter().map(|model| [*model; 2]).collect();
        for _ in 0..2 {
            pairs.push([(); 2].map(|()| Delivery::ALL[dice.below(4) as usize]));
        }
        for models in pairs {
            let instance = song(&threads, models.map(Some)).instance(&[]);
            let count = count(&instance);
            let expected = enumerate(&threads, models);
            assert_eq!(
                (count.complete, count.blocked),
                expected,
                "{models:?} {threads:?}"
            );
            executions += count.complete + count.blocked;
        }
    }
    assert!(
        executions > 4_000,
        "the programs are not all trivial: {executions}"
    );
}
