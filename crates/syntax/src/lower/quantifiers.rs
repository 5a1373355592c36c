//! Bound names: quantifiers, comprehensions and `map`.

use super::Lowering;
use super::annotations::type_of_item;
use super::codes::types::BAD_OPERAND;
use super::fit::{Wanted, Why};
use super::literals::collection_of;
use super::unit::Binder;
use crate::ast::{self, AstNode};
use crate::types::{Number, UNKNOWN, a, is_unknown, widen};
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{Binding, Collection, Domain, Expr, ExprKind, Quantifier, Ty};
use std::collections::HashMap;

impl Lowering<'_> {
    /// `forall`, `exists`, `count` and `sum`.
    pub(crate) fn quantifier(&mut self, e: &ast::QuantifierExpr) -> Expr {
        let span = e.span();
        let mark = self.unit.enter();
        let bindings: Vec<Binding> = e.bindings().map(|binding| self.binding(&binding)).collect();
        let (quantifier, ty, body) = match e.quantifier() {
            Some(ast::Quantifier::Exists) => (
                Quantifier::Exists,
                Ty::Bool,
                self.condition(e.body(), span, "exists"),
            ),
            Some(ast::Quantifier::Count) => (
                Quantifier::Count,
                Ty::Nat,
                self.condition(e.body(), span, "count"),
            ),
            Some(ast::Quantifier::Sum) => {
                let body = self.summand(e.body(), span);
                (Quantifier::Sum, body.ty.clone(), body)
            }
            Some(ast::Quantifier::Forall) | None => (
                Quantifier::Forall,
                Ty::Bool,
                self.condition(e.body(), span, "forall"),
            ),
        };
        self.unit.leave(mark);
        Expr {
            kind: ExprKind::Quantifier(quantifier, bindings, Box::new(body)),
            ty,
            span,
        }
    }

    /// What `sum` adds up: a `nat`, or else an `int`.
    fn summand(&mut self, body: Option<ast::Expr>, span: Span) -> Expr {
        let Some(body) = body else {
            return self.wrong(span);
        };
        let mut body = self.expr(&body, None);
        body.ty = self.shallow(&body.ty);
        match self.types.number(&body.ty) {
            Some(Number::Nat) => body,
            Some(_) => widen(body),
            None => self.fit(body, &Ty::Int, Why::Word("sum")),
        }
    }

    /// `x, y: T where p` or `x in S where p`; the names are visible from here on.
    pub(crate) fn binding(&mut self, written: &ast::Binding) -> Binding {
        let (domain, ty) = match (written.ty(), written.domain()) {
            (Some(written), _) => {
                let ty = self.ty(&written);
                self.want_finite(&ty, written.span(), "a name that ranges over a type");
                (Domain::Type(ty.clone()), ty)
            }
            (None, Some(domain)) => self.elements(&domain),
            (None, None) => (Domain::Type(UNKNOWN), UNKNOWN),
        };
        let mut seen = HashMap::new();
        let mut names = Vec::new();
        for name in written.names() {
            self.distinct(&name, "bound here", &mut seen);
            names.push(
                self.unit
                    .bind(name.text(), ty.clone(), Binder::Quantifier, name.span()),
            );
        }
        let filter = written.filter().map(|filter| self.filter(&filter));
        Binding {
            names,
            domain,
            filter,
        }
    }

    /// What follows `in`: a collection or the name of a type. Returns the type of its elements too.
    pub(crate) fn elements(&mut self, written: &ast::Domain) -> (Domain, Ty) {
        let ty = match written {
            ast::Domain::Type(ty) => Some(self.ty(ty)),
            ast::Domain::Expr(e) => self.tuple_of_types(e),
        };
        let span = written.span();
        match (ty, written) {
            (Some(Ty::Bool), _) => (Domain::In(self.all(Ty::Bool, span)), Ty::Bool),
            (Some(ty), _) => {
                self.want_finite(&ty, span, "`in`");
                (Domain::Type(ty.clone()), ty)
            }
            (None, ast::Domain::Expr(e)) => {
                let set = self.expr(e, None);
                let element = self.element_of(&set, "in");
                (Domain::In(set), element)
            }
            (None, ast::Domain::Type(_)) => (Domain::Type(UNKNOWN), UNKNOWN),
        }
    }

    /// The type of the elements of a collection; reports what is none.
    pub(crate) fn element_of(&mut self, set: &Expr, who: &str) -> Ty {
        match self.known_type(&set.ty, set.span) {
            Ty::Set(element) | Ty::Bag(element) | Ty::Seq(element) => *element,
            ty if is_unknown(&ty) => UNKNOWN,
            ty => {
                let shown = a(&self.show(&ty));
                let message = format!(
                    "`{who}` wants a set, bag or sequence, but {} is {shown}",
                    self.quote(set.span)
                );
                let mut diagnostic = Diagnostic::error(&BAD_OPERAND, set.span, message);
                if self.types.number(&ty).is_some() {
                    let text = set.span.slice(self.text);
                    diagnostic =
                        diagnostic.help(format!("for the integers below it write `0..{text}`"));
                }
                self.report(diagnostic);
                UNKNOWN
            }
        }
    }

    /// The type that an expression in the place of a domain names, if it names one.
    pub(crate) fn named_domain(&mut self, e: &ast::Expr) -> Option<Ty> {
        match e {
            ast::Expr::Paren(paren) => self.named_domain(&paren.inner()?),
            ast::Expr::Type(e) => e.ty().map(|ty| super::annotations::primitive(&ty)),
            ast::Expr::Name(name) => {
                let name = name.name()?;
                let hidden = self.unit.scope.find(name.text()).is_some()
                    || self.own_var(name.text()).is_some();
                self.names
                    .item(name.text())
                    .filter(|_| !hidden)
                    .and_then(type_of_item)
            }
            _ => self.tuple_of_types(e),
        }
    }

    /// `(Db, bool)` in the place of a domain.
    fn tuple_of_types(&mut self, e: &ast::Expr) -> Option<Ty> {
        let ast::Expr::Tuple(tuple) = e else {
            return None;
        };
        let parts: Vec<Ty> = tuple
            .components()
            .map(|part| self.named_domain(&part))
            .collect::<Option<_>>()?;
        Some(Ty::Tuple(parts))
    }

    /// `{ x in S where p }`
    pub(crate) fn filter_comprehension(&mut self, e: &ast::FilterComprehension) -> Expr {
        let span = e.span();
        let Some(written) = e.binding() else {
            return self.wrong(span);
        };
        let mark = self.unit.enter();
        let binding = self.binding(&written);
        self.unit.leave(mark);
        let (Some(&local), Some(name)) = (binding.names.first(), written.names().next()) else {
            return self.wrong(span);
        };
        let ty = self.unit.locals[local.index()].ty.clone();
        let body = Expr {
            kind: ExprKind::Local(local),
            ty: ty.clone(),
            span: name.span(),
        };
        let kind = ExprKind::Comprehension(Box::new(binding), Box::new(body));
        Expr {
            kind,
            ty: collection_of(Collection::Set, ty),
            span,
        }
    }

    /// `{ e for x in S where p }` or `[ e for x in S where p ]`
    pub(crate) fn comprehension(
        &mut self,
        kind: Collection,
        bindings: impl Iterator<Item = ast::Binding>,
        element: Option<ast::Expr>,
        span: Span,
        wanted: Wanted,
    ) -> Expr {
        let Some(element) = element else {
            return self.wrong(span);
        };
        let wanted = self.wanted_element(kind, wanted);
        let mark = self.unit.enter();
        let mut lowered: Vec<(Binding, Span)> = bindings
            .map(|written| (self.binding(&written), written.span()))
            .collect();
        let body = match wanted {
            Some(wanted) => self.check(&element, &wanted, Why::Here),
            None => self.expr(&element, None),
        };
        self.unit.leave(mark);
        let (binding, body) = match lowered.len() {
            0 => return self.wrong(span),
            1 => (lowered.remove(0).0, body),
            _ => self.over_tuples(kind, lowered, body, span),
        };
        let ty = collection_of(kind, body.ty.clone());
        Expr {
            kind: ExprKind::Comprehension(Box::new(binding), Box::new(body)),
            ty,
            span,
        }
    }

    /// `map k: K => e`
    pub(crate) fn map(&mut self, e: &ast::MapExpr, wanted: Wanted) -> Expr {
        let span = e.span();
        let (Some(name), Some(written), Some(value)) = (e.name(), e.key_type(), e.value()) else {
            return self.wrong(span);
        };
        let key = self.ty(&written);
        self.want_finite(&key, written.span(), "the key of a map");
        let wanted = match self.wanted_type(wanted) {
            Some(Ty::Map(_, value)) => Some(*value),
            _ => None,
        };
        let mark = self.unit.enter();
        let local = self
            .unit
            .bind(name.text(), key.clone(), Binder::Quantifier, name.span());
        let body = match wanted {
            Some(wanted) => self.check(&value, &wanted, Why::Here),
            None => self.expr(&value, None),
        };
        self.unit.leave(mark);
        let ty = Ty::Map(Box::new(key), Box::new(body.ty.clone()));
        Expr {
            kind: ExprKind::MapOf(local, Box::new(body)),
            ty,
            span,
        }
    }
}
