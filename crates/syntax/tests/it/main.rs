//! Tests of the text half and of the way to the three forms, in one binary.

mod chance;
mod corpus;
mod errors;
mod formatting;
mod grammar;
mod limits;
mod meaning;
mod random;
mod trees;
