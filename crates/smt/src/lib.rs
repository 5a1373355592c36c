//! The only place that knows a solver.
//!
//! The border is text: a [`Query`] is a list of SMT-LIB commands as [`Sexpr`]s with a strategy and
//! limits, an [`Answer`] is a verdict with values as [`Sexpr`]s. What terms mean is the business of
//! whoever asks.
//!
//! The way through it: [`Solvers`] is what others hold. It looks into its folder of answers,
//! otherwise hands the query to a [`Pool`] of warm processes, each behind a pipe. [`Solver`] says which program that is,
//! [`Places`] where it is found or fetched from.
//!
//! Two promises. *Sound*: only a complete, well-formed answer counts; anything else is `Unknown`.
//! *Deterministic*: seeds are fixed, limits are counted in the solver's own units, and a process is
//! reset before every query, so that an answer does not depend on what else was asked, or of whom.

mod answer;
mod batch;
mod cache;
mod caching;
mod cancel;
mod cvc5;
mod dump;
mod install;
mod pool;
mod process;
mod query;
mod reply;
mod script;
mod seal;
pub mod sexpr;
mod solver;
mod solvers;

pub use answer::{Answer, Outcome, Reason};
pub use caching::{CacheMode, Caching};
pub use cancel::Cancel;
pub use cvc5::serve;
pub use dump::dump;
pub use install::{Attempt, Found, Origin, PINNED_CVC5, PINNED_Z3, Places};
pub use pool::{Pool, PoolSize};
pub use query::{Ask, Kind, Limits, Query, Strategy};
pub use sexpr::Sexpr;
pub use solver::{Host, Solver};
pub use solvers::{Notice, Opinion, Setup, Solvers};
