//! The corpus: songs that say in their first lines what every verb should answer.
//!
//! The files are `songs/**/*.song` and `examples/*.song`; `songs/README.md` is the reference for what
//! they may expect. [`examine`] checks one text against its own expectations, [`bless`] rewrites the
//! expectations to what is the case. `tests/songs.rs` makes one test of each file.
//!
//! A text is taken apart in two ways: its [`header`] asks questions and expects [`answers`], and
//! [`marks`] under its lines expect diagnostics. Marks are comments, so everything is computed on
//! the text without them, and blessing one part never moves another.

pub mod answers;
mod examine;
mod files;
pub mod header;
pub mod marks;
mod rewrite;
mod round_trip;

pub use examine::examine;
pub use files::{files, root};
pub use rewrite::bless;

use std::fmt;

/// Something that is not as the file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line it is about, counted from 1.
    pub line: usize,
    /// What is wrong, in one or more sentences.
    pub message: String,
}

impl Problem {
    /// A problem with line `line`, counted from 1.
    pub fn new(line: usize, message: impl Into<String>) -> Self {
        Problem {
            line,
            message: message.into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}
