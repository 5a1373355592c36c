//! Processes by packed states: by the engine `states`, and by `explore` where there are too many executions to visit.
//!
//! After some executions ([`Effort::first_executions`](crate::effort::Effort)) the states are searched instead
//! ([`plainsong_states`]): there may be far fewer. What is found is replayed by the interpreter, so it counts as it is. What
//! the search leaves open because of a limit is answered by the executions after all, unless the run has ended.
//!
//! The only limits are the user's: `--bound states=`, `--memory`, `--timeout`. With `--disk` states go there when memory ends.

use super::explicit_state::by_states;
use crate::Problem;
use crate::disk::Folder;
use crate::engine::{EngineReport, Task};
use crate::select::Question;
use crate::watch::Overseer;
use plainsong_ir::{Delivery, SortId, System};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::process_symmetry::{self, UpToNames};
use plainsong_semantics::search::{Check, Limits, Query, SearchReport, Watch};
use plainsong_semantics::verdict::Outcome;
use plainsong_states::{Manner, Scratch, search_in, search_processes_up_to_names};

/// Is a task about the states of processes, each by itself, and are they packed?
pub(super) fn is_packed(task: &Task) -> bool {
    let System::Voices(voices) = &task.song.system else {
        return false;
    };
    let is_causal = |declared: Option<Delivery>| {
        task.delivery
            .or(declared)
            .is_some_and(Delivery::needs_causes)
    };
    let is_about_states = |question: &Question| match question.check {
        Check::Assertions | Check::NoDeadlock => true,
        Check::Property(at) => !task.song.properties[at].claim.is_liveness(),
        _ => false,
    };
    task.subject == Subject::System
        && !task.grow
        && !task.symmetry
        && !voices.messages.iter().any(|one| is_causal(one.delivery))
        && task.questions.iter().all(is_about_states)
}

/// A search through the states of one instance: of processes packed, of everything else by the interpreter.
pub(super) fn search(
    task: &Task,
) -> impl FnMut(&Instance, &Query, &Limits, &mut dyn Watch) -> SearchReport {
    let folder = task.disk.as_deref().map(Folder::new);
    let is_processes =
        task.subject == Subject::System && matches!(task.song.system, System::Voices(_));
    let has_limit = task.effort.states.is_some();
    move |instance, query, limits, watch| match is_processes {
        true => {
            let limits = unlimited(has_limit, limits);
            let manner = manner(task, folder.as_ref());
            search_in(manner, instance, query, &limits, watch).report
        }
        false => plainsong_semantics::search::search(instance, query, limits, watch),
    }
}

/// A search up to the names of these sorts: packed, or where that cannot be, by the interpreter.
pub(super) fn search_up_to_names(
    task: &Task,
    sorts: &[SortId],
) -> impl FnMut(&Instance, &Query, &Limits, &mut dyn Watch) -> UpToNames {
    let folder = task.disk.as_deref().map(Folder::new);
    let has_limit = task.effort.states.is_some();
    move |instance, query, limits, watch| {
        let free = unlimited(has_limit, limits);
        let asked = (query, sorts);
        let manner = manner(task, folder.as_ref());
        search_processes_up_to_names(manner, instance, asked, &free, watch).unwrap_or_else(|_| {
            process_symmetry::search_up_to_names(instance, query, sorts, limits, watch)
        })
    }
}

fn manner<'f>(task: &Task, folder: Option<&'f Folder>) -> Manner<'f> {
    let usual = Manner::default();
    Manner {
        jobs: task.jobs,
        memory: task.memory,
        scratch: folder.map(|folder| folder as &dyn Scratch),
        dead_messages: task.effort.dead_messages,
        order: usual.order.filter(|_| task.effort.order),
        ..usual
    }
}

/// The same limits, but without the one that holds where nobody sets one.
fn unlimited(has_limit: bool, limits: &Limits) -> Limits {
    match has_limit || *limits != without_limit(*limits) {
        true => *limits,
        false => Limits {
            states: u64::MAX,
            ..*limits
        },
    }
}

/// The same with the limit that holds where nobody sets one. It is there for states that are kept whole.
fn without_limit(limits: Limits) -> Limits {
    Limits {
        states: Limits::default().states,
        ..limits
    }
}

/// Answers by states; or says why something is left open, which may still be answered otherwise.
pub(super) fn by_packed_states(
    task: &Task,
    overseer: &mut Overseer<'_>,
) -> Result<Result<EngineReport, String>, Problem> {
    let (closed, coverage) = by_states(task, overseer, &mut search(task))?;
    let mut verdicts: Vec<_> = closed.into_iter().map(|closed| closed.verdict).collect();
    let is_open = |outcome: Outcome| outcome == Outcome::Unknown;
    if let Some(open) = verdicts.iter().find(|verdict| is_open(verdict.outcome)) {
        return Ok(Err(open.reason.clone()));
    }
    for verdict in &mut verdicts {
        let note = "searched state by state: there are more executions than states";
        verdict.notes.push(note.to_owned());
    }
    Ok(Ok(EngineReport {
        verdicts,
        coverage: Some(coverage),
    }))
}
