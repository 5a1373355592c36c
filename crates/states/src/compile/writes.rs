//! Assignments.

use super::{Compiler, Result, Trouble};
use crate::code::{Arg, Binary, Leaves, Op};
use crate::layout::Field;
use crate::shape::{Kind, Shape};
use plainsong_ir::{Access, Place, Root};

/// Where a leaf is written.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Register(u32),
    Field(u32),
}

impl<'s> Compiler<'s, '_> {
    /// Writes leaves to a variable or a part of one.
    pub(super) fn assign(&mut self, place: &'s Place, value: Leaves) -> Result<()> {
        let (slots, shape) = match &place.root {
            Root::Local(local) => {
                let rows = self.rows;
                let shape = self.shape(&rows[local.index()].ty);
                let register = |leaf: &Arg| match leaf {
                    Arg::Reg(register) => Ok(Slot::Register(*register)),
                    _ => Err(Trouble::GivesUp),
                };
                let leaves = self.local(*local)?;
                let slots: Result<Vec<Slot>> = leaves.iter().map(register).collect();
                (slots?, shape)
            }
            Root::Global(global) => {
                let (shape, first) = self.coding.global(global.index());
                let fields = first..first + shape.width;
                let slots = fields.map(|field| Slot::Field(field as u32)).collect();
                (slots, shape.clone())
            }
            Root::Own(_) | Root::Of(..) => return Err(Trouble::GivesUp),
        };
        let value = match value[..] {
            [_] => value,
            _ => self.settled(value)?,
        };
        self.write(&slots, &shape, &place.path, &value)
    }

    fn write(
        &mut self,
        slots: &[Slot],
        shape: &Shape,
        path: &'s [Access],
        value: &[Arg],
    ) -> Result<()> {
        let Some((first, rest)) = path.split_first() else {
            return self.write_all(slots, value);
        };
        match (first, &shape.kind) {
            (Access::Field(part) | Access::Project(part), Kind::Tuple(parts)) => {
                let first = Shape::part(parts, *part);
                let part = &parts[*part];
                self.write(&slots[first..first + part.width], part, rest, value)
            }
            (Access::Index(key), Kind::Map(keys, inner)) => {
                let key = self.expr(key)?;
                let row = |at: usize| &slots[at * inner.width..(at + 1) * inner.width];
                match self.place(&keys.shape, &key)? {
                    Arg::Const(at) => self.write(row(at as usize), inner, rest, value),
                    place => self.cases(place, keys.values.len(), &mut |compiler, at| {
                        compiler.write(row(at), inner, rest, value)
                    }),
                }
            }
            _ => Err(Trouble::GivesUp),
        }
    }

    fn write_all(&mut self, slots: &[Slot], value: &[Arg]) -> Result<()> {
        for (slot, leaf) in slots.iter().zip(value) {
            match slot {
                Slot::Register(register) => self.op(Op::Move(*register, *leaf))?,
                Slot::Field(field) => self.store(*field, *leaf)?,
            }
        }
        Ok(())
    }

    /// Writes a field. A known number is a change of a few bits, joined with one just before.
    fn store(&mut self, number: u32, leaf: Arg) -> Result<()> {
        let field = self.coding.layout.fields()[number as usize];
        let Arg::Const(known) = leaf else {
            return match (leaf, self.change(number, field, leaf)) {
                (Arg::Field(same), _) if same == number => Ok(()),
                (_, Some(patch)) => self.op(patch),
                _ => self.op(Op::Store(number, leaf)),
            };
        };
        let Some(raw) = field.raw(known) else {
            let bail = self.bail;
            return self.op(Op::Jump(bail));
        };
        let (mask, value) = (field.mask << field.shift, raw << field.shift);
        let is_target = self.bound_at == self.ops.len();
        if let Some(Op::Patch { word, clear, bits }) = self.ops.last_mut()
            && !is_target
            && *word as usize == field.word
        {
            *clear |= mask;
            *bits = *bits & !mask | value;
            return Ok(());
        }
        let word = field.word as u32;
        self.op(Op::Patch {
            word,
            clear: mask,
            bits: value,
        })
    }

    /// The change of a few bits that a write comes to when the number was computed just before, from what is in
    /// the field, by adding or taking away known bits: an element of a set.
    fn change(&self, number: u32, field: Field, leaf: Arg) -> Option<Op> {
        let (Arg::Reg(register), Some(last)) = (leaf, self.ops.last()) else {
            return None;
        };
        let Op::Compute(binary, to, Arg::Field(from), Arg::Const(bits)) = *last else {
            return None;
        };
        let is_that = to == register && from == number && self.bound_at != self.ops.len();
        if !is_that || field.bias != 0 || bits & !field.mask != 0 {
            return None;
        }
        let word = field.word as u32;
        let bits = bits << field.shift;
        match binary {
            Binary::Or => Some(Op::Patch {
                word,
                clear: bits,
                bits,
            }),
            Binary::AndNot => Some(Op::Patch {
                word,
                clear: bits,
                bits: 0,
            }),
            _ => None,
        }
    }
}
