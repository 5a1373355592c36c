//! Conclusion: when nothing that is eliminated is left, the invariant action did what the new action does.
//!
//! Statement. Where the new action does not fail, the invariant action does not fail, and whatever it does while leaving
//! nothing of what is eliminated behind, the new action can do: with what the invariant action calls by the same name
//! for its choices.

use super::Inductive;
use super::can_do::{CanDo, can_do};
use super::witness::same_names;
use crate::sequential::example::Asked;
use plainsong_prove::theory::{Result, Theory};

const RULE: &str = "sequentialize/conclusion";

/// The obligations.
pub(super) fn conclusion(inductive: &Inductive<'_, '_>, theory: &mut Theory) -> Result<Asked> {
    let start = inductive.start(theory)?;
    let (becomes, by) = (inductive.by.becomes, inductive.by.invariant);
    let (target, invariant) = (inductive.action(becomes), inductive.action(by));
    let run = inductive.run(theory, &start, by, None)?;
    let chosen = same_names(theory, target, (invariant, &run));
    let besides = inductive.nothing_left(theory, &run)?;
    let all = can_do(
        inductive,
        theory,
        &start,
        CanDo {
            rule: RULE,
            done: (by, &run),
            by: becomes,
            chosen: &chosen,
            besides,
            when: "when nothing is left",
        },
    )?;
    Ok(inductive.asked(&start, (by, &run), all))
}
