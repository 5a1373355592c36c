//! Expected verdicts: songs that say in their first lines what every verb should answer.
//!
//! `songs/README.md` is the reference for what they may expect. [`trial`] checks one text against its own expectations
//! (`plainsong test`), [`examine`] the house rules of the corpus besides, [`bless`] rewrites the expectations to what is
//! the case.
//!
//! A text is taken apart in two ways: its [`header`] asks questions and expects [`answers`], and
//! [`marks`] under its lines expect diagnostics. Marks are comments, so everything is computed on
//! the text without them, and blessing one part never moves another.

pub mod answers;
mod examine;
pub mod header;
pub mod marks;
mod rewrite;
mod round_trip;
mod trial;

pub use examine::examine;
pub use rewrite::bless;
pub use trial::{Rule, Trial, trial};

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
