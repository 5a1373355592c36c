//! Result lines: at most one screen, one line per property, columns aligned.

use crate::paint::{BAD, GOOD, OPEN, STRONG, paint};
use crate::{Answer, Coverage, Sensitivity};
use plainsong_semantics::verdict::Outcome;

/// Columns are at least this wide, so that results of several files line up.
const PROPERTY: usize = 21;
const BOUND: usize = 12;
const ENGINE: usize = 13;

/// The verdicts of one file under its name.
pub fn file_lines(file: &str, answers: &[Answer], coverage: Option<&Coverage>) -> String {
    let width = |least: usize, text: fn(&Answer) -> usize| {
        answers.iter().map(text).max().unwrap_or(0).max(least)
    };
    let property = width(PROPERTY, |answer| answer.verdict.property.chars().count());
    let bound = width(BOUND, |answer| answer.bound_text().chars().count());
    let engine = width(ENGINE, |answer| answer.engine.chars().count());
    let mut lines = format!("{}\n", paint(STRONG, file));
    for answer in answers {
        let line = format!(
            "  {} {:property$}  {:bound$}  {:engine$}{:>7.2} s   {}",
            outcome_column(answer),
            answer.verdict.property,
            answer.bound_text(),
            answer.engine,
            answer.seconds,
            answer.detail(),
        );
        lines.push_str(line.trim_end());
        lines.push('\n');
    }
    lines.push_str(&open(answers));
    lines.push_str(&notes(answers));
    lines.push_str(&next(answers));
    if let Some(coverage) = coverage {
        lines.push_str(&covered(coverage));
    }
    lines
}

/// No more open obligations of one property are listed; the stream has all of them.
const OPEN_LISTED: usize = 10;

/// The obligations that are open, each with its place and what stands there.
fn open(answers: &[Answer]) -> String {
    let mut lines = String::new();
    for answer in answers {
        let verdict = &answer.verdict;
        for open in verdict.open.iter().take(OPEN_LISTED) {
            let place = match open.place {
                Some((line, column)) => format!("{}:{line}:{column}: ", answer.file),
                None => String::new(),
            };
            let text = match open.text.is_empty() {
                true => String::new(),
                false => format!(": `{}`", short(&open.text)),
            };
            lines.push_str(&format!(
                "  open       {}: {place}{} ({}){text}\n",
                verdict.property, open.sentence, open.rule
            ));
        }
        if verdict.open.len() > OPEN_LISTED {
            let more = verdict.open.len() - OPEN_LISTED;
            lines.push_str(&format!(
                "  open       {}: and {more} more; `--json` lists all\n",
                verdict.property
            ));
        }
    }
    lines
}

fn short(text: &str) -> String {
    const LONGEST: usize = 100;
    match text.chars().count() > LONGEST {
        true => text.chars().take(LONGEST).collect::<String>() + " …",
        false => text.to_owned(),
    }
}

/// What is taken for granted, each with the properties it concerns.
fn notes(answers: &[Answer]) -> String {
    let mut notes: Vec<(String, Vec<&str>)> = Vec::new();
    for answer in answers {
        let verdict = &answer.verdict;
        for remark in verdict.remarks() {
            let property = answer.verdict.property.as_str();
            match notes.iter_mut().find(|(note, _)| *note == remark) {
                Some((_, properties)) if properties.contains(&property) => {}
                Some((_, properties)) => properties.push(property),
                None => notes.push((remark, vec![property])),
            }
        }
    }
    let line = |(note, properties): &(String, Vec<&str>)| {
        format!("  note       {}: {note}\n", properties.join(", "))
    };
    notes.iter().map(line).collect()
}

/// What to type next, each with the properties it is about.
fn next(answers: &[Answer]) -> String {
    let mut steps: Vec<(&str, Vec<&str>)> = Vec::new();
    for answer in answers {
        let property = answer.verdict.property.as_str();
        let Some(step) = answer.next.as_deref() else {
            continue;
        };
        match steps.iter_mut().find(|(other, _)| *other == step) {
            Some((_, properties)) => properties.push(property),
            None => steps.push((step, vec![property])),
        }
    }
    let line = |(step, properties): &(&str, Vec<&str>)| {
        format!("  next       {}: {step}\n", properties.join(", "))
    };
    steps.iter().map(line).collect()
}

/// Under which delivery models each property holds, one line each, and the smallest difference.
pub fn sensitivity_lines(all: &[Sensitivity]) -> String {
    let mut lines = String::new();
    for one in all {
        let parts = [
            ("holds", &one.holds),
            ("refuted", &one.refuted),
            ("unknown", &one.unknown),
        ];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(_, models)| !models.is_empty())
            .map(|(word, models)| format!("{word} under {}", models.join(", ")))
            .collect();
        lines.push_str(&format!(
            "  delivery   {}: {}\n",
            one.property,
            parts.join("; ")
        ));
        if let Some(difference) = &one.difference {
            lines.push_str(&format!("             difference: {difference}\n"));
        }
    }
    lines
}

/// `1 refuted, 1 unknown, 3 fine.    replay: plainsong replay out/commit.no_late_commit.trace`
pub fn summary_line(answers: &[Answer], rejected_files: usize) -> String {
    let number = |wanted: &[Outcome]| {
        answers
            .iter()
            .filter(|answer| wanted.contains(&answer.verdict.outcome))
            .count()
    };
    let mut parts = Vec::new();
    let mut part = |number: usize, what: &str| {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    };
    part(
        rejected_files,
        if rejected_files == 1 {
            "file rejected"
        } else {
            "files rejected"
        },
    );
    part(number(&[Outcome::Refuted]), "refuted");
    part(number(&[Outcome::Unknown]), "unknown");
    let conditional = answers.iter();
    let conditional = conditional.filter(|answer| answer.verdict.is_conditional());
    let conditional = conditional.count();
    part(conditional, "conditional");
    let fine = number(&[Outcome::Proved, Outcome::Holds]);
    part(fine - conditional, "fine");
    let mut line = format!("{}.", parts.join(", "));
    if let Some(path) = answers.iter().find_map(|answer| answer.trace_path.as_ref()) {
        line.push_str(&format!("    replay: plainsong replay {path}"));
    }
    line.push('\n');
    line
}

fn outcome_column(answer: &Answer) -> String {
    let (style, text) = match answer.verdict.outcome {
        Outcome::Proved => (GOOD, "proved"),
        Outcome::Holds => (GOOD, "holds"),
        Outcome::Refuted => (BAD, "REFUTED"),
        Outcome::Unknown if answer.is_random() => (OPEN, "open"),
        Outcome::Unknown => (OPEN, "unknown"),
    };
    paint(style, format_args!("{text:<10}"))
}

fn covered(coverage: &Coverage) -> String {
    let Coverage {
        statements,
        all_statements,
        kinds,
        all_kinds,
        kind_noun,
        never,
        never_sent,
        never_taken,
        never_true: _,
    } = coverage;
    let mut line = format!("  covered    {statements} of {all_statements} statements");
    if *all_kinds > 0 {
        line.push_str(&format!(", {kinds} of {all_kinds} {kind_noun}s"));
    }
    let unused = [
        ("never executed", never),
        ("never sent", never_sent),
        ("sent but never taken", never_taken),
    ];
    for (what, which) in unused {
        if !which.is_empty() {
            line.push_str(&format!("; {what}: {}", few(which)));
        }
    }
    line.push('\n');
    line
}

fn few(places: &[String]) -> String {
    const MOST: usize = 3;
    let shown = places
        .iter()
        .take(MOST)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    match places.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
