//! Inferred mover types: those that nobody declared.
//!
//! Where procedures are atomic with what is declared, an action without a type is `atomic`, and nothing is asked. Where one is not, each
//! action without a type that it calls gets the strongest one that is shown: how it moves past all others is
//! looked at as if it was declared. What keeps it from moving is told with the procedure that it interrupts.
//!
//! Why sound. An inferred type is a claim like a declared one: everything that relies on it rests on its proof. Declared types,
//! `atomic` among them, are left alone.

use crate::atomicity::{atomicity, movers_used};
use crate::movers::Side;
use plainsong_ir::{ActionId, Actions, Mover, Song, System};
use std::collections::BTreeSet;

/// The actions without a type that a procedure calls which is interrupted without one.
pub(crate) fn wanted(actions: &Actions) -> BTreeSet<ActionId> {
    let mut wanted = BTreeSet::new();
    for procedure in &actions.procedures {
        for layer in 1..=procedure.layer {
            if atomicity(actions, procedure, layer).is_err() {
                wanted.extend(movers_used(actions, procedure, layer));
            }
        }
    }
    let is_open = |id: &ActionId| actions.actions[id.index()].role.mover.is_none();
    wanted.into_iter().filter(is_open).collect()
}

/// The type of an action that moves to some sides.
pub(crate) fn strongest(sides: &[Side]) -> Option<Mover> {
    match (sides.contains(&Side::Left), sides.contains(&Side::Right)) {
        (true, true) => Some(Mover::Both),
        (true, false) => Some(Mover::Left),
        (false, true) => Some(Mover::Right),
        (false, false) => None,
    }
}

/// The song with a type for an action.
pub(crate) fn declared(song: &mut Song, id: ActionId, mover: Mover) {
    if let System::Actions(actions) = &mut song.system {
        actions.actions[id.index()].role.mover = Some(mover);
    }
}
