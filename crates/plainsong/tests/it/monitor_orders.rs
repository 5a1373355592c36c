//! Random programs under a monitor: it sees exactly the orders that causality allows.
//!
//! Messages carry their causal past, so the program itself knows, in each execution, in how many
//! orders the selected messages can be seen. The sum over all executions without a monitor is the
//! number of executions with one.

use crate::script::DELIVERIES;
use plainsong::{
    Explorer, JoinHandle, Process, Restart, Sent, cover, receive, send, spawn, try_receive,
};
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(Clone, Copy, Debug)]
enum Step {
    Send(usize),
    TryReceive,
}

type Program = Vec<Vec<Step>>;

/// A message: its number, and those of the messages that were sent causally earlier.
#[derive(Clone, Debug)]
struct Note {
    id: u32,
    past: BTreeSet<u32>,
}

/// What a process has sent.
type Log = Vec<(u32, BTreeSet<u32>)>;

/// Only these are shown to the monitor.
fn is_shown(id: u32) -> bool {
    id % 4 != 3
}

fn generate(seed: u64) -> Program {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) % n
    };
    let processes = 2 + below(2) as usize;
    let steps = |below: &mut dyn FnMut(u64) -> u64| match below(5) {
        0 | 1 => Step::TryReceive,
        _ => Step::Send(below(processes as u64) as usize),
    };
    (0..processes)
        .map(|_| (0..1 + below(3)).map(|_| steps(&mut below)).collect())
        .collect()
}

/// Plays the program; returns what each process has sent.
fn play(program: &Program) -> Vec<Log> {
    let processes: Vec<_> = (0..program.len())
        .map(|me| {
            let steps = program[me].clone();
            spawn(move || {
                let all: Vec<Process> = receive();
                perform(me, &steps, &all)
            })
        })
        .collect();
    let all: Vec<Process> = processes.iter().map(JoinHandle::process).collect();
    for process in &all {
        send(*process, all.clone());
    }
    processes.into_iter().map(|it| it.join()).collect()
}

fn perform(me: usize, steps: &[Step], all: &[Process]) -> Log {
    let mut known = BTreeSet::new();
    let mut log = Log::new();
    for (at, step) in steps.iter().enumerate() {
        match *step {
            Step::Send(to) => {
                let id = (10 * me + at) as u32;
                let past = known.clone();
                log.push((id, past.clone()));
                send(all[to], Note { id, past });
                known.insert(id);
            }
            Step::TryReceive => {
                if let Some(note) = try_receive::<Note>() {
                    known.extend(note.past);
                    known.insert(note.id);
                }
            }
        }
    }
    log
}

/// In how many orders can the selected messages be seen?
fn orders(logs: &[Log]) -> u64 {
    let all: Vec<&(u32, BTreeSet<u32>)> = logs
        .iter()
        .flatten()
        .filter(|(id, _)| is_shown(*id))
        .collect();
    let mut ways = vec![0_u64; 1 << all.len()];
    ways[0] = 1;
    for seen in 0..ways.len() {
        for (at, (id, past)) in all.iter().enumerate() {
            let is_seen = |other: u32| {
                let place = all.iter().position(|it| it.0 == other);
                place.is_none_or(|place| seen & (1 << place) != 0)
            };
            if !is_seen(*id) && past.iter().all(|&earlier| is_seen(earlier)) {
                ways[seen | (1 << at)] += ways[seen];
            }
        }
    }
    ways[ways.len() - 1]
}

/// Insists that the past of a message was seen.
#[derive(Default)]
struct Past {
    seen: BTreeSet<u32>,
}

#[plainsong::monitor(Note)]
impl Past {
    fn selects(sent: &Sent) -> bool {
        sent.get().is_some_and(|note: &Note| is_shown(note.id))
    }

    fn note(&mut self, note: &Note) {
        let shown = note.past.iter().filter(|&&id| is_shown(id));
        assert!(shown.copied().all(|id| self.seen.contains(&id)), "{note:?}");
        self.seen.insert(note.id);
    }
}

#[test]
fn random_programs_show_every_causal_order_once() {
    let mut interesting = 0;
    for seed in 1..=60 {
        let program = Arc::new(generate(seed));
        for delivery in DELIVERIES {
            let explorer = Explorer::new().delivery(delivery);
            let plain = {
                let program = Arc::clone(&program);
                explorer.run(move || cover(orders(&play(&program)).to_string()))
            };
            let expected: u64 = plain
                .coverage
                .iter()
                .map(|(ways, count)| ways.parse::<u64>().expect("a number") * count)
                .sum();
            interesting += u32::from(expected > plain.executions);
            if expected > 3_000 {
                continue;
            }
            let watched = explorer.clone().monitor(Past::default);
            for way in [
                watched.clone().restart(Restart::All),
                watched.clone().restart(Restart::Changed),
                watched.clone().restart(Restart::Changed).seed(seed),
            ] {
                let program = Arc::clone(&program);
                let report = way.run(move || {
                    play(&program);
                });
                report.assert_holds();
                assert_eq!(report.executions, expected, "program {seed}, {way:?}");
            }
        }
    }
    assert!(interesting > 40, "{interesting}");
}
