//! The comments between tokens, and the line breaks around them.

use rowan::NodeOrToken;

use crate::kinds::{SyntaxKind, SyntaxNode};

/// A comment and how it stands in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comment<'t> {
    pub(super) text: &'t str,
    /// Does it begin a line?
    pub(super) begins_line: bool,
    /// Is there an empty line before it?
    pub(super) blank_before: bool,
    /// Does it end a line?
    pub(super) ends_line: bool,
}

/// What stands between a token and the one before it.
#[derive(Default, Debug)]
pub(super) struct Gap<'t> {
    /// Comments on the line of the token before.
    pub(super) trailing: Vec<Comment<'t>>,
    /// Comments on later lines.
    pub(super) leading: Vec<Comment<'t>>,
    /// Is there an empty line directly before the token?
    pub(super) blank_before: bool,
}

/// The gaps before each token in the order of the text, and the one after the last.
pub(super) fn gaps<'t>(text: &'t str, root: &SyntaxNode) -> Vec<Gap<'t>> {
    let mut gaps = Vec::new();
    let mut gap = Gap::default();
    let mut newlines = 0;
    let mut at_start = true;
    for token in root
        .descendants_with_tokens()
        .filter_map(NodeOrToken::into_token)
    {
        let piece = &text[token.text_range()];
        match token.kind() {
            SyntaxKind::Whitespace => newlines += piece.matches('\n').count(),
            SyntaxKind::LineComment | SyntaxKind::BlockComment => {
                gap.add(piece, newlines, at_start);
                newlines = 0;
                at_start = false;
            }
            _ => {
                gap.finish(newlines);
                gap.blank_before = newlines > 1;
                gaps.push(std::mem::take(&mut gap));
                newlines = 0;
                at_start = false;
            }
        }
    }
    gap.finish(1);
    gaps.push(gap);
    gaps
}

impl<'t> Gap<'t> {
    fn add(&mut self, text: &'t str, newlines: usize, at_start: bool) {
        self.finish(newlines);
        let begins_line = newlines > 0 || at_start;
        let comment = Comment {
            text: text.trim_end(),
            begins_line,
            blank_before: newlines > 1,
            ends_line: text.starts_with("//"),
        };
        if begins_line || !self.leading.is_empty() {
            self.leading.push(comment);
        } else {
            self.trailing.push(comment);
        }
    }

    /// Tells the last comment how many line breaks follow it.
    fn finish(&mut self, newlines: usize) {
        let last = self.leading.last_mut().or(self.trailing.last_mut());
        if let Some(comment) = last {
            comment.ends_line |= newlines > 0;
        }
    }
}
