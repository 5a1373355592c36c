//! Accesses to memory: what a load reads, and where a store comes.
//!
//! A store has all its outcomes before it is inserted: its places in modification order, and the loads that it turns
//! round, each with its places. The first outcome is the last place, which is always consistent, and a load that reads
//! the last store is too; unless two updates read the same store, no execution is started in vain.

use super::{Engine, Leaf, Outcomes};
use crate::backward_revisit::Cut;
use crate::event::{EventId, Kind, Tid};
use crate::mailbox_order::SendOrder;
use crate::memory::Access;
use crate::memory_revisit::{StoreOutcome, store_outcomes};
use crate::program::Program;

/// Why an execution does not go on after an access.
#[derive(Clone, Copy)]
pub(super) enum Ended {
    /// It is not consistent.
    Inconsistent,
    /// These accesses are a data race.
    Raced(EventId, EventId),
}

impl Ended {
    pub(super) fn leaf(self) -> Option<Leaf> {
        match self {
            Ended::Inconsistent => None,
            Ended::Raced(earlier, later) => Some(Leaf::Raced(earlier, later)),
        }
    }
}

impl<P: Program> Engine<'_, P> {
    /// Inserts the thread's next operation, an access.
    pub(super) fn access(&mut self, thread: Tid, access: &Access) {
        match access {
            Access::Load { .. } => self.load(thread, access),
            Access::Store { .. } => self.store(thread),
            Access::Fence { .. } => {
                self.insert(thread, None);
            }
        }
    }

    /// Looks whether the execution ends with an event, just inserted.
    #[inline]
    pub(super) fn inspect(&mut self, id: EventId) {
        if self.graph.memory.is_used && self.graph.access(id).is_some() {
            self.ended = match self.graph.find_race(id) {
                Some(other) => Some(Ended::Raced(other, id)),
                None if self.graph.is_sc_consistent(id) => None,
                None => Some(Ended::Inconsistent),
            };
        }
    }

    fn load(&mut self, thread: Tid, access: &Access) {
        let id = self.graph.next_id(thread);
        let mut stores = self.graph.readable(id, access);
        stores.reverse();
        self.keep_consistent(id, &mut stores, |engine, &store| {
            engine.graph.insert(thread, Some(store));
        });
        match stores[..] {
            [] => self.ended = Some(Ended::Inconsistent),
            [only] => {
                self.read(thread, Some(only));
            }
            _ => {
                let (taken, left) = self.first_of(stores.len() as u32);
                let id = self.read(thread, Some(stores[taken as usize]));
                let reads = stores.into_iter().map(Some).collect();
                self.note(id, taken, left, Outcomes::Reads(reads));
            }
        }
    }

    /// Drops outcomes with which the `SeqCst` accesses have no order.
    fn keep_consistent<T>(
        &mut self,
        id: EventId,
        outcomes: &mut Vec<T>,
        insert: impl Fn(&mut Self, &T),
    ) {
        if self.graph.memory.some_sc && outcomes.len() > 1 {
            outcomes.retain(|outcome| {
                insert(self, outcome);
                let is_consistent = self.graph.is_sc_consistent(id);
                self.graph.remove_last();
                is_consistent
            });
        }
    }

    fn store(&mut self, thread: Tid) {
        let before = self.graph.order().len();
        let id = self.graph.next_id(thread);
        let outcomes = self.outcomes_of_store(id);
        match &outcomes[..] {
            [] => self.ended = Some(Ended::Inconsistent),
            [StoreOutcome::Place(_)] => {
                self.take_store(id, &outcomes[0]);
            }
            [StoreOutcome::Revisit(..)] => {
                // Nothing is left to be tried, but what is deleted has to come back.
                let undo = self.take_store(id, &outcomes[0]);
                self.keep(id, before, 1..1, Outcomes::Stores { outcomes, undo });
            }
            _ => {
                let (taken, left) = self.first_of(outcomes.len() as u32);
                self.counted = (self.tally.events, self.tally.revisits);
                let undo = self.take_store(id, &outcomes[taken as usize]);
                let outcomes = Outcomes::Stores { outcomes, undo };
                self.note_fork(id, &outcomes);
                if !left.is_empty() {
                    self.keep(id, before, left, outcomes);
                }
                self.path.push(taken);
                self.decided = true;
            }
        }
    }

    /// What may become of the thread's next operation, a store.
    fn outcomes_of_store(&mut self, id: EventId) -> Vec<StoreOutcome> {
        let location = self.graph.access(id).and_then(Access::location);
        let stores = self.graph.stores(location.expect("a store")).to_vec();
        self.insert_last(id);
        let mut outcomes = store_outcomes(&self.graph, &mut self.walk, id, &stores);
        self.graph.remove_last();
        let revisits = outcomes
            .iter()
            .position(|outcome| matches!(outcome, StoreOutcome::Revisit(..)));
        let revisits = outcomes.split_off(revisits.unwrap_or(outcomes.len()));
        self.keep_consistent(id, &mut outcomes, |engine, outcome| {
            if let StoreOutcome::Place(place) = outcome {
                engine.graph.set_place(id, *place);
            }
            engine.graph.insert(id.thread, None);
        });
        outcomes.extend(revisits);
        outcomes
    }

    /// Inserts a store, last in modification order.
    fn insert_last(&mut self, id: EventId) {
        let location = self.graph.access(id).and_then(Access::location);
        let stores = self.graph.stores(location.expect("a store")).len();
        self.graph.set_place(id, stores as u32);
        self.graph.insert(id.thread, None);
    }

    /// Inserts a store with one of its outcomes; returns what is to be undone.
    pub(super) fn take_store(
        &mut self,
        id: EventId,
        outcome: &StoreOutcome,
    ) -> Option<Box<(Cut<P>, SendOrder)>> {
        match outcome {
            StoreOutcome::Place(place) => {
                self.graph.set_place(id, *place);
                self.insert(id.thread, None);
                None
            }
            StoreOutcome::Revisit(turn, place) => {
                self.insert_last(id);
                self.tally.events = self.tally.events.saturating_add(self.news());
                let undo = self.revisit(turn);
                self.graph.move_store(id, *place as usize);
                self.inspect(id);
                Some(Box::new(undo))
            }
        }
    }

    /// Undoes a revisit by a store, and takes the store out.
    pub(super) fn take_store_back(&mut self, id: EventId, cut: Cut<P>, order: SendOrder) {
        let location = self.graph.access(id).and_then(Access::location);
        let others = self.graph.stores(location.expect("a store")).len() - 1;
        self.graph.move_store(id, others);
        self.restore(cut, order);
        self.graph.remove_last();
    }

    /// Performs an access in a random execution that never goes back: reads and places are drawn.
    pub(super) fn access_now(&mut self, thread: Tid) -> Option<Leaf> {
        loop {
            let Kind::Memory(memory) = self.scripted(thread) else {
                return None;
            };
            let access = memory.access;
            match access {
                Access::Store { .. } => {
                    let id = self.graph.next_id(thread);
                    let mut outcomes = self.outcomes_of_store(id);
                    outcomes.retain(|outcome| matches!(outcome, StoreOutcome::Place(_)));
                    let at = match outcomes.len() {
                        0 => return None,
                        1 => 0,
                        count => self.first_of(count as u32).0,
                    };
                    self.take_store(id, &outcomes[at as usize]);
                }
                _ => self.access(thread, &access),
            }
            if let Some(ended) = self.ended.take() {
                return ended.leaf();
            }
            if self.graph.memory.updating != Some(thread) {
                return None;
            }
            self.learn_next(thread);
        }
    }
}
