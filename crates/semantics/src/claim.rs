//! What properties claim, and whether a state satisfies it.

use crate::eval::Eval;
use crate::explain::why_false;
use crate::machine::{Config, Machine, Subject};
use crate::trace::{Failure, FailureKind};
use crate::value::Value;
use crate::world::{Between, World};
use plainsong_ir::visit::families_read;
use plainsong_ir::{Expr, FamilyId, Property, Song, System};
use std::collections::BTreeSet;

/// Does a claim about one state hold in it?
#[derive(Clone, Debug, PartialEq)]
pub enum Verity {
    /// Yes.
    Holds,
    /// No, and this is why. A claim that has no value does not hold.
    Violated(String),
    /// The interpreter's own limit was reached.
    Unknown(Failure),
}

/// What of the song a property speaks about.
pub(crate) fn subjects(song: &Song, property: &Property) -> Vec<Subject> {
    let lines = || (0..song.lines.len()).map(Subject::Line);
    let conditions = property.claim.conditions();
    if !conditions.is_empty() {
        let families: BTreeSet<FamilyId> = conditions.into_iter().flat_map(families_read).collect();
        let meant: Vec<Subject> = lines()
            .zip(&song.lines)
            .filter(|(_, line)| {
                line.endpoints
                    .iter()
                    .any(|family| families.contains(family))
            })
            .map(|(subject, _)| subject)
            .collect();
        if !meant.is_empty() {
            return meant;
        }
    }
    match song.system {
        System::None => song.choreographies().map(Subject::Line).collect(),
        System::Voices(_) | System::Actions(_) => vec![Subject::System],
    }
}

/// Does `claim`, of `property`, hold in `config`?
pub fn verity(machine: &Machine, property: &Property, claim: &Expr, config: &Config) -> Verity {
    verity_in(machine, property, claim, config.world())
}

/// Does `claim`, of `property`, hold of the step from one state to another, where `old` speaks of the first?
pub fn verity_of_step(
    machine: &Machine,
    property: &Property,
    claim: &Expr,
    (before, after): (&Config, &Config),
) -> Verity {
    let world = Between {
        after: after.world(),
        before: before.world(),
    };
    verity_in(machine, property, claim, &world)
}

fn verity_in(machine: &Machine, property: &Property, claim: &Expr, world: &dyn World) -> Verity {
    let slots = vec![Value::None; property.locals.len()];
    match Eval::new(machine.instance(), world).truth(claim, &mut slots.clone()) {
        Ok(true) => Verity::Holds,
        Ok(false) => {
            let locals = &property.locals;
            Verity::Violated(why_false(machine.instance(), world, claim, locals, &slots))
        }
        Err(failure) if failure.kind == FailureKind::Resource => Verity::Unknown(failure),
        Err(failure) => Verity::Violated(format!("it has no value: {}", failure.message)),
    }
}
