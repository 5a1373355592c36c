//! The depth-first search over graphs.
//!
//! The search extends the graph by one event at a time and remembers, on an explicit stack, the
//! events that have other outcomes: other options of a choice, other sends to read, other receives
//! for a send to turn round. At a leaf it goes back to the newest of them, takes the next outcome,
//! and extends again. Going back removes events in place; a revisit saves what it deletes.
//!
//! Scheduling (`schedule`). Any fixed rule gives the same graphs; receives come last, so that most of them
//! see all their sends at once and few revisits are needed.
//!
//! Every outcome has a number that depends on the graph alone, so the numbers taken on the way (the
//! *path*) lead another engine to the same place: that is how work is handed over
//! ([`parallel`](crate::parallel)) or put off ([`search_slice`](crate::search_slice)), and how a random leaf is drawn
//! ([`sample`](crate::sample)).
//!
//! What lies behind a decision may be [known](crate::subtree_cache): then it is counted, and not entered (`recall`).

mod accesses;
mod backtrack;
mod pct;
mod recall;
mod schedule;

use crate::backward_revisit::Cut;
use crate::candidates::Decided;
use crate::counters::Tally;
use crate::event::{EventId, Kind, Tid};
use crate::graph::Graph;
use crate::mailbox_order::SendOrder;
use crate::memory_revisit::StoreOutcome;
use crate::program::{Budget, Program, Want};
use crate::receive_sets::{ReceivableSet, is_simple, receivable_sets};
use crate::revisit::{Turn, Walk, knows_all_receives, revisits};
use crate::sample::Fork;
use crate::search_slice::Part;
use crate::subtree_cache::Known;

use accesses::Ended;
pub use pct::Pct;
use recall::Extended;
use schedule::reader;

/// How an execution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// Every thread has ended, or is a daemon that waits.
    Complete,
    /// Some thread waits for a message or a thread that will not come, or gave up.
    Blocked,
    /// This event failed.
    Failed(EventId),
    /// Two accesses to memory, the later one last, are a data race.
    Raced(EventId, EventId),
    /// The execution became longer than [`Engine::limit_events`] or
    /// [`Engine::limit_thread_events`] allows.
    TooLong,
}

/// Sees every execution; says whether to go on.
pub trait Visitor<P: Program> {
    /// Called once per execution graph. An execution at which the visitor stops the search belongs
    /// to what is [left](crate::Part).
    fn leaf(&mut self, graph: &Graph<P>, leaf: Leaf) -> bool;

    /// Where the next execution lies in the search tree: called before [`Visitor::leaf`]. One worker
    /// visits places in growing order, so the first execution of several is the one with the least place.
    fn place(&mut self, _: &[u32]) {}

    /// What it has counted, if counts are all that it makes of executions that end like others: then
    /// such executions need not be [shown](Visitor::again). See [`Engine::remembers`].
    fn counts(&self) -> Option<Counts> {
        None
    }

    /// Instead of [`Visitor::leaf`]: as many executions come as it counted in others, which they end like.
    fn again(&mut self, _: &Graph<P>, _: &Counts) -> Again {
        Again::OneByOne
    }

    /// Does it ask for clocks ([`Graph::clock`]), whatever the leaf?
    fn wants_clocks(&self) -> bool {
        false
    }

    /// A random execution was drawn, in which these were the choices: called after [`Visitor::leaf`]. Of
    /// an event that was deleted on the way there may be a fork too.
    fn drawn(&mut self, _: &Graph<P>, _: &[Fork]) {}

    /// The search was to go on at a place that does not exist: the program is not the one that the
    /// place is of, or does not do the same again. The search stops.
    fn lost(&mut self) {}

    /// Does it want to know now what is [left](Visitor::left)? Asked between executions, where one worker explores alone.
    fn wants_left(&mut self) -> bool {
        false
    }

    /// What is left, all of it: with what it has seen, everything. The search goes on.
    fn left(&mut self, _: Vec<Part>) {}
}

/// What a visitor counts.
pub type Counts = [u64; 4];

/// What a visitor makes of executions that end like others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// They are counted.
    Counted,
    /// It wants to see them, and all others from now on.
    OneByOne,
    /// It has seen enough, and has not counted them.
    Enough,
}

/// Which thread goes first. Any rule that looks only at the graph gives the same executions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Receives last, so that they see as many sends as possible: the fastest.
    #[default]
    ReceivesLast,
    /// Whatever is possible, in an order that depends on the seed and the graph: for tests.
    Shuffled(u64),
}

/// Which outcome was taken at each event that has several.
pub(crate) type Path = Vec<u32>;

/// The outcomes of an event that are left to be tried, as a range of numbers.
enum Outcomes<P: Program> {
    /// Options of a choice, from the least on.
    Options { least: u32 },
    /// Sends that the receive may read; `None` stands for nothing.
    Reads(Vec<Option<EventId>>),
    /// What the receive may take, where that is not just one send.
    ReceivableSets(Vec<ReceivableSet>),
    /// Number 0 is to go on; number `i + 1` is to take the `i`-th turn.
    Revisits {
        turns: Vec<Turn>,
        undo: Option<Box<(Cut<P>, SendOrder)>>,
    },
    /// What may become of a store, from before it is inserted.
    Stores {
        outcomes: Vec<StoreOutcome>,
        undo: Option<Box<(Cut<P>, SendOrder)>>,
    },
}

struct Frame<P: Program> {
    /// The event whose outcomes these are.
    event: EventId,
    /// Events in the graph before it was inserted.
    before: usize,
    /// Length of the path before it.
    depth: usize,
    /// The outcomes still to be tried are `next..end`.
    next: u32,
    end: u32,
    outcomes: Outcomes<P>,
}

/// How to answer when an event has several outcomes.
enum Guide {
    /// Try all, from the first.
    All,
    /// Follow this path, then try all.
    Path(std::vec::IntoIter<u32>),
    /// There was no such path.
    Lost,
    /// Take one at random; the product of the numbers of outcomes tells how many leaves there are.
    Random {
        state: u64,
        weight: f64,
        /// How many outcomes the last event had.
        last: u32,
    },
}

/// The exploration of one program.
pub struct Engine<'p, P: Program> {
    program: &'p mut P,
    graph: Graph<P>,
    order: SendOrder,
    /// Memory of orders no longer needed.
    spare: Vec<SendOrder>,
    stack: Vec<Frame<P>>,
    path: Path,
    guide: Guide,
    walk: Walk,
    open: Vec<EventId>,
    /// The receiver that was just picked, when `open` has what it may read as far as that is decided.
    looked: Option<(Tid, Decided)>,
    /// Memory of lists no longer needed.
    spare_reads: Vec<Vec<Option<EventId>>>,
    tally: Tally,
    /// What a random walk had to choose.
    forks: Vec<Fork>,
    /// Events and revisits before the last decision.
    counted: (u64, u64),
    policy: Policy,
    /// No thread before this place, in the order of keys, has an operation that cannot wait.
    cursor: usize,
    /// Was a revisit undone since? Then what threads do next may have been forgotten.
    restored: bool,
    /// Was there ever a join that had to wait?
    some_join: bool,
    limit: usize,
    thread_limit: usize,
    enough: bool,
    /// What is known about subtrees, if anybody wants to know.
    known: Option<Box<Known>>,
    /// Was there a decision since that was last asked?
    decided: bool,
    /// What the visitor has counted.
    counts: Counts,
    /// Did the last access to memory end the execution?
    ended: Option<Ended>,
}

impl<'p, P: Program> Engine<'p, P> {
    /// An engine at the start of the program.
    pub fn new(program: &'p mut P) -> Self {
        let graph = Graph::new(program.budgets());
        Engine {
            program,
            graph,
            order: SendOrder::default(),
            spare: Vec::new(),
            stack: Vec::new(),
            path: Path::new(),
            guide: Guide::All,
            walk: Walk::default(),
            open: Vec::new(),
            looked: None,
            spare_reads: Vec::new(),
            tally: Tally::default(),
            forks: Vec::new(),
            counted: (0, 0),
            policy: Policy::default(),
            cursor: 0,
            restored: false,
            some_join: false,
            limit: usize::MAX,
            thread_limit: usize::MAX,
            enough: false,
            known: None,
            decided: false,
            counts: Counts::default(),
            ended: None,
        }
    }

    /// Chooses who goes first.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Gives up executions with more events than this.
    #[must_use]
    pub fn limit_events(mut self, events: usize) -> Self {
        self.limit = events;
        self
    }

    /// Gives up executions in which some thread has more events than this.
    #[must_use]
    pub fn limit_thread_events(mut self, events: usize) -> Self {
        self.thread_limit = events;
        self
    }

    /// Does not tell threads of one family apart: see [`Op::Spawn`](crate::Op::Spawn).
    ///
    /// Only for programs all of whose messages are `Unordered` or `Fifo`; [`Tally::unsafe_symmetry`]
    /// says if others were sent.
    #[must_use]
    pub fn symmetry(mut self, yes: bool) -> Self {
        self.graph.symmetry = yes;
        self
    }

    /// After so many executions, keeps in mind what lies behind decisions, and counts it where it comes again:
    /// for programs that have an [outlook](Program::outlook) and visitors that [count](Visitor::counts).
    #[must_use]
    pub fn remembers(mut self, after: Option<u64>) -> Self {
        self.known = after.map(|executions| Box::new(Known::after(executions)));
        self
    }

    /// Only what lies below a path.
    pub(crate) fn below(mut self, path: Path) -> Self {
        self.guide = Guide::Path(path.into_iter());
        self
    }

    /// Visits every execution, unless the visitor has seen enough.
    pub fn run(mut self, visitor: &mut dyn Visitor<P>) -> Tally {
        while self.step(visitor) {}
        self.tally
    }

    /// Visits one more execution; false when it was the last or the visitor has seen enough.
    pub(crate) fn step(&mut self, visitor: &mut dyn Visitor<P>) -> bool {
        let leaf = match self.extend_or_count(visitor) {
            Extended::To(leaf) => leaf,
            Extended::Counted => return self.backtrack(),
            Extended::Enough => {
                self.enough = true;
                return false;
            }
        };
        if self.is_lost() {
            visitor.lost();
            self.enough = true;
            return false;
        }
        match leaf {
            Some(leaf) => {
                visitor.place(&self.path);
                if leaf != Leaf::Complete || visitor.wants_clocks() {
                    self.graph.settle_clocks();
                }
                if !visitor.leaf(&self.graph, leaf) {
                    self.enough = true;
                    return false;
                }
                self.tally.count(leaf);
                self.remember_leaf(visitor);
            }
            None => self.tally.in_vain += 1,
        }
        self.backtrack()
    }

    /// Did the visitor stop the search?
    pub(crate) fn has_seen_enough(&self) -> bool {
        self.enough
    }

    pub(crate) fn tally(&self) -> Tally {
        self.tally
    }

    /// Draws one execution at random; returns an unbiased guess of how many there are.
    pub(crate) fn draw(mut self, seed: u64, visitor: &mut dyn Visitor<P>) -> f64 {
        self.guide = Guide::Random {
            state: seed,
            weight: 1.0,
            last: 1,
        };
        let Some(leaf) = self.extend() else {
            return 0.0;
        };
        self.graph.settle_clocks();
        visitor.leaf(&self.graph, leaf);
        visitor.drawn(&self.graph, &self.forks);
        match self.guide {
            Guide::Random { weight, .. } => weight,
            _ => unreachable!("the guide was just set"),
        }
    }

    /// Gives away the oldest outcome that is still to be tried.
    pub(crate) fn give_away(&mut self) -> Option<Path> {
        let frame = self.stack.iter_mut().find(|frame| frame.next < frame.end)?;
        frame.end -= 1;
        if let Some(known) = &mut self.known {
            known.spoil(frame.depth);
        }
        let mut path = self.path[..frame.depth].to_vec();
        path.push(frame.end);
        Some(path)
    }

    /// What is still to be explored: below where the search is, and outcomes left on the way.
    pub(crate) fn left(&self) -> Part {
        let open = self.stack.iter().filter(|frame| frame.next < frame.end);
        let open = open.map(|frame| (frame.depth, frame.next..frame.end));
        Part::new(self.path.clone(), open.collect())
    }

    /// What has been counted, and will be again by whoever explores what is left: what came after the
    /// last decision.
    pub(crate) fn counted_twice(&self) -> Tally {
        Tally {
            events: self.tally.events - self.counted.0,
            revisits: self.tally.revisits - self.counted.1,
            ..Tally::default()
        }
    }

    /// Did the path not lead anywhere?
    fn is_lost(&self) -> bool {
        match &self.guide {
            Guide::Path(rest) => rest.len() > 0,
            Guide::Lost => true,
            Guide::All | Guide::Random { .. } => false,
        }
    }

    /// Inserts events until nothing can be inserted any more; `None` if this is no execution.
    fn extend(&mut self) -> Option<Leaf> {
        loop {
            if let Some(ended) = self.ended.take() {
                return ended.leaf();
            }
            let Some(thread) = self.pick() else {
                return self.ending();
            };
            if let Some(leaf) = self.add(thread) {
                return Some(leaf);
            }
        }
    }

    /// Inserts the next event of a thread, unless the execution ends with that.
    #[inline]
    fn add(&mut self, thread: Tid) -> Option<Leaf> {
        if self.is_too_long(thread) {
            return Some(Leaf::TooLong);
        }
        match self.scripted(thread) {
            &Kind::Choose {
                options, budget, ..
            } => self.choose(thread, options, budget),
            &Kind::Receive { want, .. } => self.receive(thread, want),
            Kind::Send { .. } => self.send(thread),
            Kind::Fail => return Some(Leaf::Failed(self.insert(thread, None))),
            Kind::Join { .. } => self.join(thread),
            &Kind::Spawn { thread: child, .. } => self.spawn(thread, child),
            Kind::Memory(memory) => {
                let access = memory.access;
                self.access(thread, &access);
            }
            _ => {
                self.insert(thread, None);
            }
        }
        None
    }

    /// Would another event of the thread be one too many?
    fn is_too_long(&self, thread: Tid) -> bool {
        self.graph.order().len() >= self.limit || self.graph.live(thread) >= self.thread_limit
    }

    /// How the execution ended, now that nothing can go on; `None` if this is no execution.
    fn ending(&self) -> Option<Leaf> {
        if self.graph.is_doomed() {
            return None;
        }
        Some(match self.graph.someone_waits() {
            true => Leaf::Blocked,
            false => Leaf::Complete,
        })
    }

    /// 1, or 0 on the way to work that was handed over: whoever gave it away has counted that.
    fn news(&self) -> u64 {
        match &self.guide {
            Guide::Path(path) => u64::from(path.len() == 0),
            Guide::Lost => 0,
            Guide::All | Guide::Random { .. } => 1,
        }
    }

    fn insert(&mut self, thread: Tid, from: Option<EventId>) -> EventId {
        let id = self.graph.insert(thread, from);
        self.order.inserted(&self.graph, id);
        self.tally.events = self.tally.events.saturating_add(self.news());
        self.inspect(id);
        id
    }

    /// Which outcome to take first, and which are left for later.
    fn first_of(&mut self, outcomes: u32) -> (u32, std::ops::Range<u32>) {
        debug_assert!(outcomes > 1, "with one outcome there is nothing to decide");
        match &mut self.guide {
            Guide::All => (0, 1..outcomes),
            Guide::Path(path) => match path.next() {
                Some(wanted) if wanted < outcomes => (wanted, 0..0),
                Some(_) => {
                    self.guide = Guide::Lost;
                    (0, 0..0)
                }
                None => {
                    self.guide = Guide::All;
                    (0, 1..outcomes)
                }
            },
            Guide::Lost => (0, 0..0),
            Guide::Random {
                state,
                weight,
                last,
            } => {
                *weight *= f64::from(outcomes);
                *last = outcomes;
                (
                    (crate::sample::next_random(state) % u64::from(outcomes)) as u32,
                    0..0,
                )
            }
        }
    }

    /// Notes the outcome just taken for `event`, the last one inserted, and those left.
    fn note(
        &mut self,
        event: EventId,
        taken: u32,
        left: std::ops::Range<u32>,
        outcomes: Outcomes<P>,
    ) {
        self.note_fork(event, &outcomes);
        // A send comes before its outcomes, other events with theirs.
        let own = match outcomes {
            Outcomes::Revisits { .. } => 0,
            _ => self.news(),
        };
        self.counted = (self.tally.events - own, self.tally.revisits);
        if !left.is_empty() {
            self.keep(event, self.graph.order().len() - 1, left, outcomes);
        }
        self.path.push(taken);
        self.decided = true;
    }

    /// Keeps the outcomes that are left, of an event that had so many events before it.
    fn keep(
        &mut self,
        event: EventId,
        before: usize,
        left: std::ops::Range<u32>,
        outcomes: Outcomes<P>,
    ) {
        self.stack.push(Frame {
            event,
            before,
            depth: self.path.len(),
            next: left.start,
            end: left.end,
            outcomes,
        });
    }

    /// On a random walk: notes at what there was a choice.
    fn note_fork(&mut self, event: EventId, outcomes: &Outcomes<P>) {
        let Guide::Random { last, .. } = self.guide else {
            return;
        };
        let factor = f64::from(last);
        match outcomes {
            Outcomes::Revisits { turns, .. } => {
                let factor = factor.powf(1.0 / turns.len() as f64);
                let forks = turns.iter().map(|turn| Fork {
                    event: turn.receive,
                    factor,
                });
                self.forks.extend(forks);
            }
            _ => self.forks.push(Fork { event, factor }),
        }
    }

    fn choose(&mut self, thread: Tid, options: u32, budget: Option<Budget>) {
        let id = self.graph.next_id(thread);
        let affordable = budget.is_none_or(|budget| self.graph.left(budget, |_| true) > 0);
        let least = match budget {
            None => self.graph.least_choice(id).min(options.saturating_sub(1)),
            Some(_) => 0,
        };
        if options - least < 2 || !affordable {
            self.set_choice(id, least);
            self.insert(thread, None);
            return;
        }
        let (taken, left) = self.first_of(options - least);
        self.set_choice(id, least + taken);
        self.insert(thread, None);
        self.note(id, taken, left, Outcomes::Options { least });
    }

    /// Gives the thread's next operation, a choice, its value.
    fn set_choice(&mut self, id: EventId, wanted: u32) {
        if let Kind::Choose { value, .. } = &mut self.graph.event_mut(id).kind
            && *value != wanted
        {
            *value = wanted;
            self.answer_changed(id);
        }
    }

    fn receive(&mut self, thread: Tid, want: Want) {
        if !is_simple(&self.graph, reader(&self.graph, thread).pattern, want) {
            self.receive_some(thread, want);
            return;
        }
        self.find_open(thread);
        if want.waits()
            && let [only] = self.open[..]
        {
            self.read(thread, Some(only));
            return;
        }
        let mut reads = self.spare_reads.pop().unwrap_or_default();
        reads.clear();
        reads.extend((!want.waits()).then_some(None));
        reads.extend(self.open.iter().map(|&send| Some(send)));
        if let [only] = reads[..] {
            self.read(thread, only);
            self.spare_reads.push(reads);
            return;
        }
        let (taken, left) = self.first_of(reads.len() as u32);
        let id = self.read(thread, reads[taken as usize]);
        self.note(id, taken, left, Outcomes::Reads(reads));
    }

    /// Inserts a join. The joined thread may have done something else than before, and how a receive
    /// receives may depend on its causal past: the next one is asked for again.
    fn join(&mut self, thread: Tid) {
        self.insert(thread, None);
        self.graph.unscript_receive(thread);
    }

    /// Inserts a spawn. The past of the child may be another one: see [`Engine::join`].
    fn spawn(&mut self, thread: Tid, child: Tid) {
        self.insert(thread, None);
        self.graph.unscript_receive(child);
    }

    /// The general case: sets of messages, messages that may be lost.
    fn receive_some(&mut self, thread: Tid, want: Want) {
        let reader = reader(&self.graph, thread);
        let receivable_sets = receivable_sets(&self.graph, &mut self.order, &reader, want, None);
        if let [only] = &receivable_sets[..] {
            self.take_some(thread, only);
            return;
        }
        let (taken, left) = self.first_of(receivable_sets.len() as u32);
        let id = self.take_some(thread, &receivable_sets[taken as usize]);
        self.note(id, taken, left, Outcomes::ReceivableSets(receivable_sets));
    }

    /// Inserts the thread's next operation, a receive.
    fn take_some(&mut self, thread: Tid, taking: &ReceivableSet) -> EventId {
        self.answer_changed(self.graph.next_id(thread));
        let id = self.graph.insert_taking(thread, taking);
        self.order.inserted(&self.graph, id);
        self.tally.events = self.tally.events.saturating_add(self.news());
        id
    }

    /// Inserts the thread's next operation, a receive, reading `from`.
    fn read(&mut self, thread: Tid, from: Option<EventId>) -> EventId {
        self.answer_changed(self.graph.next_id(thread));
        self.insert(thread, from)
    }

    fn send(&mut self, thread: Tid) {
        let id = self.insert(thread, None);
        if self.graph.nobody_received(id) || knows_all_receives(&self.graph, id) {
            return;
        }
        self.graph.settle_clocks();
        let turns = revisits(&self.graph, &mut self.walk, id);
        if let Some(known) = &mut self.known {
            known.looked_back_to(self.walk.looked_back_to);
        }
        if turns.is_empty() {
            return;
        }
        let (taken, left) = self.first_of(turns.len() as u32 + 1);
        let turn = taken.checked_sub(1).map(|at| turns[at as usize].clone());
        self.note(id, taken, left, Outcomes::Revisits { turns, undo: None });
        if let Some(turn) = turn {
            // Somebody else explores the other outcomes: nothing is ever put back.
            self.revisit(&turn);
        }
    }

    /// What the thread does after this operation is not known any more.
    fn answer_changed(&mut self, id: EventId) {
        self.graph.unscript(id.thread, id.index as usize + 1);
        self.program.forget(id.thread, id.index as usize);
    }
}
