//! Growth of values: an execution in which a counter, or a collection, becomes ever larger.
//!
//! The same hill climbing as for messages, with another height: of all steps to a state that was not there before, one is
//! taken after which the variables are largest in all. The size of a number is its distance from zero, that of a collection of
//! infinitely many possible elements, or of a sequence or a bag, how many it has; of anything else, the largest inside.
//!
//! NOT COVERED. What grows only by way of states in which everything is smaller.

use super::{Growing, Growth, LOOKED_AT, next};
use crate::machine::{Config, Form, Machine};
use crate::value::Value;
use plainsong_ir::{Binder, Song, Ty};
use std::collections::{BTreeMap, HashSet};

/// So much more than at the start is much.
const MUCH: u64 = 60;
/// The most steps of the execution.
const STEPS: usize = 2_000;
/// The bound that is proposed.
const FEW: u64 = 3;

/// A variable in the text.
struct Variable<'s> {
    /// `token`, or `worker[w].epoch`.
    place: String,
    /// The names in it, and what they range over.
    names: &'s [Binder],
    ty: &'s Ty,
}

/// An execution in which a variable grows, if hill climbing finds one.
pub(super) fn growth(machine: &Machine) -> Option<Growth> {
    let song = machine.instance().song();
    let mut config = machine.initial().into_iter().find_map(next)?;
    let first = sizes(machine, &config);
    let mut seen = HashSet::new();
    let mut looked_at = 0;
    for steps in 0..STEPS {
        let now = sizes(machine, &config);
        let growing = now.iter().find(|(at, size)| {
            let before = first.get(at).copied().unwrap_or_default();
            size.saturating_sub(before) >= MUCH
        });
        if let Some((&(family, var), &size)) = growing {
            let variable = variable(song, family, var)?;
            return Some(Growth {
                count: size,
                steps,
                kind: Growing::Value {
                    constraint: constraint(song, &variable),
                    is_collection: variable.ty.element().is_some(),
                },
                what: variable.place,
            });
        }
        let choices = machine.steps(&config);
        looked_at += choices.len();
        if looked_at > LOOKED_AT {
            return None;
        }
        seen.insert(config);
        let others = choices.into_iter().filter_map(|step| next(step.outcome));
        let others = others.filter(|other| !seen.contains(other));
        config = others.max_by_key(|other| sizes(machine, other).into_values().sum::<u64>())?;
    }
    None
}

/// A family and its variable; without a family, a global.
type Place = (Option<usize>, usize);

/// How large each variable is; of a family, the largest of its members'.
fn sizes(machine: &Machine, config: &Config) -> BTreeMap<Place, u64> {
    let song = machine.instance().song();
    let mut sizes: BTreeMap<Place, u64> = BTreeMap::new();
    let mut enter = |at: Place, ty: &Ty, value: &Value| {
        let own = size(song, ty, value);
        let size = sizes.entry(at).or_default();
        *size = own.max(*size);
    };
    match &config.0 {
        Form::Voices(config) => {
            let members = machine.instance().members().iter();
            for (member, voice) in members.zip(&config.voices) {
                let vars = &song.families[member.family.index()].vars;
                for (at, (var, value)) in vars.iter().zip(&voice.vars).enumerate() {
                    enter((Some(member.family.index()), at), &var.ty, value);
                }
            }
        }
        Form::Actions(config) => {
            let globals = song.actions().map_or(&[][..], |actions| &actions.globals);
            for (at, (global, value)) in globals.iter().zip(&config.globals).enumerate() {
                enter((None, at), &global.ty, value);
            }
        }
        Form::Line(_) => {}
    }
    sizes
}

fn size(song: &Song, ty: &Ty, value: &Value) -> u64 {
    match (ty, value) {
        (Ty::Int | Ty::Nat, Value::Int(number)) => number.unsigned_abs(),
        (Ty::Seq(element) | Ty::Bag(element), Value::Seq(all) | Value::Bag(all)) => {
            let inside = all.iter().map(|one| size(song, element, one)).max();
            (all.len() as u64).max(inside.unwrap_or_default())
        }
        (Ty::Set(element), Value::Set(all)) if !is_small(element) => all.len() as u64,
        (Ty::Map(_, inner), Value::Map(all)) => {
            let inside = all.iter().map(|(_, one)| size(song, inner, one));
            inside.max().unwrap_or_default()
        }
        (Ty::Option(inner), Value::Some(value)) => size(song, inner, value),
        (Ty::Tuple(parts), Value::Tuple(values)) => largest(song, parts.iter(), values),
        (Ty::Struct(id), Value::Tuple(values)) => {
            let fields = &song.structs[id.index()].fields;
            largest(song, fields.iter().map(|(_, ty)| ty), values)
        }
        (Ty::Enum(id), Value::Variant(at, values)) => {
            let variant = &song.enums[id.index()].variants[*at as usize];
            largest(song, variant.fields.iter(), values)
        }
        _ => 0,
    }
}

fn largest<'t>(song: &Song, types: impl Iterator<Item = &'t Ty>, values: &[Value]) -> u64 {
    let inside = types.zip(values).map(|(ty, value)| size(song, ty, value));
    inside.max().unwrap_or_default()
}

/// Has the type so few values that a set of them does not grow without end?
fn is_small(ty: &Ty) -> bool {
    match ty {
        Ty::Int | Ty::Nat | Ty::Seq(_) | Ty::Bag(_) => false,
        Ty::Tuple(parts) => parts.iter().all(is_small),
        Ty::Option(inner) | Ty::Set(inner) => is_small(inner),
        Ty::Map(_, inner) => is_small(inner),
        _ => true,
    }
}

fn variable(song: &Song, family: Option<usize>, var: usize) -> Option<Variable<'_>> {
    let Some(family) = family else {
        let global = song.actions()?.globals.get(var)?;
        return Some(Variable {
            place: global.name.clone(),
            names: &[],
            ty: &global.ty,
        });
    };
    let family = song.families.get(family)?;
    let row = family.vars.get(var)?;
    let names: Vec<&str> = family.index.iter().map(|one| one.name.as_str()).collect();
    let index = match names.is_empty() {
        true => String::new(),
        false => format!("[{}]", names.join("][")),
    };
    Some(Variable {
        place: format!("{}{index}.{}", family.name, row.name),
        names: &family.index,
        ty: &row.ty,
    })
}

/// A condition that keeps the variable small, where it is a number, a collection, or a map to such.
fn constraint(song: &Song, variable: &Variable<'_>) -> Option<String> {
    let mut names: Vec<(String, String)> = variable
        .names
        .iter()
        .map(|one| (one.name.clone(), plainsong_ir::print::ty(song, &one.ty)))
        .collect();
    let (mut place, mut ty) = (variable.place.clone(), variable.ty);
    while let Ty::Map(key, inner) = ty {
        if !is_small(key) {
            return None;
        }
        let name = fresh(&names);
        place = format!("{place}[{name}]");
        names.push((name, plainsong_ir::print::ty(song, key)));
        ty = inner;
    }
    let body = match ty {
        Ty::Nat => format!("{place} <= {FEW}"),
        Ty::Int => format!("-{FEW} <= {place} && {place} <= {FEW}"),
        Ty::Set(_) | Ty::Seq(_) | Ty::Bag(_) => format!("{place}.len() <= {FEW}"),
        _ => return None,
    };
    let bindings: Vec<String> = names
        .iter()
        .map(|(name, ty)| format!("{name}: {ty}"))
        .collect();
    Some(match bindings.is_empty() {
        true => format!("constraint few: {body};"),
        false => format!("constraint few: forall {} :: {body};", bindings.join(", ")),
    })
}

/// A name that is not used yet.
fn fresh(names: &[(String, String)]) -> String {
    let is_free = |name: &String| !names.iter().any(|(other, _)| other == name);
    let mut all = ('k'..='z')
        .map(String::from)
        .chain((0..).map(|n| format!("k{n}")));
    all.find(is_free).unwrap_or_default()
}
