//! The engine against the interpreter.

mod movers;
mod programs;
