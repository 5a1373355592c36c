//! What exchanging two members of a sort does to the fields of a state.
//!
//! A field goes to the place of the renamed key, and what it holds is renamed: an identity is exchanged, the bits of a set change
//! places, a value without a shape gets the number of the renamed one. Leaves that mean nothing stay blank: a
//! field inside an option or a variant is renamed only where the tags say that it is there.

use crate::coding::{Coding, Misfit};
use crate::layout::Field;
use crate::shape::{Kind, Listed, Shape};
use plainsong_ir::finite::contains;
use plainsong_ir::{Song, SortId, System, Ty};
use plainsong_semantics::rename::Renaming;
use std::sync::Arc;

/// One field goes to another place.
#[derive(Clone, Debug)]
pub(super) struct Move {
    pub(super) from: usize,
    pub(super) to: usize,
    change: Change,
    /// The tags that say whether it means something.
    when: Vec<(usize, u64)>,
}

/// How what a field holds is renamed.
#[derive(Clone, Debug)]
enum Change {
    Stays,
    Member,
    /// It is a set: each bit that moves, and where to.
    Bits(Vec<(u32, u32)>),
    /// It is the number of a value of this type.
    Value(Ty),
}

impl Move {
    /// What stands there afterwards.
    pub(super) fn change(
        &self,
        old: u64,
        before: &[u64],
        fields: &[Field],
        members: (u32, u32),
        renamed: impl FnOnce(&Ty) -> u64,
    ) -> u64 {
        let means = |(tag, is): &(usize, u64)| fields[*tag].load(before) == *is;
        let (a, b) = (u64::from(members.0), u64::from(members.1));
        match &self.change {
            Change::Stays => old,
            _ if !self.when.iter().all(means) => old,
            Change::Member if old == a => b,
            Change::Member if old == b => a,
            Change::Member => old,
            Change::Bits(bits) => {
                let moved = bits.iter().fold(0, |mask, (from, _)| mask | 1 << from);
                let put = bits.iter().map(|(from, to)| (old >> from & 1) << to);
                put.fold(old & !moved, |mask, bit| mask | bit)
            }
            Change::Value(_) if old == 0 => 0,
            Change::Value(ty) => renamed(ty),
        }
    }
}

/// Where the fields of a state go, in the order of the places they go to. Asyncs that are the renamed ones of known asyncs become known.
pub(super) fn moves(
    coding: &mut Coding,
    song: &Song,
    sort: SortId,
    renaming: &Renaming,
) -> Result<Vec<Move>, Misfit> {
    let System::Actions(actions) = &song.system else {
        return Ok(Vec::new());
    };
    let mut all = Moves {
        song,
        sort: Ty::Sort(sort),
        renaming,
        when: Vec::new(),
        out: Vec::new(),
    };
    for (at, global) in actions.globals.iter().enumerate() {
        let (shape, first) = coding.global(at);
        all.value(shape, &global.ty, first, first);
    }
    let mut out = all.out;
    for at in 0..coding.asyncs.all().len() {
        let ground = coding.asyncs.all()[at].clone();
        if ground.is_offer {
            continue;
        }
        let code = &actions.actions[ground.action.index()].code;
        let types = code.locals[..code.arity].iter().map(|local| &local.ty);
        let arguments = renaming.row(song, types, &ground.arguments);
        if arguments != ground.arguments {
            let to = coding.ground(ground.action, &arguments)?;
            out.push(Move {
                from: ground.field,
                to: coding.asyncs.all()[to].field,
                change: Change::Stays,
                when: Vec::new(),
            });
        }
    }
    out.retain(|step| step.from != step.to || !matches!(step.change, Change::Stays));
    out.sort_by_key(|step| step.to);
    Ok(out)
}

struct Moves<'a> {
    song: &'a Song,
    sort: Ty,
    renaming: &'a Renaming,
    when: Vec<(usize, u64)>,
    out: Vec<Move>,
}

impl Moves<'_> {
    /// A value whose leaves begin at `from` goes to `to`.
    fn value(&mut self, shape: &Shape, ty: &Ty, from: usize, to: usize) {
        let is_about = contains(self.song, ty, &self.sort);
        if !is_about {
            return (0..shape.width).for_each(|at| self.leaf(from + at, to + at, Change::Stays));
        }
        match (&shape.kind, ty) {
            (Kind::Id(_), _) => self.leaf(from, to, Change::Member),
            (Kind::Tuple(parts), Ty::Tuple(types)) => self.row(parts, types, from, to),
            (Kind::Tuple(parts), Ty::Struct(id)) => {
                let fields = self.song.structs[id.index()].fields.iter();
                let types: Vec<Ty> = fields.map(|(_, ty)| ty.clone()).collect();
                self.row(parts, &types, from, to);
            }
            (Kind::Option(inner), Ty::Option(ty)) => {
                self.leaf(from, to, Change::Stays);
                self.when.push((from, 1));
                self.value(inner, ty, from + 1, to + 1);
                self.when.pop();
            }
            (Kind::Enum(variants), Ty::Enum(id)) => {
                self.leaf(from, to, Change::Stays);
                let song = self.song;
                for (at, parts) in variants.iter().enumerate() {
                    let first = Shape::payload(variants, at);
                    let types = &song.enums[id.index()].variants[at].fields;
                    self.when.push((from, at as u64));
                    self.row(parts, types, from + first, to + first);
                    self.when.pop();
                }
            }
            (Kind::Set(listed), Ty::Set(element)) => {
                let places = self.places(listed, element).into_iter().enumerate();
                let bits = places.map(|(at, place)| (at as u32, place as u32));
                let bits = bits.filter(|(at, place)| at != place).collect();
                self.leaf(from, to, Change::Bits(bits));
            }
            (Kind::Bag(listed), Ty::Bag(element)) => {
                for (at, place) in self.places(listed, element).into_iter().enumerate() {
                    self.leaf(from + at, to + place, Change::Stays);
                }
            }
            (Kind::Map(keys, value), Ty::Map(key, of)) => {
                for (at, place) in self.places(keys, key).into_iter().enumerate() {
                    let (at, place) = (at * value.width, place * value.width);
                    self.value(value, of, from + at, to + place);
                }
            }
            (Kind::Opaque, ty) => self.leaf(from, to, Change::Value(ty.clone())),
            (kind, ty) => panic!("{ty:?} has not the shape {kind:?}"),
        }
    }

    fn row(&mut self, parts: &[Arc<Shape>], types: &[Ty], from: usize, to: usize) {
        let mut first = 0;
        for (part, ty) in parts.iter().zip(types) {
            self.value(part, ty, from + first, to + first);
            first += part.width;
        }
    }

    /// Where each of the listed values goes.
    fn places(&self, listed: &Listed, ty: &Ty) -> Vec<usize> {
        let renamed = |value| self.renaming.value(self.song, ty, value);
        let values = listed.values.iter();
        values.map(|value| listed.place(&renamed(value))).collect()
    }

    fn leaf(&mut self, from: usize, to: usize, change: Change) {
        self.out.push(Move {
            from,
            to,
            change,
            when: self.when.clone(),
        });
    }
}
