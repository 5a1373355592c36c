//! The negative cache: brute-force searches that found nothing.
//!
//! A search through small states is a function of the song and of this program, so one that found nothing need
//! not be repeated. What it finds is not kept: it is found, and seen by the interpreter, each time again. A
//! search that is wrongly thought to find nothing could cost a refutation, never make a proof.

use plainsong_ir::{Song, print};
use plainsong_smt::Solvers;

/// What was tried with one song.
pub(crate) struct Tried<'a> {
    solvers: &'a Solvers,
    song: String,
}

impl<'a> Tried<'a> {
    pub(crate) fn new(solvers: &'a Solvers, song: &Song) -> Tried<'a> {
        Tried {
            solvers,
            song: print::song(song),
        }
    }

    /// What a search finds; `about` says all that it depends on beside the song.
    pub(crate) fn search<T>(&self, about: &str, search: impl FnOnce() -> Option<T>) -> Option<T> {
        let key = format!("brute force: {about}\n{}", self.song);
        if self.solvers.recall_vain(&key).is_some() {
            return None;
        }
        let found = search();
        if found.is_none() {
            self.solvers.note_vain(&key, "nothing");
        }
        found
    }
}
