//! A second enumerator of executions, to test the interpreter with.
//!
//! Written from the language reference alone and by other means than `plainsong-semantics`: it
//! interprets the structured statements directly, keeps the complete history of each run, and asks
//! of a receive only what the four delivery models say about that history. It explores every
//! interleaving, so it is for small programs.
//!
//! # What counts as one execution
//!
//! An execution is its [`Logs`]: for `init` and for each process, in its own order, the values it
//! chose, that it sent, what it received (which message of which sender) and its timeouts. How the
//! steps of different processes interleave does not count: two runs with the same logs are the same
//! execution, also under `mailbox`, where the order of sending decides only which logs exist.
//!
//! - *Complete*: nothing can happen any more, and every body has ended or is a daemon's, waiting.
//! - *Blocked*: nothing can happen any more, and some other body waits.
//! - *Failed*: a step of some process meets a false `assert` or an undefined operation. Steps are
//!   all or nothing, so the process comes to a halt before that step, and the others go on as far as
//!   they can. What the process did in the step that failed belongs to the execution too.
//! - *Discarded*: likewise, when a body's `assume` is false or its `choose` has nothing to choose
//!   from, and no process fails.
//!
//! What stands before the first communication of a body belongs to the start: it is done by every
//! process, independently, after `init` and before the first step.

mod actions;
mod binders;
mod collections;
mod eval;
mod faults;
mod history;
mod instance;
mod mailroom;
mod patterns;
mod run;
mod start;
mod value;
mod voices;

pub use history::{Event, Logs, Who};
pub use value::Value;

use instance::Instance;
use plainsong_ir::{Delivery, Song, System};
use std::collections::{BTreeMap, BTreeSet};

/// State variables or globals, by name (`db[0].outcome`), with what they hold.
pub type Outcome = BTreeMap<String, Held>;

/// What a variable holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Held {
    pub value: Value,
    /// How it is written in traces.
    pub text: String,
}

/// Everything that can happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enumerated {
    /// Of a system of processes, or of no system at all.
    Voices(Executions),
    /// Of an action system.
    Actions(States),
}

/// The distinct executions of a system of processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Executions {
    /// The names of the participants, `init` first: what a [`Who`] means.
    pub names: Vec<String>,
    /// Executions that end.
    pub complete: BTreeSet<Logs>,
    /// Executions that end in a deadlock.
    pub blocked: BTreeSet<Logs>,
    /// Executions in which a process fails.
    pub failed: BTreeSet<Stopped>,
    /// Executions in which an assumption cuts a process off, and none fails.
    pub discarded: BTreeSet<Stopped>,
    /// State variables at the end of the complete executions.
    pub outcomes: BTreeSet<Outcome>,
    /// State variables where executions are blocked.
    pub blocked_outcomes: BTreeSet<Outcome>,
}

/// An execution in which some process stopped halfway.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stopped {
    /// The steps that were taken.
    pub logs: Logs,
    /// The processes that stopped, in ascending order.
    pub halts: Vec<Halt>,
}

/// Where a process stopped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Halt {
    /// Which process; or `init`.
    pub who: Who,
    /// What it did in its last step, up to where it stopped.
    pub step: Vec<Event>,
    /// Why it stopped.
    pub why: Why,
}

/// Why a process stopped halfway.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// A false `assert` or an undefined operation.
    Failed(String),
    /// A false `assume`, or nothing to choose from.
    CutOff,
}

/// The reachable states of an action system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct States {
    /// Globals where nothing is pending.
    pub finals: BTreeSet<Outcome>,
    /// Globals and pending asyncs where something is pending but blocked.
    pub deadlocks: BTreeSet<(Outcome, Vec<String>)>,
    /// Why steps can fail; empty when none can.
    pub failures: BTreeSet<String>,
    /// How many distinct states there are, the ones after `init` included.
    pub states: usize,
}

/// Everything that can happen in `song` when each sort has the size, and each parameter the value,
/// that `sizes` gives it (a parameter that is not a number is given as the position of its value).
/// A `delivery` overrides what the messages say. `None` when there are more than `limit` distinct
/// prefixes of executions, or states, or some type has too many values to list, or too much is to be
/// computed. Nothing can happen when a parameter's `where` is false.
///
/// # Panics
/// When a size is missing, or the song is not a valid one.
pub fn enumerate(
    song: &Song,
    sizes: &BTreeMap<String, i64>,
    delivery: Option<Delivery>,
    limit: usize,
) -> Option<Enumerated> {
    let instance = Instance::new(song, sizes, limit);
    let none = plainsong_ir::Voices::default();
    let found = match &song.system {
        System::Actions(actions) => {
            Enumerated::Actions(actions::explore(&instance, actions, limit)?)
        }
        System::Voices(voices) => {
            Enumerated::Voices(voices::explore(&instance, voices, delivery, limit)?)
        }
        System::None => Enumerated::Voices(voices::explore(&instance, &none, delivery, limit)?),
    };
    (!instance.exceeded()).then_some(found)
}
