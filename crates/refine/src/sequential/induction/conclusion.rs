//! Conclusion: when nothing that is eliminated is left, the invariant action did what the new action does.
//!
//! Statement. Where the new action does not fail, the invariant action does not fail, and whatever it does while leaving
//! nothing of what is eliminated behind, the new action can do: with what the invariant action calls by the same name
//! for its choices.

use super::Inductive;
use super::witness::same_names;
use crate::answer::obligation;
use crate::sequential::example::Asked;
use plainsong_prove::gated::Gated;
use plainsong_prove::theory::{Result, Theory};

const RULE: &str = "sequentialize/conclusion";

/// The obligations.
pub(super) fn conclusion(inductive: &Inductive<'_, '_>, theory: &mut Theory) -> Result<Asked> {
    let start = inductive.start(theory)?;
    let (becomes, by) = (inductive.by.becomes, inductive.by.invariant);
    let (target, invariant) = (inductive.action(becomes), inductive.action(by));
    let run = inductive.run(theory, &start, by, None)?;
    let chosen = same_names(theory, target, (invariant, &run));
    let (same, open) = inductive.run_choosing(theory, &start, becomes, &chosen)?;
    let any = inductive.run(theory, &start, becomes, None)?;
    let mut known = start.known.clone();
    known.push(any.gate(theory));
    let mut all = Vec::new();
    for part in &run.gate {
        let sentence = format!(
            "where `{}` does not fail, `{}` does not",
            target.name, invariant.name
        );
        let known = known.clone();
        all.push(obligation(RULE, part.span, sentence, known, part.holds));
    }
    known.extend([run.gate(theory), run.guard]);
    known.extend(inductive.nothing_left(theory, &run)?);
    let counts = |theory: &mut Theory, action, keys: &[_]| {
        [&run, &same].map(|run: &Gated| run.created(theory, action, keys))
    };
    let parts = inductive.same(theory, [&run.after, &same.after], &counts)?;
    let sentence = format!(
        "`{}` can do what `{}` does when nothing is left",
        target.name, invariant.name
    );
    for (told, goal) in inductive.possible(theory, (&same, &open), parts) {
        let sentence = format!("{sentence}: {told}");
        all.push(obligation(RULE, target.span, sentence, known.clone(), goal));
    }
    Ok(inductive.asked(&start, (by, &run), all))
}
