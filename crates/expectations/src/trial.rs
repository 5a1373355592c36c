//! One song as a test: does everything come out as the song says?
//!
//! Rule. A song with expectations or marks passes when all of them come out as written, and nothing else is diagnosed. A
//! song without any is checked like `plainsong check` does without flags, and passes when it is accepted and nothing is refuted: what is
//! unknown does not fail it.

use super::answers;
use super::examine::{answered, compare_marks};
use super::{Problem, header, marks};
use plainsong_diagnostics::{Severity, line_and_column};
use plainsong_semantics::verdict::{Outcome, Verdict};

/// By what a song was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// So many expectations in its first lines.
    Expectations(usize),
    /// So many marks under its lines.
    Marks(usize),
    /// It says nothing: so many properties are proved or hold, so many are unknown.
    NothingRefuted {
        /// Proved, or hold within a bound.
        fine: usize,
        /// Neither that nor refuted.
        unknown: usize,
    },
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// By what it was judged.
    pub rule: Rule,
    /// What is not as it should be; nothing when the song passes.
    pub problems: Vec<Problem>,
}

/// Judges a song by its text.
pub fn trial(original: &str) -> Trial {
    let marked = marks::separate(original);
    let header = match header::read(original) {
        Ok(header) => header,
        Err(problems) => {
            let rule = Rule::Expectations(problems.len());
            return Trial { rule, problems };
        }
    };
    if header.expectations.is_empty() && marked.marks.is_empty() {
        return without_expectations(original);
    }
    let compiled = answers::compile(&marked.text);
    let mut problems = compare_marks(&marked, &compiled);
    match (&compiled.song, header.expectations.first()) {
        (Some(song), _) => {
            for expectation in &header.expectations {
                problems.extend(answered(expectation, song, &marked.text));
            }
        }
        (None, Some(first)) => problems.push(Problem::new(
            first.line,
            "the song is rejected, so nothing can be asked",
        )),
        (None, None) => {}
    }
    let rule = match header.expectations.len() {
        0 => Rule::Marks(marked.marks.len()),
        some => Rule::Expectations(some),
    };
    Trial { rule, problems }
}

fn without_expectations(text: &str) -> Trial {
    let compiled = answers::compile(text);
    let errors = compiled.diagnostics.iter();
    let errors = errors.filter(|one| one.severity == Severity::Error);
    let mut problems: Vec<Problem> = errors
        .map(|error| {
            let line = line_and_column(text, error.primary.span.start).line;
            let message = format!("error[{}]: {}", error.code.name, error.message);
            Problem::new(line as usize, message)
        })
        .collect();
    let verdicts = match &compiled.song {
        Some(song) => answers::plain_check((song, text)),
        None => Ok(Vec::new()),
    };
    let verdicts = verdicts.unwrap_or_else(|why| {
        problems.push(Problem::new(1, why));
        Vec::new()
    });
    let number =
        |wanted: &dyn Fn(&Verdict) -> bool| verdicts.iter().filter(|one| wanted(one)).count();
    let refuted = verdicts
        .iter()
        .filter(|one| one.outcome == Outcome::Refuted);
    problems.extend(refuted.map(|verdict| {
        let (property, why) = (&verdict.property, answers::reason(verdict));
        Problem::new(
            line_of(text, property),
            format!("`{property}` is refuted: {why}"),
        )
    }));
    Trial {
        rule: Rule::NothingRefuted {
            fine: number(&|one| matches!(one.outcome, Outcome::Proved | Outcome::Holds)),
            unknown: number(&|one| one.outcome == Outcome::Unknown),
        },
        problems,
    }
}

/// The line that declares a property, or the first.
fn line_of(text: &str, property: &str) -> usize {
    let declares = |line: &str| {
        let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        words
            .next()
            .is_some_and(|word| matches!(word, "property" | "invariant"))
            && words.next() == Some(property)
    };
    text.lines().position(declares).map_or(1, |at| at + 1)
}
