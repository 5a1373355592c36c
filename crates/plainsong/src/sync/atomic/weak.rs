//! Orderings weaker than `SeqCst`: where the program asks for them.
//!
//! Under [`MemoryModel::SequentialConsistency`](crate::MemoryModel) everything is explored as if it were `SeqCst`. A failure that is found so is real, since weaker orderings allow
//! more executions, not fewer. But that no execution fails is then known of sequentially consistent
//! executions only. So the places are collected, and the report names them. Usually the first of them has
//! everything explored again under RC11, and then there is nothing to name.

use super::Ordering;
use crate::sync::server::Place;
use crate::task::Task;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// A place in the source and an ordering, as people read them: `Relaxed at src/lib.rs:26:17`.
pub(crate) type WeakOrderings = BTreeSet<String>;

/// A file, a line and a column.
type At = (&'static str, u32, u32);

/// The weaker orderings that one worker has come across.
#[derive(Default)]
pub(crate) struct Seen {
    places: RefCell<BTreeSet<(At, &'static str)>>,
    has_changed: Cell<bool>,
}

impl Seen {
    /// Was there one?
    pub(crate) fn has_some(&self) -> bool {
        !self.places.borrow().is_empty()
    }

    /// Adds what is new to what all workers know.
    pub(crate) fn add_to(&self, all: &mut WeakOrderings) {
        if !self.has_changed.take() {
            return;
        }
        for ((file, line, column), name) in &*self.places.borrow() {
            all.insert(format!("{name} at {file}:{line}:{column}"));
        }
    }
}

/// Notes an ordering that is weaker than `SeqCst`.
pub(super) fn note(order: Ordering, place: Place) {
    let name = match order {
        Ordering::SeqCst => return,
        Ordering::Relaxed => "Relaxed",
        Ordering::Acquire => "Acquire",
        Ordering::Release => "Release",
        _ => "AcqRel",
    };
    if let Some(task) = Task::of_destructor()
        && !task.world.locations.is_rc11
    {
        let at = (place.file(), place.line(), place.column());
        let seen = &task.world.weak_orderings;
        if seen.places.borrow_mut().insert((at, name)) {
            seen.has_changed.set(true);
        }
    }
}

/// The note for people: the first few places, and how many there are besides.
pub(crate) fn describe(all: &WeakOrderings) -> Option<String> {
    let named: Vec<&str> = all.iter().take(MOST_PLACES).map(String::as_str).collect();
    let more = match all.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!all.is_empty()).then(|| {
        format!(
            "orderings weaker than SeqCst were explored as SeqCst, so what only they allow was not \
             looked for: {}{more}",
            named.join(", ")
        )
    })
}

/// How many places a note names.
const MOST_PLACES: usize = 5;
