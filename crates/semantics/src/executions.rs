//! How many executions voices have.
//!
//! An execution is what each process experienced: its *log* of which message it received when, its
//! timeouts and its free choices. Two interleavings with the same logs are the same execution. This
//! is the reference that optimal exploration is compared with: all interleavings are walked, and
//! states with the same logs are walked on from only once. The logs determine the state but for the
//! order of unread `mailbox` messages, which is therefore remembered with them.
//!
//! A process whose step fails, or is cut off by an `assume`, stands still before that step; the
//! others go on. So an execution is *failed* when a process failed, otherwise *discarded* when one
//! was cut off, otherwise *complete* or *blocked*.
//!
//! *Faults*. A crash and a restart are experiences of the process: they stand in its log. That a message
//! is lost, or sent once more, nobody experiences: it is in no log, and a copy counts as the message it is a
//! copy of. So a message that is lost but that nobody misses makes no other execution. Nobody can count
//! on a fault, so an execution ends wherever nothing but faults can happen, and may also go on with one.

use crate::machine::{Config, Form, Machine, Outcome, Status, Step, Taken};
use crate::search::{Completeness, Limits, Progress, Watch};
use crate::trace::{EventKind, FailureKind};
use crate::value::{Pid, Value};
use crate::voices::config::Voice;
use crate::voices::network::InFlight;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// How many nodes are looked at between two calls of the watch.
const PACE: u64 = 8;

/// Numbers of distinct executions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionCount {
    /// That end in a final state.
    pub complete: u64,
    /// That end in a deadlock.
    pub blocked: u64,
    /// In which a process fails.
    pub failed: u64,
    /// In which an `assume` cuts a process off, and none fails.
    pub discarded: u64,
    /// Were all of them counted?
    pub completeness: Completeness,
}

/// Counts the executions of voices; `None` for the other forms.
pub fn executions(
    machine: &Machine,
    limits: &Limits,
    watch: &mut dyn Watch,
) -> Option<ExecutionCount> {
    let Form::Voices(_) = machine.form else {
        return None;
    };
    let mut counter = Counter::new(machine);
    counter.begin();
    counter.walk(limits, watch);
    Some(counter.count())
}

/// A message by its sender (the last lane is `init`) and how many that one sent before.
type Origin = (u32, u32);

/// What a process experienced in one step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Entry {
    kind: EventKind,
    received: Option<Origin>,
    chosen: Vec<Value>,
    /// The process after a restart.
    anew: Option<Arc<Voice>>,
    fate: Fate,
}

/// How a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Fate {
    /// It goes on.
    Well,
    /// Cut off by an `assume`.
    Discarded,
    Failed,
    /// The interpreter's own limit stopped it.
    Unknown,
}

/// A point in the walk.
#[derive(Clone)]
struct Node {
    config: Config,
    /// The log of each process, then of `init`, as numbers of the counter's tree.
    logs: Vec<u32>,
    fates: Vec<Fate>,
    /// How many messages each sent.
    sent: Vec<u32>,
    /// Where each message comes from, by its number.
    origins: Vec<Origin>,
}

/// What tells points of the walk apart: the logs, and the order of unread `mailbox` messages. With faults,
/// which leave no trace in the logs, which messages are in flight, and the state.
type Key = (Vec<u32>, Vec<Origin>, Option<Config>);

struct Counter<'a> {
    machine: &'a Machine,
    /// All logs, as a tree: the log before and what was added to it.
    tree: FxHashMap<(u32, Entry), u32>,
    open: Vec<Node>,
    seen: FxHashSet<Key>,
    ended: FxHashMap<Vec<u32>, End>,
    steps: u64,
    completeness: Completeness,
}

/// How an execution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Complete,
    Blocked,
    Failed,
    Discarded,
    Unknown,
}

impl<'a> Counter<'a> {
    fn new(machine: &'a Machine) -> Self {
        Counter {
            machine,
            tree: FxHashMap::default(),
            open: Vec::new(),
            seen: FxHashSet::default(),
            ended: FxHashMap::default(),
            steps: 0,
            completeness: Completeness::Complete,
        }
    }

    /// Opens a node for each start.
    fn begin(&mut self) {
        let lanes = self.machine.lanes().len() + 1;
        for (number, outcome) in self.machine.initial().into_iter().enumerate() {
            let (config, fate) = match outcome {
                Outcome::Next(config) => (config, Fate::Well),
                Outcome::Failed(failure, config) => (config, self.fate(&failure)),
                Outcome::Discarded => continue,
            };
            let chosen = vec![Value::Int(number as i64)];
            let entry = Entry {
                kind: EventKind::Start,
                received: None,
                chosen,
                anew: None,
                fate,
            };
            let mut logs = vec![0; lanes];
            logs[lanes - 1] = self.log(0, entry);
            if fate != Fate::Well {
                self.ended
                    .insert(logs, end_of(&[fate]).unwrap_or(End::Unknown));
                continue;
            }
            let node = Node {
                config,
                logs,
                fates: vec![Fate::Well; lanes],
                sent: vec![0; lanes],
                origins: Vec::new(),
            };
            self.visit(node);
        }
    }

    fn walk(&mut self, limits: &Limits, watch: &mut dyn Watch) {
        let mut looked_at = 0u64;
        while let Some(node) = self.open.pop() {
            if self.seen.len() as u64 > limits.states {
                self.completeness = Completeness::StateLimit;
                return;
            }
            if looked_at.is_multiple_of(PACE) && !watch.keep_going(&self.progress(&node)) {
                self.completeness = Completeness::Stopped;
                return;
            }
            looked_at += 1;
            self.expand(&node);
        }
    }

    fn expand(&mut self, node: &Node) {
        let init = node.fates.len() - 1;
        let steps = self.machine.steps(&node.config);
        let mut ended = true;
        for step in &steps {
            if is_of_the_network(step) {
                let next = after_fault_of_network(node, step);
                self.visit(next);
            } else if node.fates[step.lane.unwrap_or(init)] == Fate::Well {
                ended &= step.kind.is_fault();
                self.steps += 1;
                let next = self.after(node, step);
                self.visit(next);
            }
        }
        if ended {
            let end = end_of(&node.fates).unwrap_or_else(|| {
                match self.machine.status_given(&node.config, &steps) {
                    Status::Deadlock(_) => End::Blocked,
                    _ => End::Complete,
                }
            });
            self.ended.insert(node.logs.clone(), end);
        }
    }

    /// The point after a step.
    fn after(&mut self, node: &Node, step: &Step) -> Node {
        let lane = step.lane.unwrap_or(node.fates.len() - 1);
        let mut next = node.clone();
        let fate = match &step.outcome {
            Outcome::Next(config) => {
                for _ in sent(&node.config)..sent(config) {
                    next.origins.push((lane as u32, next.sent[lane]));
                    next.sent[lane] += 1;
                }
                next.config = config.clone();
                Fate::Well
            }
            Outcome::Discarded => Fate::Discarded,
            Outcome::Failed(failure, _) => self.fate(failure),
        };
        let received = match &step.taken {
            Some(Taken::Message(message)) => Some(node.origins[message.number.0 as usize]),
            _ => None,
        };
        let chosen = step
            .chosen
            .iter()
            .map(|chosen| chosen.value.clone())
            .collect();
        let entry = Entry {
            kind: step.kind,
            received,
            chosen,
            anew: (step.kind == EventKind::Restart).then(|| voice(&next.config, lane)),
            fate,
        };
        next.logs[lane] = self.log(next.logs[lane], entry);
        next.fates[lane] = fate;
        next
    }

    fn visit(&mut self, node: Node) {
        let (order, state) = match self.machine.has_faults() {
            true => (origins(&node, |_| true), Some(node.config.clone())),
            false => (origins(&node, is_ordered_by_mailbox), None),
        };
        let key = (node.logs.clone(), order, state);
        if self.seen.insert(key) {
            self.open.push(node);
        }
    }

    /// The number of a log with one more entry.
    fn log(&mut self, before: u32, entry: Entry) -> u32 {
        let next = self.tree.len() as u32 + 1;
        *self.tree.entry((before, entry)).or_insert(next)
    }

    fn fate(&mut self, failure: &crate::trace::Failure) -> Fate {
        if failure.kind == FailureKind::Resource {
            self.completeness = Completeness::Resource(failure.message.clone());
            return Fate::Unknown;
        }
        Fate::Failed
    }

    fn progress(&self, node: &Node) -> Progress {
        Progress {
            states: self.seen.len() as u64,
            waiting: self.open.len() as u64,
            steps: self.steps,
            depth: node.origins.len() as u64,
        }
    }

    fn count(self) -> ExecutionCount {
        let ends: Vec<End> = self.ended.into_values().collect();
        let number = |wanted: End| ends.iter().filter(|end| **end == wanted).count() as u64;
        ExecutionCount {
            complete: number(End::Complete),
            blocked: number(End::Blocked),
            failed: number(End::Failed),
            discarded: number(End::Discarded),
            completeness: self.completeness,
        }
    }
}

/// How an execution ended, if that is because of what became of some process.
fn end_of(fates: &[Fate]) -> Option<End> {
    match fates.iter().max()? {
        Fate::Well => None,
        Fate::Discarded => Some(End::Discarded),
        Fate::Failed => Some(End::Failed),
        Fate::Unknown => Some(End::Unknown),
    }
}

fn sent(config: &Config) -> u64 {
    match &config.0 {
        Form::Voices(config) => config.network.sent(),
        _ => 0,
    }
}

/// Does a message get lost, or sent once more?
fn is_of_the_network(step: &Step) -> bool {
    matches!(step.kind, EventKind::Lose | EventKind::Duplicate)
}

/// The point after a message got lost or was sent once more: nobody has experienced anything.
fn after_fault_of_network(node: &Node, step: &Step) -> Node {
    let mut next = node.clone();
    let (Outcome::Next(config), Some(Taken::Hit(message))) = (&step.outcome, &step.taken) else {
        panic!("faults of the network hit a message and succeed")
    };
    if step.kind == EventKind::Duplicate {
        next.origins.push(node.origins[message.number.0 as usize]);
    }
    next.config = config.clone();
    next
}

fn voice(config: &Config, lane: usize) -> Arc<Voice> {
    match &config.0 {
        Form::Voices(config) => config.voices[lane].clone(),
        _ => panic!("only voices restart"),
    }
}

fn is_ordered_by_mailbox(message: &InFlight) -> bool {
    message.model.orders_senders() && message.to != Pid::Init
}

/// Where some of the unread messages come from, in the order of the network.
fn origins(node: &Node, which: impl Fn(&InFlight) -> bool) -> Vec<Origin> {
    let Form::Voices(config) = &node.config.0 else {
        return Vec::new();
    };
    let messages = config.network.messages().iter();
    messages
        .filter(|message| which(message))
        .map(|message| node.origins[message.number.0 as usize])
        .collect()
}
