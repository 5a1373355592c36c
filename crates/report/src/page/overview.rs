//! What came of a run, for the left of the page: every verdict, and how much of each song took part.

use super::Page;
use super::story::story;
use crate::{Answer, Coverage};
use plainsong_semantics::verdict::Outcome;
use serde_json::{Value, json};

/// One song of a run.
#[derive(Clone, Debug)]
pub struct Checked<'a> {
    /// Its file, as the user named it.
    pub name: &'a str,
    pub answers: &'a [Answer],
    /// How much of it took part.
    pub coverage: Option<&'a Coverage>,
    /// For each answer, the execution that refutes it, if one does.
    pub pages: Vec<Option<Page<'a>>>,
}

/// The files, and the stories that their verdicts refer to by number.
pub(super) fn overview(files: &[Checked<'_>]) -> (Vec<Value>, Vec<Value>) {
    let mut stories = Vec::new();
    let files = files.iter().map(|file| {
        let verdicts = file.answers.iter().zip(&file.pages).map(|(answer, page)| {
            let number = page.as_ref().map(|page| {
                stories.push(story(page));
                stories.len() - 1
            });
            verdict(answer, number)
        });
        json!({
            "file": file.name,
            "verdicts": verdicts.collect::<Vec<_>>(),
            "coverage": file.coverage.map(covered),
        })
    });
    (files.collect(), stories)
}

fn verdict(answer: &Answer, story: Option<usize>) -> Value {
    let verdict = &answer.verdict;
    let word = match verdict.outcome {
        Outcome::Proved => "proved",
        Outcome::Holds => "holds",
        Outcome::Refuted => "REFUTED",
        Outcome::Unknown => "unknown",
    };
    let detail = match verdict.outcome {
        Outcome::Refuted => verdict.reason.clone(),
        _ => answer.detail(),
    };
    json!({
        "property": verdict.property,
        "verdict": word,
        "bound": answer.bound_text(),
        "engine": answer.engine,
        "detail": detail,
        "notes": verdict.remarks(),
        "story": story,
    })
}

/// Sentences: how much took part, and what never did.
fn covered(coverage: &Coverage) -> Vec<String> {
    let mut told = vec![format!(
        "{} of {} statements",
        coverage.statements, coverage.all_statements
    )];
    if coverage.all_kinds > 0 {
        let (kinds, all, noun) = (coverage.kinds, coverage.all_kinds, coverage.kind_noun);
        told.push(format!("{kinds} of {all} {noun}s"));
    }
    let never = [
        ("never executed", &coverage.never),
        ("never sent", &coverage.never_sent),
        ("sent but never taken", &coverage.never_taken),
        ("never true", &coverage.never_true),
    ];
    for (what, which) in never.into_iter().filter(|(_, which)| !which.is_empty()) {
        told.push(format!("{what}: {}", which.join(", ")));
    }
    told
}
