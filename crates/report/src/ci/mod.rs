//! Results for the machines that guard a repository: JUnit and SARIF.

mod junit;
mod sarif;

pub use junit::{SongTest, junit, junit_of_tests};
pub use sarif::{sarif, sarif_of_tests};

use crate::Answer;
use plainsong_semantics::verdict::Requirements;

/// Everything that one run has to say.
#[derive(Clone, Copy, Debug)]
pub struct Findings<'a> {
    /// Which tool: `plainsong 0.1.0`.
    pub tool: &'a str,
    /// The answers, file by file.
    pub answers: &'a [Answer],
    /// What was wrong with files that were not even asked about.
    pub mistakes: &'a [Mistake],
    /// `--require`.
    pub required: Requirements,
}

/// Something wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The file, as the user named it.
    pub file: String,
    /// The code of the diagnostic, or `input`.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// Line and column, from 1, where it has a place.
    pub place: Option<(u32, u32)>,
}

/// The name of an answer; with its bound where the same was asked twice in a file.
fn name(answer: &Answer, all: &[Answer]) -> String {
    let same = |other: &&Answer| {
        other.file == answer.file && other.verdict.property == answer.verdict.property
    };
    let property = &answer.verdict.property;
    if all.iter().filter(same).count() > 1 {
        format!("{property} ({})", answer.bound_text())
    } else {
        property.clone()
    }
}

/// What is said about a refuted or unknown answer, besides its reason.
fn details(answer: &Answer) -> Vec<String> {
    let mut lines = vec![format!("engine: {}", answer.engine)];
    if !answer.verdict.bound.is_empty() {
        lines.push(format!("bound: {}", answer.bound_text()));
    }
    if let Some(race) = answer.account.as_ref().and_then(|told| told.race.as_ref()) {
        lines.push(format!("{}: {}", race.kind.word(), race.sentence));
    }
    if let Some(path) = &answer.trace_path {
        lines.push(format!("replay: plainsong replay {path}"));
    }
    lines
}
