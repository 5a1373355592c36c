//! The threads of a song and their saved states.
//!
//! State number `k` of a thread is the one after its first `k` events. It is made from the one before
//! and the answer to the event between them, and kept until that answer no longer holds.

use plainsong_explore::{EventId, Graph, Kind, Read, Tid};
use plainsong_ir::Delivery;
use plainsong_semantics::part::{Deed, Fate, Letter, Next, Part, Parts, Wait, Way};
use plainsong_semantics::trace::{EventKind, Failure};
use std::rc::Rc;

use crate::explore::GaveUp;
use crate::program::Song;

/// Thread 0 is `init`; process `lane` is thread `lane + 1`.
pub(crate) const INIT: Tid = 0;

/// Where a thread is.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) at: At,
    /// Local steps that were decided on the way here from the state before.
    pub(crate) deeds: Vec<Deed>,
}

/// What a thread is about to do.
#[derive(Clone)]
pub(crate) enum At {
    /// Choose the start.
    Start,
    /// Choose among ways to go on.
    Fork(Rc<Vec<Way>>),
    /// Send the `next`-th letter of what a way sends.
    Sends {
        letters: Rc<[Rc<Letter>]>,
        next: usize,
        then: Option<Part>,
    },
    /// Spawn the process with this number.
    Spawns(usize),
    /// Wait.
    Waits(Rc<Wait>),
    /// Nothing more; `init` has no part.
    Over(Option<Part>),
    /// Nothing more: its step is cut off, or fails.
    Stuck(Fate),
}

/// All threads.
pub(crate) struct Stage {
    pub(crate) parts: Rc<Parts>,
    starts: Vec<Result<Vec<Part>, Failure>>,
    /// The start that thread 0 chose, when processes were last spawned.
    start: usize,
    saved: Vec<Vec<Rc<State>>>,
    /// Something that this engine does not cover was met.
    pub(crate) gave_up: Option<GaveUp>,
}

impl Stage {
    pub(crate) fn new(parts: Rc<Parts>) -> Self {
        let lanes = parts.machine().lanes().len();
        Stage {
            starts: parts.starts(),
            parts,
            start: 0,
            saved: vec![Vec::new(); lanes + 1],
            gave_up: None,
        }
    }

    /// How many processes there are.
    pub(crate) fn lanes(&self) -> usize {
        self.saved.len() - 1
    }

    /// How many ways to start there are.
    pub(crate) fn starts(&self) -> usize {
        self.starts.len()
    }

    /// The state of a thread after its first `events` events in the graph.
    pub(crate) fn state(&mut self, graph: &Graph<Song>, thread: Tid, events: usize) -> &Rc<State> {
        let saved = &self.saved[thread as usize];
        if saved.is_empty() {
            if thread != INIT {
                self.start = self.chosen_start(graph);
            }
            let first = self.first(thread);
            self.saved[thread as usize].push(Rc::new(first));
        }
        while self.saved[thread as usize].len() <= events {
            let index = self.saved[thread as usize].len() - 1;
            let before = self.saved[thread as usize][index].clone();
            let id = EventId {
                thread,
                index: index as u32,
            };
            let after = self.after(graph, id, &before.at);
            self.saved[thread as usize].push(Rc::new(after));
        }
        &self.saved[thread as usize][events]
    }

    /// Answers from the `kept`-th on no longer hold.
    pub(crate) fn forget(&mut self, thread: Tid, kept: usize) {
        if thread == INIT {
            // Another start, perhaps: processes begin anew.
            self.saved[1..].iter_mut().for_each(Vec::clear);
        }
        self.saved[thread as usize].truncate(kept + 1);
    }

    /// Which start the execution has.
    pub(crate) fn chosen_start(&self, graph: &Graph<Song>) -> usize {
        if self.starts.len() < 2 || graph.live(INIT) == 0 {
            return 0;
        }
        let first = EventId {
            thread: INIT,
            index: 0,
        };
        match graph.event(first).kind {
            Kind::Choose { value, .. } => value as usize,
            _ => unreachable!("the start is chosen first"),
        }
    }

    fn first(&mut self, thread: Tid) -> State {
        let mut state = State::at(At::Over(None));
        if thread != INIT {
            let lane = thread as usize - 1;
            let part = self.starts[self.start]
                .as_ref()
                .expect("processes are spawned only where there are some")[lane]
                .clone();
            self.stand(lane, part, &mut state);
        } else if self.starts.len() == 1 {
            self.begin(0, &mut state);
        } else {
            state.at = At::Start;
        }
        state
    }

    /// The state after an event, from the one before it.
    fn after(&mut self, graph: &Graph<Song>, id: EventId, before: &At) -> State {
        let mut state = State::at(before.clone());
        let lane = (id.thread as usize).checked_sub(1);
        let event = graph.event(id);
        match (before, &event.kind) {
            (At::Start, Kind::Choose { value, .. }) => self.begin(*value as usize, &mut state),
            (At::Fork(ways), Kind::Choose { value, .. }) => {
                self.enter(lane, &ways[*value as usize], &mut state);
            }
            (
                At::Sends {
                    letters,
                    next,
                    then,
                },
                _,
            ) => {
                if next + 1 < letters.len() {
                    state.at = At::Sends {
                        letters: letters.clone(),
                        next: next + 1,
                        then: then.clone(),
                    };
                } else {
                    self.go_on(lane, then.clone(), &mut state);
                }
            }
            (At::Spawns(child), _) => state.at = self.spawns(child + 1),
            (At::Waits(wait), _) => {
                let ways = match event.read {
                    Read::From(send) => self.take(wait, graph.message(send)),
                    _ => self.parts.give_up(wait),
                };
                self.fork(lane, ways, &mut state);
            }
            (At::Over(_) | At::Stuck(_), _) => {}
            (At::Start | At::Fork(_), _) => unreachable!("choices are answered by choices"),
        }
        state
    }

    fn take(&mut self, wait: &Wait, letter: &Letter) -> Vec<Way> {
        let taking = self.parts.take(wait, letter);
        if taking.refused {
            self.gave_up = Some(GaveUp::HandlerRefuses);
        }
        taking.ways
    }

    /// A start was chosen: `init` comes next.
    fn begin(&mut self, start: usize, state: &mut State) {
        match &self.starts[start] {
            Err(failure) => state.at = At::Stuck(Fate::Failed(failure.clone())),
            Ok(_) => match self.parts.init() {
                None => state.at = self.spawns(0),
                Some(ways) => self.fork(None, ways, state),
            },
        }
    }

    fn spawns(&self, child: usize) -> At {
        if child < self.lanes() {
            At::Spawns(child)
        } else {
            At::Over(None)
        }
    }

    /// One of several ways; nothing is chosen when there is only one.
    fn fork(&mut self, lane: Option<usize>, ways: Vec<Way>, state: &mut State) {
        match &ways[..] {
            [] => state.at = At::Stuck(Fate::Discarded),
            [only] => self.enter(lane, only, state),
            _ => state.at = At::Fork(Rc::new(ways)),
        }
    }

    fn enter(&mut self, lane: Option<usize>, way: &Way, state: &mut State) {
        state.deeds.push(way.deed.clone());
        if way.fate != Fate::Well {
            state.at = At::Stuck(way.fate.clone());
            return;
        }
        let is_mailbox = |letter: &Letter| letter.model == Delivery::Mailbox;
        if way.deed.kind == EventKind::Handle && way.sends.iter().skip(1).any(is_mailbox) {
            self.gave_up = Some(GaveUp::HandlerSendsToMailboxes);
        }
        let part = lane.map(|_| way.part.clone());
        if way.sends.is_empty() {
            self.go_on(lane, part, state);
        } else {
            state.at = At::Sends {
                letters: way.sends.iter().cloned().map(Rc::new).collect(),
                next: 0,
                then: part,
            };
        }
    }

    /// A local step is over.
    fn go_on(&mut self, lane: Option<usize>, part: Option<Part>, state: &mut State) {
        match lane.zip(part) {
            Some((lane, part)) => self.stand(lane, part, state),
            None => state.at = self.spawns(0),
        }
    }

    fn stand(&mut self, lane: usize, part: Part, state: &mut State) {
        match self.parts.next(lane, &part) {
            Next::Over => state.at = At::Over(Some(part)),
            Next::Goes(ways) => self.fork(Some(lane), ways, state),
            Next::Waits(wait) => state.at = At::Waits(Rc::new(wait)),
        }
    }
}

impl State {
    fn at(at: At) -> State {
        State {
            at,
            deeds: Vec::new(),
        }
    }
}
