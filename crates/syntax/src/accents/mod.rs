//! Foreign accents: habits from other languages get the hint that fits, once.
//!
//! Whoever comes from TLA+, PlusCal, Promela, P, Quint, Go, C or Rust writes `\A x \in S`, `p ! M` or `for (;;)`, and the parser
//! says what it expected instead, in as many places as it stumbles. A table (`table.txt`) has such phrases as they are written
//! there, with the place where they stand and how the same is said here. A phrase is looked for only in a text that has
//! errors, and only where one of these is next to it: no correct program is read differently because of the table.
//!
//! *One mistake, one diagnostic.* What else is wrong on the line of a phrase, or in its block, follows from it and is left
//! out, and so is a statement after it that the parser did not expect to be one; of several phrases on one line the first is reported and tells of the others; a phrase that comes again on
//! later lines is reported once. Nothing is accepted because of that: an error stays.

mod phrase;
mod table;

use crate::codes;
use crate::lexer::lex;
use phrase::{Phrase, Words};
use plainsong_diagnostics::{Diagnostic, Severity, Span, sort};
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;
use table::{Blame, ROWS, Row};

/// A phrase of the table at a place of the text.
struct Accent<'r> {
    row: &'r Row,
    /// The phrase.
    span: Span,
    /// What is wrong here follows from it.
    extent: Span,
}

/// Puts what the table says in place of the errors that follow from foreign phrases.
pub(crate) fn recognised(text: &str, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    // Where there is a ready-made change, or the operator is named, everything is said.
    let is_open = |one: &&Diagnostic| {
        let is_said = one.fix.is_some() || one.code.name == codes::WRONG_OPERATOR.name;
        one.severity == Severity::Error && !is_said
    };
    let errors: Vec<Span> = diagnostics
        .iter()
        .filter(is_open)
        .map(|error| error.primary.span)
        .collect();
    if errors.is_empty() {
        return diagnostics;
    }
    let (tokens, _) = lex(text);
    let words = Words::new(text, &tokens);
    let accents = accents(&words, &errors);
    if accents.is_empty() {
        return diagnostics;
    }
    let follows = |one: &Diagnostic| {
        let at = one.primary.span.start;
        let mut extents = accents.iter().map(|accent| accent.extent);
        let is_lost = |extent: Span| extent.end < at && words.is_lost_statement(at);
        extents.any(|extent| extent.start <= at && at <= extent.end || is_lost(extent))
    };
    let mut kept = diagnostics;
    kept.retain(|one| one.severity != Severity::Error || !follows(one));
    kept.extend(told(text, &words, &accents));
    sort(&mut kept);
    kept
}

/// The phrases of the table, to be found by their first word.
struct Phrases {
    all: Vec<(&'static Row, Phrase)>,
    by_first_word: HashMap<&'static str, Vec<usize>>,
    /// Those that begin with any name, or with a part of a word.
    others: Vec<usize>,
}

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    let all: Vec<(&'static Row, Phrase)> = ROWS.iter().map(|row| (row, Phrase::of(row))).collect();
    let mut by_first_word: HashMap<&'static str, Vec<usize>> = HashMap::new();
    let mut others = Vec::new();
    for (at, (_, phrase)) in all.iter().enumerate() {
        match phrase.first_word() {
            Some(word) => by_first_word.entry(word).or_default().push(at),
            None => others.push(at),
        }
    }
    Phrases {
        all,
        by_first_word,
        others,
    }
});

impl Phrases {
    /// Those that may begin with a word, in the order of the table.
    fn beginning_with(&self, word: &str) -> impl Iterator<Item = &(&'static Row, Phrase)> {
        let own = self.by_first_word.get(word).map_or(&[][..], Vec::as_slice);
        let mut both: Vec<usize> = own.iter().chain(&self.others).copied().collect();
        both.sort_unstable();
        both.into_iter().map(|at| &self.all[at])
    }
}

/// The phrases that errors touch, in the order of the text; none begins inside another.
fn accents(words: &Words<'_>, errors: &[Span]) -> Vec<Accent<'static>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let here = PHRASES
            .beginning_with(words.word(at))
            .filter_map(|(row, phrase)| {
                let length = phrase.matches(words, at)?;
                is_blamed(words, errors, row, (at, at + length)).then_some((
                    phrase.rank(),
                    length,
                    *row,
                ))
            })
            .max_by_key(|(rank, ..)| *rank);
        match here {
            Some((_, length, row)) => {
                found.push(Accent {
                    row,
                    span: words.span(at, at + length),
                    extent: words.extent(at, at + length, row.has_block),
                });
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

/// Is the phrase to blame for an error?
fn is_blamed(words: &Words<'_>, errors: &[Span], row: &Row, (from, to): (usize, usize)) -> bool {
    let phrase = words.span(from, to);
    let last = words.span(to - 1, to);
    let near = words.span(from, (to + 1).min(words.len()));
    let line = words.extent(from, to, row.has_block);
    errors.iter().any(|error| match row.blame {
        Blame::First => error.start == phrase.start,
        Blame::Last => error.start == last.start,
        Blame::Near => error.start < near.end && error.end.max(error.start + 1) > near.start,
        Blame::Line => phrase.start <= error.start && error.start <= line.end,
    })
}

/// One diagnostic for each line with phrases, and for each phrase.
fn told(text: &str, words: &Words<'_>, accents: &[Accent<'_>]) -> Vec<Diagnostic> {
    let mut lines: BTreeMap<usize, Vec<&Accent<'_>>> = BTreeMap::new();
    let mut until = None;
    for accent in accents {
        // What stands in the block of a phrase is translated with it.
        if until.is_some_and(|end| accent.span.start < end) {
            continue;
        }
        let line = words.line(accent.span.start);
        lines.entry(line).or_default().push(accent);
        if accent.row.has_block {
            until = Some(accent.extent.end);
        }
    }
    let mut said: Vec<&str> = Vec::new();
    let mut result = Vec::new();
    for accents in lines.values() {
        let mut fresh: Vec<&Accent<'_>> = Vec::new();
        for accent in accents {
            if !said.contains(&accent.row.written) {
                said.push(accent.row.written);
                fresh.push(accent);
            }
        }
        if let Some((first, others)) = fresh.split_first() {
            result.push(diagnostic(text, first, others));
        }
    }
    result
}

fn diagnostic(text: &str, accent: &Accent<'_>, others: &[&Accent<'_>]) -> Diagnostic {
    let mut help = accent.row.help.to_owned();
    let also: Vec<String> = others
        .iter()
        .filter(|_| accent.row.instead.is_some())
        .filter_map(|other| {
            let instead = other.row.instead?;
            Some(format!("`{}` is `{instead}`", other.span.slice(text)))
        })
        .collect();
    if !also.is_empty() {
        help = format!("{help}; and {}", also.join(", "));
    }
    let mut result = Diagnostic::error(
        &codes::FOREIGN_NOTATION,
        accent.span,
        accent.row.message.as_str(),
    )
    .help(help);
    if let Some(instead) = accent.row.instead
        && others.is_empty()
    {
        result = result.fix(
            format!("write `{instead}`"),
            vec![(accent.span, instead.to_owned())],
        );
    }
    result
}

#[cfg(test)]
mod tests;
