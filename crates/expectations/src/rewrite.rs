//! Rewrites what a song expects to what is the case.

use super::Problem;
use super::answers;
use super::header::{self, Claim, Ending, Expectation, Question};
use super::marks::{self, Mark, Marked};
use plainsong_ir::Song;
use plainsong_semantics::verdict::{Outcome, Verdict};
use std::sync::Arc;

/// `original` with its expectations and marks brought up to date.
///
/// Questions stay as they are asked, and quoted parts stay as long as they are still said.
pub fn bless(original: &str) -> Result<String, Vec<Problem>> {
    let marked = marks::separate(original);
    let compiled = answers::compile(&marked.text);
    let actual: Vec<Mark> = compiled
        .diagnostics
        .iter()
        .map(|diagnostic| {
            let mark = marks::of(diagnostic, &marked.text);
            let quote = old_quote(&marked, &mark).filter(|part| marks::says(diagnostic, part));
            Mark { quote, ..mark }
        })
        .collect();
    let mut text = marked.text.clone();
    if let Some(song) = &compiled.song {
        text = answer_again(&text, song)?;
    }
    Ok(marks::insert(&text, &actual))
}

/// What was quoted by the mark at the same place with the same code.
fn old_quote(marked: &Marked, mark: &Mark) -> Option<String> {
    let same = |old: &&Mark| old.line == mark.line && old.code == mark.code && old.quote.is_some();
    marked
        .marks
        .iter()
        .find(same)
        .and_then(|old| old.quote.clone())
}

/// Asks every question of the header and writes the answers.
fn answer_again(text: &str, song: &Arc<Song>) -> Result<String, Vec<Problem>> {
    let header = header::read(text)?;
    let mut lines: Vec<String> = text.split('\n').map(Into::into).collect();
    let mut problems = Vec::new();
    for expectation in header.expectations {
        match answer(&expectation, song, text) {
            Ok(question) => {
                let line = expectation.line;
                lines[line - 1] = Expectation {
                    question,
                    ..expectation
                }
                .to_string();
            }
            Err(message) => problems.push(Problem::new(expectation.line, message)),
        }
    }
    if problems.is_empty() {
        Ok(lines.join("\n"))
    } else {
        Err(problems)
    }
}

fn answer(expectation: &Expectation, song: &Arc<Song>, text: &str) -> Result<Question, String> {
    let about = (song, text);
    let scope = &expectation.scope;
    match &expectation.question {
        Question::Accepted => Ok(Question::Accepted),
        Question::Check(old) => {
            let verdicts = answers::verdicts(about, scope, None)?;
            let claims = verdicts
                .iter()
                .filter_map(|new| claim(old, Outcome::Holds, new));
            Ok(Question::Check(claims.collect()))
        }
        Question::Prove(old) => {
            let verdicts = answers::verdicts(about, scope, Some("prove"))?;
            let claims = verdicts
                .iter()
                .filter_map(|new| claim(old, Outcome::Proved, new));
            Ok(Question::Prove(claims.collect()))
        }
        Question::Refine(old) => {
            let verdicts = answers::verdicts(about, scope, Some("refine"))?;
            let claims = verdicts
                .iter()
                .filter_map(|new| claim(old, Outcome::Proved, new));
            Ok(Question::Refine(claims.collect()))
        }
        Question::Sequentialize(old) => {
            let verdicts = answers::verdicts(about, scope, Some("sequentialize"))?;
            let claims = verdicts
                .iter()
                .filter_map(|new| claim(old, Outcome::Proved, new));
            Ok(Question::Sequentialize(claims.collect()))
        }
        Question::Diverge(old, fairness) => {
            let verdicts = answers::rests(about, scope, *fairness)?;
            let claims = verdicts
                .iter()
                .filter_map(|new| claim(old, Outcome::Holds, new));
            Ok(Question::Diverge(claims.collect(), *fairness))
        }
        Question::Explore(_) => {
            let counts = answers::executions(song, scope)?;
            let worth_saying =
                |&&(ending, number): &&(Ending, u64)| ending <= Ending::Blocked || number > 0;
            Ok(Question::Explore(
                counts.iter().filter(worth_saying).copied().collect(),
            ))
        }
        Question::States(_) => answers::states(song, scope).map(Question::States),
    }
}

/// The claim that `verdict` fulfils; none when it goes without saying.
fn claim(old: &[Claim], others: Outcome, verdict: &Verdict) -> Option<Claim> {
    if verdict.outcome == others {
        return None;
    }
    let old = old.iter().find(|claim| claim.property == verdict.property);
    let reason = match old {
        Some(Claim {
            reason: Some(part), ..
        }) if answers::says(verdict, part) => Some(part.clone()),
        Some(Claim {
            reason: None,
            outcome,
            ..
        }) if *outcome == verdict.outcome => None,
        _ => Some(answers::reason(verdict).replace('"', "'")),
    };
    Some(Claim {
        property: verdict.property.clone(),
        outcome: verdict.outcome,
        reason,
    })
}
