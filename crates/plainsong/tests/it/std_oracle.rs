//! Random programs with threads and locks: exploration finds exactly the outcomes that interleavings
//! of atomic steps have, found here by a search of their own, and deadlocks exactly when those do.

use crate::random::Random;
use crate::std_play::{Opaque, play};
use plainsong::{Explorer, Report, Restart, Verdict};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A step of a test program. There are two atomics, two mutexes that protect a number, a condition
/// variable for the first of them, a reader-writer lock and a channel, which thread 0 receives from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Load(usize),
    Store(usize, u8),
    Add(usize),
    /// Puts 9 in the place of 0.
    Exchange(usize),
    Lock(usize),
    TryLock(usize),
    /// Adds one to what the mutex protects, if the thread has the lock.
    Bump(usize),
    Unlock(usize),
    Wait,
    WaitTimeout,
    NotifyOne,
    NotifyAll,
    Read,
    TryRead,
    /// Adds one to what the reader-writer lock protects.
    Write,
    TryWrite,
    /// Gives the reader-writer lock back, if the thread has it.
    Release,
    Send(u8),
    TrySend(u8),
    Recv,
    TryRecv,
    DropReceiver,
    Park,
    ParkTimeout,
    Unpark(usize),
}

/// One list of steps per thread, and the bound of the channel.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) threads: Vec<Vec<Step>>,
    pub(crate) bound: Option<usize>,
}

/// What each thread saw.
pub(crate) type Logs = Vec<Vec<String>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Ready,
    /// Waits for a notification, perhaps not for ever.
    Waiting(bool),
    /// Wants its mutex back; was the time over?
    Relocking(bool),
    /// Has announced that it wants to write.
    Announced,
    Over,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    at: Vec<usize>,
    phase: Vec<Phase>,
    numbers: [u8; 2],
    holder: [Option<usize>; 2],
    protected: [u8; 2],
    readers: BTreeSet<usize>,
    writer: Option<usize>,
    announced: Option<usize>,
    table: u8,
    queue: Vec<u8>,
    has_receiver: bool,
    tokens: Vec<bool>,
    logs: Logs,
}

/// All outcomes of a program, and whether it may deadlock.
fn outcomes(program: &Program) -> (BTreeSet<String>, bool) {
    let n = program.threads.len();
    let first = State {
        at: vec![0; n],
        phase: vec![Phase::Ready; n],
        numbers: [0; 2],
        holder: [None; 2],
        protected: [0; 2],
        readers: BTreeSet::new(),
        writer: None,
        announced: None,
        table: 0,
        queue: Vec::new(),
        has_receiver: true,
        tokens: vec![false; n],
        logs: vec![Vec::new(); n],
    };
    let (mut seen, mut open) = (BTreeSet::from([first.clone()]), vec![first]);
    let (mut found, mut deadlocks) = (BTreeSet::new(), false);
    while let Some(state) = open.pop() {
        let next: Vec<State> = (0..n).flat_map(|t| state.steps(program, t)).collect();
        if state.phase.iter().all(|phase| *phase == Phase::Over) {
            found.insert(format!("{:?}", state.logs));
        } else if next.is_empty() {
            deadlocks = true;
        }
        for state in next {
            if seen.insert(state.clone()) {
                open.push(state);
            }
        }
    }
    (found, deadlocks)
}

impl State {
    /// The states after one step of a thread.
    fn steps(&self, program: &Program, t: usize) -> Vec<State> {
        match self.phase[t] {
            Phase::Over => Vec::new(),
            Phase::Waiting(false) => Vec::new(),
            Phase::Waiting(true) => vec![self.with(|s| s.phase[t] = Phase::Relocking(true))],
            Phase::Relocking(late) if self.holder[0].is_none() => vec![self.with(|s| {
                s.holder[0] = Some(t);
                s.phase[t] = Phase::Ready;
                s.done(t, if late { "timeout" } else { "woken" });
            })],
            Phase::Relocking(_) => Vec::new(),
            Phase::Announced if self.readers.is_empty() => vec![self.with(|s| {
                s.announced = None;
                s.phase[t] = Phase::Ready;
                s.write(t, "");
            })],
            Phase::Announced => Vec::new(),
            Phase::Ready => match program.threads[t].get(self.at[t]) {
                None => vec![self.with(|s| {
                    s.phase[t] = Phase::Over;
                    s.has_receiver &= t != 0;
                })],
                Some(&step) => self.perform(program, t, step),
            },
        }
    }

    fn with(&self, change: impl FnOnce(&mut State)) -> State {
        let mut state = self.clone();
        change(&mut state);
        state
    }

    fn done(&mut self, t: usize, log: impl ToString) {
        self.at[t] += 1;
        if !log.to_string().is_empty() {
            self.logs[t].push(log.to_string());
        }
    }

    fn write(&mut self, t: usize, log: &str) {
        self.writer = Some(t);
        self.table += 1;
        let log = format!("{log}{}", self.table);
        self.done(t, log);
    }

    fn is_free_to_read(&self) -> bool {
        self.writer.is_none() && self.announced.is_none()
    }

    fn perform(&self, program: &Program, t: usize, step: Step) -> Vec<State> {
        match step {
            Step::Load(_) | Step::Store(..) | Step::Add(_) | Step::Exchange(_) => {
                vec![self.with(|s| s.calculate(t, step))]
            }
            Step::Lock(_) | Step::TryLock(_) | Step::Bump(_) | Step::Unlock(_) => {
                self.mutex(t, step)
            }
            Step::Wait | Step::WaitTimeout | Step::NotifyOne | Step::NotifyAll => {
                self.condvar(t, step)
            }
            Step::Read | Step::TryRead | Step::Write | Step::TryWrite | Step::Release => {
                self.rwlock(t, step)
            }
            Step::Send(n) => self.send(program, t, n, true),
            Step::TrySend(n) => self.send(program, t, n, false),
            Step::Recv => self.receive(program, t, true),
            Step::TryRecv => self.receive(program, t, false),
            Step::DropReceiver => vec![self.with(|s| {
                s.has_receiver = false;
                s.done(t, "");
            })],
            Step::Park if !self.tokens[t] => Vec::new(),
            Step::Park | Step::ParkTimeout => vec![self.with(|s| {
                s.tokens[t] = false;
                s.done(t, "");
            })],
            Step::Unpark(other) => vec![self.with(|s| {
                s.tokens[other] = true;
                s.done(t, "");
            })],
        }
    }

    fn calculate(&mut self, t: usize, step: Step) {
        let was = match step {
            Step::Load(i) | Step::Store(i, _) | Step::Add(i) | Step::Exchange(i) => self.numbers[i],
            _ => unreachable!("not about a number"),
        };
        match step {
            Step::Store(i, n) => self.numbers[i] = n,
            Step::Add(i) => self.numbers[i] = was + 1,
            Step::Exchange(i) if was == 0 => self.numbers[i] = 9,
            _ => {}
        }
        let log = match step {
            Step::Store(..) => String::new(),
            _ => was.to_string(),
        };
        self.done(t, log);
    }

    fn mutex(&self, t: usize, step: Step) -> Vec<State> {
        let has = |m: usize| self.holder[m] == Some(t);
        let take = |m: usize, log: &str| {
            vec![self.with(|s| {
                s.holder[m] = Some(t);
                s.done(t, log);
            })]
        };
        match step {
            Step::Lock(m) if self.holder[m].is_none() => take(m, ""),
            Step::Lock(_) => Vec::new(),
            Step::TryLock(m) if self.holder[m].is_none() => take(m, "got it"),
            Step::TryLock(_) => vec![self.with(|s| s.done(t, "busy"))],
            Step::Bump(m) if has(m) => vec![self.with(|s| {
                s.protected[m] += 1;
                let now = s.protected[m];
                s.done(t, now);
            })],
            Step::Unlock(m) if has(m) => vec![self.with(|s| {
                s.holder[m] = None;
                s.done(t, "");
            })],
            _ => vec![self.with(|s| s.done(t, ""))],
        }
    }

    fn condvar(&self, t: usize, step: Step) -> Vec<State> {
        let waiting: Vec<usize> = (0..self.at.len())
            .filter(|&w| matches!(self.phase[w], Phase::Waiting(_)))
            .collect();
        match step {
            Step::Wait | Step::WaitTimeout => vec![self.with(|s| {
                s.holder[0] = None;
                s.phase[t] = Phase::Waiting(step == Step::WaitTimeout);
            })],
            Step::NotifyOne if !waiting.is_empty() => {
                let wake = |&w: &usize| {
                    self.with(|s| {
                        s.phase[w] = Phase::Relocking(false);
                        s.done(t, "");
                    })
                };
                waiting.iter().map(wake).collect()
            }
            _ => vec![self.with(|s| {
                for w in waiting {
                    s.phase[w] = Phase::Relocking(false);
                }
                s.done(t, "");
            })],
        }
    }

    fn rwlock(&self, t: usize, step: Step) -> Vec<State> {
        let read = || {
            vec![self.with(|s| {
                s.readers.insert(t);
                let seen = s.table;
                s.done(t, seen);
            })]
        };
        match step {
            Step::Read if self.is_free_to_read() => read(),
            Step::Read => Vec::new(),
            Step::TryRead if self.is_free_to_read() => read(),
            Step::Write if self.is_free_to_read() => vec![self.with(|s| {
                s.announced = Some(t);
                s.phase[t] = Phase::Announced;
            })],
            Step::Write => Vec::new(),
            Step::TryWrite if self.is_free_to_read() && self.readers.is_empty() => {
                vec![self.with(|s| s.write(t, ""))]
            }
            Step::TryRead | Step::TryWrite => vec![self.with(|s| s.done(t, "busy"))],
            _ => vec![self.with(|s| {
                s.readers.remove(&t);
                s.writer = s.writer.filter(|&writer| writer != t);
                s.done(t, "");
            })],
        }
    }

    fn send(&self, program: &Program, t: usize, n: u8, waits: bool) -> Vec<State> {
        if !self.has_receiver {
            return vec![self.with(|s| s.done(t, "no receiver"))];
        }
        let full = || self.with(|s| s.done(t, "full"));
        let mut next = Vec::new();
        match program.bound {
            Some(0) => {
                if program.threads[0].get(self.at[0]) == Some(&Step::Recv) {
                    next.push(self.meet(t, n));
                }
                if !waits {
                    next.push(full());
                }
            }
            Some(bound) if self.queue.len() >= bound => {
                next.extend((!waits).then(full));
            }
            _ => next.push(self.with(|s| {
                s.queue.push(n);
                s.done(t, "sent");
            })),
        }
        next
    }

    /// With the bound 0: one sends and the other receives.
    fn meet(&self, t: usize, n: u8) -> State {
        self.with(|s| {
            s.done(t, "sent");
            s.done(0, n);
        })
    }

    fn receive(&self, program: &Program, t: usize, waits: bool) -> Vec<State> {
        if !self.has_receiver {
            return vec![self.with(|s| s.done(t, ""))];
        }
        if !self.queue.is_empty() {
            return vec![self.with(|s| {
                let n = s.queue.remove(0);
                s.done(t, n);
            })];
        }
        if (1..self.at.len()).all(|other| self.phase[other] == Phase::Over) {
            return vec![self.with(|s| s.done(t, "closed"))];
        }
        let mut next = Vec::new();
        if !waits {
            next.push(self.with(|s| s.done(t, "empty")));
        }
        if program.bound == Some(0) && !waits {
            for other in 1..self.at.len() {
                if let Some(&Step::Send(n)) = program.threads[other].get(self.at[other])
                    && self.phase[other] == Phase::Ready
                {
                    next.push(self.meet(other, n));
                }
            }
        }
        next
    }
}

/// Steps without a section.
fn simple(random: &mut Random, t: usize, kinds: u64, steps: &mut Vec<Step>) {
    let i = random.below(2) as usize;
    let n = 1 + random.below(3) as u8;
    steps.push(match (kinds, random.below(4)) {
        (0, 0) => Step::Load(i),
        (0, 1) => Step::Store(i, n),
        (0, 2) => Step::Add(i),
        (0, _) => Step::Exchange(i),
        (1, 0) => Step::NotifyOne,
        (1, 1) => Step::NotifyAll,
        (1, _) if t > 0 => Step::Unpark(random.below(t as u64) as usize),
        (1, 2) => Step::Park,
        (1, _) => Step::ParkTimeout,
        (_, 0) if t == 0 => Step::TryRecv,
        (_, 1) if t == 0 && random.below(3) == 0 => Step::DropReceiver,
        (_, _) if t == 0 => Step::Recv,
        (_, 0) => Step::TrySend(t as u8),
        (_, _) => Step::Send(t as u8),
    });
}

/// A few steps that belong together.
fn section(random: &mut Random, t: usize, kinds: &[u64], steps: &mut Vec<Step>) {
    let kind = kinds[random.below(kinds.len() as u64) as usize];
    match (kind, random.below(8)) {
        (3, which) => {
            let read = [Step::Read, Step::TryRead, Step::Write, Step::TryWrite];
            steps.extend([read[which as usize % 4], Step::Release]);
        }
        (4, which) => {
            let m = random.below(2) as usize;
            let lock = if which < 5 {
                Step::Lock(m)
            } else {
                Step::TryLock(m)
            };
            steps.extend([lock, Step::Bump(m)]);
            match which {
                0 => steps.extend([Step::Lock(1 - m), Step::Unlock(1 - m)]),
                1 => simple(random, t, 0, steps),
                2 if m == 0 => steps.push(Step::Wait),
                3 if m == 0 => steps.push(Step::WaitTimeout),
                _ => {}
            }
            steps.push(Step::Unlock(m));
        }
        _ => simple(random, t, kind, steps),
    }
}

fn generate(random: &mut Random) -> Program {
    let pools: [&[u64]; 7] = [&[0], &[4], &[3], &[2], &[0, 4], &[1, 4, 4], &[2, 4]];
    let kinds = pools[random.below(pools.len() as u64) as usize];
    let threads = 2 + random.below(2) as usize;
    let sections = if threads == 2 { 3 } else { 2 };
    let of_thread = |t: usize, random: &mut Random| {
        let mut steps = Vec::new();
        for _ in 0..1 + random.below(sections) {
            section(random, t, kinds, &mut steps);
        }
        steps
    };
    let bound = random.below(4);
    let threads: Vec<Vec<Step>> = (0..threads).map(|t| of_thread(t, random)).collect();
    Program {
        threads: threads
            .into_iter()
            .map(|steps| match bound {
                0 => steps.into_iter().map(without_bound).collect(),
                _ => steps,
            })
            .collect(),
        bound: bound.checked_sub(1).map(|bound| bound as usize),
    }
}

/// A channel without a bound is never full.
fn without_bound(step: Step) -> Step {
    match step {
        Step::TrySend(n) => Step::Send(n),
        other => other,
    }
}

#[test]
fn outcomes_are_those_of_interleavings() {
    let programs = std::env::var("PLAINSONG_PROGRAMS");
    let programs: u64 = programs.map_or(250, |n| n.parse().unwrap());
    let mut compared = 0;
    for seed in 1..=programs {
        let program = generate(&mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let restart = [Restart::Changed, Restart::All][seed as usize % 2];
        let explorer = Explorer::new().allow_deadlock(true).restart(restart);
        let shared = Arc::new(program.clone());
        let report = explorer
            .limit_executions(3_000)
            .run(move || play::<u8>(&shared));
        if report.verdict == Verdict::Unknown {
            continue;
        }
        report.assert_holds();
        let (expected, deadlocks) = outcomes(&program);
        let found: BTreeSet<String> = report.coverage.keys().cloned().collect();
        assert_eq!(found, expected, "seed {seed}: {program:#?}");
        assert_eq!(report.blocked > 0, deadlocks, "seed {seed}: {program:#?}");
        if seed % 3 == 0 {
            let shared = Arc::new(program.clone());
            let explorer = Explorer::new().allow_deadlock(true);
            let opaque = explorer.run(move || play::<Opaque>(&shared));
            opaque.assert_holds();
            assert_eq!(
                opaque.coverage, report.coverage,
                "seed {seed}: {program:#?}"
            );
            let counts = |report: &Report| (report.executions, report.blocked);
            assert_eq!(
                counts(&opaque),
                counts(&report),
                "seed {seed}: {program:#?}"
            );
        }
        compared += 1;
    }
    assert!(
        compared * 10 > programs * 9,
        "{compared} of {programs} compared"
    );
}
