//! Expressions that bind names: quantifiers, comprehensions, maps and matches.

use super::operators::add;
use super::{Eval, Result, matches};
use crate::failure::{resource, undefined};
use crate::value::Value;
use plainsong_diagnostics::Span;
use plainsong_ir::{Binding, Domain, Expr, LocalId, Pattern, Quantifier, Ty};

/// What is done for each combination of bound names; `false` ends the visits.
type Visit<'v, 'a> = dyn FnMut(&mut Eval<'a>, &mut [Value]) -> Result<bool> + 'v;

impl<'a> Eval<'a> {
    /// The elements of a domain in order; bare types must be finite.
    pub(crate) fn domain(
        &mut self,
        domain: &Domain,
        span: Span,
        locals: &mut [Value],
    ) -> Result<Vec<Value>> {
        match domain {
            Domain::Type(ty) => self
                .instance
                .values(ty)
                .map_err(|message| resource(span, message)),
            Domain::In(collection) => Ok(self.expr(collection, locals)?.elements().to_vec()),
        }
    }

    pub(super) fn match_expr(
        &mut self,
        scrutinee: &Expr,
        arms: &[(Pattern, Expr)],
        locals: &mut [Value],
    ) -> Result {
        let value = self.expr(scrutinee, locals)?;
        for (pattern, arm) in arms {
            if matches(self.instance, pattern, &value, locals) {
                return self.expr(arm, locals);
            }
        }
        Err(undefined(scrutinee.span, "no pattern matches this value"))
    }

    pub(super) fn map_of(
        &mut self,
        local: LocalId,
        body: &Expr,
        map: &Expr,
        locals: &mut [Value],
    ) -> Result {
        let Ty::Map(key, _) = &map.ty else {
            panic!("`map … => …` is a map, not {:?}", map.ty)
        };
        let mut pairs = Vec::new();
        for key in self.listed(key, map)? {
            locals[local.index()] = key.clone();
            pairs.push((key, self.expr(body, locals)?));
        }
        Ok(Value::Map(pairs.into()))
    }

    pub(super) fn comprehension(
        &mut self,
        binding: &Binding,
        body: &Expr,
        locals: &mut [Value],
    ) -> Result<Vec<Value>> {
        let mut elements = Vec::new();
        let bindings = std::slice::from_ref(binding);
        self.combinations(bindings, body.span, locals, &mut |eval, locals| {
            elements.push(eval.expr(body, locals)?);
            Ok(true)
        })?;
        Ok(elements)
    }

    pub(super) fn quantifier(
        &mut self,
        quantifier: Quantifier,
        bindings: &[Binding],
        body: &Expr,
        span: Span,
        locals: &mut [Value],
    ) -> Result {
        match quantifier {
            Quantifier::Forall => Ok(Value::Bool(!self.finds(false, bindings, body, locals)?)),
            Quantifier::Exists => Ok(Value::Bool(self.finds(true, bindings, body, locals)?)),
            Quantifier::Count => {
                let mut count = 0;
                self.combinations(bindings, span, locals, &mut |eval, locals| {
                    count += i64::from(eval.truth(body, locals)?);
                    Ok(true)
                })?;
                Ok(Value::Int(count))
            }
            Quantifier::Sum => {
                let mut sum = 0;
                self.combinations(bindings, span, locals, &mut |eval, locals| {
                    sum = add(sum, eval.expr(body, locals)?.int(), span)?;
                    Ok(true)
                })?;
                Ok(Value::Int(sum))
            }
        }
    }

    /// Is there a combination for which `body` is `wanted`? The locals keep the first one.
    pub(crate) fn finds(
        &mut self,
        wanted: bool,
        bindings: &[Binding],
        body: &Expr,
        locals: &mut [Value],
    ) -> Result<bool> {
        let all_visited = self.combinations(bindings, body.span, locals, &mut |eval, locals| {
            Ok(eval.truth(body, locals)? != wanted)
        })?;
        Ok(!all_visited)
    }

    /// Visits every combination of the bound names that passes the filters, first name slowest.
    /// Were all of them visited?
    pub(crate) fn combinations(
        &mut self,
        bindings: &[Binding],
        span: Span,
        locals: &mut [Value],
        visit: &mut Visit<'_, 'a>,
    ) -> Result<bool> {
        let Some((binding, rest)) = bindings.split_first() else {
            return visit(self, locals);
        };
        let elements = self.domain(&binding.domain, span, locals)?;
        self.names(
            &binding.names,
            &elements,
            locals,
            &mut |eval, locals| match &binding.filter {
                Some(filter) if !eval.truth(filter, locals)? => Ok(true),
                _ => eval.combinations(rest, span, locals, visit),
            },
        )
    }

    fn names(
        &mut self,
        names: &[LocalId],
        elements: &[Value],
        locals: &mut [Value],
        visit: &mut Visit<'_, 'a>,
    ) -> Result<bool> {
        let Some((name, rest)) = names.split_first() else {
            return visit(self, locals);
        };
        for element in elements {
            locals[name.index()] = element.clone();
            if !self.names(rest, elements, locals, visit)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
