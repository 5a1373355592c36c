//! Sets as masks, bags as counts, maps as rows.

use super::exprs::blank;
use super::{Compiler, Result, Trouble};
use crate::code::{Arg, Binary, Leaves, Op};
use crate::shape::{Kind, Shape};
use plainsong_ir::{BinOp, Binding, Builtin, Expr, LocalId, Ty};
use std::sync::Arc;

impl<'s> Compiler<'s, '_> {
    /// The number of a value among all of its type, ascending.
    ///
    /// Ascending order of values is: truth values, identities and integers by number; tuples by their
    /// first part, then the next; `none` before `some`; variants in order, then by payload.
    pub(super) fn place(&mut self, shape: &Shape, leaves: &[Arg]) -> Result<Arg> {
        if let Some(numbers) = known_numbers(leaves) {
            let place = shape.place(&numbers).ok_or(Trouble::NoForm)?;
            return Ok(Arg::Const(place));
        }
        match &shape.kind {
            Kind::Bool | Kind::Id(_) => Ok(leaves[0]),
            Kind::Range(first, _) => {
                self.compute(Binary::Sub, leaves[0], Arg::Const(*first as u64))
            }
            Kind::Tuple(parts) => self.place_in_product(parts, leaves),
            Kind::Map(keys, value) => {
                self.place_in_product(&vec![value.clone(); keys.values.len()], leaves)
            }
            Kind::Option(inner) => {
                let some = self.label();
                let to = self.register();
                self.op(Op::Move(to, Arg::Const(0)))?;
                self.jump_if_truth(leaves[0], false, some)?;
                let place = self.place(inner, &leaves[1..])?;
                self.op(Op::Compute(Binary::Add, to, place, Arg::Const(1)))?;
                self.bind(some);
                Ok(Arg::Reg(to))
            }
            Kind::Enum(variants) => {
                let to = self.register();
                let end = self.label();
                let mut before = 0;
                for (variant, parts) in variants.iter().enumerate() {
                    let next = self.label();
                    self.jump_if_same(leaves[0], Arg::Const(variant as u64), false, next)?;
                    let first = Shape::payload(variants, variant);
                    let place = self.place_in_product(parts, &leaves[first..])?;
                    self.op(Op::Compute(Binary::Add, to, place, Arg::Const(before)))?;
                    self.op(Op::Jump(end))?;
                    self.bind(next);
                    for part in parts {
                        part.count().ok_or(Trouble::NoForm)?;
                    }
                    let counts = parts.iter().filter_map(|part| part.count());
                    before += counts.product::<u128>() as u64;
                }
                self.bind(end);
                Ok(Arg::Reg(to))
            }
            _ => Err(Trouble::NoForm),
        }
    }

    fn place_in_product(&mut self, parts: &[Arc<Shape>], leaves: &[Arg]) -> Result<Arg> {
        let mut place = Arg::Const(0);
        let mut first = 0;
        for part in parts {
            let count = part.count().ok_or(Trouble::NoForm)? as u64;
            let inner = self.place(part, &leaves[first..first + part.width])?;
            first += part.width;
            place = match place {
                Arg::Const(0) => inner,
                place => {
                    let scaled = self.compute(Binary::Mul, place, Arg::Const(count))?;
                    self.compute(Binary::Add, scaled, inner)?
                }
            };
        }
        Ok(place)
    }

    /// Union, intersection and difference of sets; sum and difference of bags.
    pub(super) fn sets(&mut self, op: BinOp, a: &'s Expr, b: &'s Expr) -> Result {
        let shape = self.shape(&a.ty);
        let binary = match (&shape.kind, op) {
            (Kind::Set(_), BinOp::Union) => Binary::Or,
            (Kind::Set(_), BinOp::Inter) => Binary::And,
            (Kind::Set(_), BinOp::Sub) => Binary::AndNot,
            (Kind::Bag(_), BinOp::Union) => Binary::Add,
            (Kind::Bag(_), BinOp::Sub) => Binary::Saturating,
            _ => return Err(Trouble::NoForm),
        };
        let (x, y) = (self.expr(a)?, self.expr(b)?);
        let mut leaves = Vec::new();
        for (x, y) in x.into_iter().zip(y) {
            leaves.push(self.compute(binary, x, y)?);
        }
        Ok(leaves)
    }

    /// How often an element is in a bag.
    pub(super) fn occurrences(
        &mut self,
        shape: &Shape,
        collection: &[Arg],
        element: &[Arg],
    ) -> Result<Arg> {
        let Kind::Bag(listed) = &shape.kind else {
            return Err(Trouble::NoForm);
        };
        let place = self.place(&listed.shape, element)?;
        let rows: Vec<Leaves> = collection.iter().map(|leaf| vec![*leaf]).collect();
        Ok(self.selected(place, &rows)?[0])
    }

    pub(super) fn literal(&mut self, elements: &'s [Expr], ty: &Ty) -> Result {
        let shape = self.shape(ty);
        let mut leaves = match &shape.kind {
            Kind::Set(_) | Kind::Bag(_) => blank(&shape),
            _ => return Err(Trouble::NoForm),
        };
        for element in elements {
            let element = self.expr(element)?;
            leaves = self.with(&shape, leaves, &element)?;
        }
        Ok(leaves)
    }

    /// A set or bag with an element more.
    fn with(&mut self, shape: &Shape, mut leaves: Leaves, element: &[Arg]) -> Result {
        match &shape.kind {
            Kind::Set(listed) => {
                let bit = self.bit(&listed.shape, element)?;
                Ok(vec![self.compute(Binary::Or, leaves[0], bit)?])
            }
            Kind::Bag(listed) => match self.place(&listed.shape, element)? {
                Arg::Const(place) => {
                    let place = place as usize;
                    leaves[place] = self.compute(Binary::Add, leaves[place], Arg::Const(1))?;
                    Ok(leaves)
                }
                place => self.changed_count(leaves, place, Binary::Add),
            },
            _ => Err(Trouble::NoForm),
        }
    }

    /// A set or bag with an element less, if it is there.
    fn without(&mut self, shape: &Shape, mut leaves: Leaves, element: &[Arg]) -> Result {
        match &shape.kind {
            Kind::Set(listed) => {
                let bit = self.bit(&listed.shape, element)?;
                Ok(vec![self.compute(Binary::AndNot, leaves[0], bit)?])
            }
            Kind::Bag(listed) => match self.place(&listed.shape, element)? {
                Arg::Const(place) => {
                    let (place, one) = (place as usize, Arg::Const(1));
                    leaves[place] = self.compute(Binary::Saturating, leaves[place], one)?;
                    Ok(leaves)
                }
                place => self.changed_count(leaves, place, Binary::Saturating),
            },
            _ => Err(Trouble::NoForm),
        }
    }

    /// Counts of which the one at `place` is changed by one.
    fn changed_count(&mut self, leaves: Leaves, place: Arg, binary: Binary) -> Result {
        let mut changed = Vec::new();
        for (at, leaf) in leaves.into_iter().enumerate() {
            let here = self.compute(Binary::Eq, place, Arg::Const(at as u64))?;
            changed.push(self.compute(binary, leaf, here)?);
        }
        Ok(changed)
    }

    fn bit(&mut self, shape: &Shape, element: &[Arg]) -> Result<Arg> {
        let place = self.place(shape, element)?;
        self.compute(Binary::Bit, place, Arg::Const(0))
    }

    pub(super) fn comprehension(
        &mut self,
        binding: &'s Binding,
        body: &'s Expr,
        ty: &Ty,
    ) -> Result {
        let shape = self.shape(ty);
        let Kind::Set(listed) = &shape.kind else {
            return Err(Trouble::NoForm);
        };
        let to = self.register();
        self.op(Op::Move(to, Arg::Const(0)))?;
        let bindings = std::slice::from_ref(binding);
        self.combinations(bindings, &mut |compiler| {
            let element = compiler.expr(body)?;
            let bit = compiler.bit(&listed.shape, &element)?;
            compiler.op(Op::Compute(Binary::Or, to, Arg::Reg(to), bit))
        })?;
        Ok(vec![Arg::Reg(to)])
    }

    pub(super) fn map_of(&mut self, local: LocalId, body: &'s Expr, ty: &Ty) -> Result {
        let shape = self.shape(ty);
        let Kind::Map(keys, _) = &shape.kind else {
            return Err(Trouble::NoForm);
        };
        let mut leaves = Vec::new();
        for key in &keys.values {
            self.spend()?;
            self.locals[local.index()] = Some(self.constant_of(&keys.shape, key));
            leaves.extend(self.expr(body)?);
        }
        Ok(leaves)
    }

    pub(super) fn index(&mut self, whole: &'s Expr, key: &'s Expr) -> Result {
        let shape = self.shape(&whole.ty);
        let Kind::Map(keys, value) = &shape.kind else {
            return Err(Trouble::NoForm);
        };
        let leaves = self.expr(whole)?;
        let key = self.expr(key)?;
        if value.width == 0 {
            return Ok(Vec::new());
        }
        let place = self.place(&keys.shape, &key)?;
        if let Arg::Const(place) = place {
            let first = place as usize * value.width;
            return Ok(leaves[first..first + value.width].to_vec());
        }
        let rows: Vec<Leaves> = leaves.chunks(value.width).map(<[Arg]>::to_vec).collect();
        self.selected(place, &rows)
    }

    fn selected(&mut self, place: Arg, rows: &[Leaves]) -> Result {
        if let Arg::Const(place) = place {
            return Ok(rows[place as usize].clone());
        }
        let width = rows.first().map_or(0, Vec::len);
        let to = self.fresh(width);
        self.cases(place, rows.len(), &mut |compiler, at| {
            compiler.set(&to, &rows[at])
        })?;
        Ok(to.into_iter().map(Arg::Reg).collect())
    }

    /// One of `count` cases, the one at `place`.
    pub(super) fn cases(
        &mut self,
        place: Arg,
        count: usize,
        case: &mut dyn FnMut(&mut Self, usize) -> Result<()>,
    ) -> Result<()> {
        let targets: Vec<_> = (0..count).map(|_| self.label()).collect();
        let end = self.label();
        self.op(Op::Table(place, targets.clone().into()))?;
        for (at, target) in targets.into_iter().enumerate() {
            self.bind(target);
            case(self, at)?;
            self.op(Op::Jump(end))?;
        }
        self.bind(end);
        Ok(())
    }

    pub(super) fn method(
        &mut self,
        method: Builtin,
        arguments: &'s [Expr],
        expr: &'s Expr,
    ) -> Result {
        let receiver = &arguments[0];
        let shape = self.shape(&receiver.ty);
        match (method, &shape.kind) {
            (Builtin::Contains | Builtin::IsSome | Builtin::IsNone, _) => {
                let (to, no) = (self.register(), self.label());
                self.op(Op::Move(to, Arg::Const(0)))?;
                self.branch(expr, false, no)?;
                self.op(Op::Move(to, Arg::Const(1)))?;
                self.bind(no);
                Ok(vec![Arg::Reg(to)])
            }
            (Builtin::Len, Kind::Set(_)) => {
                let mask = self.scalar(receiver)?;
                Ok(vec![self.compute(Binary::Ones, mask, Arg::Const(0))?])
            }
            (Builtin::Len, Kind::Bag(_)) => {
                let counts = self.expr(receiver)?;
                Ok(vec![self.total(&counts)?])
            }
            (Builtin::IsEmpty, Kind::Set(_) | Kind::Bag(_)) => {
                let counts = self.expr(receiver)?;
                let total = match &shape.kind {
                    Kind::Set(_) => counts[0],
                    _ => self.total(&counts)?,
                };
                Ok(vec![self.compute(Binary::Eq, total, Arg::Const(0))?])
            }
            (Builtin::With, Kind::Set(_) | Kind::Bag(_)) => {
                let leaves = self.expr(receiver)?;
                let element = self.expr(&arguments[1])?;
                self.with(&shape, leaves, &element)
            }
            (Builtin::Without, Kind::Set(_) | Kind::Bag(_)) => {
                let leaves = self.expr(receiver)?;
                let element = self.expr(&arguments[1])?;
                self.without(&shape, leaves, &element)
            }
            (Builtin::Min | Builtin::Max, Kind::Set(listed)) => {
                let mask = self.scalar(receiver)?;
                self.extreme(method, mask, &listed.shape)
            }
            (Builtin::Min | Builtin::Max, Kind::Bag(listed)) => {
                let counts = self.expr(receiver)?;
                let mask = self.present(&counts)?;
                self.extreme(method, mask, &listed.shape)
            }
            (Builtin::Subset, Kind::Set(_)) => {
                let mask = self.scalar(receiver)?;
                let all = self.scalar(&arguments[1])?;
                let rest = self.compute(Binary::AndNot, mask, all)?;
                Ok(vec![self.compute(Binary::Eq, rest, Arg::Const(0))?])
            }
            (Builtin::Count, Kind::Bag(_)) => {
                let counts = self.expr(receiver)?;
                let element = self.expr(&arguments[1])?;
                Ok(vec![self.occurrences(&shape, &counts, &element)?])
            }
            (Builtin::ToSet, Kind::Bag(_)) => {
                let counts = self.expr(receiver)?;
                match self.shape(&expr.ty).kind {
                    Kind::Set(_) => Ok(vec![self.present(&counts)?]),
                    _ => Err(Trouble::NoForm),
                }
            }
            (Builtin::Unwrap, Kind::Option(_)) => {
                let leaves = self.expr(receiver)?;
                let bail = self.bail;
                self.jump_if_truth(leaves[0], false, bail)?;
                Ok(leaves[1..].to_vec())
            }
            (Builtin::UnwrapOr, Kind::Option(inner)) => {
                let leaves = self.expr(receiver)?;
                let otherwise = self.expr(&arguments[1])?;
                let to = self.fresh(inner.width);
                let (none, end) = (self.label(), self.label());
                self.jump_if_truth(leaves[0], false, none)?;
                self.set(&to, &leaves[1..])?;
                self.op(Op::Jump(end))?;
                self.bind(none);
                self.set(&to, &otherwise)?;
                self.bind(end);
                Ok(to.into_iter().map(Arg::Reg).collect())
            }
            (Builtin::Update, Kind::Map(keys, value)) => {
                let leaves = self.expr(receiver)?;
                let key = self.expr(&arguments[1])?;
                let place = self.place(&keys.shape, &key)?;
                let new = self.expr(&arguments[2])?;
                self.updated(leaves, place, value.width, &new)
            }
            _ => Err(Trouble::NoForm),
        }
    }

    /// A map with another value at one key.
    fn updated(&mut self, mut leaves: Leaves, place: Arg, width: usize, new: &[Arg]) -> Result {
        if width == 0 {
            return Ok(leaves);
        }
        if let Arg::Const(place) = place {
            let first = place as usize * width;
            leaves[first..first + width].copy_from_slice(new);
            return Ok(leaves);
        }
        let to = self.fresh(leaves.len());
        self.set(&to, &leaves)?;
        self.cases(place, leaves.len() / width, &mut |compiler, at| {
            compiler.set(&to[at * width..(at + 1) * width], new)
        })?;
        Ok(to.into_iter().map(Arg::Reg).collect())
    }

    fn total(&mut self, counts: &[Arg]) -> Result<Arg> {
        let mut total = Arg::Const(0);
        for count in counts {
            total = self.compute(Binary::Add, total, *count)?;
        }
        Ok(total)
    }

    /// Which counts are not zero, as a mask.
    fn present(&mut self, counts: &[Arg]) -> Result<Arg> {
        let mut mask = Arg::Const(0);
        for (at, count) in counts.iter().enumerate() {
            let absent = self.compute(Binary::Eq, *count, Arg::Const(0))?;
            let there = self.compute(Binary::Eq, absent, Arg::Const(0))?;
            let bit = self.compute(Binary::Mul, there, Arg::Const(1 << at))?;
            mask = self.compute(Binary::Or, mask, bit)?;
        }
        Ok(mask)
    }

    /// The least or greatest element of a set that is not empty; the interpreter knows what to say
    /// about an empty one.
    fn extreme(&mut self, method: Builtin, mask: Arg, element: &Shape) -> Result {
        let first = match &element.kind {
            Kind::Id(_) => 0,
            Kind::Range(first, _) => *first as u64,
            _ => return Err(Trouble::NoForm),
        };
        let bail = self.bail;
        self.jump_if_truth(mask, false, bail)?;
        if mask == Arg::Const(0) {
            return Ok(vec![Arg::Const(first)]);
        }
        let binary = match method {
            Builtin::Min => Binary::Lowest,
            _ => Binary::Highest,
        };
        let place = self.compute(binary, mask, Arg::Const(0))?;
        Ok(vec![self.compute(Binary::Add, place, Arg::Const(first))?])
    }
}

/// Leaves that are all known, as numbers.
fn known_numbers(leaves: &[Arg]) -> Option<Vec<u64>> {
    let number = |leaf: &Arg| match leaf {
        Arg::Const(number) => Some(*number),
        _ => None,
    };
    leaves.iter().map(number).collect()
}
