//! Takes loop invariants and measures out of a song.
//!
//! They are there for proofs. The language reference does not say what a false one means when a
//! process or an action runs, so the comparison is without them.

use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{LoopClauses, Song};

/// `song` without annotations of loops.
pub(crate) fn without_annotations(mut song: Song) -> Song {
    walk_mut::song(&mut Annotations, &mut song);
    song
}

struct Annotations;

impl VisitMut for Annotations {
    fn clauses(&mut self, clauses: &mut LoopClauses) {
        *clauses = LoopClauses::default();
    }
}
