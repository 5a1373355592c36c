//! Test programs that share memory: one list of operations per thread.

use plainsong_explore::{
    Access, Answer, Engine, EventId, Graph, History, Kind, Leaf, Location, Mailbox, MemoryOrder,
    Model, Op, Policy, Program, Read, Tid, Update, Visitor, Want,
};
use std::collections::{BTreeMap, BTreeSet};

/// An operation. Locations and threads are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Do {
    Load(Location, MemoryOrder),
    Store(Location, u64, MemoryOrder),
    /// Stores one more than what the thread loaded or received last.
    StoreNext(Location, MemoryOrder),
    Add(Location, u64, MemoryOrder),
    /// Puts the second value in the place of the first; the order of a failure comes last.
    Exchange(Location, u64, u64, MemoryOrder, MemoryOrder),
    Fence(MemoryOrder),
    /// Sends a value to a thread.
    Send(usize, u64),
    /// Receives a value.
    Recv,
    /// Waits until a lock is free and takes it; locks are locations. Not for the engine alone: it has no locks.
    Lock(Location),
    /// Gives a lock back.
    Unlock(Location),
    /// Goes on only if the thread loaded or received this value last.
    Only(u64),
}

/// One list of operations per thread.
pub(crate) type Script = Vec<Vec<Do>>;

/// Where a thread is: what comes next, in which half of an update, and what it loaded last.
#[derive(Clone, Copy, Default)]
pub(crate) struct Progress {
    pub(crate) at: usize,
    pub(crate) last: u64,
    /// The store that comes next is the second half of an update.
    pub(crate) second_half: Option<u64>,
    pub(crate) has_ended: bool,
}

impl Progress {
    /// Passes over what is no event.
    pub(crate) fn settle(&mut self, thread: &[Do]) {
        while let Some(&Do::Only(wanted)) = thread.get(self.at) {
            self.at += 1;
            self.has_ended |= self.last != wanted;
        }
        self.has_ended |= self.at >= thread.len();
    }

    /// The operation is done; `value` is what was loaded or received.
    pub(crate) fn step(&mut self, thread: &[Do], value: Option<u64>) {
        if !matches!(thread[self.at], Do::Lock(_)) {
            self.last = value.unwrap_or(self.last);
        }
        let new = match (thread[self.at], value) {
            (Do::Add(_, more, _), Some(old)) => Some(old + more),
            (Do::Exchange(_, wanted, new, ..), Some(old)) if old == wanted => Some(new),
            (Do::Lock(_), Some(_)) => Some(1),
            _ => None,
        };
        match new {
            Some(new) => self.second_half = Some(new),
            None => {
                self.second_half = None;
                self.at += 1;
            }
        }
        self.settle(thread);
    }
}

/// A script as a program: the first thread makes the locations, spawns the others and ends.
struct Scripted<'s> {
    script: &'s Script,
    locations: u32,
}

impl Scripted<'_> {
    fn main(&self, index: u32) -> Op<u64, [Mailbox; 1]> {
        let threads = self.script.len() as u32;
        if index < self.locations {
            Op::Memory(store(index, 0, MemoryOrder::Plain, false))
        } else if index < self.locations + threads {
            Op::Spawn {
                child: index - self.locations,
                daemon: false,
                family: None,
            }
        } else {
            Op::End
        }
    }
}

fn store(location: Location, value: u64, order: MemoryOrder, is_update: bool) -> Access {
    Access::Store {
        location,
        order,
        value,
        is_update,
        rank: None,
    }
}

fn load(location: Location, order: MemoryOrder, update: Option<Update>) -> Access {
    Access::Load {
        location,
        order,
        update,
        only: None,
    }
}

impl Program for Scripted<'_> {
    type Message = u64;
    type Pattern = [Mailbox; 1];

    fn next(&mut self, thread: Tid, history: History<'_, Self>) -> Op<u64, [Mailbox; 1]> {
        if thread == 0 {
            return self.main(history.len() as u32);
        }
        let operations = &self.script[thread as usize - 1];
        let mut now = Progress::default();
        now.settle(operations);
        for index in 0..history.len() {
            let value = match history.answer(index) {
                Answer::Loaded(value) => Some(value),
                Answer::Message(&value, _) => Some(value),
                _ => None,
            };
            now.step(operations, value);
        }
        if now.has_ended {
            return Op::End;
        }
        match operations[now.at] {
            Do::Load(x, order) => Op::Memory(load(x, order, None)),
            Do::Store(x, value, order) => Op::Memory(store(x, value, order, false)),
            Do::StoreNext(x, order) => Op::Memory(store(x, now.last + 1, order, false)),
            Do::Add(x, _, order) => Op::Memory(match now.second_half {
                Some(new) => store(x, new, order, true),
                None => load(x, order, Some(Update::Always)),
            }),
            Do::Exchange(x, old, _, order, failure) => Op::Memory(match now.second_half {
                Some(new) => store(x, new, order, true),
                None => load(x, order, Some(Update::If(old, failure))),
            }),
            Do::Fence(order) => Op::Memory(Access::Fence { order }),
            Do::Send(to, message) => Op::Send {
                to: to as u32,
                model: Model::Fifo,
                message,
                fate: plainsong_explore::Fate::Sure,
            },
            Do::Recv => Op::Receive {
                pattern: [thread - 1],
                want: Want::One,
            },
            Do::Lock(_) | Do::Unlock(_) => unreachable!("the engine has no locks"),
            Do::Only(_) => unreachable!("conditions are passed over"),
        }
    }

    fn forget(&mut self, _: Tid, _: usize) {}

    fn mailboxes(pattern: &[Mailbox; 1]) -> &[Mailbox] {
        pattern
    }

    fn accepts(_: &[Mailbox; 1], _: &u64, _: Tid) -> bool {
        true
    }
}

/// An event of a test program: thread and index; what is there at first has the thread `INITIAL` and the number of
/// its location.
pub(crate) type Id = (usize, usize);

pub(crate) const INITIAL: usize = usize::MAX;

/// What makes an execution: what is read, and the order of the stores of each location.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Execution {
    pub(crate) reads: BTreeMap<Id, Id>,
    pub(crate) stores: Vec<Vec<Id>>,
    pub(crate) values: BTreeMap<Id, u64>,
}

/// All executions that were visited.
#[derive(Default)]
pub(crate) struct Visited {
    pub(crate) executions: Vec<Execution>,
    pub(crate) races: u64,
    pub(crate) locations: u32,
}

impl Visitor<Scripted<'_>> for Visited {
    fn leaf(&mut self, graph: &Graph<Scripted<'_>>, leaf: Leaf) -> bool {
        if let Leaf::Raced(..) = leaf {
            self.races += 1;
            return true;
        }
        let id = |id: EventId| match id.thread {
            0 => (INITIAL, id.index as usize),
            thread => (thread as usize - 1, id.index as usize),
        };
        let mut execution = Execution {
            reads: BTreeMap::new(),
            stores: Vec::new(),
            values: BTreeMap::new(),
        };
        for &event in graph.order() {
            let is_read = matches!(
                graph.event(event).kind,
                Kind::Receive { .. } | Kind::Memory(_)
            );
            if let Read::From(from) = graph.event(event).read
                && is_read
            {
                execution.reads.insert(id(event), id(from));
                let value = match graph.access(event) {
                    Some(_) => graph.value(event),
                    None => *graph.message(from),
                };
                execution.values.insert(id(event), value);
            }
        }
        for location in 0..self.locations {
            let stores = graph.stores(location).iter().map(|&store| id(store));
            execution.stores.push(stores.collect());
        }
        self.executions.push(execution);
        true
    }
}

/// How many locations a script uses.
pub(crate) fn locations(script: &Script) -> u32 {
    let of = |operation: &Do| match *operation {
        Do::Load(x, _)
        | Do::Store(x, ..)
        | Do::StoreNext(x, _)
        | Do::Add(x, ..)
        | Do::Exchange(x, ..)
        | Do::Lock(x)
        | Do::Unlock(x) => x + 1,
        _ => 0,
    };
    script.iter().flatten().map(of).max().unwrap_or(0)
}

/// Visits every execution of a script.
pub(crate) fn visit(script: &Script, policy: Policy) -> (Visited, u64) {
    let locations = locations(script);
    let mut visited = Visited {
        locations,
        ..Visited::default()
    };
    let mut program = Scripted { script, locations };
    let tally = Engine::new(&mut program).policy(policy).run(&mut visited);
    (visited, tally.in_vain)
}

/// The executions, each of which must have been visited once.
pub(crate) fn distinct(visited: &Visited) -> BTreeSet<Execution> {
    let distinct: BTreeSet<Execution> = visited.executions.iter().cloned().collect();
    assert_eq!(distinct.len(), visited.executions.len(), "visited twice");
    distinct
}
