//! Projection against the interpreter.

mod corpus;
mod same_ends;
