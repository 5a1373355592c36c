//! Sets, bags, sequences and maps: literals, reads and changes.

use super::{Lowering, Unsupported};
use crate::term::{Sort, Term};
use crate::theory::Result;
use plainsong_diagnostics::Span;
use plainsong_ir::{Expr, LocalId, Ty};

impl Lowering<'_> {
    /// `x in s`, for whoever has the terms already.
    pub fn is_member(&mut self, ty: &Ty, whole: Term, element_ty: &Ty, element: Term) -> Result {
        self.member(ty, whole, element_ty, element)
    }

    /// `x in s`.
    pub(super) fn member(
        &mut self,
        ty: &Ty,
        whole: Term,
        element_ty: &Ty,
        element: Term,
    ) -> Result {
        match ty {
            Ty::Set(_) => Ok(self.theory.terms.select(whole, element)),
            Ty::Bag(_) => {
                let zero = self.zero();
                let count = self.theory.terms.select(whole, element);
                Ok(self.theory.terms.lt(zero, count))
            }
            _ => {
                let (len, elements) = self.sequence(whole);
                let at = self.theory.terms.fresh("i", Sort::INT);
                let inside = self.theory.within(at, len);
                let held = self.theory.terms.select(elements, at);
                let same = self.theory.equal(element_ty, held, element);
                let here = self.theory.terms.and(&[inside, same]);
                Ok(self.theory.terms.exists(at, here))
            }
        }
    }

    /// `a..b`, `a..=b`.
    pub(super) fn range(&mut self, start: &Expr, end: &Expr, inclusive: bool) -> Result {
        let first = self.expr(start)?;
        let end = self.expr(end)?;
        let terms = &mut self.theory.terms;
        let end = terms.offset(end, i64::from(inclusive));
        let at = terms.fresh("x", Sort::INT);
        let low = terms.le(first, at);
        let high = terms.lt(at, end);
        let inside = terms.and(&[low, high]);
        Ok(terms.lambda(at, inside))
    }

    /// `{a, b}`, `bag {a, b}`, `[a, b]`.
    pub(super) fn literal(&mut self, ty: &Ty, elements: &[Expr], span: Span) -> Result {
        let values = self.exprs(elements)?;
        let element = ty.element().cloned().unwrap_or(Ty::Bool);
        let sort = self.theory.sort_of_type(&element, span)?;
        match ty {
            Ty::Set(_) => {
                let empty = self.theory.terms.bool(false);
                let mut set = self.constant_function(sort, empty);
                let yes = self.theory.terms.bool(true);
                for value in values {
                    set = self.theory.terms.store(set, value, yes);
                }
                Ok(set)
            }
            Ty::Bag(_) => {
                let zero = self.zero();
                let mut bag = self.constant_function(sort, zero);
                for value in values {
                    let count = self.theory.terms.select(bag, value);
                    let more = self.theory.terms.offset(count, 1);
                    bag = self.theory.terms.store(bag, value, more);
                }
                Ok(bag)
            }
            _ => {
                let nothing = self.theory.default_of(sort);
                let mut held = self.constant_function(Sort::INT, nothing);
                for (at, value) in values.iter().enumerate() {
                    let at = self.theory.terms.int(at as i64);
                    held = self.theory.terms.store(held, at, *value);
                }
                let len = self.theory.terms.int(values.len() as i64);
                self.make_sequence(ty, len, held, span)
            }
        }
    }

    /// The function that is `value` everywhere.
    pub(super) fn constant_function(&mut self, from: Sort, value: Term) -> Term {
        let at = self.theory.terms.fresh("x", from);
        self.theory.terms.lambda(at, value)
    }

    /// Length and elements of a sequence.
    pub(crate) fn sequence(&mut self, whole: Term) -> (Term, Term) {
        let len = self.theory.terms.get(whole, 0, 0);
        let elements = self.theory.terms.get(whole, 0, 1);
        (len, elements)
    }

    pub(super) fn make_sequence(
        &mut self,
        ty: &Ty,
        len: Term,
        elements: Term,
        span: Span,
    ) -> Result {
        let sort = self.theory.sort_of_type(ty, span)?;
        Ok(self.theory.terms.make(sort, 0, &[len, elements]))
    }

    /// The first, then the second. Outside of both lengths the parts have their defaults, and so has
    /// the whole.
    pub(super) fn concatenation(&mut self, element: &Ty, a: Term, b: Term, span: Span) -> Result {
        let (m, front) = self.sequence(a);
        let (n, back) = self.sequence(b);
        let terms = &mut self.theory.terms;
        let len = terms.add(m, n);
        let at = terms.fresh("i", Sort::INT);
        let first = terms.select(front, at);
        let past = terms.sub(at, m);
        let second = terms.select(back, past);
        let early = terms.lt(at, m);
        let held = terms.ite(early, first, second);
        let elements = terms.lambda(at, held);
        self.make_sequence(&Ty::Seq(Box::new(element.clone())), len, elements, span)
    }

    /// `m[k]`, `s[i]`.
    pub(super) fn index(&mut self, whole: &Expr, key: &Expr, span: Span) -> Result {
        let value = self.expr(whole)?;
        let at = self.expr(key)?;
        self.read(&whole.ty, value, at, span)
    }

    /// The part of a map or sequence at one place.
    pub(crate) fn read(&mut self, ty: &Ty, whole: Term, at: Term, span: Span) -> Result {
        match ty {
            Ty::Map(key, _) => {
                let valid = self.theory.valid(key, at)?;
                self.needs(valid, span, "not a key of this map");
                Ok(self.theory.terms.select(whole, at))
            }
            _ => {
                let (len, elements) = self.sequence(whole);
                let inside = self.theory.within(at, len);
                self.needs(inside, span, "an index outside of the sequence");
                Ok(self.theory.terms.select(elements, at))
            }
        }
    }

    /// A map or sequence with another value at one place.
    pub(crate) fn put(
        &mut self,
        ty: &Ty,
        whole: Term,
        at: Term,
        value: Term,
        span: Span,
    ) -> Result {
        match ty {
            Ty::Map(key, _) => {
                let valid = self.theory.valid(key, at)?;
                self.needs(valid, span, "not a key of this map");
                Ok(self.theory.terms.store(whole, at, value))
            }
            _ => {
                let (len, elements) = self.sequence(whole);
                let inside = self.theory.within(at, len);
                self.needs(inside, span, "an index outside of the sequence");
                let elements = self.theory.terms.store(elements, at, value);
                self.make_sequence(ty, len, elements, span)
            }
        }
    }

    /// `map x: K => e`.
    pub(super) fn map_of(&mut self, local: LocalId, body: &Expr, ty: &Ty, span: Span) -> Result {
        let Ty::Map(key, value) = ty else {
            panic!("`map … => …` is a map")
        };
        let at = self.fresh_of(key, "k", span)?;
        let valid = self.theory.valid(key, at)?;
        if self.theory.terms.is_quantified(valid) {
            return Err(Unsupported::new(
                span,
                "maps with such keys are not covered by proofs yet",
            ));
        }
        self.env.locals.insert(local, at);
        let held = self.for_each(at, |lowering| {
            lowering.under(valid, |lowering| lowering.expr(body))
        })?;
        let sort = self.theory.sort_of_type(value, span)?;
        let nothing = self.theory.default_of(sort);
        let held = self.theory.terms.ite(valid, held, nothing);
        Ok(self.theory.terms.lambda(at, held))
    }
}
