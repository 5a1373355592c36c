//! The portfolio of `check`: which engines are asked about one property, and in which order.
//!
//! 1. A first look, bounded: a search of few states ([`Effort::first_states`](crate::effort::Effort::first_states)), or
//!    what `diverge` finds in small instances. What is wrong is mostly wrong there, and the first execution is a shortest one.
//! 2. Proofs for every size of what was not refuted, by every engine that is no search and can answer
//!    ([`Engine::is_search`]), the ones in front of [`engines::ALL`](crate::engines::ALL) first. They search nothing
//!    ([`ProofOptions::only_proofs`]) and have a limit of time ([`Level`](crate::effort::Level)).
//! 3. A search to the limits of what the first look left open and nobody has proved.
//! 4. The sizes around those by default, of what holds ([`crate::larger_sizes`]).
//!
//! Statement. The answer is the strongest one that was found: refuted, proved, holds within a bound, proved provided that
//! something else is which is not, unknown. A proof replaces `holds` only if it rests on nothing that is open
//! ([`crate::provided`]).
//!
//! Who says how large an instance is, which values are tried, which engine answers or how states are visited asks about
//! just that, and no proof is looked for. Songs that say which states are searched are searched only
//! ([`crate::plan::can_answer`]).
//!
//! Where there is another core, the search of stage 3 is begun while proofs still go on ([`crate::run`], `ahead`).
//!
//! NOT COVERED. Provers run one after the other, not side by side. Choreographies have a prover that searches by itself
//! (`engines/prove.rs`), and no other one.

use crate::Engine;
use crate::engine::{LivenessOptions, ProofOptions, Task};
use crate::engines::ALL;
use crate::engines::diverge::claims_termination;
use crate::from_the_text::from_the_text;
use crate::plan::{Planned, PlannedTask, Request, can_answer, property_of, task_of};
use crate::select::Question;
use crate::sizes::{ascending, from_one_to_three};
use plainsong_ir::Song;
use plainsong_semantics::constraints::has_constraints;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::sync::Arc;

/// Is the strongest answer asked for, whatever the size? A bound on what is pending says where searches stop, and nothing
/// about sizes or values.
fn is_asked(request: &Request) -> bool {
    let bounds = Bounds {
        pending: None,
        ..request.bounds.clone()
    };
    request.engine.is_none()
        && request.sizes.is_empty()
        && bounds == Bounds::default()
        && !(request.grow || request.symmetry || request.every_delivery)
}

/// Is a proof for every size asked for, whoever gives it?
fn is_provable(song: &Song, request: &Request, question: &Question) -> bool {
    let by_any = property_of(song, question).is_none_or(|property| property.engines.is_empty());
    by_any && is_asked(request) && question.subject == Subject::System && !has_constraints(song)
}

/// Does the text alone show it, for every size?
pub(crate) fn is_shown_by_text(song: &Song, request: &Request, question: &Question) -> bool {
    is_provable(song, request, question) && from_the_text(song, question.check).is_some()
}

/// The questions of which a proof for every size is asked for.
pub(crate) fn provable(song: &Song, request: &Request, planned: &[Planned]) -> Vec<usize> {
    let all = planned.iter().enumerate();
    let provable = all.filter(|(_, one)| is_provable(song, request, &one.question));
    provable.map(|(at, _)| at).collect()
}

/// Who may prove what a first look does not refute.
pub(crate) fn provers(
    song: &Song,
    request: &Request,
    planned: &Planned,
) -> Vec<&'static dyn Engine> {
    let Ok(first) = planned.engine else {
        return Vec::new();
    };
    let question = &planned.question;
    if !is_provable(song, request, question) {
        return Vec::new();
    }
    // `diverge` looks at instances first, and is asked for a proof later.
    let is_later = claims_termination(song, question).is_some() && !request.liveness.prove;
    let can = |engine: &&&'static dyn Engine| {
        let is_other = engine.name() != first.name() || is_later;
        is_other && !engine.is_search() && can_answer(**engine, song, question).is_ok()
    };
    ALL.iter().filter(can).copied().collect()
}

/// What may be proved: one task for each engine and subject.
pub(crate) fn proofs(song: &Arc<Song>, request: &Request, planned: &[Planned]) -> Vec<PlannedTask> {
    let mut tasks: Vec<PlannedTask> = Vec::new();
    for prover in ALL {
        for (at, one) in planned.iter().enumerate() {
            let mut provers = provers(song, request, one).into_iter();
            if !provers.any(|other| other.name() == prover.name()) {
                continue;
            }
            let mut sizes = one.sizes.clone();
            from_one_to_three(&mut sizes);
            let sizes = ascending(&sizes);
            let is_same = |other: &&mut PlannedTask| {
                other.engine.name() == prover.name()
                    && other.task.subject == one.question.subject
                    && other.task.sizes == sizes
            };
            if let Some(existing) = tasks.iter_mut().find(is_same) {
                existing.task.questions.push(one.question.clone());
                existing.answers.push(at);
                continue;
            }
            tasks.push(PlannedTask {
                engine: *prover,
                task: proof_task(song, request, one, sizes),
                answers: vec![at],
                otherwise: None,
            });
        }
    }
    tasks
}

fn proof_task(song: &Arc<Song>, request: &Request, planned: &Planned, sizes: Vec<Sizes>) -> Task {
    Task {
        proof: ProofOptions {
            or_explore: false,
            only_proofs: true,
            ..request.proof.clone()
        },
        liveness: LivenessOptions {
            prove: true,
            ..request.liveness.clone()
        },
        bounds: Bounds::default(),
        ..task_of(song, request, planned, sizes)
    }
}
