//! Refinement of actions (one step of a forward simulation): what stands in their place one layer up.
//!
//! Statement. `A` refines `B` if wherever `B` does not fail, `A` does not fail, and whatever `A` then does, `B` may do,
//! as far as it is seen from the layer of `B`; with the same result.
//!
//! Why sound. Each step of `A` in the lower program is a step of `B` in the upper one, from the same values of what
//! both layers have; what `A` changes besides is hidden above. Variables that the layer introduces are not changed by
//! `A`, so `B` has to be able to leave them alone. [Kragl20] section 2.2, refinement of actions.
//!
//! DIFFERS. `B` chooses what `A` chose if both choose values of the same types; otherwise the existential is asked.

use crate::answer::{Answer, Missing, Proof, Prover, Refutation, obligation};
use crate::brute::Brute;
use crate::movers::some_way;
use crate::negative_cache::Tried;
use crate::sequential::context::arbitrary;
use plainsong_ir::{Action, ActionId, Actions, GlobalId, Song};
use plainsong_prove::gated_actions::Gated;
use plainsong_prove::lower::Unsupported;
use plainsong_prove::obligation::Obligation;
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};

/// The name of its rule.
const RULE: &str = "refine/action";

/// Does an action refine the one it is declared to? `None` if it is not declared to refine any.
pub fn refines(
    song: &Song,
    id: ActionId,
    brute: &Brute,
    prover: &mut Prover<'_>,
) -> Option<Answer> {
    let actions = song.actions()?;
    let lower = &actions.actions[id.index()];
    let above = lower.role.refines?;
    let upper = &actions.actions[above.index()];
    let tried = Tried::new(prover.solvers, song);
    let about = format!("{} refines {}", lower.name, upper.name);
    let seen = seen(actions, lower);
    let search = || brute.unrefined(id, above, &seen);
    Some(match shown(prover, id, above, &seen) {
        Ok(proof) => Answer::Proved(proof),
        Err(why) => match tried.search(&about, search) {
            Some(refutation) => Answer::Refuted(Refutation {
                reason: format!("does not refine `{}`: {}", upper.name, refutation.reason),
                ..refutation
            }),
            None => Answer::unknown(why),
        },
    })
}

/// The globals that exist one layer above an action.
fn seen(actions: &Actions, lower: &Action) -> Vec<GlobalId> {
    let next = lower.role.layers.map_or(1, |layers| layers.last + 1);
    let rows = actions.globals.iter().enumerate();
    let rows = rows.filter(|(_, one)| one.exists_at(next));
    rows.map(|(at, _)| GlobalId::from(at)).collect()
}

fn shown(
    prover: &mut Prover<'_>,
    id: ActionId,
    above: ActionId,
    seen: &[GlobalId],
) -> std::result::Result<Proof, Missing> {
    let mut told = Missing::default();
    for somehow in [false, true] {
        let all =
            obligations(prover.theory, id, above, seen, somehow).map_err(|why| why.message)?;
        let open = prover.open("action", &all);
        match open.first() {
            None => {
                let explained = all.iter().map(|one| format!("{RULE}: {}", one.sentence));
                return Ok(Proof {
                    obligations: all.len(),
                    explained: explained.collect(),
                    notes: Vec::new(),
                });
            }
            Some((at, why)) => {
                let why = format!("not proved: {} ({RULE}, {why})", all[*at].sentence);
                told = Missing::of(why, &all, &open);
            }
        }
    }
    Err(told)
}

fn obligations(
    theory: &mut Theory,
    id: ActionId,
    above: ActionId,
    seen: &[GlobalId],
    somehow: bool,
) -> Result<Vec<Obligation>> {
    let song = theory.song.clone();
    let actions = song.actions().expect("actions refine actions");
    let (lower, upper) = (
        &actions.actions[id.index()],
        &actions.actions[above.index()],
    );
    let (store, arguments, mut known) = arbitrary(theory, &lower.code)?;
    let run = |theory: &mut Theory, action: &Action, given: Option<&[Term]>| {
        let (code, result) = (&action.code, action.role.result);
        Gated::run(theory, code, result, &store, &arguments, given)
    };
    let low = run(theory, lower, None)?;
    let doings = low.doings(theory);
    let any = run(theory, upper, None)?;
    let same_kind = sorts(theory, &any.choices) == sorts(theory, &doings);
    let high = match same_kind && !somehow {
        true => run(theory, upper, Some(&doings))?,
        false => any,
    };
    if !low.created.is_empty() || !high.created.is_empty() {
        let message = "actions that create asyncs and refine others are not covered";
        return Err(Unsupported::new(lower.span, message));
    }
    let gate = high.gate(theory);
    known.push(gate);
    let mut all = Vec::new();
    for part in &low.gate {
        let told = format!(
            "`{}` does not fail where `{}` does not",
            lower.name, upper.name
        );
        all.push(obligation(RULE, part.span, told, known.clone(), part.holds));
    }
    let own = low.gate(theory);
    known.extend([own, low.guard]);
    let mut parts = vec![high.guard];
    for id in seen {
        let ty = &actions.globals[id.index()].ty;
        let (a, b) = (low.after.globals[id], high.after.globals[id]);
        parts.push(theory.equal(ty, a, b));
    }
    if let (Some(a), Some(b), Some(local)) = (low.result, high.result, lower.role.result) {
        let ty = lower.code.locals[local.index()].ty.clone();
        parts.push(theory.equal(&ty, a, b));
    }
    let mut goal = theory.terms.and(&parts);
    if !same_kind || somehow {
        goal = some_way(theory, &high.choices, goal);
    }
    let told = format!("`{}` may do what `{}` does", upper.name, lower.name);
    all.push(obligation(RULE, lower.span, told, known, goal));
    Ok(all)
}

fn sorts(theory: &Theory, terms: &[Term]) -> Vec<plainsong_prove::term::Sort> {
    terms.iter().map(|one| theory.terms.sort(*one)).collect()
}
