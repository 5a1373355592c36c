//! Base: before any of the asyncs has run, the invariant action does what the action does.
//!
//! Statement. Where the invariant action does not fail, the action does not fail, and the invariant action can do what
//! it does: with the choices that `with` names, else with what the action calls by the same name.

use super::witness::{Chosen, same_names};
use super::{Inductive, Start};
use crate::answer::obligation;
use crate::movers::picks;
use crate::sequential::example::Asked;
use plainsong_ir::LocalId;
use plainsong_prove::gated::Gated;
use plainsong_prove::lower::{Env, Lowering};
use plainsong_prove::theory::{Result, Theory};

const RULE: &str = "sequentialize/base";

/// The obligations.
pub(super) fn base(inductive: &Inductive<'_, '_>, theory: &mut Theory) -> Result<Asked> {
    let start = inductive.start(theory)?;
    let own = inductive.action(inductive.into);
    let invariant = inductive.action(inductive.by.invariant);
    let run = inductive.run(theory, &start, inductive.into, None)?;
    let chosen = chosen(inductive, theory, &start, &run)?;
    let (same, open) = inductive.run_choosing(theory, &start, inductive.by.invariant, &chosen)?;
    let any = inductive.run(theory, &start, inductive.by.invariant, None)?;
    let mut known = start.known.clone();
    known.push(any.gate(theory));
    let mut all = Vec::new();
    for part in &run.gate {
        let sentence = format!(
            "where `{}` does not fail, `{}` does not",
            invariant.name, own.name
        );
        let known = known.clone();
        all.push(obligation(RULE, part.span, sentence, known, part.holds));
    }
    known.extend([run.gate(theory), run.guard]);
    let counts = |theory: &mut Theory, action, keys: &[_]| {
        [&run, &same].map(|run: &Gated| run.created(theory, action, keys))
    };
    let parts = inductive.same(theory, [&run.after, &same.after], &counts)?;
    let sentence = format!(
        "`{}` can do what `{}` does before any async has run",
        invariant.name, own.name
    );
    for (told, goal) in inductive.possible(theory, (&same, &open), parts) {
        let sentence = format!("{sentence}: {told}");
        all.push(obligation(
            RULE,
            invariant.span,
            sentence,
            known.clone(),
            goal,
        ));
    }
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
