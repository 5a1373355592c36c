//! Random programs over the mirror of `tokio::sync`: exploration finds exactly the outcomes that sequentially
//! consistent interleavings have, found here by a search of their own, and deadlocks exactly when those do.
//!
//! What is one step and what is two is as in `tokio`: a send takes room and then puts its message into the
//! queue; a notification is awaited after it was made, and `notify_waiters` may come between. Queues of
//! those who wait are fair. A biased `select!` looks at one branch and then at the next; when it has found nothing, it
//! takes what comes first. Each of two timeouts comes at a moment of its own.

use crate::random::Random;
use crate::tokio_play::{BY_ONCE, Logs, NEVER, NOT_NOW, Program, Step, both, generate, play};
use plainsong::{Explorer, Restart, Verdict};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// As many readers as there could be tasks.
const READERS: usize = 4;

/// Permits, and who waits for how many, first come, first served.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Permits {
    free: usize,
    waiting: VecDeque<(usize, usize)>,
    held: Vec<usize>,
}

impl Permits {
    fn new(free: usize, tasks: usize) -> Self {
        Permits {
            free,
            waiting: VecDeque::new(),
            held: vec![0; tasks],
        }
    }

    fn take_now(&mut self, task: usize, count: usize) -> bool {
        let is_free = self.waiting.is_empty() && self.free >= count;
        if is_free {
            self.free -= count;
            self.held[task] = count;
        }
        is_free
    }

    fn release(&mut self, task: usize) {
        self.free += std::mem::take(&mut self.held[task]);
        while let Some(&(next, count)) = self.waiting.front()
            && self.free >= count
        {
            self.waiting.pop_front();
            self.free -= count;
            self.held[next] = count;
        }
    }
}

/// What a task has to do with a `Notify`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Notice {
    None,
    /// Made, not awaited yet; were all woken since?
    Made(bool),
    Waits,
    Woken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Once {
    Empty,
    Full(i32),
    /// The value was taken, or one end was dropped.
    Over,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Halves {
    /// How many branches it has looked at, or whether its time has passed.
    looked: u32,
    queue: Option<i32>,
    once: Option<i32>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    at: Vec<usize>,
    logs: Logs,
    /// How far a task is that receives from two places, and what it has got.
    halves: Vec<Halves>,
    semaphore: Permits,
    lock: Permits,
    has_one: bool,
    notices: Vec<Notice>,
    /// Who waits for a notification, in order.
    notified: VecDeque<usize>,
    /// Room in the queue, and what is in it.
    room: Permits,
    queue: VecDeque<i32>,
    has_receiver: bool,
    senders: usize,
    once: Once,
    has_once_sender: bool,
    has_once_receiver: bool,
    number: i32,
}

impl State {
    fn new(tasks: usize) -> Self {
        State {
            at: vec![0; tasks],
            logs: vec![Vec::new(); tasks],
            halves: vec![Halves::default(); tasks],
            semaphore: Permits::new(1, tasks),
            lock: Permits::new(READERS, tasks),
            has_one: false,
            notices: vec![Notice::None; tasks],
            notified: VecDeque::new(),
            room: Permits::new(1, tasks),
            queue: VecDeque::new(),
            has_receiver: true,
            senders: tasks - 1,
            once: Once::Empty,
            has_once_sender: true,
            has_once_receiver: true,
            number: 0,
        }
    }

    /// The state after one step of a task, if it can take one. A step with two halves begins with either.
    fn after(&self, program: &Program, task: usize, half: usize) -> Option<State> {
        let step = *program[task].get(self.at[task])?;
        let mut next = self.clone();
        let went_on = match step {
            Step::TimedBoth => next.receive_both(task, half),
            _ => next.perform(step, task),
        };
        (went_on || next != *self).then_some(next)
    }

    fn done(&mut self, task: usize) -> bool {
        self.at[task] += 1;
        true
    }

    fn saw(&mut self, task: usize, what: i32) -> bool {
        self.logs[task].push(what);
        self.done(task)
    }

    /// Performs a step or part of it; true if the task goes on to the next.
    fn perform(&mut self, step: Step, task: usize) -> bool {
        match step {
            Step::Acquire => acquire(&mut self.semaphore, task, 1) && self.done(task),
            Step::Read => acquire(&mut self.lock, task, 1) && self.done(task),
            Step::Write => acquire(&mut self.lock, task, READERS) && self.done(task),
            Step::TryAcquire => {
                let got = self.semaphore.take_now(task, 1);
                self.saw(task, if got { 1 } else { NOT_NOW })
            }
            Step::TryRead | Step::TryWrite => {
                let count = if step == Step::TryRead { 1 } else { READERS };
                let got = self.lock.take_now(task, count);
                self.saw(task, if got { 1 } else { NOT_NOW })
            }
            Step::TimedAcquire => self.acquire_in_time(task),
            Step::Either => self.receive_either(task),
            Step::Permits => {
                let is_waited_for = !self.semaphore.waiting.is_empty();
                let free = if is_waited_for {
                    0
                } else {
                    self.semaphore.free
                };
                self.saw(task, free as i32)
            }
            Step::Release if self.semaphore.held[task] > 0 => {
                self.semaphore.release(task);
                false
            }
            Step::Release => {
                self.lock.release(task);
                self.done(task)
            }
            Step::NotifyOne | Step::NotifyAll | Step::Notified => self.notify(step, task),
            Step::Load => self.saw(task, self.number),
            Step::Store(n) => {
                self.number = n;
                self.done(task)
            }
            Step::SendOnce(_)
            | Step::IsOnceClosed
            | Step::RecvOnce
            | Step::TryRecvOnce
            | Step::TimedRecvOnce => self.exchange_once(step, task),
            Step::DropOnce => {
                match task {
                    0 => self.has_once_receiver = false,
                    1 => self.has_once_sender = false,
                    _ => {}
                }
                self.done(task)
            }
            _ => self.exchange(step, task),
        }
    }

    fn notify(&mut self, step: Step, task: usize) -> bool {
        match (step, self.notices[task]) {
            (Step::NotifyOne, _) => {
                match self.notified.pop_front() {
                    Some(first) => self.notices[first] = Notice::Woken,
                    None => self.has_one = true,
                }
                self.done(task)
            }
            (Step::NotifyAll, _) => {
                for notice in &mut self.notices {
                    *notice = match *notice {
                        Notice::Made(_) => Notice::Made(true),
                        Notice::Waits => Notice::Woken,
                        other => other,
                    };
                }
                self.notified.clear();
                self.done(task)
            }
            (_, Notice::None) => {
                self.notices[task] = Notice::Made(false);
                false
            }
            (_, Notice::Made(is_woken)) => {
                if is_woken || std::mem::take(&mut self.has_one) {
                    self.notices[task] = Notice::Woken;
                } else {
                    self.notices[task] = Notice::Waits;
                    self.notified.push_back(task);
                }
                false
            }
            (_, Notice::Waits) => false,
            (_, Notice::Woken) => {
                self.notices[task] = Notice::None;
                self.done(task)
            }
        }
    }

    /// The queue: whoever has room puts its message next.
    fn exchange(&mut self, step: Step, task: usize) -> bool {
        match step {
            Step::Send(n) | Step::TrySend(n) if self.room.held[task] > 0 => {
                self.room.held[task] = 0;
                self.queue.push_back(n);
                self.saw(task, 0)
            }
            Step::Send(_) | Step::TrySend(_) if !self.has_receiver => {
                self.room.waiting.retain(|&(waiting, _)| waiting != task);
                self.saw(task, NEVER)
            }
            Step::Send(_) => {
                acquire(&mut self.room, task, 1);
                false
            }
            Step::TrySend(_) if self.room.take_now(task, 1) => false,
            Step::TrySend(_) => self.saw(task, NOT_NOW),
            Step::Capacity => {
                let is_waited_for = !self.room.waiting.is_empty();
                let free = if is_waited_for { 0 } else { self.room.free };
                self.saw(task, free as i32)
            }
            Step::IsClosed => self.saw(task, i32::from(!self.has_receiver)),
            Step::Recv | Step::TryRecv | Step::TimedRecv => match self.take_queued(task) {
                Some(n) => self.saw(task, n),
                None => step != Step::Recv && self.saw(task, NOT_NOW),
            },
            Step::DropQueue => {
                match task {
                    0 => self.has_receiver = false,
                    _ => self.senders -= 1,
                }
                self.done(task)
            }
            _ => unreachable!("{step:?} is not about the queue"),
        }
    }

    /// The next message of the queue, or that there will be none.
    fn take_queued(&mut self, task: usize) -> Option<i32> {
        let Some(n) = self.queue.pop_front() else {
            return (self.senders == 0).then_some(NEVER);
        };
        self.room.held[task] = 1;
        self.room.release(task);
        Some(n)
    }

    /// The value of the oneshot, or that there will be none; its receiver is used up then.
    fn take_once(&mut self) -> Option<i32> {
        let got = match self.once {
            Once::Full(n) => n,
            Once::Empty if self.has_once_sender => return None,
            _ => NEVER,
        };
        (self.once, self.has_once_receiver) = (Once::Over, false);
        Some(got)
    }

    /// A timeout of `acquire`: when time has passed it is still in the queue, until it is dropped.
    fn acquire_in_time(&mut self, task: usize) -> bool {
        if std::mem::take(&mut self.halves[task].looked) > 0 {
            self.semaphore.waiting.retain(|one| one.0 != task);
            self.semaphore.release(task);
            return self.saw(task, NOT_NOW);
        }
        let is_waiting = self.semaphore.waiting.iter().any(|one| one.0 == task);
        if acquire(&mut self.semaphore, task, 1) {
            return self.saw(task, 1);
        }
        self.halves[task].looked = u32::from(is_waiting);
        false
    }

    /// A biased `select!`.
    fn receive_either(&mut self, task: usize) -> bool {
        let has_once = self.has_once_receiver;
        let looked = self.halves[task].looked;
        let got = match looked {
            0 => self.take_queued(task),
            1 if has_once => self.take_once().map(|n| BY_ONCE + n),
            1 => None,
            _ => self.take_queued(task).or_else(|| {
                let once = has_once.then(|| self.take_once()).flatten();
                once.map(|n| BY_ONCE + n)
            }),
        };
        match got {
            Some(got) => {
                self.halves[task] = Halves::default();
                self.saw(task, got)
            }
            None => {
                self.halves[task].looked = (looked + 1).min(2);
                false
            }
        }
    }

    /// Two timeouts.
    fn receive_both(&mut self, task: usize, half: usize) -> bool {
        let mut halves = self.halves[task];
        match half {
            0 if halves.queue.is_none() => {
                halves.queue = self.take_queued(task).or(Some(NOT_NOW));
            }
            1 if halves.once.is_none() => {
                let once = match self.has_once_receiver {
                    true => self.take_once().unwrap_or(NOT_NOW),
                    false => NEVER,
                };
                halves.once = Some(once);
            }
            _ => {}
        }
        self.halves[task] = halves;
        let (Some(queue), Some(once)) = (halves.queue, halves.once) else {
            return false;
        };
        self.halves[task] = Halves::default();
        self.saw(task, both(Step::TimedBoth, queue, once))
    }

    fn exchange_once(&mut self, step: Step, task: usize) -> bool {
        let is_over = self.once == Once::Over || !self.has_once_sender;
        match (step, self.once) {
            (Step::SendOnce(n), _) => {
                let is_sent = self.has_once_receiver && self.has_once_sender;
                if is_sent {
                    self.once = Once::Full(n);
                }
                self.has_once_sender = false;
                self.saw(task, if is_sent { 0 } else { NEVER })
            }
            (Step::IsOnceClosed, _) => {
                let is_closed = self.has_once_sender && !self.has_once_receiver;
                self.saw(task, i32::from(is_closed))
            }
            (_, Once::Full(n)) if self.has_once_receiver => {
                self.once = Once::Over;
                self.has_once_receiver = false;
                self.saw(task, n)
            }
            (_, _) if is_over || !self.has_once_receiver => {
                self.has_once_receiver = false;
                self.saw(task, NEVER)
            }
            (Step::RecvOnce, _) => false,
            (_, _) => self.saw(task, NOT_NOW),
        }
    }
}

/// Does the task have so many permits, or get them now? Else it waits for them.
fn acquire(permits: &mut Permits, task: usize, count: usize) -> bool {
    if permits.held[task] > 0 || permits.take_now(task, count) {
        return true;
    }
    if !permits.waiting.iter().any(|&(waiting, _)| waiting == task) {
        permits.waiting.push_back((task, count));
    }
    false
}

/// All outcomes of a program, and whether it may deadlock; none if that takes too long.
fn outcomes(program: &Program) -> Option<(BTreeSet<String>, bool)> {
    let first = State::new(program.len());
    let (mut seen, mut open) = (BTreeSet::from([first.clone()]), vec![first]);
    let (mut found, mut deadlocks) = (BTreeSet::new(), false);
    while let Some(state) = open.pop() {
        let tasks = 0..program.len();
        let next: Vec<State> = tasks
            .flat_map(|task| [0, 1].map(|half| state.after(program, task, half)))
            .flatten()
            .collect();
        if (0..program.len()).all(|task| state.at[task] == program[task].len()) {
            found.insert(format!("{:?}", state.logs));
        } else if next.is_empty() {
            deadlocks = true;
        }
        for state in next {
            if seen.insert(state.clone()) {
                open.push(state);
            }
        }
        if seen.len() > 60_000 {
            return None;
        }
    }
    Some((found, deadlocks))
}

#[test]
fn outcomes_of_tasks_are_those_of_interleavings() {
    let programs = std::env::var("PLAINSONG_PROGRAMS");
    let programs: u64 = programs.map_or(100, |n| n.parse().unwrap());
    let mut compared = 0;
    for seed in 1..=programs {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let program = generate(&mut random);
        let restart = [Restart::Changed, Restart::All][seed as usize % 2];
        let explorer = Explorer::new().allow_deadlock(true).restart(restart);
        let shared = Arc::new(program.clone());
        let report = explorer.limit_executions(3_000).run(move || play(&shared));
        let Some((expected, deadlocks)) = outcomes(&program) else {
            continue;
        };
        if report.verdict == Verdict::Unknown {
            continue;
        }
        report.assert_holds();
        let found: BTreeSet<String> = report.coverage.keys().cloned().collect();
        assert_eq!(found, expected, "seed {seed}: {program:?}");
        assert_eq!(report.blocked > 0, deadlocks, "seed {seed}: {program:?}");
        compared += 1;
    }
    assert!(
        compared * 10 > programs * 8,
        "{compared} of {programs} compared"
    );
}
