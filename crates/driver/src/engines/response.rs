//! Responses for every size, as part of the induct engine: `P leads to Q`, `eventually Q` and `infinitely often Q`.
//!
//! What is shown is shown for the level that is asked for ([`plainsong_induct::response`]), `none` excepted. Nothing is
//! refuted here, and nothing is remembered: a verdict depends on the level that a run asks for.

use crate::engine::Task;
use crate::select::Question;
use crate::watch::Overseer;
use plainsong_induct::{Ask, Response, respond};
use plainsong_infer::Supervisor;
use plainsong_ir::{Claim, Delivery, Fairness, Temporal, TemporalOperator};
use plainsong_report::count;
use plainsong_semantics::search::Check;
use plainsong_semantics::verdict::Verdict;
use std::time::{Duration, Instant};

/// How long a measure is looked for in `prove`.
const SEARCH: Duration = Duration::from_secs(60);
/// How long it is looked for where others look at states: in `check`.
const SEARCH_BESIDE_OTHERS: Duration = Duration::from_secs(3);

/// May a claim be shown at all?
pub(super) fn may_show(temporal: &Temporal) -> bool {
    let mut parts = temporal.parts.iter();
    parts.all(|part| part.operator != TemporalOperator::EventuallyAlways)
}

/// The position of the temporal claim of a question among the properties.
pub(super) fn asked(question: &Question, task: &Task) -> Option<usize> {
    match question.check {
        Check::Property(at) => {
            let claim = &task.song.properties.get(at)?.claim;
            matches!(claim, Claim::Temporal(_)).then_some(at)
        }
        _ => None,
    }
}

/// Why it holds, for readers.
fn notes(helpful: &[String], measure: &[String]) -> Vec<String> {
    let tasks = format!(
        "for every size: it comes nearer with each of {} (the nearest first, `_` is anybody)",
        helpful.join(", ")
    );
    let measure =
        (!measure.is_empty()).then(|| format!("found: `by measure ({})`", measure.join(", ")));
    [tasks].into_iter().chain(measure).collect()
}

/// What came of it.
pub(super) fn verdict(
    question: &Question,
    claim: usize,
    task: &Task,
    empty: &Option<String>,
    overseer: &mut Overseer<'_>,
) -> Verdict {
    let unknown = |why: &str| Verdict::unknown(&question.name, why);
    let level = match &task.song.properties[claim].claim {
        Claim::Temporal(temporal) => task.liveness.level.unwrap_or(temporal.fairness()),
        _ => Fairness::None,
    };
    if level == Fairness::None {
        return unknown("proofs for every size rest on fairness");
    }
    let is_ordered = task.delivery.is_some_and(|one| one != Delivery::Unordered);
    if is_ordered && level < Fairness::Standard {
        return unknown(
            "proofs for every size at this level rest on messages that come in any order",
        );
    }
    if let Some(why) = empty {
        return unknown(why);
    }
    let ask = Ask {
        solvers: task.proof.solvers(),
        cancel: &overseer.cancel(),
        seed: 0,
        recheck: task.proof.recheck,
        dropped: None,
    };
    let begin = Instant::now();
    let patience = match task.proof.only_proofs {
        true => SEARCH_BESIDE_OTHERS,
        false => SEARCH,
    };
    let stop = || ask.cancel.is_cancelled() || begin.elapsed() >= patience;
    match respond(&task.song, claim, level, &ask, &stop) {
        Ok(Response::Shown {
            obligations,
            helpful,
            measure,
            nothing_fails,
        }) => Verdict {
            obligations: Some(obligations as u64),
            provided: match nothing_fails {
                true => Vec::new(),
                false => vec![super::induct::ASSERTIONS.to_owned()],
            },
            notes: notes(&helpful, &measure),
            ..Verdict::proved(
                &question.name,
                format!(
                    "every fair execution satisfies it ({}): {} shown",
                    level.sentence(),
                    count(obligations as u64, "obligation")
                ),
            )
        },
        Ok(Response::Open(open)) => {
            let why = format!(
                "not proved: {} ({}, {})",
                open.sentence, open.rule, open.why
            );
            Verdict {
                open: vec![*open],
                ..unknown(&why)
            }
        }
        Ok(Response::NotCovered(why)) => unknown(&why),
        Err(refused) => unknown(&refused.why),
    }
}
