//! Happens-before as vector clocks: one for each event.
//!
//! Row `i` of a thread says, for every thread, how many of its events are in the causal past of event
//! `i` (itself included): the reflexive-transitive closure of program order, spawns, joins and
//! reads-from, as one row of `u32`s.
//!
//! Why late. Most events come and go without anybody asking what was before them: a clock is needed
//! when a send might turn a receive round, or when messages are delivered in causal order. So clocks
//! are computed in the order of insertion, for all events up to now, when the first is needed. A receive
//! that was turned round stands before what it reads; it got its clock when that happened. Until then
//! [`Graph::happens_before`] goes back from cause to cause.

use crate::event::EventId;
use crate::graph::Graph;
use crate::mailbox_order::join;
use crate::program::Program;

impl<P: Program> Graph<P> {
    /// Is `earlier` in the causal past of `later`, or the same?
    #[inline]
    pub fn happens_before(&self, earlier: EventId, later: EventId) -> bool {
        if self.has_clock(later) {
            self.clock(later)[earlier.thread as usize] > earlier.index
        } else {
            self.is_reached(earlier, later)
        }
    }

    #[inline]
    fn has_clock(&self, id: EventId) -> bool {
        self.threads[id.thread as usize].clocked > id.index as usize
    }

    /// The same, from cause to cause.
    #[cold]
    fn is_reached(&self, earlier: EventId, later: EventId) -> bool {
        self.lacked_clock.set(true);
        // How many events of each thread have been looked at.
        let mut seen = vec![0; self.threads()];
        let mut open = vec![later];
        while let Some(EventId { thread, index }) = open.pop() {
            if thread == earlier.thread && index >= earlier.index {
                return true;
            }
            let last_clocked = self.threads[thread as usize].clocked.saturating_sub(1) as u32;
            let from = last_clocked.min(index).max(seen[thread as usize]);
            for index in from..=index {
                let id = EventId { thread, index };
                match self.has_clock(id) {
                    true if self.happens_before(earlier, id) => return true,
                    true => {}
                    false => open.extend(self.causes(id).filter(|cause| cause.thread != thread)),
                }
            }
            seen[thread as usize] = seen[thread as usize].max(index + 1);
        }
        false
    }

    /// The causal past of an event, as how many events of each thread; for visitors that
    /// [want clocks](crate::Visitor::wants_clocks).
    #[inline]
    pub fn clock(&self, id: EventId) -> &[u32] {
        debug_assert!(self.has_clock(id), "clocks were settled before");
        let at = id.index as usize * self.stride;
        &self.threads[id.thread as usize].clocks[at..at + self.stride]
    }

    /// The clocks of all events of a thread, one row after the other.
    pub(crate) fn clocks(&self, thread: u32) -> &[u32] {
        let thread = &self.threads[thread as usize];
        debug_assert_eq!(thread.clocked, thread.live, "clocks were settled before");
        &thread.clocks[..thread.live * self.stride]
    }

    /// Gives every event its clock.
    #[inline]
    pub(crate) fn settle_clocks(&mut self) {
        while self.clocked < self.order.len() {
            self.set_clock(self.order[self.clocked]);
            self.clocked += 1;
        }
    }

    /// All events have their clocks, whatever was done to the order.
    pub(crate) fn clocks_are_settled(&mut self) {
        self.clocked = self.order.len();
        for thread in &mut self.threads {
            thread.clocked = thread.live;
        }
    }

    /// Computes the clock of an event whose causes have theirs.
    pub(crate) fn set_clock(&mut self, id: EventId) {
        let stride = self.stride;
        let at = id.index as usize * stride;
        let cause = self.outside_cause(id);
        let thread = &mut self.threads[id.thread as usize];
        thread.clocked = id.index as usize + 1;
        if thread.clocks.len() < at + stride {
            thread.clocks.resize(at + stride, 0);
        }
        let (before, own) = thread.clocks.split_at_mut(at);
        let own = &mut own[..stride];
        let parent = match id.index {
            0 => {
                own.fill(0);
                thread.spawned_by
            }
            _ => {
                copy_row(own, &before[at - stride..]);
                None
            }
        };
        own[id.thread as usize] = id.index + 1;
        let causes = [parent, self.cause_in_twin(id), cause];
        for cause in causes.into_iter().flatten() {
            self.join_clock(id, cause);
        }
        for more in 0..self.more_causes(id).len() {
            self.join_clock(id, self.more_causes(id)[more]);
        }
        if self.memory.is_used {
            self.set_view(id);
        }
    }

    /// What is in the causal past of `cause` is in that of `id`.
    fn join_clock(&mut self, id: EventId, cause: EventId) {
        // A thread can read its own sends: their clocks are smaller than those of what came after.
        if cause.thread == id.thread {
            return;
        }
        let stride = self.stride;
        let both = [id.thread as usize, cause.thread as usize];
        let [own, other] = self.threads.get_disjoint_mut(both).expect("two threads");
        let (at, from) = (id.index as usize * stride, cause.index as usize * stride);
        let past = &other.clocks[from..from + stride];
        join(&mut own.clocks[at..at + stride], past);
    }

    /// Makes room for more threads in every clock.
    pub(crate) fn widen(&mut self) {
        let (old, new) = (self.stride, self.stride * 2);
        for thread in &mut self.threads {
            thread.clocks = widened(&thread.clocks, old, new);
            thread.views = widened(&thread.views, old, new);
        }
        self.stride = new;
    }
}

/// The same rows with more columns.
fn widened(rows: &[u32], old: usize, new: usize) -> Vec<u32> {
    let mut wide = vec![0; rows.len() / old * new];
    for (wide, row) in wide.chunks_exact_mut(new).zip(rows.chunks_exact(old)) {
        wide[..old].copy_from_slice(row);
    }
    wide
}

/// Copies a clock; their lengths are multiples of eight.
fn copy_row(to: &mut [u32], from: &[u32]) {
    let (to, _) = to.as_chunks_mut::<8>();
    let (from, _) = from.as_chunks::<8>();
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}
