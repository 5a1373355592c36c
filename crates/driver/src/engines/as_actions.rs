//! Processes with handlers as an action system, where there are too many executions to visit.
//!
//! An `always` is looked at in every execution; where processes only have handlers and messages come in any order,
//! there may be far fewer states than executions. Then, after some executions, the same song is searched as an action system
//! ([`plainsong_refine::voices_to_actions`], which says why steps and states are the same), whose states are packed.
//! Only that nothing is wrong is taken from there: what goes wrong is found again in the song itself, with its messages.
//!
//! *Coverage* is that of the executions visited before, if they left nothing out; what only states know of is not told.
//!
//! `finally` is asked only where every message can be taken at any time; and no process with handlers waits in vain.

use super::explore::packed;
use crate::Problem;
use crate::effort::LIMIT;
use crate::engine::{EngineReport, Task};
use crate::select::Question;
use crate::watch::Overseer;
use plainsong_ir::{Claim, Delivery, Song};
use plainsong_refine::voices_to_actions::voices_to_actions;
use plainsong_semantics::search::{Check, Coverage};
use plainsong_semantics::verdict::Outcome;
use std::sync::Arc;

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

/// What the search through states came to.
pub(super) enum Searched {
    /// Nothing is wrong in any.
    Fine(Box<EngineReport>),
    /// Something is wrong, or cannot be told.
    Suspect,
    /// Nothing is wrong in as many as may be looked at.
    TooLarge,
}

/// The verdicts of the search through states, if nothing is wrong in any; with what was covered before.
pub(super) fn nothing_wrong(
    actions: &Task,
    before: Option<Coverage>,
    overseer: &mut Overseer<'_>,
) -> Result<Searched, Problem> {
    let mut asked = actions.clone();
    let waits = |question: &Question| question.check == Check::NoDeadlock;
    asked.questions.retain(|question| !waits(question));
    let mut found = packed(&asked, overseer)?.verdicts.into_iter();
    let mut verdicts = Vec::new();
    let mut deadlock = None;
    let mut is_too_large = false;
    for question in &actions.questions {
        if waits(question) {
            deadlock = Some(verdicts.len());
            continue;
        }
        match found.next() {
            Some(verdict) if verdict.outcome == Outcome::Holds => verdicts.push(verdict),
            Some(verdict) if verdict.reason.starts_with(LIMIT) => is_too_large = true,
            _ => return Ok(Searched::Suspect),
        }
    }
    if is_too_large {
        return Ok(Searched::TooLarge);
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
    Ok(Searched::Fine(Box::new(EngineReport {
        verdicts,
        coverage: before.filter(is_full),
    })))
}

fn is_full(coverage: &Coverage) -> bool {
    let never = coverage.never_received.len() + coverage.never_sent.len();
    coverage.missed.is_empty() && coverage.never_met.is_empty() && never == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effort::Effort;
    use crate::engine::{ProofOptions, RestOptions};
    use crate::engines::explicit_state::by_states;
    use crate::select::questions;
    use crate::watch::{Interrupt, Observer, Stage};
    use plainsong_semantics::machine::Subject;
    use plainsong_semantics::search::{Limits, Progress, search};
    use plainsong_semantics::sizes::{Bounds, Sizes};
    use std::path::Path;
    use std::time::Duration;

    struct Nobody;

    impl Observer for Nobody {
        fn progress(&mut self, _: &Stage, _: &Progress, _: Duration) {}
    }

    fn task(song: Arc<Song>) -> Task {
        let mut sizes = Sizes::new();
        for sort in &song.sorts {
            sizes = sizes.with(sort.name.clone(), 2);
        }
        Task {
            subject: Subject::System,
            questions: questions(&song),
            song,
            sizes: vec![sizes],
            further: Vec::new(),
            grow: false,
            bounds: Bounds::default(),
            limits: Limits {
                states: 20_000,
                ..Limits::default()
            },
            effort: Effort::default(),
            jobs: 1,
            memory: None,
            symmetry: false,
            delivery: Some(Delivery::Unordered),
            proof: ProofOptions::default(),
            rest: RestOptions::default(),
        }
    }

    /// Nothing is wrong in the actions exactly if nothing is wrong in the song, broken twins included.
    #[test]
    fn actions_are_as_right_as_their_song() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../songs/explore");
        let (mut right, mut wrong) = (0, 0);
        for entry in std::fs::read_dir(folder).expect("the songs are there") {
            let path = entry.expect("a file").path();
            let text = std::fs::read_to_string(&path).expect("text");
            let Some(song) = plainsong_syntax::compile(&text).song else {
                continue;
            };
            let task = task(Arc::new(song));
            let Some(actions) = as_actions(&task) else {
                continue;
            };
            let interrupt = Interrupt::default();
            let mut observer = Nobody;
            let mut overseer = Overseer::new(Stage::default(), None, &interrupt, &mut observer);
            let Ok((closed, _)) = by_states(&task, &mut overseer, &mut search) else {
                continue;
            };
            let is = |outcome| closed.iter().any(|one| one.verdict.outcome == outcome);
            if is(Outcome::Unknown) {
                continue;
            }
            let found = nothing_wrong(&actions, None, &mut overseer).expect("there are instances");
            let is_fine = matches!(found, Searched::Fine(_));
            assert_ne!(is_fine, is(Outcome::Refuted), "{}", path.display());
            match found {
                Searched::Fine(report) => {
                    assert_eq!(report.verdicts.len(), task.questions.len());
                    right += 1;
                }
                Searched::Suspect | Searched::TooLarge => wrong += 1,
            }
        }
        assert!(right >= 2 && wrong >= 2, "{right} right, {wrong} wrong");
    }
}
