//! Symbolic states: any state, the first state, and what is pending after a step.
//!
//! What is pending of an action is a function from its arguments, one after the other, to a number, which is not negative, and
//! zero where the arguments are no values of their types. In every state of a run that is so.

use crate::system::System;
use plainsong_diagnostics::Span;
use plainsong_ir::{ActionId, Choice, Code, Domain, Global, GlobalId, LocalId, StartValue, Ty};
use plainsong_prove::gated_actions::{Created, counted};
use plainsong_prove::lower::{Env, Lowering, Store};
use plainsong_prove::term::{Op, Term};
use plainsong_prove::theory::{Result, Theory};
use std::collections::BTreeMap;

/// A state, and what is known of it.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Its variables, and what is pending.
    pub store: Store,
    /// What is known.
    pub known: Vec<Term>,
    /// What has to hold for its values to exist, each with its place and what is known there.
    pub needs: Vec<(Term, Span, Vec<Term>)>,
}

/// The types of an action's parameters.
pub fn parameters(code: &Code) -> Vec<Ty> {
    let rows = code.locals[..code.arity].iter();
    rows.map(|row| row.ty.clone()).collect()
}

/// Any state at all.
pub fn any(theory: &mut Theory, system: &System) -> Result<State> {
    let mut state = State::default();
    for (at, global) in system.actions().globals.iter().enumerate() {
        let (value, valid) = theory.arbitrary(&global.name, &global.ty, global.span)?;
        state.known.push(valid);
        state.store.globals.insert(GlobalId::from(at), value);
    }
    for &action in &system.counted {
        let row = &system.actions().actions[action.index()];
        let types = parameters(&row.code);
        let map = |held, key: &Ty| Ty::Map(Box::new(key.clone()), Box::new(held));
        let ty = types.iter().rev().fold(Ty::Nat, map);
        let (counts, _) = theory.arbitrary(&format!("pending_{}", row.name), &ty, row.span)?;
        let bag = is_bag(theory, counts, &types)?;
        state.known.push(bag);
        state.store.pending.insert(action, counts);
    }
    Ok(state)
}

/// Is no count negative, and are there only values of the types?
fn is_bag(theory: &mut Theory, counts: Term, types: &[Ty]) -> Result {
    let (symbols, count) = everywhere(theory, counts, types)?;
    let mut valid = Vec::new();
    for (ty, at) in types.iter().zip(&symbols) {
        valid.push(theory.valid(ty, *at)?);
    }
    let valid = theory.terms.and(&valid);
    let zero = theory.terms.int(0);
    let some = theory.terms.le(zero, count);
    let none = theory.terms.eq(zero, count);
    let outside = theory.terms.or(&[valid, none]);
    let mut all = theory.terms.and(&[some, outside]);
    for at in symbols.iter().rev() {
        all = theory.terms.forall(*at, all);
    }
    Ok(all)
}

/// Symbols for arguments, and the count at them.
fn everywhere(theory: &mut Theory, counts: Term, types: &[Ty]) -> Result<(Vec<Term>, Term)> {
    let mut symbols = Vec::new();
    let mut count = counts;
    for ty in types {
        let sort = theory.sort_of_type(ty, Span::default())?;
        let at = theory.terms.fresh("argument", sort);
        count = theory.terms.select(count, at);
        symbols.push(at);
    }
    Ok((symbols, count))
}

/// What is pending after some asyncs were created and one, of an action with these arguments, was run.
pub fn pending_after(
    theory: &mut Theory,
    system: &System,
    before: &BTreeMap<ActionId, Term>,
    created: &[Created],
    ran: Option<(ActionId, &[Term])>,
) -> Result<BTreeMap<ActionId, Term>> {
    let mut after = BTreeMap::new();
    for (&action, &counts) in before {
        let types = parameters(&system.actions().actions[action.index()].code);
        let (symbols, count) = everywhere(theory, counts, &types)?;
        let more = counted(theory, created, action, &symbols);
        let mut sum = theory.terms.add(count, more);
        if let Some((_, arguments)) = ran.filter(|(one, _)| *one == action) {
            let same: Vec<Term> = (types.iter().zip(&symbols).zip(arguments))
                .map(|((ty, at), argument)| theory.equal(ty, *at, *argument))
                .collect();
            let here = theory.terms.and(&same);
            let (one, none) = (theory.terms.int(1), theory.terms.int(0));
            let less = theory.terms.ite(here, one, none);
            sum = theory.terms.sub(sum, less);
        }
        for at in symbols.iter().rev() {
            sum = theory.terms.lambda(*at, sum);
        }
        after.insert(action, sum);
    }
    Ok(after)
}

/// The variables before `init`, with nothing pending.
pub fn first(theory: &mut Theory, system: &System) -> Result<State> {
    let mut state = State::default();
    for (at, global) in system.actions().globals.iter().enumerate() {
        let value = start_value(theory, &mut state, global)?;
        state.store.globals.insert(GlobalId::from(at), value);
    }
    for &action in &system.counted {
        let types = parameters(&system.actions().actions[action.index()].code);
        let mut none = theory.terms.int(0);
        for ty in types.iter().rev() {
            let sort = theory.sort_of_type(ty, Span::default())?;
            let at = theory.terms.fresh("argument", sort);
            none = theory.terms.lambda(at, none);
        }
        state.store.pending.insert(action, none);
    }
    Ok(state)
}

fn start_value(theory: &mut Theory, state: &mut State, global: &Global) -> Result {
    let mut locals = BTreeMap::new();
    match &global.start {
        StartValue::Value(value) => read(theory, state, &mut locals, |l| l.expr(value), value.span),
        StartValue::Choice(choice) => {
            let sort = theory.sort_of_type(&global.ty, global.span)?;
            let value = theory.terms.fresh(global.name.clone(), sort);
            chosen(theory, state, &mut locals, (choice, &global.ty), value)?;
            Ok(value)
        }
    }
}

/// Relies on `value` being one that the choice allows.
fn chosen(
    theory: &mut Theory,
    state: &mut State,
    locals: &mut BTreeMap<LocalId, Term>,
    (choice, ty): (&Choice, &Ty),
    value: Term,
) -> Result<()> {
    if let Domain::In(collection) = &choice.domain {
        let span = collection.span;
        let whole = read(theory, state, locals, |l| l.expr(collection), span)?;
        let mut lowering = Lowering::new(theory, Env::default());
        let member = lowering.is_member(&collection.ty, whole, ty, value)?;
        state.known.push(member);
    }
    let valid = theory.valid(ty, value)?;
    state.known.push(valid);
    locals.insert(choice.local, value);
    if let Some(filter) = &choice.filter {
        let passes = read(theory, state, locals, |l| l.expr(filter), filter.span)?;
        state.known.push(passes);
    }
    Ok(())
}

/// The value of something; that it exists is noted.
fn read(
    theory: &mut Theory,
    state: &mut State,
    locals: &mut BTreeMap<LocalId, Term>,
    what: impl FnOnce(&mut Lowering<'_>) -> Result,
    span: Span,
) -> Result {
    let env = Env {
        locals: std::mem::take(locals),
        store: state.store.clone(),
        ..Env::default()
    };
    let mut lowering = Lowering::new(theory, env);
    let value = what(&mut lowering);
    let needs: Vec<Term> = lowering
        .definedness
        .iter()
        .map(|one| one.condition)
        .collect();
    *locals = std::mem::take(&mut lowering.env.locals);
    for need in needs {
        if theory.terms.op(need) != Op::True {
            state.needs.push((need, span, state.known.clone()));
        }
    }
    value
}
