//! How an execution ended, and what each process did in it.

use crate::process_automata::Node;
use crate::program::Song;
use crate::thread_states::{INIT, Stage};
use crate::view::View;
use plainsong_explore::{EventId, Fate as OnTheWay, Graph, Kind, Leaf, Read, Tid};
use plainsong_semantics::claim::Verity;
use plainsong_semantics::linearize::{Note, Origin, Score};
use plainsong_semantics::local_process::{Deed, Fate, Letter, Part};
use plainsong_semantics::machine::Config;
use plainsong_semantics::trace::FailureKind;

/// How an execution ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ending {
    /// Every process has ended, or may wait for ever.
    Complete,
    /// Some process waits that may not.
    Blocked,
    /// This thread failed.
    Failed(Tid),
    /// An `assume` cut some process off, and none failed.
    Discarded,
    /// The interpreter's own limit stopped a process, for this reason.
    Limit(String),
}

impl Stage {
    /// How the execution in the graph ended, which the engine calls a `leaf`.
    pub(crate) fn ending(&mut self, graph: &Graph<Song>, leaf: Leaf) -> Ending {
        self.tidy();
        if !self.roles.some_stuck {
            // Nobody fails or is cut off, ever: processes wait or are over.
            return match leaf {
                Leaf::Complete => Ending::Complete,
                _ => Ending::Blocked,
            };
        }
        let mut ending = Ending::Complete;
        for thread in (0..=self.lanes() as Tid).filter(|&thread| exists(graph, thread)) {
            let may_wait = thread != INIT && self.roles.parts.may_wait(thread as usize - 1);
            let next = match self.node(graph, thread, graph.live(thread)) {
                Node::Stuck(Fate::Failed(failure), _) if failure.kind == FailureKind::Resource => {
                    Ending::Limit(failure.message.clone())
                }
                Node::Stuck(Fate::Failed(_), _) => Ending::Failed(thread),
                Node::Stuck(..) => Ending::Discarded,
                Node::Waits(_) if !may_wait => Ending::Blocked,
                _ => continue,
            };
            if rank(&next) > rank(&ending) {
                ending = next;
            }
        }
        ending
    }

    /// The state at the end of an execution that is complete or blocked.
    pub(crate) fn last_state(&mut self, graph: &Graph<Song>) -> Config {
        let mut parts: Vec<Part> = Vec::new();
        for thread in 1..=self.lanes() as Tid {
            let node = self.node(graph, thread, graph.live(thread));
            parts.push(last_part(node).clone());
        }
        let unread: Vec<&Letter> = graph
            .order()
            .iter()
            .filter_map(|&id| match (&graph.event(id).kind, graph.event(id).read) {
                (Kind::Send { fate, .. }, _) if is_copy(*fate) => None,
                (Kind::Send { message, .. }, Read::None) => Some(&*message.letter),
                _ => None,
            })
            .collect();
        self.roles.parts.state(parts.into_iter(), &unread)
    }

    /// Does a property hold at the end of an execution that is complete?
    pub(crate) fn holds_at_the_end(&mut self, graph: &Graph<Song>, view: &mut View<'_>) -> Verity {
        if view.counts_messages {
            return view.judge(&self.last_state(graph));
        }
        view.follow(self.generation());
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        for at in 0..view.lanes.len() {
            let thread = view.lanes[at] as Tid + 1;
            let edge = self.state(graph, thread, graph.live(thread));
            let part = last_part(self.roles.at(edge));
            row.push(view.last_look(at, edge, part));
        }
        let start = self.chosen_start(graph);
        let found = view.holds(&self.roles, start, &row);
        self.row = row;
        found
    }

    /// What each process did; only what leads to the end of thread `last`, if one is given.
    pub(crate) fn score(&mut self, graph: &Graph<Song>, last: Option<Tid>) -> Score {
        let mut notes = Vec::new();
        for thread in (1..=self.lanes() as Tid).chain([INIT]) {
            let states = match last {
                _ if !exists(graph, thread) => 0,
                Some(last) if last != thread && thread != INIT => causes(graph, thread, last),
                _ => graph.live(thread) + 1,
            };
            notes.push(self.notes(graph, thread, states));
        }
        let (lost, copied) = self.suffered(graph);
        Score {
            start: self.chosen_start(graph),
            notes,
            lost,
            copied,
        }
    }

    /// The messages that are lost, and those of which copies are read.
    fn suffered(&self, graph: &Graph<Song>) -> (Vec<Origin>, Vec<Origin>) {
        let (mut lost, mut copied) = (Vec::new(), Vec::new());
        if !self.roles.parts.machine().has_faults() {
            return (lost, copied);
        }
        for &id in graph.order() {
            let event = graph.event(id);
            if matches!(event.kind, Kind::Receive { .. }) {
                lost.extend(event.drops().map(|send| self.origin(graph, send)));
                let copies = event.reads().filter(|&send| is_copy_at(graph, send));
                copied.extend(copies.map(|send| self.origin(graph, send)));
            }
        }
        (lost, copied)
    }

    /// What each process did up to a cut: so many steps of each process.
    pub(crate) fn score_of(&mut self, graph: &Graph<Song>, cut: &[usize]) -> Score {
        let mut score = self.score(graph, None);
        for (notes, &steps) in score.notes.iter_mut().zip(cut) {
            notes.truncate(steps);
        }
        score
    }

    /// The local steps of a thread that were decided in its first `states` states.
    fn notes(&mut self, graph: &Graph<Song>, thread: Tid, states: usize) -> Vec<Note> {
        let mut notes = Vec::new();
        let mut received = None;
        let mut partly: Option<Deed> = None;
        for number in 0..states {
            let edge = self.state(graph, thread, number);
            for done in &self.roles.edge(edge).moves {
                let deed = match partly.take() {
                    Some(before) => before.and(&done.deed),
                    None => done.deed.clone(),
                };
                if done.is_partial {
                    partly = Some(deed);
                    continue;
                }
                notes.push(Note {
                    deed,
                    received: received.take(),
                });
            }
            let id = EventId {
                thread,
                index: number as u32,
            };
            if number < graph.live(thread)
                && matches!(graph.event(id).kind, Kind::Receive { .. })
                && let Read::From(send) = graph.event(id).read
            {
                received = Some(self.origin(graph, send));
            }
        }
        notes
    }

    /// Where a message comes from; a copy comes from where its original does.
    fn origin(&self, graph: &Graph<Song>, send: EventId) -> Origin {
        let is_original = |&index: &u32| {
            let id = EventId { index, ..send };
            matches!(graph.event(id).kind, Kind::Send { .. }) && !is_copy_at(graph, id)
        };
        let before = (0..=send.index).filter(is_original).count() - 1;
        let sender = (send.thread as usize)
            .checked_sub(1)
            .unwrap_or(self.lanes());
        (sender, before)
    }
}

/// The state of a process at the end of an execution that is complete or blocked.
fn last_part(node: &Node) -> &Part {
    match node {
        Node::Waits(waiting) => &waiting.wait.part,
        Node::Over(Some(part), _) => part,
        _ => unreachable!("processes wait or are over, unless one fails or is cut off"),
    }
}

fn is_copy(fate: OnTheWay) -> bool {
    matches!(fate, OnTheWay::Copy(_))
}

fn is_copy_at(graph: &Graph<Song>, send: EventId) -> bool {
    matches!(graph.event(send).kind, Kind::Send { fate, .. } if is_copy(fate))
}

/// Was the thread ever spawned, and is it part of this execution?
fn exists(graph: &Graph<Song>, thread: Tid) -> bool {
    (thread as usize) < graph.threads() && graph.exists(thread)
}

/// How many events of `thread` are in the causal past of the last event of thread `last`. The last of
/// them is a send, and the local step that it belongs to was decided in the state before it.
fn causes(graph: &Graph<Song>, thread: Tid, last: Tid) -> usize {
    let end = EventId {
        thread: last,
        index: graph.live(last) as u32 - 1,
    };
    let events = 0..graph.live(thread) as u32;
    events
        .filter(|&index| graph.happens_before(EventId { thread, index }, end))
        .count()
}

/// What counts when processes end differently.
fn rank(ending: &Ending) -> u8 {
    match ending {
        Ending::Complete => 0,
        Ending::Blocked => 1,
        Ending::Discarded => 2,
        Ending::Failed(_) => 3,
        Ending::Limit(_) => 4,
    }
}
