//! The corpus: songs that say in their first lines what every verb should answer.
//!
//! The files are `songs/**/*.song` and `examples/*.song`; what they may expect, and how it is checked, is in
//! `crates/expectations`. `tests/songs.rs` makes one test of each file.

mod files;

pub use files::{files, root};
pub use plainsong_expectations::{Problem, answers, bless, examine, header, marks};
