//! Where in a value the members of sorts are, and what becomes of it when they change their names.

use crate::value::{Pid, Value};
use plainsong_ir::finite::contains;
use plainsong_ir::{Song, SortId, Ty};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Where the members are in values of a type.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// Nowhere.
    Plain,
    /// It is one, of the sort with this number among those that are renamed.
    Member(usize),
    /// It is a process, which has indices.
    Process,
    /// A tuple or a struct.
    Row(Vec<Shape>),
    /// An enum.
    Variants(Vec<Vec<Shape>>),
    Option(Box<Shape>),
    /// A set, a bag or a sequence: whatever the value is.
    Elements(Box<Shape>),
    Map(Box<Shape>, Box<Shape>),
}

/// Who each member and each process becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Permutation {
    /// For each sort that is renamed.
    pub(super) members: Vec<Vec<u32>>,
    /// For each row of the table of members.
    pub(super) rows: Vec<u32>,
}

impl Permutation {
    /// First this one, then another.
    pub(super) fn then(&self, other: &Permutation) -> Permutation {
        let after =
            |first: &[u32], then: &[u32]| first.iter().map(|at| then[*at as usize]).collect();
        let both = self.members.iter().zip(&other.members);
        Permutation {
            members: both.map(|(first, then)| after(first, then)).collect(),
            rows: after(&self.rows, &other.rows),
        }
    }

    /// The way back.
    pub(super) fn inverse(&self) -> Permutation {
        let back = |to: &Vec<u32>| {
            let mut from = vec![0; to.len()];
            (0..).zip(to).for_each(|(at, to)| from[*to as usize] = at);
            from
        };
        Permutation {
            members: self.members.iter().map(back).collect(),
            rows: back(&self.rows),
        }
    }

    /// Who a process becomes.
    pub(super) fn pid(&self, pid: Pid) -> Pid {
        match pid {
            Pid::Init => Pid::Init,
            Pid::Member(row) => Pid::Member(self.rows[row as usize]),
        }
    }
}

/// How things look to one member of a sort: it is itself, all others are others.
pub(super) struct Eyes<'a> {
    /// The number of its sort.
    pub(super) sort: usize,
    /// The member.
    pub(super) me: u32,
    /// How each process looks.
    pub(super) rows: &'a [u64],
}

impl Shape {
    /// The shape of values of a type.
    pub(super) fn of(song: &Song, sorts: &[SortId], ty: &Ty) -> Shape {
        let is_there = |sort: &SortId| contains(song, ty, &Ty::Sort(*sort));
        if !sorts.iter().any(is_there) && !contains(song, ty, &Ty::Process) {
            return Shape::Plain;
        }
        let of = |ty: &Ty| Shape::of(song, sorts, ty);
        let boxed = |ty: &Ty| Box::new(of(ty));
        match ty {
            Ty::Bool | Ty::Int | Ty::Nat => Shape::Plain,
            Ty::Sort(sort) => {
                let at = sorts.iter().position(|known| known == sort);
                at.map_or(Shape::Plain, Shape::Member)
            }
            Ty::Process => Shape::Process,
            Ty::Tuple(types) => Shape::Row(types.iter().map(of).collect()),
            Ty::Struct(id) => {
                let fields = song.structs[id.index()].fields.iter();
                Shape::Row(fields.map(|(_, ty)| of(ty)).collect())
            }
            Ty::Enum(id) => {
                let variants = song.enums[id.index()].variants.iter();
                Shape::Variants(
                    variants
                        .map(|one| one.fields.iter().map(of).collect())
                        .collect(),
                )
            }
            Ty::Option(inner) => Shape::Option(boxed(inner)),
            Ty::Set(element) | Ty::Bag(element) | Ty::Seq(element) => {
                Shape::Elements(boxed(element))
            }
            Ty::Map(key, value) => Shape::Map(boxed(key), boxed(value)),
        }
    }

    /// A value with other names.
    pub(super) fn renamed(&self, value: &Value, to: &Permutation) -> Value {
        match (self, value) {
            (Shape::Member(sort), Value::Id(id)) => Value::Id(to.members[*sort][*id as usize]),
            (Shape::Process, Value::Process(pid)) => Value::Process(to.pid(*pid)),
            (Shape::Row(shapes), Value::Tuple(parts)) => Value::Tuple(row(shapes, parts, to)),
            (Shape::Variants(shapes), Value::Variant(at, parts)) => {
                Value::Variant(*at, row(&shapes[*at as usize], parts, to))
            }
            (Shape::Option(inner), Value::Some(value)) => Value::some(inner.renamed(value, to)),
            (Shape::Elements(of), Value::Set(all)) => Value::set(of.each(all, to)),
            (Shape::Elements(of), Value::Bag(all)) => Value::bag(of.each(all, to)),
            (Shape::Elements(of), Value::Seq(all)) => Value::Seq(of.each(all, to).into()),
            (Shape::Map(key, of), Value::Map(pairs)) => {
                let pairs = pairs.iter();
                let mut pairs: Vec<(Value, Value)> = pairs
                    .map(|(at, value)| (key.renamed(at, to), of.renamed(value, to)))
                    .collect();
                pairs.sort_unstable();
                Value::Map(pairs.into())
            }
            _ => value.clone(),
        }
    }

    fn each(&self, values: &[Value], to: &Permutation) -> Vec<Value> {
        let each = values.iter().map(|value| self.renamed(value, to));
        each.collect()
    }

    /// How a value looks: the same after renaming, to whom its member becomes.
    pub(super) fn look(&self, value: &Value, eyes: &Eyes<'_>) -> u64 {
        match (self, value) {
            (Shape::Member(sort), Value::Id(id)) => {
                mixed(1, u64::from(*sort == eyes.sort && *id == eyes.me))
            }
            (Shape::Process, Value::Process(Pid::Member(at))) => eyes.rows[*at as usize],
            (Shape::Row(shapes), Value::Tuple(parts)) => looks(shapes, parts, eyes),
            (Shape::Variants(shapes), Value::Variant(at, parts)) => mixed(
                2 + u64::from(*at),
                looks(&shapes[*at as usize], parts, eyes),
            ),
            (Shape::Option(inner), Value::Some(value)) => mixed(3, inner.look(value, eyes)),
            (Shape::Elements(of), Value::Set(all) | Value::Bag(all)) => {
                let looks = all.iter().map(|value| mixed(4, of.look(value, eyes)));
                looks.fold(0, u64::wrapping_add)
            }
            (Shape::Elements(of), Value::Seq(all)) => all
                .iter()
                .fold(5, |sum, value| mixed(sum, of.look(value, eyes))),
            (Shape::Map(key, of), Value::Map(pairs)) => {
                let look = |(at, value): &(Value, Value)| {
                    mixed(mixed(6, key.look(at, eyes)), of.look(value, eyes))
                };
                pairs.iter().map(look).fold(0, u64::wrapping_add)
            }
            _ => {
                let mut hasher = FxHasher::default();
                value.hash(&mut hasher);
                hasher.finish()
            }
        }
    }
}

/// Several values with other names.
pub(super) fn row(shapes: &[Shape], values: &[Value], to: &Permutation) -> Arc<[Value]> {
    let both = shapes.iter().zip(values);
    both.map(|(shape, value)| shape.renamed(value, to))
        .collect()
}

/// How several values look.
pub(super) fn looks(shapes: &[Shape], values: &[Value], eyes: &Eyes<'_>) -> u64 {
    let both = shapes.iter().zip(values);
    both.fold(7, |sum, (shape, value)| mixed(sum, shape.look(value, eyes)))
}

/// One number out of two, in which their order shows.
pub(super) fn mixed(first: u64, second: u64) -> u64 {
    let mut hasher = FxHasher::default();
    (first, second).hash(&mut hasher);
    let sum = hasher.finish();
    sum ^ (sum >> 29)
}
