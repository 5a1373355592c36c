//! Shared memory: atomics and cells as events of the execution, explored under RC11.
//!
//! A location is made by a store, so it belongs to the execution like everything else, and what it holds is known to
//! the graph alone: loads are answered by the engine, which decides what they read. Values are bits; the location
//! knows how to print them.
//!
//! A trace tells replays by numbers: the stores of a location are numbered in modification order, from 0, and each
//! load says the number of the store that it reads, each store its own.

mod names;
pub(crate) mod spot;

pub(crate) use names::{
    Locations, describe_access, describe_race, describe_value, is_decision, starts_location,
    store_number,
};

use crate::task::Task;
use plainsong_explore::MemoryOrder;
use std::sync::atomic::Ordering;

/// How shared memory behaves in an exploration: [`Explorer::memory_model`](crate::Explorer::memory_model).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryModel {
    /// [RC11](MemoryModel::Rc11), once the program uses an atomic with an ordering weaker than `SeqCst`, or a
    /// [cell](crate::cell); what was explored until then is explored again.
    #[default]
    Auto,
    /// Everything is `SeqCst`, whatever the program asks for; cells are not checked. The report names the orderings
    /// that are weaker ([`Report::weak_orderings`](crate::Report::weak_orderings)).
    SequentialConsistency,
    /// RC11, the repaired model of C11 (Lahav, Vafeiadis, Kang, Hur, Dreyer 2017), with the release sequences of
    /// C++20, which Rust refers to. One execution for each way in which loads read stores and stores follow each other.
    ///
    /// RC11 has no load buffering: of two threads that each load and then store what the other loads, not both
    /// loads read those stores. Rust allows that on paper for relaxed accesses.
    Rc11,
}

impl MemoryModel {
    /// In settings and saved files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            MemoryModel::Auto => "auto",
            MemoryModel::SequentialConsistency => "sc",
            MemoryModel::Rc11 => "rc11",
        }
    }
}

/// What is said of an exploration under RC11.
pub(crate) const RC11: &str = "memory was explored under RC11: each way in which loads read stores and stores follow \
     each other; not load buffering; locks, channels and joins are sequentially consistent";

/// How the engine calls an ordering.
pub(crate) fn memory_order(order: Ordering) -> MemoryOrder {
    match order {
        Ordering::Relaxed => MemoryOrder::Relaxed,
        Ordering::Acquire => MemoryOrder::Acquire,
        Ordering::Release => MemoryOrder::Release,
        Ordering::AcqRel => MemoryOrder::AcqRel,
        _ => MemoryOrder::SeqCst,
    }
}

/// Is this exploration under RC11?
pub(crate) fn is_rc11() -> bool {
    Task::running().is_some_and(|task| task.world.locations.is_rc11)
}
