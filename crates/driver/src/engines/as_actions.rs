//! Processes with handlers as an action system, where there are too many executions to visit.
//!
//! An `always` is looked at in every execution; where processes only have handlers and messages come in any order,
//! there may be far fewer states than executions. Then, after some executions, the same song is searched as an action system
//! ([`plainsong_refine::voices_to_actions`], which says why steps and states are the same), whose states are packed.
//! Only that nothing is wrong is taken from there: what goes wrong is found again in the song itself, with its messages.
//!
//! `finally` is asked only where every message can be taken at any time; and no process with handlers waits in vain.

use super::explore::packed;
use crate::Problem;
use crate::engine::{EngineReport, Task};
use crate::select::Question;
use crate::watch::Overseer;
use plainsong_ir::{Claim, Delivery, Song};
use plainsong_refine::voices_to_actions::voices_to_actions;
use plainsong_semantics::search::Check;
use plainsong_semantics::verdict::Outcome;
use std::sync::Arc;

/// So many executions are visited before states are looked at.
pub(super) const PATIENCE: u64 = 1_000_000;

/// The most states that are looked at.
const MOST: u64 = 5_000_000;

/// The task as one about actions, if that is worth it.
pub(super) fn as_actions(task: &Task) -> Option<Task> {
    let is_always = |question: &Question| match question.check {
        Check::Property(at) => matches!(task.song.properties[at].claim, Claim::Always(_)),
        _ => false,
    };
    let is_any_order = task
        .delivery
        .is_none_or(|model| model == Delivery::Unordered);
    if task.grow || task.symmetry || !is_any_order || !task.questions.iter().any(is_always) {
        return None;
    }
    let handlers = voices_to_actions(&task.song).ok()?;
    let is_ordered = handlers.ordered && task.delivery.is_none();
    let is_answered = |question: &Question| is_answered(&task.song, question, &handlers.stays);
    if is_ordered || !task.questions.iter().all(is_answered) {
        return None;
    }
    let mut actions = task.clone();
    actions.song = Arc::new(handlers.song);
    actions.delivery = None;
    actions.limits.states = task.limits.states.min(MOST);
    Some(actions)
}

fn is_answered(song: &Song, question: &Question, stays: &Option<String>) -> bool {
    match question.check {
        Check::Assertions | Check::NoDeadlock => true,
        Check::Property(at) => match song.properties[at].claim {
            Claim::Always(_) => true,
            Claim::Finally(_) => stays.is_none(),
            Claim::Quiescent { .. } => false,
        },
        _ => false,
    }
}

/// The verdicts of the search through states, if nothing is wrong in any.
pub(super) fn nothing_wrong(
    actions: &Task,
    overseer: &mut Overseer<'_>,
) -> Result<Option<EngineReport>, Problem> {
    let mut asked = actions.clone();
    let waits = |question: &Question| question.check == Check::NoDeadlock;
    asked.questions.retain(|question| !waits(question));
    let mut found = packed(&asked, overseer)?.verdicts.into_iter();
    let mut verdicts = Vec::new();
    let mut deadlock = None;
    for question in &actions.questions {
        if waits(question) {
            deadlock = Some(verdicts.len());
            continue;
        }
        match found.next() {
            Some(verdict) if verdict.outcome == Outcome::Holds => verdicts.push(verdict),
            _ => return Ok(None),
        }
    }
    if let (Some(at), Some(first)) = (deadlock, verdicts.first().cloned()) {
        verdicts.insert(at, first);
        verdicts[at]
            .property
            .clone_from(&actions.questions[at].name);
    }
    for verdict in &mut verdicts {
        let note = "searched as an action system: there are more executions than states";
        verdict.notes.push(note.to_owned());
    }
    Ok(Some(EngineReport {
        verdicts,
        coverage: None,
    }))
}
