//! A small state in which an obligation is false, told in values of the source.
//!
//! An obligation that a solver does not show is built once more in a theory with bounds: all that is left open is made
//! of finitely many truths and integers, and every quantifier is written out. If the solver then finds values, those of
//! terms that a reader knows (variables before and after) are read back. They are an example for people, no verdict:
//! nobody has run them.

use super::values::Shape;
use super::{Bounded, concrete, expand::QuantifierExpander, fix_ranges, number};
use crate::discharge::script::{Script, is_readable};
use crate::lower::Unsupported;
use crate::obligation::Obligation;
use crate::term::{Sort, Term};
use crate::theory::{Result, Theory};
use crate::types::variants;
use plainsong_diagnostics::Span;
use plainsong_ir::{SortKind, Ty};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::value::Value;
use plainsong_smt::{Cancel, Limits, Outcome, Query, Sexpr, Solvers};
use rustc_hash::FxHashSet;

/// The most of a sequence or bag that is shown.
const MOST_SHOWN: usize = 4;

/// A term that a reader knows.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Its type.
    pub ty: Ty,
    pub term: Term,
}

/// An obligation in doubt, and what to tell about a state in which it is false.
#[derive(Clone, Debug)]
pub struct Doubt {
    pub obligation: Obligation,
    /// What to tell.
    pub shown: Vec<Shown>,
}

/// Values of what is shown with which the obligation is false in an instance; `None` for what cannot be read.
///
/// # Errors
///
/// When something is not covered within bounds.
pub fn example(
    instance: &Instance,
    build: &mut dyn FnMut(&mut Theory) -> Result<Option<Doubt>>,
    resource: u64,
    solvers: &Solvers,
    cancel: &Cancel,
) -> Result<Option<Vec<Option<Value>>>> {
    let mut theory = Theory::new(concrete(instance));
    theory.bounded = Some(Bounded {
        everything: true,
        ..Bounded::new(instance.clone(), 1)
    });
    fix_ranges(&mut theory, instance)?;
    for at in 0..theory.song.consts.len() {
        theory.constant(plainsong_ir::ConstId::from(at))?;
    }
    let Some(doubt) = build(&mut theory)? else {
        return Ok(None);
    };
    let mut reading = LeafReader {
        instance,
        leaves: Vec::new(),
    };
    let shapes: Vec<Option<Shape>> = (doubt.shown.iter())
        .map(|one| reading.shape(&mut theory, &one.ty, one.term).ok())
        .collect();
    let asked = [doubt.obligation];
    let (formulas, leaves) =
        QuantifierExpander::new(&mut theory).wrong_with(&asked, &reading.leaves)?;
    let mut seen = FxHashSet::default();
    let mut all = formulas.iter().chain(&leaves);
    if !all.all(|one| is_readable(&theory.terms, *one, &mut seen)) {
        let why = "a collection in it cannot be written out within bounds";
        return Err(Unsupported::new(Span::default(), why));
    }
    let mut script = Script::new(&theory.terms);
    formulas
        .iter()
        .chain(&leaves)
        .for_each(|one| script.count(*one));
    formulas.iter().for_each(|one| script.assert(*one));
    let values: Vec<Sexpr> = leaves.iter().map(|leaf| script.say(*leaf)).collect();
    let mut query = Query::new("example-within-bounds", script.finish());
    query.about = "a small state in which an obligation is false".to_owned();
    query.ask.values = values;
    query.limits = Limits {
        resource,
        ..Limits::default()
    };
    let Outcome::Sat { values, .. } = solvers.ask(&query, cancel).outcome else {
        return Ok(None);
    };
    let Some(numbers) = values.iter().map(number).collect::<Option<Vec<i64>>>() else {
        return Ok(None);
    };
    let value = |shape: &Option<Shape>| shape.as_ref().map(|shape| shape.value(&numbers));
    Ok(Some(shapes.iter().map(value).collect()))
}

/// That a term has a value, in a theory with bounds.
///
/// # Errors
///
/// When something is not covered within bounds.
pub fn has_value(theory: &mut Theory, ty: &Ty, term: Term, value: &Value) -> Result {
    let span = Span::default();
    let unread = || Unsupported::new(span, "this value is not written out");
    let of_parts = |theory: &mut Theory, number: usize, parts: &[Value]| {
        let song = theory.song.clone();
        let all = variants(&song, ty);
        let (_, fields) = all.get(number).ok_or_else(unread)?;
        let mut same = vec![theory.terms.is(term, number as u32)];
        for (at, (field, part)) in fields.iter().zip(parts).enumerate() {
            let held = theory.terms.get(term, number as u32, at as u32);
            same.push(has_value(theory, field, held, part)?);
        }
        Ok(theory.terms.and(&same))
    };
    match (ty, value) {
        (_, Value::Bool(true)) => Ok(term),
        (_, Value::Bool(false)) => Ok(theory.terms.not(term)),
        (_, Value::Int(number)) => {
            let number = theory.terms.int(*number);
            Ok(theory.terms.eq(term, number))
        }
        (_, Value::Id(number)) => {
            let number = theory.terms.int(i64::from(*number));
            Ok(theory.terms.eq(term, number))
        }
        (_, Value::None) => of_parts(theory, 0, &[]),
        (_, Value::Some(inner)) => of_parts(theory, 1, std::slice::from_ref(&**inner)),
        (_, Value::Tuple(parts)) => of_parts(theory, 0, parts),
        (_, Value::Variant(number, parts)) => of_parts(theory, *number as usize, parts),
        (Ty::Set(element), Value::Set(members)) => {
            let (mut same, listed) = (Vec::new(), theory.listed(element, span)?);
            all_listed(&listed, members.iter()).ok_or_else(unread)?;
            for (one, at) in listed {
                let inside = theory.terms.select(term, at);
                same.push(match members.contains(&one) {
                    true => inside,
                    false => theory.terms.not(inside),
                });
            }
            Ok(theory.terms.and(&same))
        }
        (Ty::Bag(element), Value::Bag(members)) => {
            let (mut same, listed) = (Vec::new(), theory.listed(element, span)?);
            all_listed(&listed, members.iter()).ok_or_else(unread)?;
            for (one, at) in listed {
                let times = members.iter().filter(|other| **other == one).count();
                let (held, times) = (
                    theory.terms.select(term, at),
                    theory.terms.int(times as i64),
                );
                same.push(theory.terms.eq(held, times));
            }
            Ok(theory.terms.and(&same))
        }
        (Ty::Map(key, held), Value::Map(entries)) => {
            let (mut same, listed) = (Vec::new(), theory.listed(key, span)?);
            all_listed(&listed, entries.iter().map(|(key, _)| key)).ok_or_else(unread)?;
            for (one, at) in listed {
                let entry = entries.iter().find(|(key, _)| *key == one);
                let (_, value) = entry.ok_or_else(unread)?;
                let inner = theory.terms.select(term, at);
                same.push(has_value(theory, held, inner, value)?);
            }
            Ok(theory.terms.and(&same))
        }
        (Ty::Seq(element), Value::Seq(elements)) => {
            let (len, places) = (theory.terms.get(term, 0, 0), theory.terms.get(term, 0, 1));
            let count = theory.terms.int(elements.len() as i64);
            let mut same = vec![theory.terms.eq(len, count)];
            for (number, value) in elements.iter().enumerate() {
                let place = theory.terms.int(number as i64);
                let inner = theory.terms.select(places, place);
                same.push(has_value(theory, element, inner, value)?);
            }
            Ok(theory.terms.and(&same))
        }
        _ => Err(unread()),
    }
}

/// Is all of this among what is listed?
fn all_listed<'v>(
    listed: &[(Value, Term)],
    mut all: impl Iterator<Item = &'v Value>,
) -> Option<()> {
    all.all(|one| listed.iter().any(|(other, _)| other == one))
        .then_some(())
}

struct LeafReader<'a> {
    instance: &'a Instance,
    leaves: Vec<Term>,
}

impl LeafReader<'_> {
    fn leaf(&mut self, term: Term) -> usize {
        self.leaves.push(term);
        self.leaves.len() - 1
    }

    /// How a term's value is read: the truths and integers to ask for.
    fn shape(&mut self, theory: &mut Theory, ty: &Ty, term: Term) -> Result<Shape> {
        let span = Span::default();
        Ok(match ty {
            Ty::Bool => Shape::Bool(self.leaf(term)),
            Ty::Int | Ty::Nat => Shape::Int(self.leaf(term)),
            Ty::Sort(sort) => {
                let kind = &self.instance.song().sorts[sort.index()].kind;
                match matches!(kind, SortKind::Identities { .. }) {
                    true => Shape::Id(self.leaf(term)),
                    false => Shape::Int(self.leaf(term)),
                }
            }
            Ty::Process => return Err(Unsupported::new(span, "processes have no bounds")),
            Ty::Enum(_) | Ty::Struct(_) | Ty::Tuple(_) | Ty::Option(_) => {
                self.of_variants(theory, ty, term)?
            }
            Ty::Set(element) => {
                let mut members = Vec::new();
                for (value, at) in theory.listed(element, span)? {
                    let inside = theory.terms.select(term, at);
                    members.push((value, self.leaf(inside)));
                }
                Shape::Set(members)
            }
            Ty::Bag(element) => {
                let mut members = Vec::new();
                for (value, at) in theory.listed(element, span)? {
                    let times = theory.terms.select(term, at);
                    members.push((value, self.leaf(times)));
                }
                Shape::Bag(members)
            }
            Ty::Map(key, held) => {
                let mut entries = Vec::new();
                for (value, at) in theory.listed(key, span)? {
                    let inner = theory.terms.select(term, at);
                    entries.push((value, self.shape(theory, held, inner)?));
                }
                Shape::Map(entries)
            }
            Ty::Seq(element) => {
                let (len, elements) = (theory.terms.get(term, 0, 0), theory.terms.get(term, 0, 1));
                let len = self.leaf(len);
                let mut shapes = Vec::new();
                for number in 0..MOST_SHOWN {
                    let place = theory.terms.int(number as i64);
                    let inner = theory.terms.select(elements, place);
                    shapes.push(self.shape(theory, element, inner)?);
                }
                Shape::Seq(len, shapes)
            }
        })
    }

    fn of_variants(&mut self, theory: &mut Theory, ty: &Ty, term: Term) -> Result<Shape> {
        let song = theory.song.clone();
        let (mut which, mut shapes) = (theory.terms.int(0), Vec::new());
        for (number, (_, fields)) in variants(&song, ty).iter().enumerate() {
            let mut inside = Vec::new();
            for (at, field) in fields.iter().enumerate() {
                let part = theory.terms.get(term, number as u32, at as u32);
                inside.push(self.shape(theory, field, part)?);
            }
            shapes.push(inside);
            let is_it = theory.terms.is(term, number as u32);
            let here = theory.terms.int(number as i64);
            which = theory.terms.ite(is_it, here, which);
        }
        if matches!(ty, Ty::Struct(_) | Ty::Tuple(_)) {
            return Ok(Shape::Tuple(shapes.swap_remove(0)));
        }
        debug_assert!(
            theory.terms.sort(which) == Sort::INT,
            "a number of a variant"
        );
        let which = self.leaf(which);
        Ok(match ty {
            Ty::Option(_) => Shape::Option(which, Box::new(shapes.swap_remove(1).swap_remove(0))),
            _ => Shape::Variant(which, shapes),
        })
    }
}
