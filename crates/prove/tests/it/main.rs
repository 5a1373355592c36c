//! Tests of the prover, with the real solver.

mod library;
mod lines;
mod programs;
mod prover;
mod random;
mod sums;
mod terms;
