//! Inference: invariants and ranking functions that nobody wrote, and runs that a solver suggests.
//!
//! `plainsong-prove` shows obligations; here it is decided which ones, and what to try when they are open.
//!
//! - Invariants: [`houdini`] keeps the largest inductive set of the candidates that [`invariant_templates`] propose and
//!   that [`filter_by_runs`] leaves; [`counterexample_to_induction`] says why an invariant is not inductive.
//! - Ranking functions: [`ranking`] for termination at any size, [`covering_orders`] for lassos that `covers` allows.
//! - Bounded model checking: [`bmc_trace`] and [`bmc_trace_wide`] for choreographies, [`alive_smt`] for termination,
//!   [`unsatisfied`] for contracts that nothing satisfies.
//! - [`proof`]: what became of the obligations of one choreography; [`proof_cache`]: proofs of an unchanged song;
//!   [`arithmetic_oracle`]: the prover as the one whom `sequentialize` asks.
//!
//! Nothing here is trusted: a candidate counts when `prove` has discharged its obligations, a suggested run when the
//! interpreter has executed it. When to stop, and which instances are small enough to run, is said by the caller
//! ([`Supervisor`], [`Asked`]).

pub mod alive_smt;
pub mod arithmetic_oracle;
pub mod bmc_trace;
pub mod bmc_trace_wide;
pub mod counterexample_to_induction;
pub mod covering_orders;
pub mod filter_by_runs;
pub mod houdini;
pub mod invariant_templates;
pub mod pids_as_data;
pub mod proof;
pub mod proof_cache;
pub mod ranking;
mod request;
mod supervisor;
pub mod unsatisfied;

pub use request::Asked;
pub use supervisor::Supervisor;
