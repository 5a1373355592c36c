//! Process automata: each process as an automaton, built on demand.
//!
//! Statement. What a process does next depends on its state alone, and where that leads on the state and
//! the answer alone: which option was chosen, which message was taken. So each state of a
//! process is computed once: it becomes a *node*, an answer an *edge* to the next node, and a search
//! that comes back to a state, which it does in nearly every execution, follows edges and evaluates
//! nothing.
//!
//! Why sound. Local steps are functions of the process's own program point, locals and variables and of
//! the letter taken (`semantics::part` gives them nothing else), and free choices are explicit. Two
//! states are the same node only if program point, locals and variables are equal; two messages are
//! the same only if sender, address, model, kind and payload are. A step in the middle, before a free
//! choice, is such a state too ([`Midway`]): its program point is that of the choice, and it knows what the
//! step sends and how many choices it has made. So a step with n choices is n nodes, not as
//! many ways as there are combinations. Nodes between sends belong to the edge that led to them.
//!
//! *Memory*. One node per local state that occurs, whatever the number of executions. Processes that
//! record their history may have as many local states as there are executions, so the tables are
//! emptied ([`Roles::forget`]) when they become too large, between executions, and filled again by
//! need.
//!
//! *Coverage* is marked where a step is computed; every step that is followed has been.

use crate::explore::GaveUp;
use crate::message_interner::{Letters, Message};
use crate::waiting::Waiting;
use plainsong_explore::{Budget, Fate as OnTheWay, Mailbox};
use plainsong_ir::Delivery;
use plainsong_semantics::local_process::{
    Deed, Fate, Lanes, Letter, MOST_LANES, Next, Part, Parts, Way,
};
use plainsong_semantics::trace::{EventKind, Failure};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::BitOr;
use std::rc::Rc;

/// A place in the automaton.
pub(crate) type NodeId = u32;

/// A way from one place to the next.
pub(crate) type EdgeId = u32;

/// Where a thread is: what it is about to do.
pub(crate) enum Node {
    /// Choose the start.
    Start,
    /// Choose among ways to go on.
    Fork {
        /// Whose; none for `init`.
        lane: Option<usize>,
        ways: Vec<Way>,
        next: Vec<Option<EdgeId>>,
        /// How many choices its step has made before.
        choices: usize,
    },
    /// Suffer one of these faults, or not.
    Perhaps {
        part: Part,
        faults: Vec<Way>,
        budget: Option<Budget>,
        next: Vec<Option<EdgeId>>,
    },
    /// Send a message, or once more the one sent before.
    Send {
        to: Mailbox,
        message: Message,
        on_the_way: OnTheWay,
        then: Then,
    },
    /// Spawn the process with this number.
    Spawns(usize),
    Waits(Rc<Waiting>),
    /// Nothing more, after which it stays here; `init` has no part.
    Over(Option<Part>, EdgeId),
    /// The same: its step is cut off, or fails.
    Stuck(Fate, EdgeId),
}

/// A process between steps; its hash is computed once.
#[derive(PartialEq, Eq)]
struct HashedProcess {
    lane: usize,
    part: Part,
    hash: u64,
}

impl HashedProcess {
    fn new(lane: usize, part: Part) -> Self {
        let hash = FxBuildHasher.hash_one((lane, &part));
        HashedProcess { lane, part, hash }
    }
}

impl Hash for HashedProcess {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash.hash(state);
    }
}

/// A process before a free choice in the middle of a step.
#[derive(PartialEq, Eq, Hash)]
struct Midway {
    lane: usize,
    part: Part,
    kind: EventKind,
    /// What the step sends, so far.
    sends: Vec<Letter>,
    /// How many choices it has made.
    choices: usize,
}

/// What comes after a send.
#[derive(Clone)]
pub(crate) enum Then {
    Goes(EdgeId),
    /// The end of the step, with the process in this state.
    Stands(Part),
    InitEnds,
}

/// The way from one place to the next.
pub(crate) struct Edge {
    /// Where it leads.
    pub(crate) to: NodeId,
    /// The local steps that were decided on the way.
    pub(crate) moves: Box<[Move]>,
}

/// A local step.
#[derive(Clone)]
pub(crate) struct Move {
    pub(crate) deed: Deed,
    /// The process after it; none if it does not come to its end, or for `init`.
    pub(crate) after: Option<Part>,
    /// Is it only a part of a step, up to the next free choice?
    pub(crate) is_partial: bool,
}

/// The automata of all processes and of `init`.
pub(crate) struct Roles {
    pub(crate) parts: Rc<Parts>,
    /// Every way to start.
    pub(crate) starts: Vec<Result<Vec<Part>, Failure>>,
    lanes: usize,
    letters: Letters,
    nodes: Vec<Node>,
    /// For each node, to whom a thread may still send from there on.
    outlooks: Vec<Lanes>,
    edges: Vec<Edge>,
    /// The most edges before the tables are emptied.
    kept: usize,
    /// What processes do in states between steps.
    stands: FxHashMap<HashedProcess, EdgeId>,
    /// And in the middle of steps.
    midways: FxHashMap<Midway, EdgeId>,
    /// What `init` does with each start, and when it has spawned so many processes.
    begins: FxHashMap<usize, EdgeId>,
    spawns: FxHashMap<usize, EdgeId>,
    /// Is there a bit for each process, and are there no faults?
    has_outlook: bool,
    /// Has a step ever been cut off, or failed?
    pub(crate) some_stuck: bool,
    /// Something that this engine does not cover was met.
    pub(crate) gave_up: Option<GaveUp>,
}

impl Roles {
    pub(crate) fn new(parts: Rc<Parts>, kept: usize) -> Self {
        let lanes = parts.machine().lanes().len();
        let has_outlook = lanes < MOST_LANES - 1 && !parts.machine().has_faults();
        Roles {
            starts: parts.starts(),
            parts,
            lanes,
            letters: Letters::new(lanes),
            nodes: Vec::new(),
            outlooks: Vec::new(),
            edges: Vec::new(),
            kept,
            stands: FxHashMap::default(),
            midways: FxHashMap::default(),
            begins: FxHashMap::default(),
            spawns: FxHashMap::default(),
            has_outlook,
            some_stuck: false,
            gave_up: None,
        }
    }

    /// How many processes there are.
    pub(crate) fn lanes(&self) -> usize {
        self.lanes
    }

    /// A way from one place to the next.
    pub(crate) fn edge(&self, edge: EdgeId) -> &Edge {
        &self.edges[edge as usize]
    }

    /// Where an edge leads.
    pub(crate) fn at(&self, edge: EdgeId) -> &Node {
        &self.nodes[self.edges[edge as usize].to as usize]
    }

    /// A place.
    pub(crate) fn node_at(&self, at: NodeId) -> &Node {
        &self.nodes[at as usize]
    }

    /// To whom a thread may still send from a place on; nothing where that would not be the whole story.
    pub(crate) fn outlook(&self, at: NodeId) -> Option<Lanes> {
        self.has_outlook.then(|| self.outlooks[at as usize])
    }

    /// A place, to note where one goes from there.
    pub(crate) fn node_at_mut(&mut self, at: NodeId) -> &mut Node {
        &mut self.nodes[at as usize]
    }

    /// An edge to where a process waits, when it has waited in vain.
    pub(crate) fn waits_on(&mut self, at: NodeId, waiting: &Waiting) -> EdgeId {
        if let Some(known) = waiting.in_vain.get() {
            return known;
        }
        let edge = self.add(at, Vec::new());
        waiting.in_vain.set(Some(edge));
        edge
    }

    /// Are the tables so large that they should be emptied?
    pub(crate) fn is_full(&self) -> bool {
        self.edges.len() > self.kept
    }

    /// Empties the tables: no number of an edge means anything any more.
    pub(crate) fn forget(&mut self) {
        self.nodes.clear();
        self.outlooks.clear();
        self.edges.clear();
        self.stands.clear();
        self.midways.clear();
        self.begins.clear();
        self.spawns.clear();
        self.letters.forget();
    }

    /// The beginning of a process, in the `start`-th way to start.
    pub(crate) fn first_of(&mut self, lane: usize, start: usize) -> EdgeId {
        let parts = self.starts[start].as_ref();
        let part = parts.expect("processes are spawned only where there are some")[lane].clone();
        self.stand(lane, part)
    }

    /// The beginning of `init`.
    pub(crate) fn first_of_init(&mut self) -> EdgeId {
        if self.starts.len() == 1 {
            self.begin(0)
        } else {
            self.simple(Node::Start)
        }
    }

    /// A start was chosen: `init` comes next.
    pub(crate) fn begin(&mut self, start: usize) -> EdgeId {
        if let Some(&known) = self.begins.get(&start) {
            return known;
        }
        let edge = match &self.starts[start] {
            Err(failure) => {
                let fate = Fate::Failed(failure.clone());
                self.stuck(fate, Vec::new())
            }
            Ok(_) => match self.parts.init() {
                None => self.spawn(0),
                Some(ways) => self.fork(None, ways, 0),
            },
        };
        self.begins.insert(start, edge);
        edge
    }

    /// `init` spawns a process, or has spawned all.
    pub(crate) fn spawn(&mut self, child: usize) -> EdgeId {
        if let Some(&known) = self.spawns.get(&child) {
            return known;
        }
        let edge = if child < self.lanes {
            self.simple(Node::Spawns(child))
        } else {
            self.last(|stay| Node::Over(None, stay))
        };
        self.spawns.insert(child, edge);
        edge
    }

    /// After the choice of a way at a [`Node::Fork`].
    pub(crate) fn chosen(&mut self, lane: Option<usize>, at: NodeId, option: usize) -> EdgeId {
        let Node::Fork {
            ways,
            next,
            choices,
            ..
        } = &self.nodes[at as usize]
        else {
            unreachable!("choices are made at forks")
        };
        if let Some(known) = next[option] {
            return known;
        }
        let (way, choices) = (ways[option].clone(), choices + 1);
        let edge = self.enter(lane, &way, choices);
        if let Node::Fork { next, .. } = &mut self.nodes[at as usize] {
            next[option] = Some(edge);
        }
        edge
    }

    /// After a [`Node::Send`].
    pub(crate) fn sent(&mut self, lane: Option<usize>, at: NodeId) -> EdgeId {
        let Node::Send { then, .. } = &self.nodes[at as usize] else {
            unreachable!("messages are sent at sends")
        };
        let edge = match (then.clone(), lane) {
            (Then::Goes(known), _) => return known,
            (Then::Stands(part), Some(lane)) => self.stand(lane, part),
            (Then::Stands(_) | Then::InitEnds, _) => self.spawn(0),
        };
        if let Node::Send { then, .. } = &mut self.nodes[at as usize] {
            *then = Then::Goes(edge);
        }
        edge
    }

    /// After a [`Node::Waits`] that ended with a message, or by giving up.
    pub(crate) fn went_on(
        &mut self,
        lane: usize,
        waiting: &Waiting,
        message: Option<&Message>,
    ) -> EdgeId {
        let ways = match message {
            None => self.parts.give_up(&waiting.wait),
            Some(message) => {
                let taking = self.parts.take(&waiting.wait, &message.letter);
                if taking.is_refused() {
                    self.gave_up = Some(GaveUp::HandlerRefuses);
                }
                taking.ways
            }
        };
        let edge = self.fork(Some(lane), ways, 0);
        waiting.note(message, edge);
        edge
    }

    /// One of several ways, of a step that has made so many choices; nothing is chosen when there is
    /// only one.
    fn fork(&mut self, lane: Option<usize>, ways: Vec<Way>, choices: usize) -> EdgeId {
        match &ways[..] {
            [] => self.stuck(Fate::Discarded, Vec::new()),
            [only] => self.enter(lane, only, choices + only.choices()),
            _ => self.simple(Node::Fork {
                lane,
                next: vec![None; ways.len()],
                ways,
                choices,
            }),
        }
    }

    /// A local step that was decided, or a part of one, after which the step has made so many choices.
    pub(crate) fn enter(&mut self, lane: Option<usize>, way: &Way, choices: usize) -> EdgeId {
        let mut done = Move {
            deed: way.deed.clone(),
            after: None,
            is_partial: way.fate == Fate::Chooses,
        };
        if let (Some(lane), true) = (lane, done.is_partial) {
            let next = self.midway(lane, way, choices);
            return self.before(done, next);
        }
        if way.fate != Fate::Well {
            return self.stuck(way.fate.clone(), vec![done]);
        }
        done.after = lane.map(|_| way.part.clone());
        let is_mailbox = Delivery::orders_senders;
        if way.deed.kind == EventKind::Handle
            && way.sends.iter().skip(1).any(|it| is_mailbox(it.model))
        {
            self.gave_up = Some(GaveUp::HandlerSendsToMailboxes);
        }
        if way.sends.is_empty() {
            self.go_on(lane, done)
        } else {
            self.sends(way, done)
        }
    }

    /// The sends of a way, one after the other.
    fn sends(&mut self, way: &Way, done: Move) -> EdgeId {
        let mut then = match &done.after {
            Some(part) => Then::Stands(part.clone()),
            None => Then::InitEnds,
        };
        let nobody = self.lanes;
        let mut first = None;
        for letter in way.sends.iter().rev() {
            let message = self.letters.message(letter);
            for on_the_way in self.on_the_way(letter).into_iter().rev() {
                if let Some(next) = first {
                    then = Then::Goes(self.add(next, Vec::new()));
                }
                first = Some(self.node(Node::Send {
                    to: letter.to.member().unwrap_or(nobody) as Mailbox,
                    message: message.clone(),
                    on_the_way,
                    then: then.clone(),
                }));
            }
        }
        let first = first.expect("a way that sends has a first send");
        self.add(first, vec![done])
    }

    /// A local step that sends nothing is over.
    fn go_on(&mut self, lane: Option<usize>, done: Move) -> EdgeId {
        let next = match (lane, &done.after) {
            (Some(lane), Some(part)) if done.deed.kind == EventKind::Crash => {
                self.down(lane, part.clone())
            }
            (Some(lane), Some(part)) => self.stand(lane, part.clone()),
            _ => self.spawn(0),
        };
        self.before(done, next)
    }

    /// A way that begins with a local step.
    fn before(&mut self, done: Move, next: EdgeId) -> EdgeId {
        let Edge { to, moves } = &self.edges[next as usize];
        let (to, all) = (*to, [&[done], &moves[..]].concat());
        self.add(to, all)
    }

    /// What a process does before a free choice in the middle of a step.
    fn midway(&mut self, lane: usize, way: &Way, choices: usize) -> EdgeId {
        let midway = Midway {
            lane,
            part: way.part.clone(),
            kind: way.deed.kind,
            sends: way.sends.clone(),
            choices,
        };
        if let Some(&known) = self.midways.get(&midway) {
            return known;
        }
        let ways = self.parts.choose(lane, way, choices);
        let edge = self.fork(Some(lane), ways, choices);
        self.midways.insert(midway, edge);
        edge
    }

    /// What a process in a state between steps does.
    fn stand(&mut self, lane: usize, part: Part) -> EdgeId {
        let standing = HashedProcess::new(lane, part.clone());
        if let Some(&known) = self.stands.get(&standing) {
            return known;
        }
        let next = self.parts.next(lane, &part);
        let edge = match self.parts.crash(lane) {
            Some(fault) if !matches!(next, Next::Over) => self.may_crash(part, fault),
            _ => self.act(lane, &part, next),
        };
        self.stands.insert(standing, edge);
        edge
    }

    /// What a process does that does not crash here.
    pub(crate) fn act(&mut self, lane: usize, part: &Part, next: Next) -> EdgeId {
        match next {
            Next::Over => self.last(|stay| Node::Over(Some(part.clone()), stay)),
            Next::Goes(ways) => self.fork(Some(lane), ways, 0),
            Next::Waits(wait) => {
                let first = self.letters.first_number(lane);
                let waiting = Waiting::new(wait, self.parts.clone(), first);
                self.simple(Node::Waits(Rc::new(waiting)))
            }
        }
    }

    fn stuck(&mut self, fate: Fate, moves: Vec<Move>) -> EdgeId {
        self.some_stuck = true;
        let stay = self.last(|stay| Node::Stuck(fate, stay));
        self.add(self.edge(stay).to, moves)
    }

    /// An edge to a new place with only this edge out of it.
    pub(crate) fn last(&mut self, node: impl FnOnce(EdgeId) -> Node) -> EdgeId {
        let stay = self.edges.len() as EdgeId;
        self.simple(node(stay))
    }

    /// An edge to a new place, without a local step on the way.
    pub(crate) fn simple(&mut self, node: Node) -> EdgeId {
        let node = self.node(node);
        self.add(node, Vec::new())
    }

    fn node(&mut self, node: Node) -> NodeId {
        self.outlooks.push(self.outlook_of(&node));
        self.nodes.push(node);
        (self.nodes.len() - 1) as NodeId
    }

    fn outlook_of(&self, node: &Node) -> Lanes {
        match node {
            _ if !self.has_outlook => 0,
            Node::Start | Node::Spawns(_) | Node::Perhaps { .. } => Lanes::MAX,
            Node::Over(..) | Node::Stuck(..) => 0,
            Node::Waits(waiting) => {
                let wait = &waiting.wait;
                self.parts.may_send_to(wait.lane, &wait.part)
            }
            Node::Fork { lane: None, .. } => Lanes::MAX,
            Node::Fork {
                lane: Some(lane),
                ways,
                ..
            } => {
                let behind = ways.iter().map(|way| {
                    let to = way.sends.iter().map(|letter| self.bit(letter));
                    to.fold(self.parts.may_send_to(*lane, &way.part), BitOr::bitor)
                });
                behind.fold(0, BitOr::bitor)
            }
            Node::Send { message, then, .. } => {
                let letter = &*message.letter;
                self.bit(letter)
                    | match (then, letter.from.member()) {
                        (Then::Goes(edge), _) => {
                            self.outlooks[self.edges[*edge as usize].to as usize]
                        }
                        (Then::Stands(part), Some(lane)) => self.parts.may_send_to(lane, part),
                        (Then::Stands(_) | Then::InitEnds, _) => Lanes::MAX,
                    }
            }
        }
    }

    /// To whom a letter goes.
    fn bit(&self, letter: &Letter) -> Lanes {
        1 << letter.to.member().unwrap_or(self.lanes)
    }

    fn add(&mut self, to: NodeId, moves: Vec<Move>) -> EdgeId {
        let moves = moves.into();
        self.edges.push(Edge { to, moves });
        (self.edges.len() - 1) as EdgeId
    }
}
