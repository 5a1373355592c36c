//! Asking everything that can be asked, and reading the answers.

use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::*;
use plainsong_semantics::trace::{Ending, Failure, Trace};

/// Everything about the system.
pub(crate) fn ask(instance: &Instance) -> SearchReport {
    ask_about(instance, Subject::System)
}

pub(crate) fn ask_about(instance: &Instance, subject: Subject) -> SearchReport {
    let queries = Query::all(instance.song());
    let query = queries
        .iter()
        .find(|query| query.subject == subject)
        .unwrap();
    search(instance, query, &Limits::default(), &mut Unwatched)
}

/// The trace that refutes what has this name.
pub(crate) fn refutation<'r>(report: &'r SearchReport, name: &str) -> &'r Trace {
    match answer(report, name) {
        Answer::Refuted(trace) => trace,
        other => panic!("{name} is not refuted: {other:?}"),
    }
}

pub(crate) fn answer<'r>(report: &'r SearchReport, name: &str) -> &'r Answer {
    &report
        .findings
        .iter()
        .find(|finding| finding.name == name)
        .unwrap()
        .answer
}

/// Holds, and everything was seen.
pub(crate) fn holds(report: &SearchReport, name: &str) {
    assert_eq!(report.completeness, Completeness::Complete);
    assert_eq!(*answer(report, name), Answer::NotRefuted, "{name}");
}

pub(crate) fn failure(trace: &Trace) -> &Failure {
    match &trace.ending {
        Ending::Failed(failure) => failure,
        other => panic!("it does not fail but ends like this: {other:?}"),
    }
}

pub(crate) fn why(trace: &Trace) -> &str {
    match &trace.ending {
        Ending::Violated { why, .. } => why,
        other => panic!("it violates nothing but ends like this: {other:?}"),
    }
}

pub(crate) fn labels(trace: &Trace) -> Vec<&str> {
    trace.events.iter().map(|event| &*event.label).collect()
}
