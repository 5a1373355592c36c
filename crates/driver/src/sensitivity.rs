//! Under which delivery models a property holds, and what makes the difference.
//!
//! The executions under `mailbox` are among those under `causal`, those among the ones under `fifo`,
//! and those among the ones under `unordered`. So there is at most one border: up to some model a
//! property is refuted, and from the next on it holds. The execution that refutes it at the border,
//! under the strictest model that allows one, shows the smallest difference: somewhere in it a message
//! overtakes another in a way that the next model forbids.

use crate::contain::contained;
use crate::plan::Request;
use crate::replay::{instance, subject};
use crate::save::header;
use crate::{Source, run::Results};
use plainsong_ir::{Delivery, Song};
use plainsong_report::{Answer, Sensitivity};
use plainsong_semantics::machine::Machine;
use plainsong_semantics::overtaking::{Overtaking, overtaking};
use plainsong_semantics::verdict::Outcome;
use std::sync::Arc;

/// What the models say about each property, from the results under each of [`Delivery::ALL`].
pub fn compare(
    source: &Source,
    song: &Arc<Song>,
    request: &Request,
    by_model: &[Results],
) -> Vec<Sensitivity> {
    let questions = by_model.first().map_or(0, |first| first.answers.len());
    let of = |at: usize| by_model.iter().map(move |results| &results.answers[at]);
    (0..questions)
        .map(|at| one(source, song, request, &of(at).collect::<Vec<_>>()))
        .collect()
}

fn one(source: &Source, song: &Arc<Song>, request: &Request, answers: &[&Answer]) -> Sensitivity {
    let under = |wanted: &[Outcome]| -> Vec<&'static str> {
        let answers = Delivery::ALL.iter().zip(answers);
        let chosen = answers.filter(|(_, answer)| wanted.contains(&answer.verdict.outcome));
        chosen.map(|(model, _)| model.name()).collect()
    };
    let border = answers
        .iter()
        .rposition(|answer| answer.verdict.outcome == Outcome::Refuted);
    let holds = |at: &usize| {
        let next = answers.get(at + 1).map(|answer| answer.verdict.outcome);
        matches!(next, Some(Outcome::Holds | Outcome::Proved))
    };
    let difference = border.filter(holds).and_then(|at| {
        // A bug of ours in here costs the sentence, not the verdicts.
        let found =
            contained(|| difference(source, song, request, answers[at], Delivery::ALL[at + 1]));
        found.ok().flatten()
    });
    Sensitivity {
        property: answers[0].verdict.property.clone(),
        holds: under(&[Outcome::Holds, Outcome::Proved]),
        refuted: under(&[Outcome::Refuted]),
        unknown: under(&[Outcome::Unknown]),
        shown: border,
        difference,
    }
}

/// What happens in the execution that the next stricter model forbids.
fn difference(
    source: &Source,
    song: &Arc<Song>,
    request: &Request,
    answer: &Answer,
    stricter: Delivery,
) -> Option<String> {
    let trace = answer.verdict.trace.as_ref()?;
    let request = Request {
        delivery: Some(stricter),
        ..request.clone()
    };
    let header = header(source, &request, answer);
    let instance = instance(song, &header).ok()?;
    let machine = Machine::new(&instance, subject(song, &header));
    let found = overtaking(&machine, trace)?;
    let who = |lane: Option<usize>| lane.map_or("init", |lane| trace.lanes[lane].as_str());
    let Overtaking {
        receiver,
        taken,
        passed,
        ..
    } = found;
    Some(format!(
        "{} takes {} from {} before {} from {}, which was sent earlier; {} forbids that",
        who(Some(receiver)),
        taken.0,
        who(taken.1),
        passed.0,
        who(passed.1),
        stricter.name(),
    ))
}
