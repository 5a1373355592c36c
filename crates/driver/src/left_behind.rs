//! What is said of work that did not stop when it was asked to: why it was stopped, how far it was, and what it had
//! refuted before. A refutation that was found is always told.

use crate::engine::{EngineReport, Task};
use crate::run::{unknown, words};
use crate::select::Question;
use crate::worker::{Control, News};
use plainsong_report::count;
use plainsong_semantics::search::reason_against;
use plainsong_semantics::verdict::{Outcome, Verdict};
use std::sync::Arc;

/// What is said of an engine that did not stop when it was asked to.
pub(crate) fn left_behind(
    task: &Task,
    engine: &str,
    (why, flag): (&str, &str),
    news: Option<News>,
) -> EngineReport {
    let spent = match flag {
        "" => "at work:",
        _ => "used up by",
    };
    let mut reason = format!("{why} {spent} `{engine}`");
    let mut states = None;
    if let Some(news) = news {
        if !news.stage.bound.is_empty() {
            reason += &format!(" with {}", words(&news.stage.bound));
        }
        if news.progress.states > 0 {
            let counted = match news.stage.counted {
                "" => "state",
                counted => counted,
            };
            reason += &format!(", after {}", count(news.progress.states, counted));
            states = (counted == "state").then_some(news.progress.states);
        }
    }
    if !flag.is_empty() {
        reason += &format!("; see {flag}");
    }
    let verdict = |question: &Question| Verdict {
        states,
        ..unknown(question, &reason)
    };
    EngineReport {
        verdicts: task.questions.iter().map(verdict).collect(),
        coverage: None,
    }
}

/// With what work that was left behind had refuted before.
pub(crate) fn found_before(
    task: &Task,
    mut report: EngineReport,
    control: &Control,
) -> EngineReport {
    for refutation in control.refuted() {
        // Some engines search another song in the place of this one.
        if !Arc::ptr_eq(refutation.instance.song(), &task.song) {
            continue;
        }
        let questions = task.questions.iter().zip(&mut report.verdicts);
        for (_, verdict) in questions.filter(|(one, _)| one.check == refutation.check) {
            verdict.outcome = Outcome::Refuted;
            verdict.bound = refutation.instance.bound();
            verdict.reason = reason_against(&refutation.trace);
            verdict.trace = Some(refutation.trace.clone());
        }
    }
    report
}
