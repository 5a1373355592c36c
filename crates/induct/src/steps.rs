//! Step kinds: every step of an action system is an instance of one of them.
//!
//! Statement. A step runs one action that is pending with its arguments, or is always on offer for all of them. So there
//! is one kind for each action: its arguments and choices are symbols, its guard says when it can run, its gate
//! when it does not fail, and the state after it is made of terms over these and the state before. `init` is one step
//! from the first values.
//!
//! Why complete. These are all the actions of the song, and there are no other steps (`semantics::actions`).

use crate::soundness::Condition;
use crate::state::{State, pending_after};
use crate::system::{Refused, System};
use plainsong_diagnostics::Span;
use plainsong_ir::{Action, ActionId};
use plainsong_prove::gated_actions::{GatePart, Gated};
use plainsong_prove::lower::{Store, Unsupported};
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};

/// One kind of step, from a state that is the same for all kinds.
#[derive(Clone, Debug)]
pub struct Step {
    /// What is run: the action's name, or `init`.
    pub name: String,
    /// Where that stands in the text.
    pub span: Span,
    /// Which action; none for `init`.
    pub action: Option<ActionId>,
    /// The symbols of its arguments.
    pub arguments: Vec<Term>,
    /// The symbols of its choices.
    pub choices: Vec<Term>,
    /// That it is on offer with these arguments.
    pub offered: Vec<Term>,
    /// That this choice does not block.
    pub guard: Term,
    /// What may not fail, for any choice.
    pub gate: Vec<GatePart>,
    /// The state after it.
    pub after: Store,
}

/// All kinds of steps from a state.
pub fn kinds(
    theory: &mut Theory,
    system: &System,
    before: &State,
    dropped: Option<Condition>,
) -> std::result::Result<Vec<Step>, Refused> {
    let mut steps = Vec::new();
    for (at, action) in system.actions().actions.iter().enumerate() {
        let id = ActionId::from(at);
        let step = kind(theory, system, before, (id, action), dropped);
        steps.push(step.map_err(|why| refused(&action.name, why))?);
    }
    if dropped == Some(Condition::EveryStepKind) {
        steps.pop();
    }
    Ok(steps)
}

fn refused(name: &str, why: Unsupported) -> Refused {
    Refused::new(why.span, format!("`{name}`: {}", why.message))
}

pub(crate) fn kind(
    theory: &mut Theory,
    system: &System,
    before: &State,
    (id, action): (ActionId, &Action),
    dropped: Option<Condition>,
) -> Result<Step> {
    let (mut arguments, mut offered) = (Vec::new(), Vec::new());
    for row in &action.code.locals[..action.code.arity] {
        let (value, valid) = theory.arbitrary(&row.name, &row.ty, row.span)?;
        arguments.push(value);
        offered.push(valid);
    }
    if let Some(&counts) = before.store.pending.get(&id) {
        let count = arguments
            .iter()
            .fold(counts, |counts, at| theory.terms.select(counts, *at));
        let one = theory.terms.int(1);
        offered.push(theory.terms.le(one, count));
    }
    let run = Gated::run(theory, &action.code, None, &before.store, &arguments, None)?;
    let ran = (!action.role.repeat).then_some((id, &arguments[..]));
    let created = match dropped {
        Some(Condition::Created) => &[],
        _ => &run.created[..],
    };
    let mut after = run.after;
    after.pending = pending_after(theory, system, &before.store.pending, created, ran)?;
    Ok(Step {
        name: action.name.clone(),
        span: action.span,
        action: Some(id),
        arguments,
        choices: run.choices,
        offered,
        guard: run.guard,
        gate: run.gate,
        after,
    })
}

/// `init` as a step from the first values; without one, nothing happens.
pub fn init(
    theory: &mut Theory,
    system: &System,
    first: &State,
    dropped: Option<Condition>,
) -> std::result::Result<Step, Refused> {
    let mut step = Step {
        name: "init".to_owned(),
        span: Span::default(),
        action: None,
        arguments: Vec::new(),
        choices: Vec::new(),
        offered: Vec::new(),
        guard: theory.terms.bool(true),
        gate: Vec::new(),
        after: first.store.clone(),
    };
    let Some(code) = &system.actions().init else {
        return Ok(step);
    };
    let run = Gated::run(theory, code, None, &first.store, &[], None);
    let run = run.map_err(|why| refused("init", why))?;
    let created = match dropped {
        Some(Condition::Created) => &[],
        _ => &run.created[..],
    };
    let pending = pending_after(theory, system, &first.store.pending, created, None);
    step.after = run.after;
    step.after.pending = pending.map_err(|why| refused("init", why))?;
    step.choices = run.choices;
    step.guard = run.guard;
    step.gate = run.gate;
    Ok(step)
}
