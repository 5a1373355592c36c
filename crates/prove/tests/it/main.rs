//! Tests of the prover, with the real solver.

mod bounded;
mod killing;
mod library;
mod lines;
mod models;
mod programs;
mod prover;
mod random;
mod recursion;
mod seventeen;
mod sums;
mod terms;
