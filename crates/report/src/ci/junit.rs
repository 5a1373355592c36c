//! JUnit's XML, which nearly every build server reads: a suite for each file, a case for each property.
//!
//! Refuted is a failure. Unknown is an error: nobody knows, which is not the same as skipped. What holds
//! only up to a bound is a success that says so, and an error where a proof is required. A conditional proof is an
//! error that says on what it rests.

use super::{Findings, details, name};
use crate::Answer;
use plainsong_semantics::verdict::Outcome;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// The results as JUnit's XML.
pub fn junit(findings: &Findings<'_>) -> String {
    let mut report = Report::new("plainsong");
    for file in files(findings) {
        let mut suite = TestSuite::new(file);
        for mistake in findings.mistakes.iter().filter(|one| one.file == file) {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_type(&*mistake.code);
            let place = mistake
                .place
                .map(|(line, column)| format!("{file}:{line}:{column}: "));
            let place = place.unwrap_or_default();
            status.set_message(format!("{place}{}", mistake.message));
            suite.add_test_case(TestCase::new(&*mistake.code, status));
        }
        for answer in findings.answers.iter().filter(|one| one.file == file) {
            suite.add_test_case(case(answer, findings));
        }
        report.add_test_suite(suite);
    }
    let mut text = report.to_string().unwrap_or_default();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// A song that was run as a test.
#[derive(Clone, Debug)]
pub struct SongTest {
    /// The file, as the user named it.
    pub file: String,
    /// What is not as the song says, each with its line, from 1; nothing when it passed.
    pub problems: Vec<(usize, String)>,
    /// How long it took.
    pub time: Duration,
}

/// Songs that were run as tests, as JUnit's XML: one suite, a case for each song.
pub fn junit_of_tests(tests: &[SongTest]) -> String {
    let mut report = Report::new("plainsong");
    let mut suite = TestSuite::new("songs");
    for test in tests {
        let problems = test.problems.iter();
        let problems: Vec<String> = problems
            .map(|(line, message)| format!("line {line}: {message}"))
            .collect();
        let status = match problems.first() {
            None => TestCaseStatus::success(),
            Some(first) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_type("expectation");
                status.set_message(first.as_str());
                status.set_description(problems.join("\n"));
                status
            }
        };
        let mut case = TestCase::new(test.file.as_str(), status);
        case.set_time(test.time);
        suite.add_test_case(case);
    }
    report.add_test_suite(suite);
    let mut text = report.to_string().unwrap_or_default();
    text.push('\n');
    text
}

/// The files, in the order of the answers; those that were rejected first.
fn files<'a>(findings: &Findings<'a>) -> Vec<&'a str> {
    let mut files: Vec<&str> = Vec::new();
    let rejected = findings.mistakes.iter().map(|mistake| &mistake.file);
    let asked = findings.answers.iter().map(|answer| &answer.file);
    for file in rejected.chain(asked) {
        if !files.contains(&file.as_str()) {
            files.push(file);
        }
    }
    files
}

fn case(answer: &Answer, findings: &Findings<'_>) -> TestCase {
    let verdict = &answer.verdict;
    let failing = |kind: NonSuccessKind, word: &str, message: &str| {
        let mut status = TestCaseStatus::non_success(kind);
        status.set_type(word);
        status.set_message(message);
        status.set_description(details(answer).join("\n"));
        status
    };
    let status = match verdict.outcome {
        Outcome::Refuted => failing(NonSuccessKind::Failure, "refuted", &verdict.reason),
        Outcome::Unknown => failing(NonSuccessKind::Error, "unknown", &verdict.reason),
        Outcome::Proved | Outcome::Holds if verdict.is_conditional() => {
            let provided = answer.provided().unwrap_or_default();
            let message = format!("{} only {provided}", verdict.outcome.name());
            failing(NonSuccessKind::Error, "conditional", &message)
        }
        Outcome::Holds if findings.required.proved => {
            let message = format!("holds only up to {}", answer.bound_text());
            failing(NonSuccessKind::Error, "bounded", &message)
        }
        Outcome::Holds | Outcome::Proved => match findings.required.unmet(verdict) {
            Some(why) => failing(NonSuccessKind::Error, "required", why),
            None => TestCaseStatus::success(),
        },
    };
    let mut case = TestCase::new(name(answer, findings.answers), status);
    case.set_classname(&*answer.file);
    case.set_time(Duration::from_secs_f64(answer.seconds.max(0.0)));
    if verdict.outcome == Outcome::Holds {
        case.set_system_out(format!("holds up to {}", answer.bound_text()));
    }
    case
}
