//! Who goes on, and what it does next.
//!
//! Operations that are always possible come first, receives last, in the order of the threads' keys; a
//! receive whose messages may all be lost comes after the others. Where it is known that nobody else can send
//! to a receiver any more, it comes before the other receivers: no send will turn its receive round. Among such, under
//! `mailbox`, those come first whose order earlier receives have a say in ([`Engine::is_concerned`]): then what those
//! receives decided is soon over, and places in the search are alike again (`known`). Whatever the rule, it looks at the
//! graph alone: the path to a place in the search leads other engines there.

use super::{Engine, Policy};
use crate::candidates::{Decided, Reader, collect, has_candidate, is_global, keep_first_ones};
use crate::event::{EventId, Kind, Tid};
use crate::graph::Graph;
use crate::memory::MemoryEvent;
use crate::program::{Fate, History, Mailboxes, Model, Op, Program, Want};
use crate::receive_sets::{is_enabled, is_simple, open_messages};
use crate::thread_symmetry::is_prologue;

impl<P: Program> Engine<'_, P> {
    /// The thread to run next: one that cannot wait if there is one, else a receive that need not.
    pub(super) fn pick(&mut self) -> Option<Tid> {
        if let Some(thread) = self.graph.memory.updating
            && self.graph.is_running(thread)
        {
            self.learn_next(thread);
            return Some(thread);
        }
        if self.policy == Policy::ReceivesLast && !self.graph.symmetry {
            return self.pick_active().or_else(|| self.pick_receiver());
        }
        let (mut receiver, mut last) = (None, None);
        let threads = self.graph.by_key().len();
        let first = match self.policy {
            Policy::ReceivesLast => 0,
            Policy::Shuffled(seed) => self.shuffle(seed),
        };
        for at in 0..threads {
            let thread = self.graph.by_key()[(first + at) % threads];
            if !self.graph.is_running(thread) {
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
                    if self.graph.has_ended(other) {
                        return Some(thread);
                    }
                }
                Kind::Memory(ref memory) if !self.graph.can_load(&memory.access) => {}
                _ => return Some(thread),
            }
        }
        receiver.or(last)
    }

    /// The first thread whose next operation is no receive and need not wait.
    ///
    /// Threads before the cursor have none. An event gives only its own thread a new operation, and
    /// children come after their parent; only an end lets others go on, those that join. So the cursor
    /// stays where the last event was, and is set back when a thread ends that others wait for.
    fn pick_active(&mut self) -> Option<Tid> {
        while let Some(at) = self.graph.running.first_from(self.cursor) {
            self.cursor = at;
            let thread = self.graph.by_key()[at];
            self.learn_next(thread);
            match *self.scripted(thread) {
                Kind::Receive { .. } => {}
                Kind::Memory(ref memory) if !self.graph.can_load(&memory.access) => {
                    self.some_join = true;
                }
                Kind::Join { thread: other } if !self.graph.has_ended(other) => {
                    self.some_join = true;
                }
                Kind::End if self.some_join => {
                    self.cursor = 0;
                    return Some(thread);
                }
                _ => return Some(thread),
            }
            self.cursor += 1;
        }
        None
    }

    /// The first thread whose next operation is a receive that need not wait; nothing else can go on.
    fn pick_receiver(&mut self) -> Option<Tid> {
        let (mut from, mut first, mut last) = (0, None, None);
        let mut unconcerned = None;
        // Asked for when there is one that need not wait.
        let mut settled: Option<Option<Mailboxes>> = None;
        while let Some(at) = self.graph.running.first_from(from) {
            from = at + 1;
            let thread = self.graph.by_key()[at];
            let Kind::Receive { want, .. } = *self.scripted(thread) else {
                continue;
            };
            if first.or(unconcerned).is_some()
                && settled.is_some_and(|settled| !self.is_settled(thread, settled))
            {
                continue;
            }
            let ready = self.look(thread, want);
            if ready == Ready::No {
                continue;
            }
            let settled = *settled.get_or_insert_with(|| self.settled());
            match ready {
                Ready::No => {}
                Ready::UnlessLost => last = last.or(Some((at, thread))),
                Ready::Yes if !self.is_settled(thread, settled) => first = Some((at, thread)),
                Ready::Yes if self.is_concerned(thread) => {
                    self.cursor = at;
                    return Some(thread);
                }
                Ready::Yes => unconcerned = unconcerned.or(Some((at, thread))),
            }
        }
        let (at, thread) = unconcerned.or(first).or(last)?;
        self.cursor = at;
        Some(thread)
    }

    /// Can nobody else send any more to where the thread's next operation, a receive, looks?
    #[inline]
    fn is_settled(&self, thread: Tid, settled: Option<Mailboxes>) -> bool {
        settled.is_none_or(|settled| {
            let mut mailboxes = P::mailboxes(reader(&self.graph, thread).pattern).iter();
            mailboxes.all(|&mailbox| settled >> mailbox & 1 == 1)
        })
    }

    /// The mailboxes to which nobody but who receives from them can send any more; nothing if that makes no
    /// difference.
    fn settled(&mut self) -> Option<Mailboxes> {
        let (mut from, mut waiting) = (0, 0);
        // Somebody may send to it, or two may.
        let (mut one, mut two) = (0, 0);
        let mut own: Mailboxes = 0;
        while let Some(at) = self.graph.running.first_from(from) {
            from = at + 1;
            let thread = self.graph.by_key()[at];
            let to = self.outlook(thread)?;
            two |= one & to;
            one |= to;
            if let Kind::Receive { pattern, .. } = self.scripted(thread) {
                waiting += 1;
                for &mailbox in P::mailboxes(pattern) {
                    own |= to & 1 << mailbox;
                }
            }
        }
        let settled = !(one & !own | two);
        (waiting > 1).then_some(settled)
    }

    /// To whom a thread whose next operation is known may still send, if the program knows.
    #[inline]
    fn outlook(&mut self, thread: Tid) -> Option<Mailboxes> {
        let asked = self.graph.scripted(thread).and_then(|next| next.outlook);
        asked.or_else(|| {
            let history = History {
                graph: &self.graph,
                thread,
            };
            let to = self.program.outlook(thread, history);
            let next = self.graph.next_id(thread);
            self.graph.event_mut(next).outlook = to;
            to
        })
    }

    /// Need the thread's next operation, a receive, not wait? Keeps what was found.
    fn look(&mut self, thread: Tid, want: Want) -> Ready {
        let reader = reader(&self.graph, thread);
        if !want.waits() || !is_simple(&self.graph, reader.pattern, want) {
            self.looked = None;
            return self.is_ready(thread, want);
        }
        let decided = collect(&self.graph, &reader, None, &mut self.open);
        self.looked = Some((thread, decided));
        match self.open.is_empty() {
            true => Ready::No,
            false => Ready::Yes,
        }
    }

    /// Does an order of all sends decide what this thread may read, and have earlier receives decided about that order?
    /// They have if they read something of who sent a message that it may read. Yes, where no such order decides.
    fn is_concerned(&self, thread: Tid) -> bool {
        let Some((looked, _)) = self.looked else {
            return true;
        };
        let is_global = |send: &EventId| is_global(self.graph.place(*send).1);
        if looked != thread || !self.open.iter().any(is_global) {
            return true;
        }
        let mut senders = self.open.iter().map(|send| send.thread);
        senders.any(|sender| self.graph.was_read(sender))
    }

    /// Is the thread at the beginning of its prologue, and the family member before it not at the
    /// end of its own?
    fn waits_for_twin(&mut self, thread: Tid) -> bool {
        let Some(twin) = self.graph.twin(thread) else {
            return false;
        };
        if self.graph.live(thread) > 0
            || !is_prologue(self.scripted(thread))
            || !self.graph.is_running(twin)
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

    #[inline]
    pub(super) fn scripted(&self, thread: Tid) -> &Kind<P::Message, P::Pattern> {
        &self
            .graph
            .scripted(thread)
            .expect("the next step of a picked thread is known")
            .kind
    }

    /// Asks the program what the thread does next, if that is not known.
    #[inline]
    pub(super) fn learn_next(&mut self, thread: Tid) {
        if self.graph.scripted(thread).is_none() {
            self.ask(thread);
        }
    }

    fn ask(&mut self, thread: Tid) {
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
            Op::Memory(access) => Kind::Memory(Box::new(MemoryEvent { access, place: 0 })),
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
        let decided = match self.looked.take() {
            Some((looked, decided)) if looked == thread => decided,
            _ => collect(&self.graph, &reader, None, &mut self.open),
        };
        if decided == Decided::Yes {
            return;
        }
        if self.order.is_worth_it(&self.graph) {
            keep_first_ones(&self.graph, &self.order, &mut self.open);
        } else {
            self.walk
                .before
                .keep_first_ones(&self.graph, None, &mut self.open);
        }
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
