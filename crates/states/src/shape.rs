//! Shapes: how the values of a type are laid out as a row of numbers.
//!
//! A value becomes a fixed number of *leaves*, each one a `u64`: a truth value is one leaf, a tuple is its
//! parts one after the other, an option is a tag and its payload, a set over few values is one mask, a
//! map over few keys is its values one after the other. What has no such shape (sequences, sets and
//! bags over endless types) is one leaf that holds a number of the [`Interner`](crate::interner). Equal
//! values have equal leaves and the other way round: leaves that mean nothing (the payload of `none`) are
//! *blank*, which is one fixed number for each leaf.

use plainsong_ir::{SortKind, Ty};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The most elements of a set that is a mask.
const WIDEST_SET: u128 = 64;
/// The most different elements of a bag that is a row of counts.
const WIDEST_BAG: u128 = 32;
/// The most keys of a map that is a row of values.
const WIDEST_MAP: u128 = 256;
/// The most leaves of one value.
const MOST_LEAVES: usize = 512;
/// How deep types may nest before they are left whole.
const DEEPEST: u32 = 50;

/// The shape of a type.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) kind: Kind,
    /// How many leaves it has.
    pub(crate) width: usize,
}

/// The kinds of shapes.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// 0 or 1.
    Bool,
    /// Members of a sort of identities, this many.
    Id(u32),
    /// Consecutive integers.
    Range(i64, i64),
    /// All integers.
    Int,
    /// Integers from zero.
    Nat,
    /// Parts in order.
    Tuple(Vec<Arc<Shape>>),
    /// A tag (0 is `none`), then the payload.
    Option(Arc<Shape>),
    /// A tag, then the payloads of all variants in order.
    Enum(Vec<Vec<Arc<Shape>>>),
    /// A mask: the first element is the lowest bit.
    Set(Arc<Listed>),
    /// How often each element is there.
    Bag(Arc<Listed>),
    /// The value for each key.
    Map(Arc<Listed>, Arc<Shape>),
    /// The number of the whole value.
    Opaque,
}

/// The values of a finite type, ascending.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    /// Their shape.
    pub(crate) shape: Arc<Shape>,
    pub(crate) values: Vec<Value>,
}

/// How a leaf fits into bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fit {
    /// How many bits at first.
    pub(crate) bits: u32,
    /// The least number.
    pub(crate) bias: i64,
    /// What to do when a number does not fit.
    pub(crate) grows: Grows,
    /// What it holds when it means nothing.
    pub(crate) blank: u64,
}

/// What to do when a number does not fit its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grows {
    /// It always fits.
    Never,
    /// More bits; the least number is zero.
    Up,
    /// More bits, for negative numbers too.
    BothWays,
}

impl Shape {
    /// Where a part of a tuple begins.
    pub(crate) fn part(parts: &[Arc<Shape>], at: usize) -> usize {
        parts[..at].iter().map(|part| part.width).sum()
    }

    /// Where the payload of a variant begins.
    pub(crate) fn payload(variants: &[Vec<Arc<Shape>>], variant: usize) -> usize {
        let before = variants[..variant].iter().flatten();
        1 + before.map(|part| part.width).sum::<usize>()
    }

    /// How many values there are, when they can be numbered in ascending order by arithmetic.
    pub(crate) fn count(&self) -> Option<u128> {
        let product = |parts: &[Arc<Shape>]| {
            parts
                .iter()
                .try_fold(1u128, |all, part| Some(all.saturating_mul(part.count()?)))
        };
        match &self.kind {
            Kind::Bool => Some(2),
            Kind::Id(count) => Some(u128::from(*count)),
            Kind::Range(first, last) => {
                u128::try_from(i128::from(*last) - i128::from(*first) + 1).ok()
            }
            Kind::Tuple(parts) => product(parts),
            Kind::Option(inner) => Some(inner.count()?.saturating_add(1)),
            Kind::Enum(variants) => variants.iter().try_fold(0u128, |sum, parts| {
                Some(sum.saturating_add(product(parts)?))
            }),
            Kind::Map(keys, value) => {
                let exponent = u32::try_from(keys.values.len()).ok()?;
                Some(value.count()?.saturating_pow(exponent))
            }
            Kind::Int | Kind::Nat | Kind::Set(_) | Kind::Bag(_) | Kind::Opaque => None,
        }
    }

    /// The number of a value among all of its type, ascending: truth values, identities and integers
    /// by number; tuples by their first part, then the next; `none` before `some`; variants in order,
    /// then by payload. None when they cannot be numbered.
    pub(crate) fn place(&self, leaves: &[u64]) -> Option<u64> {
        match &self.kind {
            Kind::Bool | Kind::Id(_) => Some(leaves[0]),
            Kind::Range(first, _) => Some(leaves[0].wrapping_sub(*first as u64)),
            Kind::Tuple(parts) => place_in_product(parts.iter(), leaves),
            Kind::Map(keys, value) => place_in_product(keys.values.iter().map(|_| value), leaves),
            Kind::Option(_) if leaves[0] == 0 => Some(0),
            Kind::Option(inner) => Some(1 + inner.place(&leaves[1..])?),
            Kind::Enum(variants) => {
                let variant = leaves[0] as usize;
                let mut before = 0;
                for parts in &variants[..variant] {
                    let mut count = 1;
                    for part in parts {
                        count *= part.count()?;
                    }
                    before += count as u64;
                }
                let payload = &leaves[Shape::payload(variants, variant)..];
                Some(before + place_in_product(variants[variant].iter(), payload)?)
            }
            Kind::Int | Kind::Nat | Kind::Set(_) | Kind::Bag(_) | Kind::Opaque => None,
        }
    }

    /// How each leaf fits into bits.
    pub(crate) fn fits(&self, out: &mut Vec<Fit>) {
        let fixed = |bits: u32| Fit {
            bits,
            bias: 0,
            grows: Grows::Never,
            blank: 0,
        };
        let up = |bits: u32| Fit {
            grows: Grows::Up,
            ..fixed(bits)
        };
        match &self.kind {
            Kind::Bool => out.push(fixed(1)),
            Kind::Id(count) => out.push(fixed(bits_for(u64::from(*count)))),
            Kind::Range(first, last) => out.push(Fit {
                bias: *first,
                blank: *first as u64,
                ..fixed(bits_for(
                    (*last as u64).wrapping_sub(*first as u64).wrapping_add(1),
                ))
            }),
            Kind::Int => out.push(Fit {
                bias: -8,
                grows: Grows::BothWays,
                ..fixed(4)
            }),
            Kind::Nat => out.push(up(4)),
            Kind::Tuple(parts) => parts.iter().for_each(|part| part.fits(out)),
            Kind::Option(inner) => {
                out.push(fixed(1));
                inner.fits(out);
            }
            Kind::Enum(variants) => {
                out.push(fixed(bits_for(variants.len() as u64)));
                variants.iter().flatten().for_each(|part| part.fits(out));
            }
            Kind::Set(listed) => out.push(fixed(listed.values.len() as u32)),
            Kind::Bag(listed) => out.extend(listed.values.iter().map(|_| up(1))),
            Kind::Map(keys, value) => keys.values.iter().for_each(|_| value.fits(out)),
            Kind::Opaque => out.push(up(6)),
        }
    }

    /// Leaves that mean nothing.
    pub(crate) fn blanks(&self) -> Vec<u64> {
        let mut fits = Vec::new();
        self.fits(&mut fits);
        fits.iter().map(|fit| fit.blank).collect()
    }
}

fn place_in_product<'s>(
    parts: impl Iterator<Item = &'s Arc<Shape>>,
    leaves: &[u64],
) -> Option<u64> {
    let (mut place, mut first) = (0, 0);
    for part in parts {
        place = place * part.count()? as u64 + part.place(&leaves[first..])?;
        first += part.width;
    }
    Some(place)
}

/// How many bits `count` different numbers need.
fn bits_for(count: u64) -> u32 {
    match count {
        0 => 64,
        count => 64 - (count - 1).leading_zeros(),
    }
}

/// The shapes of the types of one instance.
#[derive(Clone)]
pub(crate) struct Shapes {
    instance: Instance,
    known: FxHashMap<Ty, Arc<Shape>>,
}

impl Shapes {
    /// None known yet.
    pub(crate) fn new(instance: &Instance) -> Self {
        Shapes {
            instance: instance.clone(),
            known: FxHashMap::default(),
        }
    }

    /// The shape of a type.
    pub(crate) fn of(&mut self, ty: &Ty) -> Arc<Shape> {
        self.nested(ty, 0)
    }

    fn nested(&mut self, ty: &Ty, depth: u32) -> Arc<Shape> {
        if let Some(known) = self.known.get(ty) {
            return known.clone();
        }
        let kind = if depth > DEEPEST {
            Kind::Opaque
        } else {
            self.kind(ty, depth + 1)
        };
        let mut shape = Shape {
            width: width(&kind),
            kind,
        };
        if shape.width > MOST_LEAVES {
            shape = Shape {
                kind: Kind::Opaque,
                width: 1,
            };
        }
        let shape = Arc::new(shape);
        self.known.insert(ty.clone(), shape.clone());
        shape
    }

    fn kind(&mut self, ty: &Ty, depth: u32) -> Kind {
        let song = self.instance.song().clone();
        match ty {
            Ty::Bool => Kind::Bool,
            Ty::Int => Kind::Int,
            Ty::Nat => Kind::Nat,
            Ty::Sort(id) => match song.sorts[id.index()].kind {
                SortKind::Identities { .. } => Kind::Id(self.instance.size(*id) as u32),
                SortKind::Range(_) => {
                    let (first, last) = self.instance.range(*id);
                    Kind::Range(first, last)
                }
            },
            Ty::Tuple(parts) => Kind::Tuple(self.parts(parts.iter(), depth)),
            Ty::Struct(id) => {
                let fields = song.structs[id.index()].fields.iter();
                Kind::Tuple(self.parts(fields.map(|(_, ty)| ty), depth))
            }
            Ty::Option(inner) => Kind::Option(self.nested(inner, depth)),
            Ty::Enum(id) => {
                let variants = song.enums[id.index()].variants.iter();
                Kind::Enum(
                    variants
                        .map(|variant| self.parts(variant.fields.iter(), depth))
                        .collect(),
                )
            }
            Ty::Set(element) => self
                .listed(element, WIDEST_SET, depth)
                .map_or(Kind::Opaque, Kind::Set),
            Ty::Bag(element) => self
                .listed(element, WIDEST_BAG, depth)
                .map_or(Kind::Opaque, Kind::Bag),
            Ty::Map(key, value) => match self.listed(key, WIDEST_MAP, depth) {
                Some(keys) => Kind::Map(keys, self.nested(value, depth)),
                None => Kind::Opaque,
            },
            Ty::Seq(_) | Ty::Process => Kind::Opaque,
        }
    }

    fn parts<'t>(&mut self, types: impl Iterator<Item = &'t Ty>, depth: u32) -> Vec<Arc<Shape>> {
        types.map(|ty| self.nested(ty, depth)).collect()
    }

    fn listed(&mut self, ty: &Ty, most: u128, depth: u32) -> Option<Arc<Listed>> {
        let shape = self.nested(ty, depth);
        let count = shape.count().filter(|count| *count <= most)?;
        let values = self.instance.values(ty).ok()?;
        (values.len() as u128 == count).then(|| Arc::new(Listed { shape, values }))
    }
}

fn width(kind: &Kind) -> usize {
    let sum = |parts: &[Arc<Shape>]| parts.iter().map(|part| part.width).sum::<usize>();
    match kind {
        Kind::Bool | Kind::Id(_) | Kind::Range(..) | Kind::Int | Kind::Nat => 1,
        Kind::Set(_) | Kind::Opaque => 1,
        Kind::Tuple(parts) => sum(parts),
        Kind::Option(inner) => 1 + inner.width,
        Kind::Enum(variants) => 1 + variants.iter().map(|parts| sum(parts)).sum::<usize>(),
        Kind::Bag(listed) => listed.values.len(),
        Kind::Map(keys, value) => keys.values.len() * value.width,
    }
}
