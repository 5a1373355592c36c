//! Projection against the interpreter.

mod corpus;
mod random;
mod repairs;
mod same_ends;
