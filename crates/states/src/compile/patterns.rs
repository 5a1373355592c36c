//! Patterns.

use super::{Compiler, Result, Trouble};
use crate::code::{Arg, Target};
use crate::shape::{Kind, Shape};
use plainsong_ir::{Pattern, PatternKind};
use std::sync::Arc;

impl<'s> Compiler<'s, '_> {
    /// Goes to `no` when leaves of this shape do not match; binds the pattern's names.
    pub(super) fn pattern(
        &mut self,
        pattern: &'s Pattern,
        shape: &Shape,
        leaves: &[Arg],
        no: Target,
    ) -> Result<()> {
        match (&pattern.kind, &shape.kind) {
            (PatternKind::Wild, _) => Ok(()),
            (PatternKind::Bind(local), _) => {
                self.locals[local.index()] = Some(leaves.to_vec());
                Ok(())
            }
            (PatternKind::Bool(truth), Kind::Bool) => self.jump_if_truth(leaves[0], !truth, no),
            (PatternKind::Int(int), Kind::Int | Kind::Nat | Kind::Range(..)) => {
                self.jump_if_same(leaves[0], Arg::Const(*int as u64), false, no)
            }
            (PatternKind::None, Kind::Option(_)) => self.jump_if_truth(leaves[0], true, no),
            (PatternKind::Some(inner), Kind::Option(payload)) => {
                self.jump_if_truth(leaves[0], false, no)?;
                self.pattern(inner, payload, &leaves[1..], no)
            }
            (
                PatternKind::Tuple(patterns) | PatternKind::Struct(_, patterns),
                Kind::Tuple(parts),
            ) => self.patterns(patterns, parts, leaves, no),
            (PatternKind::Variant(_, variant, patterns), Kind::Enum(variants)) => {
                self.jump_if_same(leaves[0], Arg::Const(*variant as u64), false, no)?;
                let first = Shape::payload(variants, *variant);
                self.patterns(patterns, &variants[*variant], &leaves[first..], no)
            }
            _ => Err(Trouble::NoForm),
        }
    }

    fn patterns(
        &mut self,
        patterns: &'s [Pattern],
        parts: &[Arc<Shape>],
        leaves: &[Arg],
        no: Target,
    ) -> Result<()> {
        let mut first = 0;
        for (pattern, part) in patterns.iter().zip(parts) {
            self.pattern(pattern, part, &leaves[first..first + part.width], no)?;
            first += part.width;
        }
        Ok(())
    }
}
