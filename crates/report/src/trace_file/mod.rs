//! Saved traces: a text header, then one event per line.
//!
//! Every line is a keyword and its fields, separated by tabs (`\t`, `\n` and `\\` inside a field are
//! escaped), so that a trace can be read by people, compared by `diff` and taken apart by scripts.
//! Events are named by who acts, the how-many-eth event of that process it is, the kind, the
//! message and the other side: names that survive edits of the song which a position in a list of
//! choices would not. The position is there too (`step`), as the fastest way back when nothing has
//! changed.
//!
//! ```text
//! plainsong trace  1
//! tool      plainsong 0.1.0
//! file      two_phase.song
//! hash      8a0e3c11b62f90d4
//! property  agreement
//! size      Db  2
//! lane      coordinator
//! lane      db[0]
//! event     coordinator  1  send  Prepare  db[0]  …
//! end       violated  agreement  …
//! ```

mod fields;
mod read;
mod write;

pub(crate) use fields::{ending_word, kind_word};
pub use read::{Unreadable, read};
pub use write::write;

use plainsong_semantics::trace::Trace;
use std::collections::BTreeMap;

/// The version of the format, in the first line.
pub const VERSION: u32 = 1;

/// A trace with what is needed to take it again.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedTrace {
    /// Where it comes from.
    pub header: Header,
    /// What happened.
    pub trace: Trace,
}

/// Where a trace comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Which tool wrote it: `plainsong 0.1.0`.
    pub tool: String,
    /// The file of the song, as the user named it.
    pub file: String,
    /// [`hash`] of the song's text.
    pub hash: u64,
    /// The property it refutes, if it refutes one.
    pub property: Option<String>,
    /// Sizes of sorts and values of parameters.
    pub sizes: BTreeMap<String, i64>,
    /// Windows and other limits: `int` → `-2..=2`.
    pub limits: BTreeMap<String, String>,
    /// The delivery model, where the command line replaced the declared ones.
    pub delivery: Option<String>,
    /// The seed, for a random execution.
    pub seed: Option<u64>,
}

/// A fingerprint of a text that is the same on every machine (FNV-1a, 64 bits).
pub fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
