//! Liveness: what temporal claims mean of one execution.
//!
//! An execution is *maximal*: it is infinite, or it ends where nothing but a fault can happen (nobody can count
//! on a fault). One that ends is read as if its last state were repeated for ever. There is no free stuttering: an
//! execution does not stop while somebody can go on.
//!
//! [`witnesses`] are the values for which a part of a claim is asked, [`fair_tasks`] says which steps serve whom, and
//! [`lasso_check`] decides, from the meaning and by code of its own, whether one given lasso violates a claim: searches
//! for fair components propose, this disposes.

pub mod fair_tasks;
pub mod lasso_check;

use crate::claim::Verity;
use crate::eval::Eval;
use crate::machine::{Config, Machine};
use crate::show::show;
use crate::trace::FailureKind;
use crate::value::Value;
use plainsong_ir::{Claim, Expr, Property, Temporal, TemporalPart};

/// The temporal claim of a property, if it has one.
pub fn temporal(property: &Property) -> Option<&Temporal> {
    match &property.claim {
        Claim::Temporal(temporal) => Some(temporal),
        _ => None,
    }
}

/// A part of a claim, for one combination of values of its bound names.
#[derive(Clone, Debug, PartialEq)]
pub struct Instantiated<'a> {
    pub property: &'a Property,
    pub part: &'a TemporalPart,
    /// The values of all names of the property.
    slots: Vec<Value>,
}

/// Every part of a claim, for every combination of values.
pub fn instantiated<'a>(
    machine: &Machine,
    property: &'a Property,
    any: &Config,
) -> Result<Vec<Instantiated<'a>>, String> {
    let mut all = Vec::new();
    let parts = temporal(property).into_iter().flat_map(|one| &one.parts);
    for part in parts {
        let mut slots = vec![Value::None; property.locals.len()];
        let mut eval = Eval::new(machine.instance(), any.world());
        let found = eval.combinations(
            &part.bindings,
            part.goal.span,
            &mut slots,
            &mut |_, slots| {
                all.push(Instantiated {
                    property,
                    part,
                    slots: slots.to_vec(),
                });
                Ok(true)
            },
        );
        found.map_err(|failure| failure.message)?;
    }
    Ok(all)
}

impl Instantiated<'_> {
    /// Is `condition` true in `config`? A condition without a value does not hold.
    pub fn verity(&self, machine: &Machine, condition: &Expr, config: &Config) -> Verity {
        let mut slots = self.slots.clone();
        let mut eval = Eval::new(machine.instance(), config.world());
        match eval.truth(condition, &mut slots) {
            Ok(true) => Verity::Holds,
            Ok(false) => Verity::Violated(String::new()),
            Err(failure) if failure.kind == FailureKind::Resource => Verity::Unknown(failure),
            Err(failure) => Verity::Violated(format!("it has no value: {}", failure.message)),
        }
    }

    /// The values of the bound names, in words: ` with c = Client#1`.
    pub fn values(&self, machine: &Machine) -> String {
        let names = self.part.bindings.iter().flat_map(|one| &one.names);
        let words: Vec<String> = names
            .map(|name| {
                let local = &self.property.locals[name.index()];
                let value = &self.slots[name.index()];
                format!(
                    "{} = {}",
                    local.name,
                    show(machine.instance(), value, &local.ty)
                )
            })
            .collect();
        match words.is_empty() {
            true => String::new(),
            false => format!(" with {}", words.join(", ")),
        }
    }
}
