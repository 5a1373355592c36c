//! The result of parsing a file.

use plainsong_diagnostics::{Diagnostic, Span};
use rowan::GreenNode;

use crate::ast::{AstNode, Song};
use crate::codes;
use crate::kinds::SyntaxNode;
use crate::parser::parse_text;

/// Parses a file. Never fails and never panics: what does not fit is in [`Parse::errors`] and in the
/// tree.
pub fn parse(text: &str) -> Parse {
    if u32::try_from(text.len()).is_err() {
        let (green, mut errors) = parse_text("");
        errors.push(Diagnostic::error(
            &codes::FILE_TOO_LARGE,
            Span::new(0, 0),
            "the file is too large",
        ));
        return Parse { green, errors };
    }
    let (green, errors) = parse_text(text);
    Parse { green, errors }
}

/// A parsed file: its tree and its syntax errors.
#[derive(Clone, Debug)]
pub struct Parse {
    green: GreenNode,
    errors: Vec<Diagnostic>,
}

impl Parse {
    /// The file as a typed view.
    pub fn root(&self) -> Song {
        match Song::cast(self.syntax()) {
            Some(song) => song,
            None => unreachable!("the parser makes a file the root of every tree"),
        }
    }

    /// The lossless tree.
    pub fn syntax(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.green.clone())
    }

    /// The syntax errors, in the order of the text.
    pub fn errors(&self) -> &[Diagnostic] {
        &self.errors
    }
}
