//! The one canonical style.
//!
//! [`format`] changes only white space: the tokens and comments of the result are those of the text,
//! in the same order. Four spaces of indentation, lines of at most 100 columns where they can be
//! broken, at most one blank line in a row.
//!
//! What decides the layout:
//! - A block that the author wrote on one line stays on one line if it fits; any other has one
//!   statement per line.
//! - A list, a chain of operators or a quantifier is on one line if it fits; otherwise every element
//!   has its own line. A comma after the last element asks for the latter.
//! - A comment stays where it is relative to the tokens around it; a comment that ends a line still
//!   ends one. Comments at the ends of consecutive lines are aligned.
//!
//! The rules (`rules.rs`, `lists.rs`, `blocks.rs`) turn the tree into commands, the printer
//! (`printer.rs`) decides which groups of commands fit on a line.

mod align;
mod blocks;
mod comments;
mod lists;
mod printer;
mod rules;
mod spacing;

use plainsong_diagnostics::Diagnostic;

use crate::parse::parse;
use rules::Layout;

/// The width that lines are kept to.
pub const WIDTH: usize = 100;
const INDENT: usize = 4;
/// Formats a file, or returns its syntax errors.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let parse = parse(text);
    if parse.errors().is_empty() {
        Ok(printer::print(&Layout::of(text, &parse.syntax())))
    } else {
        Err(parse.errors().to_vec())
    }
}
