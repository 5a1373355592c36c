//! The translations of `--method alive` as source text: what `plainsong diverge --emit` prints.

use crate::Problem;
pub use plainsong_diverge::translate::Bounds;
use plainsong_diverge::translate::{self, Refused};
use plainsong_ir::{Song, print};

/// Which program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The first translation: a cycle becomes an end.
    Period,
    /// Both: rounds of tasks become a line.
    Rounds,
}

/// The program as source text, with a header that says what to ask of it.
pub fn emitted(song: &Song, which: Which, bounds: Bounds) -> Result<String, Problem> {
    let (program, header) = match which {
        Which::Period => (translate::period(song, bounds.fair), period_header(bounds)),
        Which::Rounds => (translate::rounds(song, bounds), rounds_header(bounds)),
    };
    let program = program.map_err(|Refused { why, .. }| Problem::new(why))?;
    Ok(format!("{header}\n{}", print::song(&program)))
}

fn period_header(bounds: Bounds) -> String {
    let which = which(bounds);
    format!(
        "// Ends with nothing pending and `no_period` violated exactly when the original has a {which}.\n\
         // `x` is the store of the stem, `x_period` that of the cycle, `x_begin` where that begins.\n\
         // Ask: plainsong explore FILE --property no_period\n"
    )
}

fn rounds_header(bounds: Bounds) -> String {
    let (which, delay, recursion) = (which(bounds), bounds.delay, bounds.recursion);
    format!(
        "// Gets to its end with `no_period` violated exactly when the original has a {which}\n\
         // with --delay {delay} and --recursion {recursion}. `x[k]` is the store of round `k`, `ran` what was run:\n\
         // task, whether it is of the cycle, and its round.\n\
         // Ask: plainsong prove FILE --property no_period\n"
    )
}

fn which(bounds: Bounds) -> &'static str {
    match bounds.fair {
        true => "fair cycle",
        false => "cycle",
    }
}
