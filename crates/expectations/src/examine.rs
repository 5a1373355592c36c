//! The house rules of the corpus: everything that a song says about itself, and how it says it.

use super::answers::{self, Compiled};
use super::header::{self, Expectation, Header, Question};
use super::marks::{self, Mark, Marked};
use super::round_trip::round_trip;
use super::{Problem, header::Claim};
use plainsong_ir::Song;
use plainsong_semantics::verdict::{Outcome, Verdict};
use std::sync::Arc;

/// Everything about `original` that is not as it says; empty when all is well.
pub fn examine(original: &str) -> Vec<Problem> {
    let marked = marks::separate(original);
    let compiled = answers::compile(&marked.text);
    let mut problems = compare_marks(&marked, &compiled);
    let header = match header::read(original) {
        Ok(header) => header,
        Err(found) => {
            problems.extend(found);
            return problems;
        }
    };
    problems.extend(complete(&header, &marked));
    if let Some(song) = &compiled.song {
        problems.extend(well_formed(original, song));
        for expectation in &header.expectations {
            problems.extend(answered(expectation, song, &marked.text));
        }
    } else if let Some(first) = header.expectations.first() {
        problems.push(Problem::new(
            first.line,
            "the song is rejected, so nothing can be asked",
        ));
    }
    problems
}

/// Says what it is, and expects something.
fn complete(header: &Header, marked: &Marked) -> Vec<Problem> {
    let mut problems = Vec::new();
    if !header.says_what {
        problems.push(Problem::new(1, "the first line should be `// What: …`"));
    }
    if header.expectations.is_empty() && marked.marks.is_empty() {
        problems.push(Problem::new(1, "nothing is expected of this song"));
    }
    problems
}

pub(super) fn compare_marks(marked: &Marked, compiled: &Compiled) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut missing = marked.marks.clone();
    for diagnostic in &compiled.diagnostics {
        let actual = marks::of(diagnostic, &marked.text);
        let expected = missing.iter().position(|mark| {
            let quoted = mark
                .quote
                .as_ref()
                .is_none_or(|part| marks::says(diagnostic, part));
            quoted
                && Mark {
                    quote: None,
                    ..mark.clone()
                } == actual
        });
        match expected {
            Some(position) => drop(missing.remove(position)),
            None => problems.push(Problem::new(
                marked.lines[actual.line],
                format!(
                    "not expected: {} ({})",
                    describe(&actual),
                    diagnostic.message
                ),
            )),
        }
    }
    problems.extend(missing.iter().map(|mark| {
        Problem::new(
            marked.lines[mark.line],
            format!("did not come: {}", describe(mark)),
        )
    }));
    problems
}

fn describe(mark: &Mark) -> String {
    let Mark {
        columns,
        severity,
        code,
        ..
    } = mark;
    let quote = mark
        .quote
        .as_ref()
        .map(|part| format!(" saying \"{part}\""))
        .unwrap_or_default();
    format!(
        "{severity:?} {code} at columns {}..{}{quote}",
        columns.0 + 1,
        columns.1 + 1
    )
}

/// Formatted, and the same after printing and compiling again.
fn well_formed(original: &str, song: &Arc<Song>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let formatted = answers::format(original);
    if let Some(line) = first_difference(original, &formatted) {
        problems.push(Problem::new(
            line,
            "not formatted: `plainsong fmt` would change this line",
        ));
    }
    if let Err(message) = round_trip(song) {
        problems.push(Problem::new(1, message));
    }
    problems
}

/// The first line, counted from 1, that differs.
fn first_difference(a: &str, b: &str) -> Option<usize> {
    if a == b {
        return None;
    }
    let same = a
        .split('\n')
        .zip(b.split('\n'))
        .take_while(|(a, b)| a == b)
        .count();
    Some(same + 1)
}

/// Asks the question again.
pub(super) fn answered(expectation: &Expectation, song: &Arc<Song>, text: &str) -> Vec<Problem> {
    let about = (song, text);
    let compared = match &expectation.question {
        Question::Accepted => Ok(Vec::new()),
        Question::Check(claims) => {
            let others = [Outcome::Holds, Outcome::Proved];
            answers::verdicts(about, &expectation.scope, None)
                .map(|actual| compare(claims, &others, &actual))
        }
        Question::Prove(claims) => answers::verdicts(about, &expectation.scope, Some("prove"))
            .map(|actual| compare(claims, &[Outcome::Proved], &actual)),
        Question::Refine(claims) => answers::verdicts(about, &expectation.scope, Some("refine"))
            .map(|actual| compare(claims, &[Outcome::Proved], &actual)),
        Question::Sequentialize(claims) => {
            answers::verdicts(about, &expectation.scope, Some("sequentialize"))
                .map(|actual| compare(claims, &[Outcome::Proved], &actual))
        }
        Question::Diverge(claims, fairness) => {
            let others = [Outcome::Holds, Outcome::Proved];
            answers::rests(about, &expectation.scope, *fairness)
                .map(|actual| compare(claims, &others, &actual))
        }
        Question::Explore(expected) => {
            answers::executions(song, &expectation.scope).map(|actual| {
                let expected = answers::without_zeros(expected);
                difference(&expected, &answers::without_zeros(&actual))
            })
        }
        Question::States(expected) => {
            answers::states(song, &expectation.scope).map(|actual| difference(expected, &actual))
        }
    };
    let messages = compared.unwrap_or_else(|message| vec![message]);
    messages
        .into_iter()
        .map(|message| Problem::new(expectation.line, message))
        .collect()
}

fn difference<T: PartialEq + std::fmt::Debug>(expected: &T, actual: &T) -> Vec<String> {
    if expected == actual {
        Vec::new()
    } else {
        vec![format!("expected {expected:?}, but it is {actual:?}")]
    }
}

/// Compares the verdicts that are expected with those that were given.
fn compare(claims: &[Claim], others: &[Outcome], verdicts: &[Verdict]) -> Vec<String> {
    let mut messages: Vec<String> = verdicts
        .iter()
        .filter_map(|verdict| disagreement(claims, others, verdict))
        .collect();
    for claim in claims {
        if !verdicts
            .iter()
            .any(|verdict| verdict.property == claim.property)
        {
            messages.push(format!("there is no verdict for `{}`", claim.property));
        }
    }
    if verdicts.is_empty() {
        messages.push("there is nothing to check".to_owned());
    }
    messages
}

fn disagreement(claims: &[Claim], others: &[Outcome], verdict: &Verdict) -> Option<String> {
    let claim = claims
        .iter()
        .find(|claim| claim.property == verdict.property);
    let agrees = match claim {
        Some(claim) => {
            let said = claim
                .reason
                .as_ref()
                .is_none_or(|part| answers::says(verdict, part));
            claim.outcome == verdict.outcome && said
        }
        None => others.contains(&verdict.outcome),
    };
    let expected = claim.map_or(others[0].name().to_owned(), |claim| {
        claim
            .to_string()
            .split_once(' ')
            .map_or(String::new(), |(_, rest)| rest.to_owned())
    });
    (!agrees).then(|| {
        format!(
            "`{}` should be {expected}, but it is {}: {}",
            verdict.property,
            verdict.outcome.name(),
            answers::reason(verdict)
        )
    })
}
