//! Shared memory: atomic accesses and fences as events of the graph, under RC11 [Lahav17].
//!
//! A location has its writes in *modification order*; a load reads one of them (reads-from). With program order
//! and what messages, spawns and joins order, that is all there is to an execution: two executions that agree on
//! it cannot be told apart. So the search visits every consistent combination of reads-from and modification
//! order once.
//!
//! | axiom | where |
//! |---|---|
//! | coherence: happens-before agrees with modification order and reads-from | `coherence` |
//! | atomicity: nothing comes between what an update reads and what it writes | `coherence` |
//! | SC: there is an order of the `SeqCst` accesses and fences (`psc` is acyclic) | `sc_order` |
//! | no thin air: program order and reads-from are acyclic | by construction: a load reads what is there |
//! | happens-before: program order, synchronisation, messages | `synchronization` |
//!
//! An *update* (read-modify-write) is two events of its thread, a load and a store directly after it. The load
//! says when it succeeds; then the program's next operation has to be the store.
//!
//! DIFFERS. Release sequences are those of C++20: the release store and the updates that read from it, not later
//! stores of the same thread.
//! NOT COVERED. Load buffering, which Rust allows on paper: `po ∪ rf` has no cycle. Locations whose accesses have
//! different sizes.

use crate::event::{EventId, Kind, Read, Tid};
use crate::graph::Graph;
use crate::program::Program;

/// A place in memory.
pub type Location = u32;

/// How much order an access asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryOrder {
    /// Not atomic: with a conflicting access that happens neither before nor after it, it is a data race.
    Plain,
    /// Atomic, and no order with other locations.
    Relaxed,
    /// A load that synchronises with release stores.
    Acquire,
    /// A store that synchronises with acquire loads.
    Release,
    /// Both, for updates and fences.
    AcqRel,
    /// Both, and in one order with all others of this kind.
    SeqCst,
}

impl MemoryOrder {
    /// Does a load, or a fence, of this order acquire?
    pub(crate) fn acquires(self) -> bool {
        use MemoryOrder::{AcqRel, Acquire, SeqCst};
        matches!(self, Acquire | AcqRel | SeqCst)
    }

    /// Does a store, or a fence, of this order release?
    pub(crate) fn releases(self) -> bool {
        use MemoryOrder::{AcqRel, Release, SeqCst};
        matches!(self, Release | AcqRel | SeqCst)
    }
}

/// When a load is the first half of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Update {
    /// It always is.
    Always,
    /// It is if it reads this value; otherwise it is a load of the other order.
    If(u64, MemoryOrder),
}

/// An access to memory, or a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reads a value.
    Load {
        /// From where.
        location: Location,
        /// In which order.
        order: MemoryOrder,
        /// Is it the first half of an update?
        update: Option<Update>,
        /// It reads the write of this rank and no other: for replays.
        only: Option<u32>,
    },
    /// Writes a value. The first one to a location makes it, and happens before all other accesses.
    Store {
        /// To where.
        location: Location,
        /// In which order.
        order: MemoryOrder,
        /// What.
        value: u64,
        /// Is it the second half of an update?
        is_update: bool,
        /// It comes in modification order where its rank says, among those that have one: for replays.
        rank: Option<u32>,
    },
    /// Orders what comes before it in its thread and what comes after.
    Fence {
        /// How much.
        order: MemoryOrder,
    },
}

impl Access {
    /// Which location it is about.
    pub fn location(&self) -> Option<Location> {
        match *self {
            Access::Load { location, .. } | Access::Store { location, .. } => Some(location),
            Access::Fence { .. } => None,
        }
    }

    /// Does it read?
    pub fn is_load(&self) -> bool {
        matches!(self, Access::Load { .. })
    }

    pub(crate) fn order(&self) -> MemoryOrder {
        match *self {
            Access::Load { order, .. } | Access::Store { order, .. } | Access::Fence { order } => {
                order
            }
        }
    }
}

/// An access as an event.
#[derive(Clone, Copy, Debug)]
pub struct MemoryEvent {
    /// What it is.
    pub access: Access,
    /// Where a store was put in modification order when it was inserted.
    pub place: u32,
}

/// The accesses to one location.
#[derive(Default)]
pub(crate) struct Accesses {
    /// In modification order.
    pub(crate) stores: Vec<EventId>,
    /// By thread, oldest first.
    loads: Vec<(Tid, Vec<u32>)>,
    /// Was there ever a plain access, but for the store that made it?
    pub(crate) some_plain: bool,
}

impl Accesses {
    fn loads_of(&mut self, thread: Tid) -> &mut Vec<u32> {
        let known = self.loads.iter().position(|&(of, _)| of == thread);
        let at = known.unwrap_or_else(|| {
            self.loads.push((thread, Vec::new()));
            self.loads.len() - 1
        });
        &mut self.loads[at].1
    }
}

/// The memory of a graph.
#[derive(Default)]
pub(crate) struct Memory {
    /// Was there ever an access?
    pub(crate) is_used: bool,
    /// Was there ever one that is `SeqCst`?
    pub(crate) some_sc: bool,
    /// By location.
    pub(crate) locations: Vec<Accesses>,
    /// The thread that is in the middle of an update.
    pub(crate) updating: Option<Tid>,
}

impl<P: Program> Graph<P> {
    /// The memory access of an event, if it is one.
    #[inline]
    pub fn access(&self, id: EventId) -> Option<&Access> {
        match &self.event(id).kind {
            Kind::Memory(memory) => Some(&memory.access),
            _ => None,
        }
    }

    /// The stores to a location, in modification order.
    pub fn stores(&self, location: Location) -> &[EventId] {
        let accesses = self.memory.locations.get(location as usize);
        accesses.map_or(&[], |accesses| &accesses.stores)
    }

    /// The loads from a location, oldest first in each thread.
    pub(crate) fn loads(&self, location: Location) -> impl Iterator<Item = EventId> {
        self.loads_by_thread(location)
            .iter()
            .flat_map(|&(thread, ref loads)| {
                loads.iter().map(move |&index| EventId { thread, index })
            })
    }

    /// The same, as their numbers in each thread.
    pub(crate) fn loads_by_thread(&self, location: Location) -> &[(Tid, Vec<u32>)] {
        let accesses = self.memory.locations.get(location as usize);
        accesses.map_or(&[], |accesses| &accesses.loads)
    }

    /// Does a load read the last store of its location, or is a store the last one?
    pub(crate) fn is_last(&self, id: EventId) -> bool {
        let location = self.access(id).and_then(Access::location);
        location.is_none_or(|location| {
            let last = self.stores(location).last();
            last == self.read_store(id).as_ref().or(Some(&id))
        })
    }

    /// Where a store is in modification order.
    pub(crate) fn place_of(&self, location: Location, store: EventId) -> Option<usize> {
        let stores = self.stores(location).iter();
        stores.clone().position(|&other| other == store)
    }

    /// What a load reads, or a store writes.
    pub fn value(&self, id: EventId) -> u64 {
        match (self.access(id), self.event(id).read) {
            (Some(&Access::Store { value, .. }), _) => value,
            (Some(Access::Load { .. }), Read::From(store)) => self.value(store),
            _ => unreachable!("only loads and stores have values"),
        }
    }

    /// Is the load the first half of an update, given what it reads?
    pub fn is_update(&self, load: EventId) -> bool {
        match self.access(load) {
            Some(&Access::Load { update, .. }) => match update {
                None => false,
                Some(Update::Always) => true,
                Some(Update::If(expected, _)) => self.value(load) == expected,
            },
            _ => false,
        }
    }

    /// The order of an access, given what it reads.
    pub(crate) fn order_of(&self, id: EventId) -> MemoryOrder {
        match self.access(id) {
            Some(&Access::Load {
                update: Some(Update::If(_, otherwise)),
                ..
            }) if !self.is_update(id) => otherwise,
            Some(access) => access.order(),
            None => unreachable!("only accesses have an order"),
        }
    }

    /// The load of the update that a store is the second half of.
    pub(crate) fn load_of_update(&self, store: EventId) -> Option<EventId> {
        match self.access(store) {
            Some(Access::Store {
                is_update: true, ..
            }) => Some(EventId {
                thread: store.thread,
                index: store.index - 1,
            }),
            _ => None,
        }
    }

    /// The store that an event reads.
    pub(crate) fn read_store(&self, load: EventId) -> Option<EventId> {
        match self.event(load).read {
            Read::From(store) => Some(store),
            _ => None,
        }
    }

    /// An access becomes known.
    pub(crate) fn learn_access(&mut self, access: &Access) {
        if let Some(location) = access.location() {
            let needed = location as usize + 1;
            if self.memory.locations.len() < needed {
                self.memory.locations.resize_with(needed, Accesses::default);
            }
        }
        let is_sc = |order| order == MemoryOrder::SeqCst;
        let fails_as_sc = matches!(access, Access::Load { update: Some(Update::If(_, order)), .. } if is_sc(*order));
        self.memory.some_sc |= is_sc(access.order()) || fails_as_sc;
        self.needs_clocks = true;
        if !self.memory.is_used {
            self.begin_synchronization();
            self.memory.is_used = true;
        }
    }

    /// Registers a new access with its location.
    pub(crate) fn link_access(&mut self, id: EventId, access: Access, place: u32) {
        match access {
            Access::Store {
                location,
                order,
                is_update,
                ..
            } => {
                let accesses = &mut self.memory.locations[location as usize];
                accesses.some_plain |= order == MemoryOrder::Plain && !accesses.stores.is_empty();
                accesses.stores.insert(place as usize, id);
                if is_update {
                    self.memory.updating = None;
                }
            }
            Access::Load {
                location, order, ..
            } => {
                let accesses = &mut self.memory.locations[location as usize];
                accesses.some_plain |= order == MemoryOrder::Plain;
                accesses.loads_of(id.thread).push(id.index);
                if self.is_update(id) {
                    self.memory.updating = Some(id.thread);
                }
            }
            Access::Fence { .. } => {}
        }
    }

    /// Undoes [`Graph::link_access`]; a store notes its place.
    pub(crate) fn unlink_access(&mut self, id: EventId, access: Access) {
        match access {
            Access::Store {
                location,
                is_update,
                ..
            } => {
                let at = self.place_of(location, id);
                let at = at.expect("a store has its place in modification order");
                self.memory.locations[location as usize].stores.remove(at);
                self.set_place(id, at as u32);
                if is_update {
                    self.memory.updating = Some(id.thread);
                }
            }
            Access::Load { location, .. } => {
                let accesses = &mut self.memory.locations[location as usize];
                let last = accesses.loads_of(id.thread).pop();
                debug_assert_eq!(last, Some(id.index), "a load is the last of its thread");
                if self.memory.updating == Some(id.thread) {
                    self.memory.updating = None;
                }
            }
            Access::Fence { .. } => {}
        }
    }

    /// Says where a store, not inserted yet, will come in modification order.
    pub(crate) fn set_place(&mut self, store: EventId, to: u32) {
        if let Kind::Memory(memory) = &mut self.event_mut(store).kind {
            memory.place = to;
        }
    }

    /// Moves a store to another place in modification order, counted without itself.
    pub(crate) fn move_store(&mut self, store: EventId, to: usize) {
        let access = self.access(store).and_then(Access::location);
        let location = access.expect("a store has a location");
        let from = self.place_of(location, store).expect("a store is known");
        let stores = &mut self.memory.locations[location as usize].stores;
        stores.remove(from);
        stores.insert(to, store);
    }
}
