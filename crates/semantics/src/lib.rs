//! What the three forms mean.
//!
//! The interpreter is the oracle of the whole project, so it is written for clarity: a
//! configuration, the steps enabled in it, and what each leads to. Engines may be cleverer than
//! this crate, never different from it.

mod actions;
mod claim;
mod code;
mod eval;
pub mod executions;
mod failure;
pub mod instance;
mod line;
pub mod machine;
mod mark;
mod phrase;
pub mod replay;
mod retrace;
pub mod search;
pub mod show;
pub mod simulate;
pub mod sizes;
mod start;
mod tell;
pub mod trace;
pub mod value;
pub mod verdict;
mod voices;
mod why;
mod world;
