//! What is known about a configuration in which some asyncs are pending.
//!
//! The invariants of the program hold, what is about to act is pending, and of some actions there is at most
//! one async at all, or at most one with the same arguments.
//!
//! [`Uniqueness`] is found, not declared. Statement. If `init` creates at most one async of `A` (with the
//! same arguments), and from every state every action and abstraction creates at most what it takes
//! away, then there is never more than one. Why sound. Induction over the steps of any of the programs that the
//! sequentializations lead to: each step runs an action or an abstraction.

use super::stage::Stage;
use crate::answer::{Prover, obligation};
use crate::movers::Context;
use plainsong_ir::{Action, ActionId, Code, Expr, GlobalId};
use plainsong_prove::gated::Gated;
use plainsong_prove::lower::{Env, Lowering, Store};
use plainsong_prove::obligation::Obligation;
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};
use std::collections::{BTreeMap, BTreeSet};

/// How many asyncs of an action can be pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Uniqueness {
    /// At most one.
    One,
    /// At most one with the same arguments.
    Each,
}

/// What is known when actions of one sequentialization are about to act.
pub(crate) struct Known<'s> {
    pub(crate) stage: &'s Stage,
    pub(crate) sequence: usize,
    pub(crate) unique: &'s BTreeMap<ActionId, Uniqueness>,
}

impl Known<'_> {
    /// The invariants in a state; with them, that there is at most one async where that is so.
    pub(crate) fn invariants(&self, theory: &mut Theory, store: &Store) -> Result<Vec<Term>> {
        let all = &self.stage.staged.invariants[self.sequence];
        let mut known = Vec::new();
        if all.is_empty() {
            return Ok(known);
        }
        for action in self.unique.keys() {
            let (_, keys, _) = arbitrary(theory, &self.stage.action(*action).code)?;
            let count = count(theory, self.stage, store, *action, &keys);
            let one = theory.terms.int(1);
            let mut most = theory.terms.le(count, one);
            for key in keys.into_iter().rev() {
                most = theory.terms.forall(key, most);
            }
            known.push(most);
        }
        for invariant in all {
            let (holds, defined) = lowered(theory, store, invariant)?;
            known.extend(defined);
            known.push(holds);
        }
        Ok(known)
    }

    /// That an async is pending.
    pub(crate) fn pending(
        &self,
        theory: &mut Theory,
        store: &Store,
        (action, arguments): (ActionId, &[Term]),
        times: i64,
    ) -> Term {
        let count = count(theory, self.stage, store, action, arguments);
        let least = theory.terms.int(times);
        theory.terms.le(least, count)
    }
}

impl Context for Known<'_> {
    fn known(
        &self,
        theory: &mut Theory,
        store: &Store,
        [(first, one), (second, two)]: [(ActionId, &[Term]); 2],
    ) -> Result<Vec<Term>> {
        let mut known = self.invariants(theory, store)?;
        let stage = self.stage;
        let (a, b) = (stage.original(first), stage.original(second));
        known.push(self.pending(theory, store, (b, two), 1));
        known.push(self.pending(theory, store, (a, one), 1));
        if a != b {
            return Ok(known);
        }
        let same = same(theory, stage.action(a), one, two);
        let not = theory.terms.not(same);
        match self.unique.get(&a) {
            Some(Uniqueness::One) => known.push(theory.terms.bool(false)),
            Some(Uniqueness::Each) => known.push(not),
            None => {
                let twice = self.pending(theory, store, (a, one), 2);
                known.push(theory.terms.or(&[not, twice]));
            }
        }
        Ok(known)
    }

    fn alone(
        &self,
        theory: &mut Theory,
        store: &Store,
        (action, arguments): (ActionId, &[Term]),
    ) -> Result<Vec<Term>> {
        let mut known = self.invariants(theory, store)?;
        let action = self.stage.original(action);
        known.push(self.pending(theory, store, (action, arguments), 1));
        Ok(known)
    }
}

/// The value of an expression in a state, and what makes it defined.
pub(crate) fn lowered(
    theory: &mut Theory,
    store: &Store,
    expr: &Expr,
) -> Result<(Term, Vec<Term>)> {
    let env = Env {
        store: store.clone(),
        ..Env::default()
    };
    let mut lowering = Lowering::new(theory, env);
    let value = lowering.expr(expr)?;
    let defined = std::mem::take(&mut lowering.definedness);
    Ok((
        value,
        defined.into_iter().map(|one| one.condition).collect(),
    ))
}

/// How often an async is pending in a state.
pub(crate) fn count(
    theory: &mut Theory,
    stage: &Stage,
    store: &Store,
    action: ActionId,
    arguments: &[Term],
) -> Term {
    let Some((global, _)) = stage.bags.of(action) else {
        return theory.terms.int(0);
    };
    let mut count = store.globals[&global];
    for at in arguments {
        count = theory.terms.select(count, *at);
    }
    count
}

/// Are these the same arguments?
pub(crate) fn same(theory: &mut Theory, action: &Action, one: &[Term], two: &[Term]) -> Term {
    let rows = &action.code.locals[..action.code.arity];
    let types: Vec<_> = rows.iter().map(|row| row.ty.clone()).collect();
    let mut parts = Vec::new();
    for (at, ty) in types.iter().enumerate() {
        parts.push(theory.equal(ty, one[at], two[at]));
    }
    theory.terms.and(&parts)
}

/// An arbitrary state and arguments for code, with what is known about them.
pub(crate) fn arbitrary(theory: &mut Theory, code: &Code) -> Result<(Store, Vec<Term>, Vec<Term>)> {
    let song = theory.song.clone();
    let globals = song.actions().map_or(&[][..], |actions| &actions.globals);
    let (mut store, mut known) = (Store::default(), Vec::new());
    for (at, global) in globals.iter().enumerate() {
        let (value, valid) = theory.arbitrary(&global.name, &global.ty, global.span)?;
        known.push(valid);
        store.globals.insert(GlobalId::from(at), value);
    }
    let mut arguments = Vec::new();
    for row in &code.locals[..code.arity] {
        let (value, valid) = theory.arbitrary(&row.name, &row.ty, row.span)?;
        known.push(valid);
        arguments.push(value);
    }
    Ok((store, arguments, known))
}

/// Of which actions there is at most one async.
pub(crate) fn uniqueness(
    stage: &Stage,
    init: Option<&Code>,
    prover: &mut Prover<'_>,
) -> BTreeMap<ActionId, Uniqueness> {
    let mut steps: BTreeSet<ActionId> = stage.pools[0].clone();
    steps.extend(stage.staged.eliminated.iter().flatten().map(|(_, by)| *by));
    let mut found = BTreeMap::new();
    for &action in &stage.pools[0] {
        for kind in [Uniqueness::One, Uniqueness::Each] {
            let asked = asked(stage, init, &steps, action, kind, prover.theory);
            let Ok(Some(all)) = asked else { continue };
            if prover.open("unique", &all).is_empty() {
                found.insert(action, kind);
                break;
            }
        }
    }
    found
}

fn asked(
    stage: &Stage,
    init: Option<&Code>,
    steps: &BTreeSet<ActionId>,
    action: ActionId,
    kind: Uniqueness,
    theory: &mut Theory,
) -> Result<Option<Vec<Obligation>>> {
    let mut all = Vec::new();
    let nothing = Code::default();
    let codes = steps.iter().map(|&id| (Some(id), &stage.action(id).code));
    for (id, code) in codes.chain([(None, init.unwrap_or(&nothing))]) {
        if !super::pool::created(&code.body).contains(&action) {
            continue;
        }
        let (store, arguments, mut known) = arbitrary(theory, code)?;
        let run = Gated::run(theory, code, None, &store, &arguments, None)?;
        known.push(run.gate(theory));
        known.push(run.guard);
        let itself = id.is_some_and(|id| stage.original(id) == action);
        let (count, most) = match kind {
            Uniqueness::One => {
                let Some(count) = run.created_in_all(theory, action) else {
                    return Ok(None);
                };
                let most = i64::from(itself || id.is_none());
                (count, theory.terms.int(most))
            }
            Uniqueness::Each => {
                let of = stage.action(action);
                let (_, keys, valid) = arbitrary(theory, &of.code)?;
                known.extend(valid);
                let count = run.created(theory, action, &keys);
                let (one, zero) = (theory.terms.int(1), theory.terms.int(0));
                let most = match (itself, id) {
                    (true, _) => {
                        let again = same(theory, of, &arguments, &keys);
                        theory.terms.ite(again, one, zero)
                    }
                    (false, Some(_)) => zero,
                    (false, None) => one,
                };
                (count, most)
            }
        };
        let goal = theory.terms.le(count, most);
        let sentence = "no more asyncs than it takes away";
        let span = stage.action(action).span;
        all.push(obligation(
            "sequentialize/unique",
            span,
            sentence,
            known,
            goal,
        ));
    }
    Ok(Some(all))
}
