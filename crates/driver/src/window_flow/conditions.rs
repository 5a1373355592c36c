//! Conditions about high values, and which of the names in them a choice has given their values.
//!
//! A name that is computed from what it was (a sum, a set of what was seen) *accumulates*: a condition is asked with its
//! value in a state as it is. The other high names of a condition hold what was chosen, or what was computed from it.

use super::{Name, Origin, WindowFlow};
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{any_expr, conjuncts, each_expr};
use plainsong_ir::{Expr, LocalId, MessageId, Place, Ty};
use plainsong_semantics::search::WindowLocal;
use std::collections::{BTreeMap, BTreeSet};

/// A condition that stops a step, or leaves a message, where it is false.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    /// Where it stands.
    pub(crate) span: Span,
    pub(crate) asks: Asks,
    /// The places of its conjuncts that read high names which do not accumulate.
    pub(crate) open: BTreeSet<Span>,
    /// Those of the names that are locals.
    pub(crate) locals: Vec<WindowLocal>,
}

/// What asks for a condition.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Asks {
    /// The `assume` at this place.
    Assume(Span),
    /// A receive of this kind of message.
    Receive(MessageId),
    Choice,
}

impl WindowFlow<'_> {
    /// Are values from windows asked about that are chosen at this statement, or at the start?
    pub(super) fn is_origin(&self, at: Option<Span>) -> bool {
        match self.extent.origin {
            Origin::Anywhere => true,
            Origin::Start => at.is_none() || self.before_all,
            Origin::Statement(asked) => at == Some(asked),
        }
    }

    /// An assignment to a part of a variable, or from what it was, makes it one that accumulates.
    pub(super) fn accumulate(&mut self, place: &Place, value: &Expr) {
        let name = self.written(place);
        let is_own = !place.path.is_empty() || any_expr(value, |one| self.name_of(one) == name);
        self.accumulators.extend(name.filter(|_| is_own));
    }

    /// A condition about high values is asked.
    pub(super) fn ask(&mut self, condition: &Expr, asks: Asks) {
        let mut open = BTreeSet::new();
        let mut alone: BTreeMap<LocalId, (Ty, BTreeSet<Span>)> = BTreeMap::new();
        for one in conjuncts(condition) {
            let names = self.chosen_in(one);
            for (name, ty) in &names {
                open.insert(one.span);
                if let Name::Local(_, local) = name {
                    let known = alone.entry(*local);
                    let (_, places) = known.or_insert_with(|| (ty.clone(), BTreeSet::new()));
                    places.extend((names.len() == 1).then_some(one.span));
                }
            }
        }
        let locals = alone
            .into_iter()
            .map(|(local, (ty, alone))| WindowLocal { local, ty, alone });
        self.conditions.push(Condition {
            span: condition.span,
            asks,
            open,
            locals: locals.collect(),
        });
    }

    /// The high names that an expression reads, without those that accumulate.
    fn chosen_in(&self, expr: &Expr) -> BTreeMap<Name, Ty> {
        let mut found = BTreeMap::new();
        each_expr(expr, |one| {
            let name = self.name_of(one);
            let is_chosen =
                |name: &Name| self.names.contains(name) && !self.accumulators.contains(name);
            found.extend(name.filter(is_chosen).map(|name| (name, one.ty.clone())));
        });
        found
    }
}
