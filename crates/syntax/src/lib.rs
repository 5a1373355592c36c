//! From text to the three forms.
//!
//! The text half: [`parse`] turns text into a lossless tree ([`SyntaxNode`]) with typed views
//! ([`ast`]) and collects every syntax error; [`format`] prints a tree in the one canonical style.
//!
//! The meaning half: [`compile`] also resolves names, infers and checks types, and builds the song of
//! the IR that a text describes, if there is no mistake in it.

mod accents;
pub mod ast;
pub mod codes;
mod compile;
mod consequences;
mod errors;
mod foreign;
mod format;
mod kinds;
mod lexer;
mod lower;
mod names;
mod parse;
mod parser;
mod types;

pub use compile::{Analysed, Compiled, analyse, compile};
pub use errors::MAX_ERRORS;
pub use format::{WIDTH, format};
pub use kinds::{KEYWORDS, RESERVED_WORDS, SyntaxElement, SyntaxKind, SyntaxNode, SyntaxToken};
pub use parse::{Parse, parse};
pub use parser::{MAX_DEPTH, MAX_HEIGHT};
pub use types::TypesInText;

/// Every code that this crate reports, of syntax errors first.
pub fn all_codes() -> Vec<&'static plainsong_diagnostics::Code> {
    codes::ALL
        .iter()
        .copied()
        .chain(lower::codes::all())
        .collect()
}
