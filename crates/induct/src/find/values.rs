//! Values of one size as circuits.
//!
//! | sort | value |
//! |---|---|
//! | truth | a literal |
//! | integer, identity | for each number that it can be, a literal: exactly one is true |
//! | datatype | for each constructor, a literal and its fields |
//! | function | a value for each place |
//!
//! A [`Shape`] says how a value is made of bits: numbers in binary.

use super::circuit::{Circuit, Lit};
use std::rc::Rc;

/// The most numbers that an integer is one of.
const NUMBERS: usize = 400;

/// A value, whatever the inputs are.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    Bool(Lit),
    /// Ascending; the literals exclude each other, and one is true.
    Num(Rc<Vec<(i64, Lit)>>),
    /// By constructor: was it made with that, and of what.
    Data(Rc<Vec<(Lit, Option<Vec<Val>>)>>),
    /// By the number of the place in its domain.
    Fun(Rc<Vec<Val>>),
}

/// What a value that is not known consists of.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Bool,
    Num(Vec<i64>),
    Data(Vec<Vec<Shape>>),
    Fun(Vec<Shape>),
    /// Always this.
    Fixed(Val),
}

impl Val {
    pub(crate) fn number(number: i64) -> Val {
        Val::Num(Rc::new(vec![(number, Lit::TRUE)]))
    }

    pub(crate) fn truth(&self) -> Option<Lit> {
        match self {
            Val::Bool(lit) => Some(*lit),
            _ => None,
        }
    }

    /// The number, if it is only one.
    pub(crate) fn only(&self) -> Option<i64> {
        match self {
            Val::Num(cases) if cases.len() == 1 => Some(cases[0].0),
            _ => None,
        }
    }
}

/// A number from cases, which may repeat.
pub(crate) fn number(circuit: &mut Circuit, mut cases: Vec<(i64, Lit)>) -> Option<Val> {
    cases.retain(|(_, lit)| *lit != Lit::FALSE);
    cases.sort();
    let mut joined: Vec<(i64, Lit)> = Vec::new();
    for (number, lit) in cases {
        match joined.last_mut() {
            Some((same, other)) if *same == number => *other = circuit.or(*other, lit),
            _ => joined.push((number, lit)),
        }
    }
    (joined.len() <= NUMBERS).then(|| Val::Num(Rc::new(joined)))
}

/// A number for each pair.
pub(crate) fn pairwise(
    circuit: &mut Circuit,
    a: &Val,
    b: &Val,
    of: impl Fn(i64, i64) -> Option<i64>,
) -> Option<Val> {
    let (Val::Num(a), Val::Num(b)) = (a, b) else {
        return None;
    };
    let mut cases = Vec::new();
    for &(x, one) in a.iter() {
        for &(y, other) in b.iter() {
            cases.push((of(x, y)?, circuit.and(one, other)));
        }
    }
    number(circuit, cases)
}

/// Is a pair of numbers such?
pub(crate) fn related(
    circuit: &mut Circuit,
    a: &Val,
    b: &Val,
    of: impl Fn(i64, i64) -> bool,
) -> Option<Lit> {
    let (Val::Num(a), Val::Num(b)) = (a, b) else {
        return None;
    };
    let mut cases = Vec::new();
    for &(x, one) in a.iter() {
        let others: Vec<Lit> = b
            .iter()
            .filter(|(y, _)| of(x, *y))
            .map(|(_, lit)| *lit)
            .collect();
        let other = match others.len() == b.len() {
            true => Lit::TRUE,
            false => circuit.any(others),
        };
        cases.push(circuit.and(one, other));
    }
    Some(circuit.any(cases))
}

pub(crate) fn same(circuit: &mut Circuit, a: &Val, b: &Val) -> Option<Lit> {
    match (a, b) {
        (Val::Bool(a), Val::Bool(b)) => Some(circuit.iff(*a, *b)),
        (Val::Num(_), Val::Num(_)) => related(circuit, a, b, |x, y| x == y),
        (Val::Data(a), Val::Data(b)) => {
            let mut ways = Vec::new();
            for ((one, fields), (other, others)) in a.iter().zip(b.iter()) {
                let mut way = circuit.and(*one, *other);
                if let (Some(fields), Some(others)) = (fields, others) {
                    for (field, other) in fields.iter().zip(others) {
                        let part = same(circuit, field, other)?;
                        way = circuit.and(way, part);
                    }
                }
                ways.push(way);
            }
            Some(circuit.any(ways))
        }
        (Val::Fun(a), Val::Fun(b)) => {
            let mut all = Vec::new();
            for (one, other) in a.iter().zip(b.iter()) {
                all.push(same(circuit, one, other)?);
            }
            Some(circuit.all(all))
        }
        _ => None,
    }
}

pub(crate) fn ite(circuit: &mut Circuit, c: Lit, a: &Val, b: &Val) -> Option<Val> {
    if c == Lit::TRUE {
        return Some(a.clone());
    }
    if c == Lit::FALSE {
        return Some(b.clone());
    }
    Some(match (a, b) {
        (Val::Bool(a), Val::Bool(b)) => Val::Bool(circuit.ite(c, *a, *b)),
        (Val::Num(a), Val::Num(b)) => {
            let mut cases = Vec::new();
            for &(x, lit) in a.iter() {
                cases.push((x, circuit.and(c, lit)));
            }
            for &(x, lit) in b.iter() {
                cases.push((x, circuit.and(!c, lit)));
            }
            number(circuit, cases)?
        }
        (Val::Data(a), Val::Data(b)) => {
            let mut all = Vec::new();
            for ((one, fields), (other, others)) in a.iter().zip(b.iter()) {
                let made = circuit.ite(c, *one, *other);
                let fields = match (fields, others) {
                    (Some(fields), Some(others)) => {
                        let mut both = Vec::new();
                        for (field, other) in fields.iter().zip(others) {
                            both.push(ite(circuit, c, field, other)?);
                        }
                        Some(both)
                    }
                    (fields, others) => fields.clone().or_else(|| others.clone()),
                };
                all.push((made, fields));
            }
            Val::Data(Rc::new(all))
        }
        (Val::Fun(a), Val::Fun(b)) => {
            let mut all = Vec::new();
            for (one, other) in a.iter().zip(b.iter()) {
                all.push(ite(circuit, c, one, other)?);
            }
            Val::Fun(Rc::new(all))
        }
        _ => return None,
    })
}

impl Shape {
    /// How many bits it takes.
    fn bits(count: usize) -> usize {
        (usize::BITS - count.saturating_sub(1).leading_zeros()) as usize
    }

    /// A value made of new inputs; `valid`: what has to hold of these.
    pub(crate) fn open(&self, circuit: &mut Circuit, valid: &mut Vec<Lit>) -> Val {
        match self {
            Shape::Bool => Val::Bool(circuit.open()),
            Shape::Num(numbers) => {
                let ways = one_of(circuit, numbers.len(), valid);
                Val::Num(Rc::new(numbers.iter().copied().zip(ways).collect()))
            }
            Shape::Data(constructors) => {
                let ways = one_of(circuit, constructors.len(), valid);
                let mut all = Vec::new();
                for (way, fields) in ways.into_iter().zip(constructors) {
                    let fields = fields.iter().map(|one| one.open(circuit, valid));
                    all.push((way, Some(fields.collect())));
                }
                Val::Data(Rc::new(all))
            }
            Shape::Fun(places) => {
                let all = places.iter().map(|one| one.open(circuit, valid));
                Val::Fun(Rc::new(all.collect()))
            }
            Shape::Fixed(value) => value.clone(),
        }
    }

    /// The bits of a value of this shape, in the order of the inputs of [`Shape::open`]. `fits`: that it has this shape.
    pub(crate) fn coded(
        &self,
        circuit: &mut Circuit,
        value: Option<&Val>,
        bits: &mut Vec<Lit>,
        fits: &mut Vec<Lit>,
    ) -> Option<()> {
        match (self, value) {
            (Shape::Fixed(_), _) => {}
            (Shape::Bool, None) => bits.push(Lit::FALSE),
            (Shape::Bool, Some(Val::Bool(lit))) => bits.push(*lit),
            (Shape::Num(numbers), None) => {
                bits.extend(vec![Lit::FALSE; Shape::bits(numbers.len())]);
            }
            (Shape::Num(numbers), Some(Val::Num(cases))) => {
                let ways: Vec<Lit> = numbers
                    .iter()
                    .map(|number| {
                        let found = cases.iter().find(|(other, _)| other == number);
                        found.map_or(Lit::FALSE, |(_, lit)| *lit)
                    })
                    .collect();
                let is_one = circuit.any(ways.iter().copied());
                fits.push(is_one);
                binary(circuit, &ways, bits);
            }
            (Shape::Data(constructors), value) => {
                let made = match value {
                    Some(Val::Data(made)) => Some(made.clone()),
                    None => None,
                    _ => return None,
                };
                match &made {
                    None => bits.extend(vec![Lit::FALSE; Shape::bits(constructors.len())]),
                    Some(made) => {
                        let ways: Vec<Lit> = made.iter().map(|(lit, _)| *lit).collect();
                        binary(circuit, &ways, bits);
                    }
                }
                for (at, shapes) in constructors.iter().enumerate() {
                    let made = made.as_ref().map(|made| &made[at]);
                    for (number, shape) in shapes.iter().enumerate() {
                        let field = made.and_then(|(_, fields)| Some(&fields.as_ref()?[number]));
                        let (mut own, mut fine) = (Vec::new(), Vec::new());
                        shape.coded(circuit, field, &mut own, &mut fine)?;
                        let way = made.map_or(Lit::FALSE, |(way, _)| *way);
                        for bit in own {
                            bits.push(circuit.and(way, bit));
                        }
                        for one in fine {
                            fits.push(circuit.or(!way, one));
                        }
                    }
                }
            }
            (Shape::Fun(places), value) => {
                let held = match value {
                    Some(Val::Fun(held)) => Some(held.clone()),
                    None => None,
                    _ => return None,
                };
                for (at, shape) in places.iter().enumerate() {
                    let held = held.as_ref().map(|held| &held[at]);
                    shape.coded(circuit, held, bits, fits)?;
                }
            }
            _ => return None,
        }
        Some(())
    }
}

/// A literal for each of so many ways, of which one is true.
fn one_of(circuit: &mut Circuit, count: usize, valid: &mut Vec<Lit>) -> Vec<Lit> {
    let bits: Vec<Lit> = (0..Shape::bits(count)).map(|_| circuit.open()).collect();
    let mut ways = Vec::new();
    for way in 0..count {
        let each = bits.iter().enumerate();
        let each: Vec<Lit> = each
            .map(|(at, bit)| match way >> at & 1 {
                1 => *bit,
                _ => !*bit,
            })
            .collect();
        ways.push(circuit.all(each));
    }
    let some = circuit.any(ways.iter().copied());
    if some != Lit::TRUE {
        valid.push(some);
    }
    ways
}

/// Which way it is, in binary.
fn binary(circuit: &mut Circuit, ways: &[Lit], bits: &mut Vec<Lit>) {
    for bit in 0..Shape::bits(ways.len()) {
        let set = ways.iter().enumerate();
        let set: Vec<Lit> = set
            .filter(|(at, _)| at >> bit & 1 == 1)
            .map(|(_, lit)| *lit)
            .collect();
        bits.push(circuit.any(set));
    }
}
