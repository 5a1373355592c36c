//! On every song of the corpus, exploration refutes what the search through states refutes.

use crate::interpreter_agrees::account::instance;
use plainsong_explore_songs::{Explored, Finding, Manner, explore, is_about_executions};
use plainsong_ir::Song;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::replay::replay;
use plainsong_semantics::search::{
    Answer, Check, Completeness, Coverage, Limits, Query, SearchReport, Unwatched, search,
};
use plainsong_testkit::corpus::{files, root};

/// The most states, and the most executions; songs with more are left out.
const LIMITS: Limits = Limits {
    states: 2_000,
    refutations: None,
};

#[test]
fn on_the_verdicts_of_all_songs() {
    let (mut compared, mut refuted, mut finally, mut unmet) = (0, 0, 0, 0);
    for file in files().expect("the corpus can be listed") {
        let text = std::fs::read_to_string(root().join(&file)).expect("a song can be read");
        let Some(song) = plainsong_syntax::compile(&text).song else {
            continue;
        };
        let Some((report, explored, checks)) = both(&song) else {
            continue;
        };
        if report.completeness == Completeness::Complete {
            let all = sorted(&report.coverage);
            assert_eq!(sorted(&explored.coverage), all, "{}", file.display());
            unmet += all.never_met.len();
        }
        for ((finding, found), check) in report.findings.iter().zip(explored.findings).zip(checks) {
            let name = format!("{}: {}", file.display(), finding.name);
            let expected = matches!(finding.answer, Answer::Refuted(_));
            assert_eq!(matches!(found, Finding::Refuted(_)), expected, "{name}");
            compared += 1;
            refuted += usize::from(expected);
            finally += usize::from(expected && matches!(check, Check::Property(_)));
        }
    }
    let summary = format!(
        "{compared} compared, {refuted} refuted, {finally} of them `finally`, {unmet} premises"
    );
    assert!(
        compared > 100 && refuted > 20 && finally > 5 && unmet > 0,
        "too few: {summary}"
    );
}

fn sorted(coverage: &Coverage) -> Coverage {
    let mut sorted = Coverage::default();
    sorted.include(coverage);
    sorted
}

/// What the search and the exploration find about the checks that both answer.
fn both(song: &Song) -> Option<(SearchReport, Explored, Vec<Check>)> {
    song.voices()?;
    let instance = instance(song)?;
    let checks = checks(song)?;
    let query = Query {
        subject: Subject::System,
        checks: checks.clone(),
    };
    let report = search(&instance, &query, &LIMITS, &mut Unwatched);
    let is_known = matches!(
        report.completeness,
        Completeness::Complete | Completeness::Enough
    );
    let explored = is_known.then(|| explored(&instance, &checks)).flatten()?;
    Some((report, explored, checks))
}

/// Replays the refutations.
fn explored(instance: &Instance, checks: &[Check]) -> Option<Explored> {
    let machine = Machine::new(instance, Subject::System);
    let explored = by(&machine, checks, 1)?;
    if explored.count.completeness == Completeness::Complete {
        let shared = by(&machine, checks, 3).expect("several workers do not give up either");
        assert_eq!(shared.count, explored.count);
        assert_eq!(shared.findings, explored.findings);
        assert_eq!(shared.coverage, explored.coverage);
        judged_one_by_one(&machine, checks, &explored);
    }
    for finding in &explored.findings {
        if let Finding::Refuted(trace) = finding {
            assert_eq!(replay(&machine, trace), Ok(()));
        }
    }
    (explored.count.completeness == Completeness::Complete).then_some(explored)
}

/// Where each execution is judged, the same checks are refuted by as many as are blocked or fail.
fn judged_one_by_one(machine: &Machine, checks: &[Check], explored: &Explored) {
    let judged = |jobs: usize| {
        let manner = Manner {
            limits: LIMITS,
            jobs,
            judges_all: true,
            ..Manner::default()
        };
        let judged = explore(machine, checks, &manner, &mut Unwatched);
        judged.expect("as if only some were judged")
    };
    let alone = judged(1);
    assert_eq!(alone.findings, explored.findings);
    assert_eq!(alone.refuting, judged(3).refuting);
    let refuting = alone.refuting.expect("every execution was judged");
    let found = checks.iter().zip(&refuting).zip(&explored.findings);
    for ((check, &refuting), finding) in found {
        let is_refuted = matches!(finding, Finding::Refuted(_));
        assert_eq!(refuting > 0, is_refuted);
        match check {
            Check::Assertions => assert_eq!(refuting, explored.count.failed),
            Check::NoDeadlock => assert_eq!(refuting, explored.count.blocked),
            _ => {}
        }
    }
}

/// By so many workers; several count what they know, one visits everything.
fn by(machine: &Machine, checks: &[Check], jobs: usize) -> Option<Explored> {
    let manner = Manner {
        limits: LIMITS,
        jobs,
        remembers: (jobs > 1).then_some(0),
        ..Manner::default()
    };
    explore(machine, checks, &manner, &mut Unwatched).ok()
}

/// The checks that are about executions.
fn checks(song: &Song) -> Option<Vec<Check>> {
    let of_system = |query: &Query| query.subject == Subject::System;
    let mut checks = Query::all(song).into_iter().find(of_system)?.checks;
    checks.retain(|check| is_about_executions(song, *check));
    Some(checks)
}
