//! Patterns: a condition, and terms for the names they bind.

use super::{Lowering, Unsupported};
use crate::term::Term;
use crate::theory::Result;
use crate::types::variants;
use plainsong_ir::{Expr, Pattern, PatternKind, Ty};

impl Lowering<'_> {
    pub(super) fn match_expr(&mut self, scrutinee: &Expr, arms: &[(Pattern, Expr)]) -> Result {
        let value = self.expr(scrutinee)?;
        let mut earlier = self.theory.terms.bool(true);
        let mut cases: Vec<(Term, Term)> = Vec::new();
        for (pattern, arm) in arms {
            let fits = self.matches(pattern, value, &scrutinee.ty)?;
            let here = self.theory.terms.and(&[earlier, fits]);
            let result = self.under(here, |lowering| lowering.expr(arm))?;
            cases.push((fits, result));
            let not = self.theory.terms.not(fits);
            earlier = self.theory.terms.and(&[earlier, not]);
        }
        // The patterns cover every value, so the last one fits when no other does.
        let Some((_, mut result)) = cases.pop() else {
            return Err(Unsupported::new(scrutinee.span, "a match without arms"));
        };
        for (fits, value) in cases.into_iter().rev() {
            result = self.theory.terms.ite(fits, value, result);
        }
        Ok(result)
    }

    /// Does `value`, of type `ty`, match? Its names are bound either way.
    pub fn matches(&mut self, pattern: &Pattern, value: Term, ty: &Ty) -> Result {
        let yes = self.theory.terms.bool(true);
        Ok(match &pattern.kind {
            PatternKind::Wild => yes,
            PatternKind::Bind(local) => {
                self.env.locals.insert(*local, value);
                yes
            }
            PatternKind::Bool(true) => value,
            PatternKind::Bool(false) => self.theory.terms.not(value),
            PatternKind::Int(int) => {
                let int = self.theory.terms.int(*int);
                self.theory.terms.eq(value, int)
            }
            PatternKind::None => self.parts(0, &[], value, ty)?,
            PatternKind::Some(inner) => self.parts(1, std::slice::from_ref(inner), value, ty)?,
            PatternKind::Tuple(parts) | PatternKind::Struct(_, parts) => {
                self.parts(0, parts, value, ty)?
            }
            PatternKind::Variant(_, variant, parts) => {
                self.parts(*variant as u32, parts, value, ty)?
            }
            PatternKind::Pid(..) => {
                return Err(Unsupported::new(
                    pattern.span,
                    "identities of processes are not covered by proofs yet",
                ));
            }
        })
    }

    fn parts(&mut self, constructor: u32, patterns: &[Pattern], value: Term, ty: &Ty) -> Result {
        let song = self.theory.song.clone();
        let all = variants(&song, ty);
        let (_, fields) = &all[constructor as usize];
        let mut conditions = vec![self.theory.terms.is(value, constructor)];
        for (at, (pattern, field)) in patterns.iter().zip(fields).enumerate() {
            let part = self.theory.terms.get(value, constructor, at as u32);
            conditions.push(self.matches(pattern, part, field)?);
        }
        Ok(self.theory.terms.and(&conditions))
    }
}
