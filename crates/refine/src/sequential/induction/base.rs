//! Base: before any of the asyncs has run, the invariant action does what the action does.
//!
//! Statement. Where the invariant action does not fail, the action does not fail, and the invariant action can do what
//! it does: with the choices that `with` names, else with what the action calls by the same name.

use super::can_do::{CanDo, can_do};
use super::witness::{Chosen, same_names};
use super::{Inductive, Start};
use crate::movers::picks;
use crate::sequential::example::Asked;
use plainsong_ir::LocalId;
use plainsong_prove::gated_actions::Gated;
use plainsong_prove::lower::{Env, Lowering};
use plainsong_prove::theory::{Result, Theory};

const RULE: &str = "sequentialize/base";

/// The obligations.
pub(super) fn base(inductive: &Inductive<'_, '_>, theory: &mut Theory) -> Result<Asked> {
    let start = inductive.start(theory)?;
    let run = inductive.run(theory, &start, inductive.into, None)?;
    let chosen = chosen(inductive, theory, &start, &run)?;
    let all = can_do(
        inductive,
        theory,
        &start,
        CanDo {
            rule: RULE,
            done: (inductive.into, &run),
            by: inductive.by.invariant,
            chosen: &chosen,
            besides: Vec::new(),
            when: "before any async has run",
        },
    )?;
    Ok(inductive.asked(&start, (inductive.into, &run), all))
}

/// What the invariant action chooses.
fn chosen(
    inductive: &Inductive<'_, '_>,
    theory: &mut Theory,
    start: &Start,
    run: &Gated,
) -> Result<Chosen> {
    let (by, own) = (inductive.by, inductive.action(inductive.into));
    let invariant = inductive.action(by.invariant);
    let mut chosen = same_names(theory, invariant, (own, run));
    if by.with.is_empty() {
        return Ok(chosen);
    }
    let mut env = Env {
        store: start.store.clone(),
        ..Env::default()
    };
    for (at, value) in start.arguments.iter().enumerate() {
        env.locals.insert(LocalId::from(at), *value);
    }
    let picks = picks(invariant);
    for (number, (at, local)) in picks.iter().enumerate() {
        let row = &invariant.code.locals[local.index()];
        let value = match chosen.get(at) {
            Some(value) => *value,
            None => theory.arbitrary(&row.name, &row.ty, row.span)?.0,
        };
        let name = LocalId::from(by.named[0] + number);
        env.locals.insert(name, value);
    }
    for (name, value) in &by.with {
        let number = name.index() - by.named[0];
        let value = Lowering::new(theory, env.clone()).expr(value)?;
        chosen.insert(picks[number].0, value);
    }
    Ok(chosen)
}
