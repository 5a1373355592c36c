//! Built-in methods.

use super::Lowering;
use crate::term::{Sort, Term};
use crate::theory::Result;
use plainsong_diagnostics::Span;
use plainsong_ir::{Builtin, Expr, ExprKind, Ty};

impl Lowering<'_> {
    pub(super) fn method(&mut self, method: Builtin, arguments: &[Expr], expr: &Expr) -> Result {
        let values = self.exprs(arguments)?;
        let (whole, ty, span) = (values[0], &arguments[0].ty, expr.span);
        match method {
            Builtin::Len => {
                let len = self.len(ty, whole)?;
                match &arguments[0].kind {
                    ExprKind::All(Ty::Sort(sort)) if self.theory.is_counted(*sort) => {
                        Ok(self.theory.length(*sort, len))
                    }
                    _ => Ok(len),
                }
            }
            Builtin::IsEmpty => self.is_empty(ty, whole),
            Builtin::Contains => self.member(ty, whole, &arguments[1].ty, values[1]),
            Builtin::With => Ok(self.with(ty, whole, values[1])),
            Builtin::Without => Ok(self.without(ty, whole, values[1])),
            Builtin::Min | Builtin::Max => self.extreme(method, ty, whole, span),
            Builtin::Subset => self.subset(whole, values[1]),
            Builtin::Count => Ok(self.theory.terms.select(whole, values[1])),
            Builtin::ToSet => self.set_of_elements(ty, whole, span),
            Builtin::ToBag => self.bag_of_elements(ty, whole, span),
            Builtin::First | Builtin::Last => {
                let at = self.end_of(method, whole);
                self.read_end(ty, whole, at, span)
            }
            Builtin::Push => {
                let (len, elements) = self.sequence(whole);
                let elements = self.theory.terms.store(elements, len, values[1]);
                let len = self.theory.terms.offset(len, 1);
                self.make_sequence(ty, len, elements, span)
            }
            Builtin::DropFirst => self.drop_first(ty, whole, span),
            Builtin::DropLast => self.drop_last(ty, whole, span),
            Builtin::Update => self.put(ty, whole, values[1], values[2], span),
            Builtin::IsSome => Ok(self.theory.terms.is(whole, 1)),
            Builtin::IsNone => Ok(self.theory.terms.is(whole, 0)),
            Builtin::Unwrap => {
                let some = self.theory.terms.is(whole, 1);
                self.needs(some, span, "unwrap of none");
                Ok(self.theory.terms.get(whole, 1, 0))
            }
            Builtin::UnwrapOr => {
                let some = self.theory.terms.is(whole, 1);
                let inner = self.theory.terms.get(whole, 1, 0);
                Ok(self.theory.terms.ite(some, inner, values[1]))
            }
        }
    }

    /// How many elements: of a set, how many are in; of a bag, how often all together.
    fn len(&mut self, ty: &Ty, whole: Term) -> Result {
        match ty {
            Ty::Seq(_) => Ok(self.sequence(whole).0),
            Ty::Bag(_) => Ok(self.theory.terms.total(whole)),
            _ => {
                let (from, _) = self.theory.terms.array_parts(self.theory.terms.sort(whole));
                let ones = self.function(from, |lowering, at| {
                    let terms = &mut lowering.theory.terms;
                    let member = terms.select(whole, at);
                    let (one, zero) = (terms.int(1), terms.int(0));
                    Ok(terms.ite(member, one, zero))
                })?;
                Ok(self.theory.terms.total(ones))
            }
        }
    }

    fn is_empty(&mut self, ty: &Ty, whole: Term) -> Result {
        if let Ty::Seq(_) = ty {
            let (len, _) = self.sequence(whole);
            let zero = self.zero();
            return Ok(self.theory.terms.eq(len, zero));
        }
        let some = self.nonempty(ty, whole)?;
        Ok(self.theory.terms.not(some))
    }

    fn nonempty(&mut self, ty: &Ty, whole: Term) -> Result {
        let at = self.theory.terms.fresh_place("x", whole);
        let element = ty.element().cloned().unwrap_or(Ty::Bool);
        let valid = self.theory.valid(&element, at)?;
        let member = self.member(ty, whole, &element, at)?;
        let here = self.theory.terms.and(&[valid, member]);
        Ok(self.theory.terms.exists(at, here))
    }

    fn with(&mut self, ty: &Ty, whole: Term, element: Term) -> Term {
        let terms = &mut self.theory.terms;
        let value = match ty {
            Ty::Bag(_) => {
                let count = terms.select(whole, element);
                terms.offset(count, 1)
            }
            _ => terms.bool(true),
        };
        terms.store(whole, element, value)
    }

    fn without(&mut self, ty: &Ty, whole: Term, element: Term) -> Term {
        let terms = &mut self.theory.terms;
        let value = match ty {
            Ty::Bag(_) => {
                let (zero, one) = (terms.int(0), terms.int(1));
                let count = terms.select(whole, element);
                let some = terms.le(one, count);
                let less = terms.offset(count, -1);
                terms.ite(some, less, zero)
            }
            _ => terms.bool(false),
        };
        terms.store(whole, element, value)
    }

    fn subset(&mut self, small: Term, large: Term) -> Result {
        let terms = &mut self.theory.terms;
        let at = terms.fresh_place("x", small);
        let (a, b) = (terms.select(small, at), terms.select(large, at));
        let here = terms.implies(a, b);
        Ok(terms.forall(at, here))
    }

    fn extreme(&mut self, method: Builtin, ty: &Ty, whole: Term, span: Span) -> Result {
        let set = match ty {
            Ty::Set(_) => whole,
            _ => self.set_of_elements(ty, whole, span)?,
        };
        let element = ty.element().cloned().unwrap_or(Ty::Int);
        let some = self.nonempty(&Ty::Set(Box::new(element)), set)?;
        self.needs(some, span, "the least or greatest of nothing");
        Ok(self.theory.terms.extreme(method == Builtin::Min, set))
    }

    fn set_of_elements(&mut self, ty: &Ty, whole: Term, span: Span) -> Result {
        let element = ty.element().cloned().unwrap_or(Ty::Bool);
        let sort = self.theory.sort_of_type(&element, span)?;
        self.function(sort, |lowering, at| {
            lowering.member(ty, whole, &element, at)
        })
    }

    /// How often each value stands in a sequence: a sum over its places.
    fn bag_of_elements(&mut self, ty: &Ty, whole: Term, span: Span) -> Result {
        let element = ty.element().cloned().unwrap_or(Ty::Bool);
        let sort = self.theory.sort_of_type(&element, span)?;
        let (len, elements) = self.sequence(whole);
        self.function(sort, |lowering, value| {
            let places = lowering.function(Sort::INT, |lowering, at| {
                let inside = lowering.theory.within(at, len);
                let held = lowering.theory.terms.select(elements, at);
                let same = lowering.theory.equal(&element, held, value);
                let terms = &mut lowering.theory.terms;
                let here = terms.and(&[inside, same]);
                let (one, zero) = (terms.int(1), terms.int(0));
                Ok(terms.ite(here, one, zero))
            })?;
            Ok(lowering.theory.terms.total(places))
        })
    }

    fn end_of(&mut self, method: Builtin, whole: Term) -> Term {
        let (len, _) = self.sequence(whole);
        match method {
            Builtin::First => self.zero(),
            _ => self.theory.terms.offset(len, -1),
        }
    }

    fn read_end(&mut self, _: &Ty, whole: Term, at: Term, span: Span) -> Result {
        self.needs_some(whole, span);
        let (_, elements) = self.sequence(whole);
        Ok(self.theory.terms.select(elements, at))
    }

    fn needs_some(&mut self, whole: Term, span: Span) {
        let (len, _) = self.sequence(whole);
        let one = self.theory.terms.int(1);
        let some = self.theory.terms.le(one, len);
        self.needs(some, span, "an end of an empty sequence");
    }

    fn drop_first(&mut self, ty: &Ty, whole: Term, span: Span) -> Result {
        self.needs_some(whole, span);
        let (len, elements) = self.sequence(whole);
        let element = ty.element().cloned().unwrap_or(Ty::Bool);
        let sort = self.theory.sort_of_type(&element, span)?;
        let nothing = self.theory.default_of(sort);
        let rest = self.function(Sort::INT, |lowering, at| {
            let terms = &mut lowering.theory.terms;
            let next = terms.offset(at, 1);
            let held = terms.select(elements, next);
            let zero = terms.int(0);
            let inside = terms.le(zero, at);
            Ok(terms.ite(inside, held, nothing))
        })?;
        let len = self.theory.terms.offset(len, -1);
        self.make_sequence(ty, len, rest, span)
    }

    fn drop_last(&mut self, ty: &Ty, whole: Term, span: Span) -> Result {
        self.needs_some(whole, span);
        let (len, elements) = self.sequence(whole);
        let element = ty.element().cloned().unwrap_or(Ty::Bool);
        let sort = self.theory.sort_of_type(&element, span)?;
        let nothing = self.theory.default_of(sort);
        let last = self.theory.terms.offset(len, -1);
        let rest = self.theory.terms.store(elements, last, nothing);
        self.make_sequence(ty, last, rest, span)
    }
}
