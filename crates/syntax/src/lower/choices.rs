//! `choose`: a free choice of a value.

use super::Lowering;
use super::codes::suspicions::WHERE_OF_NOTHING;
use super::fit::{Want, Why};
use super::unit::Binder;
use crate::ast::{self, AstNode};
use crate::types::{UNKNOWN, convert};
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::visit::free_locals;
use plainsong_ir::{Binding, Choice, Domain, Expr, ExprKind, Ty};

/// The name that a choice is for.
pub(crate) struct Candidate<'n> {
    pub(crate) name: &'n str,
    pub(crate) span: Span,
    pub(crate) binder: Binder,
    /// The type that the chosen value must have, and who says so.
    pub(crate) ty: Option<(Ty, Why)>,
}

impl Lowering<'_> {
    /// `choose domain where p`; the candidate's name is visible from here on.
    pub(crate) fn choice(&mut self, choose: &ast::Choose, candidate: Candidate) -> Choice {
        let wanted = candidate.ty.as_ref().map(|(ty, _)| ty);
        let (domain, element) = match choose.domain() {
            Some(domain) => self.choice_domain(&domain, wanted),
            None => (Domain::Type(UNKNOWN), UNKNOWN),
        };
        let (domain, ty) = match &candidate.ty {
            Some((ty, why)) => self.fit_domain(domain, &element, ty, *why, &candidate, choose),
            None => (domain, element),
        };
        let local = self
            .unit
            .bind(candidate.name, ty, candidate.binder, candidate.span);
        let filter = choose.filter().map(|filter| self.filter(&filter));
        if let Some(filter) = &filter
            && !free_locals(filter).contains(&local)
        {
            let name = candidate.name;
            let message = "this `where` says nothing about what is chosen";
            let help = format!("`{name}` is what is chosen; any other name is its value before");
            self.report(Diagnostic::warning(&WHERE_OF_NOTHING, filter.span, message).help(help));
        }
        self.chose_fairly = choose.is_fair();
        Choice {
            local,
            domain,
            filter,
        }
    }

    fn choice_domain(&mut self, written: &ast::Domain, wanted: Option<&Ty>) -> (Domain, Ty) {
        let ty = match written {
            ast::Domain::Type(ty) => Some(self.ty(ty)),
            ast::Domain::Expr(e) => self.named_domain(e),
        };
        match (ty, written) {
            (Some(ty), _) => (Domain::Type(ty.clone()), ty),
            (None, ast::Domain::Expr(e)) => {
                let wanted = wanted.and_then(|element| collection_like(e, element));
                let set = self.expr(e, wanted.as_ref().map(Want::here));
                let element = self.element_of(&set, "choose");
                (Domain::In(set), element)
            }
            (None, ast::Domain::Type(_)) => (Domain::Type(UNKNOWN), UNKNOWN),
        }
    }

    /// Makes the elements of a domain fit the wanted type. Numbers are converted one by one:
    /// `{ x_0 for x_0 in 0..3 }`, with the conversion around `x_0`.
    fn fit_domain(
        &mut self,
        domain: Domain,
        element: &Ty,
        wanted: &Ty,
        why: Why,
        candidate: &Candidate,
        choose: &ast::Choose,
    ) -> (Domain, Ty) {
        let (from, to) = (self.shallow(element), self.shallow(wanted));
        let span = choose
            .domain()
            .map_or(choose.span(), |domain| domain.span());
        let infinite = matches!(domain, Domain::Type(Ty::Int | Ty::Nat));
        if from == to || infinite || !self.converts(&from, &to) {
            if !self.unit.holes.unify(&from, &to) {
                self.mismatch(&from, span, &to, why);
            }
            return (domain, to);
        }
        let name = format!("{}_0", candidate.name);
        let local = self
            .unit
            .add(&name, from.clone(), Binder::Quantifier, candidate.span);
        let domain = match domain {
            Domain::Type(ty) => Domain::In(self.all(ty, span)),
            listed => listed,
        };
        let binding = Binding {
            names: vec![local],
            domain,
            filter: None,
        };
        let body = convert(
            Expr {
                kind: ExprKind::Local(local),
                ty: from,
                span,
            },
            &to,
        );
        let kind = ExprKind::Comprehension(Box::new(binding), Box::new(body));
        let set = Expr {
            kind,
            ty: Ty::Set(Box::new(to.clone())),
            span,
        };
        (Domain::In(set), to)
    }
}

/// The collection over `element` that an expression would be, if its elements adapt.
fn collection_like(e: &ast::Expr, element: &Ty) -> Option<Ty> {
    let element = Box::new(element.clone());
    match e {
        ast::Expr::Paren(paren) => collection_like(&paren.inner()?, &element),
        ast::Expr::Set(_) | ast::Expr::SetComprehension(_) => Some(Ty::Set(element)),
        ast::Expr::Seq(_) | ast::Expr::SeqComprehension(_) => Some(Ty::Seq(element)),
        ast::Expr::Bag(_) => Some(Ty::Bag(element)),
        _ => None,
    }
}
