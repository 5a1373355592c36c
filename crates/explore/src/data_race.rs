//! Data races: two accesses to a location, one of them a store, one of them plain, of which neither happens before the
//! other.
//!
//! Statement. When an access is inserted it races with every conflicting access of the graph that does not happen
//! before it; nothing happens after it yet. An execution with a race ends there: what such a program does is undefined.
//!
//! Why none is missed. Take an execution with a race and cut it off just before the first access that completes one. The
//! rest is an execution without races, so its plain loads have exactly one store to read, and the search reaches it,
//! with every answer, and then inserts that access. What it reads does not matter: a plain load synchronises with
//! nothing.

use crate::event::EventId;
use crate::graph::Graph;
use crate::memory::{Access, MemoryOrder};
use crate::program::Program;

impl<P: Program> Graph<P> {
    /// The access with which one, just inserted, races.
    pub(crate) fn find_race(&self, id: EventId) -> Option<EventId> {
        let location = self.access(id).and_then(Access::location)?;
        if !self.memory.locations[location as usize].some_plain {
            return None;
        }
        let is_store = |id: EventId| matches!(self.access(id), Some(Access::Store { .. }));
        let is_plain = |id: EventId| self.order_of(id) == MemoryOrder::Plain;
        let races = |&other: &EventId| {
            other != id
                && (is_store(id) || is_store(other))
                && (is_plain(id) || is_plain(other))
                && !self.is_synchronized(other, id)
        };
        let stores = self.stores(location).iter().copied();
        stores.chain(self.loads(location)).find(races)
    }
}
