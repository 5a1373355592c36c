//! A location, as those see it who access it.

use super::describe_access;
use crate::determinism_check::{Print, What};
use crate::sync::server::{Place, number};
use crate::task::{Fed, Task};
use plainsong_explore::{Access, Location, MemoryOrder, Op, Update};
use std::rc::Rc;

/// A location that a destructor has made while its process unwound: no part of an execution.
const GHOST: Location = Location::MAX;

/// A place in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot(pub(crate) Location);

impl Spot {
    /// Makes a location; `show` prints what it holds.
    pub(crate) fn new(
        kind: &'static str,
        value: u64,
        show: fn(u64) -> String,
        place: Place,
    ) -> Self {
        let Some(task) = Task::live(kind) else {
            return Spot(GHOST);
        };
        let name = number(kind);
        let mut mailboxes = task.world.mailboxes.borrow_mut();
        let location = mailboxes.of_channel(task.process, task.next_channel(), &name);
        drop(mailboxes);
        task.world.locations.name(location, name, show);
        let access = Access::Store {
            location,
            order: MemoryOrder::Plain,
            value,
            is_update: false,
            rank: Some(0),
        };
        store_at(&task, access, What::Store, place);
        task.world.locations.keep(location, value);
        Spot(location)
    }

    /// What it is called.
    pub(crate) fn name(self) -> String {
        let task = Task::running();
        task.map_or(String::new(), |task| task.world.locations.called(self.0))
    }

    /// Loads a value.
    pub(crate) fn load(self, order: MemoryOrder, place: Place) -> u64 {
        self.read(order, None, place)
    }

    /// Stores a value.
    pub(crate) fn store(self, value: u64, order: MemoryOrder, place: Place) {
        self.write(value, order, false, place);
    }

    /// Loads a value, and if that is to be `expected` and is, puts `new` of it in its place, with nothing between.
    pub(crate) fn update(
        self,
        update: Update,
        order: MemoryOrder,
        place: Place,
        new: impl FnOnce(u64) -> u64,
    ) -> u64 {
        let old = self.read(order, Some(update), place);
        let succeeds = match update {
            Update::Always => true,
            Update::If(expected, _) => old == expected,
        };
        if succeeds {
            self.write(new(old), order, true, place);
        }
        old
    }

    /// The task that accesses it; none while it unwinds, or if the location was made then.
    fn live(self, operation: &str) -> Option<Rc<Task>> {
        Task::live(operation).filter(|_| self.0 != GHOST)
    }

    fn read(self, order: MemoryOrder, update: Option<Update>, place: Place) -> u64 {
        let Some(task) = self.live("load") else {
            Task::note_ghost();
            return Task::running().map_or(0, |task| task.world.locations.last(self.0));
        };
        let access = Access::Load {
            location: self.0,
            order,
            update,
            only: guided(&task, order),
        };
        let describe = || describe_access(&task.world, &access);
        let print = Print::new(What::Load, place, (self.0, order, update));
        match task.perform(print, &describe, || Op::Memory(access)) {
            Fed::Loaded(value) => {
                task.world.locations.keep(self.0, value);
                value
            }
            _ => task.unfit(&describe(), place),
        }
    }

    fn write(self, value: u64, order: MemoryOrder, is_update: bool, place: Place) {
        let Some(task) = self.live("store") else {
            return;
        };
        let access = Access::Store {
            location: self.0,
            order,
            value,
            is_update,
            rank: guided(&task, order),
        };
        store_at(&task, access, What::Store, place);
        task.world.locations.keep(self.0, value);
    }
}

/// Orders what comes before and what comes after.
pub(crate) fn fence(order: MemoryOrder, place: Place) {
    if let Some(task) = Task::live("fence") {
        store_at(&task, Access::Fence { order }, What::Fence, place);
    }
}

/// Performs an access that has no answer.
fn store_at(task: &Task, access: Access, what: What, place: Place) {
    let describe = || describe_access(&task.world, &access);
    let print = match access {
        Access::Store {
            location,
            order,
            value,
            is_update,
            ..
        } => Print::new(what, place, (location, order, value, is_update)),
        _ => Print::new(what, place, access),
    };
    match task.perform_send(print, &describe, || Op::Memory(access)) {
        Fed::Done => {}
        _ => task.unfit(&describe(), place),
    }
}

/// In a replay: the number of the store that is read or made.
fn guided(task: &Task, order: MemoryOrder) -> Option<u32> {
    let guide = task.world.guide.as_ref()?;
    match order {
        MemoryOrder::Plain => None,
        _ => guide.store(task),
    }
}
