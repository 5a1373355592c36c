//! One action can do what another did: what base and conclusion have in common.
//!
//! Statement. Where the one does not fail, the other does not, and with the choices given the one leads from the same state
//! to the same state and leaves the same asyncs behind.

use super::witness::Chosen;
use super::{Inductive, Start};
use crate::answer::obligation;
use plainsong_ir::ActionId;
use plainsong_prove::gated_actions::Gated;
use plainsong_prove::obligation::Obligation;
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};

pub(super) struct CanDo<'a> {
    pub(super) rule: &'static str,
    /// What was done, and by whom.
    pub(super) done: (ActionId, &'a Gated),
    /// Who can do it.
    pub(super) by: ActionId,
    /// With these choices.
    pub(super) chosen: &'a Chosen,
    /// What else is known of what was done.
    pub(super) besides: Vec<Term>,
    /// `when nothing is left`
    pub(super) when: &'a str,
}

/// The obligations.
pub(super) fn can_do(
    inductive: &Inductive<'_, '_>,
    theory: &mut Theory,
    start: &Start,
    asked: CanDo<'_>,
) -> Result<Vec<Obligation>> {
    let (id, run) = asked.done;
    let (done, able) = (inductive.action(id), inductive.action(asked.by));
    let (same, open) = inductive.run_choosing(theory, start, asked.by, asked.chosen)?;
    let any = inductive.run(theory, start, asked.by, None)?;
    let mut known = start.known.clone();
    known.push(any.gate(theory));
    let mut all = Vec::new();
    for part in &run.gate {
        let sentence = format!(
            "where `{}` does not fail, `{}` does not",
            able.name, done.name
        );
        let known = known.clone();
        all.push(obligation(
            asked.rule, part.span, sentence, known, part.holds,
        ));
    }
    known.extend([run.gate(theory), run.guard]);
    known.extend(asked.besides);
    let counts = |theory: &mut Theory, action, keys: &[_]| {
        [run, &same].map(|run: &Gated| run.created(theory, action, keys))
    };
    let parts = inductive.same(theory, [&run.after, &same.after], &counts)?;
    let sentence = format!(
        "`{}` can do what `{}` does {}",
        able.name, done.name, asked.when
    );
    for (told, goal) in inductive.possible(theory, (&same, &open), parts) {
        let sentence = format!("{sentence}: {told}");
        all.push(obligation(
            asked.rule,
            able.span,
            sentence,
            known.clone(),
            goal,
        ));
    }
    Ok(all)
}
