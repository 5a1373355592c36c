//! Thread symmetry: executions that differ only in which of several like threads acts are explored once.
//!
//! Threads of one *family* are spawned by one thread, run the same code, and nobody cares which is
//! which: renaming them in an execution gives an execution. The *prologue* of a thread is what it
//! does before it first receives, joins or accesses memory, up to its first send; it depends on the thread's own
//! choices only.
//!
//! Statement. Of the executions that differ only in the names of family members, these are explored:
//! - along the family, in the order of spawning, the choices in the prologues do not decrease, compared
//!   as words;
//! - of neighbours with equal prologues, no receive reads the first send of the later one while it
//!   could read that of the earlier one.
//!
//! Why nothing is missed. Take any execution and sort the family by the words of their choices, and
//! equal ones by the place in the mailbox's receives where their first send is read (unread ones
//! last); equal prologues send first to the same mailbox. Renaming accordingly gives an execution that
//! satisfies both conditions.
//!
//! Why the search stays optimal. It explores another program: there, a prologue begins after the
//! prologue of the family member before it (an edge of causality, [`Graph::cause_in_twin`]); so a choice
//! has the neighbour's choice in its causal past, and the first sends of neighbours are ordered like
//! two sends of one thread under `Fifo`. The additional edges contain no receive, so they keep no
//! receive from being turned round. But `Causal`, `Mailbox` and models of the program's own would take
//! them for causality: with those symmetry must not be used, and the engine says that it was
//! ([`Tally::unsafe_symmetry`](crate::Tally)).
//!
//! NOT COVERED. Symmetry that is left after the first send, and families of families.

use crate::event::{EventId, Kind, Tid};
use crate::graph::Graph;
use crate::program::Program;

impl<P: Program> Graph<P> {
    /// The sibling of the same family that was spawned before the child of `spawn`.
    pub(crate) fn find_twin(&self, spawn: EventId) -> Option<Tid> {
        let family_of = |index: u32| match self.event_at(spawn.thread, index as usize).kind {
            Kind::Spawn {
                thread,
                family: Some(family),
            } => Some((thread, family)),
            _ => None,
        };
        if !self.symmetry {
            return None;
        }
        let (_, own) = family_of(spawn.index)?;
        (0..spawn.index)
            .rev()
            .find_map(|index| family_of(index).filter(|&(_, family)| family == own))
            .map(|(thread, _)| thread)
    }

    /// The family member before a thread.
    pub(crate) fn twin(&self, thread: Tid) -> Option<Tid> {
        self.threads[thread as usize].twin
    }

    /// How many of the thread's events in the graph are its prologue.
    pub(crate) fn prologue(&self, thread: Tid) -> usize {
        let kind = |index| &self.event_at(thread, index).kind;
        let live = self.live(thread);
        let waits = (0..live).find(|&index| !is_prologue(kind(index)));
        let sends = (0..live).find(|&index| matches!(kind(index), Kind::Send { .. }));
        let end = sends.map_or(live, |index| index + 1);
        waits.map_or(end, |index| index.min(end))
    }

    /// Is the thread's prologue over, whatever it does next?
    pub(crate) fn has_left_prologue(&self, thread: Tid) -> bool {
        let prologue = self.prologue(thread);
        prologue < self.live(thread)
            || prologue
                .checked_sub(1)
                .is_some_and(|last| matches!(self.event_at(thread, last).kind, Kind::Send { .. }))
    }

    /// A prologue begins after that of the family member before.
    pub(crate) fn cause_in_twin(&self, id: EventId) -> Option<EventId> {
        if id.index > 0 || !is_prologue(&self.event(id).kind) {
            return None;
        }
        let twin = self.twin(id.thread)?;
        let index = self.prologue(twin).checked_sub(1)?;
        Some(EventId {
            thread: twin,
            index: index as u32,
        })
    }

    /// The smallest value of a choice that keeps the family in order.
    pub(crate) fn least_choice(&self, id: EventId) -> u32 {
        let Some(twin) = self.twin(id.thread) else {
            return 0;
        };
        let index = id.index as usize;
        if self.prologue(id.thread) < index || self.prologue(twin) <= index {
            return 0;
        }
        match self.event_at(twin, index).kind {
            Kind::Choose {
                value,
                budget: None,
                ..
            } if self.same_choices(twin, id.thread, index) => value,
            _ => 0,
        }
    }

    /// Did two threads choose the same in their first `count` events?
    fn same_choices(&self, one: Tid, other: Tid, count: usize) -> bool {
        let choice = |thread, index| match self.event_at(thread, index).kind {
            Kind::Choose { value, .. } => Some(value),
            _ => None,
        };
        (0..count).all(|index| choice(one, index) == choice(other, index))
    }

    /// The first sends of family members with equal prologues, which come before this send.
    pub(crate) fn family_sends_before(&self, send: EventId) -> impl Iterator<Item = EventId> {
        let mut thread = send.thread;
        let index = send.index as usize;
        let counts = self.twin(thread).is_some() && self.is_first_send(send);
        std::iter::from_fn(move || {
            let twin = self.twin(thread).filter(|_| counts)?;
            let alike = index < self.prologue(twin) && self.same_choices(twin, thread, index);
            thread = twin;
            let send = EventId {
                thread,
                index: send.index,
            };
            (alike && matches!(self.event(send).kind, Kind::Send { .. })).then_some(send)
        })
    }

    fn is_first_send(&self, send: EventId) -> bool {
        self.prologue(send.thread) == send.index as usize + 1
    }
}

/// Does the operation not wait for others?
pub(crate) fn is_prologue<M, R>(kind: &Kind<M, R>) -> bool {
    !matches!(
        kind,
        Kind::Receive { .. } | Kind::Join { .. } | Kind::Memory(_)
    )
}
