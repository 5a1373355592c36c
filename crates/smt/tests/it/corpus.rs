//! The corpus: what each strategy says about each goal, and at what price.
//!
//! A goal's header says what is true (`truth`) and what each strategy answers (`expect …`), with
//! the resource units it needs: the measure of a change of encoding or of version. They are those of
//! the pinned version; any other version has to be right only. `PLAINSONG_BLESS=1` rewrites them.

use crate::stage::{Goal, corpus, note, pool};
use plainsong_smt::{Answer, Cancel, Outcome, PINNED_Z3, Strategy};
use std::fs;

const STRATEGIES: [Strategy; 2] = [Strategy::Plain, Strategy::Automatic];

#[test]
fn every_goal_is_answered_as_expected_and_at_the_known_price() {
    let pool = pool(2);
    let is_pinned = &*pool.solver().version == PINNED_Z3;
    let is_updating = std::env::var_os("PLAINSONG_BLESS").is_some();
    let mut complaints = Vec::new();
    for goal in corpus() {
        let mut text = goal.text.clone();
        for strategy in STRATEGIES {
            let mut query = goal.query.clone();
            query.strategy = strategy;
            let answer = pool.ask(&query, &Cancel::default());
            assert_true(&goal, &answer);
            let key = format!("expect {strategy:?}");
            let said = said(&answer);
            if note(&text, &key) != Some(said.as_str()) && is_pinned {
                let expected = note(&text, &key).unwrap_or("nothing").to_owned();
                complaints.push(format!("{} {key}: {expected}, got {said}", query.name));
                text = rewritten(&text, &key, &said);
            }
        }
        if is_updating {
            fs::write(&goal.file, text).expect("a goal can be written");
        }
    }
    assert!(
        is_updating || complaints.is_empty(),
        "{}",
        complaints.join("\n")
    );
}

#[test]
fn no_seed_makes_an_answer_wrong_or_loses_an_easy_one() {
    let pool = pool(2);
    for goal in corpus() {
        for strategy in STRATEGIES {
            let mut query = goal.query.clone();
            query.strategy = strategy;
            query.limits.resource = 30_000;
            let known = note(&goal.text, &format!("expect {strategy:?}"));
            let price = known.and_then(|said| said.split_once(' ')?.1.parse::<u64>().ok());
            let is_easy = price.is_some_and(|price| price < 5_000);
            for seed in 0..10 {
                query.seed = seed;
                let answer = pool.ask(&query, &Cancel::default());
                assert_true(&goal, &answer);
                let is_lost = matches!(answer.outcome, Outcome::Unknown(_));
                assert!(
                    !(is_easy && is_lost),
                    "{} seed {seed}: {answer:?}",
                    query.name
                );
            }
        }
    }
}

fn assert_true(goal: &Goal, answer: &Answer) {
    let is_wrong = match answer.outcome {
        Outcome::Sat { .. } => !goal.truth,
        Outcome::Unsat { .. } => goal.truth,
        Outcome::Unknown(_) => false,
    };
    assert!(!is_wrong, "{}: {answer:?}", goal.file.display());
}

fn said(answer: &Answer) -> String {
    let verdict = match &answer.outcome {
        Outcome::Sat { .. } => "sat",
        Outcome::Unsat { .. } => "unsat",
        Outcome::Unknown(reason) => return reason.to_string(),
    };
    format!("{verdict} {}", answer.resource.unwrap_or_default())
}

/// The text with another note, after the other notes.
fn rewritten(text: &str, key: &str, value: &str) -> String {
    let start = format!("; {key}: ");
    let (notes, rest): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with("; "));
    let mut lines: Vec<String> = notes
        .into_iter()
        .filter(|line| !line.starts_with(&start))
        .map(str::to_owned)
        .collect();
    lines.push(format!("{start}{value}"));
    lines.extend(rest.into_iter().map(str::to_owned));
    lines.join("\n") + "\n"
}
