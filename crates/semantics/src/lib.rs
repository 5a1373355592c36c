//! What the three forms mean.
//!
//! The interpreter is the oracle of the whole project, so it is written for clarity: a
//! configuration, the steps enabled in it, and what each leads to. Engines may be cleverer than
//! this crate, never different from it.

pub mod trace;
pub mod verdict;
