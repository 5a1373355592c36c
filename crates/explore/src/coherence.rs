//! Coherence and atomicity: which stores a load may read, and where a store may come in modification order.
//!
//! Statement. Let `e` be the last event of its thread, and `p` the last place in modification order of a store that
//! happens before `e`, or that is read by a load that happens before `e`.
//! - A load may read the stores from place `p` on.
//! - A store may come anywhere behind `p`, but not between a store and the update that replaces it. The store of an
//!   update comes directly behind the store that its load reads, and only if no other update does already.
//!
//! Why this is all. Nothing happens after `e` yet, so of the four shapes of coherence (`hb;eco` irreflexive) only those
//! that end in `e` can be new: CoWR and CoRR are the rule for loads, CoWW and CoRW that for stores. An acquire load
//! learns of more stores when it reads, but only of such that come no later than the one it reads: they happen before
//! it, or are read before it.

use crate::event::EventId;
use crate::graph::Graph;
use crate::memory::{Access, Location, MemoryOrder};
use crate::program::Program;

impl<P: Program> Graph<P> {
    /// The first place in modification order from which a load may read that comes directly after this view.
    ///
    /// Places are counted among the `stores` of the location.
    pub(crate) fn first_visible(
        &self,
        stores: &[EventId],
        location: Location,
        view: &[u32],
    ) -> usize {
        let knows = |id: EventId| view[id.thread as usize] > id.index;
        let place = |store: EventId| stores.iter().position(|&other| other == store);
        let known = stores.iter().rposition(|&store| knows(store));
        // The last load of a thread reads the last store of those that its loads read.
        let loads = self.loads_by_thread(location).iter();
        let last = loads.filter_map(|&(thread, ref loads)| {
            let known = loads.partition_point(|&index| index < view[thread as usize]);
            let index = loads[..known].last().copied()?;
            place(self.read_store(EventId { thread, index })?)
        });
        known.max(last.max()).unwrap_or(0)
    }

    /// The stores that a thread's next operation, a load, may read, in modification order.
    pub(crate) fn readable(&self, load: EventId, access: &Access) -> Vec<EventId> {
        let &Access::Load {
            location,
            order,
            only,
            ..
        } = access
        else {
            unreachable!("only loads read")
        };
        let stores = self.stores(location);
        if order == MemoryOrder::Plain {
            // It is a race if this is not the only one.
            return stores.last().copied().into_iter().collect();
        }
        let view = self.view_before(load.thread, load.index);
        let first = self.first_visible(stores, location, &view);
        let is_meant = |store: &&EventId| only.is_none() || self.rank_of(**store) == only;
        let readable = stores.iter().skip(first);
        readable.filter(is_meant).copied().collect()
    }

    /// Has the thread's next operation, a load, something to read?
    pub(crate) fn can_load(&self, access: &Access) -> bool {
        match *access {
            Access::Load { location, only, .. } => {
                let mut stores = self.stores(location).iter();
                match only {
                    None => stores.next().is_some(),
                    Some(_) => stores.any(|&store| self.rank_of(store) == only),
                }
            }
            _ => true,
        }
    }

    fn rank_of(&self, store: EventId) -> Option<u32> {
        match self.access(store) {
            Some(&Access::Store { rank, .. }) => rank,
            _ => None,
        }
    }

    /// Where a store may come among these stores of its location, itself not among them; the last place first.
    ///
    /// `after` is the least place that it must come behind, beside what its view says.
    pub(crate) fn places(
        &self,
        store: EventId,
        stores: &[EventId],
        after: Option<usize>,
    ) -> Vec<usize> {
        let Some(&Access::Store {
            location,
            order,
            is_update,
            rank,
            ..
        }) = self.access(store)
        else {
            unreachable!("only stores have a place")
        };
        if stores.is_empty() {
            return vec![0];
        }
        if order == MemoryOrder::Plain {
            return vec![stores.len()];
        }
        let view = self.view_before(store.thread, store.index);
        let first = self
            .first_visible(stores, location, &view)
            .max(after.unwrap_or(0))
            + 1;
        let replaced = |at: usize| {
            stores
                .get(at)
                .is_some_and(|&next| self.load_of_update(next).is_some())
        };
        if is_update {
            let load = EventId {
                index: store.index - 1,
                ..store
            };
            let read = self.read_store(load);
            let at = stores.iter().position(|&other| Some(other) == read);
            let at = at
                .map(|at| at + 1)
                .filter(|&at| at >= first && !replaced(at));
            return at.into_iter().collect();
        }
        let is_meant = |at: &usize| {
            rank.is_none() || {
                let of = |store: &EventId| self.rank_of(*store);
                stores[..*at]
                    .iter()
                    .all(|store| of(store) < rank || of(store).is_none())
                    && stores[*at..]
                        .iter()
                        .all(|store| of(store) > rank || of(store).is_none())
            }
        };
        let places = (first..=stores.len()).rev().filter(|&at| !replaced(at));
        places.filter(is_meant).collect()
    }
}
