//! Conditions as jumps.

use super::quantifiers::parts;
use super::{Compiler, Result, Trouble};
use crate::code::{Arg, Op, Target};
use crate::shape::Kind;
use plainsong_ir::{BinOp, Builtin, Expr, ExprKind, Quantifier, UnOp};

impl<'s> Compiler<'s, '_> {
    /// Goes to `to` when `condition` is `when`, and on otherwise.
    pub(super) fn branch(&mut self, condition: &'s Expr, when: bool, to: Target) -> Result<()> {
        let before = self.standing();
        match self.structured(condition, when, to) {
            Err(Trouble::NoForm) => {
                self.go_back(before);
                let leaves = self.asked(condition)?;
                self.jump_if_truth(leaves[0], when, to)
            }
            done => done,
        }
    }

    fn structured(&mut self, condition: &'s Expr, when: bool, to: Target) -> Result<()> {
        self.spend()?;
        match &condition.kind {
            ExprKind::Unary(UnOp::Not, inner) => self.branch(inner, !when, to),
            ExprKind::Binary(BinOp::And, a, b) => self.both((a, true), (b, true), when, to),
            ExprKind::Binary(BinOp::Or, a, b) => self.both((a, false), (b, false), !when, to),
            ExprKind::Binary(BinOp::Implies, a, b) => self.both((a, true), (b, false), !when, to),
            ExprKind::Binary(BinOp::Eq | BinOp::Iff, a, b) => self.compare(a, b, when, to),
            ExprKind::Binary(BinOp::Ne, a, b) => self.compare(a, b, !when, to),
            ExprKind::Binary(BinOp::In, element, all) => self.membership(all, element, when, to),
            ExprKind::Method(Builtin::Contains, arguments) => {
                self.membership(&arguments[0], &arguments[1], when, to)
            }
            ExprKind::Method(Builtin::IsSome, arguments) => {
                let option = self.expr(&arguments[0])?;
                self.jump_if_truth(option[0], when, to)
            }
            ExprKind::Method(Builtin::IsNone, arguments) => {
                let option = self.expr(&arguments[0])?;
                self.jump_if_truth(option[0], !when, to)
            }
            ExprKind::Is(scrutinee, pattern) => {
                let value = self.expr(scrutinee)?;
                let shape = self.shape(&scrutinee.ty);
                self.either_way(when, to, |compiler, no| {
                    compiler.pattern(pattern, &shape, &value, no)
                })
            }
            ExprKind::Quantifier(Quantifier::Forall, bindings, body) => {
                let conditions = parts(body, false);
                self.either_way(when, to, |compiler, no| {
                    compiler.combinations_with(bindings, &conditions, &mut |compiler| {
                        compiler.op(Op::Jump(no))
                    })
                })
            }
            ExprKind::Quantifier(Quantifier::Exists, bindings, body) => {
                let conditions = parts(body, true);
                self.either_way(!when, to, |compiler, no| {
                    compiler.combinations_with(bindings, &conditions, &mut |compiler| {
                        compiler.op(Op::Jump(no))
                    })
                })
            }
            _ => {
                let leaves = self.expr_directly(condition)?;
                self.jump_if_truth(leaves[0], when, to)
            }
        }
    }

    /// `test` goes to its target when something is false. Goes to `to` when it is `when`.
    pub(super) fn either_way(
        &mut self,
        when: bool,
        to: Target,
        test: impl FnOnce(&mut Self, Target) -> Result<()>,
    ) -> Result<()> {
        if !when {
            return test(self, to);
        }
        let no = self.label();
        test(self, no)?;
        self.op(Op::Jump(to))?;
        self.bind(no);
        Ok(())
    }

    /// Goes to `to` when *`a` is as wanted and `b` is as wanted* is `when`.
    fn both(
        &mut self,
        (a, a_wanted): (&'s Expr, bool),
        (b, b_wanted): (&'s Expr, bool),
        when: bool,
        to: Target,
    ) -> Result<()> {
        self.either_way(when, to, |compiler, no| {
            compiler.branch(a, !a_wanted, no)?;
            compiler.branch(b, !b_wanted, no)
        })
    }

    fn compare(&mut self, a: &'s Expr, b: &'s Expr, when: bool, to: Target) -> Result<()> {
        let x = self.expr(a)?;
        let y = self.expr(b)?;
        self.either_way(when, to, |compiler, no| compiler.unless_equal(&x, &y, no))
    }

    /// Goes to `to` when leaves differ.
    pub(super) fn unless_equal(&mut self, x: &[Arg], y: &[Arg], to: Target) -> Result<()> {
        for (a, b) in x.iter().zip(y) {
            self.jump_if_same(*a, *b, false, to)?;
        }
        Ok(())
    }

    fn membership(
        &mut self,
        all: &'s Expr,
        element: &'s Expr,
        when: bool,
        to: Target,
    ) -> Result<()> {
        let shape = self.shape(&all.ty);
        let collection = self.expr(all)?;
        let element = self.expr(element)?;
        match &shape.kind {
            Kind::Set(listed) => {
                let place = self.place(&listed.shape, &element)?;
                self.jump_if_bit(collection[0], place, when, to)
            }
            _ => {
                let count = self.occurrences(&shape, &collection, &element)?;
                self.jump_if_truth(count, when, to)
            }
        }
    }

    /// Goes to `to` when bit `place` of `mask` is `when`.
    pub(super) fn jump_if_bit(
        &mut self,
        mask: Arg,
        place: Arg,
        when: bool,
        to: Target,
    ) -> Result<()> {
        if let (Arg::Field(field), Arg::Const(place)) = (mask, place) {
            let field = self.coding.layout.fields()[field as usize];
            let bit = 1 << (u64::from(field.shift) + place);
            return self.test(field.word, bit, if when { 0 } else { bit }, to);
        }
        let bit = self.compute(crate::code::Binary::Bit, place, Arg::Const(0))?;
        let there = self.compute(crate::code::Binary::And, mask, bit)?;
        self.jump_if_truth(there, when, to)
    }

    /// Goes to `to` when a number is not zero, or is, as `when` says.
    pub(super) fn jump_if_truth(&mut self, leaf: Arg, when: bool, to: Target) -> Result<()> {
        match leaf {
            Arg::Const(number) if (number != 0) == when => self.op(Op::Jump(to)),
            Arg::Const(_) => Ok(()),
            Arg::Reg(_) if !when => self.op(Op::JumpIfZero(leaf, to)),
            _ => self.jump_if_same(leaf, Arg::Const(0), !when, to),
        }
    }

    /// Goes to `to` when two numbers are the same, or are not, as `same` says.
    pub(super) fn jump_if_same(&mut self, a: Arg, b: Arg, same: bool, to: Target) -> Result<()> {
        match (a, b) {
            (Arg::Const(x), Arg::Const(y)) if (x == y) == same => self.op(Op::Jump(to)),
            (Arg::Const(_), Arg::Const(_)) => Ok(()),
            (Arg::Field(field), Arg::Const(number)) | (Arg::Const(number), Arg::Field(field)) => {
                let field = self.coding.layout.fields()[field as usize];
                match field.raw(number) {
                    Some(raw) => {
                        let (mask, value) = (field.mask << field.shift, raw << field.shift);
                        if same {
                            let word = field.word as u32;
                            self.op(Op::TestNot {
                                word,
                                to,
                                mask,
                                value,
                            })
                        } else {
                            self.test(field.word, mask, value, to)
                        }
                    }
                    None if same => Ok(()),
                    None => self.op(Op::Jump(to)),
                }
            }
            (a, b) if a == b && same => self.op(Op::Jump(to)),
            (a, b) if a == b => Ok(()),
            (a, b) => self.op(Op::JumpIf { same, a, b, to }),
        }
    }

    /// Goes to `to` unless these bits are like this; joins a test just before that says the same of
    /// other bits.
    fn test(&mut self, word: usize, mask: u64, value: u64, to: Target) -> Result<()> {
        let is_target = self.bound_at == self.ops.len();
        if let Some(Op::Test {
            word: known_word,
            to: known_to,
            mask: known_mask,
            value: known_value,
        }) = self.ops.last_mut()
            && !is_target
            && *known_word as usize == word
            && *known_to == to
            && *known_mask & mask == 0
        {
            *known_mask |= mask;
            *known_value |= value;
            return Ok(());
        }
        let word = word as u32;
        self.op(Op::Test {
            word,
            to,
            mask,
            value,
        })
    }
}
