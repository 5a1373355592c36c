//! Receives that find what is certainly there, against a naive enumerator of interleavings.
//!
//! A `timeout` of a receive gets nothing only if no message is in its causal past. The enumerator runs
//! small random programs in every interleaving, with clocks, and collects who received what from whom.

use plainsong::tokio::time::{Duration, timeout};
use plainsong::{Delivery, Explorer, Receiver, Restart, Sender, channel, choose, spawn, tokio};
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(Clone, Copy, Debug)]
enum Act {
    Send(usize),
    /// Receives if a message comes in time.
    Look,
    /// Chooses whether to leave out the next one.
    Skip,
    /// Only the first process: waits for the end of another.
    Join(usize),
}

const PROCESSES: usize = 3;

type Program = [Vec<Act>; PROCESSES];

/// What the programs do, explored.
fn perform(program: &Program) {
    let (senders, receivers): (Vec<Sender<usize>>, Vec<Receiver<usize>>) =
        (0..PROCESSES).map(|n| channel(format!("{n}"))).unzip();
    let mut receivers = receivers.into_iter();
    let own = receivers.next().expect("there are several");
    let children: Vec<_> = receivers
        .enumerate()
        .map(|(child, receiver)| {
            let (acts, senders) = (program[child + 1].clone(), senders.clone());
            spawn(move || run(&acts, |act| step(act, &senders, &receiver)))
        })
        .collect();
    run(&program[0], |act| match act {
        Act::Join(child) => {
            children[child - 1].wait();
            false
        }
        _ => step(act, &senders, &own),
    });
}

/// Performs acts one after the other; one that returns true leaves out the next.
fn run(acts: &[Act], step: impl Fn(Act) -> bool) {
    let mut skips = false;
    for &act in acts {
        skips = !skips && step(act);
    }
}

fn step(act: Act, senders: &[Sender<usize>], own: &Receiver<usize>) -> bool {
    match act {
        Act::Send(to) => senders[to].send(0),
        Act::Look => {
            let late = timeout(Duration::from_secs(1), own.receive_async());
            tokio::block_on(late).ok();
        }
        Act::Skip => return choose([false, true]),
        Act::Join(_) => unreachable!("only the first process joins"),
    }
    false
}

/// A state of the enumerator: everything that happened, as far as it matters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    /// Where each process is.
    at: [usize; PROCESSES],
    /// How many events of each process each process knows of.
    clocks: [[usize; PROCESSES]; PROCESSES],
    /// In the order they were sent.
    messages: Vec<Sent>,
    /// What each process got.
    got: [Vec<usize>; PROCESSES],
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Sent {
    from: usize,
    to: usize,
    clock: [usize; PROCESSES],
    is_read: bool,
}

fn merge(clock: &mut [usize; PROCESSES], other: &[usize; PROCESSES]) {
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

impl State {
    /// Everything that can happen next in a process.
    fn after(&self, me: usize, program: &Program, in_order: bool) -> Vec<State> {
        let Some(&act) = program[me].get(self.at[me]) else {
            return Vec::new();
        };
        let mut next = self.clone();
        next.at[me] += 1;
        next.clocks[me][me] += 1;
        match act {
            Act::Send(to) => {
                let clock = next.clocks[me];
                next.messages.push(Sent {
                    from: me,
                    to,
                    clock,
                    is_read: false,
                });
                vec![next]
            }
            Act::Skip => {
                let mut skipped = next.with(me, 1);
                skipped.at[me] = program[me].len().min(skipped.at[me] + 1);
                vec![next.with(me, 0), skipped]
            }
            Act::Join(child) if self.at[child] < program[child].len() => Vec::new(),
            Act::Join(child) => {
                let clock = self.clocks[child];
                merge(&mut next.clocks[me], &clock);
                vec![next]
            }
            Act::Look => self.looks(me, &next, in_order),
        }
    }

    fn with(&self, me: usize, got: usize) -> State {
        let mut next = self.clone();
        next.got[me].push(got);
        next
    }

    fn looks(&self, me: usize, next: &State, in_order: bool) -> Vec<State> {
        let open: Vec<usize> = (0..self.messages.len())
            .filter(|&at| self.messages[at].to == me && !self.messages[at].is_read)
            .collect();
        let knows = |&at: &usize| {
            let Sent { from, clock, .. } = self.messages[at];
            self.clocks[me][from] >= clock[from]
        };
        let mut all = Vec::new();
        if !open.iter().any(knows) {
            all.push(next.with(me, usize::MAX));
        }
        for &at in &open {
            let is_held_up = open.iter().any(|&earlier| {
                earlier < at && (in_order || self.messages[earlier].from == self.messages[at].from)
            });
            if !is_held_up {
                let message = &self.messages[at];
                let mut taken = next.with(me, message.from * 100 + message.clock[message.from]);
                taken.messages[at].is_read = true;
                merge(&mut taken.clocks[me], &message.clock);
                all.push(taken);
            }
        }
        all
    }
}

/// How many executions there are, by running every interleaving.
fn enumerate(program: &Program, in_order: bool) -> usize {
    let start = State {
        at: Default::default(),
        clocks: Default::default(),
        messages: Vec::new(),
        got: Default::default(),
    };
    let (mut seen, mut ends) = (BTreeSet::from([start.clone()]), BTreeSet::new());
    let mut open = vec![start];
    while let Some(state) = open.pop() {
        if (0..PROCESSES).all(|me| state.at[me] == program[me].len()) {
            ends.insert(state.got.clone());
        }
        for me in 0..PROCESSES {
            for next in state.after(me, program, in_order) {
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    ends.len()
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> usize {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        ((self.0 >> 33) % n) as usize
    }

    fn program(&mut self) -> Program {
        let mut unjoined = vec![1, 2];
        let mut acts = |me: usize| {
            let length = 1 + self.below(4);
            let mut act = |_| match self.below(11) {
                0 => Act::Skip,
                1..=5 => Act::Send(self.below(PROCESSES as u64)),
                6..=7 if me == 0 && !unjoined.is_empty() => {
                    Act::Join(unjoined.swap_remove(self.below(unjoined.len() as u64)))
                }
                _ => Act::Look,
            };
            (0..length).map(&mut act).collect::<Vec<Act>>()
        };
        [acts(0), acts(1), acts(2)]
    }
}

#[test]
fn random_programs_have_as_many_executions_as_interleavings_can_tell() {
    let programs: u32 =
        std::env::var("PLAINSONG_PROGRAMS").map_or(300, |n| n.parse().expect("a number"));
    let mut random = Random(7);
    let mut largest = 0;
    for number in 0..programs {
        let program = Arc::new(random.program());
        for (delivery, in_order) in [(Delivery::Fifo, false), (Delivery::Mailbox, true)] {
            let expected = enumerate(&program, in_order) as u64;
            largest = largest.max(expected);
            let usual = Explorer::new().delivery(delivery);
            let ways = [
                usual.clone().restart(Restart::Changed),
                usual.clone().restart(Restart::All),
                usual.clone().restart(Restart::Changed).seed(number.into()),
                usual.clone().jobs(2),
            ];
            for (way, explorer) in ways.into_iter().enumerate() {
                let program = Arc::clone(&program);
                let report = explorer.run(move || perform(&program));
                report.assert_holds();
                let counts = (report.executions, report.blocked);
                assert_eq!(counts, (expected, 0), "{number}, way {way}, {delivery:?}");
            }
        }
    }
    assert!(
        largest > 20,
        "some programs have many executions, not {largest}"
    );
}
