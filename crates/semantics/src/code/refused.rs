//! Conditions about values from a window that are false in a state, though a value outside of the window might pass.
//!
//! Statement. A condition is *refused* where it is false and the rest of the state does not say that it is false for all
//! values of the names in question: these are the ones that a choice from the window has given their values, as whoever
//! asks knows.
//!
//! Why sound. A conjunct that reads none of these names and is false excludes all of their values. Conjuncts that
//! read one of them only and leave finitely many of its values ([`possible`]) exclude all if none of these passes them. Otherwise nothing is
//! known: the condition counts as refused.
//! NOT COVERED. Bounds of names that are variables, and of several names together.

use crate::eval::Eval;
use crate::instance::confined::possible;
use crate::value::Value;
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{conjuncts, is_total};
use plainsong_ir::{Expr, LocalId, Ty};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most values of a name that are tried.
const MOST: usize = 1_000;

/// A condition that a choice from a window may have made false.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WindowCondition {
    /// The places of its conjuncts that read names which the choice has given their values.
    pub open: BTreeSet<Span>,
    /// Those of the names that are locals.
    pub locals: Vec<WindowLocal>,
    /// The statements whose choices from a window influence it.
    pub sources: BTreeSet<Span>,
    /// Do variables that start with values from a window?
    pub from_start: bool,
}

impl WindowCondition {
    /// Another choice has given these names their values.
    pub fn include(&mut self, open: &BTreeSet<Span>, locals: &[WindowLocal]) {
        for known in &mut self.locals {
            match locals.iter().find(|one| one.local == known.local) {
                Some(one) => known.alone.retain(|place| one.alone.contains(place)),
                None => known.alone.retain(|place| !open.contains(place)),
            }
        }
        for one in locals {
            if self.locals.iter().all(|known| known.local != one.local) {
                let mut one = one.clone();
                one.alone.retain(|place| !self.open.contains(place));
                self.locals.push(one);
            }
        }
        self.open.extend(open);
    }
}

/// A local that a choice from a window has given its value.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowLocal {
    pub local: LocalId,
    /// Its type.
    pub ty: Ty,
    /// The places of the conjuncts that read no other such name.
    pub alone: BTreeSet<Span>,
}

/// Collects refused conditions.
#[derive(Clone, Debug)]
pub(crate) struct Refusals {
    watched: Arc<BTreeMap<Span, WindowCondition>>,
    found: BTreeSet<Span>,
}

impl Refusals {
    /// None yet.
    pub(crate) fn of(watched: Arc<BTreeMap<Span, WindowCondition>>) -> Self {
        Refusals {
            watched,
            found: BTreeSet::new(),
        }
    }

    /// Those that were refused.
    pub(crate) fn found(&self) -> &BTreeSet<Span> {
        &self.found
    }

    pub(crate) fn is_false(&mut self, condition: &Expr, eval: &mut Eval<'_>, slots: &[Value]) {
        let Some(watched) = self.watched.get(&condition.span) else {
            return;
        };
        if !is_excluded(condition, watched, eval, &mut slots.to_vec()) {
            self.found.insert(condition.span);
        }
    }
}

/// Is it false for all values of the names in question?
fn is_excluded(
    condition: &Expr,
    watched: &WindowCondition,
    eval: &mut Eval<'_>,
    slots: &mut [Value],
) -> bool {
    let conjuncts = conjuncts(condition);
    let is_closed = |one: &&&Expr| !watched.open.contains(&one.span);
    let mut closed = conjuncts.iter().filter(is_closed);
    if closed.any(|one| matches!(eval.truth(one, slots), Ok(false))) {
        return true;
    }
    let excludes = |one: &WindowLocal| excludes_all(one, &conjuncts, eval, slots);
    watched.locals.iter().any(excludes)
}

/// Do the conjuncts that read no other name in question exclude all values of a local?
fn excludes_all(
    of: &WindowLocal,
    conjuncts: &[&Expr],
    eval: &mut Eval<'_>,
    slots: &mut [Value],
) -> bool {
    let is_alone = |one: &&Expr| of.alone.contains(&one.span);
    // Behind one that may fail, other values may not come to be excluded.
    let first = conjuncts
        .iter()
        .take_while(|one| is_alone(one) || is_total(one));
    let alone: Vec<&Expr> = first.copied().filter(is_alone).collect();
    let Some(values) = possible(eval, &alone, (of.local, &of.ty), MOST, slots) else {
        return false;
    };
    let at = of.local.index();
    let before = slots[at].clone();
    let is_passed = values.into_iter().any(|value| {
        slots[at] = value;
        let mut alone = alone.iter();
        alone.all(|one| eval.truth(one, slots).unwrap_or(true))
    });
    slots[at] = before;
    !is_passed
}
