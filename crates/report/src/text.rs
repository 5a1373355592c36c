//! A source text and what to call it: the one thing every rendering needs besides its data.

use plainsong_diagnostics::{Span, line_and_column};

/// A source text with the name the user knows it by.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The path as the user wrote it, or `<stdin>`.
    pub name: &'a str,
    /// What it contains.
    pub text: &'a str,
}

impl Text<'_> {
    /// `two_phase.song:24:5`, which editors and terminals can follow.
    pub fn place(&self, span: Span) -> String {
        let at = line_and_column(self.text, span.start);
        format!("{}:{}:{}", self.name, at.line, at.column)
    }

    /// `two_phase.song:24`.
    pub fn file_and_line(&self, span: Span) -> String {
        format!(
            "{}:{}",
            self.name,
            line_and_column(self.text, span.start).line
        )
    }

    /// `line 24`, for places in a file already named.
    pub fn line(&self, span: Span) -> String {
        format!("line {}", line_and_column(self.text, span.start).line)
    }
}
