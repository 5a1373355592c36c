//! What locations are called, and accesses in words.

use crate::machine::Machine;
use crate::shared_context::World;
use plainsong_explore::{Access, EventId, Graph, Kind, Location, MemoryOrder, Read};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// What is known of locations.
#[derive(Default)]
pub(crate) struct Locations {
    /// Is memory explored?
    pub(crate) is_rc11: bool,
    /// Has the program done something that is only explored so?
    pub(crate) needs_rc11: Cell<bool>,
    names: RefCell<BTreeMap<Location, Name>>,
    /// What was loaded or stored last, for destructors while their process unwinds.
    last: RefCell<BTreeMap<Location, u64>>,
}

#[derive(Clone)]
struct Name {
    text: String,
    show: fn(u64) -> String,
}

impl Locations {
    pub(super) fn name(&self, location: Location, text: String, show: fn(u64) -> String) {
        let name = Name { text, show };
        self.names.borrow_mut().insert(location, name);
    }

    pub(super) fn keep(&self, location: Location, value: u64) {
        self.last.borrow_mut().insert(location, value);
    }

    pub(super) fn last(&self, location: Location) -> u64 {
        self.last.borrow().get(&location).copied().unwrap_or(0)
    }

    /// What a location is called.
    pub(crate) fn called(&self, location: Location) -> String {
        let names = self.names.borrow();
        let name = names.get(&location);
        name.map_or_else(|| "a location".to_owned(), |name| name.text.clone())
    }

    fn show(&self, location: Location, value: u64) -> String {
        let names = self.names.borrow();
        names
            .get(&location)
            .map_or_else(|| value.to_string(), |name| (name.show)(value))
    }
}

/// "load of atomic 1 (Acquire)".
pub(crate) fn describe_access(world: &World, access: &Access) -> String {
    let locations = &world.locations;
    match *access {
        Access::Load {
            location,
            order: MemoryOrder::Plain,
            ..
        } => format!("read of {}", locations.called(location)),
        Access::Load {
            location,
            order,
            update,
            ..
        } => {
            let what = if update.is_some() { "update" } else { "load" };
            format!("{what} of {} ({order:?})", locations.called(location))
        }
        Access::Store {
            location,
            order: MemoryOrder::Plain,
            rank,
            ..
        } => {
            let what = if rank.is_some() { "start" } else { "write" };
            format!("{what} of {}", locations.called(location))
        }
        Access::Store {
            location,
            order,
            value,
            ..
        } => {
            let value = locations.show(location, value);
            format!("{} := {value} ({order:?})", locations.called(location))
        }
        Access::Fence { order } => format!("fence ({order:?})"),
    }
}

/// "atomic 1 = 5": what an event loads or stores.
pub(crate) fn describe_value(world: &World, graph: &Graph<Machine>, id: EventId) -> String {
    match graph.access(id).and_then(Access::location) {
        Some(location) => {
            let value = world.locations.show(location, graph.value(id));
            format!("{} = {value}", world.locations.called(location))
        }
        None => String::new(),
    }
}

/// Does a replay have to be told what happens here?
pub(crate) fn is_decision(graph: &Graph<Machine>, id: EventId) -> bool {
    match graph.event(id).kind {
        Kind::Receive { .. } | Kind::Choose { .. } => true,
        _ => store_number(graph, id).is_some(),
    }
}

/// Is it the store that makes a location?
pub(crate) fn starts_location(graph: &Graph<Machine>, id: EventId) -> bool {
    matches!(
        graph.access(id),
        Some(Access::Store {
            order: MemoryOrder::Plain,
            rank: Some(_),
            ..
        })
    )
}

/// The number of the store that an atomic access reads or makes, in modification order.
pub(crate) fn store_number(graph: &Graph<Machine>, id: EventId) -> Option<u32> {
    let access = graph.access(id)?;
    let (store, order) = match (access, graph.event(id).read) {
        (Access::Load { order, .. }, Read::From(store)) => (store, order),
        (Access::Store { order, .. }, _) => (id, order),
        _ => return None,
    };
    if *order == MemoryOrder::Plain {
        return None;
    }
    let stores = graph.stores(access.location()?);
    let at = stores.iter().position(|&other| other == store)?;
    Some(at as u32)
}

/// What is said of a data race, and where the later process is.
pub(crate) fn describe_race(
    graph: &Graph<Machine>,
    machine: &Machine,
    mut both: [EventId; 2],
) -> (String, Option<String>) {
    both.sort_unstable();
    let world = &machine.world;
    let place = |id: EventId| machine.print(id).and_then(|print| print.location);
    let says = |id: EventId, what: &str| {
        let verb = match graph.access(id) {
            Some(Access::Load { .. }) => "reads",
            _ => "writes",
        };
        let place = place(id).map_or(String::new(), |place| format!(" at {place}"));
        format!("{} {verb} {what}{place}", world.name(id.thread))
    };
    let location = graph.access(both[0]).and_then(Access::location);
    let cell = location.map_or(String::new(), |location| world.locations.called(location));
    let (one, other) = (says(both[0], &cell), says(both[1], "it"));
    let message = format!("data race: {one} and {other}, and nothing orders the two");
    (message, place(both[1]).map(ToString::to_string))
}
