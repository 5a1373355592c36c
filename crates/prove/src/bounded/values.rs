//! Values made of finitely many truths and integers.
//!
//! | type | made of |
//! |---|---|
//! | `bool`, `int`, `nat`, a sort | one |
//! | enum, option | which variant, and the parts of each |
//! | struct, tuple | its parts |
//! | `set<T>` | for each value of `T` that is tried, whether it is in |
//! | `bag<T>` | for each, how often |
//! | `map<K, V>` | for each `K`, its value |
//! | `seq<T>` | its length and its elements |

use crate::lower::Unsupported;
use crate::term::{Sort, Term};
use crate::theory::{Result, Theory};
use crate::types::{has_functions, variants};
use plainsong_diagnostics::Span;
use plainsong_ir::{ConstId, FamilyId, SortKind, Ty, VarId};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::value::Value;
use std::sync::Arc;

/// The most truths and integers that values are made of.
const MOST_LEAVES: usize = 3_000;
/// The most elements and keys that are listed.
const MOST_LISTED: usize = 100;

/// What is left open, and the bounds it has.
#[derive(Clone, Debug)]
pub(crate) struct Bounded {
    pub(crate) instance: Instance,
    /// How many rounds a loop has at most.
    pub(crate) rounds: usize,
    /// Is all that is arbitrary made of leaves, not only what a run leaves open?
    pub(crate) everything: bool,
    /// The truths and integers.
    pub(crate) leaves: Vec<Term>,
    /// What is made of them, in the order of a run.
    pub(crate) inputs: Vec<(Input, Shape)>,
}

/// What is left open.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    /// A parameter of the song.
    Constant(ConstId),
    /// A parameter of the choreography.
    Param,
    /// What a variable of an endpoint starts with.
    Start(FamilyId, Vec<Value>, VarId),
    /// A choice on the way, made where this holds.
    Choice(Term),
    /// Anything that a proof leaves open.
    Anything,
}

/// How a value is made of leaves, by their numbers.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Bool(usize),
    Int(usize),
    Id(usize),
    Option(usize, Box<Shape>),
    Tuple(Vec<Shape>),
    Variant(usize, Vec<Vec<Shape>>),
    Set(Vec<(Value, usize)>),
    Bag(Vec<(Value, usize)>),
    Map(Vec<(Value, Shape)>),
    Seq(usize, Vec<Shape>),
}

impl Bounded {
    pub(crate) fn new(instance: Instance, rounds: usize) -> Bounded {
        Bounded {
            instance,
            rounds,
            everything: false,
            leaves: Vec::new(),
            inputs: Vec::new(),
        }
    }

    /// First and last integer that is worth looking at.
    pub(crate) fn integers(&self) -> (i64, i64) {
        let bounds = self.instance.bounds();
        let (mut first, mut last) = bounds.int;
        first = first.min(-1);
        last = last.max(bounds.nat).max(bounds.length as i64 + 1);
        for sort in 0..self.instance.song().sorts.len() {
            let (low, high) = self.instance.range(plainsong_ir::SortId::from(sort));
            first = first.min(low - 1);
            last = last.max(high + 1);
        }
        (first, last)
    }
}

impl Shape {
    /// The value, given those of the leaves.
    pub(crate) fn value(&self, leaves: &[i64]) -> Value {
        match self {
            Shape::Bool(at) => Value::Bool(leaves[*at] != 0),
            Shape::Int(at) => Value::Int(leaves[*at]),
            Shape::Id(at) => Value::Id(leaves[*at] as u32),
            Shape::Option(at, _) if leaves[*at] == 0 => Value::None,
            Shape::Option(_, inner) => Value::some(inner.value(leaves)),
            Shape::Tuple(parts) => Value::Tuple(all(parts, leaves)),
            Shape::Variant(at, ways) => {
                let way = (leaves[*at].max(0) as usize).min(ways.len() - 1);
                Value::Variant(way as u32, all(&ways[way], leaves))
            }
            Shape::Set(members) => {
                let inside = members.iter().filter(|(_, at)| leaves[*at] != 0);
                Value::set(inside.map(|(value, _)| value.clone()).collect())
            }
            Shape::Bag(members) => {
                let times = |at: usize| leaves[at].max(0) as usize;
                let each = (members.iter())
                    .flat_map(|(value, at)| std::iter::repeat_n(value.clone(), times(*at)));
                Value::bag(each.collect())
            }
            Shape::Map(entries) => Value::Map(
                (entries.iter())
                    .map(|(key, held)| (key.clone(), held.value(leaves)))
                    .collect(),
            ),
            Shape::Seq(at, elements) => {
                let len = (leaves[*at].max(0) as usize).min(elements.len());
                Value::Seq(all(&elements[..len], leaves))
            }
        }
    }
}

fn all(parts: &[Shape], leaves: &[i64]) -> Arc<[Value]> {
    parts.iter().map(|part| part.value(leaves)).collect()
}

impl Theory {
    /// An arbitrary value within bounds, noted as what `input` says. With `free`, integers have no bounds of
    /// their own: something else says what they may be.
    pub(crate) fn open_value(&mut self, input: Input, ty: &Ty, span: Span, free: bool) -> Result {
        let (value, shape) = self.made(ty, span, free)?;
        if let Some(bounded) = &mut self.bounded {
            bounded.inputs.push((input, shape));
        }
        Ok(value)
    }

    fn made(&mut self, ty: &Ty, span: Span, free: bool) -> Result<(Term, Shape)> {
        let Some(bounded) = &self.bounded else {
            return Err(Unsupported::new(span, "there are no bounds"));
        };
        let bounds = bounded.instance.bounds().clone();
        let infinite = match free {
            true => bounded.integers(),
            false => bounds.int,
        };
        Ok(match ty {
            Ty::Bool => {
                let (leaf, at) = self.leaf(Sort::BOOL, span)?;
                (leaf, Shape::Bool(at))
            }
            Ty::Int => {
                let (leaf, at) = self.between(infinite, span)?;
                (leaf, Shape::Int(at))
            }
            Ty::Nat => {
                let (leaf, at) = self.between((0, bounds.nat.max(infinite.1)), span)?;
                (leaf, Shape::Int(at))
            }
            Ty::Sort(sort) => {
                let range = bounded.instance.range(*sort);
                let kind = &bounded.instance.song().sorts[sort.index()].kind;
                let identities = matches!(kind, SortKind::Identities { .. });
                let (leaf, at) = self.between(range, span)?;
                match identities {
                    true => (leaf, Shape::Id(at)),
                    false => (leaf, Shape::Int(at)),
                }
            }
            Ty::Process => return Err(Unsupported::new(span, "processes have no bounds")),
            Ty::Enum(_) | Ty::Struct(_) | Ty::Tuple(_) | Ty::Option(_) => {
                self.made_of_variants(ty, span, free)?
            }
            Ty::Set(element) => self.made_set(element, span)?,
            Ty::Bag(element) => self.made_bag(element, span)?,
            Ty::Map(key, value) => self.made_map(key, value, span, free)?,
            Ty::Seq(element) => self.made_seq(ty, element, span, free)?,
        })
    }

    fn leaf(&mut self, sort: Sort, span: Span) -> Result<(Term, usize)> {
        let leaf = self.terms.fresh("open", sort);
        let Some(bounded) = &mut self.bounded else {
            return Err(Unsupported::new(span, "there are no bounds"));
        };
        if bounded.leaves.len() >= MOST_LEAVES {
            return Err(Unsupported::new(span, "too much is left open"));
        }
        bounded.leaves.push(leaf);
        Ok((leaf, bounded.leaves.len() - 1))
    }

    fn between(&mut self, (first, last): (i64, i64), span: Span) -> Result<(Term, usize)> {
        let (leaf, at) = self.leaf(Sort::INT, span)?;
        let (first, last) = (self.terms.int(first), self.terms.int(last));
        let low = self.terms.le(first, leaf);
        let high = self.terms.le(leaf, last);
        self.rely(low);
        self.rely(high);
        Ok((leaf, at))
    }

    fn made_of_variants(&mut self, ty: &Ty, span: Span, free: bool) -> Result<(Term, Shape)> {
        let song = self.song.clone();
        let sort = self.sort_of_type(ty, span)?;
        let (mut made, mut shapes) = (Vec::new(), Vec::new());
        for (number, (_, fields)) in variants(&song, ty).iter().enumerate() {
            let (mut parts, mut inside) = (Vec::new(), Vec::new());
            for field in fields {
                let (part, shape) = self.made(field, span, free)?;
                parts.push(part);
                inside.push(shape);
            }
            made.push(self.terms.make(sort, number as u32, &parts));
            shapes.push(inside);
        }
        if matches!(ty, Ty::Struct(_) | Ty::Tuple(_)) {
            return Ok((made[0], Shape::Tuple(shapes.swap_remove(0))));
        }
        let (which, at) = self.between((0, made.len() as i64 - 1), span)?;
        let mut value = made[made.len() - 1];
        for (number, &one) in made.iter().enumerate().rev().skip(1) {
            let number = self.terms.int(number as i64);
            let is_it = self.terms.eq(which, number);
            value = self.terms.ite(is_it, one, value);
        }
        let shape = match ty {
            Ty::Option(_) => Shape::Option(at, Box::new(shapes.swap_remove(1).swap_remove(0))),
            _ => Shape::Variant(at, shapes),
        };
        Ok((value, shape))
    }

    /// The values of a type that are tried, with their terms.
    pub(crate) fn listed(&mut self, ty: &Ty, span: Span) -> Result<Vec<(Value, Term)>> {
        let Some(bounded) = &self.bounded else {
            return Err(Unsupported::new(span, "there are no bounds"));
        };
        let values = bounded.instance.candidates(ty);
        let values = values.map_err(|why| Unsupported::new(span, why))?;
        if values.len() > MOST_LISTED {
            return Err(Unsupported::new(span, "too many elements or keys"));
        }
        let with_term = |value: Value| {
            let term = self.literal(&value, ty, span)?;
            Ok((value, term))
        };
        values.into_iter().map(with_term).collect()
    }

    /// A value without collections as a term.
    pub(crate) fn literal(&mut self, value: &Value, ty: &Ty, span: Span) -> Result {
        let song = self.song.clone();
        let (variant, parts): (usize, &[Value]) = match value {
            Value::Bool(truth) => return Ok(self.terms.bool(*truth)),
            Value::Int(int) => return Ok(self.terms.int(*int)),
            Value::Id(number) => return Ok(self.terms.int(i64::from(*number))),
            _ if has_functions(&song, ty) => {
                let why = "collections of collections are not written out within bounds";
                return Err(Unsupported::new(span, why));
            }
            Value::None => (0, &[]),
            Value::Some(inner) => (1, std::slice::from_ref(&**inner)),
            Value::Tuple(parts) => (0, parts),
            Value::Variant(number, parts) => (*number as usize, parts),
            _ => return Err(Unsupported::new(span, "this value is not written out")),
        };
        let sort = self.sort_of_type(ty, span)?;
        let Some((_, fields)) = variants(&song, ty).into_iter().nth(variant) else {
            return Err(Unsupported::new(span, "this value is not written out"));
        };
        let parts: Vec<Term> = (parts.iter().zip(&fields))
            .map(|(part, field)| self.literal(part, field, span))
            .collect::<Result<_>>()?;
        Ok(self.terms.make(sort, variant as u32, &parts))
    }

    /// The function with these values at these places, and another elsewhere.
    fn table(&mut self, from: Sort, entries: &[(Term, Term)], otherwise: Term) -> Term {
        let at = self.terms.fresh("at", from);
        let mut held = otherwise;
        for &(place, value) in entries.iter().rev() {
            let here = self.terms.eq(at, place);
            held = self.terms.ite(here, value, held);
        }
        self.terms.lambda(at, held)
    }

    fn made_set(&mut self, element: &Ty, span: Span) -> Result<(Term, Shape)> {
        let from = self.sort_of_type(element, span)?;
        let (mut entries, mut shape) = (Vec::new(), Vec::new());
        for (value, term) in self.listed(element, span)? {
            let (leaf, at) = self.leaf(Sort::BOOL, span)?;
            entries.push((term, leaf));
            shape.push((value, at));
        }
        let no = self.terms.bool(false);
        Ok((self.table(from, &entries, no), Shape::Set(shape)))
    }

    fn made_bag(&mut self, element: &Ty, span: Span) -> Result<(Term, Shape)> {
        let from = self.sort_of_type(element, span)?;
        let most = (self.bounded.as_ref()).map_or(0, |one| one.instance.bounds().length as i64);
        let (mut entries, mut shape) = (Vec::new(), Vec::new());
        let mut size = self.terms.int(0);
        for (value, term) in self.listed(element, span)? {
            let (leaf, at) = self.between((0, most), span)?;
            size = self.terms.add(size, leaf);
            entries.push((term, leaf));
            shape.push((value, at));
        }
        let most = self.terms.int(most);
        let small = self.terms.le(size, most);
        self.rely(small);
        let none = self.terms.int(0);
        Ok((self.table(from, &entries, none), Shape::Bag(shape)))
    }

    fn made_map(&mut self, key: &Ty, held: &Ty, span: Span, free: bool) -> Result<(Term, Shape)> {
        let from = self.sort_of_type(key, span)?;
        let to = self.sort_of_type(held, span)?;
        let (mut entries, mut shape) = (Vec::new(), Vec::new());
        for (value, term) in self.listed(key, span)? {
            let (inner, inside) = self.made(held, span, free)?;
            entries.push((term, inner));
            shape.push((value, inside));
        }
        let default = self.default_of(to);
        Ok((self.table(from, &entries, default), Shape::Map(shape)))
    }

    fn made_seq(&mut self, ty: &Ty, element: &Ty, span: Span, free: bool) -> Result<(Term, Shape)> {
        let sort = self.sort_of_type(ty, span)?;
        let to = self.sort_of_type(element, span)?;
        let most = (self.bounded.as_ref()).map_or(0, |one| one.instance.bounds().length);
        let (len, at) = self.between((0, most as i64), span)?;
        let default = self.default_of(to);
        let (mut entries, mut shape) = (Vec::new(), Vec::new());
        for number in 0..most {
            let (inner, inside) = self.made(element, span, free)?;
            let place = self.terms.int(number as i64);
            let is_there = self.terms.lt(place, len);
            let held = self.terms.ite(is_there, inner, default);
            entries.push((place, held));
            shape.push(inside);
        }
        let elements = self.table(Sort::INT, &entries, default);
        let value = self.terms.make(sort, 0, &[len, elements]);
        Ok((value, Shape::Seq(at, shape)))
    }
}
