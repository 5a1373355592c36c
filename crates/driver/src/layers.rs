//! What `plainsong refine` prints besides verdicts: the program of a layer, and how actions move.

use plainsong_ir::{Song, print};
use plainsong_prove::theory::Theory;
use plainsong_refine::answer::Prover;
use plainsong_refine::extract::extract;
use plainsong_refine::refine::Refining;
use plainsong_smt::{Cancel, Setup, Solvers};
use std::sync::Arc;

/// The program of a layer as source text.
pub fn emitted(song: &Song, layer: u32) -> String {
    print::song(&extract(song, layer))
}

/// Which way each action moves, and what keeps it from moving further.
pub fn movers(song: &Arc<Song>) -> String {
    let solvers = Solvers::new(Setup::from_environment());
    let mut theory = Theory::new(song.clone());
    let mut prover = Prover {
        theory: &mut theory,
        solvers: &solvers,
        cancel: &Cancel::default(),
        seed: 0,
    };
    Refining::new(song).movers(&mut prover)
}
