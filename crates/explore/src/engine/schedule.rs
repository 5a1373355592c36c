//! Who goes on, and what it does next.
//!
//! Operations that are always possible come first, receives last, in the order of the threads' keys; a
//! receive whose messages may all be lost comes after the others. Whatever the rule, it looks at the
//! graph alone: the path to a place in the search leads other engines there.

use super::{Engine, Policy};
use crate::candidates::{Reader, candidates, has_candidate, is_global};
use crate::event::{Kind, Read, Tid};
use crate::graph::Graph;
use crate::program::{Fate, History, Model, Op, Program, Want};
use crate::takings::{is_enabled, is_simple, open_messages};
use crate::twins::is_prologue;

impl<P: Program> Engine<'_, P> {
    /// The thread to run next: one that cannot wait if there is one, else a receive that need not.
    pub(super) fn pick(&mut self) -> Option<Tid> {
        let (mut receiver, mut last) = (None, None);
        let threads = self.graph.by_key().len();
        let first = match self.policy {
            Policy::ReceivesLast => 0,
            Policy::Shuffled(seed) => self.shuffle(seed),
        };
        for at in 0..threads {
            let thread = self.graph.by_key()[(first + at) % threads];
            if !self.graph.exists(thread) || self.has_stopped(thread) {
                continue;
            }
            self.learn_next(thread);
            if self.graph.symmetry && self.waits_for_twin(thread) {
                continue;
            }
            match *self.scripted(thread) {
                Kind::Receive { .. } if receiver.is_some() => {}
                Kind::Receive { want, .. } => match self.is_ready(thread, want) {
                    Ready::No => {}
                    _ if self.policy != Policy::ReceivesLast => return Some(thread),
                    Ready::Yes => receiver = Some(thread),
                    Ready::UnlessLost => last = last.or(Some(thread)),
                },
                Kind::Join { thread: other } => {
                    if self.has_ended(other) {
                        return Some(thread);
                    }
                }
                _ => return Some(thread),
            }
        }
        receiver.or(last)
    }

    /// Is the thread at the beginning of its prologue, and the family member before it not at the
    /// end of its own?
    fn waits_for_twin(&mut self, thread: Tid) -> bool {
        let Some(twin) = self.graph.twin(thread) else {
            return false;
        };
        if self.graph.live(thread) > 0
            || !is_prologue(self.scripted(thread))
            || self.has_stopped(twin)
            || self.graph.has_left_prologue(twin)
        {
            return false;
        }
        self.learn_next(twin);
        is_prologue(self.scripted(twin))
    }

    /// Where to begin, depending on how far each thread is; threads that other executions had do
    /// not count.
    fn shuffle(&self, seed: u64) -> usize {
        let by_key = self.graph.by_key().iter().enumerate();
        let there = by_key.filter(|&(_, &thread)| self.graph.exists(thread));
        let mut hash = seed;
        for (_, &thread) in there.clone() {
            let live = self.graph.live(thread) as u64;
            hash = (hash ^ live)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29);
        }
        let nth = (hash >> 33) as usize % there.clone().count();
        there.clone().nth(nth).map_or(0, |(at, _)| at)
    }

    pub(super) fn scripted(&self, thread: Tid) -> &Kind<P::Message, P::Pattern> {
        &self
            .graph
            .scripted(thread)
            .expect("the next step of a picked thread is known")
            .kind
    }

    pub(super) fn last(&self, thread: Tid) -> Option<&Kind<P::Message, P::Pattern>> {
        let live = self.graph.live(thread);
        live.checked_sub(1)
            .map(|index| &self.graph.event_at(thread, index).kind)
    }

    pub(super) fn has_ended(&self, thread: Tid) -> bool {
        matches!(self.last(thread), Some(Kind::End))
    }

    /// Ended, or given up.
    pub(super) fn has_stopped(&self, thread: Tid) -> bool {
        match self.last(thread) {
            Some(Kind::End | Kind::Block | Kind::Fail) => true,
            Some(Kind::Receive { .. }) => {
                let last = self.graph.live(thread) - 1;
                self.graph.event_at(thread, last).read == Read::Lost
            }
            _ => false,
        }
    }

    /// Asks the program what the thread does next, if that is not known.
    pub(super) fn learn_next(&mut self, thread: Tid) {
        if self.graph.scripted(thread).is_some() {
            return;
        }
        let history = History {
            graph: &self.graph,
            thread,
        };
        let kind = match self.program.next(thread, history) {
            Op::Send {
                to,
                model,
                message,
                fate,
            } => {
                debug_assert!(
                    fate == Fate::Sure || !is_global(model),
                    "mailbox messages are not lost or copied on the way"
                );
                self.tally.unsafe_symmetry |=
                    self.graph.symmetry && !matches!(model, Model::Unordered | Model::Fifo);
                Kind::Send {
                    to,
                    model,
                    message,
                    fate,
                }
            }
            Op::Receive { pattern, want } => Kind::Receive { pattern, want },
            Op::Choose { options, budget } => Kind::Choose {
                options,
                value: 0,
                budget,
            },
            Op::Spawn {
                child,
                daemon,
                family,
            } => {
                let child = self.graph.child(thread, child);
                self.graph.set_daemon(child, daemon);
                self.graph.unscript(child, 0);
                Kind::Spawn {
                    thread: child,
                    family,
                }
            }
            Op::Join { thread } => Kind::Join { thread },
            Op::End => Kind::End,
            Op::Block => Kind::Block,
            Op::Fail => Kind::Fail,
        };
        self.graph.script(thread, kind);
    }

    /// Need the thread's next operation, a receive, not wait?
    fn is_ready(&self, thread: Tid, want: Want) -> Ready {
        if !want.waits() {
            return Ready::Yes;
        }
        let reader = reader(&self.graph, thread);
        if is_simple(&self.graph, reader.pattern, want) {
            return if has_candidate(&self.graph, &reader) {
                Ready::Yes
            } else {
                Ready::No
            };
        }
        if !is_enabled(&self.graph, &reader, want) {
            return Ready::No;
        }
        let open = open_messages(&self.graph, &reader, None);
        if open.iter().all(|&send| self.graph.fate(send) == Fate::Sure) {
            Ready::Yes
        } else {
            Ready::UnlessLost
        }
    }

    /// What the thread's next operation, a receive, may read.
    pub(super) fn find_open(&mut self, thread: Tid) {
        let reader = reader(&self.graph, thread);
        candidates(&self.graph, &mut self.order, &reader, &mut self.open);
    }
}

/// Need a receive not wait?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ready {
    No,
    Yes,
    /// There are messages, but they may be lost or not exist.
    UnlessLost,
}

/// The thread's next operation, a receive.
pub(super) fn reader<P: Program>(graph: &Graph<P>, thread: Tid) -> Reader<'_, P::Pattern> {
    let id = graph.next_id(thread);
    match graph.scripted(thread).map(|next| &next.kind) {
        Some(Kind::Receive { pattern, .. }) => Reader { id, pattern },
        _ => unreachable!("only receives read"),
    }
}
