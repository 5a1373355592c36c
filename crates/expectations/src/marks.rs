//! Marks under the lines of a text: which diagnostics are expected, and where.
//!
//! ```text
//!     send Ask to servr;
//!     //          ^^^^^ error[unknown-name]
//!     let next = n + 1;
//!     //@4..8 warning[unused-local]
//! ```
//!
//! A mark belongs to the nearest line above that is not a mark. It is indented as the formatter
//! indents comments: like the line above, or one level more after `{`. Carets stand under the
//! marked columns; `//@a..b` counts them from the `//`, for places that carets cannot reach. Columns
//! count characters.

use plainsong_diagnostics::{Diagnostic, Severity, line_and_column};
use std::ops::Range;

/// An expected diagnostic, or an actual one in the same terms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// The line it points at, counted from 0 in the text without marks.
    pub line: usize,
    /// First column and one past the last, counted from 0; at least one wide.
    pub columns: (usize, usize),
    /// Error or warning.
    pub severity: Severity,
    pub code: String,
    /// A part of its message or help.
    pub quote: Option<String>,
}

/// A text without its marks, and the marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// The text without marks.
    pub text: String,
    /// The marks, in the order of the text.
    pub marks: Vec<Mark>,
    /// For each line of `text`, its number in the original, counted from 1.
    pub lines: Vec<usize>,
}

/// Separates a text from its marks.
pub fn separate(original: &str) -> Marked {
    let mut marked = Marked {
        text: String::new(),
        marks: Vec::new(),
        lines: Vec::new(),
    };
    for (index, line) in original.split_inclusive('\n').enumerate() {
        match (marked.lines.len().checked_sub(1), read(line.trim_end())) {
            (Some(above), Some(mark)) => marked.marks.push(Mark {
                line: above,
                ..mark
            }),
            _ => {
                marked.text.push_str(line);
                marked.lines.push(index + 1);
            }
        }
    }
    marked
}

/// Puts marks under the lines of a text.
pub fn insert(text: &str, marks: &[Mark]) -> String {
    let mut marked = String::new();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        marked.push_str(line);
        for mark in marks.iter().filter(|mark| mark.line == index) {
            if !marked.ends_with('\n') {
                marked.push('\n');
            }
            marked.push_str(&written(mark, line));
            marked.push('\n');
        }
    }
    marked
}

/// The mark for a diagnostic of `text`.
pub fn of(diagnostic: &Diagnostic, text: &str) -> Mark {
    let span = diagnostic.primary.span;
    let start = line_and_column(text, span.start);
    let end = line_and_column(text, span.end);
    let mut line = start.line as usize - 1;
    let mut first = start.column as usize - 1;
    // What points past the last line break belongs to the last line.
    if line > 0 && line >= text.lines().count() {
        line -= 1;
        first = width(text, line);
    }
    let last = if end.line == start.line {
        end.column as usize - 1
    } else {
        width(text, line)
    };
    Mark {
        line,
        columns: (first, last.max(first + 1)),
        severity: diagnostic.severity,
        code: diagnostic.code.name.to_owned(),
        quote: None,
    }
}

/// Does the diagnostic say `part` somewhere?
pub fn says(diagnostic: &Diagnostic, part: &str) -> bool {
    diagnostic.message.contains(part)
        || diagnostic
            .help
            .as_deref()
            .is_some_and(|help| help.contains(part))
        || diagnostic.primary.text.contains(part)
}

fn width(text: &str, line: usize) -> usize {
    text.lines()
        .nth(line)
        .map_or(0, |line| line.chars().count())
}

/// How `mark` is written under `line`.
fn written(mark: &Mark, line: &str) -> String {
    let deeper = if line.trim_end().ends_with('{') { 4 } else { 0 };
    let indent = line.chars().take_while(|&c| c == ' ').count() + deeper;
    let (first, last) = mark.columns;
    let place = match first.checked_sub(indent + 2) {
        Some(gap) => format!("//{}{}", " ".repeat(gap), "^".repeat(last - first)),
        None => {
            let from_here = |column: usize| column as isize - indent as isize;
            format!("//@{}..{}", from_here(first), from_here(last))
        }
    };
    let severity = severity_name(mark.severity);
    let quote = mark
        .quote
        .as_ref()
        .map(|quote| format!(" \"{quote}\""))
        .unwrap_or_default();
    format!(
        "{}{place} {severity}[{}]{quote}",
        " ".repeat(indent),
        mark.code
    )
}

fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// Reads a line that is a mark.
fn read(line: &str) -> Option<Mark> {
    let indent = line.chars().take_while(|&c| c == ' ').count();
    let comment = line.trim_start_matches(' ').strip_prefix("//")?;
    let (columns, rest) = match comment.strip_prefix('@') {
        Some(range) => counted(range)?,
        None => drawn(comment)?,
    };
    let (head, quote) = match rest.split_once(" \"") {
        Some((head, quote)) => (head, Some(quote.strip_suffix('"')?.to_owned())),
        None => (rest, None),
    };
    let (severity, code) = head.strip_suffix(']')?.split_once('[')?;
    let severity = [Severity::Error, Severity::Warning]
        .into_iter()
        .find(|&known| severity_name(known) == severity)?;
    Some(Mark {
        line: 0,
        columns: (
            indent.checked_add_signed(columns.start)?,
            indent.checked_add_signed(columns.end)?,
        ),
        severity,
        code: code.to_owned(),
        quote,
    })
}

/// `4..8 …`: columns by number.
fn counted(text: &str) -> Option<(Range<isize>, &str)> {
    let (range, rest) = text.split_once(' ')?;
    let (first, last) = range.split_once("..")?;
    Some((first.parse().ok()?..last.parse().ok()?, rest))
}

/// `    ^^^^ …`: columns by carets.
fn drawn(comment: &str) -> Option<(Range<isize>, &str)> {
    let carets = comment.trim_start_matches(' ');
    let rest = carets.trim_start_matches('^');
    let first = 2 + comment.len() - carets.len();
    let last = first + carets.len() - rest.len();
    (first < last).then_some(())?;
    Some((first as isize..last as isize, rest.strip_prefix(' ')?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKED: &str = "\
sort Db;
daemon process p {
    //@-4..2 warning[idle-daemon]
    send Ask to servr;
    //          ^^^^^ error[unknown-name] \"server\"
    let next = 1;
    //@4..8 warning[unused-local]
    //      ^^ error[other]
}
";

    #[test]
    fn marks_belong_to_the_line_above_and_can_be_put_back() {
        let marked = separate(MARKED);
        assert_eq!(marked.text.lines().count(), 5);
        assert_eq!(marked.lines, [1, 2, 4, 6, 9]);
        let places: Vec<(usize, (usize, usize))> = marked
            .marks
            .iter()
            .map(|mark| (mark.line, mark.columns))
            .collect();
        assert_eq!(
            places,
            [(1, (0, 6)), (2, (16, 21)), (3, (8, 12)), (3, (12, 14))]
        );
        assert_eq!(marked.marks[1].quote.as_deref(), Some("server"));
        assert_eq!(separate(&insert(&marked.text, &marked.marks)), marked);
    }

    #[test]
    fn comments_that_are_no_marks_stay() {
        for line in [
            "// ^",
            "//^^^",
            "// ^^ error",
            "//@1 error[x]",
            "// error[x]",
            "x //^ error[x]",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
