//! What is known about a configuration in which some asyncs are pending.
//!
//! The invariants of the program hold, what is about to act is pending, so do the [`laws`](super::laws), and for
//! an abstraction what it stands on ([`standing`](super::standing)).

use super::absence::Absence;
use super::bag::Ledger;
use super::laws::Law;
use super::stage::Stage;
use crate::movers::Context;
use plainsong_ir::{Action, ActionId, Code, Expr, GlobalId, Song};
use plainsong_prove::lower::{Env, Lowering, Store};
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};
use plainsong_semantics::value::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is known when actions of one sequentialization are about to act.
pub(crate) struct Known<'s> {
    pub(crate) stage: &'s Stage,
    /// The program whose asyncs are eliminated.
    pub(crate) program: &'s Arc<Song>,
    pub(crate) sequence: usize,
    pub(crate) laws: &'s [Law],
    /// For each eliminated action, what its abstraction stands on.
    pub(crate) standing: BTreeMap<ActionId, Vec<Absence>>,
}

impl Known<'_> {
    /// The invariants in a state, and with them the laws.
    pub(crate) fn invariants(&self, theory: &mut Theory, store: &Store) -> Result<Vec<Term>> {
        let all = &self.stage.staged.invariants[self.sequence];
        let mut known = Vec::new();
        if all.is_empty() {
            return Ok(known);
        }
        for law in self.laws {
            known.extend(self.law(theory, store, law)?);
        }
        for invariant in all {
            let (holds, defined) = lowered(theory, store, invariant)?;
            known.extend(defined);
            known.push(holds);
        }
        Ok(known)
    }

    /// What a law says: no async is pending twice, and of two that count for the same value at most one is.
    fn law(&self, theory: &mut Theory, store: &Store, law: &Law) -> Result<Vec<Term>> {
        let mut known = Vec::new();
        let members: Vec<ActionId> = law.members.keys().copied().collect();
        for (at, &one) in members.iter().enumerate() {
            let (_, keys, _) = arbitrary(theory, &self.stage.action(one).code)?;
            let first = count(theory, self.stage, store, one, &keys);
            let top = theory.terms.int(1);
            let mut most = theory.terms.le(first, top);
            for key in keys.iter().rev() {
                most = theory.terms.forall(*key, most);
            }
            known.push(most);
            for &other in &members[at..] {
                let Some(equal) = law.meet(one, other) else {
                    continue;
                };
                let (_, mut others, _) = arbitrary(theory, &self.stage.action(other).code)?;
                let mut free = others.clone();
                for (a, b) in equal {
                    free.retain(|key| *key != others[b]);
                    others[b] = keys[a];
                }
                if one == other && free.is_empty() {
                    continue;
                }
                let second = count(theory, self.stage, store, other, &others);
                let zero = theory.terms.int(0);
                let mut ways = vec![theory.terms.eq(first, zero), theory.terms.eq(second, zero)];
                if one == other {
                    ways.push(same(theory, self.stage.action(one), &keys, &others));
                }
                let mut either = theory.terms.or(&ways);
                for key in keys.iter().chain(&free).rev() {
                    either = theory.terms.forall(*key, either);
                }
                known.push(either);
            }
        }
        Ok(known)
    }

    /// What an abstraction stands on, in a state; of an action that is none, nothing.
    pub(crate) fn standing(
        &self,
        theory: &mut Theory,
        store: &Store,
        (action, arguments): (ActionId, &[Term]),
    ) -> Result<Vec<Term>> {
        let pairs = &self.stage.staged.eliminated[self.sequence];
        let own = pairs.iter().find(|(_, by)| *by == action);
        let all = own.and_then(|(original, _)| self.standing.get(original));
        let all = all.into_iter().flatten();
        all.map(|one| one.holds(theory, self.stage, store, arguments))
            .collect()
    }

    /// That two asyncs, of an action and of an abstraction, can be pending together.
    pub(crate) fn together(
        &self,
        theory: &mut Theory,
        store: &Store,
        [(first, one), (second, two)]: [(ActionId, &[Term]); 2],
    ) -> Vec<Term> {
        let stage = self.stage;
        let (a, b) = (stage.original(first), stage.original(second));
        let mut known = Vec::new();
        if a == b {
            let same = same(theory, stage.action(a), one, two);
            let not = theory.terms.not(same);
            let twice = self.pending(theory, store, (a, one), 2);
            known.push(theory.terms.or(&[not, twice]));
        }
        for law in self.laws {
            let Some(equal) = law.meet(a, b) else {
                continue;
            };
            let mut parts = Vec::new();
            for (i, j) in equal {
                let ty = stage.action(a).code.locals[i].ty.clone();
                parts.push(theory.equal(&ty, one[i], two[j]));
            }
            let both = theory.terms.and(&parts);
            known.push(theory.terms.not(both));
        }
        let standing = self.standing.get(&b).into_iter().flatten();
        for one_of in standing.filter(|standing| standing.other == a) {
            let excluded = one_of.excludes(theory, stage, two, one);
            known.push(theory.terms.not(excluded));
        }
        known
    }

    /// Where two asyncs of one action are pending, there are at least two; of interest if something is known about how
    /// many there are.
    fn at_least_two(
        &self,
        theory: &mut Theory,
        store: &Store,
        [first, second]: [ActionId; 2],
        known: &[Term],
    ) -> Result<Option<Term>> {
        let stage = self.stage;
        let action = stage.original(first);
        if action != stage.original(second) || stage.bags.of(action).is_none() {
            return Ok(None);
        }
        let total = stage
            .bags
            .total(action, &mut Vec::new(), stage.action(action).span);
        let (total, _) = lowered(theory, store, &total)?;
        if !known.iter().any(|one| theory.terms.contains(*one, total)) {
            return Ok(None);
        }
        let two = theory.terms.int(2);
        Ok(Some(theory.terms.le(two, total)))
    }

    /// The same of values: can an async and one of an eliminated action be pending together?
    pub(crate) fn possible(
        &self,
        (a, b): (ActionId, ActionId),
        one: &[Value],
        two: &[Value],
    ) -> bool {
        let mut laws = self.laws.iter().filter_map(|law| law.meet(a, b));
        let unlawful = laws.any(|equal| equal.iter().all(|(i, j)| one[*i] == two[*j]));
        let standing = self.standing.get(&b).into_iter().flatten();
        let mut standing = standing.filter(|standing| standing.other == a);
        !unlawful && !standing.any(|standing| standing.excludes_value(two, one))
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
        pair: [(ActionId, &[Term]); 2],
    ) -> Result<Vec<Term>> {
        let mut known = self.invariants(theory, store)?;
        for (action, arguments) in pair {
            let action = self.stage.original(action);
            known.push(self.pending(theory, store, (action, arguments), 1));
        }
        known.extend(self.at_least_two(theory, store, pair.map(|(action, _)| action), &known)?);
        known.extend(self.together(theory, store, pair));
        Ok(known)
    }

    fn alone(
        &self,
        theory: &mut Theory,
        store: &Store,
        one: (ActionId, &[Term]),
    ) -> Result<Vec<Term>> {
        let mut known = self.invariants(theory, store)?;
        known.extend(self.standing(theory, store, one)?);
        let action = self.stage.original(one.0);
        known.push(self.pending(theory, store, (action, one.1), 1));
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
    let arguments = theory.arbitrary_arguments(code, &mut known)?;
    Ok((store, arguments, known))
}
