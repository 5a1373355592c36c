//! Tests of the prover, with the real solver.

mod lines;
mod programs;
mod prover;
mod random;
mod sums;
mod terms;
