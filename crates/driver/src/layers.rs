//! What `plainsong refine` prints besides verdicts: the program of a layer, the line of schedules, and how
//! actions move.

use plainsong_ir::{Song, print};
use plainsong_prove::theory::Theory;
use plainsong_refine::answer::Prover;
use plainsong_refine::extract::extract;
use plainsong_refine::refine::Refining;
use plainsong_refine::sequential;
use plainsong_smt::{Cancel, Setup, Solvers};
use std::sync::Arc;

/// The program of a layer as source text.
pub fn emitted(song: &Song, layer: u32) -> String {
    print::song(&extract(song, layer))
}

/// The line that all schedules of a song lead to, as source text; `None` if it has no schedules. It says so if not all
/// that was asked is proved.
pub fn line(song: &Song, proved: bool) -> Option<String> {
    let count = song.actions()?.sequences.len();
    let text = (count > 0).then(|| print::song(&sequential::line(song, count)))?;
    Some(match proved {
        true => text,
        false => format!("// Not all was proved: the program may do what this does not.\n\n{text}"),
    })
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
