//! Invariant templates: candidates read off the shape of loops. They are only guesses; Houdini keeps those that are inductive.

mod accumulator;
mod affine;
mod branches;
mod fields;
mod position;
mod range;

pub(crate) use accumulator::candidates;
pub(crate) use position::of_rows;
