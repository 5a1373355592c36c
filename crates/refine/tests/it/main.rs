//! The engine against the interpreter.

mod case_studies;
mod corpus;
mod handlers;
mod inductions;
mod layered;
mod layered_programs;
mod movers;
mod moving;
mod permissions;
mod printed;
mod programs;
mod sequences;
mod trusted;
