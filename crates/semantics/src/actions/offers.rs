//! Actions that are always on offer: `repeat action A(x: T) { … }`.
//!
//! Statement. In every state after `init`, an action declared with `repeat` can run with any values of its parameters, if its
//! `assume`s pass. Running it takes nothing out of the bag of pending asyncs. A state in which nothing is pending and no
//! action on offer can run is final; where something is pending, and nothing can run, it is a deadlock.
//!
//! So `A1 \\/ … \\/ An` of a TLA+ specification is a list of actions that are always on offer, where an existential
//! quantifier in front of one is a parameter. No fairness is supposed of them: an execution may leave an action on
//! offer alone for ever, and is fair as long as it ignores no pending async for ever.
//!
//! NOT COVERED. Parameters of infinite types: the type check refuses them, since a `choose` in the body says the same and
//! states its window.

use super::config::Pending;
use crate::eval::Result;
use crate::failure::resource;
use crate::instance::{Instance, MOST_VALUES};
use crate::mark::Mark;
use crate::value::Value;
use plainsong_ir::{Action, ActionId, Actions};
use std::sync::Arc;

/// An action that is on offer. It is no message and has no number of its own.
pub(super) fn offer(action: ActionId, arguments: Arc<[Value]>) -> Pending {
    Pending {
        action,
        arguments,
        number: Mark(0),
    }
}

/// Everything on offer, ascending.
pub(super) fn list(instance: &Instance, actions: &Actions) -> Result<Vec<Pending>> {
    let mut all = Vec::new();
    let repeated = actions.actions.iter().enumerate();
    for (at, action) in repeated.filter(|(_, action)| action.role.repeat) {
        let rows = arguments(instance, action)?;
        all.extend(rows.into_iter().map(|row| offer(at.into(), row.into())));
    }
    all.sort();
    Ok(all)
}

/// All arguments of an action.
fn arguments(instance: &Instance, action: &Action) -> Result<Vec<Vec<Value>>> {
    let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
    for local in &action.code.locals[..action.code.arity] {
        let values = instance.values(&local.ty).map_err(|why| {
            let message = format!(
                "`{}` is on offer for too many arguments: {why}",
                action.name
            );
            resource(action.span, message)
        })?;
        if rows.len().saturating_mul(values.len()) > MOST_VALUES {
            let message = format!(
                "`{}` is on offer for more than {MOST_VALUES} arguments: too many to list",
                action.name
            );
            return Err(resource(action.span, message));
        }
        let longer =
            |row: &Vec<Value>, value: &Value| [&row[..], std::slice::from_ref(value)].concat();
        let with_all = |row: &Vec<Value>| -> Vec<Vec<Value>> {
            values.iter().map(|value| longer(row, value)).collect()
        };
        rows = rows.iter().flat_map(with_all).collect();
    }
    Ok(rows)
}
