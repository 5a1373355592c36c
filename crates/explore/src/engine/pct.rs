//! Probabilistic concurrency testing: executions drawn by random priorities.
//!
//! A bug has *depth* `d` when some `d` events happening in the right order are enough to show it. Most
//! bugs have a small one. ReceivableSet outcomes at random makes long runs of luck necessary that
//! have little to do with depth; random priorities need only `d` lucky draws, however long the
//! execution is.
//!
//! Statement. Every thread has a random priority, and the first one that can go on does, step
//! after step. At `d - 1` random steps the thread that would go next gets a priority below all others.
//! With `n` threads and `k` steps, a bug of depth `d` shows with probability at least `1/(n k^(d-1))`
//! ([Pct10]).
//!
//! Messages in flight. A message that may be overtaken by another one has to be late sometimes though
//! nobody is slow. So its way is a thread too, with one kind of step, an arrival: one thread for all
//! messages from one sender to one mailbox in `Fifo` order, one for each message otherwise. `Mailbox`
//! messages are there at once. They count as threads and steps in the bound. A receive takes the
//! message that arrived first among those that its delivery model allows (`candidates`), so every
//! execution drawn is one that the search would visit. One that need not wait takes nothing if
//! nothing has arrived. Choices are random.
//!
//! A thread that receives nothing twice in a row may be polling, and waiting for somebody with a lower
//! priority: each time it draws a new one, or gets the lowest.
//!
//! Faults. A message that may be lost, or be a copy, is late in half of the cases: it arrives when nothing
//! else can happen. Then the receive that waits for it may wait for ever instead. A set of messages is
//! taken at random from those that have arrived. The bound does not speak of these.
//!
//! How long executions are is taken from those drawn before; the first is drawn without a change of
//! priorities.

use super::{Engine, Guide, Leaf, Visitor, reader};
use crate::event::{EventId, Kind, Read, Tid};
use crate::program::{Fate, Mailbox, Model, Program, Want};
use crate::receive_sets::{ReceivableSet, is_enabled, is_simple, receivable_sets};
use crate::sample::next_random;
use std::collections::{BTreeMap, VecDeque};

/// Draws executions by priorities.
#[derive(Clone, Debug)]
pub struct Pct {
    depth: u32,
    state: u64,
    /// Steps of the longest execution so far.
    longest: u64,
}

impl Pct {
    /// Draws executions that show bugs of this depth; which ones depends on the seed only.
    pub fn new(depth: u32, seed: u64) -> Self {
        Pct {
            depth,
            state: seed,
            longest: 0,
        }
    }

    /// Steps of the longest execution so far, arrivals of messages included.
    pub fn longest(&self) -> u64 {
        self.longest
    }

    /// Draws one execution, shows it to the visitor, and says whether there was one: with messages that
    /// may be lost, a draw can come to nothing.
    pub fn draw<P: Program>(
        &mut self,
        program: &mut P,
        visitor: &mut dyn Visitor<P>,
        configure: impl for<'p> Fn(Engine<'p, P>) -> Engine<'p, P>,
    ) -> bool {
        let mut engine = configure(Engine::new(program));
        engine.guide = Guide::Random {
            state: next_random(&mut self.state),
            weight: 1.0,
            last: 1,
        };
        let mut schedule = Schedule::new(self);
        let leaf = engine.follow(&mut schedule);
        self.longest = self.longest.max(schedule.steps);
        if let Some(leaf) = leaf {
            visitor.leaf(&engine.graph, leaf);
        }
        program.forget(0, 0);
        leaf.is_some()
    }
}

/// Priorities of threads at first are at least this.
const ORDINARY: u64 = 1 << 63;

/// Lowered priorities are more than this; those of threads that poll may be less.
const LOWERED: u64 = 1 << 62;

/// The priority of messages that come too late.
const LATE: u64 = 0;

/// Who may go next.
#[derive(Clone, Copy)]
enum Step {
    /// The thread at this place of the list.
    Thread(usize),
    /// The first message of the link at this place.
    Arrival(usize),
}

/// Messages on the same way, the first to arrive first.
struct Link {
    priority: u64,
    /// From whom to where, if later messages take the same way.
    route: Option<(Tid, Mailbox)>,
    queue: VecDeque<EventId>,
}

/// Priorities, and which messages have arrived.
struct Schedule {
    state: u64,
    steps: u64,
    /// Before which steps a priority is lowered, the lowest priority first.
    changes: Vec<u64>,
    /// Priorities of threads, highest first.
    threads: Vec<(u64, Tid)>,
    /// The lowest priority so far.
    lowest: u64,
    links: Vec<Link>,
    /// When messages arrived.
    arrivals: BTreeMap<EventId, u64>,
}

impl Schedule {
    fn new(pct: &mut Pct) -> Self {
        let mut state = next_random(&mut pct.state);
        let changes = match pct.longest {
            0 => Vec::new(),
            longest => {
                let mut change = || 1 + next_random(&mut state) % longest;
                (1..pct.depth).map(|_| change()).collect()
            }
        };
        let mut schedule = Schedule {
            state,
            steps: 0,
            changes,
            threads: Vec::new(),
            lowest: LOWERED,
            links: Vec::new(),
            arrivals: BTreeMap::new(),
        };
        schedule.add_thread(0);
        schedule
    }

    fn random_priority(&mut self) -> u64 {
        next_random(&mut self.state) | ORDINARY
    }

    fn is_heads(&mut self) -> bool {
        next_random(&mut self.state).is_multiple_of(2)
    }

    fn add_thread(&mut self, thread: Tid) {
        let priority = self.random_priority();
        self.put(priority, thread);
    }

    fn put(&mut self, priority: u64, thread: Tid) {
        let at = self.threads.partition_point(|&(other, _)| other > priority);
        self.threads.insert(at, (priority, thread));
    }

    /// A thread lets others go on, perhaps all.
    fn give_way(&mut self, thread: Tid) {
        self.threads.retain(|&(_, other)| other != thread);
        if self.is_heads() {
            self.add_thread(thread);
        } else {
            self.lowest -= 1;
            self.put(self.lowest, thread);
        }
    }

    /// The link with the highest priority, if that is at least this.
    fn link_from(&self, least: u64) -> Option<usize> {
        let links = self.links.iter().enumerate();
        let best = links
            .filter(|(_, link)| !link.queue.is_empty() && link.priority >= least)
            .max_by_key(|(at, link)| (link.priority, std::cmp::Reverse(*at)));
        best.map(|(at, _)| at)
    }

    /// Lowers the priority of who would go next, if it is time for that.
    fn changes_now(&mut self, step: Step) -> bool {
        let now = self.steps + 1;
        let Some(rank) = self.changes.iter().position(|&change| change == now) else {
            return false;
        };
        self.changes[rank] = 0;
        let priority = LOWERED + 1 + rank as u64;
        match step {
            Step::Thread(at) => {
                let (_, thread) = self.threads.remove(at);
                self.put(priority, thread);
            }
            Step::Arrival(at) => self.links[at].priority = priority,
        }
        true
    }

    /// A message was sent.
    fn sent(&mut self, send: EventId, to: Mailbox, model: Model, fate: Fate) {
        if model == Model::Mailbox {
            self.arrived(send);
            return;
        }
        let is_late = fate != Fate::Sure && self.is_heads();
        let route = (model == Model::Fifo && fate == Fate::Sure).then_some((send.thread, to));
        let known = self.links.iter_mut().find(|link| link.route == route);
        if let (Some(link), Some(_)) = (known, route) {
            link.queue.push_back(send);
            return;
        }
        let priority = match is_late {
            true => LATE,
            false => self.random_priority(),
        };
        self.links.push(Link {
            priority,
            route,
            queue: VecDeque::from([send]),
        });
    }

    fn arrived(&mut self, send: EventId) {
        let when = self.arrivals.len() as u64;
        self.arrivals.insert(send, when);
    }

    /// The first message of a link arrives.
    fn deliver(&mut self, at: usize) {
        if let Some(send) = self.links[at].queue.pop_front() {
            self.arrived(send);
        }
        if self.links[at].route.is_none() {
            self.links.swap_remove(at);
        }
    }

    fn arrival(&self, send: EventId) -> Option<u64> {
        self.arrivals.get(&send).copied()
    }

    fn have_arrived(&self, taking: &ReceivableSet) -> bool {
        taking
            .reads
            .iter()
            .all(|&send| self.arrival(send).is_some())
    }
}

impl<P: Program> Engine<'_, P> {
    /// Inserts events by priority until nothing can be inserted any more; `None` if this is no
    /// execution.
    fn follow(&mut self, schedule: &mut Schedule) -> Option<Leaf> {
        loop {
            let step = match self.next_step(schedule) {
                Some(step) => step,
                None if self.go_on_at_last(schedule) => continue,
                None => return self.ending(),
            };
            if schedule.changes_now(step) {
                continue;
            }
            schedule.steps += 1;
            let thread = match step {
                Step::Arrival(at) => {
                    schedule.deliver(at);
                    continue;
                }
                Step::Thread(at) => schedule.threads[at].1,
            };
            if self.is_too_long(thread) {
                return Some(Leaf::TooLong);
            }
            if let Some(leaf) = self.perform(thread, schedule) {
                return Some(leaf);
            }
        }
    }

    /// Who has the highest priority of those that can go on.
    fn next_step(&mut self, schedule: &Schedule) -> Option<Step> {
        for at in 0..schedule.threads.len() {
            let (priority, thread) = schedule.threads[at];
            if let Some(link) = schedule.link_from(priority.max(LATE + 1)) {
                return Some(Step::Arrival(link));
            }
            if self.can_go_on(thread, schedule) {
                return Some(Step::Thread(at));
            }
        }
        schedule.link_from(LATE + 1).map(Step::Arrival)
    }

    fn can_go_on(&mut self, thread: Tid, schedule: &Schedule) -> bool {
        if !self.graph.is_running(thread) {
            return false;
        }
        self.learn_next(thread);
        match *self.scripted(thread) {
            Kind::Receive { want, .. } => {
                !want.waits() || !self.arrived_sets(thread, want, schedule).is_empty()
            }
            Kind::Join { thread: other } => self.graph.has_ended(other),
            Kind::Memory(ref memory) => self.graph.can_load(&memory.access),
            _ => true,
        }
    }

    /// What the thread's next operation, a receive, may take of what has arrived; first come, first
    /// served, if it takes one message.
    fn arrived_sets(&mut self, thread: Tid, want: Want, schedule: &Schedule) -> Vec<ReceivableSet> {
        if is_simple(&self.graph, reader(&self.graph, thread).pattern, want) {
            self.find_open(thread);
            let arrival = |&send: &EventId| schedule.arrival(send).map(|when| (when, send));
            let first = self.open.iter().filter_map(arrival).min_by_key(|one| one.0);
            return first
                .map(|(_, send)| ReceivableSet::one(send))
                .into_iter()
                .collect();
        }
        let reader = reader(&self.graph, thread);
        let mut found = receivable_sets(&self.graph, &mut self.order, &reader, want, None);
        found.retain(|taking| !taking.waits && schedule.have_arrived(taking));
        if want.is_single() && found.iter().any(|taking| !taking.reads.is_empty()) {
            // What has arrived is not overlooked.
            found.retain(|taking| !taking.reads.is_empty());
        }
        found
    }

    /// Performs the thread's next operation; the leaf if that fails.
    fn perform(&mut self, thread: Tid, schedule: &mut Schedule) -> Option<Leaf> {
        match self.scripted(thread) {
            &Kind::Choose {
                options, budget, ..
            } => self.choose(thread, options, budget),
            &Kind::Receive { want, .. } => self.receive_arrived(thread, want, schedule),
            &Kind::Send {
                to, model, fate, ..
            } => {
                let send = self.insert(thread, None);
                schedule.sent(send, to, model, fate);
            }
            &Kind::Spawn { thread: child, .. } => {
                self.spawn(thread, child);
                schedule.add_thread(child);
            }
            Kind::Fail => return Some(Leaf::Failed(self.insert(thread, None))),
            Kind::Join { .. } => self.join(thread),
            Kind::Memory(_) => return self.access_now(thread),
            _ => {
                self.insert(thread, None);
            }
        }
        None
    }

    fn receive_arrived(&mut self, thread: Tid, want: Want, schedule: &mut Schedule) {
        let mut found = self.arrived_sets(thread, want, schedule);
        let at = next_random(&mut schedule.state) % (found.len() as u64).max(1);
        let taking = match found.is_empty() {
            true => ReceivableSet::default(),
            false => found.swap_remove(at as usize),
        };
        let is_polling = taking.reads.is_empty() && self.has_just_got_nothing(thread);
        self.take_some(thread, &taking);
        if is_polling {
            schedule.give_way(thread);
        }
    }

    /// Was the thread's last receive in vain, without an event since but sends?
    fn has_just_got_nothing(&self, thread: Tid) -> bool {
        let events = (0..self.graph.live(thread)).rev();
        let last = events
            .map(|index| self.graph.event_at(thread, index))
            .find(|event| !matches!(event.kind, Kind::Send { .. }));
        last.is_some_and(|event| {
            matches!(event.kind, Kind::Receive { .. }) && event.read == Read::None
        })
    }

    /// Nothing can go on. A late message arrives, or somebody waits for ever for what was lost; false
    /// if there is neither.
    fn go_on_at_last(&mut self, schedule: &mut Schedule) -> bool {
        let late = schedule.link_from(LATE);
        if late.is_none() || schedule.is_heads() {
            let threads: Vec<Tid> = schedule.threads.iter().map(|&(_, thread)| thread).collect();
            for thread in threads {
                if let Some(taking) = self.waits_for_ever(thread) {
                    self.take_some(thread, &taking);
                    return true;
                }
            }
        }
        late.map(|at| schedule.deliver(at)).is_some()
    }

    fn waits_for_ever(&mut self, thread: Tid) -> Option<ReceivableSet> {
        if !self.graph.is_running(thread) {
            return None;
        }
        let &Kind::Receive { want, .. } = self.scripted(thread) else {
            return None;
        };
        let reader = reader(&self.graph, thread);
        if !want.waits() || !is_enabled(&self.graph, &reader, want) {
            return None;
        }
        let found = receivable_sets(&self.graph, &mut self.order, &reader, want, None);
        found.into_iter().find(|taking| taking.waits)
    }
}
