//! Diagnostics on a terminal: the text with the places marked, what to do, and the ready-made
//! change as a difference.
//!
//! Only the lines that matter are handed to the renderer, so one mistake in ten megabytes costs as
//! little as one in ten lines.

use crate::Text;
use annotate_snippets::{
    AnnotationKind, Group, Level, Patch, Renderer, Snippet, normalize_untrusted_str,
};
use plainsong_diagnostics::{Diagnostic, Fix, Label, Severity, Span};
use std::ops::Range;

/// Shown per file; what follows is counted.
const MOST: usize = 50;

/// A line longer than this is cut around the place that matters.
const LONGEST_EXCERPT: usize = 4096;

/// All diagnostics of one file, one after the other, with an empty line after each.
pub fn diagnostics(source: Text<'_>, diagnostics: &[Diagnostic]) -> String {
    let mut shown = String::new();
    for one in diagnostics.iter().take(MOST) {
        shown.push_str(&diagnostic(source, one));
        shown.push_str("\n\n");
    }
    if diagnostics.len() > MOST {
        let more = diagnostics.len() - MOST;
        shown.push_str(&format!("… and {more} more in {}\n\n", source.name));
    }
    shown
}

/// One diagnostic, without a final line break.
pub fn diagnostic(source: Text<'_>, diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level
        .primary_title(&diagnostic.message)
        .id(diagnostic.code.name);
    let excerpt = Excerpt::around(source.text, labels(diagnostic).map(|label| label.span));
    let mut snippet = excerpt.snippet(source.name);
    snippet = snippet.annotation(mark(AnnotationKind::Primary, &excerpt, &diagnostic.primary));
    for label in &diagnostic.secondary {
        snippet = snippet.annotation(mark(AnnotationKind::Context, &excerpt, label));
    }
    let mut first = title.element(snippet);
    if let Some(help) = &diagnostic.help {
        first = first.element(Level::HELP.message(normalize_untrusted_str(help)));
    }
    let mut groups = vec![first];
    groups.extend(
        diagnostic
            .fix
            .as_ref()
            .and_then(|change| fix(source, change)),
    );
    Renderer::styled().render(&groups)
}

fn labels(diagnostic: &Diagnostic) -> impl Iterator<Item = &Label> {
    std::iter::once(&diagnostic.primary).chain(&diagnostic.secondary)
}

fn mark<'a>(
    kind: AnnotationKind,
    excerpt: &Excerpt<'_>,
    label: &'a Label,
) -> annotate_snippets::Annotation<'a> {
    let annotation = kind.span(excerpt.range(label.span));
    if label.text.is_empty() {
        annotation
    } else {
        annotation.label(&label.text)
    }
}

fn fix<'a>(source: Text<'a>, fix: &'a Fix) -> Option<Group<'a>> {
    if fix.edits.is_empty() {
        return None;
    }
    let excerpt = Excerpt::around(source.text, fix.edits.iter().map(|(span, _)| *span));
    let mut snippet = excerpt.snippet(source.name);
    for (span, replacement) in &fix.edits {
        let replacement = indented(source.text, *span, replacement);
        snippet = snippet.patch(Patch::new(excerpt.range(*span), replacement));
    }
    Some(
        Level::HELP
            .secondary_title(normalize_untrusted_str(&fix.title))
            .element(snippet),
    )
}

/// New lines begin like the one that they are put into, as when the fix is carried out.
fn indented(text: &str, span: Span, replacement: &str) -> String {
    let before = &text[..boundary(text, span.start as usize)];
    let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
    let indentation = &line[..line.len() - line.trim_start().len()];
    replacement.replace('\n', &format!("\n{indentation}"))
}

/// The whole lines that contain some spans.
struct Excerpt<'a> {
    text: &'a str,
    start: usize,
    first_line: usize,
}

impl<'a> Excerpt<'a> {
    fn around(text: &'a str, spans: impl Iterator<Item = Span>) -> Self {
        let all = spans.reduce(Span::to).unwrap_or_default();
        let start = boundary(text, all.start as usize);
        let end = boundary(text, all.end as usize).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at);
        let from = boundary(text, line_start.max(start.saturating_sub(LONGEST_EXCERPT)));
        let to = boundary(text, line_end.min(end + LONGEST_EXCERPT));
        let first_line = text[..from].bytes().filter(|&byte| byte == b'\n').count() + 1;
        Excerpt {
            text: &text[from..to],
            start: from,
            first_line,
        }
    }

    fn snippet<T: Clone>(&self, name: &'a str) -> Snippet<'a, T> {
        Snippet::source(self.text)
            .path(name)
            .line_start(self.first_line)
    }

    /// A span of the whole text as a range of the excerpt, moved inside if it is not.
    fn range(&self, span: Span) -> Range<usize> {
        let at = |offset: u32| boundary(self.text, (offset as usize).saturating_sub(self.start));
        let start = at(span.start);
        start..at(span.end).max(start)
    }
}

/// The nearest character boundary at or before `offset`.
fn boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}
