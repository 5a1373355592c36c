//! Happens-before of RC11: program order, synchronisation of atomic accesses, and messages.
//!
//! The clocks of [`clocks`](crate::clocks) are about causality, `(po ∪ rf)⁺`, which is what the search goes by. A
//! relaxed load has what it reads in its causal past, but the store does not *happen before* it. So where memory is
//! used every event has a second row, its *view*: how many events of each thread happen before it, itself included.
//!
//! Statement. The view of an event is the join of that of the event before it in its thread (or of the spawn) and of
//! what it acquires:
//! - a receive: the views of the sends that it reads, if their messages [synchronise](crate::Program::synchronizes); a join: the view of the end;
//! - an acquire load: what the store that it reads *releases*;
//! - an acquire fence: what the stores release that earlier atomic loads of its thread read.
//!
//! A release store releases its own view; another one the view of its thread's last release fence, if any. The store
//! of an update releases, besides, what the store releases that it replaces (release sequence).
//!
//! Source. [Lahav17]; release sequences of C++20.

use crate::event::{EventId, Kind, Tid};
use crate::graph::Graph;
use crate::mailbox_order::join;
use crate::memory::{Access, MemoryOrder};
use crate::program::Program;

impl<P: Program> Graph<P> {
    /// The first access is about to come: up to now everything that was causal was synchronised.
    pub(crate) fn begin_synchronization(&mut self) {
        self.settle_clocks();
        for thread in &mut self.threads {
            thread.views.clone_from(&thread.clocks);
        }
    }

    /// How many events of each thread happen before an event, itself included.
    pub(crate) fn view(&self, id: EventId) -> &[u32] {
        let at = id.index as usize * self.stride;
        &self.threads[id.thread as usize].views[at..at + self.stride]
    }

    /// Does `earlier` happen before `later`, or are they the same?
    pub(crate) fn is_synchronized(&self, earlier: EventId, later: EventId) -> bool {
        self.view(later)[earlier.thread as usize] > earlier.index
    }

    /// What happens before the event that a thread performs as its `index`-th, as far as the thread knows before.
    pub(crate) fn view_before(&self, thread: Tid, index: u32) -> Vec<u32> {
        let before = match index.checked_sub(1) {
            Some(index) => Some(EventId { thread, index }),
            None => self.spawned_by(thread),
        };
        before.map_or_else(|| vec![0; self.stride], |before| self.view(before).to_vec())
    }

    /// Computes the view of an event whose causes have theirs.
    pub(crate) fn set_view(&mut self, id: EventId) {
        let mut view = self.view_before(id.thread, id.index);
        view[id.thread as usize] = id.index + 1;
        match &self.event(id).kind {
            Kind::Receive { .. } => {
                let sends = self.event(id).reads();
                for send in sends.filter(|&send| P::synchronizes(self.message(send))) {
                    join(&mut view, self.view(send));
                }
            }
            &Kind::Join { .. } => {
                if let Some(end) = self.outside_cause(id) {
                    join(&mut view, self.view(end));
                }
            }
            Kind::Memory(memory) => self.acquire(id, &memory.access, &mut view),
            _ => {}
        }
        let at = id.index as usize * self.stride;
        let views = &mut self.threads[id.thread as usize].views;
        views.truncate(at);
        views.extend_from_slice(&view);
    }

    fn acquire(&self, id: EventId, access: &Access, view: &mut [u32]) {
        match access {
            Access::Load { .. } if self.order_of(id).acquires() => self.join_released(id, view),
            Access::Fence { order } if order.acquires() => {
                for index in 0..id.index {
                    let load = EventId {
                        thread: id.thread,
                        index,
                    };
                    if matches!(self.access(load), Some(Access::Load { .. })) {
                        self.join_released(load, view);
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds what the store releases that an atomic load reads.
    fn join_released(&self, load: EventId, view: &mut [u32]) {
        if self.order_of(load) == MemoryOrder::Plain {
            return;
        }
        let mut next = self.read_store(load);
        while let Some(store) = next {
            match self.order_of(store) {
                MemoryOrder::Plain => return,
                order if order.releases() => join(view, self.view(store)),
                _ => {
                    if let Some(fence) = self.last_release_fence(store) {
                        join(view, self.view(fence));
                    }
                }
            }
            next = self
                .load_of_update(store)
                .and_then(|load| self.read_store(load));
        }
    }

    fn last_release_fence(&self, before: EventId) -> Option<EventId> {
        let mut earlier = (0..before.index).rev().map(|index| EventId {
            thread: before.thread,
            index,
        });
        earlier.find(
            |&id| matches!(self.access(id), Some(Access::Fence { order }) if order.releases()),
        )
    }
}
