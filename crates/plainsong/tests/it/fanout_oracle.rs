//! Random programs over watch and broadcast channels, barriers, queues that are closed, `select!` and aborted tasks:
//! exploration finds exactly the outcomes that interleavings have, found here by a search of their own.
//!
//! What is one step and what is two is as in `tokio`. A task that was aborted ends where it waits, or before it begins: a
//! wait that was polled once and was not over is such a place, also if what it waits for comes before the task goes on.
//! With `may_yield` every `.await` is such a place, as it is in `tokio` for tasks that have used up their budget.

use crate::fanout_play::{
    ABORTED, LAGGED, Logs, NEVER, NOT_NOW, Program, SECOND, Step, generate, play,
};
use crate::random::Random;
use plainsong::{Explorer, Restart, Verdict};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// How far a task is with a step that takes several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// It has not begun.
    New,
    Between,
    /// It yields before it looks, although it need not.
    Yields,
    /// It was polled and waits.
    Waits,
    /// It has room in the queue.
    HasRoom,
    /// It waited for room and was given some.
    Granted,
    /// Its time has passed, but it is in the queue of those who want room; has it been given some?
    Late(bool),
    /// It drops its ends of the broadcast channel, and its sender is gone.
    Half,
    /// It was aborted and drops what it has, so many of [`ENDS`] so far.
    Dropping(usize),
}

/// What can be dropped, in the order in which an aborted task drops it.
#[derive(Clone, Copy)]
enum End {
    Watch,
    Cast,
    Hear,
    Queue,
}

/// With the step that drops it.
const ENDS: [(End, Step); 4] = [
    (End::Watch, Step::DropWatch),
    (End::Cast, Step::DropCast),
    (End::Hear, Step::DropCast),
    (End::Queue, Step::DropQueue),
];

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    at: Vec<usize>,
    phase: Vec<Phase>,
    logs: Logs,
    /// Whether somebody is to be aborted, and whether that has happened.
    is_abort_due: bool,
    is_aborted: bool,
    value: i32,
    version: u32,
    seen: Vec<u32>,
    has_putter: bool,
    watchers: BTreeSet<usize>,
    /// All values that were broadcast.
    cast: Vec<i32>,
    casters: usize,
    /// Where each receiver is.
    hears: Vec<Option<usize>>,
    /// Who waits at the barrier, and who may go.
    waits: BTreeSet<usize>,
    arrived: usize,
    gone: BTreeSet<usize>,
    free: usize,
    wants_room: VecDeque<usize>,
    queue: VecDeque<i32>,
    is_open: bool,
    has_receiver: bool,
    senders: usize,
}

impl State {
    fn new(program: &Program) -> Self {
        let tasks = program.tasks.len();
        State {
            at: vec![0; tasks],
            phase: vec![Phase::New; tasks],
            logs: vec![Vec::new(); tasks],
            is_abort_due: program.aborted.is_some(),
            is_aborted: false,
            value: 0,
            version: 0,
            seen: vec![0; tasks],
            has_putter: true,
            watchers: (1..tasks).collect(),
            cast: Vec::new(),
            casters: if tasks > 2 { 2 } else { 1 },
            hears: (0..tasks).map(|task| (task > 0).then_some(0)).collect(),
            waits: BTreeSet::new(),
            arrived: 0,
            gone: BTreeSet::new(),
            free: 1,
            wants_room: VecDeque::new(),
            queue: VecDeque::new(),
            is_open: true,
            has_receiver: true,
            senders: tasks - 1,
        }
    }

    fn with(&self, change: impl FnOnce(&mut State)) -> State {
        let mut next = self.clone();
        change(&mut next);
        next
    }

    fn is_over(&self, program: &Program, task: usize) -> bool {
        self.at[task] == program.tasks[task].len()
    }

    /// All states after one step of somebody.
    fn next(&self, program: &Program, may_yield: bool) -> Vec<State> {
        let mut all = Vec::new();
        if self.is_abort_due {
            all.push(self.with(|next| (next.is_abort_due, next.is_aborted) = (false, true)));
        }
        for task in 0..program.tasks.len() {
            if !self.is_over(program, task) {
                self.steps(program, task, may_yield, &mut all);
            }
        }
        all.retain(|next| next != self);
        all
    }

    fn steps(&self, program: &Program, task: usize, may_yield: bool, all: &mut Vec<State>) {
        let is_to_end = self.is_aborted && program.aborted == Some(task);
        let is_idle = match self.phase[task] {
            Phase::New | Phase::Yields | Phase::Waits | Phase::Granted => true,
            Phase::HasRoom => may_yield,
            _ => false,
        };
        if is_to_end && is_idle {
            all.push(self.with(|next| next.abandon(task)));
            return;
        }
        let steps = &program.tasks[task];
        match self.phase[task] {
            Phase::New => all.push(self.with(|next| next.phase[task] = Phase::Between)),
            Phase::Dropping(dropped) => all.push(self.with(|next| {
                let (end, by) = ENDS[dropped];
                if !steps[..self.at[task]].contains(&by) {
                    next.drop_end(end, task);
                }
                next.phase[task] = Phase::Dropping(dropped + 1);
                if dropped + 1 == ENDS.len() {
                    next.at[task] = steps.len();
                }
            })),
            phase => {
                let step = steps[self.at[task]];
                let may_be_aborted = may_yield && program.aborted == Some(task);
                if may_be_aborted && phase == Phase::Between && step.is_awaited() {
                    all.push(self.with(|next| next.phase[task] = Phase::Yields));
                }
                self.perform(step, task, all);
            }
        }
    }

    /// An aborted task drops what it waits for, and then everything else.
    fn abandon(&mut self, task: usize) {
        self.leave_queue(task);
        self.logs[task] = vec![ABORTED];
        self.phase[task] = Phase::Dropping(0);
    }

    fn leave_queue(&mut self, task: usize) {
        self.wants_room.retain(|other| *other != task);
        if matches!(
            self.phase[task],
            Phase::HasRoom | Phase::Granted | Phase::Late(true)
        ) {
            self.give_room();
        }
    }

    fn give_room(&mut self) {
        let Some(first) = self.wants_room.pop_front() else {
            self.free += 1;
            return;
        };
        self.phase[first] = match self.phase[first] {
            Phase::Late(_) => Phase::Late(true),
            _ => Phase::Granted,
        };
    }

    fn saw(&self, task: usize, what: i32) -> State {
        self.with(|next| next.done(task, what))
    }

    fn done(&mut self, task: usize, what: i32) {
        self.logs[task].push(what);
        self.phase[task] = Phase::Between;
        self.at[task] += 1;
    }

    fn perform(&self, step: Step, task: usize, all: &mut Vec<State>) {
        match step {
            Step::Put(n) | Step::Replace(n) => all.push(self.with(|next| next.put(step, n, task))),
            Step::Watchers => all.push(self.saw(task, self.watchers.len() as i32)),
            Step::Borrow => all.push(self.saw(task, self.value)),
            Step::Update => all.push(self.with(|next| {
                next.seen[task] = next.version;
                next.done(task, next.value);
            })),
            Step::HasChanged => {
                let is_new = i32::from(self.version > self.seen[task]);
                let what = if self.has_putter { is_new } else { NEVER };
                all.push(self.saw(task, what));
            }
            Step::Cast(n) => all.push(self.with(|next| next.broadcast(n, task))),
            Step::Listeners => all.push(self.saw(task, self.listeners())),
            Step::Behind => {
                let at = self.hears[task].expect("it is dropped later");
                all.push(self.saw(task, (self.cast.len() - at) as i32));
            }
            Step::Meet | Step::TimedMeet => self.meet(step, task, all),
            Step::Send(_) | Step::TrySend(_) | Step::TimedSend(_) => self.send(step, task, all),
            Step::IsClosed => {
                let is_closed = !self.is_open || !self.has_receiver;
                all.push(self.saw(task, i32::from(is_closed)));
            }
            Step::Close => all.push(self.with(|next| {
                next.is_open = false;
                next.wants_room.clear();
                next.at[task] += 1;
            })),
            Step::DropCast if self.phase[task] != Phase::Half => all.push(self.with(|next| {
                next.drop_end(End::Cast, task);
                next.phase[task] = Phase::Half;
            })),
            Step::DropWatch | Step::DropCast | Step::DropQueue => all.push(self.with(|next| {
                let end = match step {
                    Step::DropWatch => End::Watch,
                    Step::DropCast => End::Hear,
                    _ => End::Queue,
                };
                next.drop_end(end, task);
                next.phase[task] = Phase::Between;
                next.at[task] += 1;
            })),
            _ => self.wait(step, task, all),
        }
    }

    /// Steps that are over when something is there: what is there, nothing now, or the wait.
    fn wait(&self, step: Step, task: usize, all: &mut Vec<State>) {
        let before = all.len();
        let queue = |add: i32| self.received().map(|(n, next)| (n + add, next));
        let changed = |add: i32| self.changed(task).map(|(n, next)| (n + add, next));
        let heard = |add: i32| self.heard(task).map(|(n, next)| (n + add, next));
        let there = match step {
            Step::Changed | Step::TimedChanged => [changed(0), None],
            Step::Hear | Step::TryHear | Step::TimedHear => [heard(0), None],
            Step::Recv | Step::TryRecv | Step::TimedRecv => [queue(0), None],
            Step::QueueOrChange => [queue(0), changed(SECOND)],
            Step::QueueOrHear => [queue(0), heard(SECOND)],
            _ => unreachable!("{step:?} does not wait"),
        };
        for (what, next) in there.into_iter().flatten() {
            all.push(next.saw(task, what));
        }
        if all.len() > before {
            return;
        }
        let gives_up = [
            Step::TryRecv,
            Step::TryHear,
            Step::TimedChanged,
            Step::TimedHear,
            Step::TimedRecv,
        ];
        if gives_up.contains(&step) {
            all.push(self.saw(task, NOT_NOW));
        }
        if !matches!(step, Step::TryRecv | Step::TryHear) {
            all.push(self.with(|next| next.phase[task] = Phase::Waits));
        }
    }

    fn put(&mut self, step: Step, n: i32, task: usize) {
        let old = self.value;
        let is_put = step == Step::Replace(n) || !self.watchers.is_empty();
        if is_put {
            self.value = n;
            self.version += 1;
        }
        self.done(
            task,
            match (step, is_put) {
                (Step::Replace(_), _) => old,
                (_, true) => 0,
                (_, false) => NEVER,
            },
        );
    }

    fn changed(&self, task: usize) -> Option<(i32, State)> {
        if self.version > self.seen[task] {
            return Some((1, self.with(|next| next.seen[task] = next.version)));
        }
        (!self.has_putter).then(|| (NEVER, self.clone()))
    }

    fn listeners(&self) -> i32 {
        self.hears.iter().flatten().count() as i32
    }

    fn broadcast(&mut self, n: i32, task: usize) {
        let listeners = self.listeners();
        if listeners > 0 {
            self.cast.push(n);
        }
        self.done(task, if listeners > 0 { listeners } else { NEVER });
    }

    fn heard(&self, task: usize) -> Option<(i32, State)> {
        let at = self.hears[task].expect("it is dropped later");
        let oldest = self.cast.len().saturating_sub(2);
        if at < oldest {
            let next = self.with(|next| next.hears[task] = Some(oldest));
            return Some((LAGGED - (oldest - at) as i32, next));
        }
        match self.cast.get(at) {
            Some(&n) => Some((n, self.with(|next| next.hears[task] = Some(at + 1)))),
            None => (self.casters == 0).then(|| (NEVER, self.clone())),
        }
    }

    fn received(&self) -> Option<(i32, State)> {
        let Some(&n) = self.queue.front() else {
            let has_room = |phase: &Phase| {
                matches!(phase, Phase::HasRoom | Phase::Granted | Phase::Late(true))
            };
            let is_outstanding = self.phase.iter().any(has_room);
            let is_over = self.senders == 0 || (!self.is_open && !is_outstanding);
            return is_over.then(|| (NEVER, self.clone()));
        };
        let next = self.with(|next| {
            next.queue.pop_front();
            next.give_room();
        });
        Some((n, next))
    }

    fn meet(&self, step: Step, task: usize, all: &mut Vec<State>) {
        if self.phase[task] != Phase::Waits {
            all.push(self.with(|next| {
                next.arrived += 1;
                if next.arrived < 2 {
                    next.waits.insert(task);
                    next.phase[task] = Phase::Waits;
                    return;
                }
                next.arrived = 0;
                let waits = std::mem::take(&mut next.waits);
                next.gone.extend(waits);
                next.done(task, 1);
            }));
        } else if self.gone.contains(&task) {
            all.push(self.with(|next| {
                next.gone.remove(&task);
                next.done(task, 0);
            }));
        } else if step == Step::TimedMeet {
            all.push(self.with(|next| {
                next.waits.remove(&task);
                next.done(task, NOT_NOW);
            }));
        }
    }

    fn send(&self, step: Step, task: usize, all: &mut Vec<State>) {
        let (Step::Send(n) | Step::TrySend(n) | Step::TimedSend(n)) = step else {
            unreachable!("{step:?} sends nothing");
        };
        let is_waiting = self.wants_room.contains(&task);
        match self.phase[task] {
            Phase::HasRoom | Phase::Granted => all.push(self.with(|next| {
                next.queue.push_back(n);
                next.done(task, 0);
            })),
            Phase::Late(_) => all.push(self.with(|next| {
                next.leave_queue(task);
                next.done(task, NOT_NOW);
            })),
            _ if !self.is_open || !self.has_receiver => all.push(self.with(|next| {
                next.leave_queue(task);
                next.done(task, NEVER);
            })),
            _ if is_waiting => {
                if matches!(step, Step::TimedSend(_)) {
                    all.push(self.with(|next| next.phase[task] = Phase::Late(false)));
                }
            }
            _ if self.free > 0 => all.push(self.with(|next| {
                next.free -= 1;
                next.phase[task] = Phase::HasRoom;
            })),
            _ if matches!(step, Step::TrySend(_)) => all.push(self.saw(task, NOT_NOW)),
            _ => all.push(self.with(|next| {
                next.wants_room.push_back(task);
                next.phase[task] = Phase::Waits;
            })),
        }
    }

    /// Drops an end, if the task has it.
    fn drop_end(&mut self, end: End, task: usize) {
        match (end, task) {
            (End::Watch, 0) => self.has_putter = false,
            (End::Watch, _) => {
                self.watchers.remove(&task);
            }
            (End::Cast, 1) => {}
            (End::Cast, _) => self.casters -= 1,
            (End::Hear, _) => self.hears[task] = None,
            (End::Queue, 1) => {
                self.has_receiver = false;
                self.wants_room.clear();
            }
            (End::Queue, _) => self.senders -= 1,
        }
    }
}

/// All outcomes of a program, and whether it may deadlock; none if that takes too long.
fn outcomes(program: &Program, may_yield: bool) -> Option<(BTreeSet<String>, bool)> {
    let first = State::new(program);
    let (mut seen, mut open) = (BTreeSet::from([first.clone()]), vec![first]);
    let (mut found, mut deadlocks) = (BTreeSet::new(), false);
    while let Some(state) = open.pop() {
        let next = state.next(program, may_yield);
        if (0..program.tasks.len()).all(|task| state.is_over(program, task)) {
            found.insert(format!("{:?}", state.logs));
        } else if next.is_empty() {
            deadlocks = true;
        }
        for state in next {
            if seen.insert(state.clone()) {
                open.push(state);
            }
        }
        if seen.len() > 20_000 {
            return None;
        }
    }
    Some((found, deadlocks))
}

#[test]
fn outcomes_of_what_fans_out_are_those_of_interleavings() {
    let programs = std::env::var("PLAINSONG_PROGRAMS");
    let programs: u64 = programs.map_or(30, |n| n.parse().unwrap());
    let first = std::env::var("PLAINSONG_SEED").map_or(1, |n| n.parse().unwrap());
    let mut compared = 0;
    for seed in first..first + programs {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let program = generate(&mut random);
        let restart = [Restart::Changed, Restart::All][seed as usize % 2];
        let explorer = Explorer::new().allow_deadlock(true).restart(restart);
        let shared = Arc::new(program.clone());
        let report = explorer.limit_executions(1_000).run(move || play(&shared));
        let Some((least, deadlocks)) = outcomes(&program, false) else {
            continue;
        };
        let most = match program.aborted {
            None => Some((least.clone(), deadlocks)),
            Some(_) => outcomes(&program, true),
        };
        let Some((most, may_deadlock)) = most else {
            continue;
        };
        if report.verdict == Verdict::Unknown {
            continue;
        }
        report.assert_holds();
        let found: BTreeSet<String> = report.coverage.keys().cloned().collect();
        let missing: Vec<&String> = least.difference(&found).collect();
        let extra: Vec<&String> = found.difference(&most).collect();
        let is_same = missing.is_empty() && extra.is_empty();
        assert!(
            is_same,
            "seed {seed}: {program:?}: missing {missing:?}, extra {extra:?}"
        );
        let found = report.blocked > 0;
        let is_same = found == deadlocks || found == may_deadlock;
        assert!(is_same, "seed {seed}: {program:?}: deadlock {found}");
        compared += 1;
    }
    assert!(
        compared * 10 > programs * 8,
        "{compared} of {programs} compared"
    );
}
