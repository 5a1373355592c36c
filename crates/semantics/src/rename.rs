//! Renaming the members of sorts, throughout a value or a state of an action system.

use crate::action_state::ActionState;
use crate::value::Value;
use plainsong_ir::finite::contains;
use plainsong_ir::{Song, SortId, System, Ty};
use std::sync::Arc;

/// A permutation of the members of some sorts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renaming {
    /// For each sort that is renamed: who each member becomes.
    to: Vec<(SortId, Vec<u32>)>,
}

impl Renaming {
    /// Exchanges two members of a sort of this size.
    pub fn swap(sort: SortId, size: u32, a: u32, b: u32) -> Renaming {
        let mut members: Vec<u32> = (0..size).collect();
        members.swap(a as usize, b as usize);
        Renaming {
            to: vec![(sort, members)],
        }
    }

    /// First this one, then another.
    pub fn then(&self, other: &Renaming) -> Renaming {
        let mut to = self.to.clone();
        for (sort, members) in &other.to {
            match to.iter_mut().find(|(known, _)| known == sort) {
                Some((_, first)) => {
                    for member in first {
                        *member = members[*member as usize];
                    }
                }
                None => to.push((*sort, members.clone())),
            }
        }
        Renaming { to }
    }

    /// A value of a type, renamed.
    pub fn value(&self, song: &Song, ty: &Ty, value: &Value) -> Value {
        let is_there = |(sort, _): &(SortId, Vec<u32>)| contains(song, ty, &Ty::Sort(*sort));
        if !self.to.iter().any(is_there) {
            return value.clone();
        }
        match (ty, value) {
            (Ty::Sort(sort), Value::Id(id)) => {
                let known = self.to.iter().find(|(known, _)| known == sort);
                Value::Id(known.map_or(*id, |(_, members)| members[*id as usize]))
            }
            (Ty::Tuple(types), Value::Tuple(parts)) => {
                Value::Tuple(self.row(song, types.iter(), parts))
            }
            (Ty::Struct(id), Value::Tuple(parts)) => {
                let fields = song.structs[id.index()].fields.iter();
                Value::Tuple(self.row(song, fields.map(|(_, ty)| ty), parts))
            }
            (Ty::Enum(id), Value::Variant(variant, parts)) => {
                let fields = &song.enums[id.index()].variants[*variant as usize].fields;
                Value::Variant(*variant, self.row(song, fields.iter(), parts))
            }
            (Ty::Option(inner), Value::Some(value)) => Value::some(self.value(song, inner, value)),
            (Ty::Set(element), Value::Set(elements)) => {
                Value::set(self.each(song, element, elements))
            }
            (Ty::Bag(element), Value::Bag(elements)) => {
                Value::bag(self.each(song, element, elements))
            }
            (Ty::Seq(element), Value::Seq(elements)) => {
                Value::Seq(self.each(song, element, elements).into())
            }
            (Ty::Map(key, of), Value::Map(pairs)) => {
                let renamed = pairs
                    .iter()
                    .map(|(at, value)| (self.value(song, key, at), self.value(song, of, value)));
                let mut renamed: Vec<(Value, Value)> = renamed.collect();
                renamed.sort_unstable();
                Value::Map(renamed.into())
            }
            _ => value.clone(),
        }
    }

    /// A state of an action system, renamed.
    ///
    /// # Panics
    ///
    /// When the song is no action system.
    pub fn state(&self, song: &Song, state: &ActionState) -> ActionState {
        let System::Actions(actions) = &song.system else {
            panic!("the state of an action system is wanted");
        };
        let globals = actions.globals.iter().zip(&state.globals);
        let mut pending: Vec<_> = state
            .pending
            .iter()
            .map(|(action, arguments)| {
                let code = &actions.actions[action.index()].code;
                let types = code.locals[..code.arity].iter().map(|local| &local.ty);
                (*action, self.row(song, types, arguments))
            })
            .collect();
        pending.sort();
        ActionState {
            begun: state.begun,
            globals: globals
                .map(|(global, value)| self.value(song, &global.ty, value))
                .collect(),
            pending,
        }
    }

    /// Values of several types, renamed.
    pub fn row<'t>(
        &self,
        song: &Song,
        types: impl Iterator<Item = &'t Ty>,
        values: &[Value],
    ) -> Arc<[Value]> {
        let both = types.zip(values);
        both.map(|(ty, value)| self.value(song, ty, value))
            .collect()
    }

    fn each(&self, song: &Song, ty: &Ty, values: &[Value]) -> Vec<Value> {
        let each = values.iter().map(|value| self.value(song, ty, value));
        each.collect()
    }
}
