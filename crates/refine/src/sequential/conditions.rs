//! What a sequentialization asks for besides its schedule: abstractions, invariants of the program, movers.

use super::bag::Ledger;
use super::context::{Known, arbitrary, count, lowered, same};
use super::example::{Asked, Scene};
use crate::answer::obligation;
use plainsong_diagnostics::quote_marker;
use plainsong_ir::{ActionId, GlobalId};
use plainsong_prove::gated_actions::Gated;
use plainsong_prove::lower::Store;
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};

/// Statement. Where the abstraction does not fail, the action does not fail.
pub(super) fn abstraction_fails(
    theory: &mut Theory,
    known: &Known<'_>,
    (action, by): (ActionId, ActionId),
) -> Result<Asked> {
    let (own, other) = (known.stage.action(action), known.stage.action(by));
    let (store, arguments, mut hypotheses) = arbitrary(theory, &own.code)?;
    hypotheses.extend(known.invariants(theory, &store)?);
    hypotheses.extend(known.standing(theory, &store, (by, &arguments))?);
    hypotheses.push(known.pending(theory, &store, (action, &arguments), 1));
    let run = Gated::run(theory, &own.code, None, &store, &arguments, None)?;
    let abstraction = Gated::run(theory, &other.code, None, &store, &arguments, None)?;
    hypotheses.push(abstraction.gate(theory));
    let sentence = format!(
        "where `{}` does not fail, `{}` does not",
        other.name, own.name
    );
    let rule = "sequentialize/abstraction";
    let parts = run.gate.iter().map(|part| {
        let (hypotheses, sentence) = (hypotheses.clone(), sentence.clone());
        obligation(rule, part.span, sentence, hypotheses, part.holds)
    });
    Ok(Asked {
        all: parts.collect(),
        scene: Scene::new(action, store, arguments),
    })
}

/// Statement. Where the abstraction does not fail, it can do whatever the action does; with the choices of the
/// action, or with any.
pub(super) fn abstraction_follows(
    theory: &mut Theory,
    known: &Known<'_>,
    (action, by): (ActionId, ActionId),
    same_choices: bool,
) -> Result<Option<Asked>> {
    let (own, other) = (known.stage.action(action), known.stage.action(by));
    let (store, arguments, mut hypotheses) = arbitrary(theory, &own.code)?;
    hypotheses.extend(known.invariants(theory, &store)?);
    hypotheses.extend(known.standing(theory, &store, (by, &arguments))?);
    hypotheses.push(known.pending(theory, &store, (action, &arguments), 1));
    let run = Gated::run(theory, &own.code, None, &store, &arguments, None)?;
    let mut abstraction = Gated::run(theory, &other.code, None, &store, &arguments, None)?;
    hypotheses.push(abstraction.gate(theory));
    hypotheses.push(run.guard);
    if same_choices {
        let sorts = |run: &Gated| -> Vec<_> {
            let terms = &theory.terms;
            run.choices.iter().map(|one| terms.sort(*one)).collect()
        };
        if sorts(&run) != sorts(&abstraction) {
            return Ok(None);
        }
        let given = Some(&run.choices[..]);
        abstraction = Gated::run(theory, &other.code, None, &store, &arguments, given)?;
    }
    let mut parts = vec![abstraction.guard];
    let song = theory.song.clone();
    let globals = song.actions().map_or(&[][..], |actions| &actions.globals);
    for (at, global) in globals.iter().enumerate() {
        let id = GlobalId::from(at);
        let (a, b) = (run.after.globals[&id], abstraction.after.globals[&id]);
        parts.push(theory.equal(&global.ty, a, b));
    }
    for created in known.stage.bags.actions() {
        let (_, keys, valid) = arbitrary(theory, &known.stage.action(created).code)?;
        let a = run.created(theory, created, &keys);
        let b = abstraction.created(theory, created, &keys);
        let equal = theory.terms.eq(a, b);
        let valid = theory.terms.and(&valid);
        let mut equal = theory.terms.implies(valid, equal);
        for key in keys.into_iter().rev() {
            equal = theory.terms.forall(key, equal);
        }
        parts.push(equal);
    }
    let mut goal = theory.terms.and(&parts);
    if !same_choices {
        for choice in abstraction.choices.iter().rev() {
            goal = theory.terms.exists(*choice, goal);
        }
    }
    let sentence = format!("`{}` can do what `{}` does", other.name, own.name);
    let rule = "sequentialize/abstraction";
    Ok(Some(Asked {
        all: vec![obligation(rule, other.span, sentence, hypotheses, goal)],
        scene: Scene::new(action, store, arguments),
    }))
}

/// Statement. From a configuration in which the invariants hold, a step of an action, or of an abstraction,
/// leads to one in which they hold.
pub(super) fn invariants_kept(
    theory: &mut Theory,
    known: &Known<'_>,
    action: ActionId,
) -> Result<Asked> {
    let stage = known.stage;
    let own = stage.action(action);
    let (store, arguments, mut hypotheses) = arbitrary(theory, &own.code)?;
    hypotheses.extend(known.invariants(theory, &store)?);
    let original = stage.original(action);
    hypotheses.extend(known.standing(theory, &store, (action, &arguments))?);
    hypotheses.push(known.pending(theory, &store, (original, &arguments), 1));
    let run = Gated::run(theory, &own.code, None, &store, &arguments, None)?;
    hypotheses.push(run.gate(theory));
    hypotheses.push(run.guard);
    let after = after(theory, known, original, &arguments, &run, &store)?;
    let mut all = Vec::new();
    for invariant in &stage.staged.invariants[known.sequence] {
        let (holds, defined) = lowered(theory, &after, invariant)?;
        let said = quote_marker(invariant.span);
        let sentence = format!("the invariant {said} holds after `{}`", own.name);
        for goal in defined.into_iter().chain([holds]) {
            let (rule, hypotheses) = ("sequentialize/invariant", hypotheses.clone());
            all.push(obligation(
                rule,
                invariant.span,
                sentence.clone(),
                hypotheses,
                goal,
            ));
        }
    }
    Ok(Asked {
        all,
        scene: Scene::new(original, store, arguments),
    })
}

/// The configuration after a step: the globals, and what is pending.
pub(super) fn after(
    theory: &mut Theory,
    known: &Known<'_>,
    action: ActionId,
    arguments: &[Term],
    run: &Gated,
    before: &Store,
) -> Result<Store> {
    let stage = known.stage;
    let mut after = run.after.clone();
    for pending in stage.bags.actions() {
        let Some((global, _)) = stage.bags.of(pending) else {
            continue;
        };
        let of = stage.action(pending);
        let (_, keys, _) = arbitrary(theory, &of.code)?;
        let mut value = count(theory, stage, before, pending, &keys);
        let more = run.created(theory, pending, &keys);
        value = theory.terms.add(value, more);
        if pending == action {
            let taken = same(theory, of, arguments, &keys);
            let (one, zero) = (theory.terms.int(1), theory.terms.int(0));
            let less = theory.terms.ite(taken, one, zero);
            value = theory.terms.sub(value, less);
        }
        for key in keys.into_iter().rev() {
            value = theory.terms.lambda(key, value);
        }
        after.globals.insert(global, value);
    }
    Ok(after)
}
