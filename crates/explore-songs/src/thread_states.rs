//! The threads of a song and their saved states.
//!
//! State number `k` of a thread is where it is after its first `k` events: an edge of its automaton
//! ([`process_automata`](crate::process_automata)) that leads there. It follows from the one before and the answer to the
//! event between them, and is kept until that answer no longer holds. Going back costs nothing, and going
//! on is a look into a table.

use crate::process_automata::{EdgeId, Node, Roles};
use crate::program::Song;
use crate::view::Look;
use plainsong_explore::{EventId, Graph, Kind, Read, Tid};
use plainsong_semantics::local_process::{Part, Parts};
use std::rc::Rc;

/// Thread 0 is `init`; process `lane` is thread `lane + 1`.
pub(crate) const INIT: Tid = 0;

/// All threads.
pub(crate) struct Stage {
    pub(crate) roles: Roles,
    /// The start that thread 0 chose, when processes were last spawned.
    start: usize,
    saved: Vec<Vec<EdgeId>>,
    /// How many local steps each thread has done, at most, in each of its states.
    steps: Vec<Vec<usize>>,
    /// How many of the first states of each thread are the same as in the execution visited before.
    unchanged: Vec<usize>,
    /// How often edges got new numbers.
    generation: u64,
    /// Room for what a property sees.
    pub(crate) row: Vec<Look>,
}

impl Stage {
    pub(crate) fn new(parts: Parts, kept: usize) -> Self {
        let roles = Roles::new(Rc::new(parts.choice_by_choice()), kept);
        Stage {
            start: 0,
            saved: vec![Vec::new(); roles.lanes() + 1],
            steps: vec![Vec::new(); roles.lanes() + 1],
            unchanged: vec![0; roles.lanes() + 1],
            generation: 0,
            row: Vec::new(),
            roles,
        }
    }

    /// How many processes there are.
    pub(crate) fn lanes(&self) -> usize {
        self.roles.lanes()
    }

    /// How many ways to start there are.
    pub(crate) fn starts(&self) -> usize {
        self.roles.starts.len()
    }

    /// The state of a thread after its first `events` events in the graph.
    #[inline]
    pub(crate) fn state(&mut self, graph: &Graph<Song>, thread: Tid, events: usize) -> EdgeId {
        match self.saved[thread as usize].get(events) {
            Some(&known) => known,
            None => self.reach(graph, thread, events),
        }
    }

    /// Where a thread is after its first `events` events in the graph.
    pub(crate) fn node(&mut self, graph: &Graph<Song>, thread: Tid, events: usize) -> &Node {
        let edge = self.state(graph, thread, events);
        self.roles.at(edge)
    }

    /// Answers from the `kept`-th on no longer hold.
    pub(crate) fn forget(&mut self, thread: Tid, kept: usize) {
        if thread == INIT {
            // Another start, perhaps: processes begin anew.
            self.saved[1..].iter_mut().for_each(Vec::clear);
            self.steps[1..].iter_mut().for_each(Vec::clear);
            self.unchanged[1..].fill(0);
        }
        let thread = thread as usize;
        self.saved[thread].truncate(kept + 1);
        self.steps[thread].truncate(kept + 1);
        self.unchanged[thread] = self.unchanged[thread].min(kept + 1);
    }

    /// The execution in the graph has been looked at.
    pub(crate) fn looked_at(&mut self, graph: &Graph<Song>) {
        for thread in 0..=self.lanes() as Tid {
            let exists = (thread as usize) < graph.threads() && graph.exists(thread);
            self.unchanged[thread as usize] = if exists { graph.live(thread) + 1 } else { 0 };
        }
    }

    /// How many of the first states of a thread are those of the execution looked at before.
    pub(crate) fn unchanged(&self, graph: &Graph<Song>, thread: Tid) -> usize {
        // A receive may be gone, and nothing have come in its place.
        self.unchanged[thread as usize].min(graph.live(thread) + 1)
    }

    /// How often edges got new numbers.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// How many local steps a process has come to the end of when it leaves a state, or its sends.
    pub(crate) fn steps(&mut self, graph: &Graph<Song>, thread: Tid, state: usize) -> usize {
        for at in self.steps[thread as usize].len()..=state {
            let edge = self.state(graph, thread, at);
            let moves = self.roles.edge(edge).moves.iter();
            let more = moves.filter(|done| done.after.is_some()).count();
            let before = self.steps[thread as usize].last().copied().unwrap_or(0);
            self.steps[thread as usize].push(before + more);
        }
        self.steps[thread as usize][state]
    }

    /// The state in which a process starts.
    pub(crate) fn first_part(&self, graph: &Graph<Song>, thread: Tid) -> Part {
        let start = self.roles.starts[self.chosen_start(graph)].as_ref();
        start.expect("there are processes")[thread as usize - 1].clone()
    }

    /// Frees memory when there is too much: what is needed again is found again.
    pub(crate) fn tidy(&mut self) {
        if self.roles.is_full() {
            self.roles.forget();
            self.saved.iter_mut().for_each(Vec::clear);
            self.generation += 1;
        }
    }

    /// Which start the execution has.
    pub(crate) fn chosen_start(&self, graph: &Graph<Song>) -> usize {
        if self.starts() < 2 || graph.live(INIT) == 0 {
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

    fn reach(&mut self, graph: &Graph<Song>, thread: Tid, events: usize) -> EdgeId {
        if self.saved[thread as usize].is_empty() {
            let first = self.first(graph, thread);
            self.saved[thread as usize].push(first);
        }
        for index in self.saved[thread as usize].len() - 1..events {
            let id = EventId {
                thread,
                index: index as u32,
            };
            let next = self.after(graph, id, self.saved[thread as usize][index]);
            self.saved[thread as usize].push(next);
        }
        self.saved[thread as usize][events]
    }

    fn first(&mut self, graph: &Graph<Song>, thread: Tid) -> EdgeId {
        if thread == INIT {
            return self.roles.first_of_init();
        }
        self.start = self.chosen_start(graph);
        self.roles.first_of(thread as usize - 1, self.start)
    }

    /// The state after an event, from the one before it.
    fn after(&mut self, graph: &Graph<Song>, id: EventId, before: EdgeId) -> EdgeId {
        let lane = (id.thread as usize).checked_sub(1);
        let event = graph.event(id);
        let at = self.roles.edge(before).to;
        match (self.roles.at(before), &event.kind) {
            (Node::Fork { .. }, Kind::Choose { value, .. }) => {
                self.roles.chosen(lane, at, *value as usize)
            }
            (Node::Perhaps { .. }, Kind::Choose { value, .. }) => {
                let lane = lane.expect("only processes suffer");
                self.roles.suffered(lane, at, *value as usize)
            }
            (Node::Send { .. }, _) => self.roles.sent(lane, at),
            (Node::Waits(waiting), _) if event.read == Read::Lost => {
                let waiting = waiting.clone();
                self.roles.waits_on(at, &waiting)
            }
            (Node::Waits(waiting), _) => {
                let message = match event.read {
                    Read::From(send) => Some(graph.message(send)),
                    _ => None,
                };
                if let Some(known) = waiting.goes(message) {
                    return known;
                }
                let waiting = waiting.clone();
                self.roles
                    .went_on(id.thread as usize - 1, &waiting, message)
            }
            (Node::Start, Kind::Choose { value, .. }) => self.roles.begin(*value as usize),
            (Node::Spawns(child), _) => {
                let next = child + 1;
                self.roles.spawn(next)
            }
            (&(Node::Over(_, stay) | Node::Stuck(_, stay)), _) => stay,
            (Node::Start | Node::Fork { .. } | Node::Perhaps { .. }, _) => {
                unreachable!("choices are answered by choices")
            }
        }
    }
}
