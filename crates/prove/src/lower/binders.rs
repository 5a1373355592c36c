//! Quantifiers and comprehensions.

use super::{Lowering, Unsupported};
use crate::term::{Sort, Term};
use crate::theory::Result;
use plainsong_diagnostics::Span;
use plainsong_ir::{Binding, Domain, Expr, Quantifier, Ty};

/// What a name ranges over.
enum BinderRange {
    /// All values of a type.
    Type(Ty),
    /// The elements of a set, bag or sequence.
    In(Ty, Term),
}

/// One bound name: the variable of the logic, when it counts, how often.
struct Variable {
    symbol: Term,
    guard: Term,
    times: Option<Term>,
}

impl Lowering<'_> {
    pub(super) fn quantifier(
        &mut self,
        quantifier: Quantifier,
        bindings: &[Binding],
        body: &Expr,
    ) -> Result {
        self.bindings(quantifier, bindings, body)
    }

    fn bindings(&mut self, quantifier: Quantifier, bindings: &[Binding], body: &Expr) -> Result {
        let Some((binding, rest)) = bindings.split_first() else {
            return self.innermost(quantifier, body);
        };
        let ranging = self.ranging(&binding.domain)?;
        self.names(quantifier, binding, &ranging, 0, rest, body)
    }

    fn names(
        &mut self,
        quantifier: Quantifier,
        binding: &Binding,
        ranging: &BinderRange,
        at: usize,
        rest: &[Binding],
        body: &Expr,
    ) -> Result {
        let Some(&name) = binding.names.get(at) else {
            let Some(filter) = &binding.filter else {
                return self.bindings(quantifier, rest, body);
            };
            let passes = self.expr(filter)?;
            let inner = self.under(passes, |lowering| lowering.bindings(quantifier, rest, body))?;
            return Ok(self.only_if(quantifier, passes, inner, None));
        };
        let (variable, element) = self.variable(ranging, body.span)?;
        self.env.locals.insert(name, element);
        let inner = self.for_each(variable.symbol, |lowering| {
            lowering.under(variable.guard, |lowering| {
                lowering.names(quantifier, binding, ranging, at + 1, rest, body)
            })
        })?;
        let inner = self.only_if(quantifier, variable.guard, inner, variable.times);
        let terms = &mut self.theory.terms;
        Ok(match quantifier {
            Quantifier::Forall => terms.forall(variable.symbol, inner),
            Quantifier::Exists => terms.exists(variable.symbol, inner),
            Quantifier::Count | Quantifier::Sum => {
                let values = terms.lambda(variable.symbol, inner);
                terms.total(values)
            }
        })
    }

    fn innermost(&mut self, quantifier: Quantifier, body: &Expr) -> Result {
        let value = self.expr(body)?;
        if quantifier != Quantifier::Count {
            return Ok(value);
        }
        let (one, zero) = (self.theory.terms.int(1), self.theory.terms.int(0));
        Ok(self.theory.terms.ite(value, one, zero))
    }

    /// What a combination adds when only those that pass count.
    fn only_if(
        &mut self,
        quantifier: Quantifier,
        guard: Term,
        inner: Term,
        times: Option<Term>,
    ) -> Term {
        let terms = &mut self.theory.terms;
        match quantifier {
            Quantifier::Forall => terms.implies(guard, inner),
            Quantifier::Exists => terms.and(&[guard, inner]),
            Quantifier::Count | Quantifier::Sum => {
                let zero = terms.int(0);
                let inner = match times {
                    Some(times) => terms.mul(times, inner),
                    None => inner,
                };
                terms.ite(guard, inner, zero)
            }
        }
    }

    fn ranging(&mut self, domain: &Domain) -> Result<BinderRange> {
        Ok(match domain {
            Domain::Type(ty) => BinderRange::Type(ty.clone()),
            Domain::In(collection) => {
                let whole = self.expr(collection)?;
                BinderRange::In(collection.ty.clone(), whole)
            }
        })
    }

    fn variable(&mut self, ranging: &BinderRange, span: Span) -> Result<(Variable, Term)> {
        match ranging {
            BinderRange::Type(ty) => {
                let symbol = self.fresh_of(ty, "x", span)?;
                let guard = self.theory.valid(ty, symbol)?;
                let times = None;
                Ok((
                    Variable {
                        symbol,
                        guard,
                        times,
                    },
                    symbol,
                ))
            }
            BinderRange::In(ty @ Ty::Seq(_), whole) => {
                let _ = ty;
                let (len, elements) = self.sequence(*whole);
                let symbol = self.theory.terms.fresh("i", Sort::INT);
                let guard = self.theory.within(symbol, len);
                let element = self.theory.terms.select(elements, symbol);
                let times = None;
                Ok((
                    Variable {
                        symbol,
                        guard,
                        times,
                    },
                    element,
                ))
            }
            BinderRange::In(ty, whole) => {
                let element = ty.element().cloned().unwrap_or(Ty::Bool);
                let symbol = self.fresh_of(&element, "x", span)?;
                let valid = self.theory.valid(&element, symbol)?;
                let member = self.member(ty, *whole, &element, symbol)?;
                let guard = self.theory.terms.and(&[valid, member]);
                let times =
                    matches!(ty, Ty::Bag(_)).then(|| self.theory.terms.select(*whole, symbol));
                Ok((
                    Variable {
                        symbol,
                        guard,
                        times,
                    },
                    symbol,
                ))
            }
        }
    }

    pub(super) fn comprehension(
        &mut self,
        ty: &Ty,
        binding: &Binding,
        body: &Expr,
        span: Span,
    ) -> Result {
        match ty {
            Ty::Set(_) => self.set_of(binding, body, span),
            _ => self.seq_of(ty, binding, body, span),
        }
    }

    /// `{ e for x in S where p }`: what is `e` for some `x`.
    fn set_of(&mut self, binding: &Binding, body: &Expr, span: Span) -> Result {
        let ranging = self.ranging(&binding.domain)?;
        let (variable, element) = self.variable(&ranging, span)?;
        self.env.locals.insert(binding.names[0], element);
        let (passes, value) = self.for_each(variable.symbol, |lowering| {
            lowering.under(variable.guard, |lowering| {
                let passes = match &binding.filter {
                    Some(filter) => lowering.expr(filter)?,
                    None => lowering.theory.terms.bool(true),
                };
                let value = lowering.under(passes, |lowering| lowering.expr(body))?;
                Ok((passes, value))
            })
        })?;
        let counts = self.theory.terms.and(&[variable.guard, passes]);
        if value == variable.symbol {
            return Ok(self.theory.terms.lambda(variable.symbol, counts));
        }
        let sort = self.theory.sort_of_type(&body.ty, span)?;
        self.function(sort, |lowering, at| {
            let same = lowering.theory.equal(&body.ty, value, at);
            let here = lowering.theory.terms.and(&[counts, same]);
            Ok(lowering.theory.terms.exists(variable.symbol, here))
        })
    }

    /// `[ e for x in S ]` where `S` is a sequence or a range: the element at each place comes from
    /// the one at that place.
    fn seq_of(&mut self, ty: &Ty, binding: &Binding, body: &Expr, span: Span) -> Result {
        let not_covered = || {
            Unsupported::new(
                span,
                "sequence comprehensions are covered over sequences and ranges, without `where`",
            )
        };
        let Domain::In(domain) = &binding.domain else {
            return Err(not_covered());
        };
        if binding.filter.is_some() {
            return Err(not_covered());
        }
        let at = self.theory.terms.fresh("i", Sort::INT);
        let (len, element) = self.places(domain, at).ok_or_else(not_covered)??;
        let inside = self.theory.within(at, len);
        self.env.locals.insert(binding.names[0], element);
        let held = self.for_each(at, |lowering| {
            lowering.under(inside, |lowering| lowering.expr(body))
        })?;
        let sort = self.theory.sort_of_type(&body.ty, span)?;
        let nothing = self.theory.default_of(sort);
        let held = self.theory.terms.ite(inside, held, nothing);
        let elements = self.theory.terms.lambda(at, held);
        self.make_sequence(ty, len, elements, span)
    }

    /// How many elements a sequence or range has, and the one at a place.
    fn places(&mut self, domain: &Expr, at: Term) -> Option<Result<(Term, Term)>> {
        match (&domain.ty, &domain.kind) {
            (Ty::Seq(_), _) => Some(self.expr(domain).map(|whole| {
                let (len, elements) = self.sequence(whole);
                let element = self.theory.terms.select(elements, at);
                (len, element)
            })),
            (
                _,
                plainsong_ir::ExprKind::Range {
                    start,
                    end,
                    inclusive,
                },
            ) => Some(self.range_places(start, end, *inclusive, at)),
            _ => None,
        }
    }

    /// The number of members of a range and the one at a place.
    pub(crate) fn range_places(
        &mut self,
        start: &Expr,
        end: &Expr,
        inclusive: bool,
        at: Term,
    ) -> Result<(Term, Term)> {
        let first = self.expr(start)?;
        let end = self.expr(end)?;
        let terms = &mut self.theory.terms;
        let end = terms.offset(end, i64::from(inclusive));
        let length = terms.sub(end, first);
        let zero = terms.int(0);
        let some = terms.le(zero, length);
        let len = terms.ite(some, length, zero);
        let element = terms.add(first, at);
        Ok((len, element))
    }
}
